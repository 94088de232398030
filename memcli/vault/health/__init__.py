"""The findings about a vault, and their repair.

Door: `lint` (findings), `repair` (the plan that ends them), `overview` (the vault),
`inspect` (one entry). Not in here: guesses. What needs one is only reported.
"""
