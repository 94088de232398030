"""The text of entries: its words, the names it mentions, its times, its secrets.

Door: `tokens`, `mentions`, `links`, `time_windows`, `secrets`.
Not in here: anything that knows what an entry's fields are, or reads a file.
"""
