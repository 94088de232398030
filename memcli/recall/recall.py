"""Recall: the entries that answer a question, and how far to trust them.

Invariant: nothing is shown that `eligibility.verdict` refuses; the same vault and
query give the same rows; an answer without a match says so. The log of signals gets
one line, nothing else is written.
"""

from __future__ import annotations

from functools import partial
from itertools import islice

from memcli.entries.eligibility import DEFAULT_STATUSES
from memcli.entries.entry import Status
from memcli.entries.text import tokens
from memcli.recall import question as asking
from memcli.recall import scorer as scorers
from memcli.recall.filters import admitted, unknown_warnings, within
from memcli.recall.query import Query, checked
from memcli.recall.results import (
    Recalled,
    Row,
    fit,
    held_against_code,
    index_warnings,
    read_as,
    row_of,
)
from memcli.search.ranking import rank
from memcli.search.ranking.corpus import SPELLING, Question, Scope, Weights
from memcli.search.ranking.graph import EntryLinks
from memcli.search.ranking.order import Hit
from memcli.storage import known_vaults
from memcli.vault import registry as store
from memcli.vault import signals

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Any

    from memcli.entries.text.time_windows import Window
    from memcli.recall.scorer import Scorer
    from memcli.search.ranking.order import Adjust
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults

# Files that cannot be read are named in each answer, but not a thousand of them.
_MOST_BROKEN = 10
# A word weighs this much besides its idf. In a vault of three notes about deploying,
# "deploy" has an idf of .1 and would count for nothing; on LoCoMo it changes nothing.
_FLOOR = 2.0


def recall(sources: Vault | Vaults, query: Query) -> Recalled:
    """Answer a question with ranked rows.

    Raises:
        InvalidValue: the query names what does not exist, see `query.checked`.
    """
    # One scorer for all, or their scores would not compare: that of the first.
    scorer = scorers.load(sources.vaults[0].root)
    return answered(sources, query, partial(look, scorer=scorer))


def answered(
    sources: Vault | Vaults,
    query: Query,
    look: Callable[[Reader, Query], Recalled],
    layers: Mapping[str, int] | None = None,
) -> Recalled:
    """The one answer of all vaults: held against the code of now, and noted.

    Args:
        sources: the vaults that are asked.
        query: what is asked.
        look: answers for one of them.
        layers: how many rows of each layer, where the answer is in their order.
    """
    many = len(sources.vaults) > 1
    # A limit of characters is for all together.
    each = query._replace(max_chars=None) if many else query

    def explained(reader: Reader, query: Query) -> Recalled:
        # `look` alone does not say why there is no better row, for hooks wait for it.
        answer = look(reader, query)
        if many:  # the row of one may be cut
            answer = answer._replace(**constraints(reader, query, (), query.most))
        if not answer.rows and answer.omitted:
            return answer
        from memcli.recall import confidence

        if answer.rows:
            words = [row.matched for row in answer.rows]
            none = confidence.why_no_better(reader, query, words, answer.weights)
        else:
            none = confidence.why_none(reader, query, answer.missing_terms)
        return answer._replace(no_match=none)

    answers, warnings = ask(sources, each, explained)
    answer: Recalled = answers[0][1]
    if many:
        from memcli.recall import federated

        answer = federated.merged(answers, query, layers)
    if query.view.as_of is None:  # the code at that time is not looked at
        answer = held_against_code(sources.vaults[0], answer, [*(layers or ())])
    for vault, _ in answers:
        # In the order of layers there is no rank that a scorer could learn.
        ranked, beside = answer.rows, answer.constraints
        if layers is not None:
            ranked, beside = [], [*ranked, *beside]
        # The ranks are those of the whole answer.
        placed = [*enumerate(ranked, 1), *((None, row) for row in beside)]
        own = [
            signals.row(
                row, rank=rank, score=row.score, channels=row.channels, parts=row.parts
            )
            for rank, row in placed
            if row.source == vault.source
        ]
        vault.recorder.recalled(query.text, own)
    return answer._replace(warnings=warnings)


