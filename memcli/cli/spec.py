"""What a subcommand is: its words for people and programs, and what it runs.

Invariant: a command line means what its `Command` says, whichever of the two
parsers reads it. `argv` understands plain command lines without loading Typer (which
costs more than a whole recall); Typer does the rest: help, completion, mistakes.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from memcli.errors import UsageError

if TYPE_CHECKING:
    from memcli.recall.federated import Several
    from memcli.vault.vault import Vault


class Option(NamedTuple):
    """A flag: `kind` is bool, int, float or str; `repeat` collects every use."""

    name: str
    flags: tuple[str, ...]
    kind: type
    help: str
    default: Any = None
    repeat: bool = False
    metavar: str | None = None
    choices: tuple[str, ...] = ()


class Argument(NamedTuple):
    """A word without a flag; `repeat` takes all that remain."""

    name: str
    help: str
    required: bool = False
    repeat: bool = False
    metavar: str | None = None


class Context(NamedTuple):
    """The world outside, read once at the start of the process.

    `vault` is what --vault names, `vaults` what it names where it may be repeated.
    `ask` puts a question on stderr and gives the line that was typed, None at the end
    of the input; whoever asks looks first whether `interactive`. `via` is how questions
    are put, for the log of signals.
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
    vaults: tuple[str, ...] = ()
    via: str = "recall"

    @property
    def interactive(self) -> bool:
        """Whether a person is there to be asked."""
        return self.stdin_is_terminal and not self.json

    def confirm(self, question: str) -> bool:
        """Whether a person says yes; anything else is a no."""
        answer = self.ask(f"{question} [y/N] ") or ""
        return answer.strip().lower() in ("y", "yes")

    def open_vault(self, doing: str, *, writes: bool = False) -> "Vault":
        """The vault that the command line names.

        Args:
            doing: labels its progress bar.
            writes: refuse at once a vault that may only be read.
        """
        from memcli.vault.vault import Vault

        if len(self.vaults) > 1:
            raise UsageError(
                "--vault is given more than once, and this takes one vault",
                hint="Several are for: memcli recall, memcli reflect QUERY",
            )
        return Vault.open(self.vault, writes=writes, **self.options(doing))

    def open_vaults(
        self, doing: str, *, personal_only: bool = False
    ) -> "Vault | Several":
        """The vault that a question goes to, or the several that it goes to.

        One is the usual case, and loads nothing of what several need.
        """
        from memcli.storage import known_vaults

        words = self.vaults or ((self.vault,) if self.vault else ())
        if words and personal_only:
            raise UsageError("--vault and --personal-only exclude each other")
        many = len(words) > 1
        if not words and not personal_only:
            teams = known_vaults.configured(self.environ).values()
            many = any(place.recall for place in teams)
        if not many:
            return self.open_vault(doing)
        from memcli.recall import federated

        return federated.opened(words, **self.options(doing))

    def options(self, doing: str) -> dict[str, Any]:
        """What a vault is opened with, for each of several."""
        return {
            "environ": self.environ,
            "now_ms": self.now_ms,
            "entropy": self.entropy,
            "tell": self.tell,
            "progress": self.progress(doing),
            "agent": self.agent,
            "via": self.via,
        }


class Result(NamedTuple):
    """What a command has to say.

    `data` is the envelope's; `text` gives the lines for eyes; a result that is not
    `ok` exits with 1 though nothing failed (a lint that found something). With
    `lines` each item is an envelope's data of its own (batches); its `label` says for
    eyes what it answers.
    """

    data: dict[str, Any]
    text: "Callable[[Canvas], None]"
    warnings: tuple[str, ...] = ()
    ok: bool = True
    lines: "tuple[Result, ...] | None" = None
    label: str = ""


class Canvas(Protocol):
    """Where a command draws its text; `render` has one for pipes, one for terminals."""

    terminal: bool

    def line(self, text: str = "", *, style: str = "") -> None:
        """One line; `style` is a hint: title, dim, bad, good."""

    def table(self, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        """A table; tab-separated on a pipe."""


class Command(NamedTuple):
    """A subcommand; `run(context, **values)` gives its Result."""

    name: str
    help: str
    parameters: tuple[Option | Argument, ...]
    run: Callable[..., Result]

    @property
    def options(self) -> tuple[Option, ...]:
        """The flags of the command, those of every command included."""
        own = tuple(p for p in self.parameters if isinstance(p, Option))
        names = {option.name for option in own}
        return own + tuple(one for one in EVERYWHERE if one.name not in names)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The positional words of the command."""
        return tuple(p for p in self.parameters if isinstance(p, Argument))


EVERYWHERE: tuple[Option, ...] = (
    Option(
        "vault",
        ("--vault",),
        str,
        "A vault's folder, or its name",
        metavar="PATH",
    ),
    Option("json", ("--json",), bool, "Print one JSON document", default=False),
    Option(
        "agent",
        ("--agent",),
        str,
        "The agent that asks and writes (MEMCLI_AGENT); without it, the owner",
        metavar="NAME",
    ),
)
"""Flags that every command takes; one of the same name takes the place of it."""

SEVERAL_VAULTS: tuple[Option, ...] = (
    Option(
        "vault",
        ("--vault",),
        str,
        "Only this vault, by its folder or name; repeatable",
        repeat=True,
        metavar="PATH",
    ),
    Option(
        "personal_only",
        ("--personal-only",),
        bool,
        "Only your default vault, no team's",
        default=False,
    ),
)
"""Flags of what asks several vaults at once."""


def to_do_it(values: Mapping[str, Any]) -> str:
    """What to do after a plan that changed nothing; takes the command's flags."""
    if values["dry_run"]:
        return "nothing was changed; to do it leave --dry-run out"
    return "nothing was changed; to do it add --yes"


# Names of the modules in this package that hold a COMMAND, in the order of --help.
COMMANDS = (
    "init",
    "save",
    "recall",
    "reflect",
    "evolve",
    "resolve",
    "review",
    "forget",
    "inspect",
    "import",
    "hook",
    "sweep",
    "skills",
    "mcp",
    "install",
    "uninstall",
)


def load(name: str) -> Command:
    """The command of this name."""
    from importlib import import_module

    if name == "uninstall":  # stands beside its counterpart
        module, attribute = "install", "UNINSTALL"
    else:  # `import` is a word of Python
        module, attribute = "import_" if name == "import" else name, "COMMAND"
    command: Command = getattr(import_module(f"memcli.cli.{module}"), attribute)
    return command
