"""A vault's config, section by section.

Invariant: a vault's config is read only when a built-in default is about to refuse or
to decide, and parsed only when it sets something (reading TOML costs a start-up 11 ms).
A setting that cannot be understood is an error, never a silent default.
"""

from __future__ import annotations

import os
from types import MappingProxyType

from memcli.entries import layout, toml_text
from memcli.entries.eligibility import DEFAULTS, Agent, Policies, Policy, ReadPolicy
from memcli.entries.entry import Item
from memcli.entries.toml_text import LARGEST
from memcli.errors import InvalidConfig, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.storage import files, user_config
from memcli.storage.user_config import MOST, wrong

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


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
    policies: Policies = DEFAULTS
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
    return parsed(read(root)[1], path_of(root))


def path_of(root: str) -> str:
    """The path of a vault's config."""
    return os.path.join(root, *layout.CONFIG.split("/"))


def read(root: str) -> tuple[bytes | None, str]:
    """The bytes of a vault's config, None without one, and its text.

    Raises:
        InvalidConfig: it cannot be read.
    """
    path = path_of(root)
    try:
        data = files.read(path, limit=LARGEST, follow=False)
    except Unreadable as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None, ""
        raise _unusable(path, error.message.removeprefix(f"{path}: ")) from error
    return data, decoded(data, path)


def decoded(data: bytes, path: str) -> str:
    """The text of a config; raises InvalidConfig where `read` would refuse it."""
    if len(data) > LARGEST:
        raise _unusable(path, f"{len(data):,} bytes is above the limit of {LARGEST:,}")
    return user_config.decoded(data, path)


def parsed(text: str, path: str) -> Config:
    """The settings that a config's text says; raises as `load`, and names the path."""
    if says_nothing(text):
        return Config()
    return _config(toml_text.read(text, path), path)


def changed(before: str, after: str) -> list[str]:
    """The settings that have another value in the second of two configs' texts, by
    name, as in `agents.alpha.groups`."""
    one, two = (toml_text.flat(text) or {} for text in (before, after))
    names = [".".join(key) for key in {**one, **two} if one.get(key) != two.get(key)]
    return sorted("".join(filter(str.isprintable, name))[:60] for name in names)


def _unusable(path: str, reason: str, hint: str = "or delete it") -> InvalidConfig:
    hint = f"Correct the file, {hint}. To check it: memcli inspect lint"
    return InvalidConfig(f"{path}: {reason}", hint=hint)


def says_nothing(text: str) -> bool:
    """Whether a config has only comments, and its sections' names, each once.

    That of most vaults is as `memcli init` wrote it, and need not be parsed.
    """
    said = [
        line
        for line in text.split("\n")
        if line and not (line[0] == "#" and line.isprintable())
    ]
    empty = {f"[{name}]" for name in _tables()}  # as `memcli init` writes them
    return empty.issuperset(said) and len(said) == len(set(said))


def logs_signals(root: str) -> bool:
    """Whether the vault's config lets its use be logged (docs/use/recall.md).

    Each recall asks, so the file is parsed only when a line that is no comment names a
    log, or may spell it with escapes.

    Raises:
        InvalidConfig: as `load`.
    """
    _, text = read(root)
    lines = [line for line in text.split("\n") if not line.lstrip().startswith("#")]
    is_named = any("log" in line or "\\" in line for line in lines)
    return parsed(text, path_of(root)).log_signals if is_named else True


def agent(root: str, name: str) -> Agent:
    """An agent by name; an agent that the config does not name is isolated."""
    return load(root).agents.get(name) or Agent(name)


# --- from tables to settings ------------------------------------------------------


def _tables() -> dict[str, dict[str, Any]]:
    """Every setting of a vault with its default, by its table, but for those of agents:
    what it may be follows from the default, `_BOUNDS` and `_CHOICES`."""
    default = Config()
    return {
        "vault": {"kinds": default.kinds},
        "limits": default.limits._asdict(),
        **{f"reflections.{item}": default.policies[item]._asdict() for item in Item},
        "injection": default.injection._asdict(),
        "memory": default.memory._asdict(),
        "actions": {"enabled": default.actions},
        "sessions": {"ask_agent": default.ask_agent},
        "signals": {"log": default.log_signals},
    }


def defaults() -> dict[str, Any]:
    """Every setting of a vault with its default, by its name with dots, but for those
    of agents."""
    return {
        f"{table}.{name}": value
        for table, values in _tables().items()
        for name, value in values.items()
    }


OF_AGENT: dict[str, Any] = {"policy": "isolated", "groups": ()}
"""The settings of `[agents.NAME]`."""

# The least and the most of a number, where that is not 0 and the usual.
_BOUNDS = {"body": (1, MOST), "lock_wait": (0, 3_600)}
_CHOICES = {"review_mode": REVIEW_MODES, "policy": tuple(map(str, ReadPolicy))}


def _config(tables: Mapping[str, Any], path: str = "") -> Config:
    values = {}
    for where, known in _tables().items():
        table: Any = tables
        for each in where.split("."):
            table = table.get(each, {}) if isinstance(table, dict) else None
        values[where] = _values(table, path, where, known)
    return Config(
        kinds=tuple(_kind(path, kind) for kind in values["vault"]["kinds"]),
        limits=Limits(**values["limits"]),
        policies={item: Policy(**values[f"reflections.{item}"]) for item in Item},
        injection=Injection(**values["injection"]),
        memory=Memory(**values["memory"]),
        agents=_agents(tables, path),
        log_signals=values["signals"]["log"],
        actions=values["actions"]["enabled"],
        ask_agent=values["sessions"]["ask_agent"],
    )


def _values(
    table: object, path: str, where: str, known: Mapping[str, Any]
) -> dict[str, Any]:
    """The values of a table's settings; InvalidConfig where one is not of its default's
    type. What stands in the place of a table fits no type."""
    values = {}
    for name, default in known.items():
        value: Any = table.get(name, default) if isinstance(table, dict) else None
        bounds = _BOUNDS.get(name, (0, MOST))
        if reason := wrong(value, default, _CHOICES.get(name, ()), bounds):
            shown = [] if default == () else default
            said = f"[{where}] {name} {reason} (got {value!r})"
            raise _unusable(path, said, f"where the default is {shown!r}")
        values[name] = float(value) if isinstance(default, float) else value
    return values


def _agents(tables: Mapping[str, Any], path: str) -> Mapping[str, Agent]:
    """`[agents.NAME]` with `policy` and `groups`."""
    table = tables.get("agents", {})
    if not isinstance(table, dict):
        raise _unusable(path, "[agents] must be tables: [agents.NAME]")
    agents = {}
    for name, of_agent in table.items():
        found = _values(of_agent, path, f"agents.{name}", OF_AGENT)
        policy, groups = found["policy"], found["groups"]
        agents[name] = Agent(name, ReadPolicy(policy), tuple(groups))
    return agents


def _kind(path: str, value: str) -> str:
    if not value.replace("-", "").isalnum():
        said = f"[vault] kinds holds no kind: {value!r}"
        raise _unusable(path, said, "a kind is one lower-case word, hyphens allowed")
    return value.lower()
