"""Config: the settings of a vault and of its user, by name, read and changed.

Invariant: a setting is written only when the whole file is valid with it, and no other
byte of the file changes. A vault's setting is a commit, a user's is not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from memcli.entries import layout, toml_text
from memcli.entries.entry import nearest
from memcli.errors import InvalidConfig, InvalidValue
from memcli.named_tuple import NamedTuple
from memcli.storage import files, known_vaults, settings, state_dirs, user_config

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from memcli.vault.vault import Vault

VAULT, USER, IGNORED = "vault", "user", "ignored"
"""Whose a setting is; what a vault says of its user, or what memcli does not know, is
ignored."""

DEFAULT_VAULT = "default-vault"
"""The setting that stands in a file of its own."""

# Tables of the user and of a vault, with the keys of each and what they are by default;
# in those of the second line the user chooses a name between table and key.
_TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "mining": (USER, {"judge": (), "judge_seconds": None, "judge_a_day": None}),
    "sync": (USER, user_config.SYNC),
    "vaults": (USER, known_vaults.SETTINGS),
    "agents": (VAULT, settings.OF_AGENT),
}
_CHOSEN = ("vaults", "agents")

Check = Callable[[Mapping[str, str]], object]
"""Reads a part of the user's config, and raises InvalidConfig when it is not valid."""


class Setting(NamedTuple):
    """A setting: its name with dots, its value now, whether a file sets it, and whose
    it is."""

    name: str
    value: Any
    is_set: bool
    scope: str


class Changed(NamedTuple):
    """A setting that was set or taken out, the file, and whether anything changed."""

    setting: Setting
    path: str
    changed: bool


def _known(name: str) -> tuple[str, Any] | None:
    """Whose setting this is, and its default; None of one that memcli does not know."""
    defaults = settings.defaults()
    if name in defaults or name == DEFAULT_VAULT:
        return (VAULT, defaults[name]) if name in defaults else (USER, None)
    table, _, key = name.rpartition(".")
    first, _, chosen = table.partition(".")
    scope, keys = _TABLES.get(first, ("", {}))
    is_known = key in keys and bool(chosen) == (first in _CHOSEN)
    return (scope, keys[key]) if is_known else None


def meant(name: str) -> tuple[str, Any]:
    """Whose setting this is, and its default.

    Raises:
        InvalidValue: there is no such setting; the hint names the nearest.
    """
    known = _known(name)
    if known is not None:
        return known
    raise InvalidValue(
        f"there is no setting '{name}'", hint=_nearest(name), code="invalid_setting"
    )


def _nearest(name: str) -> str:
    """The hint for a name that memcli does not know."""
    names = [*settings.defaults(), DEFAULT_VAULT]
    for table, (_, keys) in _TABLES.items():
        names += [f"{table}.{key}" for key in keys if table not in _CHOSEN]
    return f"{nearest(name, names) or ''} What there is: memcli config list".strip()


def listed(vault: Vault | None, environ: Mapping[str, str]) -> list[Setting]:
    """Every setting of a vault, and those that the user's config sets.

    Raises:
        InvalidConfig: a file cannot be understood.
    """
    found = []
    if vault is not None:
        vault.owner_only("the config")
        settings.load(vault.root)
        _, text = settings.read(vault.root)
        tables = _flat(toml_text.read(text, settings.path_of(vault.root)))
        for name, value in {**settings.defaults(), **tables}.items():
            found.append(Setting(name, value, name in tables, _scope(name, VAULT)))
    path = user_config.path_of(environ)
    default = state_dirs.default_vault(environ)
    found.append(Setting(DEFAULT_VAULT, default, default is not None, USER))
    tables = _flat(toml_text.read(_text(path), path))
    return found + [
        Setting(name, value, True, _scope(name, USER)) for name, value in tables.items()
    ]


def _scope(name: str, of: str) -> str:
    """Whose a setting is that stands in the config of a vault, or of a user."""
    known = _known(name)
    is_free = of == USER and name.startswith("projects.")  # the user chooses its keys
    return of if is_free or (known and known[0] == of) else IGNORED


