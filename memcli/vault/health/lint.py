"""The lint: every promise of the format checked, in every file of a vault.

Invariant: reads only, and reports rather than guesses. An `error` is something that
memcli cannot use as it stands; a `warning` is something that a person would want to
know. Findings come in the order of paths and lines. What is wrong in one file was found
when it was indexed (`entries/file_checks`); what is wrong between entries is asked of
the columns of the index. A file is opened for the line of a finding, or when it is not,
or not whole, in the index. Notes that memcli did not write may have states of their
own: what is merely unusual is no finding.
"""

from __future__ import annotations

import os
import re
from functools import partial
from shlex import quote

from memcli import errors
from memcli.entries import codec, dates, file_checks, layout
from memcli.entries.eligibility import View, standing
from memcli.entries.entry import Layer, Status, Visibility
from memcli.entries.file_checks import ERROR, WARNING, Finding, Text
from memcli.entries.text.links import composed, link_readings
from memcli.entries.text.mentions import fold
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.search.documents import FINDING, LARGE, LINKS, REVIEW
from memcli.storage import files
from memcli.vault.health import git_state, working_tree
from memcli.vault.health.git_state import MEND

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memcli.search.reader import Reader
    from memcli.vault.health.git_state import LeftOut
    from memcli.vault.health.working_tree import Differing
    from memcli.vault.vault import Vault

    # A finding about a document that still lacks its line, which is that of a field:
    # its code, and the words that fill the message and the hint of the code.
    _Problem = tuple[int, str, str, Mapping[str, object]]


NO_GIT = ("no_history", "git_stuck", "git_failed")
"""The codes of findings where git cannot tell what it has."""


class Examined(NamedTuple):
    """A vault as it was examined.

    Attributes:
        findings: everything that is wrong, in the order of paths.
        tree: the files that are not as HEAD has them; None where git cannot tell.
        left_out: what git's own commands left out.
        head: the commit that is checked out.
        status: `Repository.status`, of files that are no entries, too.
    """

    findings: list[Finding]
    tree: Sequence[Differing] | None = None
    left_out: Sequence[LeftOut] = ()
    head: str | None = None
    status: Sequence[tuple[str, str]] = ()


def lint(vault: Vault) -> list[Finding]:
    """Everything that is wrong in a vault.

    Raises:
        NotAllowed: an agent asks.
    """
    return examined(vault).findings


