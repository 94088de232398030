"""What a judge said comes into the vault, by the way of everything that is mined.

Invariant: HIGH is saved, MEDIUM waits for a review, what replaces an entry is offered
and decided by a person, ideas go to the ledger. Every entry says who judged and from
which turns. The same answers a second time change nothing.
"""

from __future__ import annotations

from memcli.curation import resolve_query
from memcli.entries.entry import Confidence
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.sessions import backfill, reflect_session
from memcli.sessions.bringing import JUDGED, Reflected
from memcli.sessions.judging import answers, gather
from memcli.sessions.mining import Candidate, Mined
from memcli.sessions.mining.candidate import Category, excerpt, title
from memcli.sessions.reflect_session import Origin
from memcli.vault import anchoring

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.hosts.transcripts import Transcript
    from memcli.sessions.judging.answers import Answer, Refusal
    from memcli.sessions.judging.digest import Digest
    from memcli.vault.vault import Vault


class Brought(NamedTuple):
    """What came of a judge's answers.

    Attributes:
        reflected: what became of those that passed.
        refused: the lines that were not taken, and why.
        resolved: ids of entries that are settled now.
        judge: who judged.
    """

    reflected: Reflected
    refused: list[Refusal]
    resolved: list[str]
    judge: str

    def as_dict(self) -> dict[str, Any]:
        """The `data` of the JSON envelope."""
        return {
            **self.reflected.as_dict(),
            "judge": self.judge,
            "refused": [one._asdict() for one in self.refused],
            "resolved": self.resolved,
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
    made = gather.gather(vault, transcript)
    kept, refused = answers.read(data, made, vault.kinds)
    turns = len(made.turns)
    folder = made.session.cwd
    candidates = [
        _candidate(one, judge, anchoring.there(vault, folder, one.code)) for one in kept
    ]
    reflected = reflect_session.learn(
        vault,
        made.session,
        lambda: Mined(turns, candidates),
        Origin(backfill.label(transcript.path), None, writer, judge),
        dry_run=dry_run,
    )
    resolved = _resolved(vault, made, kept, judge, dry_run=dry_run)
    return Brought(reflected, refused, resolved, judge)


def _candidate(answer: Answer, judge: str, code: tuple[str, ...] = ()) -> Candidate:
    turn = answer.turns[0]
    cited = ", ".join(str(one.number) for one in answer.turns)
    numbers = f"turn {cited}" if len(answer.turns) == 1 else f"turns {cited}"
    why = answer.why.rstrip(".") or "durable"
    category: Category = "preference"
    if answer.kind in ("fix", "workflow", "idea"):
        category = answer.kind  # type: ignore[assignment]  # it is one of these
    return Candidate(
        category=category,
        confidence=answer.confidence,
        pattern=JUDGED,
        rationale=f"{why} (judged by {judge} from {numbers})",
        title=title(answer.text, category),
        text=answer.text,
        excerpt=excerpt(turn.step.text, turn.step.text[:200]),
        line=turn.step.line,
        record=turn.step.record,
        at=turn.step.at,
        kind=answer.kind,
        entities=answer.entities,
        everywhere=answer.project == "none",
        evolves=answer.evolves,
        code=code,
    )


def _resolved(
    vault: Vault,
    made: Digest,
    kept: Sequence[Answer],
    judge: str,
    *,
    dry_run: bool,
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
