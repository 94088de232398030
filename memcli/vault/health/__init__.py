"""What is wrong with a vault, and how to mend it.

Door: `lint` (findings), `repair` (the plan that mends them), `inspect` (one entry).
Not in here: guesses. What cannot be mended without one is only reported.
"""
