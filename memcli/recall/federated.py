"""Several vaults asked as one: the user's own, and those of teams.

Invariant: they answer as one vault that held everything would. Words are weighed over
all of them, so scores compare, and each row says in `source` where it is from. Each
vault hides from an agent what it hides when it is asked alone, and its log names its
own rows. Nothing else is written.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from itertools import chain, zip_longest
from typing import TypeVar

from memcli.errors import MemcliError, Unreadable
from memcli.recall import code_rows
from memcli.recall import question as asking
from memcli.recall import recall as of_one
from memcli.recall import scorer as scorers
from memcli.recall.query import Query, checked
from memcli.recall.results import (
    Recalled,
    Row,
    constraints_of,
    fit,
    mark,
    noted,
    of_source,
)
from memcli.search.ranking.rank import COVERING
from memcli.storage.files import reason_of
from memcli.vault.vaults import not_asked

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memcli.recall.listing import Listed, Wish
    from memcli.recall.no_match import NoMatch
    from memcli.recall.reflect import Gathered, Reflection
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults

    _Held = tuple[Vault, Reader, Query]

_Answer = TypeVar("_Answer")


def recall(vaults: Vaults, query: Query) -> Recalled:
    """Answer a question from all vaults; as `recall.recall` otherwise."""
    if len(vaults.vaults) == 1:
        answer = of_one.recall(vaults.vaults[0], query)
        return answer._replace(warnings=[*vaults.warnings, *answer.warnings])
    # One scorer for all, or their scores would not compare: that of the first.
    scorer = scorers.load(vaults.vaults[0].root)
    # The limit of characters is for all together.
    each = query._replace(max_chars=None)
    answers, warnings = _ask(
        vaults, each, lambda reader, query: of_one.look(reader, query, scorer=scorer)
    )
    answers = [(vault, of_one.labelled(vault, answer)) for vault, answer in answers]
    merged = _merged(answers, query)
    if query.view.as_of is None:
        merged = code_rows.answered(vaults.vaults[0], merged)
    for vault, _ in answers:
        rows = noted(merged.rows, merged.constraints, vault.source)
        vault.recorder.recalled(query.text, rows)
    if not (merged.rows or merged.omitted):
        merged = merged._replace(no_match=_no_match(vaults, each))
    return merged._replace(
        warnings=warnings + _warnings((v, a.warnings) for v, a in answers)
    )


def enumerate_all(vaults: Vaults, query: Query, cursor: str | None = None) -> Recalled:
    """Every entry of all vaults, oldest first; as `recall.enumerate_all`."""
    answers, warnings, refusals = [], list(vaults.warnings), []
    for vault in vaults.vaults:
        try:
            answers.append((vault, of_one.enumerate_all(vault, query, cursor)))
        except MemcliError as error:
            if vaults.named:
                raise
            refusals.append(error)
            warnings.append(not_asked(vault.source, error))
    if not answers:
        raise refusals[0]
    rows = [row for _, answer in answers for row in answer.rows]
    rows.sort(key=lambda row: (mark(row), row.source))
    more = any(answer.next_cursor for _, answer in answers)
    shown = rows[: query.limit]
    if len(shown) < len(rows):
        # Copies of one entry go together: a cursor cannot stand between them.
        last = mark(shown[-1]) if shown else ""
        copies = [row for row in rows[len(shown) :] if mark(row) == last]
        shown += copies
    more = more or len(shown) < len(rows)
    return answers[0][1]._replace(
        rows=shown,
        next_cursor=mark(shown[-1]) if shown and more else None,
        warnings=warnings + _warnings((v, a.warnings) for v, a in answers),
    )


def listed(vaults: Vaults, wish: Wish) -> Listed:
    """The newest entries of all vaults; as `listing.listed`."""
    from memcli.recall import listing

    if len(vaults.vaults) == 1:
        answer = listing.listed(vaults.vaults[0], wish)
        return answer._replace(warnings=[*vaults.warnings, *answer.warnings])
    answers, warnings = _ask(
        vaults,
        wish.query,
        lambda reader, query: listing.look(reader, wish._replace(query=query)),
    )
    merged = listing.merged([listing.labelled(v, a) for v, a in answers], wish)
    warnings += _warnings((v, a.warnings) for v, a in answers)
    return merged._replace(warnings=warnings)


def reflect(vaults: Vaults, query: Query) -> Reflection:
    """Gather from all vaults what answers a question; as `reflect.reflect`."""
    from memcli.recall import reflect as of_question

    if len(vaults.vaults) == 1:
        reflection = of_question.reflect(vaults.vaults[0], query)
        return reflection._replace(warnings=[*vaults.warnings, *reflection.warnings])
    answers, warnings = _ask(vaults, query, of_question.gather)
    answers = [
        (
            vault,
            gathered._replace(
                rows=of_source(gathered.rows, vault.source),
                constraints=constraints_of(gathered.constraints, vault.source),
            ),
        )
        for vault, gathered in answers
    ]
    merged = _gathered(answers, query)
    if query.view.as_of is None:
        merged = of_question.in_code(vaults.vaults[0], merged)
    for vault, _ in answers:
        rows = of_question.logged(merged, vault.source)
        vault.recorder.recalled(query.text, rows)
    if not merged.rows:
        merged = merged._replace(no_match=_no_match(vaults, query))
    warnings += _warnings((v, a.warnings) for v, a in answers)
    return of_question.conclude(query, merged._replace(warnings=warnings))


# --- asking -------------------------------------------------------------------------


def _ask(
    vaults: Vaults, query: Query, answer: Callable[[Reader, Query], _Answer]
) -> tuple[list[tuple[Vault, _Answer]], list[str]]:
    """The answer of each vault while all are read, and the warnings.

    An index that is damaged is repaired, as when its vault is asked alone.

    Raises:
        MemcliError: a named vault, or every vault, cannot be asked.
    """
    try:
        return _ask_once(vaults, query, answer)
    except MemcliError:
        raise
    except Exception as error:
        mended = [_mended(vault, error) for vault in vaults.vaults]
        if not any(mended):
            raise
    return _ask_once(vaults, query, answer)


def _mended(vault: Vault, error: Exception) -> bool:
    with suppress(MemcliError):  # it is not asked, for that reason
        return vault.index.opened.mend(error)
    return False


def _reader(vault: Vault) -> Reader:
    """A reader of a vault; a disk that fails twice is a reason not to ask it."""
    try:
        try:
            return vault.index.reader()
        except OSError as error:
            vault.index.opened.mend(error)
            return vault.index.reader()
    except OSError as error:
        raise Unreadable(f"{vault.root}: {reason_of(error)}") from error


def _ask_once(
    vaults: Vaults, query: Query, answer: Callable[[Reader, Query], _Answer]
) -> tuple[list[tuple[Vault, _Answer]], list[str]]:
    warnings, refusals = list(vaults.warnings), []

    def leave_out(vault: Vault, error: MemcliError) -> None:
        if vaults.named:
            raise error
        refusals.append(error)
        warnings.append(not_asked(vault.source, error))

    with ExitStack() as stack:
        held: list[_Held] = []
        for vault in vaults.vaults:
            try:
                narrow = checked(query, vault)
                reader = _reader(vault)
                if vault is vaults.own:
                    _count_resolved(vaults, reader, stack)
                held.append((vault, reader, narrow))
            except MemcliError as error:
                leave_out(vault, error)

        def alone() -> None:
            # An index keeps its reader for the next question, which is asked alone.
            for vault, reader, _ in held:
                with suppress(MemcliError):
                    reader.weigh_with(())
                vault.index.opened.release()

        stack.callback(alone)
        answers = _weighed(held, answer, leave_out)
        if not held:
            raise refusals[0]
    notes = ((vault, of_one.index_warnings(vault)) for vault, _, _ in held)
    return answers, warnings + _warnings(notes)


def _weighed(
    held: list[_Held],
    answer: Callable[[Reader, Query], _Answer],
    leave_out: Callable[[Vault, MemcliError], None],
) -> list[tuple[Vault, _Answer]]:
    """The answer of each vault, with its words weighed over all of them.

    Args:
        held: the vaults; one whose database ends meanwhile is taken out.
        answer: gives a vault's answer.
        leave_out: is told each vault that is taken out, and the error.
    """
    while held:
        readers = [reader for _, reader, _ in held]
        try:
            for reader in readers:
                reader.weigh_with([other for other in readers if other is not reader])
            return [(vault, answer(reader, narrow)) for vault, reader, narrow in held]
        except MemcliError as error:
            # Each asks the others for their words: any of them may be the one.
            lost = [vault for vault, *_ in held if vault.index.has_failed(error)]
            if not lost:
                raise
            held[:] = [one for one in held if one[0] not in lost]
            for vault in lost:
                leave_out(vault, error)
    return []


def _count_resolved(vaults: Vaults, own: Reader, stack: ExitStack) -> None:
    """Let the readers of the other vaults know what the own one has resolved.

    Each would ask the own vault's files once more, otherwise.
    """
    claims = own.claims.own
    for vault in vaults.vaults:
        if vault is not vaults.own:
            index = vault.index
            stack.callback(setattr, index, "elsewhere", index.elsewhere)
            index.elsewhere = lambda: claims


def _warnings(notes: Iterable[tuple[Vault, Sequence[str]]]) -> list[str]:
    """The warnings that all vaults give, then each vault's own with its name."""
    by_vault = [(vault.source, texts) for vault, texts in notes]
    every = chain.from_iterable(texts for _, texts in by_vault)
    common = [
        text
        for text in dict.fromkeys(every)
        if len(by_vault) > 1 and all(text in texts for _, texts in by_vault)
    ]
    return common + [
        f"{source}: {text}"
        for source, texts in by_vault
        for text in texts
        if text not in common
    ]