def examined(vault: Vault) -> Examined:
    """Everything that is wrong in a vault, and what a repair needs to know of it.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the lint")
    vault.refuse_published("checked file by file")
    try:
        vault.kinds  # noqa: B018 a look at the config
    except errors.InvalidConfig as error:
        # Nothing else can be judged without the config; every command refuses.
        path = layout.CONFIG
        message = error.message.rpartition(f"{path}: ")[2]
        return Examined([Finding(path, 1, "bad_config", ERROR, message, error.hint)])
    walked = working_tree.walked(vault.root)
    found = []
    try:
        found += vault.read(lambda reader: list(_about_entries(vault, walked, reader)))
        found += working_tree.about_listing(vault, vault.opened, walked)
    except (errors.LockBusy, errors.WriteFailed) as error:
        found.append(Finding(".", 1, "no_index", ERROR, error.message, error.hint))
    found += working_tree.about_registry(vault.root)
    repository = tree = head = None
    left_out: list[LeftOut] = []
    status: list[tuple[str, str]] = []
    try:
        repository = vault.repository()
        found += git_state.findings(repository)
        head, status = repository.head(), repository.status()
        tree = working_tree.working_tree(vault, repository, status)
        left_out += git_state.dropped(vault, repository)
        left_out += git_state.half_merges(vault, repository)
    except errors.NotAVault as error:
        found.append(Finding(".", 1, "no_history", ERROR, error.message, error.hint))
    except errors.HistoryError as error:
        code = "git_stuck" if error.code == "git_stuck" else "git_failed"
        found.append(Finding(".git", 1, code, ERROR, error.message, error.hint))
    found += working_tree.misplaced(vault.root, walked, repository)
    found += filter(None, (row.finding for row in tree or ()))
    found += (each.finding for each in left_out)
    git = f"git -C {quote(vault.root)} "
    found = [
        each._replace(hint=_GIT.sub(lambda _: git, each.hint)) if each.hint else each
        for each in found
    ]
    found.sort(key=lambda f: (f.path, f.line, f.code, f.message))
    return Examined(found, tree, left_out, head, status)


# What a hint tells to do with git is meant for the vault, wherever it is typed.
_GIT = re.compile(
    r"\bgit (?=(?:cherry-pick|commit|log|restore|revert|rm|sparse-checkout)\b)"
)


# --- entries ------------------------------------------------------------------------


# By code the message, and what to do; an id of two entries stops memcli from using one.
_SAID = {
    "duplicate_id": (
        "has the id of {path}: {name}",
        "Delete the line of the id in the copy; memcli then gives it an id of its own.",
    ),
    "dangling_lineage": (
        "{field} names no entry: {other}",
        "git may have it: git log --all -S {quoted}",
    ),
    "one_sided_lineage": (
        "supersedes {other}, which does not say so and is {status}",
        "If it is meant: memcli evolve {name} --also {other}",
    ),
    "superseded_but_active": (
        "superseded by {other}, but its status is active",
        "Remove superseded_by, or set status: superseded.",
    ),
    "lineage_cycle": (
        "{other} has replaced it, and it has replaced that: recall shows neither",
        "Take superseded_by out of the one that holds: memcli edit ID",
    ),
    "lineage_fork": (
        "{old} is superseded by {other} as well",
        f"{MEND} makes one chain of them; or one text: memcli evolve {{name}} --also "
        "{other}",
    ),
    "resolved_before": (
        "not shown; {other}, which it replaced, is resolved",
        "To bring it back: memcli resolve --undo {other}",
    ),
    "wider_than_evidence": (
        "more agents may see it than its evidence {other}, which is {visibility}",
        "Write visibility: {visibility} into it, too.",
    ),
    "review_due": (
        "due for review since {day}",
        "memcli evolve {name}, or resolve it.",
    ),
}


def _about_entries(
    vault: Vault, tree: working_tree.Tree, reader: Reader
) -> Iterator[Finding]:
    """Findings in and between the entries."""
    # What is broken is in no document; what is large was not read whole.
    unread = {file.path for file in reader.broken}
    unread.update(reader.row(doc).path for doc in reader.exact("check", LARGE))
    for path in sorted(unread):
        yield from _read(vault, path)[0]
    for doc in reader.exact("check", FINDING):
        row = reader.row(doc)
        yield from (Finding(row.path, *values) for values in row.findings)
    yield from _about_links(vault, tree, reader)
    for doc, field, code, words in _problems(reader, vault.now_ms() // 1000):
        path = reader.row(doc).path
        known = _read(vault, path)[1]
        line = known.field_line(field) if known else 1
        said = (text.format(field=field, **words) for text in _SAID[code])
        level = ERROR if code == "duplicate_id" else WARNING
        yield Finding(path, line, code, level, *said)


def _read(vault: Vault, path: str) -> tuple[list[Finding], Text | None]:
    """The findings in one file, and its text when it is an entry's."""
    from memcli.entries.merging import files as merging

    kinds = vault.kinds
    try:
        data = files.read(os.path.join(vault.root, *path.split("/")), follow=False)
        both = merging.shown(data, path, kinds)
        if both is not None:
            return file_checks.in_conflict(data, path), file_checks.text_of(data, both)
        decoded = codec.decode(data, path, kinds=kinds)
    except errors.InvalidEntry as error:
        why = Finding(path, error.line, "broken", ERROR, error.reason, error.hint)
        return [why], None
    except MemcliError as error:
        return [Finding(path, 1, "unreadable", ERROR, error.message)], None
    text = file_checks.text_of(data, decoded.entry)
    return file_checks.findings(text, len(data), decoded, kinds), text


def pages(vault: Vault, others: Iterable[str]) -> dict[str, str]:
    """The files that are no entries, by every name that a link may use: pictures, the
    vault's README, and entities that the asking agent may know of.

    A lint that did not know aliases was wrong in three findings of four.
    """
    found: dict[str, str] = {}
    for path in others:
        plain = path.removesuffix(".md").casefold()
        for name in (plain, plain.rpartition("/")[2]):
            found.setdefault(composed(name), path)
    for entity in vault.registry.entities:
        for name in (entity.name, *entity.aliases):
            found.setdefault(composed(fold(name)), entity.path)
    return found


def _about_links(
    vault: Vault, tree: working_tree.Tree, reader: Reader
) -> Iterator[Finding]:
    docs = reader.exact("check", LINKS)
    if not len(docs):
        return
    names = {*pages(vault, tree.others), *map(composed, reader.values("name"))}
    for doc in docs:
        row = reader.row(doc)
        for target, line in row.links:
            if names.isdisjoint(link_readings(target, row.path)):
                message = f"links to nothing: {target}"
                yield Finding(row.path, line, "dangling_link", WARNING, message)


