"""Settings: what a vault's config says, and which vault a user means.

Invariant: a vault's config is read only when a built-in default is about to refuse
or to decide (reading TOML costs a start-up 11 ms); a setting that cannot be
understood is an error with its line, never a silent default.
"""

import math
import os
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from memcli.entries import decay, layout
from memcli.entries.decay import Policies, Policy
from memcli.entries.eligibility import Agent, ReadPolicy
from memcli.entries.entry import Item
from memcli.errors import InvalidConfig, NotAVault, VaultNotFound
from memcli.storage import known_vaults
from memcli.storage.known_vaults import Place

# Characters of text; a memory longer than this is a document to link to.
BODY_LIMIT = 1_000_000
# Seconds that a writer waits for another one.
LOCK_WAIT = 10.0


class Injection(NamedTuple):
    """How much of the reflection items goes into a session.

    `min_score` is the weight below which an item is too faded to be worth its room.
    """

    invariants: int = 6
    derived: int = 6
    chars: int = 4_000
    min_score: float = 0.18


class Memory(NamedTuple):
    """What is done with what sessions teach.

    `review_mode` says who decides on patterns (confidence MEDIUM): a person
    (interactive), or nobody, and they are saved (silent). `session_cap` is how many
    entries one session may add, so that a strange one cannot flood the vault.
    """

    review_mode: str = "interactive"
    session_cap: int = 10


REVIEW_MODES = ("interactive", "silent")


class Config(NamedTuple):
    """The settings of one vault."""

    kinds: tuple[str, ...] = ()
    body_limit: int = BODY_LIMIT
    lock_wait: float = LOCK_WAIT
    policies: Policies = decay.DEFAULTS
    injection: Injection = Injection()
    memory: Memory = Memory()
    agents: Mapping[str, Agent] = MappingProxyType({})
    log_signals: bool = True


def load(root: str) -> Config:
    """Read a vault's `.memcli/config.toml`; a missing file gives the defaults.

    Raises:
        InvalidConfig: the file does not parse, or a setting has the wrong type.
    """
    import tomllib

    path = os.path.join(root, *layout.CONFIG.split("/"))
    try:
        with open(path, "rb") as file:
            text = file.read().decode()
        settings = tomllib.loads(text)
    except FileNotFoundError:
        return Config()
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        found = re.search(r"\(at line (\d+)", str(error))
        raise InvalidConfig(
            f"{path}: {error}",
            hint="Correct the file, or delete it.",
            line=int(found[1]) if found else 1,
            reason=str(error),
        ) from error
    try:
        return _understood(settings)
    except _Wrong as wrong:
        line = _line(text, wrong.table, wrong.name)
        place = f"[{wrong.table}] {wrong.name}".rstrip()
        reason = f"{place} {wrong.what}"
        raise InvalidConfig(
            f"{path}:{line}: {reason}",
            hint=f"Correct that line{wrong.hint}, and check it with: "
            "memcli inspect lint",
            line=line,
            reason=reason,
        ) from wrong


def _understood(settings: Mapping[str, Any]) -> Config:
    kinds = _setting(settings, "vault", "kinds", list, [])
    return Config(
        kinds=tuple(_kind(kind) for kind in kinds),
        body_limit=_positive(settings, "limits", "body", BODY_LIMIT),
        lock_wait=_number(settings, ("limits",), "lock_wait", LOCK_WAIT),
        policies={item: _policy(settings, item) for item in Item},
        injection=_injection(settings),
        memory=_memory(settings),
        agents=_agents(settings),
        log_signals=_flag(settings, "signals", "log", default=True),
    )


class _Wrong(Exception):
    """A setting that cannot be used: its table and name, what is wrong, what to do."""

    def __init__(self, table: str, name: str, what: str, hint: str = "") -> None:
        super().__init__(table, name, what)
        self.table, self.name, self.what, self.hint = table, name, what, hint


