"""The disk under a vault: files, locks, the journal, caches, settings.

Door: `files` (atomic writes), `vault_paths` (paths that stay inside a vault),
`transaction` (several files, whole or not at all), `settings` (a vault's config),
`user_config` (the user's).
Not in here: what an entry means; this room moves bytes.
"""
