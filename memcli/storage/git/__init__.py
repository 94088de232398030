"""How memcli talks to git.

Door: `repository` (questions), `commit`, `history`, `remote` and `merging` (sync).
Outside of `storage` only the modules that pyproject.toml lists may call them.
Not in here: what is committed, or why. GitPython is known in `repository` alone.
"""
