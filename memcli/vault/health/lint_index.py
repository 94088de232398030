"""What is wrong in the files of a vault, by its index.

Invariant: a file is read only when something is said of it, or of an entry that it
names. Everything else is told by the index's columns: what is wrong in one file was
found when it was indexed (`entries/file_checks`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from memcli.entries import dates, layout
from memcli.entries.entry import Status
from memcli.entries.finding import Finding, Text
from memcli.named_tuple import NamedTuple
from memcli.search.packed_facts import (
    FINDING,
    LARGE,
    LINKS,
    REVIEW,
    STATUS_MASK,
    STATUS_NUMBER,
)
from memcli.vault.health import lint_lifecycle, usage
from memcli.vault.health.link_meanings import Names, dangling

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault

_WAITING = frozenset((STATUS_NUMBER[Status.ACTIVE], STATUS_NUMBER[Status.PENDING]))


def judged(
    vault: Vault, names: Names, now: int, reader: Reader
) -> tuple[list[Finding], Container[str]]:
    """What is wrong in and between the entries of a vault; and their ids.

    Args:
        vault: whose index.
        names: what links may mean besides entries.
        now: epoch seconds.
        reader: of the index.
    """
    # What is broken is in no document; what is large was not read whole.
    unread = [file.path for file in reader.broken]
    unread += _paths(reader, reader.exact("check", LARGE))
    found, _ = _read(vault, sorted(unread))
    for doc in reader.exact("check", FINDING):
        row = reader.row(doc)
        found += (Finding(row.path, *values) for values in row.findings)
    found += _about_links(reader, names)
    twice = chain.from_iterable(reader.repeated("id").values())
    same = _read(vault, sorted(_paths(reader, twice)))[1]
    found += lint_lifecycle.about_ids(same)
    odd = _odd_lives(reader) | set(_due(reader, now))
    settled, settling = _settled(reader)
    odd |= settled
    heirs = reader.claims.heirs
    odd |= heirs.keys()
    if odd:
        about = _paths(reader, odd)
        beside = settling | _beside(reader, odd) | _versions(reader, heirs)
        paths = {*about, *_paths(reader, beside)}
        _, texts = _read(vault, sorted(paths))
        lives = lint_lifecycle.about_lives(texts, now)
        found += (finding for finding in lives if finding.path in about)
    found += _about_inbox(vault, reader, now)
    found += usage.findings(vault, lambda: usage.material_in(vault.root, reader))
    return found, _Ids(vault)


class _Ids(Container[str]):
    """The ids of a vault's entries, as the index has them when it is asked."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def __contains__(self, name: object) -> bool:
        return self._vault.index.again(
            lambda reader: len(reader.exact("id", str(name))) > 0
        )


def _read(vault: Vault, paths: Sequence[str]) -> tuple[list[Finding], list[Text]]:
    """What is wrong in each of these files, and the texts of those that are entries.

    What checks a file is loaded only when there is one.
    """
    if not paths:
        return [], []
    from memcli.vault.health.lint_files import read

    return read(vault.root, paths, vault.kinds)


def _paths(reader: Reader, docs: Iterable[int]) -> set[str]:
    return {reader.row(doc).path for doc in docs}


def _about_links(reader: Reader, names: Names) -> Iterator[Finding]:
    docs = reader.exact("check", LINKS)
    if not len(docs):
        return
    for name in reader.values("name"):
        names.add((name,), name)
    for doc in docs:
        row = reader.row(doc)
        yield from dangling(row.path, row.links, names)


def _due(reader: Reader, now: int) -> Iterator[int]:
    """The entries that a person wanted to see again by now."""
    for doc in reader.exact("check", REVIEW):
        review_after = reader.row(doc).review_after
        if review_after and dates.to_epoch(review_after) <= now:
            yield doc


def _settled(reader: Reader) -> tuple[set[int], set[int]]:
    """Entries whose claim another one has resolved, and those that resolve it."""
    claims, flags = reader.columns.claims, reader.columns.flags
    resolving = reader.claims.settling()
    resolved = {claims[doc] for doc in resolving} - {0}
    if not resolved:
        return set(), set()
    settled = {
        doc
        for doc in reader.everything()
        if claims[doc] in resolved and flags[doc] & STATUS_MASK in _WAITING
    }
    known = {claims[doc] for doc in settled}
    return settled, {doc for doc in resolving if claims[doc] in known}


