"""A transcript: JSON lines that may be broken anywhere; a record's fields, as the types
that they should have; the steps that are made of them; and what all formats share.

Invariant: one line is held at a time, and none that is longer than `LONGEST`. A line
that cannot be read costs only itself: its number goes to `broken`, and the next one is
read. A last line that is still being written is neither read nor broken. Any JSON value
goes in and nothing is raised; a value of the wrong type comes out empty, and every text
that comes out can be written as UTF-8.
"""

from __future__ import annotations

import os
import re
from itertools import islice
from typing import IO, Any

from memcli.entries import dates
from memcli.errors import Unreadable
from memcli.hosts.tool_call import CHANGES, COMMANDS, PATHS
from memcli.hosts.transcript import Session, Step, typed, typed_parts, unframed
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from memcli.hosts.transcript import Action, Role

# Ten times what a host sends to a model at once; with its objects 100 MB.
LONGEST = 16_000_000

Record = dict[str, Any]


# --- fields --------------------------------------------------------------------------

# What a tool is about, the most telling first.
_SUBJECTS = (*COMMANDS, *PATHS, "pattern", "query")
_LONGEST_NAME = 200
_LONGEST_CALL = 500
_HEAD, _TAIL, _CUT = 1_497, 500, "\n…\n"
_SURROGATE = re.compile("[\ud800-\udfff]")
# Sequences that a terminal obeys (colours, titles); what turns text around; and other
# controls within a word. A key that is painted in two colours is still a key.
_CONTROLS = r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]+"
_UNSEEN = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)"
    rf"|[\u202a-\u202e\u2066-\u2069]|(?<=[\w+/=-]){_CONTROLS}(?=[\w+/=-])"
)
_BREAKS = re.compile(_CONTROLS)


def text_of(value: Any) -> str:
    """The value as text; empty when it is of another type.

    Without half characters, and without invisible commands: NUL, terminal sequences,
    other controls than tabs and line ends, and overrides of direction. Its lines end
    with `\\n`, whichever end of a line they had, or control between two words.
    """
    if not isinstance(value, str):
        return ""
    text = _BREAKS.sub("\n", _UNSEEN.sub("", value))
    text = "\n".join(text.splitlines())
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def name_of(value: Any) -> str | None:
    """The value as an id or a name, on one line; None when it is of another type."""
    return " ".join(text_of(value).split())[:_LONGEST_NAME].rstrip() or None


def object_of(value: Any) -> dict[str, Any]:
    """The value as an object; empty when it is of another type."""
    return value if isinstance(value, dict) else {}


def within(value: Any, *keys: str) -> Any:
    """The value below these keys of objects; None where there is none."""
    for key in keys:
        value = object_of(value).get(key)
    return value


