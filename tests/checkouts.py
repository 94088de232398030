"""A small project under git, for tests of what entries say about code."""

import os
from pathlib import Path

from memcli.storage import projects
from tests.git_command import git

APP = b"""import time


class RateLimiter:
    def wait(self):
        time.sleep(1)


max_rate = 10
"""
MAKEFILE = b"deploy: build\n\techo deployed\n\nbuild:\n\techo built\n"


def made_shop(folder: Path) -> Path:
    """A clone of github.com/acme/shop with one commit, at a folder."""
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "app.py").write_bytes(APP)
    (folder / "Makefile").write_bytes(MAKEFILE)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "remote", "add", "origin", "git@github.com:Acme/Shop.git")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def allow(top: Path) -> None:
    """Let memcli read the vault that a repository carries, as `memcli allow` does."""
    found = projects.carried(str(top), os.environ)
    assert found
    projects.allow(found, os.environ)
