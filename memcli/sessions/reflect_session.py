"""Reflecting on a session: what it teaches comes into the vault, and into its record.

Invariant: the session's record says what became of each candidate, and of a session
that could not be mined, why. Nothing is written that was not searched for secrets.
How candidates come into the vault is said in `bringing`. Of a whole history each
session is a commit of its own; one that has not changed since is not read again, and
one that cannot be read stops no other.
"""

from __future__ import annotations

import os
import re

from memcli.entries import dates, no_secrets
from memcli.entries.entry import JUDGED, MINERS, Status
from memcli.errors import EntryNotFound, LockBusy, MemcliError, NotAllowed, Unreadable
from memcli.hosts import transcripts
from memcli.sessions import hook_log, markers
from memcli.sessions.bringing import FORGOTTEN, Reflected, bring
from memcli.sessions.mining import Candidate, Mined, mine
from memcli.vault import session_records

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from memcli.hosts.formats.records import Transcript
    from memcli.hosts.transcript import Step
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.sessions.routing import Fate
    from memcli.vault.vault import Vault


_SAME = ("id", "record", "pattern", "text")


def reflect(
    vault: Vault,
    transcript: Transcript,
    judged: Mined | None = None,
    *,
    writer: str = "pipeline",
    dry_run: bool = False,
) -> Reflected:
    """Bring what a session teaches into the vault.

    Args:
        vault: where it goes.
        transcript: of the session.
        judged: what a judge found in it, without a secret; None mines by the rules.
        writer: `pipeline` when a person asked for it, `hook` when a host did.
        dry_run: only say what would be done.

    Raises:
        Unreadable, LockBusy, WriteFailed, HistoryError: nothing was written, and the
            session's record says so.
    """
    # Before it is read: what is written meanwhile is mined the next time.
    mined = state(transcript.path) if judged is None else None
    session, agent = transcript.session, vault.agent_name
    session = session._replace(
        id=no_secrets.masked(session.id),
        forked_from=no_secrets.masked(session.forked_from or "") or None,
    )
    label = no_secrets.masked(_label(transcript.path))
    earlier = session_records.get(vault.root, session.host, session.id, agent)
    record = earlier or session_records.Record(session.id, session.host, "", "", False)
    record = record._replace(transcript=label, reflected=False, turns=0, cut=0)
    record = record._replace(agent=agent, mined=mined or record.mined)
    source = {"writer": writer, "host": session.host, "session": session.taught_by}
    source["transcript"] = label
    try:
        found = judged or candidates(transcript.steps())
        if earlier and record.mined[0] < earlier.mined[0]:
            # A file that lost its end takes nothing back: a host only ever adds.
            found = found._replace(whole=False)
        result = bring(vault, session, found, source, earlier, dry_run=dry_run)
    except Exception as error:
        if not dry_run:
            failure = no_secrets.redact(hook_log.named(error))
            _note(vault, record._replace(error=failure))
        raise
    if not dry_run:
        # What rules found and what a judge said stand beside each other.
        before = record.candidates
        others = (one for one in before if is_judged(one) is (judged is None))
        fates = (*others, *(_noted(fate, before) for fate in result.fates))
        record = record._replace(reflected=True, error=None, candidates=fates)
        _note(vault, record._replace(turns=result.turns, cut=result.cut))
    return result._replace(broken=len(transcript.broken))


def is_judged(noted: Mapping[str, Any]) -> bool:
    """Whether a candidate in a session's record came from a judge."""
    return noted.get("pattern") == JUDGED


