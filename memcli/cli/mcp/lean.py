"""What an answer leaves out for a model: usual values, and a text said twice.

Invariant: a model can tell from what is left what was left out: an entry is active, a
fact and not stale unless its row says otherwise, and each text stands once.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

# A longer text is cut in a search's answer: one note must not fill a model's context.
LONGEST = 4_000
_KEPT = 3_000
# What a row, or an entry that is named in passing, leaves out when it has this value.
_USUAL = {
    "layer": "fact",
    "status": "active",
    "stale": False,
    "visibility": "shared",
    "score": 0.0,
}
# What nothing was done with or cut from.
_NOTHING = {"dry_run": False, "omitted": 0, "cut": 0, "broken": 0}
# How a candidate was found: for people who look for the rule behind it.
_HOW = (
    "category",
    "pattern",
    "rationale",
    "excerpt",
    "line",
    "record",
    "at",
    "occurrences",
    "everywhere",
)
# Of an entry's history and file: for people who look into the vault's folder.
_OF_FILES = ("file", "resolution_scope")
# Of the vault as a whole: for people who look after it.
_OF_VAULT = ("path", "head", "index")
_COMMIT = re.compile(r"[0-9a-f]{40}")


def lean(data: dict[str, Any]) -> dict[str, Any]:
    """The data of an answer without what says nothing to a model."""
    kept = {
        name: _lean_inside(value)
        for name, value in data.items()
        if _NOTHING.get(name, ...) != value
    }
    if _COMMIT.fullmatch(str(kept.get("commit"))):
        del kept["commit"]
    if {"citations", "facts"} <= kept.keys():
        kept = _with_each_text_once(kept)
    if "candidates" in kept and "transcript" in kept:
        kept = _judged(kept)
    if "by_kind" in kept and "inbox" in kept:
        kept = _without(kept, _OF_VAULT)
    if "eligible" in kept:
        kept = _one_entry(kept)
    no_match = kept.get("no_match")
    if isinstance(no_match, dict):
        said = no_match.get("missing_terms") == kept.get("missing_terms")
        kept["no_match"] = {
            name: value
            for name, value in no_match.items()
            if not (said and name == "missing_terms")
        }
    if kept.get("applied") is True:
        # Each of them has the status that was asked for now.
        kept["items"] = [_without(one, ("status",)) for one in kept.get("items", ())]
    return kept


def _lean_inside(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_lean_inside(one) for one in value]
    if not isinstance(value, dict):
        return value
    inside = {name: _lean_inside(one) for name, one in value.items()}
    if not inside.get("id"):
        return inside
    if "text" in inside and "score" in inside:
        inside = _row(inside)
    return _without(inside, ("path",))


def _row(row: dict[str, Any]) -> dict[str, Any]:
    if "explain" not in row:
        row = _without(row, ("channels",))
    row = {name: value for name, value in row.items() if _USUAL.get(name, ...) != value}
    changed = [
        {name: said for name, said in one.items() if said}
        for one in row.get("code_state", ())
        if one.get("state") != "unchanged"
    ]
    row = _without(row, ("code_state",))
    if changed:
        row["code_state"] = changed
    text = row["text"]
    if isinstance(text, str) and len(text) > LONGEST:
        row["text"] = f"{text[:_KEPT].rstrip()} [...]"
        row["text_chars"] = len(text)
    return row


def _with_each_text_once(data: dict[str, Any]) -> dict[str, Any]:
    """A reflection whose facts alone hold the texts; the rest names them."""
    facts = data["facts"]
    texts = {row.get("id") for row in facts if isinstance(row, dict)}
    data["citations"] = [
        _without(one, ("context",)) if one.get("id") in texts else one
        for one in data["citations"]
    ]
    if data.get("answer"):
        data["answer"] = "\n".join(f"- {_named(row)}" for row in facts)
    return data


def _named(row: dict[str, Any]) -> str:
    when = str(row.get("occurred_at") or row.get("created") or "")[:10]
    return f"{row.get('kind')} of {when}: {row.get('id')}"


def _judged(data: dict[str, Any]) -> dict[str, Any]:
    data["candidates"] = [
        _without(one, _HOW) if isinstance(one, dict) else one
        for one in data["candidates"]
    ]
    return _without(data, ("transcript",))


def _one_entry(data: dict[str, Any]) -> dict[str, Any]:
    data["history"] = [
        {name: one[name] for name in ("when", "subject") if name in one}
        for one in data.get("history", ())
    ]
    data["related"] = [_without(one, ("created",)) for one in data.get("related", ())]
    kept = _without(data, _OF_FILES)
    return {name: value for name, value in kept.items() if value not in ("", [])}


def _without(data: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in names}