def ignored(vault: Vault | None, environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """The names of settings that do nothing, each with what to do.

    Raises:
        InvalidConfig: a file cannot be understood.
    """
    elsewhere = "it goes into the other config (docs/reference/config.md)"
    return [
        (one.name, elsewhere if _known(one.name) else _nearest(one.name))
        for one in listed(vault, environ)
        if one.scope == IGNORED
    ]


def get(vault: Vault | None, name: str, environ: Mapping[str, str]) -> Setting:
    """One setting.

    Raises:
        InvalidValue: there is no such setting.
        InvalidConfig: a file cannot be understood.
    """
    scope, default = meant(name)
    for setting in listed(vault, environ):
        if (setting.name, setting.scope) == (name, scope):
            return setting
    return Setting(name, default, False, scope)


def put(
    vault: Vault | None,
    name: str,
    words: Sequence[str] | None,
    environ: Mapping[str, str],
    checks: Iterable[Check] = (),
) -> Changed:
    """Set a setting, or take it out.

    Args:
        vault: for a setting of a vault.
        name: with dots between its parts.
        words: its value as it was typed, several words for a list; None takes it out.
        environ: names the user's config.
        checks: of the user's config.

    Raises:
        InvalidValue: there is no such setting.
        InvalidConfig: the value is not valid, or only a person can change the file.
        NotAllowed: an agent asks.
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    scope, default = meant(name)
    if name == DEFAULT_VAULT:
        return _default_vault(words, environ)
    value = None if words is None else _value(name, default, words)
    if scope == USER:
        path, changed = _put_of_user(name, value, environ, checks)
    elif vault is None:
        raise InvalidConfig("the setting of a vault needs a vault")
    else:
        path, changed = _put_of_vault(vault, name, value)
    shown = default if value is None else value
    return Changed(Setting(name, shown, value is not None, scope), path, changed)


def _put_of_vault(vault: Vault, name: str, value: Any) -> tuple[str, bool]:
    """Set or take out a setting; returns the file, and whether it changed."""
    vault.owner_only("the config")
    path = settings.path_of(vault.root)
    with vault.transaction() as change:
        before, text = settings.read(vault.root)
        after = toml_text.with_values(text, path, {name: value})
        try:
            settings.parsed(after, path)
        except InvalidConfig as error:
            raise InvalidConfig(f"{error.message}; nothing was changed") from error
        changed = after != text
        if changed:
            change.put(layout.CONFIG, after.encode(), expected=before)
        verb = "unset" if value is None else "set"
        change.message = f"config: {verb} {name}"
    return path, changed


def _put_of_user(
    name: str, value: Any, environ: Mapping[str, str], checks: Iterable[Check]
) -> tuple[str, bool]:
    from tempfile import TemporaryDirectory

    from memcli.entries import no_secrets

    if not name.endswith(".engine"):  # a database's address, in the user's own file
        words = value if isinstance(value, list | tuple) else [value]
        no_secrets.refuse_texts({name: "\n".join(map(str, words))})
    path = user_config.path_of(environ)
    with state_dirs.user_lock(environ), TemporaryDirectory(prefix="memcli-") as folder:
        text = _text(path)
        after = toml_text.with_values(text, path, {name: value})
        tried = {**environ, "XDG_CONFIG_HOME": folder}
        place = user_config.path_of(tried)
        files.write_atomic(place, after.encode())
        try:
            for check in checks:
                check(tried)
        except InvalidConfig as error:
            message = error.message.replace(place, path)
            raise InvalidConfig(f"{message}; nothing was changed") from error
        changed = after != text
        if changed:
            files.write_atomic(path, after.encode())
    return path, changed


def _default_vault(words: Sequence[str] | None, environ: Mapping[str, str]) -> Changed:
    path = state_dirs.default_vault_file(environ)
    before = state_dirs.default_vault(environ)
    if words is None:
        if before is not None:
            files.remove(path)
        return Changed(Setting(DEFAULT_VAULT, None, False, USER), path, bool(before))
    place = known_vaults.place_of(" ".join(words), environ)
    root = os.path.abspath(place.path)
    if root != before:
        known_vaults.set_default_vault(root, environ)
    return Changed(Setting(DEFAULT_VAULT, root, True, USER), path, root != before)


def _value(name: str, default: Any, words: Sequence[str]) -> Any:
    """The typed words as a value of the type that the setting has by default."""
    text = " ".join(words)
    if isinstance(default, tuple):
        if len(words) == 1 and name != "mining.judge":
            return [part.strip() for part in text.split(",") if part.strip()]
        return list(words)
    if isinstance(default, bool):
        from memcli.entries.fields import FLAGS

        return FLAGS.get(text.lower(), text)
    if default is None or isinstance(default, int | float):
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                continue
    return text


def _flat(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Nested tables as names with dots."""
    return {".".join(key): value for key, value in toml_text.leaves(tables).items()}


def _text(path: str) -> str:
    return user_config.decoded(files.current(path) or b"", path)
