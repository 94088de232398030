"""Importing many memories at once: from JSON lines, a folder of notes, or another tool.

Invariant: the sources are only read; valid entries are saved in one commit, every other
one is reported with its line and reason; repeating an import adds nothing. A memory of
another tool keeps where it came from, loses what looks like a secret, and holds where
the tool had it: in the project of the folder that it is about, or everywhere. What was
imported from a file once is not imported from it again, also when it was evolved or
resolved since.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from functools import partial

from memcli.curation import citing
from memcli.entries import codec, dates, frontmatter, no_secrets
from memcli.entries.eligibility import View, is_pinned, resolve_of, verdict
from memcli.entries.entry import MINERS, Entry, Layer, ResolutionScope, Source, Status
from memcli.entries.fields import refuse_wide
from memcli.entries.identity import claim, fingerprint, title_after
from memcli.errors import InvalidValue, MemcliError, Unreadable, UsageError
from memcli.hosts import host, table
from memcli.hosts import memories as tools
from memcli.hosts.pages import Problem, items, line_of
from memcli.named_tuple import NamedTuple
from memcli.storage import files, projects
from memcli.storage.listing import paths_of, scan
from memcli.vault import anchoring, lookup, saving
from memcli.vault.saved import Saved, stays_active

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from memcli.hosts.memories import Tool
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Vault

    _Text = tuple[str, str]

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


class Imported(NamedTuple):
    """The outcome of an import, or of a dry run.

    `duplicates` are all drafts that became no new entry; their outcome says why.
    `became` says it of each memory of another tool, and `notes` what was left out.
    """

    created: list[Saved]
    duplicates: list[Saved]
    failed: list[Failure]
    dry_run: bool = False
    became: tuple[Became, ...] = ()
    notes: tuple[str, ...] = ()


class _Import:
    """The drafts that a source gives, each with its line, and what gives none."""

    def __init__(
        self, vault: Vault, *, allow_secret: bool = False, dry_run: bool
    ) -> None:
        self.vault, self.allow_secret, self.dry_run = vault, allow_secret, dry_run
        self.found: list[tuple[int, Entry]] = []
        self.failed: list[Failure] = []
        self.notes: list[str] = []

    def read(self, source: str, line: int, make: Callable[[], Entry]) -> None:
        """Add what `make` gives without what acts unasked, or its refusal."""
        try:
            draft = make()
            citing.refuse_unsearched(self.vault, draft.layer)
            if not self.allow_secret:
                no_secrets.refuse(draft)
            for name, how in (("enforce", _PERSON), ("pinned", _PIN)):
                if getattr(draft, name):
                    self.notes.append(f"{source}:{line}: {name} was left out; {how}")
            self.found.append((line, draft.replace(enforce=None, pinned=False)))
        except MemcliError as error:
            self.fail(source, getattr(error, "line", line), error)

    def fail(self, source: str, line: int, error: MemcliError) -> None:
        self.failed.append(Failure(source, line, error.code, error.message, error.hint))

    def save(self, origin: str, drafts: list[Entry]) -> list[Saved]:
        """Save drafts in one commit, or say what would become of them."""
        drafts = self.vault.read(lambda reader: self._ending_nothing(reader, drafts))
        if self.dry_run or not drafts:
            return saving.plan(self.vault, drafts, "import") if drafts else []
        return saving.save_all(
            self.vault, drafts, allow_secret=self.allow_secret, origin=origin
        )

    def _ending_nothing(self, reader: Reader, drafts: list[Entry]) -> list[Entry]:
        """Drafts that are resolved not later than now, and alone where an entry in
        force says the same that a person has pinned, or no import has brought; and
        that replace no entry which is there and knows of no later version."""
        now, checked = self.vault.now_ms() // 1000, list[Entry]()
        for draft in drafts:
            over, ends = draft.resolved_at, resolve_of(draft)
            if over and dates.to_epoch(over) > now:
                draft = draft.replace(resolved_at=dates.iso(now))
            there = lookup.of_id(reader, draft.supersedes) if draft.supersedes else ()
            if any(row.superseded_by != draft.id for row in there):
                what = f"{draft.supersedes} is not replaced; to do so"
                how = f"memcli evolve {draft.id or 'ID'} --also {draft.supersedes}"
                self.notes.append(f"{what}: {how}")
                draft = draft.replace(supersedes=None)
            for doc in reader.exact("claim", claim(draft.body)) if ends else ():
                row, facts = reader.row(doc), reader.facts(doc)
                own = row.writer != "import" or is_pinned(row)
                holds = verdict(facts, View(now)) is None
                if own and holds and ends and ends.counts_for(None, facts):
                    draft = draft.replace(resolution_scope=ResolutionScope.ENTRY)
                    self.notes.append(stays_active(row.id))
            checked.append(draft)
        return checked

    def outcome(self, saved: list[Saved]) -> Imported:
        told = {note for item in saved for note in item.notes}
        return Imported(
            created=[item for item in saved if item.outcome == "created"],
            duplicates=[item for item in saved if item.outcome != "created"],
            failed=sorted(self.failed, key=lambda one: one.line),
            dry_run=self.dry_run,
            notes=tuple(each for each in self.notes if each not in told),
        )


# --- JSON lines ---------------------------------------------------------------------


def import_lines(
    vault: Vault,
    data: bytes,
    name: str,
    *,
    allow_secret: bool = False,
    dry_run: bool = False,
) -> Imported:
    """Save one memory a line.

    Args:
        vault: where to.
        data: JSON lines, each an object with `text` and any field of an entry.
        name: what to call the source in messages.
        allow_secret: let text that looks like a secret pass.
        dry_run: only say what would be done.
    """
    at = _Import(vault, allow_secret=allow_secret, dry_run=dry_run)
    for line, values in files.json_lines(data, name):
        at.read(name, line, partial(_of_line, vault, values))
    drafts, checked = [draft for _, draft in at.found], list[Entry]()
    answers = citing.attempts(vault, drafts)
    for (line, draft), answer in zip(at.found, answers, strict=True):
        if not isinstance(answer, MemcliError):
            checked.append(answer)
        elif draft.id and vault.agent is None:
            # It was exported, and what it rests on may be forgotten since.
            if draft.layer is not Layer.FACT:
                at.notes.append(f"{name}:{line}: imported as it is: {answer.message}")
            checked.append(draft)
        else:
            at.fail(name, line, answer)
    origin = os.path.basename(name) if name != "-" else "standard input"
    return at.outcome(at.save(origin, checked))


def _of_line(vault: Vault, values: dict[str, Any] | MemcliError) -> Entry:
    """The draft of a line of JSON."""
    if isinstance(values, MemcliError):
        raise values
    extra, enforce = _extra(values.pop("extra", {})), values.pop("enforce", None)
    # What an import brings was not learned where it is called.
    entry = vault.draft({"project": None, **values})
    if extra:
        entry = entry.replace(extra=extra)
        refuse_wide(entry)
    # A line with an id is an entry that was exported: it keeps its own source.
    if not entry.id:
        entry = entry.replace(source=_imported(entry.source))
    if entry.code:
        entry = anchoring.anchored(vault, entry, strict=False)
    return entry.replace(enforce=enforce)


def _imported(source: Source) -> Source:
    """A source as an import gives it: no person wrote that here; what was mined stays
    unconfirmed."""
    return source if source.writer in MINERS else source._replace(writer="import")


def _extra(keys: Any) -> tuple[tuple[str, str], ...]:
    """The keys that memcli does not know, as `export` has them: name to YAML lines."""
    if not isinstance(keys, Mapping):
        raise InvalidValue("extra must be an object", code="invalid_extra")
    extra = tuple(frontmatter.checked_key(name, lines) for name, lines in keys.items())
    page = f"---\n{''.join(lines for _, lines in extra)}---\n"
    if codec.decode(page.encode(), "").entry.extra != extra:
        raise InvalidValue("extra has a field that memcli uses", code="invalid_extra")
    return extra


# --- a folder of notes --------------------------------------------------------------


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
    real, own = os.path.realpath(root), os.path.realpath(vault.root)
    if projects.is_below(real, own) or projects.is_below(own, real):
        raise UsageError(
            f"one of {folder} and the vault {vault.root} lies in the other",
            hint="Notes in the vault are entries already; see memcli inspect.",
        )
    listing = scan(root)
    drafts = _Import(vault, allow_secret=allow_secret, dry_run=dry_run)
    pages = table.page_names()
    for path in sorted(paths_of(listing)):
        name = path.encode("utf-8", "backslashreplace").decode()
        if name != path:
            drafts.fail(name, 1, Unreadable("its name is no UTF-8"))
        elif path.rpartition("/")[2] in pages:
            command = shlex.join(["memcli", "import", os.path.join(folder, path)])
            drafts.notes.append(f"{path} was left out; to import its rules: {command}")
        else:
            drafts.read(path, 1, partial(_note, vault, root, path))
    for paths, problem in (
        (listing.symlinks, "a symbolic link; not followed"),
        (listing.unreadable, "the folder cannot be listed"),
    ):
        for path in paths:
            drafts.fail(path, 1, Unreadable(problem))
    found = [draft for _, draft in drafts.found]
    return drafts.outcome(drafts.save(os.path.basename(root), found))


def _note(vault: Vault, root: str, path: str) -> Entry:
    """The draft of a note."""
    data = files.read(os.path.join(root, *path.split("/")))
    entry = codec.decode(data, path, kinds=vault.kinds).entry
    if not entry.body.strip() and not entry.extra:
        raise Unreadable(f"{path}: the note is empty")
    place = f"{os.path.basename(root)}/{path}"
    name = path.rpartition("/")[2].removesuffix(".md")
    titled = entry.title or (name if name != entry.display_title else "")
    # The same checks as for any other draft; the fields come from the file.
    values = {"text": entry.body if entry.body.strip() else name}
    values |= {"layer": str(entry.layer), "subtype": str(entry.subtype or "")}
    checked = vault.draft(values)
    own = entry.source != Source()
    return entry.replace(
        id="",
        path="",
        title=titled,
        body=checked.body,
        source=_imported(entry.source if own else Source(record=place)),
        research=None,  # of the vault that it comes from
    )


# --- memories of other tools --------------------------------------------------------


def import_memories(
    vault: Vault, tool: Tool, places: Sequence[str], *, dry_run: bool = False
) -> Imported:
    """Save the memories of another tool.

    Args:
        vault: where to; its caller stands in the project at hand.
        tool: whose memories they are.
        places: its files and folders.
        dry_run: only say what would be done.
    """
    drafts = _Import(vault, dry_run=dry_run)
    known: dict[str | None, str | None] = {None: None}
    folder = vault.project.folder if vault.project else None
    known[folder] = vault.here
    kinds = frozenset(vault.kinds)  # each look reads the config
    for item in tools.found(tool, places, folder):
        place = _shown(item.place, vault.environ)
        if isinstance(item, Problem):
            drafts.fail(place, item.line, Unreadable(item.reason))
            continue
        if item.folder not in known:
            project = projects.of(item.folder, vault.environ)
            known[item.folder] = project.name if project else None
        fields = dict(item.fields)
        for name in ("text", "title"):
            text = fields.get(name) or ""
            fields[name] = no_secrets.masked(text)
            if fields[name] != text:
                drafts.notes.append(f"{place}:{item.line}: a secret was left out")
        fields["project"] = known[item.folder]
        fields["kind"] = fields.get("kind") if fields.get("kind") in kinds else None
        drafts.read(place, item.line, partial(_of_tool, vault, tool, place, fields))
    texts = [_text_of(draft) for _, draft in drafts.found]
    sources = {source for source, _ in texts}
    held = vault.read(lambda reader: _imported_from(reader, sources))
    new = [draft for _, draft in drafts.found if _text_of(draft) not in held]
    # Of one file its own name: AGENTS.md, the tool, reads CLAUDE.md as well.
    origin = os.path.basename(min(sources)) if len(sources) == 1 else tool.title
    rest = iter(drafts.save(origin, [*_in_force(vault, new, drafts.notes)]))
    results, became = list[Saved](), list[Became]()
    for text, (line, draft) in zip(texts, drafts.found, strict=True):
        row = held.get(text)
        result = Saved(row.id, row.path, "duplicate", row.title) if row else next(rest)
        results.append(result)
        memory = text[0], line, draft.kind, draft.project
        became.append(Became(*memory, result.title, result.outcome))
    return drafts.outcome(results)._replace(became=tuple(became))


def _of_tool(vault: Vault, tool: Tool, place: str, fields: dict[str, Any]) -> Entry:
    """The draft of a memory of another tool."""
    source = {"writer": "import", "host": tool.name, "record": place}
    source["proposed"] = no_secrets.masked(fields.pop("said", ""))
    fields["title"] = line_of(fields["title"])[:500]
    return vault.draft({**fields, "source": source})


def _in_force(
    vault: Vault, drafts: Sequence[Entry], notes: list[str]
) -> Iterator[Entry]:
    """Drafts of rules without those of their items that are resolved or replaced."""
    listed = []
    for draft in drafts:
        plain = draft.replace(title="", source=draft.source._replace(proposed=None))
        words = items(draft.source.proposed or draft.body)
        listed.append([plain.replace(body=each) for each in words])
    held = saving.look_up(vault, [each for _, *below in listed for each in below])[0]
    for draft, (first, *below) in zip(drafts, listed, strict=True):
        kept, said = draft, draft.source
        for item in below:
            again = held.match(item) is None and held.replaced(item)
            if again or held.settled_by(item):
                body = kept.body.replace(item.body, "", 1)
                title = title_after(kept.title, kept.body, body)
                kept = kept.replace(body=body, title=title)
                what = "is resolved or replaced, and was left out"
                notes.append(f"{said.record}: '{item.display_title}' {what}")
        if below:  # what is said of the rule itself, without its list, counts as well
            said = said._replace(proposed=first.body)
        yield kept.replace(source=said)


def _text_of(draft: Entry) -> _Text:
    return str(draft.source.record), fingerprint(draft.body)


def _imported_from(reader: Reader, sources: set[str]) -> dict[_Text, StoredRow]:
    """The entries that were imported from these files, by file and text; of several
    with one text the one in force."""
    held: dict[_Text, StoredRow] = {}
    for doc in reader.everything():
        row = reader.row(doc)
        if row.source.writer == "import" and row.source.record in sources:
            text = str(row.source.record), fingerprint(row.text)
            if text not in held or row.status == Status.ACTIVE:
                held[text] = row
    return held


def _shown(place: str, environ: Mapping[str, str]) -> str:
    """A place without the name of the user's home folder."""
    home = host.home(environ)
    whole = os.path.abspath(place)
    below = whole.startswith(os.path.join(home, ""))
    return "~" + whole[len(home.rstrip(os.sep)) :] if below else whole
