"""What is wrong with a vault, and how to repair it.

Door: `lint` (findings), `repair` (the plan that ends them), `overview` (the vault),
`inspect` (one entry). Not in here: guesses. What needs one is only reported.
"""
