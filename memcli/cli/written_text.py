"""The text or question of a command line, and who types it."""

from __future__ import annotations

import os
import sys

from memcli.errors import InvalidValue, Unreadable, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.cli.context import Context
    from memcli.vault.vault import Vault


# Of a question on standard input: some thousand lines of a log. It takes a second.
_LONGEST_QUESTION = 100_000


def written_text(
    context: Context, argument: str | None, path: str | None, *, what: str
) -> str:
    """The text of the argument, else of the file, else of standard input.

    Args:
        context: has standard input.
        argument: the text; "-" means standard input.
        path: what --file names; "-" means standard input.
        what: the command, for the hint when there is no text.

    Raises:
        UsageError: there is a text and a file, or no text at all.
        Unreadable: what was read is not UTF-8.
    """
    if path and argument:
        raise UsageError("give the text as an argument or with --file, not both")
    if path and path != "-":
        from memcli.storage import files

        # Four bytes a character, for every limit of a vault; more is not read.
        return _decoded(files.read(path, limit=64_000_000), path)
    if argument is not None and argument != "-":
        return argument
    if context.stdin_is_terminal and argument is None and not path:
        raise UsageError(
            "there is no text to save",
            hint=f'Give it: memcli {what} "..."; or with --file; or pipe it in.',
        )
    return _decoded(context.read_stdin(), "standard input")


def piped_question(context: Context) -> str:
    """The question that standard input holds.

    Raises:
        InvalidValue: standard input has more than `_LONGEST_QUESTION` characters.
        Unreadable: it is not UTF-8.
    """
    text = _decoded(context.read_stdin(), "standard input")
    if len(text) > _LONGEST_QUESTION:
        raise InvalidValue(
            f"the question has {len(text):,} characters; the limit is "
            f"{_LONGEST_QUESTION:,}",
            hint="Ask with the part that says what happened, such as its last lines: "
            "tail -n 50 FILE | memcli recall -",
            code="too_large",
        )
    return text


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            f"{name}:{line}: not UTF-8 (byte {error.start:,})",
            hint="Convert it first, for example: iconv -f latin1 -t utf-8",
        ) from error


def person_only(context: Context, vault: Vault) -> None:
    """Refuse what only a person decides, where an agent calls.

    Raises:
        NotAllowed: an agent asks, or the session of an agent's host runs this.
    """
    from memcli.errors import NotAllowed
    from memcli.hosts import table

    vault.owner_only("--enforce")
    host = table.running_in(context.environ)
    if host is not None:
        raise NotAllowed(
            f"--enforce is for a person, and {host.title} runs this command",
            hint="Ask the user to type it at a terminal of their own.",
            code="owner_only",
        )


def own_program() -> tuple[str, ...]:
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

    if create.let_git_merge(root, own_program(), environ=context.environ):
        context.tell("git calls memcli from now on to merge what two clones changed")
