"""memcli's entries in a host's settings: put in, brought up to date, taken out.

Invariant: pure. The settings and hooks of others keep their values and their order.
"""

from __future__ import annotations

import json
from copy import deepcopy

from memcli.hosts.install import json_file
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
    before = json_file.load(text, name)
    after = deepcopy(before)
    hooks = after.get("hooks", {})
    if not isinstance(hooks, dict):
        raise json_file.refused(f'{name}: "hooks" is no object')
    for want in wanted:
        if not isinstance(hooks.get(want.native, []), list):
            raise json_file.refused(f'{name}: "{want.native}" is no array')
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
    if not json_file.is_strict(text):
        snippet: Settings = {}
        _put(snippet, host, wanted)
        raise json_file.refused(
            f"{name}: has comments or trailing commas, which writing would lose",
            "Put this in by hand, or take them out and repeat:\n"
            + json.dumps(snippet, indent=2, ensure_ascii=False),
        )
    return json_file.dump(after, text)


def without(text: str, name: str, host: Host) -> str | None:
    """A host's settings without our entries; None when nothing else is in the file.

    Raises:
        InvalidConfig: the settings do not parse, or would lose comments.
    """
    settings = json_file.load(text, name)
    ours = [path for path, _ in entries(settings, host)]
    if not ours:
        return text
    for path in reversed(ours):
        _take(settings, path)
    if not settings or settings == {"version": host.file_version}:
        return None
    if not json_file.is_strict(text):
        raise json_file.refused(
            f"{name}: has comments or trailing commas, which writing would lose",
            "Take out the entries that call memcli hook by hand.",
        )
    return json_file.dump(settings, text)


def ours_in(text: str, name: str, host: Host) -> bool:
    """Whether settings hold an entry of ours."""
    return any(True for _ in entries(json_file.load(text, name), host))


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
