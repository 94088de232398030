"""Which documents of an index pass a query's filters.

Invariant: a filter only narrows. `eligibility` decides first what may be shown at all.
A tag or entity that no entry has is named in a warning, and such a project is refused:
the answer is never empty in silence.
"""

from __future__ import annotations

from memcli.entries.ids import ANY, HERE, NONE
from memcli.entries.text import tokens
from memcli.errors import Unavailable, UsageError
from memcli.recall.query import Filters, Query, checked_project
from memcli.search.documents import EVERYWHERE, SPAN, UNTAGGED

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.entries.eligibility import View
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault

_UNTAGGED_PASS = ("any", "all", "any_or_untagged")


def admitted(
    reader: Reader, view: View, filters: Filters, docs: Sequence[int]
) -> Sequence[int]:
    """Those of some documents that may be shown, in the order they are given: by
    eligibility, and by the time filter."""
    shown, first, end = reader.shown(docs, view), filters.after, filters.before
    if first is None and end is None:
        return shown
    times = ((doc, *extent(reader, doc)) for doc in shown)
    return [
        doc
        for doc, begins, ends in times
        if (first is None or ends > first) and (end is None or begins < end)
    ]


def extent(reader: Reader, doc: int) -> tuple[int, int]:
    """[start, end) of a document's time, epoch seconds; a moment lasts a second."""
    start = reader.columns.times[doc]
    if not reader.columns.flags[doc] & SPAN:
        return start, start + 1
    from memcli.entries import dates

    row = reader.row(doc)
    when = row.occurred_at or row.created
    return start, dates.span(row.occurred_until or when)[1]


def within(reader: Reader, query: Query) -> set[int] | None:
    """The documents that pass the filters by value; None without such a filter."""
    filters = query.filters
    sets: list[set[int]] = []
    for field, values in (
        ("kind", filters.kinds),
        ("type", filters.types),
        ("layer", filters.layers),
        ("entity", _meant(reader, filters.entities)),
        ("project", _projects(filters.project, query.here)),
    ):
        if values:
            sets.append(_union(reader, field, values))
    if filters.tags:
        sets.append(_tagged(reader, filters))
    return set.intersection(*sets) if sets else None


def of_project(reader: Reader, word: str, here: str | None) -> set[int] | None:
    """The documents of what `--project` names; None when all pass."""
    names = _projects(checked_project(word), here)
    return _union(reader, "project", names) if names else None


def _projects(word: str, here: str | None) -> list[str]:
    """The projects that pass, as the index has them; empty when all do."""
    if word in ("", ANY):
        return []
    if word == HERE:
        return [EVERYWHERE, *filter(None, [here])]
    return [EVERYWHERE if word == NONE else word]


def _meant(reader: Reader, names: Sequence[str]) -> list[str]:
    """Names of entities as the index has them, each with what it is an alias of."""
    if not names:
        return []
    from memcli.entries.text import mentions
    from memcli.vault import registry as store

    meant = store.load(reader.root, reader.agent).names.meant
    both = [*names, *(meant.get(mentions.fold(name), name) for name in names)]
    return list(dict.fromkeys(tokens.name_key(name) for name in both))


def _tagged(reader: Reader, filters: Filters) -> set[int]:
    """Documents by tags; those of `_UNTAGGED_PASS` let untagged ones pass as well."""
    if filters.tags_match.startswith("any"):
        docs = _union(reader, "tag", filters.tags)
    else:
        docs = set.intersection(
            *(set(reader.exact("tag", tag)) for tag in filters.tags)
        )
    if filters.tags_match in _UNTAGGED_PASS:
        docs |= set(reader.exact("tag", UNTAGGED))
    return docs


def _union(reader: Reader, field: str, values: Iterable[str]) -> set[int]:
    return {doc for value in values for doc in reader.exact(field, value)}


def unknown_warnings(reader: Reader, filters: Filters) -> list[str]:
    """Warnings of tags and entities that no entry has, with the nearest."""
    tags = [tag for tag in filters.tags if not len(reader.exact("tag", tag))]
    warnings = [
        f"no entry has the tag '{tag}'" + _nearest(reader, "tag", tag) for tag in tags
    ]
    for name in filters.entities:
        keys = _meant(reader, [name])
        if not any(len(reader.exact("entity", key)) for key in keys):
            near = _nearest(reader, "entity", keys[0])
            warnings.append(f"no entry mentions the entity '{name}'{near}")
    return warnings


def named_project(vaults: Sequence[Vault], word: str) -> str:
    """The project that a filter names: by its whole name, or by the end of it.

    Raises:
        UsageError: no entry is of such a project, or the projects of several end so.
        InvalidValue: it cannot be a project's name.
    """
    name = checked_project(word)
    if name in ("", HERE, NONE, ANY):
        return name
    known: set[str] = set()
    for vault in vaults:
        try:
            known.update(vault.read(lambda reader: reader.starting("project", "")))
        except Unavailable:  # the answer names what was not asked
            return name
    ending = (
        [name] if name in known else sorted(k for k in known if k.endswith(f"/{name}"))
    )
    if len(ending) == 1:
        return ending[0]
    if ending:
        raise UsageError(
            f"Several projects are called '{name}'",
            hint=f"Name one: {', '.join(ending)}",
        )
    raise UsageError(
        f"No entries in project '{name}'",
        hint="What there is: memcli list --by project",
    )


def _nearest(reader: Reader, field: str, value: str) -> str:
    from difflib import get_close_matches

    known = [name for name in reader.starting(field, "") if name != UNTAGGED]
    near = get_close_matches(value, known, 1)
    if not near:
        return ""
    name = near[0]
    if field == "entity":  # as the first entry that mentions it spells it
        spellings = reader.row(reader.exact(field, name)[0]).entities
        name = next(spelt for spelt in spellings if tokens.name_key(spelt) == name)
    return f"; did you mean '{name}'?"
