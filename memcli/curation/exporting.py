"""Export: what a vault holds, for other vaults, and for pages of instructions.

Invariant: the vault is only read, and an agent's export holds what it may see. What
`as_object` makes, `import` takes back: ids, lineage, dates and unknown keys included.
Outside of its block a page of instructions keeps every byte. No memory can end its line
or the block, make an agent read a file, or look like the host; what reads like an order
to the model is left out, as hooks do.
"""

from __future__ import annotations

import os
import re
import shlex

from memcli.entries.eligibility import View
from memcli.entries.entry import FIELDS, LOOK, Entry, Status, Visibility, one_line
from memcli.entries.ids import shortened
from memcli.entries.text import prompt_injection
from memcli.entries.text.prompt_injection import harmless
from memcli.errors import Conflict, MemcliError, WriteFailed
from memcli.hosts import pages
from memcli.named_tuple import NamedTuple, encoded
from memcli.recall import listing
from memcli.recall.query import Filters, Query
from memcli.storage import files, projects

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from memcli.vault.vault import Vault


class Exported(NamedTuple):
    """The entries of an export; the files that could not be read, with the reason; and
    by their ids the marks of those that have some.

    A file that is no entry is among the unread of every project: nobody knows
    what it would be.
    """

    entries: list[Entry]
    unread: list[str]
    marks: Mapping[str, str]

    def told(self) -> list[Entry]:
        """Those that a page may tell to everybody who reads it; what is pinned and in
        doubt is marked."""
        return [
            entry.replace(body=f"({LOOK})\n{entry.body}")
            if entry.id in self.marks
            else entry
            for entry in self.entries
            if entry.visibility is Visibility.SHARED
            and self.marks.get(entry.id, LOOK) == LOOK
        ]


def entries(vault: Vault, project: str = "", *, current: bool) -> Exported:
    """The entries that an export holds, oldest first.

    Args:
        vault: whose.
        project: only of this project, as `recall --project` takes it.
        current: only what is in force; else also what is superseded, resolved,
            expired, rejected, or waits for review.

    Raises:
        InvalidValue: it can be no project's name.
        NotAllowed: the vault is answered by a database, which has no files.
    """
    vault.refuse_published("exported from here")
    now = vault.now_ms() // 1000
    statuses = frozenset({Status.ACTIVE} if current else Status)
    filters = Filters(project=project)
    query = Query("", View(now, statuses, agent=vault.agent), filters)
    found: list[Entry] = []
    rows = listing.listed(vault, query._replace(limit=2**31)).rows
    unread = [
        f"{file.path}:{file.line} was left out: {file.reason}"
        for file in vault.index.again(lambda reader: reader.broken)
    ]
    for row in sorted(rows, key=lambda row: (row.id, row.path)):
        try:
            entry = vault.stored(row.path).entry
        except MemcliError as error:
            unread.append(f"{row.path} was left out: {error.message}")
            continue
        found.append(vault.as_seen(entry))
    marks = {row.id: ", ".join(row.marks) for row in rows if row.marks}
    return Exported(found, unread, marks)


def as_object(entry: Entry) -> dict[str, Any]:
    """An entry as a line of JSON that `import` takes: what differs from its default.

    A research run is of one machine and is left out.
    """
    line: dict[str, Any] = {"id": entry.id}
    for name in FIELDS[1:]:
        value = getattr(entry, name)
        if value == Entry._field_defaults.get(name) or name == "research":
            continue
        line[name] = encoded(value)
    if entry.extra:
        line["extra"] = dict(entry.extra)
    return {**line, "text": entry.body}


# --- the block of a page that hosts without hooks read at a session's start -------


# What agents should follow in all they do, in this order.
_STANDING = (
    ("constraint", "Constraints"),
    ("convention", "Conventions"),
    ("preference", "Preferences"),
)
_KINDS = frozenset(kind for kind, _ in _STANDING)
# A page of instructions is read whole at every start.
_PER_KIND = 40
_LONGEST = 400
# A hook reads a page at every start, and 200,000 characters took two seconds.
_RULED = 50_000
_BEGIN = f"{pages.BEGIN} (memcli export writes this block; edit the memories) -->"
_END = f"{pages.END} -->"
_BLOCK = re.compile(
    rf"{re.escape(pages.BEGIN)}.*?{re.escape(pages.END)}[^\n]*?-->", re.DOTALL
)
# `@path` makes an agent read that file, and a comment could end the block.
_FILE_MARK = re.compile(r"(?<![\w`])@(?=[\w~./])")


class Block(NamedTuple):
    """A page of instructions with its block.

    Attributes:
        path: the page.
        data: all of its new bytes.
        changed: whether they differ from what is there.
        told: how many memories the block holds.
        left_out: how many more there were.
        in_page: how many are not told, since the page says them outside of the block,
            as it does when they were imported from it.
        doubtful: (id, reason) of those that read like orders to the model.
    """

    path: str
    data: bytes
    changed: bool
    told: int
    left_out: int
    in_page: int
    doubtful: tuple[tuple[str, str], ...]


