"""What can be wrong between entries: lineages, claims, what waits for a person.

Invariant: reads only. It reports traces of an edit by hand, a merge or a killed
command, and is silent about what is merely unusual: notes that memcli did not write may
have states of their own.
"""

from __future__ import annotations

from collections import defaultdict
from shlex import quote

from memcli.entries import dates, layout
from memcli.entries.eligibility import (
    Resolve,
    View,
    facts,
    resolve_of,
    settled_by,
    standing,
)
from memcli.entries.entry import Status
from memcli.entries.finding import ERROR, WARNING, Finding, Text
from memcli.entries.text.counted import counted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

# Days after which a candidate in the inbox is worth a reminder.
_OLD_CANDIDATE = 30
_DAY = 86_400


def about_lives(texts: Sequence[Text], now: int) -> Iterator[Finding]:
    """Findings of entries that concern each other; `now` in epoch seconds.

    A text that belongs to none of the others' lineages and claims may be left out: the
    findings of the others are the same without it.
    """
    by_id: dict[str, Text] = {}
    for text in texts:
        # Of two files with one id the one outside the archive is meant; the pair is a
        # finding of its own.
        known = by_id.get(text.entry.id)
        if known is None or known.entry.path.startswith(layout.ARCHIVE + "/"):
            by_id[text.entry.id] = text
    circles = _circles(by_id)
    forks = _forks(texts, by_id)
    # These get a finding already, and the right other side cannot be told.
    doubtful = {name for circle in circles for name in circle}
    doubtful.update(text.entry.supersedes or "" for text, _ in forks)
    for text in texts:
        yield from _about_lineage(text, by_id, doubtful)
        yield from _about_resolved(text, by_id)
        yield from _about_review(text, now)
    yield from _about_circles(circles, by_id)
    yield from _about_forks(forks)
    yield from _twins(texts, now)


def about_ids(texts: Iterable[Text]) -> Iterator[Finding]:
    """A finding for each text with the id of an earlier one."""
    first: dict[str, str] = {}
    for text in texts:
        entry = text.entry
        if entry.id in first:
            message = f"has the id of {first[entry.id]}: {entry.id}"
            hint = (
                "memcli repair gives the newer file an id of its own; until then name "
                "each by its path."
            )
            line = text.field_line("(?:memcli_)?id")
            yield Finding(entry.path, line, "duplicate_id", ERROR, message, hint)
        first.setdefault(entry.id, entry.path)


def _finding(
    text: Text, field: str, code: str, message: str, hint: str | None = None
) -> Finding:
    line = text.field_line(field)
    return Finding(text.entry.path, line, code, WARNING, message, hint)


def _about_lineage(
    text: Text, by_id: Mapping[str, Text], doubtful: Collection[str]
) -> Iterator[Finding]:
    entry = text.entry
    for field in ("supersedes", "superseded_by"):
        other = getattr(entry, field)
        if other and other not in by_id and not entry.other_vault:
            message = f"{field} names no entry: {other}"
            hint = f"git may have it: git log --all -S {quote(other)}"
            if field == "superseded_by" and entry.status is Status.SUPERSEDED:
                hint += "; to use this entry again, set status: active."
            yield _finding(text, field, "dangling_lineage", message, hint)
    successor = by_id.get(entry.superseded_by or "")
    if successor is not None and entry.status is Status.ACTIVE:
        yield _finding(
            text,
            "superseded_by",
            "superseded_but_active",
            f"superseded by {entry.superseded_by}, but its status is active",
            "Remove superseded_by, or set status: superseded.",
        )
    if (
        successor is not None
        and successor.entry.supersedes is None
        and entry.status is Status.SUPERSEDED
        and entry.id not in doubtful
    ):
        yield _finding(
            text,
            "superseded_by",
            "silent_successor",
            f"superseded by {successor.entry.id}, which does not say so",
            "memcli repair writes the other side.",
        )
    before = by_id.get(entry.supersedes or "")
    if (
        before is not None
        and before.entry.superseded_by is None
        and entry.id not in doubtful
    ):
        yield _finding(
            text,
            "supersedes",
            "one_sided_lineage",
            f"supersedes {before.entry.id}, which does not say so and is "
            f"{before.entry.status}",
            f"If it is meant: memcli evolve {entry.id} --also {before.entry.id}",
        )


def _about_resolved(text: Text, by_id: Mapping[str, Text]) -> Iterator[Finding]:
    """A current version of what is resolved in an earlier one: git has merged them."""
    each, seen = text, {text.entry.id}
    while text.entry.status is Status.ACTIVE:
        before = by_id.get(each.entry.supersedes or "")
        if before is None or before.entry.superseded_by != each.entry.id:
            return
        if before.entry.id in seen:
            return  # a circle has a finding of its own
        if resolve_of(before.entry):
            message = f"not shown; {before.entry.id}, which it replaced, is resolved"
            hint = "memcli repair resolves it, too; to bring it back: "
            hint += f"memcli resolve --undo {before.entry.id}"
            yield _finding(text, "supersedes", "resolved_before", message, hint)
            return
        seen.add(before.entry.id)
        each = before


