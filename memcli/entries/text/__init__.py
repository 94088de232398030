"""What a text says: its words, the names it mentions, the times it means, its secrets.

Door: `tokens`, `mentions`, `links`, `time_windows`, `secrets`, `redaction`.
Not in here: anything that knows what an entry's fields are, or reads a file.
"""
