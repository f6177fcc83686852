"""What the command line and the terminal need besides the compiler.

diagnostics   errors for people, for editors (gcc) and for machines (SARIF)
doctor        whether everything that is needed is there and works
"""
