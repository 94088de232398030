"""Questions and answers, over one vault or several.

Door: `recall` (ranked rows), `reflect` (facts with how far to trust them), `federated`
(several vaults), `feedback` (which rows helped).
Not in here: changes to entries. A question writes nothing but the log of signals.
"""
