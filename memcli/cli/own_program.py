"""The words that start this installation of memcli, for what other programs call."""

import os
import sys


def words() -> tuple[str, ...]:
    """The program by its absolute path, to be started from any folder."""
    from memcli.hosts.install import command_line

    windows = os.name == "nt"
    return command_line.running(sys.argv[0], sys.executable, windows=windows).words
