"""Importing many memories at once, from JSON lines or a folder of notes.

Invariant: the sources are only read; valid entries are saved in one commit, every other
one is reported with its line and reason; repeating an import adds nothing.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from types import MappingProxyType

from memcli.curation import citing
from memcli.entries.entry import Entry, Source
from memcli.entries.fields import refuse_wide
from memcli.errors import (
    InvalidEntry,
    InvalidValue,
    MemcliError,
    Unreadable,
    UsageError,
)
from memcli.hosts import table
from memcli.named_tuple import NamedTuple
from memcli.storage import files, jsonl
from memcli.storage.listing import paths_of, scan
from memcli.vault import anchoring, saving

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from memcli.vault.saved import Saved
    from memcli.vault.vault import Vault


_PERSON = "a person sets it: memcli evolve ID --enforce deny"
_PIN = "to pin it: memcli pin ID"


class Failure(NamedTuple):
    """An entry that was not imported: its source, its line (from 1), the reason."""

    source: str
    line: int
    code: str
    reason: str
    hint: str | None


class Became(NamedTuple):
    """A memory of another tool: where it was, and what it is now."""

    source: str
    line: int
    kind: str
    project: str | None
    title: str
    outcome: str


class Gone(NamedTuple):
    """An entry that was imported from a file which no longer holds its text."""

    id: str
    title: str
    source: str


class Imported(NamedTuple):
    """The outcome of an import, or of a dry run.

    `duplicates` are all drafts that became no new entry; their outcome says why.
    `became` says it of each memory of another tool, `gone` names the entries whose
    page no longer holds them, and `notes` what was left out.
    """

    created: list[Saved]
    duplicates: list[Saved]
    failed: list[Failure]
    dry_run: bool = False
    became: tuple[Became, ...] = ()
    gone: tuple[Gone, ...] = ()
    notes: tuple[str, ...] = ()


class Manner(NamedTuple):
    """How lines become entries.

    `verb` is import, for what was learned elsewhere, or save; `fields` are those of
    every entry, and a line's own fields win; `kinds` has for a kind of the lines the
    kind that it becomes. `allow_secret` lets text that looks like a secret pass;
    `dry_run` only says what would be done.
    """

    verb: str = "import"
    fields: Mapping[str, Any] = MappingProxyType({})
    kinds: Mapping[str, str] = MappingProxyType({})
    allow_secret: bool = False
    dry_run: bool = False


def import_lines(
    vault: Vault,
    data: bytes,
    name: str,
    manner: Manner = Manner(),  # noqa: B008 a value that cannot change
) -> Imported:
    """Save one memory a line.

    Args:
        vault: where to.
        data: JSON lines, each an object with `text` and any field of an entry.
        name: what to call the source in messages.
        manner: how.
    """
    allow_secret, dry_run = manner.allow_secret, manner.dry_run
    as_import = manner.verb == "import"
    lines: list[tuple[int, Entry]] = []
    failed: list[Failure] = []
    for line, values in jsonl.attempts(data, name):
        try:
            if isinstance(values, Exception):
                raise values
            # What an import brings was not learned where it is called.
            anywhere = {"project": None} if as_import else {}
            extra = _extra(values.pop("extra", {}))
            kind = _word(values.get("kind"))
            if kind in manner.kinds:
                values["kind"] = manner.kinds[kind]
            entry = vault.draft({**anywhere, **manner.fields, **values})
            if extra:
                entry = entry.replace(extra=extra)
                refuse_wide(entry)
            # A line with an id is an entry that was exported: it keeps its own source.
            if as_import and not (entry.source.writer or entry.id):
                entry = entry.replace(source=entry.source._replace(writer="import"))
            refuse(entry, allow_secret)
            if entry.code:
                entry = anchoring.anchored(vault, entry, strict=not as_import)
            lines.append((line, entry))
        except MemcliError as error:
            failed.append(failure(name, line, error))
    drafts: list[Entry] = []
    answers = citing.attempts(vault, [entry for _, entry in lines])
    for (line, _), answer in zip(lines, answers, strict=True):
        if isinstance(answer, MemcliError):
            failed.append(failure(name, line, answer))
        else:
            drafts.append(answer)
    failed.sort(key=lambda failure: failure.line)
    origin = os.path.basename(name) if name != "-" else "standard input"
    occasion = saving.Occasion(manner.verb, origin)
    saved = save(vault, drafts, occasion, allow_secret=allow_secret, dry_run=dry_run)
    return imported(saved, failed, dry_run=dry_run)


def _word(value: Any) -> str:
    return value.strip().lower() if isinstance(value, str) else ""


def import_folder(
    vault: Vault, folder: str, *, allow_secret: bool = False, dry_run: bool = False
) -> Imported:
    """Copy a folder of markdown notes into the vault.

    Fields that memcli knows are used, the rest of the frontmatter is carried over as it
    is. A note without a title gets its file name as title, so that links by name still
    lead to it. `enforce` and `pinned` are left out, and named, whoever wrote the note.
    So is a page of rules such as CLAUDE.md, which is no note.
    """
    root = os.path.abspath(folder)
    if _same_or_below(root, vault.root) or _same_or_below(vault.root, root):
        raise UsageError(
            f"one of {folder} and the vault {vault.root} lies in the other",
            hint="Notes in the vault are entries already; see memcli inspect.",
        )
    listing = scan(root)
    drafts: list[Entry] = []
    failed: list[Failure] = []
    notes: list[str] = []
    pages = table.page_names()
    for path in sorted(paths_of(listing)):
        if path.rpartition("/")[2] in pages:
            command = shlex.join(["memcli", "import", os.path.join(folder, path)])
            notes.append(f"{path} was left out; to import its rules: {command}")
            continue
        try:
            entry = _note(vault, root, path)
            refuse(entry, allow_secret)
            if entry.enforce is not None:
                notes.append(
                    f"{path}: enforce: {entry.enforce} was left out; {_PERSON}"
                )
            if entry.pinned:
                notes.append(f"{path}: pinned was left out; {_PIN}")
            entry = entry.replace(enforce=None, pinned=False)
            drafts.append(entry)
        except MemcliError as error:
            line = error.line if isinstance(error, InvalidEntry) else 1
            failed.append(failure(path, line, error))
    failed += [
        Failure(path, 1, "unreadable", "a symbolic link; not followed", None)
        for path in listing.symlinks
    ]
    failed += [
        Failure(path, 1, "unreadable", "the folder cannot be listed", None)
        for path in listing.unreadable
    ]
    occasion = saving.Occasion("import", os.path.basename(root))
    saved = save(vault, drafts, occasion, allow_secret=allow_secret, dry_run=dry_run)
    done = imported(saved, failed, dry_run=dry_run)
    return done._replace(notes=tuple(notes))


def _note(vault: Vault, root: str, path: str) -> Entry:
    from memcli.entries import codec

    data = files.read(os.path.join(root, *path.split("/")))
    entry = codec.decode(data, path, kinds=vault.kinds).entry
    if not entry.body.strip() and not entry.extra:
        raise Unreadable(f"{path}: the note is empty")
    place = f"{os.path.basename(root)}/{path}"
    name = path.rpartition("/")[2].removesuffix(".md")
    titled = entry.title or (name if name != entry.display_title else "")
    # The same checks as for any other draft; the fields come from the file.
    checked = vault.draft({"text": entry.body if entry.body.strip() else name})
    return entry.replace(
        id="",
        path="",
        title=titled,
        body=checked.body,
        source=Source(writer="import", record=place)
        if entry.source == Source()
        else entry.source,
        created=entry.created,
        research=None,  # of the vault that it comes from
    )


def _extra(keys: Any) -> tuple[tuple[str, str], ...]:
    """The keys that memcli does not know, as `export` has them: name to YAML lines."""
    from memcli.entries import frontmatter

    given = keys.items() if isinstance(keys, Mapping) else None
    if given is None:
        raise InvalidValue("extra must be an object", code="invalid_extra")
    return tuple(frontmatter.checked_key(name, lines) for name, lines in given)


def save(
    vault: Vault,
    drafts: list[Entry],
    occasion: saving.Occasion,
    *,
    allow_secret: bool,
    dry_run: bool,
) -> list[Saved]:
    """Save drafts that `refuse` let pass, or say what would become of them."""
    if dry_run:
        return saving.plan(vault, drafts)
    if not drafts:
        return []
    look: saving.Look = "none" if allow_secret else "rest"
    return saving.save_all(vault, drafts, look=look, occasion=occasion)


def imported(saved: list[Saved], failed: list[Failure], *, dry_run: bool) -> Imported:
    """The outcome of an import, from that of each draft."""
    return Imported(
        created=[item for item in saved if item.outcome == "created"],
        duplicates=[item for item in saved if item.outcome != "created"],
        failed=failed,
        dry_run=dry_run,
    )


def refuse(entry: Entry, allow_secret: bool) -> None:
    """Raise SecretFound for an entry with a secret, unless a person allows it."""
    if not allow_secret:
        from memcli.entries import no_secrets

        no_secrets.refuse(entry)


def failure(source: str, line: int, error: MemcliError) -> Failure:
    """The record of an entry that was not imported."""
    return Failure(source, line, error.error_code, error.message, error.hint)


def _same_or_below(path: str, root: str) -> bool:
    path, root = os.path.realpath(path), os.path.realpath(root)
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)
