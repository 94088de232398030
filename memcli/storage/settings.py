"""What a vault's config says, section by section.

Invariant: a vault's config is read only when a built-in default is about to refuse or
to decide, and parsed only when it sets something (reading TOML costs a start-up 11 ms).
A setting that cannot be understood is an error with its line, never a silent default.
"""

from __future__ import annotations

import os
import re
from types import MappingProxyType

from memcli.entries import decay, layout
from memcli.entries.decay import Policies, Policy
from memcli.entries.eligibility import Agent, ReadPolicy
from memcli.entries.entry import Item
from memcli.errors import InvalidConfig, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


_LARGEST = 100_000  # bytes of a config
# As `memcli init` writes them.
_SECTIONS = frozenset(
    """
    [vault] [limits] [reflections.invariant] [reflections.derived] [injection] [memory]
    [signals] [actions] [sessions]
    """.split()
)
_MOST = 1_000_000_000  # of anything that is counted


class Limits(NamedTuple):
    """`[limits]`: how long a text may be, in characters, and how long a writer waits
    for another one, in seconds."""

    body: int = 1_000_000  # what is longer is a document to link to
    lock_wait: float = 10.0


class Injection(NamedTuple):
    """`[injection]`: how much of the reflection items goes into a session.

    `min_score` is the weight below which an item is too faded to be shown.
    """

    invariants: int = 6
    derived: int = 6
    chars: int = 4_000
    min_score: float = 0.18


class Memory(NamedTuple):
    """`[memory]`: what happens to what sessions teach.

    `review_mode` says who decides on patterns (confidence MEDIUM): a person
    (interactive), or nobody, and they are saved (silent). `session_cap` is how many
    entries one session may add, so that a strange session cannot flood the vault.
    """

    review_mode: str = "interactive"
    session_cap: int = 10


REVIEW_MODES = ("interactive", "silent")


class Config(NamedTuple):
    """The settings of one vault; `policies` and `agents` are `[reflections.ITEM]` and
    `[agents.NAME]`, `actions` says whether sessions are told before tools, `ask_agent`
    whether agents are asked to save what lasts."""

    kinds: tuple[str, ...] = ()
    limits: Limits = Limits()
    policies: Policies = decay.DEFAULTS
    injection: Injection = Injection()
    memory: Memory = Memory()
    agents: Mapping[str, Agent] = MappingProxyType({})
    log_signals: bool = True
    actions: bool = True
    ask_agent: bool = True


def load(root: str) -> Config:
    """Read a vault's `.memcli/config.toml`; a missing file gives the defaults.

    Raises:
        InvalidConfig: the file does not parse, or a setting has the wrong type.
    """
    path = os.path.join(root, *layout.CONFIG.split("/"))
    try:
        text = files.read(path, limit=_LARGEST, follow=False).decode()
        if says_nothing(text):
            return Config()
        from memcli.entries import toml_text

        tables = toml_text.tables(text)
    except Unreadable as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return Config()
        why = error.message.removeprefix(f"{path}: ")
        raise InvalidConfig(
            error.message, hint="Correct the file, or delete it.", line=1, reason=why
        ) from error
    except RecursionError as error:
        raise InvalidConfig(
            f"{path}: nested too deep",
            hint="Correct the file, or delete it.",
            line=1,
            reason="nested too deep",
        ) from error
    except ValueError as error:  # of TOML, of UTF-8, of a number of 5,000 digits
        at = re.search(r"\(at line (\d+)", str(error))
        raise InvalidConfig(
            f"{path}: {error}",
            hint="Correct the file, or delete it.",
            line=int(at[1]) if at else 1,
            reason=str(error),
        ) from error
    try:
        return _config(tables)
    except _Wrong as wrong:
        line = _line(text, wrong.table, wrong.name)
        setting = f"[{wrong.table}] {wrong.name}".rstrip()
        reason = f"{setting} {wrong.what}"
        raise InvalidConfig(
            f"{path}:{line}: {reason}",
            hint=f"Correct that line{wrong.hint}, and check it with: "
            "memcli inspect lint",
            line=line,
            reason=reason,
        ) from wrong


def says_nothing(text: str) -> bool:
    """Whether a config has only comments, and its sections' names, each once.

    That of most vaults is as `memcli init` wrote it, and need not be parsed.
    """
    said = [
        line
        for line in text.split("\n")
        if line and not (line[0] == "#" and line.isprintable())
    ]
    return _SECTIONS.issuperset(said) and len(said) == len(set(said))


def logs_signals(root: str) -> bool:
    """Whether the vault's config lets its use be logged (docs/use/recall.md).

    Each recall asks, so the file is parsed only when a line that is no comment names
    signals and a log. A file that cannot be understood then counts as a no.
    """
    path = os.path.join(root, *layout.CONFIG.split("/"))
    try:
        lines = files.read(path, limit=_LARGEST, follow=False).splitlines()
    except Unreadable as error:
        return isinstance(error.__cause__, FileNotFoundError)
    text = b"\n".join(line for line in lines if not line.lstrip().startswith(b"#"))
    # TOML may spell a key with escapes.
    if b"\\" not in text and not (b"signals" in text and b"log" in text):
        return True
    try:
        return load(root).log_signals
    except InvalidConfig:
        return False


def agent(root: str, name: str) -> Agent:
    """An agent by name; an agent that the config does not name is isolated."""
    return load(root).agents.get(name) or Agent(name)


# --- from tables to settings ------------------------------------------------------


