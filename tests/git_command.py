"""git, as a person would call it, and programs that it may start."""

import subprocess
from pathlib import Path

from memcli import Vault


def git(
    where: Vault | Path | str, *words: str, data: bytes | None = None, code: int = 0
) -> str:
    """Run git in a vault or a folder; what it printed."""
    root = where.root if isinstance(where, Vault) else str(where)
    done = subprocess.run(
        ["git", "-C", root, *words], input=data, capture_output=True, check=False
    )
    assert done.returncode == code, (words, done.stderr)
    return done.stdout.decode()


def objects(where: Vault | Path) -> str:
    """All that a repository has, in words."""
    listed = git(where, "cat-file", "--batch-all-objects", "--batch-check")
    names = [row.split()[0] for row in listed.splitlines()]
    return "".join(git(where, "cat-file", "-p", name) for name in names)


def program(place: Path, script: str) -> Path:
    """Write a program of the shell."""
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    place.chmod(0o755)
    return place


def hook(where: Vault | Path, name: str, script: str) -> None:
    """Let git run a script."""
    root = where.root if isinstance(where, Vault) else where
    program(Path(root, ".git", "hooks", name), script)
