"""Gathering a digest: the session's words, its project, what the vault knows of it.

Invariant: no secret of the transcript reaches a digest. The ids that were shown are
noted in the vault's state folder, so that an answer is held against what its judge
could see, also when the vault has changed in between.
"""

from __future__ import annotations

import hashlib
import os

from memcli.entries import layout
from memcli.entries.eligibility import View
from memcli.entries.entry import Status
from memcli.entries.text import redaction
from memcli.sessions.bringing import project_of
from memcli.sessions.candidates import redacted
from memcli.sessions.judging import digest
from memcli.sessions.judging.digest import Digest, Known
from memcli.storage import cache, state_dirs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from memcli.hosts.transcript import Session
    from memcli.hosts.transcripts import Transcript
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault

# Of what the session is about; and of what it brought before.
_NEAREST, _OWN = 10, 20
# Of what was typed, as a question to the vault.
_ASKED = 2_000


def gather(
    vault: Vault,
    transcript: Transcript,
    *,
    max_chars: int = digest.MAX_CHARS,
) -> Digest:
    """The digest of a session.

    Args:
        vault: what is known already; only what its agent may see.
        transcript: of the session.
        max_chars: of the text for a model.

    Raises:
        Unreadable: the transcript ends early.
    """
    session = transcript.session
    session = session._replace(id=redaction.masked(session.id))
    turns = digest.turns_of(redacted(transcript.steps()))
    known = _known(vault, session.id, " ".join(turn.text for turn in turns)[:_ASKED])
    earlier = _noted(vault, session)
    ids = {one.id for one in known}
    more = [name for name in earlier if name not in ids]
    known += vault.read(lambda reader: _rows(reader, vault, more))
    project = project_of(vault, session)
    made = digest.compose(session, project, turns, known, max_chars)
    _note(vault, session, [one.id for one in made.known])
    return made


def _known(vault: Vault, session: str, words: str) -> list[Known]:
    """What the vault holds that is near, and what this session brought before."""
    from memcli.recall.query import Query, checked
    from memcli.recall.recall import look

    found = []
    if words.strip():
        # Not `recall`: that the miner looked is no use of a row.
        query = Query(words, View(vault.now_ms() // 1000), limit=_NEAREST)
        rows = vault.read(lambda reader: look(reader, checked(query, vault))).rows
        found = [Known(row.id, row.kind, row.text) for row in rows]
    ids = {one.id for one in found}

    def own(reader: Reader) -> list[Known]:
        names = [reader.row(doc).id for doc in reader.of_session(session)][:_OWN]
        return _rows(reader, vault, [name for name in names if name not in ids])

    return found + vault.read(own)


def _rows(reader: Reader, vault: Vault, names: list[str]) -> list[Known]:
    """Those of these entries that are in force, or wait for a review."""
    statuses = frozenset({Status.ACTIVE, Status.PENDING})
    view = View(vault.now_ms() // 1000, statuses, agent=vault.agent)
    found = []
    for name in names:
        for doc in reader.exact("id", name):
            if reader.verdict(doc, view) is None:
                row = reader.row(doc)
                found.append(Known(row.id, row.kind, row.text))
    return found


def _noted(vault: Vault, session: Session) -> list[str]:
    def texts(ids: Any) -> list[str]:
        return [name for name in ids if isinstance(name, str)]

    return cache.load(_path(vault, session), texts) or []


def _note(vault: Vault, session: Session, ids: list[str]) -> None:
    """Note what was shown; without the note only what is near now may be named."""
    path = _path(vault, session)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        cache.store(path, ids)
    except OSError as error:
        vault.tell(
            f"what the digest shows could not be noted: {error.strerror or error}"
        )


def _path(vault: Vault, session: Session) -> str:
    # An agent learns nothing of what another one was shown.
    named = "\0".join((session.host, session.id, vault.agent_name or ""))
    mark = hashlib.sha256(named.encode("utf-8", "replace")).hexdigest()
    folder = state_dirs.path(vault.root, layout.SESSIONS)
    return os.path.join(folder, f"{mark[:24]}.shown")
