"""The entries that a session is told at its start and with a prompt.

Door: `start`, and `prompt`.
Not in here: how a host wants the text wrapped; `hosts.host` knows that.
"""