def ask(
    sources: Vault | Vaults, query: Query, look: Callable[[Reader, Query], Any]
) -> tuple[list[tuple[Vault, Any]], list[str]]:
    """The answer of each vault to a query, and the warnings of all.

    Raises:
        MemcliError: as `query.checked`; a vault cannot be read.
    """
    if len(sources.vaults) > 1:  # one is the usual case, and loads nothing of theirs
        from memcli.recall import federated

        return federated.ask(sources, query, look)  # type: ignore[arg-type]
    (vault,) = sources.vaults
    narrow = checked(query, vault)
    answer = vault.read(lambda reader: look(reader, narrow))
    warnings = [*getattr(sources, "warnings", ()), *answer.warnings]
    return [(vault, answer)], warnings + index_warnings(vault)


def look(reader: Reader, query: Query, *, scorer: Scorer | None = None) -> Recalled:
    """A recall within a read that the caller holds.

    Args:
        reader: the vault's index.
        query: as `checked` gives it.
        scorer: what was learned from use; None means the vault's own.
    """
    window = asking.window_of(query)
    question = asking.read(reader, query, window)
    scorer = scorer or scorers.load(reader.root)
    weights = weights_of(query)
    ranking = _ranking(reader, query, question, weights, scorer, window)
    named = question.named if weights.depth else None
    reader.fetch_rows([hit.doc for hit in ranking.hits])
    answers = [_answer(reader, query, hit, named) for hit in ranking.hits]
    rows, omitted = fit(answers, query.max_chars)
    docs = {row.path: hit.doc for row, hit in zip(answers, ranking.hits, strict=True)}
    shown = {docs[row.path] for row in rows}
    weighed = {term.word: _FLOOR + term.idf for term in ranking.terms}
    warnings = unknown_warnings(reader, query.filters)
    warnings += _replacements(reader, query, rows)
    if scorer.problem:
        warnings.append(scorer.problem)
    if not question.terms and question.inside is None and not rows:
        warnings.append("the question holds no word to search for")
    return Recalled(
        query=query.text,
        rows=rows,
        **constraints(reader, query, shown),
        coverage=round(ranking.coverage, 3),
        missing_terms=list(dict.fromkeys(ranking.missing)),
        window=asking.echo(query.filters, window),
        omitted=omitted,
        warnings=warnings + broken_warnings(reader),
        weights={w: weighed[w] for _, w in question.terms if w in weighed},
    )


def _replacements(reader: Reader, query: Query, rows: Iterable[Row]) -> list[str]:
    """The candidates that may replace one of these rows, and wait for a review.

    A candidate names what it speaks against as its evidence. Where nobody reviews
    (`review_mode = "silent"`) this is the only place that says so.
    """
    if query.view.as_of is not None or not reader.exact("status", str(Status.PENDING)):
        return []
    view = query.view._replace(statuses=frozenset({Status.PENDING}))
    found = []
    for row in rows:
        for doc in reader.exact("evidence", row.id):
            if reader.verdict(doc, view) is None:
                one = reader.row(doc)
                what = f"{one.id} ({one.title}) waits for review, and may replace"
                found.append(f"{what} {row.id}: memcli review {one.id}")
    return found


def weights_of(query: Query) -> Weights:
    """The weights that look as far as the query's budget and depth do."""
    weights = Weights(pool=query.pool, depth=query.depth)
    past = Status.SUPERSEDED in query.view.statuses and query.view.as_of is None
    if not past:  # what was current at another moment is no past version there
        weights = weights._replace(superseded=0.0)
    if query.depth:
        return weights
    return weights._replace(entity=0.0, session=0.0, after=(), before=())


def _ranking(
    reader: Reader,
    query: Query,
    question: Question,
    weights: Weights,
    scorer: Scorer,
    window: Window | None,
) -> rank.Ranking:
    """The hits of a question: by its terms, or by its window when it has no terms."""
    view, filters = query.view, query.filters
    names = store.load(reader.root, reader.agent).names
    scope = Scope(
        partial(admitted, reader, view, filters),
        within(reader, query),
        EntryLinks(reader, names.meant).edges if weights.depth else None,
    )
    inside = question.inside
    if not question.terms:
        if window is None or inside is None:
            return rank.Ranking([], [], [])
        # Those in the window, the newest first: "what did we do last week?".
        docs = reader.dated(window.after, window.before)
        dated = [*scope.holding([doc for doc in docs if inside(doc)])]
        times, orders = reader.columns.times, reader.columns.orders
        dated.sort(key=lambda doc: (-inside(doc), -times[doc], orders[doc]))
        first = dated[: query.most]
        hits = [Hit(d, inside(d), {"temporal": inside(d)}, ()) for d in first]
        return rank.Ranking(hits, [], [])
    return rank.rank(
        question,
        reader,
        limit=query.most,
        scope=scope,
        weights=weights,
        adjust=_adjust(reader, scorer),
    )


