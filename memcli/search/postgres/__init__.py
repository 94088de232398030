"""A published vault: the tables of an index in PostgreSQL, and what reads them.

Door: `engine.Engine` answers as `index.Index` does, `publisher` writes. What is shared
is published and nothing else, so a reader needs no right but SELECT, and no function of
memcli runs in the database.
Not in here: which entries are published, which `vault.publishing` decides.
"""
