"""A row whose code changed says so, and stands lower; nothing else is looked at."""

from pathlib import Path
from typing import Any

import pytest

from memcli.api import Vault, Vaults
from memcli.entries.eligibility import View
from memcli.entries.entry import LOOK
from memcli.recall.query import Query
from memcli.storage import checkout
from memcli.vault import code_state
from tests.checkouts import APP, made_shop
from tests.conftest import VaultMaker
from tests.git_command import git
from tests.saving import edit, save, write

ASK = "how long does the limiter wait"


def first(vault: Vault) -> Any:
    return vault.recall(ASK).rows[0]


def changed(shop: Path) -> None:
    write(shop, "src/app.py", APP.replace(b"sleep(1)", b"sleep(2)"))


def removed(shop: Path) -> None:
    (shop / "src" / "app.py").unlink()


@pytest.mark.parametrize(
    ("data", "state", "stale"),
    [
        (APP, "unchanged", False),
        (APP.replace(b"\n", b"  \r\n"), "unchanged", False),
        (APP.replace(b"max_rate = 10", b"max_rate = 20"), "unchanged", False),
        (b"import os\n\n" + APP, "moved", False),
        (APP.replace(b"sleep(1)", b"sleep(2)"), "changed", True),
        (None, "gone", True),
        ("link", "not_checked", False),
    ],
    ids=["same", "line ends", "elsewhere", "inserted", "changed", "removed", "linked"],
)
def test_a_row_says_what_became_of_its_code(
    inside: Vault, shop: Path, data: bytes | str | None, state: str, stale: bool
) -> None:
    save(inside, "The limiter waits one second", code=["src/app.py:4-6"])
    since = first(inside).code_state[0].since
    assert len(since) == 7
    removed(shop)
    if isinstance(data, bytes):
        write(shop, "src/app.py", data)
    elif data == "link":
        write(shop, "src/b.py", APP)
        (shop / "src" / "app.py").symlink_to("b.py")
    row = first(inside)
    assert [each.state for each in row.code_state] == [state]
    assert row.stale is stale
    if stale:
        verb = "is gone" if state == "gone" else "changed"
        assert row.code_state[0].why == f"src/app.py:4-6 {verb} since {since}"
    reflected = inside.reflect(ASK)
    assert reflected.stale == ([row.id] if stale else [])
    assert reflected.facts[0].code_state == row.code_state


def test_a_pinned_model_whose_code_changed_is_for_its_person(
    inside: Vault, shop: Path
) -> None:
    fields = {"layer": "model", "subtype": "pinned", "code": ["src/app.py:4-6"]}
    inside.save("The limiter waits one second", **fields)  # type: ignore[arg-type]
    changed(shop)
    assert (first(inside).stale, first(inside).marks) == (False, (LOOK,))


def test_a_stale_row_stands_lower_and_is_not_left_out(
    inside: Vault, shop: Path
) -> None:
    old = save(inside, "How long the limiter waits: a second", code=["src/app.py:4-6"])
    new = save(inside, "The limiter waits for one tick of the clock")
    assert [row.id for row in inside.recall(ASK).rows] == [old, new]
    changed(shop)
    rows = inside.recall(ASK, explain=True).rows
    assert [row.id for row in rows] == [new, old]
    assert rows[0].score >= rows[1].score
    assert rows[1].explain is not None
    assert rows[1].explain["code_changed"] == 0.5
    assert [row.id for row in inside.reflect(ASK).facts] == [new, old]


def test_outside_the_project_it_is_not_checked_and_never_fine(
    inside: Vault, shop: Path, make_vault: VaultMaker, tmp_path: Path
) -> None:
    save(inside, "The limiter waits", code=["src/app.py:4-6"])
    other = made_shop(tmp_path / "other")
    git(other, "remote", "set-url", "origin", "git@github.com:acme/blog.git")
    for cwd in (None, str(tmp_path), str(other)):
        row = first(make_vault(cwd=cwd))
        assert [each.state for each in row.code_state] == ["not_checked"]
        assert "not in a checkout of its project" in row.code_state[0].why
        assert not row.stale


def test_another_clone_of_the_project_without_that_commit_is_checked(
    inside: Vault, make_vault: VaultMaker, tmp_path: Path
) -> None:
    save(inside, "The limiter waits", code=["src/app.py:4-6"])
    other = made_shop(tmp_path / "other")
    git(other, "commit", "-q", "--amend", "-m", "another history")
    assert first(make_vault(cwd=str(other))).code_state[0].state == "unchanged"
    changed(other)
    assert first(make_vault(cwd=str(other))).code_state[0].state == "changed"


def test_an_anchor_that_a_person_typed_says_only_whether_the_file_is_there(
    inside: Vault, shop: Path
) -> None:
    entry = inside.get(save(inside, "The limiter waits", code=["Makefile"]))
    edit(inside, entry.id, entry.code[0], "src/app.py:4-6")
    assert first(inside).code_state[0].state == "exists"
    removed(shop)
    assert (
        first(inside).code_state[0].why
        == "src/app.py:4-6 is gone since the entry was saved"
    )


def test_an_answer_without_anchors_reads_no_file_of_the_project(
    inside: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(inside, "The limiter waits one second")

    def refused(*_: Any, **__: Any) -> None:
        raise AssertionError("a file was looked at")

    monkeypatch.setattr(checkout, "has", refused)
    assert "code_state" not in first(inside).as_dict()


def test_after_its_time_an_answer_checks_no_more(
    inside: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(inside, "The limiter waits", code=["src/app.py:4-6"])
    monkeypatch.setattr(code_state, "SECONDS", 0.0)
    watch = code_state.Watch(inside.project, 0.0)
    (state,) = watch.states(inside.get(first(inside).id), "personal")
    assert (state.state, state.why) == (
        "not_checked",
        "src/app.py:4-6 was not checked: the time was up",
    )


def test_several_vaults_are_held_against_the_same_checkout(
    inside: Vault, make_vault: VaultMaker, shop: Path
) -> None:
    team = make_vault("team", cwd=str(shop))
    team.source = "team:x"
    save(inside, "The limiter waits one second", code=["src/app.py:4-6"])
    save(team, "The limiter waits one second or two", code=["src/app.py:9"])
    changed(shop)
    vaults = Vaults([inside, team])
    rows = vaults.recall(ASK).rows
    assert {row.source: row.stale for row in rows} == {
        "personal": True,
        "team:x": False,
    }
    assert vaults.reflect(ASK).stale == [rows[1].id]


def test_a_question_about_an_earlier_moment_looks_at_no_code_of_now(
    inside: Vault, shop: Path
) -> None:
    save(inside, "The limiter waits", code=["src/app.py:4-6"])
    removed(shop)
    now = inside.now_ms() // 1000
    row = inside.recall(Query(ASK, View(now, as_of=now))).rows[0]
    assert (row.code_state, row.stale) == ((), False)
    assert inside.reflect(Query(ASK, View(now, as_of=now))).stale == []
