"""The records of the sessions that were mined: one small file for each, by each agent.

Invariant: no answer needs a record, and deleting one loses only what was mined and why.
An agent that mines a session reads and writes a record of its own, so it learns nothing
of what others found in it. Records are not tracked by git, and hold no secret: every
text goes through `redaction` before it is written. The record of a session that could
not be mined says so until it is mined.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping

from memcli.entries import identity, layout
from memcli.named_tuple import NamedTuple
from memcli.storage import files, state_dirs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

_VERSION = 1
_NEEDED = {"category", "confidence", "pattern", "record", "line", "action"}


class Record(NamedTuple):
    """The record of one session.

    Attributes:
        session, host, transcript: its id, its agent host, and the file that was read.
        at: when it was mined, ISO 8601 UTC.
        reflected: whether all of its candidates were stored.
        error: why not, as `code: message`.
        turns: how many turns a person took.
        cut: how many candidates the cap of a session left out.
        candidates: each as JSON, with `action` and `id`; without its words where the
            entry was forgotten.
        mined: size in bytes and time in nanoseconds of the file when it was read.
        agent: who mined it; None is the vault's owner.
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
    agent: str | None = None


def put(root: str, record: Record) -> None:
    """Write a record; raises WriteFailed."""
    import json

    document = {"version": _VERSION, **_masked(record._asdict())}
    data = json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8", "replace")
    path = _path(root, record.host, record.session, record.agent)
    files.write_atomic(path, data + b"\n")


def _masked(value: Any) -> Any:
    """A value without a secret in any of its texts."""
    from memcli.entries import no_secrets

    if isinstance(value, str):
        return no_secrets.masked(value)
    if isinstance(value, Mapping):
        return {name: _masked(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(item) for item in value]
    return value


def get(root: str, host: str, session: str, agent: str | None) -> Record | None:
    """The record of a session that an agent mined here; None when it did not.

    The owner, for whom `agent` is None, gets what every agent's mining found as well,
    so that what any agent found and was forgotten stays so.
    """
    own = files.load_value(_path(root, host, session, agent), _parsed)
    if agent is not None:
        return own
    stem = _name(host, session) + "-"
    others = list(_all(root, stem))
    if not others:
        return own
    last = own or max(others, key=lambda record: record.at)
    found = [each for record in (own, *others) if record for each in record.candidates]
    return last._replace(candidates=tuple(found))


def every(root: str) -> list[Record]:
    """Every record, the last mined first; files that cannot be read are skipped."""
    return sorted(
        _all(root), key=lambda record: (record.at, record.session), reverse=True
    )


def _all(root: str, beginning: str = "") -> Iterator[Record]:
    """The records whose files begin so, by the names of the files."""
    folder = state_dirs.path(root, layout.SESSIONS)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        if name.startswith(beginning) and name.endswith(".json"):
            record = files.load_value(os.path.join(folder, name), _parsed)
            if record is not None:
                yield record


def forget(root: str, ids: Collection[str], paths: Collection[str]) -> None:
    """Remove the words of these entries from every record; raises WriteFailed.

    What stays tells a later mining of the session that it has found them before. An
    idea is known by the path of its page.
    """

    def is_forgotten(candidate: Mapping[str, Any]) -> bool:
        entry_id = candidate.get("id")
        return entry_id in ids if entry_id else candidate.get("path") in paths

    for record in every(root):
        candidates = tuple(
            without_words(candidate) if is_forgotten(candidate) else candidate
            for candidate in record.candidates
        )
        if candidates != record.candidates:
            put(root, record._replace(candidates=candidates))


def without_words(candidate: Mapping[str, Any]) -> dict[str, Any]:
    """A candidate of a record without its words, for an entry that was forgotten."""
    bare = dict.fromkeys(candidate)
    names = ("category", "confidence", "pattern", "record", "line", "id")
    stays = {name: candidate.get(name) for name in names}
    return bare | stays | {"action": "forgotten"}


def _parsed(document: Any) -> Record | None:
    """The record that a file holds; None of another version, or without its parts."""
    if document.pop("version") != _VERSION:
        return None
    size, changed = document.pop("mined")
    record = Record(**document, mined=(int(size), int(changed)))
    if not all(candidate.keys() >= _NEEDED for candidate in record.candidates):
        return None
    return record._replace(candidates=tuple(record.candidates))


def _path(root: str, host: str, session: str, agent: str | None) -> str:
    whose = "" if agent is None else f"-{_hash(agent)}"
    name = f"{_name(host, session)}{whose}.json"
    return os.path.join(state_dirs.path(root, layout.SESSIONS), name)


def _name(host: str, session: str) -> str:
    return _hash(f"{host}\0{session}")


def _hash(text: str) -> str:
    """An id or a name as part of a file's name: it may hold any character."""
    return identity.sha256(text.encode("utf-8", "replace")).hex()[:24]
