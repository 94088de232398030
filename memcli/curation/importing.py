"""Importing many memories at once: from JSON lines, a folder of notes, or another tool.

Invariant: the sources are only read; valid entries are saved in one commit, every other
one is reported with its line and reason; repeating an import adds nothing. A memory of
another tool keeps where it came from, loses what looks like a secret, and holds where
the tool had it: in the project of the folder that it is about, or everywhere. What was
imported from a file once is not imported from it again, also when it was evolved or
resolved since; what left its file stays, and is named.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from types import MappingProxyType

from memcli.curation import citing
from memcli.entries import no_secrets
from memcli.entries.entry import Entry, Source, Status
from memcli.entries.fields import refuse_wide
from memcli.entries.identity import fingerprint
from memcli.errors import (
    InvalidEntry,
    InvalidValue,
    MemcliError,
    Unreadable,
    UsageError,
)
from memcli.hosts import host, table
from memcli.hosts.memories import tools
from memcli.hosts.memories.pages import Memory, Problem, line_of
from memcli.named_tuple import NamedTuple
from memcli.storage import files, jsonl, projects
from memcli.storage.listing import paths_of, scan
from memcli.vault import anchoring, saving
from memcli.vault.saved import Saved

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.hosts.memories.tools import Tool
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Vault

    _Text = tuple[str, str]

_PERSON = "a person sets it: memcli evolve ID --enforce deny"
# More lines than these that are no memories: the file is something else.
_MOST_FAILED = 1_000
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
    notes: list[str] = []
    for line, values in jsonl.attempts(data, name):
        if len(failed) > _MOST_FAILED:
            raise InvalidValue(
                f"{name}: more than {_MOST_FAILED:,} lines are no memories; nothing "
                f"was imported. The first: line {failed[0].line}: {failed[0].reason}",
                hint="Give JSON lines, each an object with a text.",
            )
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
            if as_import and entry.pinned:
                notes.append(f"{name}:{line}: pinned was left out; {_PIN}")
                entry = entry.replace(pinned=False)
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
    return imported(saved, failed, dry_run=dry_run)._replace(notes=tuple(notes))


def _word(value: Any) -> str:
    return value.strip().lower() if isinstance(value, str) else ""


def import_folder(
    vault: Vault, folder: str, *, allow_secret: bool = False, dry_run: bool = False
) -> Imported:
    """Copy a folder of markdown notes into the vault.

    Fields that memcli knows are used, the rest of the frontmatter is carried over as it
    is. A note without a title gets its file name as title, so that links by name still
    lead to it. `enforce` and `pinned` are left out, with a note.
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
        name = path.encode("utf-8", "backslashreplace").decode()
        if name != path:
            failed.append(Failure(name, 1, "unreadable", "its name is no UTF-8", None))
            continue
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


# --- memories of other tools --------------------------------------------------------


class At(NamedTuple):
    """Where an import is called: the environment, and the project at hand."""

    environ: Mapping[str, str]
    project: projects.Project | None


def import_memories(
    vault: Vault, tool: Tool, places: Sequence[str], at: At, *, dry_run: bool = False
) -> Imported:
    """Save the memories of another tool.

    Args:
        vault: where to.
        tool: whose memories they are.
        places: its files and folders.
        at: where the import is called.
        dry_run: only say what would be done.
    """
    drafts, failed, notes = _drafts(vault, tool, places, at)
    read = {_text_of(draft) for _, draft in drafts}
    files = {file for file, _ in read}
    files |= {_shown(place, at) for place in places if os.path.isfile(place)}
    held = vault.read(lambda reader: _imported_from(reader, files))
    new = [draft for _, draft in drafts if _text_of(draft) not in held]
    occasion = saving.Occasion("import", tool.title)
    saved = save(vault, new, occasion, allow_secret=False, dry_run=dry_run)
    rest, results, became = iter(saved), list[Saved](), list[Became]()
    for line, draft in drafts:
        row = held.get(_text_of(draft))
        result = Saved(row.id, row.path, "duplicate", row.title) if row else next(rest)
        results.append(result)
        memory = str(draft.source.record), line, draft.kind, draft.project
        became.append(Became(*memory, result.title, result.outcome))
    unread = {failure.source for failure in failed}
    gone = [
        Gone(row.id, row.title, text[0])
        for text, row in held.items()
        if text not in read and text[0] not in unread and row.status == Status.ACTIVE
    ]
    done = imported(results, failed, dry_run=dry_run)
    return done._replace(became=tuple(became), gone=tuple(gone), notes=notes)


def _drafts(
    vault: Vault, tool: Tool, places: Sequence[str], at: At
) -> tuple[list[tuple[int, Entry]], list[Failure], tuple[str, ...]]:
    """Lines and drafts of the memories that can be saved, those that cannot, and notes
    of what was left out."""
    drafts, failed, notes = list[tuple[int, "Entry"]](), list[Failure](), list[str]()
    known: dict[str, str | None] = {}
    folder = at.project.folder if at.project else None
    for item in tools.found(tool, places, folder):
        place = _shown(item.place, at)
        try:
            if isinstance(item, Problem):
                raise InvalidValue(item.reason, code="unreadable")
            fields = dict(item.fields)
            for name in ("text", "title"):
                clean = no_secrets.masked(fields.get(name) or "")
                if clean != (fields.get(name) or ""):
                    notes.append(f"{place}:{item.line}: a secret was left out")
                fields[name] = clean
            fields["project"] = _project(item, at, known)
            draft = _draft(vault, tool, place, fields)
            refuse(draft, allow_secret=False)
            drafts.append((item.line, draft))
        except MemcliError as error:
            failed.append(failure(place, item.line, error))
    return drafts, failed, tuple(notes)


def _text_of(draft: Entry) -> _Text:
    return str(draft.source.record), fingerprint(draft.body)


def _imported_from(reader: Reader, files: set[str]) -> dict[_Text, StoredRow]:
    """The entries that were imported from these files, by file and text; of several
    with one text the one in force."""
    held: dict[_Text, StoredRow] = {}
    for doc in reader.everything():
        row = reader.row(doc)
        if row.source.writer == "import" and row.source.record in files:
            text = str(row.source.record), fingerprint(row.text)
            if text not in held or row.status == Status.ACTIVE:
                held[text] = row
    return held


def _draft(vault: Vault, tool: Tool, place: str, fields: dict[str, object]) -> Entry:
    session = line_of(fields.pop("session", None))
    source = {"writer": "import", "host": tool.name, "record": place}
    if fields.get("kind") not in vault.kinds:
        fields["kind"] = None
    fields["title"] = line_of(fields["title"])[:500]
    return vault.draft({**fields, "source": {**source, "session": session}})


def _project(item: Memory, at: At, known: dict[str, str | None]) -> str | None:
    """The project that a memory holds in; None when it holds everywhere."""
    if item.folder is None:
        return None
    if at.project and item.folder == at.project.folder:
        return at.project.name
    if item.folder not in known:
        project = projects.of(item.folder, at.environ)
        known[item.folder] = project.name if project else None
    return known[item.folder]


def _shown(place: str, at: At) -> str:
    """A place without the name of the user's home folder."""
    home = host.home(at.environ)
    whole = os.path.abspath(place)
    below = whole.startswith(os.path.join(home, ""))
    return "~" + whole[len(home.rstrip(os.sep)) :] if below else whole
