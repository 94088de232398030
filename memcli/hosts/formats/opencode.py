"""opencode: the output of `opencode export`, one JSON object `{info, messages}`.

Invariant: a user step is the text parts of a user's message that a person typed: those
that opencode adds in the user's name are marked `synthetic` or `ignored`. Summaries of
a compaction, reverted messages and the sessions of sub-agents give no steps.
"""

from __future__ import annotations

import re

from memcli.hosts.formats import records
from memcli.hosts.transcript import Step, typed_parts

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memcli.hosts.formats.lines import Lines, Record

# A person said no, or stopped it.
_REFUSED = ("The user rejected permission", "Tool execution aborted")
# `opencode run "a b"` puts an argument with a space into quotes, its own escaped.
_QUOTED = re.compile(r'"((?:[^"]|(?<=\\)")+)"')


class Opencode(records.Format):
    """opencode."""

    host = "opencode"

    def recognises(self, record: Record) -> bool:
        has_messages = isinstance(record.get("messages"), list)
        return has_messages and isinstance(record.get("info"), dict)

    def about(self, record: Record) -> tuple[Any, Any]:
        info = records.object_of(record.get("info"))
        return info.get("id"), info.get("directory")

    def steps(self, lines: Lines) -> Iterator[Step]:
        export = next((each for _, each in lines.records()), {})
        info = records.object_of(export.get("info"))
        if info.get("parentID"):
            return  # a sub-agent's: there the agent above types
        reverted = records.object_of(info.get("revert"))
        for number, message in enumerate(records.objects_of(export.get("messages")), 1):
            about = records.object_of(message.get("info"))
            name = records.name_of(about.get("id"))
            created = records.object_of(about.get("time")).get("created")
            at = records.At(number, name, created)
            parts = records.objects_of(message.get("parts"))
            if name is not None and name == reverted.get("messageID"):
                # Taken back from here on; with a part's id, from that part on.
                first = reverted.get("partID")
                ids = [part.get("id") for part in parts]
                before = parts[: ids.index(first)] if first and first in ids else []
                yield from _message(about, before, at)
                return
            yield from _message(about, parts, at)


def _message(
    about: dict[str, Any], parts: list[dict[str, Any]], at: records.At
) -> Iterator[Step]:
    role = records.text_of(about.get("role"))
    if role == "user":
        yield from at.user(_prompt(parts))
        return
    if role != "assistant" or about.get("summary") is True:
        return
    for part in parts:
        kind = records.text_of(part.get("type"))
        if kind == "text":
            if not _is_added(part):
                yield from at.assistant(part.get("text"))
        elif kind == "tool":
            yield from _tool(part, at)


def _is_added(part: dict[str, Any]) -> bool:
    return bool(part.get("synthetic") or part.get("ignored"))


def _prompt(parts: list[dict[str, Any]]) -> str:
    """The text that a person typed; empty when the message is not a person's."""
    given = [
        records.text_of(part.get("text"))
        for part in parts
        if part.get("type") == "text" and not _is_added(part)
    ]
    texts = []
    for text in typed_parts(given):
        quoted = _QUOTED.fullmatch(text)
        texts.append(quoted[1].replace('\\"', '"') if quoted else text)
    text = records.joined(texts)
    return "" if records.is_plan(text) else text


def _tool(part: dict[str, Any], at: records.At) -> Iterator[Step]:
    state = records.object_of(part.get("state"))
    yield at.tool(part.get("callID"), part.get("tool"), state.get("input"))
    status = records.text_of(state.get("status"))
    if status not in ("completed", "error"):
        return  # it waits, or runs
    # A command that ends with code 1 is `completed`.
    code = records.number_of(records.object_of(state.get("metadata")).get("exit"))
    failed: bool | None = status == "error" or bool(code)
    text = records.first_of(state, ("output", "error"))
    if status == "error" and text.startswith(_REFUSED):
        failed = None
    yield at.result(part.get("callID"), text, failed)
