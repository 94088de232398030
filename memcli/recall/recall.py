"""Recall: the entries that answer a question, and how far to trust them.

Invariant: nothing is shown that `eligibility.verdict` refuses; the same vault and
question give the same rows; and no match is said to be no match. Nothing is
written but a line in the log of signals.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from memcli.entries.checks import check_choice
from memcli.entries.eligibility import DEFAULT_STATUSES, HISTORY_STATUSES, View
from memcli.entries.entry import Status
from memcli.entries.text import tokens
from memcli.errors import InvalidValue
from memcli.recall import question as asking
from memcli.recall import scorer_store
from memcli.recall.filters import (
    EVERYTHING,
    Admission,
    Filters,
    checked,
    unknown_warnings,
    within,
)
from memcli.recall.results import (
    FACT,
    Recalled,
    Row,
    fit,
    mark,
    noted,
    of_source,
    row_of,
)
from memcli.search.edges import EntryLinks
from memcli.search.ranking import bm25
from memcli.vault import staleness
from memcli.vault.signals import event

__all__ = ["EVERYTHING", "Filters", "Recalled", "Row", "checked", "recall", "view"]

if TYPE_CHECKING:
    from memcli.search.ranking.corpus import Inside
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Vault

BUDGETS = {"low": (5, 60), "mid": (10, 100), "high": (20, 500)}
"""Budget -> (rows by default, lexical matches that get the closer look)."""

DEPTHS = (0, 1, 2)
"""How many hops over the graph a recall may go; one is the default."""

MOST_CONSTRAINTS = 5
"""Constraints surface whatever their score, but never crowd the answer out."""


def view(
    now: int,
    *,
    statuses: Sequence[str] = (),
    history: bool = False,
    as_of: int | None = None,
    kinds: Sequence[str] = (),
) -> View:
    """The view that `--status`, `--history` and `--as-of` ask for.

    Who asks for ideas, and for nothing else, means those that are incubating, too:
    whoever asks for facts gets no idea that nobody has decided on.
    """
    chosen = frozenset(check_choice(Status, name, "status") for name in statuses)
    if not chosen and set(kinds) == {"idea"}:
        chosen = DEFAULT_STATUSES | {Status.PENDING}
    if history:
        chosen |= HISTORY_STATUSES
    return View(now=now, statuses=chosen or DEFAULT_STATUSES, as_of=as_of)


def recall(
    vault: "Vault",
    query: str,
    *,
    view: View,
    filters: Filters = EVERYTHING,
    limit: int | None = None,
    budget: str = "mid",
    max_chars: int | None = None,
    explain: bool = False,
    depth: int = 1,
) -> Recalled:
    """Answer a question with ranked rows.

    Args:
        vault: where to look.
        query: words or a question in natural language.
        view: which statuses, as seen when.
        filters: what an entry must be.
        limit: rows at most; the budget decides when it is None.
        budget: `low`, `mid` or `high`: how many rows, and how far to look.
        max_chars: total characters of the rows' texts; rows that do not fit are
            left out whole, and counted.
        explain: attach the pieces of each row's score, and what led to it.
        depth: hops over entities, links and lineage, 0 to 2; with 0 neither what an
            entry is tied to nor what stands beside it counts, but its words alone.

    Raises:
        InvalidValue: an unknown kind, type, layer, budget or tags_match; a depth that
            is not 0, 1 or 2.
    """
    filters = checked(filters, vault)
    limit, weights = extent_of(budget, limit, depth)
    found = vault.read(
        lambda reader: look(
            reader,
            query,
            view=view,
            filters=filters,
            limit=limit,
            weights=weights,
            max_chars=max_chars,
            explain=explain,
        )
    )
    found = of(vault, found)
    vault.recorder.recalled(query, noted(found.rows, found.constraints))
    return found._replace(warnings=found.warnings + index_warnings(vault))


def extent_of(
    budget: str, limit: int | None, depth: int = 1
) -> tuple[int, bm25.Weights]:
    """How many rows to return, and the weights that look as far as a budget does.

    Raises:
        InvalidValue: an unknown budget, or no such depth.
    """
    rows, pool = BUDGETS[check_budget(budget)]
    if depth not in DEPTHS:
        raise InvalidValue(
            f"depth must be 0, 1 or 2 (got {depth!r})", code="invalid_depth"
        )
    limit = rows if limit is None else limit
    pool = max(pool, 2 * limit)
    if depth:
        return limit, bm25.Weights(pool=pool, depth=depth)
    return limit, bm25.Weights(
        pool=pool, depth=0, entity=0.0, session=0.0, after=(), before=()
    )


def enumerate_all(
    vault: "Vault",
    *,
    view: View,
    filters: Filters = EVERYTHING,
    limit: int | None = None,
    cursor: str | None = None,
) -> Recalled:
    """Every entry that the filters admit, by id (oldest first), a page at a time.

    Args:
        limit: rows a page; None gives all.
        cursor: `next_cursor` of the page before.
    """
    filters = checked(filters, vault)

    def page(reader: "Reader") -> Recalled:
        admit = Admission(reader, view, filters)
        chosen = within(reader, filters)
        docs = reader.everything() if chosen is None else chosen
        rows = [reader.row(doc) for doc in docs if admit(doc)]
        rows.sort(key=lambda row: (row.id, row.path))
        if cursor:
            rows = [row for row in rows if mark(row) > cursor]
        shown = rows if limit is None else rows[:limit]
        more = mark(shown[-1]) if shown and len(shown) < len(rows) else None
        return Recalled(
            query=None,
            rows=[_aged(reader, view, row, row_of(row, 0.0, [])) for row in shown],
            constraints=[],
            coverage=0.0,
            missing_terms=[],
            window=asking.echo(filters),
            next_cursor=more,
            omitted=0,
            warnings=unknown_warnings(reader, filters) + _broken_warnings(reader),
        )

    found = of(vault, vault.read(page))
    return found._replace(warnings=found.warnings + index_warnings(vault))


def look(
    reader: "Reader",
    query: str,
    *,
    view: View,
    filters: Filters,
    limit: int,
    weights: bm25.Weights,
    max_chars: int | None = None,
    explain: bool = False,
    scorer: scorer_store.Kept | None = None,
) -> Recalled:
    """A recall within a read that the caller holds; filters are `checked`.

    Without a `scorer` it is the vault's own.
    """
    admit = Admission(reader, view, filters)
    question = asking.asked(reader, query, view, filters)
    inside = question.inside
    chosen = within(reader, filters)
    scorer = scorer or scorer_store.kept(reader.root)
    if inside is not None and not question.terms:
        ranked = _in_window(reader, inside, admit, chosen, limit)
    else:
        ranked = bm25.rank(
            question.terms,
            reader,
            limit=limit,
            now=view.now,
            admit=None if admit.admits_all else admit,
            within=chosen,
            named={doc for docs in question.named.values() for doc in docs}
            if weights.entity
            else (),
            inside=inside,
            implied=question.implied if weights.depth else None,
            links=EntryLinks(reader) if weights.depth else None,
            weights=weights,
            adjust=_adjust(reader, scorer),
        )
    answers = []
    for hit in ranked.hits:
        detail = None
        stored = reader.row(hit.doc)
        if explain:
            detail = {
                "matched": list(hit.matched),
                **{name: round(part, 4) for name, part in hit.parts.items() if part},
                "path": _path(reader, hit, stored, question.named)
                if weights.depth
                else [],
            }
        row = row_of(stored, round(hit.score, 4), event.channels(hit.parts), detail)
        row = row._replace(parts=hit.parts)
        answers.append(_aged(reader, view, stored, row))
    rows, omitted = fit(answers, max_chars)
    paths = {row.path for row in rows}
    shown = {
        hit.doc
        for hit, row in zip(ranked.hits, answers, strict=True)
        if row.path in paths
    }
    warnings = unknown_warnings(reader, filters)
    if scorer.problem:
        warnings.append(scorer.problem)
    if not question.terms and inside is None:
        warnings.append("the question holds no word to search for")
    return Recalled(
        query=query,
        rows=rows,
        constraints=_constraints(reader, view, shown),
        coverage=round(ranked.coverage, 3),
        missing_terms=list(dict.fromkeys(ranked.missing)),
        window=question.echo(filters),
        next_cursor=None,
        omitted=omitted,
        warnings=warnings + _broken_warnings(reader),
    )


def _adjust(reader: "Reader", kept: scorer_store.Kept) -> bm25.Adjust | None:
    """The factor that the vault's scorer gives a document, when it takes part."""
    if kept.active is None:
        return None
    adjust = kept.active.adjust
    return lambda doc, parts: adjust(event.features(parts, reader.row(doc).writer))


