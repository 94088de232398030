"""Questions and answers, over one vault or several.

Door: `query` (what is asked), `recall` (ranked rows), `reflect` (facts with how far to
trust them), `listing` (unranked, and which rows helped). What several vaults say is
made one answer in `federated`.
Not in here: changes to entries. A question writes nothing but the log of signals.
"""
