"""Memories that tools export as JSON: mem0, Letta, and the MCP memory server.

mem0: what `get_all` answers, a list of objects with `memory`, or one below `results`.
Letta: an agent file (`.af`), whose blocks of memory have `label` and `value`.
The MCP memory server: a line for each entity, with its observations, and for each
relation between two.
"""

from __future__ import annotations

from memcli.errors import InvalidContent, Unreadable
from memcli.hosts.memories.memory import Found, Memory, Problem, date_of, tags_of
from memcli.storage import files, jsonl

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

_LARGEST = 200_000_000


def mem0(path: str) -> Found:
    """The memories of an export of mem0."""
    value = _document(path)
    if isinstance(value, Problem):
        yield value
        return
    rows = value.get("results", value.get("memories")) if _is_object(value) else value
    if not isinstance(rows, list):
        yield Problem(path, 1, "not an export of mem0: no list of memories")
        return
    for number, row in enumerate(rows, 1):
        text = row.get("memory") if _is_object(row) else None
        place = f"{path}#{number}"
        if not _is_text(text):
            yield Problem(place, 1, "a memory without text")
            continue
        metadata = row.get("metadata")
        category = metadata.get("category") if _is_object(metadata) else None
        labels = row.get("categories") or ([category] if category else [])
        fields = {
            "text": text,
            "tags": tags_of(labels),
            "created": date_of(row.get("created_at")),
            "expires_at": date_of(row.get("expiration_date")),
            "session": row.get("run_id"),
        }
        yield Memory(f"{path}#{row.get('id') or number}", 1, fields)


def letta(path: str) -> Found:
    """The blocks of memory of a Letta agent file."""
    value = _document(path)
    if isinstance(value, Problem):
        yield value
        return
    blocks = value.get("blocks") if _is_object(value) else None
    # The first version of the format had them in the agent itself.
    if blocks is None and _is_object(value):
        blocks = value.get("core_memory")
    if not isinstance(blocks, list):
        yield Problem(path, 1, "not an agent file of Letta: no list of blocks")
        return
    for number, block in enumerate(blocks, 1):
        text = block.get("value") if _is_object(block) else None
        if not _is_text(text):
            continue  # a block that the agent has not filled
        label = str(block.get("label") or "")
        fields = {
            "text": text,
            "title": f"Letta: {label}" if label else "",
            "kind": "preference" if label == "human" else "note",
            "tags": tags_of([label]),
        }
        yield Memory(f"{path}#{label or number}", 1, fields)


def memory_server(path: str) -> Found:
    """The observations and relations of the MCP memory server's graph."""
    try:
        data = files.read(path, limit=_LARGEST)
    except Unreadable as error:
        yield _unread(path, error)
        return
    for line, value in jsonl.attempts(data, path):
        if isinstance(value, Unreadable | InvalidContent):
            yield Problem(path, line, value.message.removeprefix(f"{path}:{line}: "))
        elif value.get("type") == "entity":
            yield from _entity(path, line, value)
        elif value.get("type") == "relation":
            yield from _relation(path, line, value)
        else:
            yield Problem(path, line, "neither an entity nor a relation")


def _entity(path: str, line: int, value: dict[str, Any]) -> Found:
    name, said = value.get("name"), value.get("observations")
    if not (_is_text(name) and isinstance(said, list)):
        yield Problem(path, line, "an entity without a name or observations")
        return
    for text in said:
        if _is_text(text):
            # An observation of `Ada` says "prefers tabs", and not who does.
            known = str(name).casefold() in text.casefold()
            whole = text if known else f"{name}: {text}"
            fields = {"text": whole, "entities": [name]}
            yield Memory(f"{path}#{name}", line, fields)


def _relation(path: str, line: int, value: dict[str, Any]) -> Found:
    ends = [value.get("from"), value.get("to")]
    verb = value.get("relationType")
    if not (_is_text(verb) and all(map(_is_text, ends))):
        yield Problem(path, line, "a relation that lacks from, to or relationType")
        return
    text = f"{ends[0]} {str(verb).replace('_', ' ')} {ends[1]}"
    fields = {"text": text, "entities": ends}
    yield Memory(f"{path}#{ends[0]}", line, fields)


def _document(path: str) -> Any:
    import json

    try:
        return json.loads(files.read(path, limit=_LARGEST).decode("utf-8-sig"))
    except Unreadable as error:
        return _unread(path, error)
    except UnicodeDecodeError:
        return Problem(path, 1, "not UTF-8")
    except (ValueError, RecursionError) as error:
        return Problem(path, 1, f"not JSON: {error}")


def _unread(path: str, error: Unreadable) -> Problem:
    return Problem(path, 1, error.message.removeprefix(f"{path}: "))


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
