"""Memories of an older layout move into the folders of their months, when asked."""

import contextlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.entries.ids import is_adopted
from memcli.errors import NotAllowed
from memcli.vault.health import by_month
from memcli.vault.health.lint import lint
from tests.git_command import git
from tests.saving import write

MAY, JUNE = "1k4ad3xg00000001", "1k6ad3xg00000002"
OLD = "1k3ad3xg00000003"


def page(entry_id: str, body: str, created: str, more: str = "") -> str:
    return f'---\nid: {entry_id}\ncreated: "{created}"\n{more}---\n{body}'


@pytest.fixture
def flat(vault: Vault) -> Vault:
    """A vault of the older layout, with links of every sort."""
    may, june = "2025-05-03T10:00:00Z", "2025-06-03T10:00:00Z"
    links = 'links: ["[[memories/fix/june.md]]"]\n'
    body = (
        "See [[memories/fix/june.md|J]] and [j](../fix/june.md), [[june]]\n"
        "`[[memories/fix/june]]` [here](other.md)\n"
    )
    write(vault, "memories/note/may.md", page(MAY, body, may, links))
    write(vault, "memories/fix/june.md", page(JUNE, "June\r\n", june))
    write(vault, "memories/note/other.md", "No id of memcli's: [[memories/note/may]]\n")
    write(vault, "mine.md", "[m](memories/note/may.md) [n](./memories/note/no.md)\n")
    write(vault, "ideas/Ideas.md", "# Ideas\n\n[[memories/fix/june.md]]\n")
    old = page(OLD, "Before\n", may, "status: superseded\nsuperseded_by: " + MAY + "\n")
    write(vault, f"archive/memories/note/may.{OLD}.md", old)
    write(vault, "memories/note/broken.md", "---\nid: x\nkind: [\n---\nbroken\n")
    git(vault, "add", "--all")
    git(vault, "commit", "--quiet", "-m", "older")
    return vault


def test_memories_move_in_one_commit_and_links_follow(flat: Vault) -> None:
    commits = int(git(flat, "rev-list", "--count", "HEAD"))
    done = by_month.apply(flat, by_month.plan(flat))
    assert {(step.code, step.path, step.detail) for step in done.steps} == {
        ("by_month", "memories/note/may.md", "memories/note/2025/05/may.md"),
        ("by_month", "memories/fix/june.md", "memories/fix/2025/06/june.md"),
        (
            "by_month",
            f"archive/memories/note/may.{OLD}.md",
            f"archive/memories/note/2025/05/may.{OLD}.md",
        ),
        ("links", "mine.md", None),
        ("links", "memories/note/other.md", None),
        ("links", "ideas/Ideas.md", None),
    }
    assert int(git(flat, "rev-list", "--count", "HEAD")) == commits + 1
    assert git(flat, "status", "--porcelain") == ""
    moved = Path(flat.root, "memories/note/2025/05/may.md").read_text("utf-8")
    assert "[[memories/fix/2025/06/june.md|J]]" in moved
    assert "[j](../../../fix/2025/06/june.md), [[june]]" in moved
    assert "`[[memories/fix/june]]`" in moved
    assert "[here](../../other.md)" in moved
    assert 'links: ["[[memories/fix/2025/06/june.md]]"]\n' in moved
    mine = Path(flat.root, "mine.md").read_text("utf-8")
    assert mine == "[m](memories/note/2025/05/may.md) [n](./memories/note/no.md)\n"
    ledger = Path(flat.root, "ideas/Ideas.md").read_text("utf-8")
    assert ledger.endswith("[[memories/fix/2025/06/june.md]]\n")
    june = Path(flat.root, "memories/fix/2025/06/june.md")
    assert june.read_bytes().endswith(b"June\r\n")
    dangling = [found.path for found in lint(flat) if found.code == "dangling_link"]
    assert dangling == ["mine.md"]
    for step in done.steps:
        if step.detail:
            moved_id = flat.stored(step.detail).entry.id
            assert flat.path_of(moved_id) == step.detail
    assert by_month.plan(flat).steps == []


def test_the_plan_changes_nothing(flat: Vault, snapshot: Callable[[str], Any]) -> None:
    before = snapshot(flat.root)
    assert by_month.plan(flat).steps
    assert snapshot(flat.root) == before


def test_a_file_that_changed_since_the_plan_moves_as_it_is_now(flat: Vault) -> None:
    plan = by_month.plan(flat)
    file = Path(flat.root, "memories/fix/june.md")
    file.write_bytes(file.read_bytes() + b"more\n")
    Path(flat.root, "memories/note/may.md").unlink()
    done = by_month.apply(flat, plan)
    assert "memories/note/may.md" not in {step.path for step in done.steps}
    june = Path(flat.root, "memories/fix/2025/06/june.md")
    assert june.read_bytes().endswith(b"more\n")
    assert "keep: memories/fix/june.md" in git(flat, "log", "--format=%s")


def test_a_path_that_is_taken_gets_a_number(flat: Vault) -> None:
    write(flat, "memories/fix/2025/06/June.md", "taken\n")
    steps = by_month.plan(flat).steps
    assert "memories/fix/2025/06/june-2.md" in {step.detail for step in steps}


def test_what_memcli_did_not_write_stays(flat: Vault) -> None:
    moved = [s.path for s in by_month.plan(flat).steps if s.code == "by_month"]
    assert len(moved) == 3
    assert "memories/note/other.md" not in moved
    assert not any(is_adopted(flat.stored(path).entry.id) for path in moved)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    "last", ["journalled", "replaced", "removed", "wrote", "committed"]
)
def test_a_kill_leaves_all_of_the_move_or_nothing(flat: Vault, last: str) -> None:
    plan = by_month.plan(flat)
    opened = partial(Vault.open, flat.root, now_ms=flat.now_ms)

    def fault(step: str) -> None:
        if step == last:
            os._exit(9)

    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            by_month.apply(opened(fault=fault), plan)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    after = opened()
    assert after.path_of(MAY) == "memories/note/2025/05/may.md"
    assert after.path_of(JUNE) == "memories/fix/2025/06/june.md"
    assert after.path_of(OLD) == f"archive/memories/note/2025/05/may.{OLD}.md"
    assert not Path(flat.root, "memories/fix/june.md").exists()
    assert git(flat, "status", "--porcelain") == ""


def test_it_is_for_the_owner(flat: Vault) -> None:
    agent = Vault.open(flat.root, now_ms=flat.now_ms, agent="helper")
    with pytest.raises(NotAllowed):
        by_month.plan(agent)