class _Wrong(Exception):
    """A setting that cannot be used: its table and name, what is wrong, and a hint."""

    def __init__(self, table: str, name: str, what: str, hint: str = "") -> None:
        super().__init__(table, name, what)
        self.table, self.name, self.what, self.hint = table, name, what, hint


def _line(text: str, table: str, name: str) -> int:
    """The line of a setting; else the line of its table, else the first."""
    near, inside = 1, False
    key = re.compile(rf"""["']?{re.escape(name)}["']?\s*=""")
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[([^\[\]]+)\]", line)
        if header:
            inside = re.sub(r"""["'\s]""", "", header[1]) == table
            near = number if inside else near
        elif inside and key.match(line.strip()):
            return number
    return near


_TYPES = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


class _Section:
    """One table of the config; every method returns a typed value or raises _Wrong.

    A table that is missing has defaults; something else in its place fits no type.
    """

    def __init__(self, tables: Mapping[str, Any], *names: str) -> None:
        self.name = ".".join(names)
        table: Any = tables
        for name in names:
            table = table.get(name, {}) if isinstance(table, dict) else None
        self._table = table

    def value(self, name: str, default: Any) -> Any:
        """A value of any type; None where there is no table."""
        return self._table.get(name, default) if isinstance(self._table, dict) else None

    def typed(self, name: str, kind: type, default: Any) -> Any:
        """A value of this type; true and false are not numbers."""
        value = self.value(name, default)
        if isinstance(value, bool) or not isinstance(value, kind):
            what = f"must be {_TYPES.get(kind, 'of another type')} (got {value!r})"
            raise _Wrong(self.name, name, what, _default_is(default))
        return value

    def count(self, name: str, default: int, *, above: int = -1) -> int:
        """A whole number above -1, or above another one."""
        value: int = self.typed(name, int, default)
        if value <= above:
            wanted = "must not be below 0" if above < 0 else f"must be above {above}"
            raise _Wrong(self.name, name, f"{wanted} (got {value!r})")
        if value > _MOST:
            raise _Wrong(self.name, name, f"must not be above {_MOST:,}")
        return value

    def number(self, name: str, default: float, most: float = 1_000_000) -> float:
        """A number from 0 to `most`."""
        value = self.value(name, default)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not 0 <= value <= most
        ):
            what = f"must be a number from 0 to {most:,} (got {value!r})"
            raise _Wrong(self.name, name, what, _default_is(default))
        return float(value)

    def flag(self, name: str, *, default: bool) -> bool:
        """True or false."""
        value = self.value(name, default)
        if not isinstance(value, bool):
            raise _Wrong(self.name, name, f"must be true or false (got {value!r})")
        return value


def _default_is(default: object) -> str:
    return f" (the default is {default!r})"


def _config(tables: Mapping[str, Any]) -> Config:
    return Config(
        kinds=tuple(map(_kind, _Section(tables, "vault").typed("kinds", list, []))),
        limits=_limits(_Section(tables, "limits")),
        policies={
            item: _policy(_Section(tables, "reflections", item), decay.DEFAULTS[item])
            for item in Item
        },
        injection=_injection(_Section(tables, "injection")),
        memory=_memory(_Section(tables, "memory")),
        agents=_agents(tables),
        log_signals=_Section(tables, "signals").flag("log", default=True),
        actions=_Section(tables, "actions").flag("enabled", default=True),
        ask_agent=_Section(tables, "sessions").flag("ask_agent", default=True),
    )


def _limits(section: _Section) -> Limits:
    default = Limits()
    return Limits(
        body=section.count("body", default.body, above=0),
        lock_wait=section.number("lock_wait", default.lock_wait, most=3_600),
    )


def _policy(section: _Section, default: Policy) -> Policy:
    numbers = default._asdict().items()
    return Policy(**{name: section.number(name, value) for name, value in numbers})


def _injection(section: _Section) -> Injection:
    default = Injection()
    return Injection(
        invariants=section.count("invariants", default.invariants),
        derived=section.count("derived", default.derived),
        chars=section.count("chars", default.chars),
        min_score=section.number("min_score", default.min_score),
    )


def _memory(section: _Section) -> Memory:
    default = Memory()
    mode: str = section.typed("review_mode", str, default.review_mode)
    if mode not in REVIEW_MODES:
        modes = ", ".join(REVIEW_MODES)
        what = f"must be one of {modes} (got {mode!r})"
        raise _Wrong(section.name, "review_mode", what)
    return Memory(mode, section.count("session_cap", default.session_cap))


def _agents(tables: Mapping[str, Any]) -> Mapping[str, Agent]:
    """`[agents.NAME]` with `policy` and `groups`."""
    table = tables.get("agents", {})
    if not isinstance(table, dict):
        raise _Wrong("agents", "", "must be tables: [agents.NAME]")
    agents = {}
    known = list(map(str, ReadPolicy))
    for name in table:
        section = _Section(tables, "agents", name)
        policy = section.value("policy", "isolated")
        groups = section.value("groups", [])
        if policy not in known:
            raise _Wrong(
                f"agents.{name}",
                "policy",
                f"must be one of {', '.join(known)} (got {policy!r})",
            )
        if not isinstance(groups, list) or not all(isinstance(g, str) for g in groups):
            raise _Wrong(f"agents.{name}", "groups", "must be a list of names")
        agents[name] = Agent(name, ReadPolicy(policy), tuple(groups))
    return agents


def _kind(value: object) -> str:
    if not isinstance(value, str) or not value.replace("-", "").isalnum():
        raise _Wrong(
            "vault",
            "kinds",
            f"holds no kind: {value!r}",
            " (a kind is one lower-case word, hyphens allowed)",
        )
    return value.lower()
