"""Writes transcripts as hosts do, from scratch."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zlib import crc32

from memcli.hosts.transcript import Step
from memcli.hosts.transcripts import open_transcript

NOON = "2026-11-21T12:00:00.123Z"
FRAME = '<memcli-memory at="a > b">Always use tabs.</memcli-memory>'


def write(path: Path, records: Iterable[Any], *, end: str = "\n") -> str:
    """One JSON value a line; a text is written as it is."""
    lines = [one if isinstance(one, str) else json.dumps(one) for one in records]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + end, encoding="utf-8")
    return str(path)


def steps(path: str, host: str | None = None) -> list[Step]:
    return list(open_transcript(path, host).steps())


def said(path: str, host: str | None = None) -> list[str]:
    """What a person typed."""
    return [step.text for step in steps(path, host) if step.role == "user"]


def moment(session: str) -> str:
    """The time of a session's turns: one of its own, or it would be a copy."""
    second = crc32(session.encode()) % 3_600
    return f"2026-11-21T12:{second // 60:02}:{second % 60:02}Z"


class Claude:
    """A Claude Code session that grows; each record follows the one before it."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.last: str | None = None

    def add(self, kind: str, parent: str | None = "", **fields: Any) -> str:
        """Add a record below `parent`, else below the last one; gives its id."""
        uuid = f"u{len(self.records) + 1}"
        self.records.append(
            {
                "type": kind,
                "uuid": uuid,
                "parentUuid": self.last if parent == "" else parent,
                "sessionId": "5e55",
                "cwd": "/home/dev/work",
                "timestamp": NOON,
                "isSidechain": False,
                **fields,
            }
        )
        self.last = uuid
        return uuid

    def user(self, content: Any, parent: str | None = "", **fields: Any) -> str:
        message = {"role": "user", "content": content}
        return self.add("user", parent, message=message, **fields)

    def agent(self, *blocks: Any, parent: str | None = "", **fields: Any) -> str:
        content = [
            {"type": "text", "text": one} if isinstance(one, str) else one
            for one in blocks
        ]
        message = {"role": "assistant", "content": content}
        return self.add("assistant", parent, message=message, **fields)

    def tool(
        self, call: str, name: str = "Bash", parent: str = "", **given: Any
    ) -> str:
        block = {"type": "tool_use", "id": call, "name": name, "input": given}
        return self.agent(block, parent=parent)

    def result(self, call: str, text: Any, parent: str = "", **fields: Any) -> str:
        block = {"type": "tool_result", "tool_use_id": call, "content": text, **fields}
        return self.user([block], parent, toolUseResult={"stdout": "x"})

    def save(self, folder: Path) -> str:
        return write(folder / "5e55.jsonl", self.records)