# --- one answer ---------------------------------------------------------------------


def _best(rows: Sequence[Row]) -> list[int]:
    """Places of rows, best first; equal scores by the newest, then the id."""
    by_id = sorted(range(len(rows)), key=lambda i: (rows[i].id, rows[i].source))
    by_id.sort(key=lambda i: rows[i].occurred_at or rows[i].created, reverse=True)
    return sorted(by_id, key=lambda i: -rows[i].score)


def _merged(answers: Sequence[tuple[Vault, Recalled]], query: Query) -> Recalled:
    rows = [row for _, answer in answers for row in answer.rows]
    order = _best(rows)
    shown, omitted = fit([rows[i] for i in order[: query.most]], query.max_chars)
    told, more = _constraints([rows[i] for i in order], shown, answers)
    windows = (answer.window for _, answer in answers if answer.window)
    first = answers[0][1]
    return first._replace(
        rows=shown,
        omitted=omitted,
        constraints=told,
        more_constraints=more,
        coverage=round(max((rows[i].share for i in order[:COVERING]), default=0.0), 3),
        missing_terms=[
            word
            for word in first.missing_terms
            if all(word in answer.missing_terms for _, answer in answers)
        ],
        window=next(windows, None),
    )


def _no_match(vaults: Vaults, query: Query) -> NoMatch:
    """Why none of the vaults has an answer."""
    from memcli.recall import no_match

    answers, _ = _ask(vaults, query, of_one.no_match)
    return no_match.merged([answer for _, answer in answers])