def _line(text: str, table: str, name: str) -> int:
    """The line of a setting; of its table when it has none, else the first."""
    found, inside = 1, False
    key = re.compile(rf"""["']?{re.escape(name)}["']?\s*=""")
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[([^\[\]]+)\]", line)
        if header:
            inside = re.sub(r"""["'\s]""", "", header[1]) == table
            found = number if inside else found
        elif inside and key.match(line.strip()):
            return number
    return found


def logs_signals(root: str) -> bool:
    """Whether the vault's config lets its use be logged (docs/use/signals.md).

    Asked at each recall: the file is parsed only when lines that are no comments speak
    of signals and of a log, and what cannot be understood then is a no.
    """
    path = os.path.join(root, *layout.CONFIG.split("/"))
    try:
        with open(path, "rb") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    said = b"\n".join(line for line in lines if not line.lstrip().startswith(b"#"))
    # TOML may spell a key with escapes.
    if b"\\" not in said and not (b"signals" in said and b"log" in said):
        return True
    try:
        return load(root).log_signals
    except InvalidConfig:
        return False


def agent(root: str, name: str) -> Agent:
    """An agent by name; one that the config does not know is isolated."""
    return load(root).agents.get(name) or Agent(name)


def find_vault(explicit: str | None, environ: Mapping[str, str]) -> str:
    """The vault's folder: the flag, `MEMCLI_VAULT`, or the user's default.

    Each is a path, or a name of the user's config (`places`); `personal` is what
    would be meant without the flag. Never the current folder by accident; an empty
    value counts as not set.

    Raises:
        VaultNotFound: none of the three names one.
    """
    explicit = None if explicit == known_vaults.PERSONAL else explicit
    named = explicit or environ.get("MEMCLI_VAULT")
    place = known_vaults.find(named, environ) if named else None
    if place is not None:
        return place.path
    named = named or default_vault(environ)
    if not named:
        raise VaultNotFound(
            "no vault: --vault and MEMCLI_VAULT are not set, and there is no default",
            hint="Create one with: memcli init ~/memory",
        )
    return os.path.abspath(os.path.expanduser(named))


def place_of(word: str | None, environ: Mapping[str, str]) -> Place:
    """The vault that a path or name means, which must be one.

    Raises:
        VaultNotFound: nothing is there.
        NotAVault: it is not a folder that `memcli init` prepared.
    """
    place = known_vaults.find(word, environ) if word else None
    if place is None:
        root = find_vault(word, environ)
        if word and word != known_vaults.PERSONAL:
            if known_vaults.is_name(word) and not os.path.exists(root):
                raise known_vaults.refused(word)
            place = known_vaults.at(root, environ)
        place = place or Place(known_vaults.PERSONAL, root)
    root = place.path
    if not os.path.isdir(root):
        if os.path.exists(root):
            raise NotAVault(f"{root} is not a folder")
        raise VaultNotFound(
            f"there is no vault at {root}",
            hint=f"Create it with: memcli init {root}",
        )
    if not os.path.isdir(os.path.join(root, ".memcli")):
        raise NotAVault(
            f"{root} is not a memcli vault",
            hint=f"Make it one (no file in it changes): memcli init {root}",
        )
    return place


def default_vault(environ: Mapping[str, str]) -> str | None:
    """The vault that the user made the default, if any."""
    try:
        with open(_default_file(environ), encoding="utf-8") as file:
            return file.read().strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def set_default_vault(root: str, environ: Mapping[str, str]) -> None:
    """Make a vault the user's default."""
    from memcli.storage import files

    files.write_atomic(_default_file(environ), (root + "\n").encode())


def _default_file(environ: Mapping[str, str]) -> str:
    # One line in a file of its own: parsing TOML costs 11 ms.
    return os.path.join(known_vaults.folder(environ), "default-vault")


def _policy(settings: Mapping[str, Any], item: Item) -> Policy:
    names = ("reflections", str(item))
    default = decay.DEFAULTS[item]
    values = {
        name: _number(settings, names, name, value)
        for name, value in default._asdict().items()
    }
    return Policy(**values)


