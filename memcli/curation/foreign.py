"""Importing the memories of other tools.

Invariant: the tools' files are only read. A memory keeps where it came from, loses what
looks like a secret, and holds where the tool had it: in the project of the folder that
it is about, or everywhere. What was imported from a file once is not imported from it
again, also when it was evolved or resolved since; what left its file stays, and is
named.
"""

from __future__ import annotations

import os

from memcli.curation import importing
from memcli.curation.importing import Became, Failure, Gone, Imported
from memcli.entries import no_secrets
from memcli.entries.entry import Status
from memcli.entries.identity import fingerprint
from memcli.errors import InvalidValue, MemcliError
from memcli.hosts import host
from memcli.hosts.memories import tools
from memcli.hosts.memories.pages import Memory, Problem, line_of
from memcli.named_tuple import NamedTuple
from memcli.storage import projects
from memcli.vault import saving
from memcli.vault.saved import Saved

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcli.entries.entry import Entry
    from memcli.hosts.memories.tools import Tool
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Vault

    _Text = tuple[str, str]


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
    saved = importing.save(vault, new, occasion, allow_secret=False, dry_run=dry_run)
    rest, results, became = iter(saved), list[Saved](), list[Became]()
    for line, draft in drafts:
        row = held.get(_text_of(draft))
        result = Saved(row.id, row.path, "duplicate", row.title) if row else next(rest)
        results.append(result)
        became.append(
            Became(
                str(draft.source.record),
                line,
                draft.kind,
                draft.project,
                result.title,
                result.outcome,
            )
        )
    unread = {failure.source for failure in failed}
    gone = [
        Gone(row.id, row.title, text[0])
        for text, row in held.items()
        if text not in read and text[0] not in unread and row.status == Status.ACTIVE
    ]
    done = importing.imported(results, failed, dry_run=dry_run)
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
            importing.refuse(draft, allow_secret=False)
            drafts.append((item.line, draft))
        except MemcliError as error:
            failed.append(importing.failure(place, item.line, error))
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
