"""How memcli talks to git.

Door: `repository`; the other modules are its parts, and only `storage` calls them.
Not in here: what is committed, or why. GitPython is known in `readable` alone.
"""