def planned(path: str, found: Sequence[Entry]) -> Block:
    """A page with a block for these memories.

    Args:
        path: `AGENTS.md`, `CLAUDE.md` or the like; it need not be there.
        found: what may be told; only standing kinds are.

    Raises:
        Unreadable: the page is a link, no text, or too large.
        Conflict: it holds half a block, or two.
    """
    before = _text(path)
    standing = [entry for entry in found if entry.kind in _KINDS]
    doubts = {e.id: prompt_injection.of_entry(e.title, e.body) for e in standing}
    doubtful = tuple((name, doubt) for name, doubt in doubts.items() if doubt)
    newline = "\r\n" if "\r\n" in before else "\n"
    page = page_lines(_BLOCK.sub("", before))
    may_be_told = [entry for entry in standing if not doubts[entry.id]]
    news = [entry for entry in may_be_told if plain(entry.body) not in page]
    lines, told, left_out = _lines(news)
    text = newline.join([_BEGIN, *lines, _END])
    marks = before.count(pages.BEGIN), before.count(pages.END)
    there = _BLOCK.search(before)
    if marks not in ((0, 0), (1, 1)) or (there is None and marks != (0, 0)):
        raise Conflict(
            f"{path} holds half a block of memcli's, or more than one",
            hint=f"Remove what is left of it: lines from {pages.BEGIN} to {pages.END}",
        )
    if there is not None:
        after = before[: there.start()] + text + before[there.end() :]
    else:
        gap = newline * (2 - before.endswith("\n")) if before else ""
        after = before + gap + text + newline
    changed = after != before
    in_page = len(may_be_told) - len(news)
    return Block(path, after.encode(), changed, told, left_out, in_page, doubtful)


def old_pages(vault: Vault, cwd: str) -> Iterator[tuple[str, list[str], str]]:
    """The pages of the project of a folder that `planned` would write otherwise: name,
    lines that no memory in force says, and the command that writes it anew."""
    from memcli.hosts import table

    project = projects.of(cwd, vault.environ)
    if not project or vault.is_published:
        return
    for name in sorted({page for host in table.hosts() for page in host.pages}):
        path = os.path.join(project.folder, *name.split("/"))
        try:
            block = _BLOCK.search(_text(path))
            held = entries(vault, current=True).told() if block else []
        except MemcliError:
            continue  # no page of memcli's
        if block is None:
            continue
        told = [line[2:] for line in block[0].splitlines() if line.startswith("- ")]
        known = {in_one_line(one.title, one.body): one.project for one in held}
        everywhere = {line for line, project in known.items() if project is None}
        words = ["memcli", "export", "--format", "agents-md", "--out", path]
        words += ["--everywhere"] * (not everywhere.isdisjoint(told))
        if lines := [line for line in told if line not in known]:
            yield name, lines, shlex.join(words)


def _text(path: str) -> str:
    if not os.path.lexists(path):
        if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
            raise WriteFailed(f"the folder of {path} does not exist")
        return ""
    return files.decoded(files.read(path, limit=4_000_000, follow=False), path)


def page_lines(page: str) -> str:
    """The lines of a page as `plain` has them, and its rules as imports make them."""
    rules = pages.rules(page[:_RULED])
    return plain("\n".join([page, *(rule.text() for rule in rules)]))


def plain(text: str) -> str:
    """The lines of a text without marks of lists and headings, each between two breaks:
    so a text is found in another one as whole lines, however those are written."""
    lines = (" ".join(_unmarked(line).split()) for line in text.casefold().split("\n"))
    return "\n" + "".join(f"{line}\n" for line in lines if line)


def _unmarked(line: str) -> str:
    return line.strip().lstrip("-*#> ")


def _lines(found: Sequence[Entry]) -> tuple[list[str], int, int]:
    """The block's lines, how many memories they tell, and how many are left out."""
    lines = ["## What memcli remembers", ""]
    lines += ["A record of the past: check what you rely on.", ""]
    told = left_out = 0
    for kind, heading in _STANDING:
        of_kind = [entry for entry in found if entry.kind == kind]
        of_kind.sort(key=lambda entry: (not entry.pinned, entry.id))
        if not of_kind:
            continue
        shown = of_kind[:_PER_KIND]
        lines += [f"### {heading}", ""]
        lines += [f"- {in_one_line(entry.title, entry.body)}" for entry in shown] + [""]
        told += len(shown)
        left_out += len(of_kind) - len(shown)
    return lines[:-1] if told else [*lines, "Nothing yet."], told, left_out


def in_one_line(title: str | None, body: str) -> str:
    """A memory as one line, which can end neither its line nor the block."""
    lines = map(_unmarked, body.split("\n"))
    whole = " ".join(filter(None, lines))
    if title and one_line(title) not in whole:
        whole = f"{one_line(title)}: {whole}"
    whole = one_line(whole)
    text = shortened(whole, _LONGEST, " ")
    text += "…" if len(text) < len(whole) else ""
    return _FILE_MARK.sub("@\u2060", harmless(text).replace("-->", "-- >"))
