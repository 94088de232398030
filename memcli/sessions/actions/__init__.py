"""What an action of an agent has to do with a lesson: pure.

Door: `match.fired`. `entries/text/code_terms` says which triggers an entry has,
`search/triggers` holds the table of them, and `hooks/at_tool` tells the agent.
Not in here: the disk, hosts, sessions.
"""