def _about_inbox(vault: Vault, reader: Reader, now: int) -> Iterator[Finding]:
    rows = map(reader.row, reader.exact("status", str(Status.PENDING)))
    waiting = [
        (row.created, row.path)
        for row in rows
        if row.created and not layout.is_idea(row.path)
    ]
    if waiting:
        _, texts = _read(vault, [min(waiting)[1]])
        for oldest in texts:
            yield from lint_lifecycle.about_inbox(oldest, len(waiting), now)


# --- lineages -----------------------------------------------------------------------


class _Lineages(NamedTuple):
    """Which entry replaced which, as each side says it.

    `docs` has the documents of an id, `names` the id of a document; `before` and
    `after` what a document says that it replaced, and that it was replaced by; `heirs`
    the documents that say so of an id.
    """

    docs: Mapping[str, Sequence[int]]
    names: Mapping[int, str]
    before: Mapping[int, str]
    after: Mapping[int, str]
    heirs: Mapping[str, Sequence[int]]


def _lineages(reader: Reader) -> _Lineages:
    ids = reader.values("id")
    heirs = reader.values("supersedes")
    return _Lineages(
        ids,
        _by_doc(ids),
        _by_doc(heirs),
        _by_doc(reader.values("superseded_by")),
        heirs,
    )


def _by_doc(values: Mapping[str, Sequence[int]]) -> dict[int, str]:
    return {doc: value for value, docs in values.items() for doc in docs}


def _odd_lives(reader: Reader) -> set[int]:
    """The entries whose lineage may be wrong; none whose two sides say the same."""
    if not (reader.holds("supersedes") or reader.holds("superseded_by")):
        return set()
    lives = _lineages(reader)
    flags = reader.columns.flags
    odd = _in_circles(lives)
    for doc, other in lives.after.items():
        active = flags[doc] & STATUS_MASK == STATUS_NUMBER[Status.ACTIVE]
        heir = _only(lives, doc, other)
        if heir is None or active or heir not in lives.before:
            odd.add(doc)
    for doc, other in lives.before.items():
        old = _only(lives, doc, other)
        said = None if old is None else lives.after.get(old)
        is_another = said != lives.names[doc] and said in lives.docs
        if said is None or is_another or len(lives.heirs[other]) > 1:
            odd.add(doc)
    return odd


def _only(lives: _Lineages, doc: int, other: str) -> int | None:
    """The document of an id; None without one, or where an id is given twice."""
    docs = lives.docs.get(other, ())
    return docs[0] if len(docs) == len(lives.docs[lives.names[doc]]) == 1 else None


def _in_circles(lives: _Lineages) -> set[int]:
    """The entries in circles of versions, and behind one."""
    following: dict[str, set[str]] = {}
    for doc, other in lives.before.items():
        following.setdefault(other, set()).add(lives.names[doc])
    for doc, other in lives.after.items():
        following.setdefault(lives.names[doc], set()).add(other)
    before = Counter(chain.from_iterable(following.values()))
    first = [name for name in following if not before[name]]
    while first:
        for name in following.pop(first.pop(), ()):
            before[name] -= 1
            if not before[name]:
                first.append(name)
    left = {name for name in before if before[name]}
    return {doc for name in left for doc in lives.docs.get(name, ())}


def _versions(reader: Reader, docs: Iterable[int]) -> set[int]:
    """The versions that lie before some current ones."""
    found: set[int] = set()
    for doc in docs:
        before = reader.row(doc).supersedes
        while before:
            fresh = set(reader.exact("id", before)) - found
            found |= fresh
            before = next((reader.row(each).supersedes for each in fresh), None)
    return found


def _beside(reader: Reader, docs: Collection[int]) -> set[int]:
    """What the findings about these entries depend on: those that they name, those
    that say the same of them, and by what these were replaced."""

    def named(name: str | None) -> list[int]:
        return list(reader.exact("id", name)) if name else []

    found: set[int] = set()
    for doc in docs:
        row = reader.row(doc)
        olds = named(row.supersedes)
        found.update(named(row.id), named(row.superseded_by), olds)
        if row.supersedes:
            found.update(reader.exact("supersedes", row.supersedes))
        for old in olds:
            found.update(named(reader.row(old).superseded_by))
    return found
