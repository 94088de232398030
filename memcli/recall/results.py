"""The rows of an answer, as callers get them, and as JSON.

Invariant: `as_dict` decides what JSON shows of a row. Only rows that are shown are held
against the code that they speak of, within the time of one answer; one whose code
changed or is gone says so, and stands lower than it would.
"""

from __future__ import annotations

from types import MappingProxyType

from memcli.entries.eligibility import standing
from memcli.entries.entry import Layer, Status, Subtype, is_unconfirmed, marks_of
from memcli.entries.text import tokens
from memcli.named_tuple import NamedTuple, encoded
from memcli.search.ranking.corpus import SPELLING

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from memcli.entries.eligibility import View
    from memcli.recall.confidence import Covered, NoMatch
    from memcli.search.ranking.corpus import Reading
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault import staleness
    from memcli.vault.code_state import CodeState
    from memcli.vault.vault import Vault

FACT = str(Layer.FACT)
"""The layer that cites no other entry; only its code can make it stale."""


_NOT_OF_FACTS = ("subtype", "stale_why", "citations_checked")
_NEVER = {"parts", "writer", "code", "read", "matched", "occurred_until"}


class ReadAs(NamedTuple):
    """A word of the question, and what a row holds instead.

    `kind` is that of the reading (`search.ranking.corpus`), `share` what the other word
    counts, as a share of the word itself.
    """

    word: str
    read_as: str
    kind: str
    share: float


class Row(NamedTuple):
    """One recalled entry; docs/agents/output.md says what each field holds.

    `parts` are the named pieces of its score, for the log of signals; `matched` are the
    words of the question that it holds, or others for.
    """

    id: str
    text: str
    title: str
    kind: str
    layer: str
    type: str
    status: str
    tags: list[str]
    entities: list[str]
    project: str | None
    occurred_at: str | None
    created: str
    document_id: str | None
    record: str | None
    source: str
    path: str
    score: float
    channels: list[str]
    stale: bool
    unconfirmed: bool
    supersedes: str | None = None
    superseded_by: str | None = None
    explain: dict[str, Any] | None = None
    subtype: str | None = None
    stale_why: tuple[staleness.Reason, ...] = ()
    citations_checked: bool = False
    parts: Mapping[str, float] | None = None
    writer: str | None = None
    code: tuple[str, ...] = ()
    code_state: tuple[CodeState, ...] = ()
    read: tuple[ReadAs, ...] = ()
    matched: tuple[str, ...] = ()
    occurred_until: str | None = None

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks that a reader should see before relying on it."""
        doubt = bool(self.stale_why)
        if self.code_state:
            from memcli.vault import code_state

            doubt |= code_state.is_stale(self.code_state)
        return marks_of(stale=self.stale, doubt=doubt, unconfirmed=self.unconfirmed)

    def as_dict(self) -> dict[str, Any]:
        """The row for JSON.

        `explain` is in it only when the query asked for it; `subtype`, `stale_why` and
        `citations_checked` only for observations and models; `code_state` only for an
        entry that names code of its project.
        """
        hidden = {*_NEVER}
        if self.explain is None:
            hidden.add("explain")
        if not self.code_state:
            hidden.add("code_state")
        if self.layer == FACT:
            hidden.update(_NOT_OF_FACTS)
        fields = self._asdict()
        return {name: encoded(fields[name]) for name in fields if name not in hidden}


class Excluded(NamedTuple):
    """An entry that matches and was left out, and why; `superseded_by` replaces it.

    None of its words are here: a reader would take a solved thing for news.
    """

    id: str
    status: str
    reason: str
    superseded_by: str | None


class Recalled(NamedTuple):
    """The answer to one question.

    `coverage` is the share of the question's weight that the best row holds (0 to
    1); `missing_terms` are its words found in no entry; `omitted` counts rows that
    `max_chars` left out; `window` echoes the time filter, or the window that the
    question names; `no_match` says why a question has no row. `more_constraints` counts
    those in force beyond the ones that are given. For `reflect` alone, `weights` are
    what each word of the question counts, and `excluded` what was left out.
    """

    query: str | None
    rows: list[Row]
    constraints: list[Row]
    coverage: float
    missing_terms: list[str]
    window: dict[str, Any] | None
    omitted: int
    warnings: list[str]
    no_match: NoMatch | None = None
    more_constraints: int = 0
    weights: Mapping[str, float] = MappingProxyType({})
    excluded: Sequence[Excluded] = ()

    @property
    def shown(self) -> list[Row]:
        """Its rows, and the constraints beside them."""
        return [*self.rows, *self.constraints]

    @property
    def reading(self) -> dict[str, list[str]]:
        """The words of the question that are spelled in no entry as they were asked,
        with what they were read as."""
        return respelled(row.read for row in self.rows)

    @property
    def low_coverage(self) -> Covered | None:
        """The words that the best of the first rows holds, and those that it lacks,
        where it holds less than half of them; None where it holds more."""
        from memcli.recall import confidence
        from memcli.search.ranking.rank import COVERING

        best = max((row.matched for row in self.rows[:COVERING]), key=len, default=())
        covered = confidence.covered(self.weights, best)
        low = bool(self.rows) and len(covered.matched) < len(covered.nothing_about)
        return covered if low else None

    def as_dict(self) -> dict[str, Any]:
        """The `data` of the JSON envelope."""
        fields = self._asdict()
        for name in ("warnings", "weights", "excluded"):
            del fields[name]
        more = {"low_coverage": self.low_coverage, "reading": self.reading}
        return {name: encoded(value) for name, value in (fields | more).items()}


def row_of(reader: Reader, view: View, doc: int, source: str) -> Row:
    """The row of an entry, with whether it still holds; it is not ranked yet.

    Args:
        reader: the index of its vault.
        view: as what and when it is seen.
        doc: its number.
        source: the name of its vault.
    """
    stored = reader.row(doc)
    row = Row(
        **{name: getattr(stored, name) for name in _STORED},
        tags=list(stored.tags),
        entities=list(stored.entities),
        record=stored.source.record,
        source=source,
        score=0.0,
        channels=[],
        stale=False,
        unconfirmed=is_unconfirmed(stored),
        citations_checked=stored.research is not None,
    )
    if view.as_of is None and Status.EXPIRED in view.statuses:
        facts = reader.facts(doc, access=False)
        row = row._replace(status=str(standing(facts, view)))
    if row.layer == FACT:  # it cites nothing that could change
        return row
    from memcli.vault import staleness

    why = staleness.reasons(reader, stored, view)
    return row._replace(
        stale=staleness.is_stale(stored, why),
        subtype=stored.subtype,
        stale_why=tuple(why),
    )


_STORED = """
id text title kind layer type status project occurred_at occurred_until created
document_id path supersedes superseded_by writer code
""".split()


def fit(rows: list[Row], max_chars: int | None) -> tuple[list[Row], int]:
    """The rows whose texts fit, best first, and how many do not.

    A row that is too long makes room for shorter ones after it.
    """
    if max_chars is None:
        return rows, 0
    fitting, left = [], max_chars
    for row in rows:
        if len(row.text) <= left:
            fitting.append(row)
            left -= len(row.text)
    return fitting, len(rows) - len(fitting)


def index_warnings(vault: Vault) -> list[str]:
    """Warnings of what the rows may lack: folders and changes that were not read."""
    warnings = [
        f"{folder}/ cannot be listed; its entries are shown as they were"
        for folder in vault.opened.unreadable
    ]
    if vault.opened.stale:
        warnings.append("another process is indexing; these are older answers")
    return warnings


# --- the code that rows speak of ------------------------------------------------------

FACTOR = 0.5
"""The factor of a row's score when its code changed or is gone.

