"""The world outside that every command gets, and the result that it gives.

Invariant: a command reads the clock, the environment, standard input and the terminal
through its `Context` only, and prints nothing: `render` draws its `Result`.
"""

from __future__ import annotations

import os
import sys

from memcli.errors import InvalidValue, MemcliError, UsageError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, Protocol

    from memcli.hosts.install.command_line import Program
    from memcli.vault.caller import Caller
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults
else:
    Protocol = object


# Of a question on standard input: some thousand lines of a log. It takes a second.
_LONGEST_QUESTION = 100_000
_MOST_LINES = 20


class Context(NamedTuple):
    """The world outside, read once at the start of the process.

    `vault` is what --vault names, for commands that take one vault.
    `ask` puts a question on stderr and returns the line that was typed, None at the
    end of the input; a command asks only when it is `interactive`. `via` says in the
    log of signals how a question came in, `cwd` in which folder the caller stands.
    """

    environ: Mapping[str, str]
    now_ms: Callable[[], int]
    entropy: Callable[[int], bytes]
    read_stdin: Callable[[], bytes]
    stdin_is_terminal: bool
    ask: Callable[[str], str | None]
    tell: Callable[[str], None]
    progress: Callable[[str], Callable[[int, int], None] | None]
    vault: str | None
    json: bool
    agent: str | None = None
    via: str = "recall"
    cwd: str | None = None

    @property
    def interactive(self) -> bool:
        """Whether a person is there to be asked."""
        return self.stdin_is_terminal and not self.json

    def confirm(self, question: str) -> bool:
        """Ask a yes-or-no question; anything but yes is a no."""
        answer = self.ask(f"{question} [y/N] ") or ""
        return answer.strip().lower() in ("y", "yes")

    def agrees(
        self, plan: Iterable[str], question: str, *, yes: bool, dry_run: bool
    ) -> bool | None:
        """Whether to act on a plan, which a person sees first; None where it is only to
        be shown: nobody is there, or it is a dry run."""
        if dry_run or not (yes or self.interactive):
            return None
        if yes:
            return True
        for line in plan:
            self.tell(f"  {line}")
        return self.confirm(question)

    def owner_only(self, why: str) -> None:
        """Refuse what is for the owner of the vaults alone, where an agent asks.

        Raises:
            NotAllowed: an agent asks.
        """
        if self.agent:
            from memcli.errors import NotAllowed

            raise NotAllowed(
                f"{why}, not for agent {self.agent}",
                hint="Ask the owner to run it.",
                code="owner_only",
            )

    def open_vault(self, doing: str, *, writes: bool = False) -> Vault:
        """Open the vault that the command line names.

        Args:
            doing: labels its progress bar.
            writes: refuse a read-only vault at once.
        """
        from memcli.vault.vault import Vault

        vault = Vault.open(self.vault, self.caller(doing), writes=writes)
        if self.interactive and not self.agent:
            from memcli.storage import detached

            for line in detached.take_news(vault.root, self.environ):
                self.tell(line)
        return vault

    def own_vaults(
        self, doing: str, *, every: bool, writes: bool = False
    ) -> Iterator[Vault]:
        """The vault that the command line names; or the user's and those of the config
        that can be opened, each once.

        Args:
            doing: labels a progress bar.
            every: of the config as well.
            writes: none that may only be read.
        """
        from memcli.storage import known_vaults

        words: list[str | None] = [*known_vaults.configured(self.environ)] * every
        if not every or known_vaults.named_personal(self.environ):
            words.insert(0, self.vault)
        seen = set()
        for word in words:
            try:
                vault = self._replace(vault=word).open_vault(doing, writes=writes)
            except MemcliError:
                if not every:
                    raise
                continue
            if vault.root not in seen:
                yield vault
            seen.add(vault.root)

    def open_vaults(
        self,
        doing: str,
        vaults: Sequence[str] | None = None,
        *,
        personal_only: bool = False,
    ) -> Vault | Vaults:
        """Open the vault, or the several vaults, that a question goes to.

        One vault is the usual case, and loads nothing that several would need.

        Args:
            doing: labels its progress bar.
            vaults: what --vault names where it may be repeated.
            personal_only: not the vaults of teams, nor that of the repository.
        """
        from memcli.storage import known_vaults

        words = vaults or ((self.vault,) if self.vault else ())
        many = len(words) > 1
        if not words and not personal_only:
            teams = known_vaults.configured(self.environ).values()
            many = any(place.recall for place in teams) or bool(
                known_vaults.of_repository(self.cwd, self.environ)
            )
        if not many:
            return self._replace(vault=words[0] if words else None).open_vault(doing)
        from memcli.vault.vaults import Vaults

        return Vaults.open(*words, caller=self.caller(doing))

    def caller(self, doing: str) -> Caller:
        """Who asks a vault; `doing` labels the progress bar."""
        from memcli.vault.caller import Caller

        return Caller(
            environ=self.environ,
            now_ms=self.now_ms,
            entropy=self.entropy,
            tell=self.tell,
            progress=self.progress(doing),
            agent=self.agent,
            via=self.via,
            cwd=self.cwd,
            waits=self.via != "mcp",
        )

    def written_text(self, argument: str | None, path: str | None, *, what: str) -> str:
        """The text of the argument, else of the file, else of standard input.

        Args:
            argument: the text; "-" means standard input.
            path: what --file names; "-" means standard input.
            what: the command, for the hint when there is no text.

        Raises:
            UsageError: there is no text at all.
            Unreadable: what was read is not UTF-8.
        """
        from memcli.storage import files

        if path and path != "-":
            # Four bytes a character, for every limit of a vault; more is not read.
            text = files.decoded(files.read(path, limit=64_000_000), path)
            return text.removeprefix(_BOM)
        if argument is not None and argument != "-":
            return argument
        if self.stdin_is_terminal and argument is None and not path:
            raise UsageError(
                "there is no text to save",
                hint=f'Give it: memcli {what} "..."; or with --file; or pipe it in.',
            )
        return self._piped()

    def _piped(self) -> str:
        from memcli.storage.files import decoded

        return decoded(self.read_stdin(), "standard input").removeprefix(_BOM)

    def piped_question(self) -> str:
        """The question that standard input holds.

        Raises:
            InvalidValue: standard input has more than `_LONGEST_QUESTION` characters.
            Unreadable: it is not UTF-8.
        """
        text = self._piped()
        if len(text) > _LONGEST_QUESTION:
            raise InvalidValue(
                f"the question has {len(text):,} characters; the limit is "
                f"{_LONGEST_QUESTION:,}",
                hint="Ask with the part that says what happened, such as its last "
                "lines: tail -n 50 FILE | memcli recall -",
                code="too_large",
            )
        return text

    def person_confirms(self, vault: Vault, ids: Sequence[str]) -> None:
        """As `person_only`, of entries that were mined and are not confirmed."""
        from memcli.entries.entry import MINERS, Status, is_unconfirmed

        for entry in map(vault.get, ids):
            waits = entry.status is Status.PENDING and entry.source.writer in MINERS
            if waits or is_unconfirmed(entry):
                self.person_only("to confirm what was heard in a session")

    def person_only(self, what: str) -> None:
        """Refuse `what`, which only a person decides, where an agent calls.

        Raises:
            NotAllowed: an agent asks, or the session of an agent's host runs this.
        """
        from memcli.errors import NotAllowed
        from memcli.hosts import table

        self.owner_only(f"{what} is for a person")
        host = table.running_in(self.environ)
        if host is not None or self.via == "mcp":
            who = host.title if host else "an MCP client"
            raise NotAllowed(
                f"{what} is for a person, and {who} runs this command",
                hint="Ask the user to type it at a terminal of their own.",
                code="owner_only",
            )

    def merges_for_git(self, root: str) -> None:
        """Let git call this memcli where two clones changed a file, and say so once.

        Args:
            root: the vault.
        """
        from memcli.vault import create

        if create.let_git_merge(root, own_program().words, environ=self.environ):
            self.tell("git calls memcli from now on to merge what two clones changed")


