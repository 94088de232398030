"""The merge of a vault that two clones have changed.

Door: `trees.plan_merge` (three trees of files, as git has them), `files.merge_file`
(one entry's file).
Not in here: git, the disk, the clock. Everything is pure, and gives the same bytes
for both choices of the side that is called "ours", so that clones end equal.
"""