def _about_review(text: Text, now: int) -> Iterator[Finding]:
    entry = text.entry
    if (
        entry.review_after
        and standing(facts(entry), View(now)) is Status.ACTIVE
        and dates.to_epoch(entry.review_after) <= now
    ):
        message = f"due for review since {entry.review_after}"
        hint = f"memcli evolve {entry.id}, or resolve it."
        yield _finding(text, "review_after", "review_due", message, hint)


def _circles(by_id: Mapping[str, Text]) -> list[list[str]]:
    """Circles of versions: the ids, each replaced by the next."""
    after = {
        text.entry.supersedes: name
        for name, text in by_id.items()
        if text.entry.supersedes
    }
    after |= {
        name: text.entry.superseded_by
        for name, text in by_id.items()
        if text.entry.superseded_by
    }
    circles = []
    done: set[str] = set()
    for start in sorted(by_id, key=lambda name: by_id[name].entry.path):
        chain: list[str] = []
        name: str | None = start
        while name and name in by_id and name not in done:
            done.add(name)
            chain.append(name)
            name = after.get(name)
        if name in chain:
            circles.append(chain[chain.index(name) :])
    return circles


def _about_circles(
    circles: Iterable[Sequence[str]], by_id: Mapping[str, Text]
) -> Iterator[Finding]:
    """One error for each circle, at its first file."""
    for circle in circles:
        first = min((by_id[name] for name in circle), key=lambda t: t.entry.path)
        field = "superseded_by" if first.entry.superseded_by else "supersedes"
        message = f"a circle of versions: {' -> '.join([*circle, circle[0]])}"
        hint = "Take superseded_by out of the current version"
        hint += ", and supersedes out of the first."
        line = first.field_line(field)
        path = first.entry.path
        yield Finding(path, line, "lineage_cycle", ERROR, message, hint)


def _forks(texts: Iterable[Text], by_id: Mapping[str, Text]) -> list[tuple[Text, Text]]:
    """Pairs of entries that claim to replace the same one, the likelier one last."""
    texts = list(texts)
    first: dict[str, Text] = {}
    for text in texts:
        # The replaced entry's own word counts most.
        successor = by_id.get(text.entry.superseded_by or "")
        if successor is not None:
            first.setdefault(text.entry.id, successor)
    forks = []
    for text in texts:
        before = text.entry.supersedes
        if before:
            other = first.setdefault(before, text)
            if other.entry.id != text.entry.id:
                forks.append((text, other))
    return forks


def _about_forks(forks: Iterable[tuple[Text, Text]]) -> Iterator[Finding]:
    for text, other in forks:
        before = text.entry.supersedes
        message = f"{before} is superseded by {other.entry.id} as well"
        hint = "memcli repair makes one chain of them; or one text: "
        hint += f"memcli evolve {text.entry.id} --also {other.entry.id}"
        yield _finding(text, "supersedes", "lineage_fork", message, hint)


def _twins(texts: Iterable[Text], now: int) -> Iterator[Finding]:
    """Entries that are not shown, since another one settles their claim."""
    resolves: dict[str, list[Resolve]] = defaultdict(list)
    for text in texts:
        resolve = resolve_of(text.entry)
        if resolve is not None and text.claim:
            resolves[text.claim].append(resolve)
    for text in texts:
        known = resolves.get(text.claim)
        if not known or text.entry.status not in (Status.ACTIVE, Status.PENDING):
            continue
        earliest_first = sorted(known, key=lambda each: (each.at, each.id))
        found = facts(text.entry, resolves=tuple(earliest_first))
        resolve = settled_by(found, View(now))
        if resolve is not None:
            again = "it recurred: " if found.created > resolve.at > 0 else ""
            message = f"not shown; {again}its claim is resolved by {resolve.id}"
            hint = f"To bring it back: memcli resolve --undo {resolve.id}"
            yield _finding(text, "status", "key_twins", message, hint)


def about_inbox(oldest: Text, waiting: int, now: int) -> Iterator[Finding]:
    """The finding of an inbox that is not looked at.

    Args:
        oldest: the candidate that waits for the longest time.
        waiting: how many do.
        now: epoch seconds.
    """
    days = (now - dates.to_epoch(oldest.entry.created)) // _DAY
    if days > _OLD_CANDIDATE:
        message = f"waits for review for {counted(days, 'day')}, "
        message += f"the oldest of {waiting}"
        yield _finding(oldest, "created", "old_inbox", message, "memcli review")
