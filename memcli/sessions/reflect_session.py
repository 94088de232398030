"""Reflecting on a session: what it teaches comes into the vault, and into its record.

Invariant: the session's record says what became of each candidate, and of a session
that could not be mined, why. Nothing is written that was not searched for secrets.
How candidates come into the vault is said in `bringing`.
"""

from __future__ import annotations

from memcli.entries import no_secrets
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.sessions.already_mined import FORGOTTEN, JUDGED
from memcli.sessions.bringing import Fate, Reflected, bring
from memcli.vault import session_records

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from memcli.hosts.transcript import Session
    from memcli.sessions.mining import Mined
    from memcli.vault.vault import Vault

_SAME = ("id", "record", "pattern", "text")


class Origin(NamedTuple):
    """Where the candidates of a session come from.

    Attributes:
        transcript: the file, for people.
        mined: size and time of the file, to see later whether it has grown; None when
            it was not mined.
        writer: `pipeline` when a person asked for it, `hook` when a host did.
        judge: who judged the session; None when the rules mined it.
    """

    transcript: str = ""
    mined: tuple[int, int] | None = (0, 0)
    writer: str = "pipeline"
    judge: str | None = None


def learn(
    vault: Vault,
    session: Session,
    find: Callable[[], Mined],
    origin: Origin = Origin(),  # noqa: B008 it cannot be changed
    *,
    dry_run: bool = False,
) -> Reflected:
    """Bring what a session teaches into the vault.

    Args:
        vault: where it goes.
        session: whose candidates they are.
        find: gives the candidates, without a secret in them; called once. What it
            raises is noted in the session's record.
        origin: where they come from.
        dry_run: only say what would be done.

    Raises:
        Unreadable, LockBusy, WriteFailed, HistoryError: nothing was written, and the
            session's record says so.
    """
    session = session._replace(id=no_secrets.masked(session.id))
    transcript = no_secrets.masked(origin.transcript)
    agent = vault.agent_name
    earlier = session_records.get(vault.root, session.host, session.id, agent)
    before = earlier.candidates if earlier else ()
    mined = origin.mined or (earlier.mined if earlier else (0, 0))
    record = session_records.Record(
        agent=agent,
        session=session.id,
        host=session.host,
        transcript=transcript,
        at="",
        reflected=False,
        mined=mined,
        candidates=before,
    )
    source = {
        "writer": origin.writer,
        "host": session.host,
        "session": session.id,
        "transcript": transcript or None,
    }
    try:
        result = bring(vault, session, find(), source, earlier, dry_run=dry_run)
    except Exception as error:
        code = getattr(error, "error_code", type(error).__name__)
        failure = f"{code}: {no_secrets.redact(str(error))}"
        if not dry_run:
            _note(vault, record._replace(error=failure))
        raise
    if not dry_run:
        # What rules found and what a judge said stand beside each other.
        others = [o for o in before if is_judged(o) is (origin.judge is None)]
        fates = (*others, *(_noted(fate, before) for fate in result.fates))
        record = record._replace(reflected=True, candidates=fates)
        _note(vault, record._replace(turns=result.turns, cut=result.cut))
    return result


def is_judged(noted: Mapping[str, Any]) -> bool:
    """Whether a candidate in a session's record came from a judge."""
    return noted.get("pattern") == JUDGED


def _note(vault: Vault, record: session_records.Record) -> None:
    """Write the record of a session; what the vault holds does not depend on it."""
    from memcli.entries import dates

    record = record._replace(at=dates.iso(vault.now_ms() // 1000))
    try:
        session_records.put(vault.root, record)
    except MemcliError as error:
        vault.tell(
            f"the record of session {record.session} is not kept: {error.message}"
        )


def _noted(fate: Fate, before: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """A fate for the record; what is met again is as it was the first time."""
    fresh = fate.as_dict()
    if fate.action == FORGOTTEN:
        return session_records.without_words(fresh)
    if fate.action == "duplicate" and fate.id is not None:
        for noted in before:
            if all(noted.get(name) == fresh[name] for name in _SAME):
                return noted
    return fresh
