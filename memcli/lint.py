"""What is wrong in a vault: every file read again, every promise of the format checked.

Invariant: reads only, and reports rather than guesses. An `error` is something that
memcli cannot use as it stands; a `warning` is something that a person would want to
know. Findings come in the order of paths and lines.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from memcli import files, layout
from memcli.entry import Entry, Status
from memcli.errors import InvalidEntry, MemcliError

if TYPE_CHECKING:
    from memcli.codec import Decoded
    from memcli.vault import Vault

ERROR, WARNING = "error", "warning"
# As much of a file is indexed; see memcli.index.
_INDEXED = 1_000_000
_CONFLICT = ("<<<<<<< ", ">>>>>>> ")


class Finding(NamedTuple):
    """One thing that is wrong; `line` counts from 1."""

    path: str
    line: int
    code: str
    level: str
    message: str
    hint: str | None = None


def lint(
    vault: "Vault", *, progress: Callable[[int, int], None] | None = None
) -> list[Finding]:
    """Everything that is wrong in a vault."""
    listing = files.scan(vault.root)
    paths = sorted(path for path in files.paths(listing) if layout.is_entry(path))
    found: list[Finding] = []
    entries: list[Entry] = []
    kinds = vault.kinds
    now = vault.now_ms() // 1000
    for done, path in enumerate(paths):
        if progress and done % 64 == 0:
            progress(done, len(paths))
        try:
            data = files.read(os.path.join(vault.root, *path.split("/")))
            decoded = _decode(data, path, kinds)
        except InvalidEntry as error:
            found.append(
                Finding(path, error.line, "broken", ERROR, error.reason, error.hint)
            )
            continue
        except MemcliError as error:
            found.append(Finding(path, 1, "unreadable", ERROR, error.message))
            continue
        entries.append(decoded.entry)
        found += _about_file(decoded, len(data))
        found += _about_entry(decoded, kinds, now)
    if progress:
        progress(len(paths), len(paths))
    found += _about_ids(entries)
    found += _about_links(entries)
    found += _about_folder(vault.root, listing)
    return sorted(found)


def link_names(entry: Entry) -> tuple[str, ...]:
    """The names by which a link may mean this entry, its aliases included.

    A lint that did not know aliases was wrong in three findings of four.
    """
    from memcli.document import link_keys

    names = link_keys(entry.id, entry.path, entry.display_title)
    return (*names, *(alias.casefold() for alias in _aliases(entry)))


def _aliases(entry: Entry) -> list[str]:
    for name, lines in entry.extra:
        if name in ("aliases", "alias"):
            text = lines.partition(":")[2].replace("[", "\n").replace("]", "\n")
            parts = text.replace(",", "\n").split("\n")
            return [p.strip(" \t-'\"") for p in parts if p.strip(" \t-'\"")]
    return []


def _decode(data: bytes, path: str, kinds: Iterable[str]) -> "Decoded":
    from memcli import codec

    return codec.decode(data, path, kinds=tuple(kinds))


def _about_file(decoded: "Decoded", size: int) -> Iterator[Finding]:
    from memcli import credentials

    entry = decoded.entry
    if size > _INDEXED:
        message = f"{size:,} bytes; only the first {_INDEXED:,} are searched"
        yield Finding(entry.path, 1, "large", WARNING, message, "Split it.")
    if any(mark in entry.body for mark in _CONFLICT):
        for number, line in enumerate(entry.body.split("\n"), 1):
            if line.startswith(_CONFLICT):
                message = f"a merge conflict, line {number} of the body"
                yield Finding(entry.path, 1, "conflict", ERROR, message, "Resolve it.")
                break
    for secret in credentials.find(entry.body):
        message = f"looks like a secret ({secret.kind}), line {secret.line} of the body"
        yield Finding(entry.path, 1, "secret", WARNING, message)


def _about_entry(
    decoded: "Decoded", kinds: Iterable[str], now: int
) -> Iterator[Finding]:
    from memcli import temporal

    entry = decoded.entry
    for problem in decoded.problems:
        yield Finding(
            entry.path, problem.line, "bad_field", ERROR, problem.message,
        )  # fmt: skip
    if entry.kind not in kinds:
        message = f"unknown kind '{entry.kind}'"
        hint = f"Use a known kind, or add it to kinds in {layout.CONFIG}."
        yield Finding(entry.path, 1, "unknown_kind", ERROR, message, hint)
    if entry.updated and entry.created:
        created, updated = map(temporal.to_epoch, (entry.created, entry.updated))
        if updated < created:
            message = "updated before it was created"
            yield Finding(entry.path, 1, "updated_before_created", WARNING, message)
    expires = temporal.to_epoch(entry.expires_at) if entry.expires_at else 0
    if expires and expires <= now and entry.status is Status.ACTIVE:
        message = f"expired on {entry.expires_at}, but its status is active"
        yield Finding(entry.path, 1, "expired", WARNING, message)


def _about_ids(entries: Iterable[Entry]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    entries = list(entries)
    for entry in entries:
        if entry.id in first:
            message = f"has the id of {first[entry.id]}: {entry.id}"
            hint = "Give one of them another id, or remove the id line of the copy."
            yield Finding(entry.path, 1, "duplicate_id", ERROR, message, hint)
        first.setdefault(entry.id, entry.path)
    for entry in entries:
        for field in ("supersedes", "superseded_by"):
            other = getattr(entry, field)
            if other and other not in first:
                message = f"{field} names no entry: {other}"
                yield Finding(entry.path, 1, "dangling_lineage", WARNING, message)


def _about_links(entries: Iterable[Entry]) -> Iterator[Finding]:
    from memcli.document import link_key, links

    entries = list(entries)
    names = {name for entry in entries for name in link_names(entry)}
    for entry in entries:
        folder = entry.path.rpartition("/")[0]
        for target in links(entry.body):
            key = link_key(target)
            beside = os.path.normpath(f"{folder}/{key}").replace(os.sep, "/").casefold()
            last = key.rpartition("/")[2]
            if key not in names and beside not in names and last not in names:
                message = f"links to nothing: {target}"
                yield Finding(entry.path, 1, "dangling_link", WARNING, message)


def _about_folder(root: str, listing: files.Listing) -> Iterator[Finding]:
    for path in listing.symlinks:
        message = "a symbolic link; not followed, not searched"
        yield Finding(path, 1, "symlink", WARNING, message)
    for path in listing.unreadable:
        yield Finding(path, 1, "unreadable", ERROR, "the folder cannot be listed")
    for folder in listing.folders:
        absolute = os.path.join(root, *folder.split("/"))
        for name in os.listdir(absolute):
            if name.startswith(".") and name.endswith(".tmp"):
                path = f"{folder}/{name}"
                message = "left over from a write that was killed"
                yield Finding(path, 1, "leftover", WARNING, message, "Delete it.")
    from memcli.errors import NotAVault
    from memcli.history import Repository

    try:
        Repository.open(root)
    except NotAVault as error:
        yield Finding(".", 1, "no_history", ERROR, error.message, error.hint)
