"""Questions and answers, over one vault or several.

Door: `query` (what is asked), `recall` (ranked rows), `reflect` (facts with how far to
trust them), `federated` (both, over several vaults), `feedback` (which rows helped).
Not in here: changes to entries. A question writes nothing but the log of signals.
"""