def _constraints(
    rows: Sequence[Row],
    shown: Sequence[Row],
    answers: Sequence[tuple[Vault, Recalled | Gathered]],
) -> tuple[list[Row], int]:
    """The constraints of all vaults that no row shows, and how many more there are.

    A vault's constraints stand beside its rows; one whose row is cut joins them.

    Args:
        rows: those of all vaults, best first.
        shown: those that are left of them.
        answers: of each vault.
    """
    places = {(row.source, row.path) for row in shown}
    joining = [
        row._replace(score=0.0, channels=["constraint"], explain=None, parts=None)
        for row in rows
        if row.kind == "constraint" and (row.source, row.path) not in places
    ]
    beside = zip_longest(*(answer.constraints for _, answer in answers))
    found = [*joining, *filter(None, chain.from_iterable(beside))]
    told = found[: asking.MOST_CONSTRAINTS]
    more = sum(answer.more_constraints for _, answer in answers)
    return told, more + len(found) - len(told)


def _gathered(answers: Sequence[tuple[Vault, Gathered]], query: Query) -> Gathered:
    from memcli.recall import reflect as of_question

    rows = [row for _, answer in answers for row in answer.rows]
    matched = [words for _, answer in answers for words in answer.matched]
    order = _best(rows)
    chosen = [
        place
        for layer, count in of_question.most(query).items()
        for place in [i for i in order if rows[i].layer == layer][:count]
    ][: query.limit]
    windows = (answer.window for _, answer in answers if answer.window)
    excluded = chain.from_iterable(answer.excluded for _, answer in answers)
    shown = [rows[i] for i in chosen]
    told, more = _constraints([rows[i] for i in order], shown, answers)
    return answers[0][1]._replace(
        rows=shown,
        constraints=told,
        more_constraints=more,
        matched=[matched[i] for i in chosen],
        weights={k: v for _, answer in answers for k, v in answer.weights.items()},
        ends={k: v for _, answer in answers for k, v in answer.ends.items()},
        excluded=list(excluded)[: of_question.MOST_EXCLUDED],
        window=next(windows, None),
    )
