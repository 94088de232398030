"""How entries are scored for a question.

Door: `rank.rank`; `--explain` prints the parts that it combines.
Not in here: the disk, the clock, or the decision of what may be shown (`eligibility`).
"""
