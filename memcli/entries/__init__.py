"""Entries: their fields, text, file names, and whether they may be shown.

Door: `entry` (the value), `codec` (bytes to entry and back), `fields` (what callers
may say), `eligibility` (the one decision about what is shown), `layout` (path names).
Not in here: the disk, the clock, git, the environment. Everything is pure.
"""
