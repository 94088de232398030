"""Queries: one value for flags, tools, batch lines and Python.

Invariant: a `Query` holds everything that an answer depends on besides the vault. It is
built here by `from_words`, or by Python from its parts. `checked` refuses what a vault
does not know, such as a kind, before anything is read.
"""

from __future__ import annotations

from memcli.entries.eligibility import DEFAULT_STATUSES, HISTORY_STATUSES, View
from memcli.entries.entry import (
    KINDS,
    EntityType,
    Layer,
    Status,
    check_choice,
    check_kind,
    refusal,
)
from memcli.entries.ids import ANY, HERE, NONE, check_project, number
from memcli.errors import InvalidValue
from memcli.named_tuple import NamedTuple
from memcli.storage import known_vaults

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Unpack

    from memcli import parameters
    from memcli.vault.vault import Vault


BUDGETS = {"low": (5, 60), "mid": (10, 100), "high": (20, 500)}
"""Budget -> (rows by default, lexical matches that get the closer look)."""

DEPTHS = (0, 1)
"""How many hops over the graph a recall may go; one is the default."""

_LAYERS = tuple(map(str, Layer))
_LISTS = ("kinds", "types", "layers", "tags", "entities")

TAGS_MATCH = ("any", "all", "any_strict", "all_strict", "any_or_untagged")
"""How tags filter. The first four are those of the tool that memory_recall replaces,
where `any` and `all` let untagged entries pass; the last says so by its name."""

TAGGED = "any_strict"
"""How tags filter unless told: who asks for a tag wants the entries that have it."""


class Filters(NamedTuple):
    """The filters that an entry must pass to take part; empty fields filter nothing.

    A layer among `types` counts as one of `layers`; types and layers both narrow.
    `after` and `before` are epoch seconds: at or after, strictly before. `project` is
    a name, or a word: `here` (this project, and what holds everywhere), `none` (only
    what holds everywhere), `any`.
    """

    kinds: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    tags_match: str = TAGGED
    entities: tuple[str, ...] = ()
    after: int | None = None
    before: int | None = None
    project: str = ""


class Query(NamedTuple):
    """A question, and how to answer it.

    Args:
        text: words or a question in natural language; empty to enumerate entries.
        view: which statuses count, as seen when.
        filters: what an entry must be.
        limit: rows at most; the budget decides when it is None.
        budget: `low`, `mid` or `high`: how many rows, and how far to look.
        max_chars: total characters of the rows' texts; rows that do not fit are left
            out whole, and counted.
        depth: hops over entities, links and lineage, 0 or 1; with 0 the words of an
            entry count alone, not what it is tied to nor what stands beside it.
        explain: attach the pieces of each row's score, and what led to the row.
        here: the project that the question is asked in, by its name; what holds in
            another one only ranks lower. Where it is None, `checked` takes the vault's.
        exact: its words count as typed: none is respelled, none has near words.
        source: the name of the vault that is asked, which `checked` gives.
        moment: from where times in the question count; None is the view's present.
    """

    text: str
    view: View
    filters: Filters = Filters()
    limit: int | None = None
    budget: str = "mid"
    max_chars: int | None = None
    depth: int = 1
    explain: bool = False
    here: str | None = None
    exact: bool = False
    source: str = known_vaults.PERSONAL
    moment: int | None = None

    @property
    def scope(self) -> int | None:
        """The number of the project whose constraints are in scope; None for all."""
        word = self.filters.project
        if word == ANY:
            return None
        names = {"": self.here, HERE: self.here, NONE: None}
        return number(names.get(word, word))

    @property
    def most(self) -> int:
        """How many rows to return at most."""
        return BUDGETS[self.budget][0] if self.limit is None else self.limit

    @property
    def pool(self) -> int:
        """How many lexical matches get the closer look."""
        return max(BUDGETS[self.budget][1], 2 * self.most)