The row may still hold, so it stays; a row that fits half as well and was not overtaken
is the better first answer.
"""


def held_against_code(
    vault: Vault, answer: Recalled, layers: Sequence[str]
) -> Recalled:
    """An answer with what became of the code that its rows speak of.

    In its layer a row whose code has changed comes last; without layers it stands where
    its lower score puts it. The others keep their order, which more than the score may
    have decided.

    Args:
        vault: one of those that were asked; where its caller stands counts.
        answer: its rows have their sources.
        layers: those of the answer, where it is in their order.
    """
    both = answer.shown
    seen, count = with_code(vault, both), len(answer.rows)
    if seen is both:
        return answer
    from memcli.vault import code_state

    rows: list[Row] = []
    for row in reversed(seen[:count]):
        at = 0
        if code_state.is_stale(row.code_state):
            while at < len(rows) and rows[at].score > row.score:
                at += 1
        rows.insert(at, row)
    if layers:
        rows = sorted(
            seen[:count],
            key=lambda r: (layers.index(r.layer), code_state.is_stale(r.code_state)),
        )
    return answer._replace(rows=rows, constraints=seen[count:])


def with_code(vault: Vault, rows: list[Row]) -> list[Row]:
    """Rows with what became of their code; a stale one has a lower score."""
    if not any(row.code for row in rows):
        return rows
    from memcli.vault import code_state

    watch = code_state.Watch(vault.project)

    def seen(row: Row) -> Row:
        states = watch.states(row, row.source)
        row = row._replace(code_state=tuple(states))
        if not code_state.is_stale(states):
            return row
        explain = row.explain and {**row.explain, "code_changed": FACTOR}
        score = round(row.score * FACTOR, 4)
        is_kept = row.subtype == str(Subtype.PINNED)  # by a person, who looks at it
        return row._replace(stale=not is_kept, score=score, explain=explain)

    return [*map(seen, rows)]


# --- words of the question that a row holds others for --------------------------------


def read_as(
    readings: Sequence[tuple[str, Reading]], row: StoredRow, stem: tokens.Stem
) -> tuple[ReadAs, ...]:
    """The readings of a hit, in the words of its row."""
    if not readings:
        return ()
    told = "\n".join((row.title, row.text, *row.tags, *row.entities))
    spelled: dict[str, str] = {}
    for term, word in tokens.question(told, stem):
        spelled.setdefault(term, word)
    return tuple(
        ReadAs(
            word,
            " ".join(spelled.get(term, term) for term in reading.terms),
            reading.kind,
            round(reading.share, 2),
        )
        for word, reading in readings
    )


def respelled(rows: Iterable[Sequence[ReadAs]]) -> dict[str, list[str]]:
    """Word of the question -> the words that it was read as in these rows.

    Only of words that stand nowhere as they were spelled; the likeliest come first.
    """
    found: dict[str, dict[str, float]] = {}
    for readings in rows:
        for reading in readings:
            if reading.kind == SPELLING:
                found.setdefault(reading.word, {}).setdefault(
                    reading.read_as, reading.share
                )
    return {
        word: sorted(others, key=lambda other: -others[other])
        for word, others in found.items()
    }


def sentence(word: str, others: Sequence[str]) -> str:
    """The line for people: "postgress: read as postgres"."""
    return f"{word}: read as {', '.join(others)}"
