"""The actions of a tool, out of a host's payload: files, new texts, commands.

Invariant: pure, and nothing in a payload can fail it. It knows the tools of hosts by
their arguments and not by their names, since the same ones come from every host and
from tools that a user adds; a tool that only reads has no new text. It loads nothing:
a hook asks before each edit.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

# Claude Code, Codex, Gemini and Cursor; Copilot as JSON text; opencode's plugin.
_ARGUMENTS = ("tool_input", "toolArgs", "tool_args", "args", "tool_info")
PATHS = (
    *("file_path", "filePath", "path", "notebook_path", "target_file", "filename"),
    *("absolute_path", "target_notebook"),
)
_TEXTS = (
    *("new_string", "newString", "content", "new_str", "file_text", "new_source"),
    *("code_edit", "contents", "newText", "insert_text"),
)
COMMANDS = ("command", "cmd", "command_line", "script")
_PATCHES = ("patch", "input", "patchText", "diff")
# Tools that change a file without a new text.
CHANGES = (
    *("delete", "remove", "rename", "move", "write", "edit", "create", "patch"),
    "replace",
)
_PATCH = "*** Begin Patch"
# Of the text of one call; what is longer is looked at by its beginning.
_MOST = 200_000
_MOST_FILES = 200


def actions(payload: Any, folder: str = "") -> list[tuple[str, str, str]]:
    """Returns the actions of a tool, as (path, new text, command line).

    Args:
        payload: what the host sent.
        folder: where the session runs; paths below it come relative to it.
    """
    fields = payload if isinstance(payload, dict) else {}
    given = _arguments(fields)
    found: list[tuple[str, str, str]] = []
    for name in (*COMMANDS, *_PATCHES):
        value = given.get(name)
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            # `["bash", "-lc", "make deploy"]`, `["apply_patch", "*** Begin Patch ..."]`
            shell = len(value) > 2 and value[1] in ("-c", "-lc")
            value = value[2] if shell else " ".join(value)
        if not isinstance(value, str) or not value:
            continue
        if _PATCH in value:
            found += _patched(value[: 2 * _MOST], folder)
        elif name in COMMANDS:
            found.append(("", "", value[:_MOST]))
    path = _first(given, PATHS)
    if path:
        texts = [_first(given, _TEXTS)]
        edits = given.get("edits")
        if isinstance(edits, list):
            texts += [_first(e, _TEXTS) for e in edits if isinstance(e, dict)]
        text = "\n".join(each for each in texts if each)[:_MOST]
        tool = _first(fields, ("tool_name", "toolName", "tool")).lower()
        if text or any(word in tool for word in CHANGES):
            found.append((_relative(path, folder), text, ""))
    return found[:_MOST_FILES]


def _arguments(fields: dict[str, Any]) -> dict[str, Any]:
    for name in _ARGUMENTS:
        value = fields.get(name)
        if isinstance(value, str) and value[:1] == "{":
            import json

            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                continue
        if isinstance(value, dict):
            return value
        if isinstance(value, str) and _PATCH in value:
            return {"patch": value}
    return fields  # Cursor's `beforeShellExecution` has the command beside the rest


def _first(fields: dict[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _relative(path: str, folder: str) -> str:
    """A path below a folder without it; any other as it is."""
    above = folder.rstrip("/\\")
    if above and path.startswith((f"{above}/", f"{above}\\")):
        path = path[len(above) + 1 :]
    return path[:4_096]


def _patched(patch: str, folder: str) -> list[tuple[str, str, str]]:
    """The files of a patch as Codex writes it, with the lines that it adds."""
    found: list[tuple[str, list[str]]] = []
    for line in patch[patch.find(_PATCH) :].split("\n"):
        if line.startswith("*** ") and ": " in line:
            path = line.partition(": ")[2].strip()
            found.append((_relative(path, folder), []))
        elif line.startswith("+") and found:
            found[-1][1].append(line[1:])
    return [(path, "\n".join(lines)[:_MOST], "") for path, lines in found]
