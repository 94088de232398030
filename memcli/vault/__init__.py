"""Entries by id, and the only writer of a vault.

Door: `vault.Vault` (open, read, get, transaction), `saving` (new entries).
Not in here: questions (`recall`) and what changes existing knowledge (`curation`).
"""
