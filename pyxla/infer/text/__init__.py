"""Text with values that are known at run time only, and printing."""
