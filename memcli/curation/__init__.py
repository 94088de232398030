"""Changes of knowledge: evolve, resolve, review, forget, import, models.

Door: one module for each of these commands.
Not in here: the words of the command line, and transcripts (`sessions`).
"""
