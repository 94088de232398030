"""The format for every other agent: one `{"role": ..., "text": ...}` a line.

Invariant: a line says of itself who spoke or acted; nothing is guessed but the frame
that memcli has put around its own text, which is removed here too. The fields are a
table in docs/reference/transcripts.md.
"""

from __future__ import annotations

import zlib

from memcli.hosts.formats import json_fields
from memcli.hosts.transcript import ACTIONS, ROLES, Action, Session, Step

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcli.hosts.formats.jsonl_lines import Lines, Record

NAME = "generic"

_ACTIONS: dict[str, Action] = {action: action for action in ACTIONS}


def recognises(record: Record) -> bool:
    """Whether a line has the two fields that every line has."""
    role = json_fields.words(record.get("role"))
    return role in ROLES and isinstance(record.get("text"), str)


def session(lines: Lines) -> Session:
    """A `session` that the first line names; else the file's name and that line.

    A name alone is not enough: two folders may each have a `chat.jsonl`.
    """
    stem = json_fields.stem(lines.path)
    # Read once, so that a file that cannot be opened says so here.
    for _, record in lines.records():
        named = json_fields.name(record.get("session"))
        first = f"{record.get('role')}\0{record.get('text')}"
        mark = zlib.crc32(first.encode("utf-8", "replace"))
        return Session(id=named or f"{stem}-{mark:08x}", host=NAME)
    return Session(id=stem, host=NAME)


def steps(lines: Lines) -> Iterator[Step]:
    """Every step, in the order of the file."""
    for line, record in lines.records():
        role = json_fields.words(record.get("role"))
        text = json_fields.words(record.get("text"))
        at = json_fields.At(line, record.get("id"), record.get("at"))
        if role == "user":
            yield from at.user(text)
        elif role == "assistant":
            yield from at.assistant(text)
        elif role == "call":
            action = _ACTIONS.get(json_fields.words(record.get("action")), "other")
            yield at.call(record.get("call"), action, text)
        elif role == "result":
            failed = json_fields.flag(record.get("failed"))
            yield at.result(record.get("call"), text, failed)
        else:
            lines.met_unknown(role)
