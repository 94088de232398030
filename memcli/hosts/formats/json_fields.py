"""The fields of a host's records, as the types that they should have.

Invariant: any JSON value goes in and nothing is raised; a value of the wrong type comes
out empty, and every text that comes out can be written as UTF-8.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime

from memcli.hosts.transcript import Action, Step, typed, unframed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

# The tools of all hosts: no name means two things.
_ACTIONS: dict[str, Action] = {
    **dict.fromkeys(
        """Bash PowerShell KillShell BashOutput exec_command shell shell_command
        local_shell container.exec unified_exec run_shell_command bash powershell Shell
        run_terminal_cmd run_terminal_command""".split(),
        "run",
    ),
    **dict.fromkeys(
        """Edit MultiEdit Write NotebookEdit apply_patch replace write_file edit create
        write StrReplace ApplyPatch EditNotebook Delete edit_file search_replace
        delete_file edit_notebook multiedit patch""".split(),
        "edit",
    ),
    **dict.fromkeys(
        """Read Grep Glob LS NotebookRead read_file list_dir grep_files view_image
        read_many_files list_directory glob grep_search search_file_content view read
        grep rg ls SemanticSearch codebase_search file_search glob_file_search
        list""".split(),
        "read",
    ),
}
# What a tool is about, the most telling first.
_SUBJECTS = """command cmd command_line file_path filePath notebook_path target_file
target_notebook path absolute_path dir_path target_directory uri pattern glob_pattern
query""".split()
_LONGEST_NAME = 200
_LONGEST_CALL = 500
_HEAD, _TAIL, _CUT = 1_497, 500, "\n…\n"
_SURROGATE = re.compile("[\ud800-\udfff]")
# Sequences that a terminal obeys (colours, titles), then single characters; and those
# that turn text around. A key that is painted in two colours is still a key.
_UNSEEN = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)


def words(value: Any) -> str:
    """The value as text; empty when it is of another type.

    Without half characters, and without invisible commands: NUL, terminal sequences,
    other controls than tabs and line ends, and overrides of direction.
    """
    if not isinstance(value, str):
        return ""
    text = _UNSEEN.sub("", value.replace("\r\n", "\n").replace("\r", "\n"))
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def name(value: Any) -> str | None:
    """The value as an id or a name, on one line; None when it is of another type."""
    return " ".join(words(value).split())[:_LONGEST_NAME].rstrip() or None


def stem(path: str) -> str:
    """The name of a file without its ending, for a session that has no id."""
    base = os.path.splitext(os.path.basename(path))[0]
    return name(base) or "session"


def mapping(value: Any) -> dict[str, Any]:
    """The value as an object; empty when it is of another type."""
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; empty when the value is not a list."""
    if not isinstance(value, list):
        return []
    return [each for each in value if isinstance(each, dict)]


def number(value: Any) -> int | None:
    """A whole number; None for any other value (`true` is another)."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value


def flag(value: Any) -> bool | None:
    """True or False; None when it is neither."""
    return value if isinstance(value, bool) else None


def parts(content: Any) -> list[str]:
    """The texts of a content: a string, or a list of strings and `{text}` blocks."""
    if isinstance(content, str):
        return [words(content)]
    if isinstance(content, dict):
        return [words(content.get("text"))]
    if not isinstance(content, list):
        return []
    return [
        words(part.get("text") if isinstance(part, dict) else part) for part in content
    ]


def joined(texts: Iterable[str]) -> str:
    """Texts as one, empty ones left out."""
    return "\n\n".join(text for text in texts if text.strip())


def instant(value: Any) -> str | None:
    """ISO 8601 in UTC with seconds; None when it is no moment.

    Takes ISO 8601 text, which without an offset counts as UTC, and milliseconds or
    seconds since 1970.
    """
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value.strip())
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
            moment = moment.astimezone(UTC)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            # 10^11 s are the year 5138, 10^11 ms are 1973.
            seconds = value / 1000 if abs(value) > 100_000_000_000 else value
            moment = datetime.fromtimestamp(seconds, UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return f"{moment.replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def first(values: dict[str, Any], keys: Iterable[str]) -> str:
    """The first of these keys that holds a text; a list of words is a command line."""
    for key in keys:
        value = values.get(key)
        if isinstance(value, list) and value:
            value = " ".join(words(each) for each in value)
        if text := words(value).strip():
            return text
    return ""


def subject(values: Any) -> str:
    """What the arguments of a tool say that it is about."""
    return first(mapping(values), _SUBJECTS)


class At:
    """Where a record stands; makes its steps.

    Invariant: what it makes is as long as a step may be, and holds nothing that memcli
    has put into the session.
    """

    __slots__ = ("line", "moment", "record")

    def __init__(self, line: int, record: Any = None, moment: Any = None) -> None:
        self.line = line
        self.record = name(record) or f"line-{line}"
        self.moment = instant(moment)

    def user(self, text: str) -> list[Step]:
        """What a person typed; no step when nothing is left of it."""
        text = typed(text)
        return [Step("user", text, self.line, self.record, self.moment)] if text else []

    def assistant(self, content: Any) -> list[Step]:
        """A text of the agent's, or its parts; no step when it is empty."""
        text = unframed(joined(parts(content)))
        if not text:
            return []
        return [Step("assistant", text, self.line, self.record, self.moment)]

    def tool(self, call: Any, tool: Any, values: Any) -> Step:
        """A tool of this name that is used with these arguments."""
        action = _ACTIONS.get(words(tool), "other")
        return self.call(call, action, subject(values))

    def call(self, call: Any, action: Action, text: str) -> Step:
        """A tool that is used; `text` is its command line or the path of its file."""
        text = unframed(text)
        if len(text) > _LONGEST_CALL:
            text = f"{text[: _LONGEST_CALL - 1]}…"
        return Step(
            "call",
            text,
            self.line,
            self.record,
            self.moment,
            call=name(call),
            action=action,
        )

    def result(self, call: Any, text: str, failed: bool | None) -> Step:
        """What a tool gave back."""
        text = unframed(text)
        if len(text) > _HEAD + _TAIL + len(_CUT):
            text = f"{text[:_HEAD]}{_CUT}{text[-_TAIL:]}"
        return Step(
            "result",
            text,
            self.line,
            self.record,
            self.moment,
            call=name(call),
            failed=failed,
        )
