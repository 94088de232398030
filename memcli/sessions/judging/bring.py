"""A session's digest is gathered from its words and the vault, and what a judge said
of it comes into the vault, by the way of everything that is mined.

Invariant: no secret of the transcript reaches a digest. An answer is held against a
digest that is made anew, so it can name what the vault shows now. HIGH is saved, MEDIUM
waits for a review, what replaces an entry is offered and decided by a person, ideas
are put aside. Every entry says who judged and from which turns. The same answers a
second time change nothing.
"""

from __future__ import annotations

import re
from functools import partial

from memcli.curation import inbox, resolve_query, review
from memcli.entries import no_secrets
from memcli.entries.eligibility import View
from memcli.entries.entry import SUMMARY_TAG, Confidence, Status
from memcli.entries.identity import claim
from memcli.entries.layout import IDEA
from memcli.entries.text import prompt_injection
from memcli.errors import MemcliError, NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.sessions import reflect_session
from memcli.sessions.bringing import JUDGED, Reflected, project_of
from memcli.sessions.judging import answers, digest
from memcli.sessions.judging.digest import Digest, Known
from memcli.sessions.mining import Candidate, Mined
from memcli.sessions.mining.candidate import Category, excerpt, title
from memcli.sessions.reflect_session import Origin, redacted
from memcli.vault import anchoring
from memcli.vault.likeness import like_resolved

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.hosts.transcripts import Transcript
    from memcli.search.reader import Reader
    from memcli.sessions.bringing import Fate
    from memcli.sessions.judging.answers import Answer, Refusal
    from memcli.vault.vault import Vault

# Of what the session is about; and of what it brought before.
_NEAREST, _OWN = 10, 20
# Of what was typed, as a question to the vault.
_ASKED = 2_000
_SENTENCE = re.compile(r"(?<=[.!?])\s")


def gather(vault: Vault, transcript: Transcript) -> Digest:
    """The digest of a session.

    Args:
        vault: what is known already; only what its agent may see.
        transcript: of the session.

    Raises:
        Unreadable: the transcript ends early.
    """
    session = transcript.session
    session = session._replace(id=no_secrets.masked(session.id))
    turns = digest.turns_of(redacted(transcript.steps()))
    known = _known(vault, session.id, " ".join(turn.text for turn in turns)[:_ASKED])
    project = project_of(vault, session)
    return digest.compose(session, project, turns, known)


class Brought(NamedTuple):
    """The outcome of a judge's answers.

    Attributes:
        reflected: what became of those that passed.
        refused: the lines that were not taken, and why.
        resolved: ids of entries that are settled now.
        approved: ids of entries that waited for a review, were said again, and are
            saved now.
        judge: who judged.
    """

    reflected: Reflected
    refused: list[Refusal]
    resolved: list[str]
    approved: list[str]
    judge: str

    def as_dict(self) -> dict[str, Any]:
        """The `data` of the JSON envelope."""
        return {
            **self.reflected.as_dict(),
            "judge": self.judge,
            "refused": [one._asdict() for one in self.refused],
            "resolved": self.resolved,
            "approved": self.approved,
        }


def bring(
    vault: Vault,
    transcript: Transcript,
    data: bytes,
    *,
    judge: str,
    writer: str = "pipeline",
    dry_run: bool = False,
) -> Brought:
    """Take a judge's answers about a session.

    Args:
        vault: where they go.
        transcript: of the session, as the digest was made of it.
        data: the answers, as `answers.read` takes them.
        judge: who answered, for the provenance.
        writer: `pipeline` when an agent or a person asked, `hook` when a host did.
        dry_run: only say what would be done.

    Raises:
        Unreadable, LockBusy, WriteFailed, HistoryError: nothing was written.
    """
    made = gather(vault, transcript)
    kept, refused = answers.read(data, made, vault.kinds)
    turns = len(made.turns)
    folder = made.session.cwd
    candidates = [
        _again(one, made, judge)
        if one.confirms
        else _candidate(one, judge, anchoring.there(vault, folder, one.code))
        for one in kept
    ]
    reflected = reflect_session.learn(
        vault,
        made.session,
        lambda: Mined(turns, candidates),
        Origin(reflect_session.label(transcript.path), None, writer, judge),
        dry_run=dry_run,
    )
    resolved = _resolved(vault, made, kept, judge, dry_run=dry_run)
    approved = _approved(vault, reflected.fates, dry_run=dry_run)
    return Brought(reflected, refused, resolved, approved, judge)


def _again(answer: Answer, made: Digest, judge: str) -> Candidate:
    """An entry that was said again, in its own words: a sighting of it."""
    entry = next(one for one in made.known if one.id == answer.confirms)
    said = answer._replace(text=entry.text, kind=entry.kind, why="said again")
    again = _candidate(said, judge)
    return again._replace(category="preference", confirms=answer.confirms)


