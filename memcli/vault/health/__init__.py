"""The findings about a vault, and their repair.

Door: `lint` (findings), `repair` (the plan that ends them), `inspect` (the vault, and
one entry). Not in here: guesses. What needs one is only reported.
"""