def from_words(text: str, now: int, **words: Unpack[parameters.Query]) -> Query:
    """The query that flags, a batch line, a tool's arguments or Python ask for.

    Args:
        text: the question.
        now: the present, epoch seconds.
        words: the options as they were given; one that is missing or None has its
            default. Times are read relative to `at`, which is read relative to `now`.

    Raises:
        InvalidValue: a time that cannot be read, an unknown status, a limit below 1.
    """
    # Relative words count from now, or from the last second of what `at` names: from
    # 2026-06-15, yesterday is the 14th.
    at = words.get("at")
    start, end = moment_of(at, now), moment_of(at, now, end=True)
    moment = now if start is None or end is None else max(start, end - 1)
    after, before = _window(words.get("after"), words.get("before"), moment)
    filters = Filters(
        **{name: tuple(words.get(name) or ()) for name in _LISTS},  # type: ignore[arg-type]
        tags_match=words.get("tags_match") or TAGGED,
        after=after,
        before=before,
        project=words.get("project") or "",
    )
    named = words.get("statuses") or ()
    statuses = frozenset(check_choice(Status, name, "status") for name in named)
    if not statuses and {*filters.kinds} == {"idea"}:
        # Any other query gets no idea that waits for a decision.
        statuses = DEFAULT_STATUSES | {Status.PENDING}
    if words.get("history"):
        statuses |= HISTORY_STATUSES
    as_of = _as_of(words.get("as_of"), moment)
    limit, depth = words.get("limit"), words.get("depth")
    if limit is not None and limit < 1:
        raise InvalidValue(
            f"limit must be 1 or more (got {limit})", code="invalid_limit"
        )
    return Query(
        text,
        View(now, statuses or DEFAULT_STATUSES, as_of),
        filters,
        limit=limit,
        budget=words.get("budget") or "mid",
        max_chars=words.get("max_chars"),
        depth=1 if depth is None else depth,
        explain=words.get("explain", False),
        exact=words.get("exact", False),
        moment=moment if at else None,
    )


def checked(query: Query, vault: Vault) -> Query:
    """The query with its filters in the vault's own words.

    Raises:
        InvalidValue: a kind, type, layer, budget or tags_match that does not exist; a
            depth that is not 0 or 1; a project's name that cannot be one.
        InvalidConfig: the project of the caller's folder cannot be told.
    """
    filters = query.filters
    for name, value, known in (
        ("tags_match", filters.tags_match, TAGS_MATCH),
        ("budget", query.budget, BUDGETS),
        ("depth", query.depth, DEPTHS),
    ):
        if value not in known:
            raise refusal(name, str(value), map(str, known))
    kinds = KINDS
    if any(kind.lower() not in kinds for kind in filters.kinds):
        kinds = vault.kinds
    named = [name.strip().lower() for name in filters.types]
    types = [name for name in named if name not in _LAYERS]
    layers = [*filters.layers, *(name for name in named if name in _LAYERS)]
    filters = filters._replace(
        kinds=tuple(check_kind(kind, kinds) for kind in filters.kinds),
        types=tuple(check_choice(EntityType, name, "type") for name in types),
        layers=tuple(check_choice(Layer, name, "layer") for name in layers),
        tags=tuple(tag.strip().lower() for tag in filters.tags),
        project=checked_project(filters.project),
    )
    here = vault.here if query.here is None else query.here
    return query._replace(filters=filters, here=here, source=vault.source)


def checked_project(word: str) -> str:
    """The project of `--project`: a name, `here`, `none`, `any`; empty for no filter.

    Raises:
        InvalidValue: it cannot be a project's name.
    """
    word = word.strip().lower()
    return word if word in ("", HERE, NONE, ANY) else check_project(word)


def _window(
    after: str | None, before: str | None, now: int
) -> tuple[int | None, int | None]:
    """The bounds of `--after` and `--before`: at or after, strictly before.

    A period that is named ("last week") is that period when `--after` stands alone,
    and so is any date that both name. Otherwise each counts by its first second.
    """
    start, end = moment_of(after, now), moment_of(before, now)
    if not after:
        return start, end
    from memcli.entries import dates

    alone = not before and dates.period(after, now) is not None
    if alone or (before and after.split() == before.split()):
        end = moment_of(after, now, end=True)
    return start, end


def _as_of(text: str | None, now: int) -> int | None:
    """The end of what `--as-of` names; now, when that is not over yet."""
    start, end = moment_of(text, now), moment_of(text, now, end=True)
    if start is None or end is None:
        return None
    return now if start <= now < end else end


def moment_of(text: str | None, now: int, *, end: bool = False) -> int | None:
    """The moment that a flag names, epoch seconds; None without one.

    Args:
        text: as `dates.parse_bound` reads it.
        now: the moment that relative words count from.
        end: the end of a period that is named, instead of its beginning.

    Raises:
        InvalidValue: the text names no time.
    """
    if not text:
        return None
    from memcli.entries import dates

    return dates.parse_bound(text, now, end=end)
