"""opencode: the output of `opencode export`, one JSON object `{info, messages}`.

Invariant: a user step is the text parts of a user's message that a person typed: those
that opencode adds in the user's name are marked `synthetic` or `ignored`. Summaries of
a compaction, reverted messages and the sessions of sub-agents give no steps.
"""

from __future__ import annotations

import re

from memcli.errors import Unreadable
from memcli.hosts.formats import json_fields, jsonl_lines
from memcli.hosts.transcript import Session, Step, typed_parts

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memcli.hosts.formats.jsonl_lines import Lines, Record

NAME = "opencode"

_NO_STEPS = frozenset(
    """reasoning step-start step-finish snapshot patch file agent subtask retry
    compaction""".split()
)
# A person said no, or stopped it.
_REFUSED = ("The user rejected permission", "Tool execution aborted")
# `opencode run "a b"` puts an argument with a space into quotes, its own escaped.
_QUOTED = re.compile(r'"((?:[^"]|(?<=\\)")+)"')


def recognises(record: Record) -> bool:
    """Whether only this host writes such an object, when it stands on one line."""
    return is_whole(record)


def is_whole(chat: Record) -> bool:
    """Whether this object is an export, all of it."""
    return isinstance(chat.get("messages"), list) and isinstance(chat.get("info"), dict)


def session(lines: Lines) -> Session:
    """The session that was exported.

    Raises:
        Unreadable: the file cannot be opened, or is half an export.
    """
    stem = json_fields.stem(lines.path)
    info = json_fields.mapping(_export(lines)[0].get("info"))
    return Session(
        id=json_fields.name(info.get("id")) or stem,
        host=NAME,
        cwd=json_fields.words(info.get("directory")) or None,
    )


def steps(lines: Lines) -> Iterator[Step]:
    """Every step, in the order of the messages."""
    try:
        export, places = _export(lines)
    except Unreadable:
        return  # half an export: its lines are in `broken`
    info = json_fields.mapping(export.get("info"))
    if info.get("parentID"):
        return  # a sub-agent's: there the agent above types
    if is_whole(export):
        lines.broken = []
    reverted = json_fields.mapping(info.get("revert"))
    places.line("messages")
    for message in json_fields.objects(export.get("messages")):
        about = json_fields.mapping(message.get("info"))
        name = json_fields.name(about.get("id"))
        at = json_fields.At(places.line(name), name, _created(about))
        parts = json_fields.objects(message.get("parts"))
        if name is not None and name == reverted.get("messageID"):
            # Taken back from here on; with a part's id, from that part on.
            first = reverted.get("partID")
            ids = [part.get("id") for part in parts]
            before = parts[: ids.index(first)] if first and first in ids else []
            yield from _message(about, before, at, lines)
            return
        yield from _message(about, parts, at, lines)


def _export(lines: Lines) -> tuple[Record, jsonl_lines.Places]:
    """The object, and where its messages stand."""
    for line, record in lines.records():
        if is_whole(record):
            return record, jsonl_lines.Places("", line)
    if lines.broken or lines.unfinished:
        export, text = jsonl_lines.read_object(lines.path)
        return export, jsonl_lines.Places(text)
    return {}, jsonl_lines.Places("")


def _created(about: dict[str, Any]) -> Any:
    return json_fields.mapping(about.get("time")).get("created")


def _message(
    about: dict[str, Any], parts: list[dict[str, Any]], at: json_fields.At, lines: Lines
) -> Iterator[Step]:
    role = json_fields.words(about.get("role"))
    if role == "user":
        yield from at.user(_prompt(parts))
        return
    if role != "assistant":
        lines.met_unknown(role)
        return
    if about.get("summary") is True:
        return
    for part in parts:
        kind = json_fields.words(part.get("type"))
        if kind == "text":
            if not _is_added(part):
                yield from at.assistant(part.get("text"))
        elif kind == "tool":
            yield from _tool(part, at)
        elif kind not in _NO_STEPS:
            lines.met_unknown(kind)


def _is_added(part: dict[str, Any]) -> bool:
    return bool(part.get("synthetic") or part.get("ignored"))


def _prompt(parts: list[dict[str, Any]]) -> str:
    """What a person typed; empty when the message is not a person's."""
    given = [
        json_fields.words(part.get("text"))
        for part in parts
        if part.get("type") == "text" and not _is_added(part)
    ]
    texts = []
    for text in typed_parts(given):
        quoted = _QUOTED.fullmatch(text)
        texts.append(quoted[1].replace('\\"', '"') if quoted else text)
    text = json_fields.joined(texts)
    return "" if text.startswith("Implement the following plan:") else text


def _tool(part: dict[str, Any], at: json_fields.At) -> Iterator[Step]:
    state = json_fields.mapping(part.get("state"))
    yield at.tool(part.get("callID"), part.get("tool"), state.get("input"))
    status = json_fields.words(state.get("status"))
    if status not in ("completed", "error"):
        return  # it waits, or runs
    # A command that ends with code 1 is `completed`.
    code = json_fields.number(json_fields.mapping(state.get("metadata")).get("exit"))
    failed: bool | None = status == "error" or bool(code)
    text = json_fields.first(state, ("output", "error"))
    if status == "error" and text.startswith(_REFUSED):
        failed = None
    yield at.result(part.get("callID"), text, failed)