def _answer(
    reader: Reader, query: Query, hit: Hit, named: Collection[str] | None
) -> Row:
    """The row of a hit; `named` are the names of entities in the question.

    None instead of them means that no path to the hit is wanted.
    """
    stored = reader.row(hit.doc)
    readings = [
        (word, reading)
        for word, reading in hit.read
        if query.explain or reading.kind == SPELLING
    ]
    read = read_as(readings, stored, tokens.stemmer())
    explain = None
    if query.explain:
        explain = {
            "matched": list(hit.matched),
            **{name: round(part, 4) for name, part in hit.parts.items() if part},
            "read": [one._asdict() for one in read],
            "path": [] if named is None else _path(reader, hit, stored, named),
        }
    return row_of(reader, query.view, hit.doc, query.source)._replace(
        score=round(hit.score, 4),
        channels=signals.channels(hit.parts),
        explain=explain,
        parts=hit.parts,
        read=read,
        matched=(*hit.matched, *(word for word, _ in hit.read)),
    )


def _adjust(reader: Reader, scorer: Scorer) -> Adjust | None:
    """The factor that the vault's scorer gives a document, when it takes part."""
    if not scorer.takes_part:
        return None
    adjust = scorer.adjust
    return lambda doc, parts: adjust(signals.features(parts, reader.row(doc).writer))


def _path(
    reader: Reader, hit: Hit, stored: StoredRow, named: Collection[str]
) -> list[dict[str, str]]:
    """The steps from the question to an entry, without those two.

    They go over the graph, or else over an entity that the question names.
    """
    if hit.step is None:
        names = stored.entities
        about = (name for name in names if tokens.name_key(name) in named)
        return [{"entity": name} for name in about][:1]
    step = hit.step
    over = {step.kind: step.name} if step.name else {"over": step.kind}
    return [{"entry": reader.row(step.doc).id}, over]


def constraints(
    reader: Reader, query: Query, shown: Collection[int], besides: int = 0
) -> dict[str, Any]:
    """Constraints in force and in scope that are not among the documents shown, pinned
    ones first, then the newest: five and so many `besides`; and how many more."""
    view = query.view._replace(here=query.scope, statuses=DEFAULT_STATUSES)
    in_force = (
        doc
        for doc in reader.newest(reader.exact("kind", "constraint"))
        if doc not in shown and reader.verdict(doc, view) is None
    )
    found = list(islice(in_force, asking.COUNTED_CONSTRAINTS))
    newest = found[: asking.MOST_CONSTRAINTS + besides]
    reader.fetch_rows(newest)
    rows = [row_of(reader, view, doc, query.source) for doc in newest]
    told = [row._replace(channels=["constraint"]) for row in rows]
    if query.source != known_vaults.PERSONAL:
        from memcli.entries.text.prompt_injection import of_entry

        # They come unasked: what others wrote as an order to the model is left out, as
        # hooks leave it out.
        told = [r for r in told if not of_entry(r.title, r.text, query.source)]
    return {"constraints": told, "more_constraints": len(found) - len(newest)}


def broken_warnings(reader: Reader) -> list[str]:
    """Warnings of the files that cannot be read."""
    broken = reader.broken
    warnings = [
        f"{item.path}:{item.line}: {item.reason}; not searched"
        for item in broken[:_MOST_BROKEN]
    ]
    if len(broken) > _MOST_BROKEN:
        from memcli.entries.text.counted import counted

        rest = counted(len(broken) - _MOST_BROKEN, "more file")
        warnings.append(f"not searched: {rest}: memcli inspect lint")
    return warnings
