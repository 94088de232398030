"""The registry of entities: pages, and decisions about names.

Door: `page` (one entity with its aspects), `decide` (register, rename, merge, ignore).
Not in here: finding names in a text; `entries.text.mentions` does that.
"""
