"""What happens around an agent's session: told at its start, mined at its end.

Door: `reflect_session` (one transcript), `backfill` (many), `briefing`, `hooks`.
Not in here: the formats of hosts (`hosts`), and the words of the command line.
"""
