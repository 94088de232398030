"""Memories of other tools, read from their files.

Door: `tools`, the table of tools with where each keeps its files and its reader;
`tools.found` reads them. `pages` splits a page into rules.

Not in here: what becomes of a memory (`curation/importing`), and anything that writes.
"""
