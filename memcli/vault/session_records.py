"""What is remembered of the sessions that were mined: one small file for each.

Invariant: nothing here is needed to answer, and deleting it loses only the record of
what was mined and why. It is not tracked by git, and holds no secret: every text
goes through `redaction` on its way in. A session that could not be mined says so until
it was.
"""

import os
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from memcli.entries import layout
from memcli.errors import MemcliError
from memcli.storage import files

_VERSION = 1
_NEEDED = {"category", "confidence", "pattern", "record", "line", "action"}


class Record(NamedTuple):
    """What is known of one session.

    Attributes:
        session, host, transcript: whose it is, and where it was read.
        at: when it was mined, ISO 8601 UTC.
        reflected: whether everything was kept that was to be kept.
        error: why not, as `code: message`.
        turns: how many turns a person took.
        cut: how many candidates the cap of a session left out.
        candidates: each as JSON, with `action` and `id`; of what was forgotten
            without its words.
        mined: size in bytes and time in nanoseconds of the file when it was read.
    """

    session: str
    host: str
    transcript: str
    at: str
    reflected: bool
    error: str | None = None
    turns: int = 0
    cut: int = 0
    candidates: tuple[Mapping[str, Any], ...] = ()
    mined: tuple[int, int] = (0, 0)


def put(root: str, record: Record) -> None:
    """Write down what is known; raises WriteFailed."""
    import json

    document = {"version": _VERSION, **_masked(record._asdict())}
    data = json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8", "replace")
    files.write_atomic(_path(root, record.host, record.session), data + b"\n")


def _masked(value: Any) -> Any:
    """A value without a secret in any of its texts."""
    from memcli.entries.text import redaction

    if isinstance(value, str):
        return redaction.masked(value)
    if isinstance(value, Mapping):
        return {name: _masked(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(item) for item in value]
    return value


def get(root: str, host: str, session: str) -> Record | None:
    """What is known of a session; None when it was never mined here."""
    return _read(_path(root, host, session))


def every(root: str) -> list[Record]:
    """All of them, the last mined first; a file that cannot be read counts as none."""
    folder = os.path.join(root, *layout.SESSIONS.split("/"))
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return []
    found = [_read(os.path.join(folder, name)) for name in names]
    known = [record for record in found if record is not None]
    return sorted(known, key=lambda one: (one.at, one.session), reverse=True)


def forget(root: str, ids: Collection[str], paths: Collection[str]) -> None:
    """Take the words of these entries out of every record; raises WriteFailed.

    What is left tells the session that it has brought them already. An idea is known
    by the path of its page.
    """
    for record in every(root):
        kept = tuple(
            without_words(one)
            if one.get("id") in ids or (not one.get("id") and one.get("path") in paths)
            else one
            for one in record.candidates
        )
        if kept != record.candidates:
            put(root, record._replace(candidates=kept))


def without_words(one: Mapping[str, Any]) -> dict[str, Any]:
    """A candidate of a record as it is kept when its entry was forgotten."""
    bare = dict.fromkeys(one)
    kept = ("category", "confidence", "pattern", "record", "line", "id")
    return bare | {name: one.get(name) for name in kept} | {"action": "forgotten"}


def _read(path: str) -> Record | None:
    import json

    try:
        document = json.loads(files.read(path))
        if document.pop("version") != _VERSION:
            return None
        size, changed = document.pop("mined")
        record = Record(**document, mined=(int(size), int(changed)))
        if not all(one.keys() >= _NEEDED for one in record.candidates):
            return None
        return record._replace(candidates=tuple(record.candidates))
    except (MemcliError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _path(root: str, host: str, session: str) -> str:
    import hashlib

    # An id may be anything; a file's name may not.
    name = hashlib.sha256(f"{host}\0{session}".encode("utf-8", "replace")).hexdigest()
    return os.path.join(root, *layout.SESSIONS.split("/"), f"{name[:24]}.json")