# --- between entries, by the columns of the index ------------------------------------


def _problems(reader: Reader, now: int) -> Iterator[_Problem]:
    # Not all ids: to read those of 10,000 documents takes as long as all the rules.
    for name, docs in reader.values("id", least=2).items():
        first, *others = sorted(docs, key=partial(_place, reader))
        for doc in others:
            words = {"path": reader.row(first).path, "name": name}
            yield doc, "(?:memcli_)?id", "duplicate_id", words
    yield from _about_lineages(reader)
    # What is not shown, since an earlier version of it is resolved.
    for doc, old in reader.claims.heirs.items():
        counts_as = standing(reader.facts(doc, access=False), View(now))
        if (reader.status(doc), counts_as) == (Status.ACTIVE, Status.RESOLVED):
            words = {"other": reader.row(old).id}
            yield doc, "supersedes", "resolved_before", words
    yield from _about_reports(reader)
    for doc in reader.exact("check", REVIEW):
        row = reader.row(doc)
        day = row.review_after
        is_due = day and dates.to_epoch(day) <= now
        if is_due and standing(reader.facts(doc), View(now)) is Status.ACTIVE:
            words = {"day": day or "", "name": row.id}
            yield doc, "review_after", "review_due", words


def _about_reports(reader: Reader) -> Iterator[_Problem]:
    """Reports in force whose evidence was made narrower than they are."""
    for layer in (Layer.OBSERVATION, Layer.MODEL):
        for doc in reader.exact("layer", layer):
            row = reader.row(doc)
            if row.status != Status.ACTIVE or row.visibility != Visibility.SHARED:
                continue
            cited = (d for name in row.evidence for d in reader.exact("id", name))
            for other in map(reader.row, cited):
                if other.visibility != Visibility.SHARED:
                    words = {"other": other.id, "name": row.id}
                    words["visibility"] = other.visibility
                    yield doc, "evidence", "wider_than_evidence", words
                    break


def _place(reader: Reader, doc: int) -> tuple[bool, str]:
    """The key that orders documents: their paths, those in the archive last."""
    path = reader.row(doc).path
    return layout.is_archived(path), path


def _about_lineages(reader: Reader) -> Iterator[_Problem]:
    """Where two sides of a lineage do not say the same."""
    place = partial(_place, reader)
    before, after = (
        {doc: value for value, docs in reader.values(field).items() for doc in docs}
        for field in ("supersedes", "superseded_by")
    )
    ids = dict.fromkeys((*before.values(), *after.values()))
    reader.fetch("id", ids)
    # Of several files of an id the one outside the archive: the pair is a finding.
    docs = {
        name: found[0] if len(found) == 1 else min(found, key=place)
        for name in ids
        if (found := reader.exact("id", name))
    }
    names = {doc: name for name, doc in docs.items()}
    later_of = {names[doc]: later for doc, later in after.items() if doc in names}
    for name in _circled(later_of):
        yield docs[name], "superseded_by", "lineage_cycle", {"other": later_of[name]}
    for doc, later in after.items():
        words = {"other": later, "quoted": quote(later)}
        # Of a version in the archive the next one was deleted, as by `forget`.
        if later not in docs and not place(doc)[0]:
            yield doc, "superseded_by", "dangling_lineage", words
        elif later in docs and reader.status(doc) is Status.ACTIVE:
            yield doc, "superseded_by", "superseded_but_active", words
    for doc, old in before.items():
        words = {"other": old, "quoted": quote(old)}
        if old not in docs:
            yield doc, "supersedes", "dangling_lineage", words
        elif docs[old] not in after:
            status = str(reader.status(docs[old]))
            words |= {"name": reader.row(doc).id, "status": status}
            yield doc, "supersedes", "one_sided_lineage", words
        elif len(named := reader.exact("id", after[docs[old]])) and doc not in named:
            # The old one says that another entry has replaced it.
            words |= {"name": reader.row(doc).id, "old": old, "other": after[docs[old]]}
            yield doc, "supersedes", "lineage_fork", words


def _circled(later_of: Mapping[str, str]) -> Iterator[str]:
    """A version of each circle of versions, by the next of each."""
    met: dict[str, str] = {}
    for start in sorted(later_of):
        name = start
        while name in later_of and name not in met:
            met[name] = start
            name = later_of[name]
        if name in later_of and met[name] == start:
            yield name
