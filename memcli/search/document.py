"""An entry as the index holds it: terms with weights, exact values, facts, a row.

Invariant: pure; the same file gives the same document. Everything that recall or
inspect shows of an entry without opening its file is in the row.
"""

from __future__ import annotations

from itertools import islice

from memcli.entries import dates, eligibility
from memcli.entries.eligibility import Facts, facts, resolve_of
from memcli.entries.entry import Entry, ResolutionScope
from memcli.entries.fields import LONGEST_ASKED, MOST_ASKED
from memcli.entries.file_checks import WARNING
from memcli.entries.identity import claim, fingerprint
from memcli.entries.text import links, tokens
from memcli.entries.text.links import aliases, link_names, link_readings, links_of
from memcli.entries.text.proper_names import loose_names
from memcli.named_tuple import NamedTuple
from memcli.search.documents import (
    ANSWERS_SHIFT,
    ASKS,
    CONFLICT,
    ENFORCED,
    EVERYWHERE,
    FINDING,
    LARGE,
    LINKS,
    ONLY_THIS,
    PINNED,
    RESOLVED_BEFORE,
    REVIEW,
    SPAN,
    STATUS_NUMBER,
    UNTAGGED,
    numbered,
)
from memcli.search.ranking.corpus import ASKED
from memcli.search.stored_row import StoredRow

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence


# How often a term counts in the fields beside the body. Powers of two, so that sums of
# them are exact in any order. Title: AgentM measured +3.8 points of hit@1 for a boosted
# title; date words: +1 to +3 points of R@10 on LoCoMo.
_TITLE, _NAME, _DATE = 2.0, 1.0, 1.0
# So many of the most frequent terms are stored, for relevance feedback to draw from.
_KEY_TERMS = 48

MOST_TERMS = 30_000
"""So many different terms of an entry's text are searched.

A novel of a megabyte has half of them. What has more is data, and each of its terms
takes some 700 bytes of memory while an index is made.
"""

_MOST_SEQ = 0x7FFFFFFF


class Checked(NamedTuple):
    """The lint's findings of a file, as plain values, and its links' lines."""

    findings: tuple[tuple[int, str, str, str, str | None], ...] = ()
    links: tuple[tuple[str, int], ...] = ()
    is_large: bool = False


class Document(NamedTuple):
    """The content of one file as the index stores it.

    `terms` has a weight for each, `exact` by field the values that filters look up,
    `numbers` the facts of `store.TYPECODES`.
    """

    terms: dict[str, float]
    exact: dict[str, tuple[str, ...]]
    row: StoredRow
    numbers: dict[str, int]


def document(
    entry: Entry,
    stem: tokens.Stem,
    policies: eligibility.Policies = eligibility.DEFAULTS,
    checked: Checked = Checked(),  # noqa: B008 a value
) -> Document:
    """Turn an entry into what the index stores.

    Args:
        entry: as decoded, with its path.
        stem: maps a lower-case word to its stem.
        policies: how long reflection items last.
        checked: what the lint says of its file.
    """
    whole = entry
    entry = links.as_read(entry)
    body = tokens.terms(entry.body, stem)
    names = loose_names(entry.body, entry.entities)
    terms: dict[str, float] = {}
    _add(terms, body, 1.0)
    if len(terms) > MOST_TERMS:
        said = f"{len(terms):,} different words; only the first {MOST_TERMS:,} are "
        found = (1, "large", WARNING, f"{said}searched", "Split it.")
        checked = checked._replace(findings=(*checked.findings, found))
        terms = dict(islice(terms.items(), MOST_TERMS))
    looks = _looks(whole, checked)
    # A title of its own adds its words; one that was drawn from the body is in there.
    shown = entry.display_title
    title = tokens.terms(shown, stem) if entry.title or not body else []
    _add(terms, title, _TITLE)
    for alias in aliases(entry):
        _add(terms, tokens.terms(alias, stem), _TITLE)
    for name in (*entry.tags, *entry.entities):
        _add(terms, tokens.terms(name, stem), _NAME)
    length = len(body) + len(title)
    # The most frequent first, and those as frequent in order: sorting is stable.
    key_terms = sorted(sorted(terms), key=terms.__getitem__, reverse=True)[:_KEY_TERMS]
    frequent = {text: terms[text] for text in key_terms}
    when = entry.occurred_at or entry.created
    _add(terms, [stem(word) for word in dates.date_words(when)] if when else [], _DATE)
    for phrase in entry.asked[:MOST_ASKED]:
        for text in tokens.terms(phrase[:LONGEST_ASKED], stem):
            terms.setdefault(text, ASKED)
    session, said = document_id(entry), claim(entry.body)
    number = numbered(session) if session else 0
    exact = {
        **_exact(entry),
        "session": (f"{number:016x}",) if session else (),
        "claim": (said,) if said else (),
        "name_said": tuple(map(tokens.name_key, names.said)),
        "check": looks,
    }
    known, seq = facts(entry, policies), entry.source.seq
    numbers = {
        "orders": numbered(f"{entry.id}\0{entry.path}"),
        "sessions": number,
        "times": dates.to_epoch(when),
        "created": known.created,
        "expires": known.expires,
        "ended": known.ended,
        "claims": int(said, 16) if said else 0,
        "lengths": min(length, 0xFFFFFFFF),
        "seqs": -1 if seq is None else max(-1, min(seq, _MOST_SEQ)),
        "flags": _flags(entry, known, when),
        "projects": known.project,
    }
    row = _row(entry, shown, frequent, names.said + names.begun, checked)
    return Document(terms, exact, row, numbers)


