"""memcli's entries in a host's settings: put in, brought up to date, taken out.

Invariant: everything else stays byte for byte. An entry is memcli's, "ours", when its
command calls a hook of memcli. Putting in a second time changes nothing; taking out
gives the text from before, given that text or not, unless it was changed in between.
"""

from __future__ import annotations

from memcli.hosts.install.command_line import calls_hook
from memcli.hosts.install.jsonc import Document, Path

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from memcli.hosts.host import Host
    from memcli.hosts.install.settings_files import Wanted

COMMANDS = ("command", "bash", "powershell", "commandWindows")


def is_ours(hook: object) -> bool:
    """Whether an entry calls a hook of memcli."""
    return isinstance(hook, dict) and any(
        calls_hook(hook.get(name)) for name in COMMANDS
    )


def entries(document: Document, host: Host) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Our entries in a document, with their paths.

    Raises:
        InvalidConfig: the value of "hooks" is of another kind.
    """
    for native, items in _events(document):
        for number, item in enumerate(items):
            if not isinstance(item, dict):
                continue
            path: Path = ("hooks", native, number)
            if not host.grouped:
                if is_ours(item):
                    yield path, item
                continue
            hooks = item.get("hooks")
            for inner, hook in enumerate(hooks if isinstance(hooks, list) else ()):
                if is_ours(hook):
                    yield (*path, "hooks", inner), hook


def merged(text: str, name: str, host: Host, wanted: Sequence[Wanted]) -> str:
    """A host's settings with our entries as they should be.

    Args:
        text: the settings; blank for a file that is empty or not there.
        name: of the file, for errors.
        host: whose they are.
        wanted: the entries that should be there; any other of ours goes.

    Raises:
        InvalidConfig: the settings do not parse, or are of another kind.
    """
    document = Document(text if text.strip("\ufeff \t\r\n") else "{}\n", name)
    if not isinstance(document.root.value, dict):
        raise document.problem("no object", document.root.start)
    natives = {want.native: want for want in wanted}
    seen: set[str] = set()
    doomed: list[Path] = []
    for path, _ in entries(document, host):
        native = str(path[1])
        if native in seen or native not in natives:
            doomed.append(path)
        seen.add(native)
    for path in reversed(doomed):
        document = _taken(document, host, path, None)
    if host.file_version is not None and "version" not in document.root.value:
        document = document.append((), "version", host.file_version)
    for want in wanted:
        document = _put(document, host, want)
    return document.text


def without(text: str, name: str, host: Host, before: str | None) -> str | None:
    """A host's settings without our entries; None when nothing else is in the file.

    Args:
        text: the settings.
        name: of the file, for errors.
        host: whose they are.
        before: the settings before we came, None when that is not known or there was
            no file; so that an empty value which was there stays.

    Raises:
        InvalidConfig: the settings do not parse, or are of another kind.
    """
    document = Document(text, name)
    blank = before is not None and not before.strip("\ufeff \t\r\n")
    old = None if before is None or blank else Document(before, name)
    ours = False
    while path := next((path for path, _ in entries(document, host)), None):
        ours = True
        document = _taken(document, host, path, old)
    if not ours:
        return text
    root = document.root.value
    if host.file_version is not None and root.get("version") == host.file_version:
        if old is not None and "version" not in old.root.value:
            document = document.remove(("version",), old.raw(old.root))
        elif old is None and len(root) == 1 and not document.comments:
            document = document.remove(("version",))
    if old is None and not document.root.value and not document.comments:
        return before
    return document.text


def ours_in(text: str, name: str, host: Host) -> bool:
    """Whether settings hold an entry of ours; blank ones do not."""
    if not text.strip("\ufeff \t\r\n"):
        return False
    return any(True for _ in entries(Document(text, name), host))


def _events(document: Document) -> Iterator[tuple[str, list[Any]]]:
    hooks = document.at(("hooks",))
    if hooks is None:
        return
    if not isinstance(hooks.value, dict):
        raise document.problem('"hooks" is no object', hooks.start)
    for name, _, node in hooks.children:
        if isinstance(node.value, list):
            yield str(name), node.value


def _put(document: Document, host: Host, want: Wanted) -> Document:
    for path, hook in entries(document, host):
        if path[1] == want.native:
            return _updated(document, host, want, path, hook)
    item: dict[str, Any] = want.hook
    if host.grouped:
        limit = {} if want.matcher is None else {"matcher": want.matcher}
        item = {**limit, "hooks": [want.hook]}
    if document.at(("hooks",)) is None:
        return document.append((), "hooks", {want.native: [item]})
    native = document.at(("hooks", want.native))
    if native is None:
        return document.append(("hooks",), want.native, [item])
    if not isinstance(native.value, list):
        raise document.problem(f'"{want.native}" is no array', native.start)
    return document.append(("hooks", want.native), None, item)


def _updated(
    document: Document, host: Host, want: Wanted, path: Path, hook: dict[str, Any]
) -> Document:
    for name, value in want.hook.items():
        if name not in hook:
            document = document.append(path, name, value)
        elif hook[name] != value:
            document = document.replace((*path, name), value)
    group = path[:-2]
    if want.matcher is None or _whole(document, host, path) != group:
        return document
    matcher = document.at((*group, "matcher"))
    if matcher is None:
        return document.append(group, "matcher", want.matcher)
    if matcher.value == want.matcher:
        return document
    return document.replace((*group, "matcher"), want.matcher)


def _whole(document: Document, host: Host, path: Path) -> Path:
    """The path of an entry's group when nothing else is in that, else its own."""
    if host.grouped and document.bare(path[:-1]):
        return path[:-2]
    return path


def _taken(
    document: Document, host: Host, path: Path, old: Document | None
) -> Document:
    """Without an entry, and without a container that was made for it alone."""
    path = _whole(document, host, path)
    while (
        len(path) > 1
        and isinstance(path[-2], str)
        and document.bare(path[:-1])
        and (old is None or old.at(path[:-1]) is None)
    ):
        path = path[:-1]
    was = old.at(path[:-1]) if old is not None else None
    empty = old.raw(was) if old is not None and was and not was.children else None
    return document.remove(path, empty)
