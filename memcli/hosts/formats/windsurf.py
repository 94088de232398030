"""Windsurf: steps of a trajectory, lines of `{type, status, <type>: {...}}`.

Windsurf writes the file for its hook `post_cascade_response_with_transcript` only. The
format is taken from its documentation, which says that steps may change; it has not
been seen with a real client.

Invariant: a user step is the response of a `user_input` step. A type that is not known
gives nothing and is counted.
"""

from __future__ import annotations

from memcli.hosts.formats import json_fields
from memcli.hosts.transcript import Action, Session, Step, typed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memcli.hosts.formats.jsonl_lines import Lines, Record

NAME = "windsurf"

_USER, _AGENT = "user_input", "planner_response"
_ACTIONS: dict[str, Action] = {
    "code_action": "edit",
    # The documentation stops here: these are the engine's own names for steps.
    "run_command": "run",
    **dict.fromkeys(("view_file", "list_directory", "grep_search"), "read"),
    "mcp_tool": "other",
}
# The first of each is documented; other steps and hooks use the rest.
_TYPED = ("user_response", "user_prompt", "text", "content")
_SPOKEN = ("response", "text", "content")
_OUTPUTS = ("output", "combined_output", "stdout", "result")


def recognises(record: Record) -> bool:
    """Whether only this host writes such a step: its type names one of its fields."""
    kind = json_fields.words(record.get("type"))
    if "message" in record or "sessionId" in record or "payload" in record:
        return False
    known = kind in (_USER, _AGENT) or kind in _ACTIONS
    return known and isinstance(record.get(kind), dict)


def session(lines: Lines) -> Session:
    """The session of this trajectory: the file has its name."""
    # Read once, so that a file that cannot be opened says so here.
    next(lines.records(), None)
    return Session(id=json_fields.stem(lines.path), host=NAME)


def steps(lines: Lines) -> Iterator[Step]:
    """Every step, in the order of the file."""
    for line, record in lines.records():
        kind = json_fields.words(record.get("type"))
        values = json_fields.mapping(record.get(kind)) or record
        name = record.get("step_id") or record.get("id")
        at = json_fields.At(line, name, record.get("timestamp"))
        if kind == _USER:
            yield from at.user(_prompt(values))
        elif kind == _AGENT:
            yield from at.assistant(_words(values, _SPOKEN))
        elif kind in _ACTIONS:
            yield from _action(kind, record, values, at)
        else:
            lines.met_unknown(kind)


def _words(values: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next(filter(None, (json_fields.words(values.get(key)) for key in keys)), "")


def _prompt(values: dict[str, Any]) -> str:
    text = typed(_words(values, _TYPED))
    return "" if text.startswith("Implement the following plan:") else text


def _action(
    kind: str, record: Record, values: dict[str, Any], at: json_fields.At
) -> Iterator[Step]:
    # A call and its result are one step of the file, so its place joins them.
    joins = f"step-{at.line}"
    yield at.call(joins, _ACTIONS[kind], json_fields.subject(values))
    code = json_fields.number(values.get("exit_code"))
    failed = None if code is None else code != 0
    if json_fields.words(record.get("status")) == "error":
        failed = True  # `done` says only that it has ended
    output = json_fields.first(values, _OUTPUTS)
    if output or failed is not None:
        yield at.result(joins, output, failed)
