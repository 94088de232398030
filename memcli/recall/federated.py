"""Several vaults asked as one: the user's own, and those of teams.

Invariant: they answer as one vault that held it all would: words are weighed over all
of them, so scores compare, and each row says in `source` where it is from. Each vault
hides from an agent what it hides when it is asked alone, and its log names
the rows that were its own. Nothing else is written.
"""

import os
from collections.abc import Callable, Sequence
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from memcli.entries.eligibility import View
from memcli.errors import InvalidValue, MemcliError
from memcli.recall import recall as one
from memcli.recall import scorer_store
from memcli.recall.recall import EVERYTHING, Filters
from memcli.recall.results import Recalled, Row, fit, mark, noted, of_source
from memcli.storage import known_vaults
from memcli.vault.vault import Vault

if TYPE_CHECKING:
    from memcli.recall.reflect import Found, Reflection
    from memcli.search.reader import Reader

_Answer = TypeVar("_Answer")


class Several(NamedTuple):
    """Vaults to ask, and whether each of them was `named`.

    What is wrong with a named one is an error; with another one, a warning.
    """

    vaults: tuple[Vault, ...]
    named: bool = True
    warnings: tuple[str, ...] = ()


class Known(NamedTuple):
    """A vault of the user, the personal one or one of the config, as it is now.

    `entries` and `problem`: one of them is None.
    """

    name: str
    source: str
    path: str | None
    role: str
    recall: bool
    hooks: bool
    entries: int | None
    problem: str | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**self._asdict(), "reachable": self.problem is None}


def known(**options: Any) -> list[Known]:
    """The personal vault, and those of the user's config, each looked at.

    Raises:
        InvalidConfig: the user's config cannot be understood.
    """
    from memcli.storage import settings

    environ = options.get("environ") or os.environ
    found = []
    teams = known_vaults.configured(environ)
    for name in (known_vaults.PERSONAL, *teams):
        entries, problem, path = None, None, None
        try:
            place = teams.get(name)
            path = place.path if place else settings.find_vault(name, environ)
            # An own vault that is also a team's has that one's role.
            place = place or known_vaults.at(path, environ)
            entries = Vault.open(name, **options).read(lambda reader: reader.size)
        except MemcliError as error:
            problem = error.message
        place = place or known_vaults.Place(name, path or "")
        found.append(
            Known(
                name=name,
                source=known_vaults.Place(name, "").source,
                path=path,
                role=place.role,
                recall=place.recall or name == known_vaults.PERSONAL,
                hooks=(place.recall and place.hooks) or name == known_vaults.PERSONAL,
                entries=entries,
                problem=problem,
            )
        )
    return found


def opened(
    words: Sequence[str] = (), *, personal_only: bool = False, **options: Any
) -> Several:
    """Open the vaults to ask.

    Args:
        words: names of the user's config, or paths; without any, the personal vault
            and those with `recall` on.
        personal_only: without words: the personal vault alone.
        options: as of `Vault`.

    Raises:
        VaultNotFound, NotAVault: a named one, or the only one, cannot be opened.
        InvalidConfig: the user's config cannot be understood.
        InvalidValue: words, and personal_only.
    """
    if words and personal_only:
        raise InvalidValue("name vaults, or ask for the personal one only; not both")
    if words:
        vaults = [Vault.open(word, **options) for word in words]
        if len(vaults) > 1:
            _label(vaults, options.get("environ") or os.environ)
        return Several(_distinct(vaults))
    environ = options.get("environ") or os.environ
    teams = [] if personal_only else list(known_vaults.configured(environ).values())
    teams = [place for place in teams if place.recall]
    if not teams:
        return Several((Vault.open(None, **options),))
    found, warnings, refusals = [], [], []
    for name in (known_vaults.PERSONAL, *(place.name for place in teams)):
        try:
            found.append(Vault.open(name, **options))
        except MemcliError as error:
            refusals.append(error)
            warnings.append(_not_asked(name, error))
    if not found:
        raise refusals[0]
    return Several(_distinct(found), named=False, warnings=tuple(warnings))