def _candidate(answer: Answer, judge: str, code: tuple[str, ...] = ()) -> Candidate:
    turn = answer.turns[0]
    cited = ", ".join(str(one.number) for one in answer.turns)
    numbers = f"turn {cited}" if len(answer.turns) == 1 else f"turns {cited}"
    why = answer.why.rstrip(".") or "durable"
    category: Category = "preference"
    if answer.kind in ("fix", "workflow", "idea"):
        category = answer.kind  # type: ignore[assignment]  # it is one of these
    is_summary = answer.kind == answers.SUMMARY
    if is_summary:
        turn, why = answer.turns[-1], "the session in short"
    return Candidate(
        category=category,
        confidence=answer.confidence,
        pattern=JUDGED,
        rationale=f"{why} (judged by {judge} from {numbers})",
        title=title(_SENTENCE.split(answer.text)[0], category),
        text=answer.text,
        excerpt=excerpt(turn.step.text, turn.step.text[:200]),
        line=turn.step.line,
        record=turn.step.record,
        at=turn.step.at,
        kind="event" if is_summary else answer.kind,
        tags=(SUMMARY_TAG,) if is_summary else (),
        entities=answer.entities,
        everywhere=answer.project == "none",
        item=answer.item,
        evolves=answer.evolves,
        code=code,
        asked=answer.asked,
    )


def _approved(vault: Vault, fates: Sequence[Fate], *, dry_run: bool) -> list[str]:
    """Save what waited in the inbox and was said again; returns the ids.

    An idea, and what replaces an entry, speaks like an order to a model, or says
    nearly what is resolved, waits for a person.
    """
    done = []
    for fate in fates:
        said = fate.candidate
        if fate.action not in ("seen", "duplicate") or not fate.id:
            continue
        if said.confidence is not Confidence.HIGH or fate.id in done:
            continue
        try:
            (waits,) = inbox.named(vault, [fate.id])
            if waits.kind == IDEA:
                continue
            if prompt_injection.suspicious(waits.text) or any(
                one.may_replace or one.id in vault.get(fate.id).evidence
                for one in inbox.proposals(vault, waits)
            ):
                continue
            entry = vault.get(fate.id).replace(body=said.text)
            if vault.read(partial(like_resolved, entry=entry)):
                continue
            # Its judge has named what the person called "it".
            words = {"text": said.text, "kind": said.kind}
            changes = None if claim(said.text) == claim(waits.text) else words
            if not dry_run:
                review.approve(vault, [fate.id], changes)
        except NotAllowed:  # it does not wait, or another agent's does
            continue
        except MemcliError as error:
            vault.tell(f"{fate.id} stays in the inbox: {error.message}")
        else:
            done.append(fate.id)
    return done


def _resolved(
    vault: Vault, made: Digest, kept: Sequence[Answer], judge: str, *, dry_run: bool
) -> list[str]:
    """Resolve what an explicit answer says is settled; returns the ids."""
    from memcli.curation import resolve

    kinds = {one.id: one.kind for one in made.known}
    ids = {
        name: answer.text
        for answer in kept
        if answer.confidence is Confidence.HIGH
        for name in answer.resolves
        if kinds[name] in resolve_query.KINDS
    }
    done = []
    for name, text in ids.items():
        try:
            if not dry_run:
                plan = resolve.plan(vault, [name])
                resolve.apply(vault, plan, note=f"{text} (judged by {judge})")
        except MemcliError as error:
            vault.tell(f"{name} stays as it is: {error.message}")
        else:
            done.append(name)
    return done


def _known(vault: Vault, session: str, words: str) -> list[Known]:
    """The entries that are near, and those that this session brought before."""
    from memcli.recall.query import Query, checked
    from memcli.recall.recall import look

    # In force, or waiting for a review: said again, it is saved.
    statuses = frozenset({Status.ACTIVE, Status.PENDING})
    view = View(vault.now_ms() // 1000, statuses, agent=vault.agent)
    found = []
    if words.strip():
        # Not `recall`: that the miner looked is no use of a row.
        query = Query(words, view, limit=2 * _NEAREST)
        rows = vault.read(lambda reader: look(reader, checked(query, vault))).rows
        # Summaries of earlier sessions are near, and nothing that one would say again.
        rows = [row for row in rows if row.kind != "event"][:_NEAREST]
        found = [Known(row.id, row.kind, row.text) for row in rows]
    ids = {one.id for one in found}

    def own(reader: Reader) -> list[Known]:
        rows = [
            reader.row(doc)
            for doc in list(reader.of_session(session))[:_OWN]
            if reader.verdict(doc, view) is None
        ]
        return [Known(r.id, r.kind, r.text) for r in rows if r.id not in ids]

    return found + vault.read(own)
