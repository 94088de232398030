"""`memcli inspect`."""

from memcli.cli.spec import Command

COMMAND = Command("inspect", "x", (), lambda c: None)
