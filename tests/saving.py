"""Entries for a test's vault, and settings for its user."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memcli import Vault
from memcli.hosts.formats.records import Transcript
from memcli.hosts.transcript import Session, Step
from memcli.recall.listing import Listed, listed
from memcli.recall.query import Query
from memcli.sessions import reflect_session
from memcli.sessions.bringing import Reflected
from memcli.sessions.reflect_session import candidates


def save(vault: Vault, text: str, **fields: Any) -> str:
    """Save an entry; its id."""
    return vault.save(vault.draft({"text": text, **fields})).id


def every(vault: Vault, query: Query) -> Listed:
    """Every entry that a query admits, the oldest id first."""
    found = listed(vault, query._replace(limit=10**6))
    return found._replace(rows=sorted(found.rows, key=lambda row: (row.id, row.path)))


def texts(vault: Vault, question: str) -> list[str]:
    """The texts that a question finds."""
    return [row.text for row in vault.recall(question).rows]


def write(where: Vault | Path | str, path: str, text: str | bytes = "text\n") -> Path:
    """Write a file of a vault or a folder by hand."""
    file = Path(where.root if isinstance(where, Vault) else where, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def edit(vault: Vault, name: str, old: str, new: str) -> Path:
    """Change words in an entry's file by hand."""
    path = Path(vault.root, vault.path_of(name))
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    return path


def pages(vault: Vault) -> dict[str, bytes]:
    """Every markdown file of a vault, by its path."""
    return {
        path.relative_to(vault.root).as_posix(): path.read_bytes()
        for path in sorted(Path(vault.root).rglob("*.md"))
    }


def configure(home: Path, text: str) -> Path:
    """Write the user's config."""
    path = home / ".config" / "memcli" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def taught(vault: Vault, session: str, steps: Iterable[Step]) -> Reflected:
    """Bring what these steps of a session teach, which stand in no file."""
    transcript = Transcript("")
    transcript.session = Session(session, "generic")
    return reflect_session.reflect(vault, transcript, candidates(steps))
