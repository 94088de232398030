"""What an entry is: its fields, its text, its file names, and whether it may be shown.

Door: `entry` (the value), `codec` (bytes to entry and back), `fields` (what callers
may say), `eligibility` (the one decision about what is shown), `layout` (path names).
Not in here: the disk, the clock, git, the environment. Everything is pure.
"""
