"""`python -m memcli`."""

from memcli.cli.argv import main

main()
