"""Judging: what a session teaches, as a reader with judgement sees it.

Door: `bring.gather` makes what a judge reads, `bring.bring` takes what it says and puts
what passes `answers.read` into the vault, `command` asks the command that a user has
named. memcli gathers, cites and guards; the judge is the caller's agent.
Not in here: any judgement. An answer counts only when it cites turns and keeps to them.
"""
