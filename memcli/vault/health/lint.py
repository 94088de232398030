"""The lint: every file of a vault read again, every promise of the format checked.

Invariant: reads only, and reports rather than guesses. An `error` is something that
memcli cannot use as it stands; a `warning` is something that a person would want to
know. Findings come in the order of paths and lines.
"""

import os
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from memcli.entries import layout
from memcli.entries.identity import claim
from memcli.entries.text.links import (
    composed,
    link_names,
    link_places,
    link_readings,
    links_of,
)
from memcli.errors import HistoryError, InvalidConfig, InvalidEntry, MemcliError
from memcli.storage import files
from memcli.storage.listing import Listing, scan, states_of
from memcli.vault.health import (
    dropped,
    git_state,
    lint_actions,
    lint_lifecycle,
    lint_registry,
    lint_tree,
    usage,
)
from memcli.vault.health.finding import ERROR, WARNING, Finding, Text
from memcli.vault.health.kept_findings import KeptFindings, Read
from memcli.vault.health.working_tree import working_tree
from memcli.vault.registry import store

if TYPE_CHECKING:
    from memcli.entries.codec import Decoded
    from memcli.vault.vault import Vault

# The index holds so many bytes of a file; see memcli.search.writer.
_INDEXED = 1_000_000
# One after the other: as one pattern they would be tried in every combination.
_Meant = TypeVar("_Meant")


def lint(
    vault: "Vault", *, progress: Callable[[int, int], None] | None = None
) -> list[Finding]:
    """Everything that is wrong in a vault.

    Args:
        vault: whose files.
        progress: called with (files done, files to do).

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the lint")
    listing = scan(vault.root)
    states = sorted(item for item in states_of(listing) if layout.is_entry(item[0]))
    found: list[Finding] = []
    read: list[Text] = []
    try:
        kinds = vault.kinds
    except InvalidConfig as error:
        # Nothing else can be judged without the config; every command refuses.
        return [
            Finding(
                layout.CONFIG, error.line, "bad_config", ERROR, error.reason, error.hint
            )
        ]
    now = vault.now_ms() // 1000
    kept = KeptFindings(vault.root, kinds)
    for done, (path, *state) in enumerate(states):
        if progress and done % 64 == 0:
            progress(done, len(states))
        file = kept.of(path, state)
        if file is None:
            try:
                file = kept.keep(path, state, _read(vault.root, path, kinds))
            except MemcliError as error:
                found.append(Finding(path, 1, "unreadable", ERROR, error.message))
                continue
        found += file.findings
        if file.text is not None:
            read.append(file.text)
    kept.store()
    if progress:
        progress(len(states), len(states))
    tree = lint_tree.walked(vault.root)
    found += _about_ids(read)
    found += lint_lifecycle.about_lives(read, now)
    found += _about_links(read, tree.others, store.link_names(vault.root))
    found += lint_registry.findings(vault.root)
    found += usage.findings(vault, [text.entry for text in read])
    found += _about_folder(vault, listing, tree, {text.entry.id for text in read})
    return sorted(found, key=lambda f: (f.path, f.line, f.code, f.message))


def _read(root: str, path: str, kinds: Collection[str]) -> Read:
    """Read one file of the vault; raises what says that it cannot be read."""
    data = files.read(os.path.join(root, *path.split("/")), follow=False)
    try:
        decoded = _decode(data, path, kinds)
    except InvalidEntry as error:
        why = Finding(path, error.line, "broken", ERROR, error.reason, error.hint)
        return Read([why], None)
    body = decoded.entry.body
    text = Text(decoded.entry, *_split(data, body), claim(body))
    findings = [*_about_file(text, len(data)), *_about_entry(text, decoded, kinds)]
    findings += lint_actions.about_enforce(text)
    return Read(findings, text)


class Names(Generic[_Meant]):
    """The files that a link may mean, by every name that it may use.

    A lint that did not know aliases was wrong in three findings of four.
    """

    def __init__(self) -> None:
        self._by_name: dict[str, _Meant] = {}

    def add(self, names: Iterable[str], meant: _Meant) -> None:
        """Let these names mean `meant`, unless they have a meaning already."""
        for name in names:
            self._by_name.setdefault(composed(name), meant)

    def find(self, target: str, path: str) -> _Meant | None:
        """The meaning of a link in the file at `path`; None when it dangles."""
        for name in link_readings(target, path):
            if name in self._by_name:
                return self._by_name[name]
        return None


def _split(data: bytes, body: str) -> tuple[str, str]:
    """A file's text before the body, and all of it."""
    text = data.decode("utf-8", "replace")
    return text[: len(text) - len(body)], text


def _decode(data: bytes, path: str, kinds: Iterable[str]) -> "Decoded":
    from memcli.entries import codec

    return codec.decode(data, path, kinds=tuple(kinds))