def objects_of(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; empty when the value is not a list."""
    items = value if isinstance(value, list) else []
    return [each for each in items if isinstance(each, dict)]


def number_of(value: Any) -> int | None:
    """A whole number; None for any other value (`true` is another)."""
    return value if type(value) is int else None


def flag_of(value: Any) -> bool | None:
    """True or False; None when it is neither."""
    return value if isinstance(value, bool) else None


def parts_of(content: Any) -> list[str]:
    """The texts of a content: a string, or a list of strings and `{text}` blocks."""
    if isinstance(content, str | dict):
        content = [content]
    if not isinstance(content, list):
        return []
    return [
        text_of(part.get("text") if isinstance(part, dict) else part)
        for part in content
    ]


def typed_blocks(content: Any) -> list[str]:
    """The texts that a person may have typed, of a content with other blocks."""
    if isinstance(content, list):
        content = [
            block
            for block in content
            if not isinstance(block, dict) or block.get("type") == "text"
        ]
    return typed_parts(parts_of(content))


def joined(texts: Iterable[str]) -> str:
    """Texts as one, empty ones left out."""
    return "\n\n".join(text for text in texts if text.strip())


def instant(value: Any) -> str | None:
    """ISO 8601 in UTC with seconds, of such a text, which without an offset counts as
    UTC; None when it is no moment."""
    found = dates.date_in(value)
    is_day = found and len(found) <= len("2026-11-21")
    return dates.iso(dates.to_epoch(found)) if is_day else found


def first_of(values: dict[str, Any], keys: Iterable[str]) -> str:
    """The first of these keys that holds a text; a list of words is a command line."""
    for key in keys:
        value = values.get(key)
        if isinstance(value, list) and value:
            value = " ".join(text_of(each) for each in value)
        if text := text_of(value).strip():
            return text
    return ""


class At:
    """Where a record stands; makes its steps.

    Invariant: what it makes is as long as a step may be, and holds nothing that memcli
    has put into the session.
    """

    __slots__ = ("line", "moment", "record")

    def __init__(self, line: int, record: Any = None, moment: Any = None) -> None:
        self.line = line
        self.record = name_of(record) or f"line-{line}"
        self.moment = instant(moment)

    def user(self, text: str, *, program: bool = False) -> list[Step]:
        """The step of a person's words, or of a program's in their place; none when
        nothing is left of them."""
        text = typed(text)
        return [self._step("user", text, program=program)] if text else []

    def assistant(self, content: Any) -> list[Step]:
        """A text of the agent's, or its parts; no step when it is empty."""
        text = unframed(joined(parts_of(content)))
        return [self._step("assistant", text)] if text else []

    def said(self, content: Any) -> Iterator[Step]:
        """The texts and the tools of a message of the agent's."""
        if isinstance(content, str):
            yield from self.assistant(content)
        for block in objects_of(content):
            if block.get("type") == "text":
                yield from self.assistant(block.get("text"))
            elif block.get("type") == "tool_use":
                yield self.tool(block.get("id"), block.get("name"), block.get("input"))

    def tool(self, call: Any, tool: Any, values: Any) -> Step:
        """A tool of this name that is used with these arguments."""
        values, name = object_of(values), text_of(tool).lower()
        action: Action = "other"
        if first_of(values, PATHS) and any(word in name for word in CHANGES):
            action = "edit"
        elif first_of(values, COMMANDS):
            action = "run"
        return self.call(call, action, first_of(values, _SUBJECTS))

    def call(self, call: Any, action: Action, text: str) -> Step:
        """A tool that is used; `text` is its command line or the path of its file."""
        text = unframed(text)
        if len(text) > _LONGEST_CALL:
            text = f"{text[: _LONGEST_CALL - 1]}…"
        return self._step("call", text, call=name_of(call), action=action)

    def result(self, call: Any, text: str, failed: bool | None) -> Step:
        """The step of a tool's output."""
        text = unframed(text)
        if len(text) > _HEAD + _TAIL + len(_CUT):
            text = f"{text[:_HEAD]}{_CUT}{text[-_TAIL:]}"
        return self._step("result", text, call=name_of(call), failed=failed)

    def _step(self, role: Role, text: str, **more: Any) -> Step:
        return Step(role, text, self.line, self.record, self.moment, **more)


# --- formats -------------------------------------------------------------------------

# A file says within so many records whose it is, or never.
HEAD = 200
_BLANK = b"\xef\xbb\xbf\0 \t\r\n"

ALL: Container[int] = range(1 << 62)
"""Every line: of a transcript in which an agent types."""


class Transcript:
    """One session's transcript; a host's own class says how that host writes them, and
    these are the answers of a plain one.

    Attributes:
        path: the file.
        session: whose it is.
        broken: numbers of the lines that the last reading could not read.
    """

    host = ""
    """The host's name in the table."""

    session: Session

    def __init__(self, path: str) -> None:
        self.path = path
        self.broken: list[int] = []

    def records(self) -> Iterator[tuple[int, Record]]:
        """(line from 1, object) of each line that holds one; may be called again.

        Bytes that are not UTF-8 are replaced.

        Raises:
            Unreadable: the file is none, or the disk refuses.
        """
        self.broken = []
        files.read(
            self.path, limit=1 << 62, first=0
        )  # refuses pipes, which `open` would wait for
        try:
            with open(self.path, "rb") as handle:
                for line, raw, ended in _raw_lines(handle):
                    data = raw.strip(_BLANK)
                    text = data.decode("utf-8", "replace")
                    value = parsed(text) if len(data) <= LONGEST else None
                    if value is not None:
                        yield line, value
                    elif data and (ended or data[:1] != b"{"):
                        self.broken.append(line)
        except OSError as error:
            raise Unreadable(f"{self.path}: {files.reason_of(error)}") from error

    def recognises(self, record: Record) -> bool:
        """Whether only this host writes such a record."""
        raise NotImplementedError

    def about(self, record: Record) -> tuple[Any, Any]:
        """The id and the folder of the session, as far as a record says them."""
        del record
        return None, None

    def forked(self, record: Record) -> tuple[Any, Any]:
        """The id of a fork and of the session that it repeats, if a record says so."""
        del record
        return None, None

    def default(self) -> tuple[str, str | None]:
        """The id and the folder of a session of which no record says them."""
        base = os.path.splitext(os.path.basename(self.path))[0]
        return name_of(base) or "session", None

    def opened(self) -> Session:
        """The session, from the first records.

        Raises:
            Unreadable: the file is none.
        """
        name = folder = None
        parents: dict[str | None, str] = {}
        for _, record in islice(self.records(), HEAD):
            said, place = self.about(record)
            name, folder = name or name_of(said), folder or text_of(place) or None
            fork, parent = map(name_of, self.forked(record))
            if parent:
                parents.setdefault(fork or name, parent)
            elif name and folder:
                break
        other, place = self.default()
        first = name = name or other
        while first in parents:  # of a fork of a fork
            first = parents.pop(first)
        origin = None if first == name else first
        return Session(name, self.host, folder or place, origin)

    def gone(self) -> Container[int]:
        """The lines that are no steps: taken back, or of a sub-agent."""
        return ()

    def steps(self) -> Iterator[Step]:
        """Every step, in the order of the file; a record's id counts once. May be
        called again.

        Raises:
            Unreadable: the file is gone, or the disk refuses.
        """
        gone = self.gone()
        seen: set[int] = set()
        for line, record in self.records():
            name = name_of(self.id_of(record))
            if name is not None:
                if hash(name) in seen:
                    continue
                seen.add(hash(name))
            if line not in gone:
                yield from self.read(record, At(line, name, record.get("timestamp")))

    def id_of(self, record: Record) -> Any:
        """The id of a record."""
        return record.get("id")

    def read(self, record: Record, at: At) -> Iterator[Step]:
        """The steps of a record; none of a type that is not known."""
        raise NotImplementedError

    def rewound(self, target: Callable[[Record], Any]) -> set[int]:
        """The lines from a record to the one that takes it back, which names it.

        Args:
            target: gives the id of what a record takes back.
        """
        first: dict[int, int] = {}
        ranges = []
        for line, record in self.records():
            if name := name_of(record.get("id")):
                first.setdefault(hash(name), line)
            if start := first.get(hash(name_of(target(record)) or "")):
                ranges.append((start, line))
        return lines_of(ranges)


def parsed(text: Any) -> Record | None:
    """The JSON object that a text is; None for any other."""
    import json

    try:
        value = json.loads(text, strict=False)
    except (TypeError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _raw_lines(handle: IO[bytes]) -> Iterator[tuple[int, bytes, bool]]:
    """(number, bytes, whether it ended) of each line; a long one is cut."""
    number = 0
    while raw := handle.readline(LONGEST + 2):
        number += 1
        ended = raw.endswith(b"\n")
        while not ended and (rest := handle.readline(LONGEST)):
            ended = rest.endswith(b"\n")
        yield number, raw, ended


def lines_of(ranges: Iterable[tuple[int, int]]) -> set[int]:
    """The lines of ranges [start, end), which may overlap: what a rewind took back."""
    lines, behind = set[int](), 0
    for start, end in sorted(ranges):
        lines.update(range(max(start, behind), end))
        behind = max(behind, end)
    return lines


def is_plan(text: str) -> bool:
    """Whether the host wrote this when a plan of the agent's was accepted."""
    return text.startswith("Implement the following plan:")
