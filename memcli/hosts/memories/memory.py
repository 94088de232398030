"""One memory of another tool, and how its files are read.

Invariant: a file is read up to a limit, and no link, pipe or device is followed. Text
that is no UTF-8 is a `Problem`, never a guess.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.entries import dates, frontmatter
from memcli.entries.checks import check_date, fitting_tag
from memcli.errors import InvalidEntry, InvalidValue, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

_LARGEST = 4_000_000
# Folders of rules and memories are small; a link farm or a home folder is not one.
_MOST_FILES = 20_000
_DEEPEST = 8


class Memory(NamedTuple):
    """What a file, a row or a rule of another tool says.

    Attributes:
        place: the file.
        line: where it begins in the file, from 1.
        fields: `text`, and what else the tool says: title, kind, tags, occurred_at,
            expires_at, session. What the tool does not say is an empty value.
        folder: the folder that it is about; None when it names none.
    """

    place: str
    line: int
    fields: dict[str, Any]
    folder: str | None = None


class Problem(NamedTuple):
    """What could not be read: where, from which line, and why."""

    place: str
    line: int
    reason: str


Found = Iterator[Memory | Problem]


class Note(NamedTuple):
    """A markdown file: the values of its frontmatter, and the body with its line."""

    values: dict[str, Any]
    body: str
    line: int


def note(path: str) -> Note | Problem:
    """Read a markdown file."""
    try:
        data = files.read(path, limit=_LARGEST, follow=False)
        page = frontmatter.take_apart(data, path)
    except InvalidEntry as error:
        return Problem(path, error.line, error.reason)
    except Unreadable as error:
        return Problem(path, 1, error.message.removeprefix(f"{path}: "))
    values = {part.name: _plain(part.value) for part in page.parts}
    # The two fences stand around the lines.
    line = len(page.lines) + 3 if page.opening else 1
    return Note(values, page.body.replace("\r\n", "\n"), line)


def _plain(node: Any) -> Any:
    """A YAML node as texts, lists and dictionaries; two levels, as tools write them."""
    if node.id == "mapping":
        return {
            str(key.value): value.value
            for key, value in node.value
            if value.id == "scalar" and not frontmatter.is_null(value)
        }
    if node.id == "sequence":
        return [item.value for item in node.value if item.id == "scalar"]
    return "" if frontmatter.is_null(node) else node.value


def line_of(value: Any) -> str:
    """A value of a frontmatter as one line; empty when it is not a text."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def date_of(value: Any) -> str | None:
    """A tool's date as an entry has it; None when it is not a date."""
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        return check_date(value, "occurred_at")
    except InvalidValue:
        return None


def tags_of(values: Any) -> list[str]:
    """A tool's labels as tags, each in the nearest form that memcli takes."""
    labels = values.split(",") if isinstance(values, str) else values
    if not isinstance(labels, list):
        return []
    fitting = [fitting_tag(label) for label in labels if isinstance(label, str)]
    return list(dict.fromkeys(filter(None, fitting)))


def written(path: str) -> str | None:
    """When a file was last written, as an entry has dates."""
    try:
        return dates.iso(int(os.stat(path, follow_symlinks=False).st_mtime))
    except (OSError, ValueError, OverflowError):
        return None


def below(folder: str, *ends: str) -> list[str]:
    """The files of a folder whose names have one of these ends, in order.

    Links are not followed, and hidden folders not entered.
    """
    paths: list[str] = []
    folders = [(folder, 0)]
    while folders and len(paths) < _MOST_FILES:
        place, depth = folders.pop()
        try:
            with os.scandir(place) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except (OSError, ValueError):
            continue
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                if depth < _DEEPEST and not entry.name.startswith("."):
                    folders.append((entry.path, depth + 1))
            elif entry.is_file(follow_symlinks=False) and entry.name.endswith(ends):
                paths.append(entry.path)
    return sorted(paths)[:_MOST_FILES]
