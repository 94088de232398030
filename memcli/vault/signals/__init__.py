"""The log of what was written, recalled and judged useful.

Door: `recorder` writes it, `summary` reads it.
Not in here: a word of any question or memory; the log holds ids and numbers.
"""
