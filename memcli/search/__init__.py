"""The index, which follows the files, and the ranking on top of it.

Door: `index` (brings itself up to date, gives a `Reader`), `reader`, `ranking`.
Not in here: writing to the vault. Deleting everything this room wrote loses nothing.
"""