def _injection(settings: Mapping[str, Any]) -> Injection:
    default = Injection()
    table = "injection"
    return Injection(
        invariants=_count(settings, table, "invariants", default.invariants),
        derived=_count(settings, table, "derived", default.derived),
        chars=_count(settings, table, "chars", default.chars),
        min_score=_number(settings, (table,), "min_score", default.min_score),
    )


def _agents(settings: Mapping[str, Any]) -> Mapping[str, Agent]:
    """`[agents.NAME]` with `policy` and `groups`."""
    table = settings.get("agents", {})
    if not isinstance(table, dict):
        raise _Wrong("agents", "", "must be tables: [agents.NAME]")
    found = {}
    for name, rows in table.items():
        policy = rows.get("policy", "isolated") if isinstance(rows, dict) else None
        groups = rows.get("groups", []) if isinstance(rows, dict) else None
        known = [str(each) for each in ReadPolicy]
        if policy not in known:
            raise _Wrong(
                f"agents.{name}",
                "policy",
                f"must be one of {', '.join(known)} (got {policy!r})",
            )
        if not isinstance(groups, list) or not all(isinstance(g, str) for g in groups):
            raise _Wrong(f"agents.{name}", "groups", "must be a list of names")
        found[name] = Agent(name, ReadPolicy(policy), tuple(groups))
    return found


def _memory(settings: Mapping[str, Any]) -> Memory:
    mode: str = _setting(settings, "memory", "review_mode", str, Memory().review_mode)
    if mode not in REVIEW_MODES:
        modes = ", ".join(REVIEW_MODES)
        raise _Wrong("memory", "review_mode", f"must be one of {modes} (got {mode!r})")
    return Memory(mode, _count(settings, "memory", "session_cap", Memory().session_cap))


def _number(
    settings: Mapping[str, Any], tables: tuple[str, ...], name: str, default: float
) -> float:
    """A number from 0; `tables` leads to the table that may hold it."""
    section: Any = settings
    for table in tables:
        section = section.get(table, {}) if isinstance(section, dict) else None
    value = section.get(name, default) if isinstance(section, dict) else None
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 <= value < math.inf
    ):
        raise _Wrong(
            ".".join(tables),
            name,
            f"must be a number from 0 (got {value!r})",
            f" (the default is {default!r})",
        )
    return float(value)


def _count(settings: Mapping[str, Any], table: str, name: str, default: int) -> int:
    value: int = _setting(settings, table, name, int, default)
    if value < 0:
        raise _Wrong(table, name, f"must not be below 0 (got {value!r})")
    return value


def _setting(
    settings: Mapping[str, Any],
    table: str,
    name: str,
    kind: type,
    default: Any,
) -> Any:
    section = settings.get(table, {})
    value = section.get(name, default) if isinstance(section, dict) else None
    if isinstance(value, bool) or not isinstance(value, kind):
        raise _Wrong(
            table,
            name,
            f"has the wrong type: {value!r}",
            f" (the default is {default!r})",
        )
    return value


def _flag(settings: Mapping[str, Any], table: str, name: str, *, default: bool) -> bool:
    section = settings.get(table, {})
    value = section.get(name, default) if isinstance(section, dict) else None
    if not isinstance(value, bool):
        raise _Wrong(table, name, f"must be true or false (got {value!r})")
    return value


def _positive(settings: Mapping[str, Any], table: str, name: str, default: int) -> int:
    value: int = _setting(settings, table, name, int, default)
    if value <= 0:
        raise _Wrong(table, name, f"must be above 0 (got {value!r})")
    return value


def _kind(value: object) -> str:
    if not isinstance(value, str) or not value.replace("-", "").isalnum():
        raise _Wrong(
            "vault",
            "kinds",
            f"holds no kind: {value!r}",
            " (a kind is one lower-case word, hyphens allowed)",
        )
    return value.lower()
