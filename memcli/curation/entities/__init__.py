"""The registry of entities: pages, and decisions about names.

Door: `listing` (all entities, with counts), `page` (one with its aspects), `waiting`
(names that may be entities), `decide` (register, rename, merge, ignore).
Not in here: finding names in a text; `entries.text.mentions` does that.
"""
