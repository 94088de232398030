"""`python -m memcli`."""

from __future__ import annotations

from memcli.cli.argv import main

main()
