"""Gemini CLI: a chat as lines of JSON.

Invariant: a message is read once, as it was written last, and a user step is typed
text: hooks write theirs into the user's own record, from which it is taken out. The
lists of `$set` are the model's input, so they count only for messages that stand in no
record.
"""

from __future__ import annotations

import os
import re
from itertools import islice

from memcli.errors import Unreadable
from memcli.hosts.formats import records
from memcli.hosts.formats.records import Record, name_of
from memcli.hosts.transcript import Step, typed
from memcli.storage import files

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


class Gemini(records.Transcript):
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

    def default(self) -> tuple[str, str | None]:
        """The name of the file, and the folder that `.project_root` names."""
        above = os.path.dirname(os.path.dirname(os.path.abspath(self.path)))
        try:
            data = files.read(os.path.join(above, ".project_root"), first=10_000)
        except Unreadable:
            data = b""
        text = data.decode("utf-8", "replace").strip()
        return super().default()[0], records.text_of(text) or None

    def gone(self) -> Container[int]:
        for _, record in islice(self.records(), records.HEAD):
            if record.get("kind") == "subagent":
                return records.ALL
        return self.rewound(lambda record: record.get("$rewindTo"))

    def steps(self) -> Iterator[Step]:
        gone = self.gone()
        # Where each message was written last; in a list only if it is no record.
        last: dict[str, tuple[bool, int]] = {}
        for name, place, _ in self._messages():
            last[name] = max(place, last.get(name, place))
        for name, place, message in self._messages():
            is_own, line = place
            if last.get(name) == place and gone is not records.ALL:
                del last[name]
                if not (is_own and line in gone):
                    yield from _message(message, line)

    def _messages(self) -> Iterator[tuple[str, tuple[bool, int], Record]]:
        """Each message with its id, whether it is a record of its own, and its line."""
        for line, record in self.records():
            if own := name_of(record.get("id")):
                yield own, (True, line), record
                continue
            for each in records.objects_of(records.within(record, "$set", "messages")):
                if name := name_of(each.get("id")):
                    yield name, (False, line), each


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
    parts = records.objects_of(call.get("result"))
    given = (records.within(part, "functionResponse", "response") for part in parts)
    answers = map(records.object_of, given)
    outputs = [records.first_of(one, ("output", "error")) for one in answers]
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
