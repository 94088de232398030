"""What is remembered of the sessions that were mined: one small file for each.

Invariant: nothing here is needed to answer, and deleting it loses only the record of
what was mined and why. It is not tracked by git, and holds no secret: what goes in
went through `redaction`. A session that could not be mined says so until it was.
"""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from memcli import files, layout
from memcli.errors import MemcliError

_VERSION = 1


class Record(NamedTuple):
    """What is known of one session.

    Attributes:
        session, host, transcript: whose it is, and where it was read.
        at: when it was mined, ISO 8601 UTC.
        reflected: whether everything was kept that was to be kept.
        error: why not, as `code: message`.
        turns: how many turns a person took.
        cut: how many candidates the cap of a session left out.
        candidates: each as JSON, with `action` and `id`.
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

    document = {"version": _VERSION, **record._asdict()}
    data = json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8", "replace")
    files.write_atomic(_path(root, record.host, record.session), data + b"\n")


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


def _read(path: str) -> Record | None:
    import json

    try:
        document = json.loads(files.read(path))
        if document.pop("version") != _VERSION:
            return None
        size, changed = document.pop("mined")
        record = Record(**document, mined=(int(size), int(changed)))
        return record._replace(candidates=tuple(record.candidates))
    except (MemcliError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _path(root: str, host: str, session: str) -> str:
    import hashlib

    # An id may be anything; a file's name may not.
    name = hashlib.sha256(f"{host}\0{session}".encode("utf-8", "replace")).hexdigest()
    return os.path.join(root, *layout.SESSIONS.split("/"), f"{name[:24]}.json")
