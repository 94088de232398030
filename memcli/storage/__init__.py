"""The disk under a vault: files, locks, the journal, caches, settings.

Door: `files` (atomic writes), `vault_paths` (paths that stay inside a vault),
`transaction` (several files, whole or not at all), `settings` (what a vault's config
says), `user_config` (what the user's says).
Not in here: what an entry means; this room moves bytes.
"""
