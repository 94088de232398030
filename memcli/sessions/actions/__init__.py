"""What an action of an agent has to do with a lesson: pure.

Door: `match.fired`. What triggers an entry has says `entries/text/code_terms`, the
table that holds them is `search/triggers`, and `hooks/at_tool` tells the agent.
Not in here: the disk, hosts, sessions.
"""