def _in_window(
    reader: "Reader",
    inside: "Inside",
    admit: Admission,
    chosen: Collection[int] | None,
    limit: int,
) -> bm25.Ranking:
    """What is in the window, the newest first: "what did we do last week?"."""
    docs = reader.everything() if chosen is None else chosen
    found = [doc for doc in docs if inside(doc) and admit(doc)]
    times, orders = reader.columns.times, reader.orders
    found.sort(key=lambda doc: (-inside(doc), -times[doc], orders[doc]))
    hits = [
        bm25.Hit(doc, inside(doc), {"temporal": inside(doc)}, ())
        for doc in found[:limit]
    ]
    return bm25.Ranking(hits, [], 1.0 if hits else 0.0, [])


def of(vault: "Vault", found: Recalled) -> Recalled:
    """What a vault answered, with what the vault is called as the rows' source."""
    return found._replace(
        rows=of_source(found.rows, vault.source),
        constraints=of_source(found.constraints, vault.source),
    )


def _path(
    reader: "Reader",
    hit: bm25.Hit,
    stored: "StoredRow",
    named: Collection[str],
) -> list[dict[str, str]]:
    """What led from the question to an entry, the question and the entry left out.

    Over the graph, or else over an entity that the question names.
    """
    if not hit.way:
        names = stored.entities
        about = (name for name in names if " ".join(tokens.words(name)) in named)
        return [{"entity": name} for name in about][:1]
    path = []
    for step in hit.way:
        path.append({"entry": reader.row(step.doc).id})
        path.append({step.kind: step.name} if step.name else {"over": step.kind})
    return path


