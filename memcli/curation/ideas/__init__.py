"""Ideas: the ledger, and the incubator that an idea grows in.

Door: `incubator`.
Not in here: how ideas are found in a session; `sessions.mining.ideas` does that.
"""
