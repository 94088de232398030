"""The block that memcli keeps up to date in a page of instructions.

Hosts without hooks read `AGENTS.md` or `CLAUDE.md` at a session's start, so what agents
should always follow is written there.

Invariant: outside the block the page keeps every byte. No memory can end its line or
the block, make an agent read a file, or look like the host; what reads like an order to
the model is left out, as hooks do.
"""

from __future__ import annotations

import os
import re

from memcli.entries.entry import Entry, one_line
from memcli.entries.ids import shortened
from memcli.entries.text import prompt_injection
from memcli.entries.text.harmless import harmless
from memcli.errors import Conflict, Unreadable, WriteFailed
from memcli.hosts.memories import pages
from memcli.named_tuple import NamedTuple
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    """What a page of instructions becomes.

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
    """What a page becomes with a block for these memories; `put` writes it.

    Args:
        path: `AGENTS.md`, `CLAUDE.md` or the like; it need not be there.
        found: what may be told; only standing kinds are.

    Raises:
        Unreadable: the page is a link, no text, or too large.
        Conflict: it holds half a block, or two.
    """
    before = _text(path)
    standing = [entry for entry in found if entry.kind in _KINDS]
    doubts = [
        (entry, prompt_injection.of_entry(entry.title, entry.body))
        for entry in standing
    ]
    doubtful = tuple((entry.id, doubt) for entry, doubt in doubts if doubt)
    newline = "\r\n" if "\r\n" in before else "\n"
    page = page_lines(_BLOCK.sub("", before))
    may_be_told = [entry for entry, doubt in doubts if not doubt]
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
    elif before:
        gap = newline if before.endswith("\n") else newline * 2
        after = before + gap + text + newline
    else:
        after = text + newline
    changed = after != before
    in_page = len(may_be_told) - len(news)
    return Block(path, after.encode(), changed, told, left_out, in_page, doubtful)


def put(page: Block) -> None:
    """Write a page, whole or not at all."""
    if page.changed:
        files.write_atomic(page.path, page.data)


def _text(path: str) -> str:
    if not os.path.lexists(path):
        if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
            raise WriteFailed(f"the folder of {path} does not exist")
        return ""
    try:
        return files.read(path, limit=4_000_000, follow=False).decode()
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path}: not UTF-8") from error


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
    text = harmless(text).replace("-->", "-- >")
    return _FILE_MARK.sub("@\u2060", text)