def _constraints(reader: "Reader", view: View, shown: Collection[int]) -> list[Row]:
    """Constraints in force that no row shows, pinned ones first, then the newest."""
    docs = [
        doc
        for doc in reader.exact("kind", "constraint")
        if doc not in shown and reader.verdict(doc, view) is None
    ]
    stored = [reader.row(doc) for doc in reader.newest(docs)[:MOST_CONSTRAINTS]]
    return [
        _aged(reader, view, row, row_of(row, 0.0, ["constraint"])) for row in stored
    ]


def _aged(reader: "Reader", view: View, stored: "StoredRow", row: Row) -> Row:
    """The row with whether it still holds; facts rest on nothing."""
    if row.layer == FACT:
        return row
    why = staleness.reasons(reader, stored, view)
    return row._replace(
        stale=staleness.is_stale(stored, why),
        subtype=stored.subtype,
        stale_why=tuple(why),
    )


def check_budget(budget: str) -> str:
    """The name of a budget; InvalidValue for anything else."""
    if budget not in BUDGETS:
        raise InvalidValue(
            f"budget must be one of {', '.join(BUDGETS)} (got {budget!r})",
            code="invalid_budget",
        )
    return budget


def _broken_warnings(reader: "Reader") -> list[str]:
    return [
        f"{item.path}:{item.line}: {item.reason}; not searched"
        for item in reader.broken
    ]


def index_warnings(vault: "Vault") -> list[str]:
    """What the rows may lack: files that could not be looked at."""
    warnings = [
        f"{folder}/ cannot be listed; its entries are shown as they were"
        for folder in vault.index.unreadable
    ]
    if vault.index.stale:
        warnings.append("another process is indexing; these are older answers")
    return warnings
