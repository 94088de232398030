"""The command line: words in, one answer out.

Door: `argv.main`; `commands` lists which module a subcommand lives in. `render` alone
prints, `run` alone reads the clock and the environment.
Not in here: what a command does. That is a use case of the rooms below.
"""