def _about_file(text: Text, size: int) -> Iterator[Finding]:
    from memcli.entries.text import conflict, secrets

    path, body = text.entry.path, text.entry.body
    if size > _INDEXED:
        message = f"{size:,} bytes; only the first {_INDEXED:,} are searched"
        yield Finding(path, 1, "large", WARNING, message, "Split it.")
    marks = conflict.begins(body)
    if marks >= 0:
        line = text.line_of(marks)
        hint = (
            "Keep one of the two sides, then 'git add' the file; until then it is not "
            "shown. Marks that are quoted are indented."
        )
        yield Finding(path, line, "conflict", ERROR, "a merge conflict", hint)
    for secret in secrets.find(text.text):
        message = f"looks like a secret ({secret.kind})"
        hint = "git keeps it for good: change the secret, then take it out."
        yield Finding(path, secret.line, "secret", WARNING, message, hint)


def _about_entry(
    text: Text, decoded: "Decoded", kinds: Iterable[str]
) -> Iterator[Finding]:
    from memcli.entries import dates

    entry = text.entry
    path = entry.path
    for problem in decoded.problems:
        if problem.field == "type":
            # Older programs wrote other types; the entry counts as of type unknown.
            yield Finding(path, problem.line, "unknown_type", WARNING, problem.message)
        else:
            yield Finding(path, problem.line, "bad_field", ERROR, problem.message)
    if entry.kind not in kinds:
        message = f"unknown kind '{entry.kind}'"
        hint = f"Use a known kind, or add it to kinds in {layout.CONFIG}."
        line = text.field_line("kind")
        yield Finding(path, line, "unknown_kind", ERROR, message, hint)
    # As coarse as it is: "updated 2026" is not before a day of that year.
    last = dates.span(entry.updated)[1] if entry.updated else 0
    if last and entry.created and last <= dates.to_epoch(entry.created):
        message = "updated before it was created"
        line = text.field_line("updated")
        yield Finding(path, line, "updated_before_created", WARNING, message)


def _about_ids(texts: Iterable[Text]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    texts = list(texts)
    for text in texts:
        entry = text.entry
        if entry.id in first:
            message = f"has the id of {first[entry.id]}: {entry.id}"
            hint = (
                "memcli repair gives the newer file an id of its own; until then name "
                "each by its path."
            )
            line = text.field_line("(?:memcli_)?id")
            yield Finding(entry.path, line, "duplicate_id", ERROR, message, hint)
        first.setdefault(entry.id, entry.path)


def _about_links(
    texts: Iterable[Text],
    others: Iterable[str],
    entities: Iterable[tuple[tuple[str, ...], str]],
) -> Iterator[Finding]:
    texts = list(texts)
    names: Names[str] = Names()
    for text in texts:
        names.add(link_names(text.entry), text.entry.path)
    add_files(names, others)
    for called, path in entities:
        names.add(called, path)
    for text in texts:
        path, body = text.entry.path, text.entry.body
        dangling = [t for t in links_of(text.entry) if not names.find(t, path)]
        if not dangling:
            continue
        places = link_places(body)
        breaks = [match.start() for match in re.finditer("\n", body)]
        first = text.line_of(0)
        for target in dangling:
            line = first + bisect_left(breaks, places.get(target, 0))
            message = f"links to nothing: {target}"
            yield Finding(path, line, "dangling_link", WARNING, message)


def add_files(names: Names[str], paths: Iterable[str]) -> None:
    """Let links mean files that are not entries: pictures, the vault's README."""
    for path in paths:
        plain = path.removesuffix(".md").casefold()
        names.add((plain, plain.rpartition("/")[2]), path)


def _about_folder(
    vault: "Vault", listing: Listing, tree: lint_tree.Tree, ids: Collection[str]
) -> Iterator[Finding]:
    from memcli.errors import NotAVault
    from memcli.storage.git.repository import Repository

    for path in listing.symlinks:
        message = "a symbolic link; not followed, not searched"
        yield Finding(path, 1, "symlink", WARNING, message)
    for path in listing.unreadable:
        yield Finding(path, 1, "unreadable", ERROR, "the folder cannot be listed")
    try:
        repository = Repository.open(vault.root, environ=vault.environ)
    except NotAVault as error:
        yield from lint_tree.findings(vault.root, tree, None)
        yield Finding(".", 1, "no_history", ERROR, error.message, error.hint)
        return
    yield from lint_tree.findings(vault.root, tree, repository)
    yield from git_state.findings(repository)
    try:
        yield from working_tree(vault, repository).findings
        yield from dropped.findings(vault, repository, ids)
    except HistoryError as error:
        yield Finding(".git", 1, "git_failed", ERROR, error.message, error.hint)