def recall(
    several: Several,
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
    """Answer a question from all vaults; as `memcli.recall.recall.recall` otherwise."""
    if len(several.vaults) == 1:
        found = one.recall(
            several.vaults[0],
            query,
            view=view,
            filters=filters,
            limit=limit,
            budget=budget,
            max_chars=max_chars,
            explain=explain,
            depth=depth,
        )
        return found._replace(warnings=[*several.warnings, *found.warnings])
    most, weights = one.extent_of(budget, limit, depth)

    # One scorer for all, or their scores would not compare: that of the first.
    scorer = scorer_store.kept(several.vaults[0].root)

    def look(reader: "Reader", narrow: Filters) -> Recalled:
        return one.look(
            reader,
            query,
            view=view,
            filters=narrow,
            limit=most,
            weights=weights,
            explain=explain,
            scorer=scorer,
        )

    answers, warnings = _ask(several, filters, look)
    answers = [(vault, one.of(vault, found)) for vault, found in answers]
    merged = _merged(answers, most, max_chars)
    for vault, _ in answers:
        rows = noted(merged.rows, merged.constraints, vault.source)
        vault.recorder.recalled(query, rows)
    return merged._replace(
        warnings=warnings + _warnings([(v, a.warnings) for v, a in answers]),
    )


def enumerate_all(
    several: Several,
    *,
    view: View,
    filters: Filters = EVERYTHING,
    limit: int | None = None,
    cursor: str | None = None,
) -> Recalled:
    """Every entry of all vaults, oldest first; as `recall.enumerate_all`."""
    answers, warnings = [], list(several.warnings)
    refusals = []
    for vault in several.vaults:
        try:
            found = one.enumerate_all(
                vault, view=view, filters=filters, limit=limit, cursor=cursor
            )
        except MemcliError as error:
            if several.named:
                raise
            refusals.append(error)
            warnings.append(_not_asked(vault.source, error))
            continue
        answers.append((vault, found))
    if not answers:
        raise refusals[0]
    rows = [row for _, found in answers for row in found.rows]
    rows.sort(key=lambda row: (mark(row), row.source))
    more = any(found.next_cursor for _, found in answers)
    shown = rows if limit is None else rows[:limit]
    if limit is not None:
        # Copies of one entry go together: a cursor cannot stand between them.
        last = mark(shown[-1]) if shown else ""
        shown += [row for row in rows[limit:] if mark(row) == last]
    more = more or len(shown) < len(rows)
    return answers[0][1]._replace(
        rows=shown,
        next_cursor=mark(shown[-1]) if shown and more else None,
        warnings=warnings + _warnings([(v, a.warnings) for v, a in answers]),
    )


def reflect(
    several: Several,
    query: str,
    *,
    view: View,
    filters: Filters = EVERYTHING,
    limit: int | None = None,
    budget: str = "mid",
) -> "Reflection":
    """Gather from all vaults what answers a question; as `reflect.reflect`."""
    from memcli.recall import reflect as reflection

    if len(several.vaults) == 1:
        vault = several.vaults[0]
        found = reflection.reflect(
            vault, query, view=view, filters=filters, limit=limit, budget=budget
        )
        return found._replace(warnings=[*several.warnings, *found.warnings])
    one.check_budget(budget)
    answers, warnings = _ask(
        several,
        filters,
        lambda reader, narrow: reflection.gather(
            reader, query, view, narrow, limit, budget
        ),
    )
    answers = [
        (vault, found._replace(rows=of_source(found.rows, vault.source)))
        for vault, found in answers
    ]
    merged = _gathered(answers, reflection.most(budget, limit), limit)
    for vault, _ in answers:
        rows = noted((), merged.rows, vault.source)
        vault.recorder.recalled(query, rows)
    notes = warnings + _warnings([(v, a.warnings) for v, a in answers])
    return reflection.conclude(query, merged._replace(warnings=notes), view, budget)


# --- asking -------------------------------------------------------------------------


def _ask(
    several: Several,
    filters: Filters,
    answer: "Callable[[Reader, Filters], _Answer]",
) -> tuple[list[tuple[Vault, _Answer]], list[str]]:
    """What each vault answers while all are read, and what else there is to say.

    Raises:
        MemcliError: a named vault, or every vault, cannot be asked.
    """
    warnings = list(several.warnings)
    refusals: list[MemcliError] = []

    def deeper(
        left: Sequence[Vault], held: "list[tuple[Vault, Reader, Filters]]"
    ) -> list[tuple[Vault, _Answer]]:
        if not left:
            if not held:
                raise refusals[0]
            return _weighed(held, answer)
        vault, entered = left[0], False

        def enter(reader: "Reader") -> list[tuple[Vault, _Answer]]:
            nonlocal entered
            entered = True
            return deeper(left[1:], [*held, (vault, reader, narrow)])

        try:
            narrow = one.checked(filters, vault)
            return vault.read(enter)
        except MemcliError as error:
            if entered or several.named:
                raise
            refusals.append(error)
            warnings.append(_not_asked(vault.source, error))
        return deeper(left[1:], held)

    answers = deeper(several.vaults, [])
    warnings += _warnings([(vault, one.index_warnings(vault)) for vault, _ in answers])
    return answers, warnings


def _weighed(
    held: "list[tuple[Vault, Reader, Filters]]",
    answer: "Callable[[Reader, Filters], _Answer]",
) -> list[tuple[Vault, _Answer]]:
    readers = [reader for _, reader, _ in held]
    try:
        for reader in readers:
            reader.weigh_with([other for other in readers if other is not reader])
        return [(vault, answer(reader, narrow)) for vault, reader, narrow in held]
    finally:
        for reader in readers:  # an index keeps its reader for the next question
            reader.weigh_with(())


def _not_asked(name: str, error: MemcliError) -> str:
    label = name if name == known_vaults.PERSONAL or ":" in name else f"team:{name}"
    return f"{label} was not asked: {error.message}"


def _warnings(said: "Sequence[tuple[Vault, Sequence[str]]]") -> list[str]:
    """What all say once, what one says with its name."""
    common = [
        text
        for text in dict.fromkeys(chain.from_iterable(texts for _, texts in said))
        if len(said) > 1 and all(text in texts for _, texts in said)
    ]
    return common + [
        f"{vault.source}: {text}"
        for vault, texts in said
        for text in texts
        if text not in common
    ]


def _distinct(vaults: Sequence[Vault]) -> tuple[Vault, ...]:
    """Each folder once, though it has two names."""
    found: dict[str, Vault] = {}
    for vault in vaults:
        found.setdefault(os.path.realpath(vault.root), vault)
    return tuple(found.values())


def _label(vaults: Sequence[Vault], environ: Any) -> None:
    """Tell apart what was named by the path of neither a team's vault nor the own."""
    from memcli.storage import settings

    own = os.path.realpath(settings.default_vault(environ) or "")
    for vault in vaults:
        unknown = vault.source == known_vaults.PERSONAL != vault.named
        if unknown and os.path.realpath(vault.root) != own:
            vault.source = f"path:{vault.root}"


# --- one answer ---------------------------------------------------------------------


def _best(rows: Sequence[Row]) -> list[int]:
    """Places of rows, best first; equal scores by the newest, then the id."""
    by_id = sorted(range(len(rows)), key=lambda i: (rows[i].id, rows[i].source))
    by_id.sort(key=lambda i: rows[i].occurred_at or rows[i].created, reverse=True)
    return sorted(by_id, key=lambda i: -rows[i].score)


def _merged(
    answers: Sequence[tuple[Vault, Recalled]], limit: int, max_chars: int | None
) -> Recalled:
    rows = [row for _, found in answers for row in found.rows]
    order = _best(rows)
    kept, omitted = fit([rows[i] for i in order[:limit]], max_chars)
    shown = {(row.source, row.path) for row in kept}
    cut = [
        rows[i]
        for i in order
        if rows[i].kind == "constraint" and (rows[i].source, rows[i].path) not in shown
    ]
    # A vault's constraints stand beside its rows; one whose row is cut joins them.
    more = [
        row._replace(score=0.0, channels=["constraint"], explain=None, parts=None)
        for row in cut
    ]
    by_turns = chain.from_iterable(
        zip_longest(*(found.constraints for _, found in answers))
    )
    constraints = [*more, *(row for row in by_turns if row is not None)]
    windows = (found.window for _, found in answers if found.window)
    return answers[0][1]._replace(
        rows=kept,
        omitted=omitted,
        constraints=constraints[: one.MOST_CONSTRAINTS],
        coverage=max(found.coverage for _, found in answers),
        missing_terms=[
            word
            for word in answers[0][1].missing_terms
            if all(word in found.missing_terms for _, found in answers)
        ],
        window=next(windows, None),
    )


def _gathered(
    answers: "Sequence[tuple[Vault, Found]]", most: dict[str, int], limit: int | None
) -> "Found":
    from memcli.recall import reflect as reflection

    rows = [row for _, found in answers for row in found.rows]
    matched = [words for _, found in answers for words in found.matched]
    order = _best(rows)
    chosen = [
        i
        for layer, count in most.items()
        for i in [i for i in order if rows[i].layer == layer][:count]
    ][:limit]
    windows = (found.window for _, found in answers if found.window)
    excluded = chain.from_iterable(found.excluded for _, found in answers)
    first = answers[0][1]
    return first._replace(
        rows=[rows[i] for i in chosen],
        matched=[matched[i] for i in chosen],
        weights={k: v for _, found in answers for k, v in found.weights.items()},
        ends={k: v for _, found in answers for k, v in found.ends.items()},
        excluded=list(excluded)[: reflection.MOST_EXCLUDED],
        window=next(windows, None),
    )
