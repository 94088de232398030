"""The registry of entities: pages, and decisions about names.

Door: `listing` (all entities, with counts, and one with its claims), `decide`
(register, merge, ignore).
Not in here: finding names in a text; `entries.text.mentions` does that.
"""
