"""git, as a person would call it."""

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
