"""One call of a hook, from the host's payload to memcli's answer.

Door: `call.main`, which `memcli hook` starts without Typer.
Not in here: anything that can hurt the host. A hook always exits with 0.
"""
