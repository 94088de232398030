"""Gemini CLI: a chat as lines of JSON.

Invariant: a message is read once, as it was written last, and a user step is typed
text: hooks write theirs into the user's own record, from which it is taken out. The
lists of `$set` are the model's input, so they count only for messages that stand in no
record.
"""

from __future__ import annotations

import os
import re

from memcli.errors import Unreadable
from memcli.hosts.formats import records
from memcli.hosts.formats.records import Lines, Record, lines_of, open_file
from memcli.hosts.transcript import Step, typed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from typing import Any

_NOT_TYPED = (
    "<session_context>",
    "<state_snapshot>",
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "Implement the following plan:",
)
_REFERENCED = "--- Content from referenced files ---"
_SPEAKERS = ("user", "gemini")
_EXIT_CODE = re.compile(
    r"^(?:Exit Code|Command exited with code): (-?\d{1,9})$", re.MULTILINE
)
_UNTRUSTED = re.compile(r"</?untrusted_context>\n?")


class Gemini(records.Format):
    """Gemini CLI."""

    host = "gemini"

    def recognises(self, record: Record) -> bool:
        if ("sessionId" in record and "projectHash" in record) or "$set" in record:
            return True
        said = record.get("type") in _SPEAKERS
        return said and "id" in record and "content" in record

    def about(self, record: Record) -> tuple[Any, Any]:
        folders = record.get("directories")
        folder = folders[0] if isinstance(folders, list) and folders else None
        return record.get("sessionId"), folder

    def default(self, path: str) -> tuple[str, str | None]:
        """The name of the file, and the folder that `.project_root` names."""
        above = os.path.dirname(os.path.dirname(os.path.abspath(path)))
        try:
            with open_file(os.path.join(above, ".project_root")) as handle:
                text = handle.read(10_000).decode("utf-8", "replace").strip()
        except (Unreadable, OSError):
            text = ""
        return records.stem(path), records.text_of(text) or None

    def steps(self, lines: Lines) -> Iterator[Step]:
        own, listed, gone = _places(lines)
        for line, record in lines.records():
            name = records.name_of(record.get("id"))
            if name is not None:
                if own.get(name) == line and line not in gone:
                    yield from _message(record, line)
                continue
            for message in _listed(record):
                known = records.name_of(message.get("id")) or ""
                if listed.get(known) == line and known not in own:
                    del listed[known]
                    yield from _message(message, line)


def _places(lines: Lines) -> tuple[dict[str, int], dict[str, int], Container[int]]:
    """Where messages stand last, as records and in lists; and what was taken back: all
    of a sub-agent's chat."""
    own: dict[str, int] = {}
    listed: dict[str, int] = {}
    began: dict[str, int] = {}
    ranges = []
    for line, record in lines.records():
        if name := records.name_of(record.get("id")):
            own[name] = line
            began.setdefault(name, line)
        elif target := records.name_of(record.get("$rewindTo")):
            # The message itself is taken back, too.
            if target in began:
                ranges.append((began[target], line))
        elif record.get("kind") == "subagent":
            return {}, {}, ()
        else:
            for message in _listed(record):
                listed[records.name_of(message.get("id")) or ""] = line
    return own, listed, lines_of(ranges)


def _listed(record: Record) -> list[dict[str, Any]]:
    """The messages of a list of the host's."""
    return records.objects_of(records.object_of(record.get("$set")).get("messages"))


def _message(message: dict[str, Any], line: int) -> Iterator[Step]:
    kind = records.text_of(message.get("type"))
    at = records.At(line, message.get("id"), message.get("timestamp"))
    if kind == "user":
        yield from at.user(_prompt(message))
    elif kind == "gemini":
        yield from at.assistant(message.get("content"))
        for call in records.objects_of(message.get("toolCalls")):
            yield from _tool(call, at)


def _prompt(message: dict[str, Any]) -> str:
    """The text that a person typed; empty when the message is not a person's."""
    # With `@file` in it, the content holds the file; the displayed content does not.
    content = message.get("displayContent") or message.get("content")
    texts = [typed(text) for text in records.parts_of(content)]
    own = [text for text in texts if not text.startswith(_NOT_TYPED)]
    return records.joined(own).partition(_REFERENCED)[0]


def _tool(call: dict[str, Any], at: records.At) -> Iterator[Step]:
    step = at.tool(call.get("id"), call.get("name"), call.get("args"))
    yield step
    status = records.text_of(call.get("status"))
    if status not in ("success", "error", "cancelled"):
        return  # it waits, or runs
    shown = call.get("resultDisplay")
    outputs = []
    for part in records.objects_of(call.get("result")):
        response = records.object_of(part.get("functionResponse"))
        given = records.object_of(response.get("response"))
        outputs.append(records.first_of(given, ("output", "error")))
    text = _UNTRUSTED.sub("", records.joined(outputs)) or records.text_of(shown)
    failed: bool | None = status == "error"
    if status == "cancelled":
        failed = None
    elif step.action == "run":
        # A command that ends with code 1 is a success to the host. The code stands
        # below the output, which may hold such a line itself.
        codes = _EXIT_CODE.findall(f"{text}\n{records.text_of(shown)}")
        failed = failed or bool(codes and int(codes[-1]))
    yield at.result(call.get("id"), text, failed)