_BOM = "\ufeff"


def own_program() -> Program:
    """The program by its absolute path, to be started from any folder."""
    from memcli.hosts.install import command_line

    windows = os.name == "nt"
    return command_line.running(sys.argv[0], sys.executable, windows=windows)


class Result(NamedTuple):
    """The answer of a command.

    `data` goes into the envelope of `--json`; `text` draws the same for people. A
    result that is not `ok` exits with 1 though nothing failed (a lint that found
    something); so does one that is not `found`, which `--exit-code` asks for. A batch
    has one result in `lines` for each of its lines, printed as an envelope each;
    `label` names the question that such a result answers. `printed` is called once all
    of it is out.
    """

    data: dict[str, Any]
    text: Callable[[Canvas], None]
    warnings: tuple[str, ...] = ()
    ok: bool = True
    found: bool = True
    lines: tuple[Result, ...] | None = None
    label: str = ""
    printed: Callable[[], None] | None = None


class Canvas(Protocol):
    """Where a command draws its text; `render` has one for pipes, one for terminals."""

    terminal: bool

    def line(self, text: str = "", *, style: str = "") -> None:
        """One line; `style` is title, dim, bad, good, hint, or nothing.

        hint: words of memcli alone, which name what to do next: the commands get the
        vault that was asked, and an MCP client has them in its own words. nothing:
        there are no rows; a pipe has it on stderr.
        """

    def table(self, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        """A table; tab-separated on a pipe."""


def check_words(line: str, takes: str, words: Sequence[str]) -> None:
    """Refuse more or fewer words behind an action than it takes.

    Args:
        line: the command line up to the action.
        takes: what it takes: `NAME INTO`, or `NAME VALUE...` for one more and any.
        words: those that are given.

    Raises:
        UsageError: they do not fit.
    """
    few = len(words) < len(takes.split())
    many = len(words) > len(takes.split()) and not takes.endswith("...")
    if few or many:
        raise UsageError(
            f"{line} takes {takes or 'nothing more'}",
            hint="What holds a space needs quotes.",
        )


def said(
    data: dict[str, Any],
    head: str,
    *lines: str,
    style: str = "good",
    warnings: Sequence[str] = (),
    dry_run: bool | None = None,
) -> Result:
    """The answer that one line says, and more lines below it tell about.

    Args:
        data: for JSON.
        head: the one line.
        lines: those below it; of many the first are shown.
        style: of the one line.
        warnings: beside it.
        dry_run: of a plan that changed nothing, whether that was asked for.
    """

    def text(canvas: Canvas) -> None:
        canvas.line(head, style=style if dry_run is None else "")
        # A plan is read to its end by who decides on it.
        most = _MOST_LINES if dry_run is None else len(lines)
        for line in lines[:most]:
            canvas.line(f"  {line}")
        draw_more(canvas, len(lines) - most, "--json")
        if dry_run is not None:
            to_apply(canvas, dry_run=dry_run)

    return Result(data=data, text=text, warnings=tuple(warnings))


def draw_more(canvas: Canvas, number: int, where: str) -> None:
    """Say how many more there are, if any, and which command shows them."""
    if number > 0:
        canvas.line(f"  ... and {number:,} more: {where}", style="dim")


def to_apply(canvas: Canvas, *, dry_run: bool) -> None:
    """The line below a plan that changed nothing: how to carry it out."""
    how = "Run without --dry-run to apply." if dry_run else "Add --yes to apply."
    canvas.line(f"Nothing changed. {how}", style="hint")