def _note(vault: Vault, record: session_records.Record) -> None:
    """Write the record of a session; what the vault holds does not depend on it."""
    try:
        at = dates.iso(vault.now_ms() // 1000)
        session_records.put(vault.root, record._replace(at=at))
    except MemcliError as error:
        vault.tell(
            f"the record of session {record.session} is not kept: {error.message}"
        )


def _noted(fate: Fate, before: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """A fate for the record; what is met again is as it was the first time."""
    fresh = fate.as_dict()
    if fate.action == FORGOTTEN:
        return session_records.without_words(fresh)
    known = (
        noted
        for noted in before
        if fate.action == "duplicate"
        and all(noted.get(name) == fresh[name] for name in _SAME)
    )
    return next(known, fresh)


def opened(
    vault: Vault, path: str, host: str | None, cwd: str | None = None
) -> Transcript:
    """A transcript that this vault may be taught; `cwd` is where the session ran, if it
    does not say that itself.

    Raises:
        Unreadable: no such file, or no transcript that memcli knows.
        InvalidValue: no such host.
        NotAllowed: the session is another agent's, or the owner's.
    """
    transcript = transcripts.open_transcript(path, host)
    name = transcript.session.id
    if not markers.is_of(vault.root, name, vault.agent_name):
        raise NotAllowed(
            f"session {no_secrets.masked(name)} is another agent's, or the owner's",
            hint="memcli mines it as the agent whose hook ran in it first.",
            code="not_its_agent",
        )
    if not transcript.session.cwd:
        transcript.session = transcript.session._replace(cwd=cwd)
    return transcript


def is_unchanged(vault: Vault, transcript: Transcript) -> bool:
    """Whether a transcript has not changed since it was mined."""
    session, agent = transcript.session, vault.agent_name
    record = session_records.get(vault.root, session.host, session.id, agent)
    mined = record.mined if record and record.reflected else None
    return mined == state(transcript.path)


def reflect_all(
    vault: Vault,
    files: Sequence[tuple[str, str]],
    *,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[dict[str, Any]]:
    """Mine these transcripts, (host, path) as `transcripts.discover` gives them.

    What one session brings, the next one finds in the vault; a dry run, which brings
    nothing, counts it for each session that says it.

    Yields:
        For JSON, the `outcome` of each: reflected, unchanged, or failed with `error`.

    Raises:
        LockBusy: another process writes; what is done is done.
    """
    for number, (host, path) in enumerate(files):
        done, error = None, None
        try:
            transcript = opened(vault, path, host)
            if not is_unchanged(vault, transcript):
                done = reflect(vault, transcript, dry_run=dry_run)
        except LockBusy:
            raise
        except NotAllowed:
            pass  # another agent's session is left as it is
        except Exception as trouble:  # noqa: BLE001 one session stops no other
            error = no_secrets.redact(hook_log.named(trouble))
        yield {
            "transcript": path,
            "host": host,
            "outcome": "reflected" if done else "failed" if error else "unchanged",
            "session": done.session.id if done else None,
            "turns": done.turns if done else 0,
            "counts": done.counts if done else {},
            "cut": done.cut if done else 0,
            "error": error,
        }
        if progress is not None:
            progress(number + 1, len(files))


def _label(path: str) -> str:
    """A path as people write it, which is the same on another machine."""
    path = os.path.abspath(path).encode("utf-8", "replace").decode()
    home = os.path.expanduser("~")
    return f"~{path[len(home) :]}" if path.startswith(home + os.sep) else path


def state(path: str) -> tuple[int, int]:
    """Size and time of a transcript; when they differ, it has grown or was rewritten.

    Raises:
        Unreadable: it is gone.
    """
    try:
        status = os.stat(path)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}") from error
    return status.st_size, status.st_mtime_ns


# Such a word is not typed: it is an image, a minified file, a key. The miner's rules
# look at a line as a whole, and some take the square of the length of a word.
_ENDLESS = re.compile(r"(\S{1000})\S{1000,}")
_EMPTY = re.compile(r"\s{200,}")


def candidates(steps: Iterable[Step]) -> Mined:
    """The candidates of a session; one that held a secret is left out.

    Raises:
        Unreadable: the steps end early.
    """
    mined = mine(redacted(steps))
    clean = [one for one in mined.candidates if not _held_secret(one)]
    return mined._replace(candidates=clean)


def _held_secret(one: Candidate) -> bool:
    texts = (one.text, one.title, one.excerpt)
    return no_secrets.MARK in one.text or any(
        no_secrets.redact(text) != text or no_secrets.is_told(text) for text in texts
    )


def redacted(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps without a secret, and without words that no person types."""
    for step in steps:
        text = _ENDLESS.sub(r"\1 … ", no_secrets.redact(step.text))
        record = no_secrets.masked(step.record)
        yield step._replace(text=_EMPTY.sub("\n\n", text), record=record)


# --- reports --------------------------------------------------------------------------


def mining(vault: Vault) -> dict[str, Any]:
    """Everything that mining has brought into a vault.

    Raises:
        NotAllowed: an agent asks; the records are the owner's.

    Returns:
        How many `entries`; of the `patterns` how many entries each rule brought, and
        how many of them are kept, wait or were rejected; of the `sessions` how many
        were mined, which not, and how many candidates were only noted.
    """
    vault.owner_only("the record of mining")
    rows = vault.read(lambda reader: list(map(reader.row, reader.everything())))
    rows = [row for row in rows if row.writer in MINERS and row.rationale]
    records = session_records.every(vault.root)
    candidates = [each for record in records for each in record.candidates]
    names = ("session", "host", "transcript", "at", "error")
    return {
        "entries": len(rows),
        "patterns": _patterns(rows),
        "sessions": {
            # Several agents may have mined one session.
            "mined": len({(r.host, r.session) for r in records if r.reflected}),
            "not_reflected": [
                {name: getattr(record, name) for name in names}
                for record in records
                if not record.reflected
            ],
            "noted": sum(each.get("action") == "noted" for each in candidates),
        },
    }


def of_session(vault: Vault, name: str) -> dict[str, Any]:
    """The record of one session, its candidates with the `status` of their entries.

    Args:
        vault: where it was mined.
        name: its id, a start of it, or its transcript; of several the last one.

    Raises:
        EntryNotFound: no session that was mined here has this name.
    """
    vault.owner_only("the record of mining")
    records = session_records.every(vault.root)
    records.sort(key=lambda record: record.session != name)
    named = [r for r in records if r.session.startswith(name) or r.transcript == name]
    if not named:
        recent = ", ".join(record.session for record in records[:3])
        raise EntryNotFound(
            f"no session that was mined here is called '{name}'",
            hint=f"The last ones: {recent}."
            if recent
            else "Mine one with: memcli reflect --session PATH",
            code="session_not_found",
        )
    # Several agents may have mined it, each with a record of its own.
    record = session_records.get(vault.root, named[0].host, named[0].session, None)
    record = record or named[0]

    def candidates(reader: Reader) -> list[dict[str, Any]]:
        found = []
        for each in record.candidates:
            docs = reader.exact("id", str(each.get("id")))
            status = next((str(reader.row(doc).status) for doc in docs), None)
            found.append({**each, "status": status})
        return found

    return {**record._asdict(), "candidates": vault.read(candidates)}


def _patterns(rows: Iterable[StoredRow]) -> list[dict[str, Any]]:
    by_rule: dict[str, dict[str, Any]] = {}
    names: Mapping[str, str] = {Status.PENDING: "waiting", Status.REJECTED: "rejected"}
    for row in rows:
        rule = (row.rationale or "").partition(":")[0]
        none = dict.fromkeys(("brought", "kept", "waiting", "rejected"), 0)
        counts = by_rule.setdefault(rule, {"pattern": rule, **none})
        counts["brought"] += 1
        counts[names.get(row.status, "kept")] += 1
    return sorted(by_rule.values(), key=lambda one: (-one["brought"], one["pattern"]))
