"""What other tools remember, read as memories.

Door: `tools` lists the tools by name, with where each keeps its files; `tools.found`
reads them. A module here knows the files of one tool, or of tools that share a form.

Not in here: what becomes of a memory (`curation/foreign`), and anything that writes.
"""
