"""The world outside that every command gets, and the result that it gives.

Invariant: a command reads the clock, the environment, standard input and the terminal
through its `Context` only, and prints nothing: `render` draws its `Result`.
"""

from __future__ import annotations

import os

from memcli.errors import Conflict, UsageError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol

    from memcli.vault.caller import Caller
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults
else:
    Protocol = object


class Context(NamedTuple):
    """The world outside, read once at the start of the process.

    `vault` is what --vault names, for commands that take one vault.
    `ask` puts a question on stderr and returns the line that was typed, None at the
    end of the input; a command asks only when it is `interactive`. `typed_ahead` says
    whether a line was typed already that nothing has read. `via` says in the
    log of signals how a question came in, `cwd` in which folder the caller stands.
    `processes` is how many may index at once.
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
    processes: int = 1
    typed_ahead: Callable[[], bool] = lambda: False

    @property
    def interactive(self) -> bool:
        """Whether a person is there to be asked."""
        return self.stdin_is_terminal and not self.json

    def ask_unless_typed(self, question: str) -> str | None:
        """Ask, unless a line was typed before the question could be read.

        Such a line is the next command of a person who pastes several: it is left to
        the shell, and the question has no answer (None).
        """
        return None if self.typed_ahead() else self.ask(question)

    def confirm(self, question: str) -> bool:
        """Ask a yes-or-no question; anything but yes is a no."""
        answer = self.ask_unless_typed(f"{question} [y/N] ")
        if answer is None and self.typed_ahead():
            self.tell(f"{question} Not asked: the next line was typed already.")
        return (answer or "").strip().lower() in ("y", "yes")

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

        return Vault.open(self.vault, self.caller(doing), writes=writes)

    def with_one_vault(self, vaults: Sequence[str]) -> Context:
        """This context on the vault that a repeatable --vault names once."""
        if len(vaults) > 1:
            raise UsageError(
                "--vault is given more than once, and this takes one vault",
                hint="Several are for: memcli recall, memcli reflect QUERY",
            )
        return self._replace(vault=vaults[0])

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
        if words and personal_only:
            raise UsageError("--vault and --personal-only cannot be combined")
        many = len(words) > 1
        if not words and not personal_only:
            teams = known_vaults.configured(self.environ).values()
            many = any(place.recall for place in teams) or bool(
                known_vaults.of_repository(self.cwd, self.environ)
            )
        if not many:
            only = words[0] if words else None
            return self._replace(vault=only).open_vault(doing)
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
            processes=self.processes,
            waits=self.via != "mcp",
        )


class Result(NamedTuple):
    """The answer of a command.

    `data` goes into the envelope of `--json`; `text` draws the same for people. A
    result that is not `ok` exits with 1 though nothing failed (a lint that found
    something); so does one that is not `found`, which `--exit-code` asks for. A batch
    has one result in `lines` for each of its lines, printed as an envelope each;
    `label` names the question that such a result answers.
    """

    data: dict[str, Any]
    text: Callable[[Canvas], None]
    warnings: tuple[str, ...] = ()
    ok: bool = True
    found: bool = True
    lines: tuple[Result, ...] | None = None
    label: str = ""


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


def refuse(*cases: tuple[object, str, str | None]) -> None:
    """Refuse a command line by the first of these cases that is true of it.

    Args:
        cases: whether it is wrong, why, and what goes instead.

    Raises:
        UsageError: one is true.
    """
    for wrong, why, hint in cases:
        if wrong:
            raise UsageError(why, hint=hint)


def declined(data: dict[str, Any]) -> Result:
    """The answer when a person has seen a plan and says no to it."""
    return Result(
        data=data, text=lambda canvas: canvas.line("Nothing changed.", style="dim")
    )


def refuse_inside(path: str, root: str) -> None:
    """Refuse to write what a command makes into a vault: over a memory or a config.

    Raises:
        Conflict: the path lies in the vault, or is a link.
    """
    folder, root = os.path.realpath(path), os.path.realpath(root)
    if folder == root or folder.startswith(os.path.join(root, "")):
        raise Conflict(
            f"{path} lies in the vault, where it would be committed",
            hint="Name a place outside of it, as in: --out ~/memory",
        )


def to_apply(canvas: Canvas, *, dry_run: bool) -> None:
    """The line below a plan that changed nothing: how to carry it out."""
    how = "Run without --dry-run to apply." if dry_run else "Add --yes to apply."
    canvas.line(f"Nothing changed. {how}", style="hint")
