"""The registry: the entities that a vault knows by name, one file each in `entities/`.

Door: `store` (load, with its cache), `page` (one file), `ignored` (names that are no
entities). Not in here: deciding on entities; that is `curation.entities`.
"""
