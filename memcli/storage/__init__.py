"""The disk under a vault: files, locks, the journal, caches, settings.

Door: `files` (atomic writes, safe paths), `transaction` (several files, whole or not
at all), `settings` (what the vault's and the user's config say).
Not in here: what an entry means; this room moves bytes.
"""
