"""memcli's entries in a host's settings: put in, brought up to date, taken out.

Invariant: pure. The settings and hooks of others keep their values and their order.
"""

from __future__ import annotations

import json
import re
from copy import deepcopy

from memcli.errors import InvalidConfig
from memcli.hosts.install.command_line import calls_hook

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from memcli.hosts.host import Host
    from memcli.hosts.install.settings_files import Wanted

    Settings = dict[str, Any]
    Path = tuple[str | int, ...]


COMMANDS = ("command", "bash", "powershell", "commandWindows")


def is_ours(hook: object) -> bool:
    """Whether an entry calls a hook of memcli."""
    return isinstance(hook, dict) and any(
        calls_hook(hook.get(name)) for name in COMMANDS
    )


def entries(settings: Settings, host: Host) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Our entries in settings, with their paths."""
    hooks = settings.get("hooks")
    for native, items in hooks.items() if isinstance(hooks, dict) else ():
        for number, item in enumerate(items if isinstance(items, list) else ()):
            path: Path = ("hooks", native, number)
            if not host.grouped:
                if is_ours(item):
                    yield path, item
                continue
            inner = item.get("hooks") if isinstance(item, dict) else None
            for place, hook in enumerate(inner if isinstance(inner, list) else ()):
                if is_ours(hook):
                    yield (*path, "hooks", place), hook


def merged(text: str, name: str, host: Host, wanted: Sequence[Wanted]) -> str:
    """A host's settings with our entries as they should be.

    Args:
        text: the settings; blank for a file that is empty or not there.
        name: of the file, for errors.
        host: whose they are.
        wanted: the entries that should be there; any other of ours goes.

    Raises:
        InvalidConfig: the settings do not parse, are of another kind, or would lose
            comments; the hint has what to put in by hand.
    """
    before = load(text, name)
    after = deepcopy(before)
    hooks = after.get("hooks", {})
    if not isinstance(hooks, dict):
        raise refused(f'{name}: "hooks" is no object')
    for want in wanted:
        if not isinstance(hooks.get(want.native, []), list):
            raise refused(f'{name}: "{want.native}" is no array')
    natives, seen = {want.native for want in wanted}, set[str]()
    doomed = []
    for path, _ in entries(after, host):
        native = str(path[1])
        if native in seen or native not in natives:
            doomed.append(path)
        seen.add(native)
    for path in reversed(doomed):
        _take(after, path)
    _put(after, host, wanted)
    if after == before:
        return text
    if not is_strict(text):
        snippet: Settings = {}
        _put(snippet, host, wanted)
        raise refused(
            f"{name}: has comments or trailing commas, which writing would lose",
            "Put this in by hand, or take them out and repeat:\n"
            + json.dumps(snippet, indent=2, ensure_ascii=False),
        )
    return dump(after, text)


def without(text: str, name: str, host: Host) -> str | None:
    """A host's settings without our entries; None when nothing else is in the file.

    Raises:
        InvalidConfig: the settings do not parse, or would lose comments.
    """
    settings = load(text, name)
    ours = [path for path, _ in entries(settings, host)]
    if not ours:
        return text
    for path in reversed(ours):
        _take(settings, path)
    if not settings or settings == {"version": host.file_version}:
        return None
    if not is_strict(text):
        raise refused(
            f"{name}: has comments or trailing commas, which writing would lose",
            "Take out the entries that call memcli hook by hand.",
        )
    return dump(settings, text)


def ours_in(text: str, name: str, host: Host) -> bool:
    """Whether settings hold an entry of ours."""
    return any(True for _ in entries(load(text, name), host))


def _put(settings: Settings, host: Host, wanted: Sequence[Wanted]) -> None:
    """Add the entries that lack, and correct those that are there."""
    if host.file_version is not None:
        settings.setdefault("version", host.file_version)
    hooks = settings.setdefault("hooks", {})
    there = {str(path[1]): (path, hook) for path, hook in entries(settings, host)}
    for want in wanted:
        limit = {} if want.matcher is None else {"matcher": want.matcher}
        if want.native not in there:
            item = {**limit, "hooks": [want.hook]} if host.grouped else want.hook
            hooks.setdefault(want.native, []).append(item)
            continue
        path, hook = there[want.native]
        hook.update(want.hook)
        if host.grouped:
            group = hooks[want.native][path[2]]
            if len(group["hooks"]) == 1:
                group.update(limit)


def _take(settings: Settings, path: Path) -> None:
    """Take out the entry at a path, and what is empty without it."""
    _, native, number, *inner = path
    hooks = settings["hooks"]
    items = hooks[native]
    if inner:
        del items[number]["hooks"][inner[1]]
    if not inner or not items[number]["hooks"]:
        del items[number]
    if not items:
        del hooks[native]
    if not hooks:
        del settings["hooks"]


_BOM = "\ufeff"
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_COMMENT = re.compile(rf"({_STRING})|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_LAST_COMMA = re.compile(rf"({_STRING})|,(?=\s*[\]}}])", re.DOTALL)


def load(text: str, path: str) -> dict[str, Any]:
    """The object that settings hold; an empty one for a blank file.

    Raises:
        InvalidConfig: they do not parse, hold another value, or a name twice.
    """
    if not text.strip(_BOM + " \t\r\n"):
        return {}
    try:
        value = _parsed(text)
    except json.JSONDecodeError as error:
        place = f"{path}:{error.lineno}:{error.colno}"
        raise refused(f"{place}: {error.msg}") from error
    except RecursionError as error:
        raise refused(f"{path}: nested too deep") from error
    except ValueError as error:
        raise refused(f"{path}: {error}") from error
    if not isinstance(value, dict):
        raise refused(f"{path}: not an object")
    return value


def _parsed(text: str) -> Any:
    try:  # a client's file of 30 MB, which has no comments, is not searched for them
        return json.loads(text.removeprefix(_BOM), object_pairs_hook=_unique)
    except json.JSONDecodeError:
        return json.loads(_plain(text), object_pairs_hook=_unique)


def is_strict(text: str) -> bool:
    """Whether settings have neither comments nor trailing commas."""
    return _plain(text) == text.removeprefix(_BOM)


def dump(value: dict[str, Any], like: str) -> str:
    """Settings as text, in the form of an earlier text of them."""
    margin = re.search(r"\n([ \t]+)\S", like)
    flat = "\n" not in like.strip() and like.strip(_BOM + " \t\r\n") not in ("", "{}")
    text = json.dumps(
        value,
        indent=None if flat else margin[1] if margin else 2,
        # A file with escapes keeps them; half a character has no other form.
        ensure_ascii="\\u" in like,
    )
    end = like[len(like.rstrip(" \t\r\n")) :] if like.strip() else "\n"
    text = text.replace("\n", "\r\n" if "\r\n" in like else "\n") + end
    return _BOM + text if like.startswith(_BOM) else text


def refused(what: str, hint: str = "Correct the file, then repeat.") -> InvalidConfig:
    """The error for settings that are left as they are."""
    message = f"{what}; nothing was changed"
    return InvalidConfig(message, hint=hint, code="invalid_settings")


def _plain(text: str) -> str:
    """The text without comments and trailing commas, each character in its place."""

    def blank(match: re.Match[str]) -> str:
        return match[1] or re.sub(r"[^\r\n]", " ", match[0])

    text = _COMMENT.sub(blank, text.removeprefix(_BOM))
    return _LAST_COMMA.sub(blank, text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f'"{twice}" stands twice in one object')
    return value
