"""The particulars of each agent host: hooks, settings, skills, transcripts.

Door: `table` gives a host's record, `transcripts` reads a session, `hook_payload` reads
and answers a hook's caller, `install` writes a host's settings.
Not in here: what memcli makes of a session (`sessions`). Nothing is imported here: a
hook that reads one payload must not pay for eight formats of transcripts.
"""
