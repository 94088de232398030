"""Judging: what a session teaches, as a reader with judgement sees it.

Door: `digest.compose` makes what a judge reads, `answers.read` takes what it says,
`bring.bring` puts what passed into the vault, `command.ask` asks the command that a
user has named. memcli gathers, cites and guards; the judge is the caller's agent.
Not in here: any judgement. An answer counts only when it cites turns and keeps to them.
"""