def _flags(entry: Entry, known: Facts, when: str | None) -> int:
    """The flags of an entry, whose time is `when`."""
    # A year that was stored as its first of January let recency flip an order.
    is_span = entry.occurred_until or (when and len(when) < len("2026-01-01"))
    bits = {
        ASKS: entry.body.rstrip().endswith(("?", "\uff1f", "\u061f")),
        SPAN: is_span,
        PINNED: entry.pinned,
        CONFLICT: known.conflict,
        ONLY_THIS: entry.resolution_scope == ResolutionScope.ENTRY,
    }
    flags = STATUS_NUMBER[known.status] | tokens.held(entry.body) << ANSWERS_SHIFT
    return flags | sum(bit for bit, is_set in bits.items() if is_set)


def _looks(entry: Entry, checked: Checked) -> tuple[str, ...]:
    """The names of what the lint or a reader looks at beside the columns."""
    known = {
        FINDING: checked.findings,
        LINKS: checked.links,
        REVIEW: entry.review_after,
        LARGE: checked.is_large,
        ENFORCED: entry.enforce,
        RESOLVED_BEFORE: entry.superseded_by and resolve_of(entry),
    }
    return tuple(name for name, value in known.items() if value)


def document_id(entry: Entry) -> str:
    """The session or document that an entry came from, or the empty string."""
    return entry.source.session or entry.source.transcript or ""


# What is looked up of an entry as it is, where it has it.
_EXACT = (
    *("id", "path", "kind", "type", "layer", "status", "agent", "visibility"),
    *("supersedes", "superseded_by", "item"),
)


def _exact(entry: Entry) -> dict[str, tuple[str, ...]]:
    single = {name: getattr(entry, name) for name in _EXACT}
    single["proposed"] = entry.source.proposed and claim(entry.source.proposed)
    single["seen"] = len(entry.seen)
    return {
        **{name: (str(value),) if value else () for name, value in single.items()},
        "tag": entry.tags or (UNTAGGED,),
        "project": (entry.project or EVERYWHERE,),
        "entity": tuple(map(tokens.name_key, entry.entities)),
        "entity_name": entry.entities,
        "fingerprint": (fingerprint(entry.body),),
        "link": tuple(
            name
            for target in links_of(entry)
            for name in link_readings(target, entry.path)
        ),
        "name": link_names(entry),
        "group": entry.groups,
        "evidence": entry.evidence,
    }


# What a row has of an entry as it is.
_SAME = [name for name in StoredRow._fields if name in Entry._fields]


def _row(
    entry: Entry,
    title: str,
    terms: dict[str, float],
    names: tuple[str, ...],
    checked: Checked,
) -> StoredRow:
    same = {name: getattr(entry, name) for name in _SAME}
    drawn = {
        "text": entry.body.strip(),
        "title": title,
        "document_id": document_id(entry) or None,
        "key_terms": " ".join(f"{word} {count!r}" for word, count in terms.items()),
        "names": names,
        "name_keys": tuple(map(tokens.name_key, (*entry.entities, *names))),
        "findings": checked.findings,
        "links": checked.links,
    }
    return StoredRow(**same | drawn)


def _add(counts: dict[str, float], words: Sequence[str], weight: float) -> None:
    for word in words:
        counts[word] = counts.get(word, 0.0) + weight
