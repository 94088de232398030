"""Judging: what a session teaches, as a reader with judgement sees it.

Door: `digest.gather` makes what a judge reads, `judge.bring` takes what it says and
puts what passes `answers.read` into the vault, `judge.judge_session` asks the command
that a user has named. memcli gathers, cites and guards; the judge is the caller's
agent.
Not in here: any judgement. An answer counts only when it cites turns and keeps to them.
"""
