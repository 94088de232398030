"""The work around an agent's session: telling at its start, mining at its end.

Door: `reflect_session` (one session or all transcripts), `recovery` (sessions
without an end), `briefing` (what a session is told), `hooks`, `judge`, `doctor`.
Not in here: the formats of hosts (`hosts`), and the words of the command line.
"""
