"""Gemini CLI: a chat as JSONL, or (up to 0.3x) as one JSON object.

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
from memcli.hosts.formats import json_fields, jsonl_lines
from memcli.hosts.formats.jsonl_lines import Lines, Ranges, Record, open_file
from memcli.hosts.transcript import Session, Step, typed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

NAME = "gemini"

_NOT_TYPED = (
    "<session_context>",
    "<state_snapshot>",
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "Implement the following plan:",
)
_REFERENCED = "--- Content from referenced files ---"
_SPEAKERS = ("user", "gemini")
_NO_STEPS = frozenset(("info", "warning", "error"))
_KNOWN = frozenset(("$set", "$rewindTo", "sessionId"))
_EXIT_CODE = re.compile(
    r"^(?:Exit Code|Command exited with code): (-?\d{1,9})$", re.MULTILINE
)
_UNTRUSTED = re.compile(r"</?untrusted_context>\n?")


def recognises(record: Record) -> bool:
    """Whether only this host writes such a record."""
    if "sessionId" in record and ("projectHash" in record or "messages" in record):
        return True
    return isinstance(record.get("$set"), dict) or (
        record.get("type") in _SPEAKERS and "id" in record and "content" in record
    )


def is_whole(chat: Record) -> bool:
    """Whether this object is a chat, all of it."""
    return isinstance(chat.get("messages"), list) and "info" not in chat


def session(lines: Lines) -> Session:
    """The session of this chat, from its header and the folder it lies in."""
    heads = [record for _, record in islice(lines.records(), 3)]
    if not heads and lines.broken:
        heads = [jsonl_lines.read_object(lines.path)[0]]
    head = next((each for each in heads if "sessionId" in each), {})
    folders = head.get("directories")
    folder = folders[0] if isinstance(folders, list) and folders else None
    stem = json_fields.stem(lines.path)
    return Session(
        id=json_fields.name(head.get("sessionId")) or stem,
        host=NAME,
        cwd=json_fields.words(folder) or _project(lines.path),
    )


def steps(lines: Lines) -> Iterator[Step]:
    """Every step, in the order of the file, which is read twice."""
    own, listed, gone, ours = _survey(lines)
    if not own and not listed and lines.broken:
        yield from _object_steps(lines)
        return
    for line, record in lines.records() if ours else ():
        name = json_fields.name(record.get("id"))
        if name is None:
            if _KNOWN.isdisjoint(record):
                lines.met_unknown(json_fields.words(record.get("type")))
            for message in _patched(record):
                known = json_fields.name(message.get("id"))
                if known and listed.get(hash(known)) == line:
                    del listed[hash(known)]
                    yield from _message(message, line, lines)
        elif own.get(hash(name)) == line and line not in gone:
            yield from _message(record, line, lines)


def _survey(
    lines: Lines,
) -> tuple[dict[int, int], dict[int, int], Ranges, bool]:
    """Where messages stand last: as records, in lists; what was taken back; whether
    the chat is a person's and no sub-agent's.
    """
    own: dict[int, int] = {}
    listed: dict[int, int] = {}
    began: dict[int, int] = {}
    ranges = []
    ours = True
    for line, record in lines.records():
        if name := json_fields.name(record.get("id")):
            own[hash(name)] = line
            began.setdefault(hash(name), line)
        elif target := json_fields.name(record.get("$rewindTo")):
            # The message itself is taken back, too.
            if hash(target) in began:
                ranges.append((began[hash(target)], line))
        elif record.get("kind") == "subagent":
            ours = False
        else:
            for message in _patched(record):
                if known := json_fields.name(message.get("id")):
                    listed[hash(known)] = line
    for key in own:
        listed.pop(key, None)
    return own, listed, Ranges(ranges), ours


def _patched(record: Record) -> list[dict[str, Any]]:
    patch = record.get("$set", record)
    return json_fields.objects(json_fields.mapping(patch).get("messages"))


def _object_steps(lines: Lines) -> Iterator[Step]:
    try:
        chat, text = jsonl_lines.read_object(lines.path)
    except Unreadable:
        return  # half-written, or no chat: its lines are in `broken`
    lines.broken = []
    places = jsonl_lines.Places(text)
    for message in json_fields.objects(chat.get("messages")):
        line = places.line(json_fields.name(message.get("id")))
        yield from _message(message, line, lines)


def _message(message: dict[str, Any], line: int, lines: Lines) -> Iterator[Step]:
    kind = json_fields.words(message.get("type"))
    at = json_fields.At(line, message.get("id"), message.get("timestamp"))
    if kind == "user":
        yield from at.user(_prompt(message))
    elif kind == "gemini":
        yield from at.assistant(message.get("content"))
        for call in json_fields.objects(message.get("toolCalls")):
            yield from _tool(call, at)
    elif kind not in _NO_STEPS:
        lines.met_unknown(kind)


def _prompt(message: dict[str, Any]) -> str:
    """What a person typed; empty when the message is not a person's."""
    # With `@file` in it, the content holds the file; the displayed content does not.
    content = message.get("displayContent") or message.get("content")
    texts = [typed(text) for text in json_fields.parts(content)]
    own = [text for text in texts if not text.startswith(_NOT_TYPED)]
    return json_fields.joined(own).partition(_REFERENCED)[0]


def _tool(call: dict[str, Any], at: json_fields.At) -> Iterator[Step]:
    step = at.tool(call.get("id"), call.get("name"), call.get("args"))
    yield step
    status = json_fields.words(call.get("status"))
    if status not in ("success", "error", "cancelled"):
        return  # it waits, or runs
    shown = call.get("resultDisplay")
    outputs = []
    for part in json_fields.objects(call.get("result")):
        response = json_fields.mapping(part.get("functionResponse"))
        given = json_fields.mapping(response.get("response"))
        outputs.append(json_fields.first(given, ("output", "error")))
    text = _UNTRUSTED.sub("", json_fields.joined(outputs)) or json_fields.words(shown)
    failed: bool | None = status == "error"
    if status == "cancelled":
        failed = None
    elif step.action == "run":
        # A command that ends with code 1 is a success to the host. The code stands
        # below the output, which may hold such a line itself.
        codes = _EXIT_CODE.findall(f"{text}\n{json_fields.words(shown)}")
        failed = failed or bool(codes and int(codes[-1]))
    yield at.result(call.get("id"), text, failed)


def _project(path: str) -> str | None:
    """The folder that `.project_root`, above the chats, names."""
    above = os.path.dirname(os.path.dirname(os.path.abspath(path)))
    try:
        with open_file(os.path.join(above, ".project_root")) as handle:
            text = handle.read(10_000).decode("utf-8", "replace").strip()
    except (Unreadable, OSError):
        return None
    return json_fields.words(text) or None
