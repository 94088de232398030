"""What is particular to each agent host: transcripts, payloads, replies, settings.

Door: `transcripts` reads a session, `hook_payload` and `hook_reply` speak to a hook's
caller, `install` writes a host's settings.
Not in here: what memcli makes of a session (`sessions`). Nothing is imported here: a
hook that reads one payload must not pay for five formats of transcripts.
"""
