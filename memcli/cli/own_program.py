"""The words that start this installation of memcli, for what other programs call."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.cli.context import Context


def words() -> tuple[str, ...]:
    """The program by its absolute path, to be started from any folder."""
    from memcli.hosts.install import command_line

    windows = os.name == "nt"
    return command_line.running(sys.argv[0], sys.executable, windows=windows).words


def merges_for_git(context: Context, root: str) -> None:
    """Let git call this memcli where two clones changed a file, and say so once.

    Args:
        context: tells the user.
        root: the vault.
    """
    from memcli.vault import create

    if create.let_git_merge(root, words(), environ=context.environ):
        context.tell("git calls memcli from now on to merge what two clones changed")
