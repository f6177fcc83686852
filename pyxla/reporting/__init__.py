"""Looking at what became of a function: the report, explanations, profiles.

decisions   what was unrolled, known, copied, converted, checked, with the line and the remedy
costs       what each line costs: operations, bytes, iterations
listing     the stages as lines, each with the source line that it came from
observing   types and calls, as inference finds them
graph       how values go from line to line, drawn
page        all of it as one HTML page
explaining  why each specialization was made, and how long it took
profiling   the time that each line took in a run
notebook    `%load_ext pyxla`
"""
