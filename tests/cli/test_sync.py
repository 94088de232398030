"""`memcli sync` in words, as JSON, and by its exit code."""

from pathlib import Path

import pytest

from memcli.cli import sync as command
from memcli.cli.context import Context
from memcli.curation import review, sync_setup
from tests import clones
from tests.cli.conftest import Run
from tests.clones import Clones, put, say
from tests.git_command import git
from tests.saving import edit, texts
from tests.sessions.hooks.calling import call


def test_one_line_says_what_went_and_names_what_was_committed(
    two: Clones, memcli: Run
) -> None:
    laptop = two.roots["laptop"]
    text = (
        '---\nid: 1m7xvn68xtqp489w\npinned: true\n"enf\\x6frce": deny\n---\nby hand\n'
    )
    (laptop / "memories" / "mine.md").write_text(text)
    done = memcli("sync", "--vault", str(laptop))
    first, second = done.out.splitlines()
    assert first.startswith(f"synced with origin ({two.remote}): 1 file committed")
    assert second == "  committed memories/mine.md"
    desk = str(two.roots["desk"])
    seen = memcli("sync", "--dry-run", "--vault", desk).out
    data = memcli("sync", "--vault", desk, "--json").json["data"]
    assert data["came"] == {
        "commits": 1, "added": 1, "changed": 0, "removed": 0, "entries": 1,
        "pinned": 1, "enforced": 1, "by": [], "weakened": [], "reworded": 0,
        "constraints": 0, "opened": 0,
    }  # fmt: skip
    acts, see = "1 pinned, 1 with `enforce`", ": see memcli inspect"
    assert f"1 entry came ({acts}{see})" in data["line"]
    assert "): 1 entry came\nNothing changed." in seen
    assert f"\n  {acts}{see}\n" in memcli("init", desk).out
    shown = memcli("inspect", "--vault", desk, "--json").json["data"]
    assert [
        [row["path"] for row in shown[acting]] for acting in ("pinned", "enforced")
    ] == [["memories/mine.md"]] * 2
    assert (data["pushed"], data["moved"], data["eyes"]) == (False, True, [])


def test_a_pull_after_a_sync_merges_as_a_sync_does(two: Clones, memcli: Run) -> None:
    laptop = str(two.roots["laptop"])
    memcli("sync", "--dry-run", "--vault", laptop)
    assert "merge.memcli" not in git(laptop, "config", "--list")
    done = memcli("sync", "--vault", laptop)
    assert "git calls memcli from now on to merge" in done.err
    assert " merge-driver " in git(laptop, "config", "merge.memcli.driver")
    assert memcli("sync", "--vault", laptop).err == ""


def test_offline_is_75_in_one_line(two: Clones, memcli: Run) -> None:
    two.remote.rename(two.remote.with_name("away.git"))
    done = memcli("sync", "--vault", str(two.roots["laptop"]))
    assert done.code == 75
    assert done.err.splitlines()[0] == f"memcli: there is no folder {two.remote}"
    done = memcli("sync", "--vault", str(two.roots["laptop"]), "--json")
    assert done.json["error"]["code"] == "remote_unreachable"


def test_a_password_in_the_address_is_never_said(two: Clones, memcli: Run) -> None:
    laptop = str(two.roots["laptop"])
    secret = "https://me:hunter2@127.0.0.1:9/memory.git?token=hunter2"
    git(laptop, "remote", "set-url", "origin", secret)
    environ = {"no_proxy": "*"}
    environ["MEMCLI_VAULT"] = laptop
    for words in (["sync"], ["sync", "--json"], ["doctor"], ["inspect", "vaults"]):
        done = memcli(*words, environ=environ)
        assert "hunter2" not in done.out + done.err, words


def test_setup_makes_the_folder_and_says_so(
    two: Clones, memcli: Run, tmp_path: Path
) -> None:
    laptop = str(two.roots["laptop"])
    git(laptop, "remote", "remove", "origin")
    done = memcli("sync", "--vault", laptop, "--setup", str(tmp_path / "new.git"))
    assert done.err.startswith(f"made a bare repository at {tmp_path}/new.git")
    assert "1 commit went" in done.out


def test_doctor_says_how_far_the_vault_is_from_its_remote(
    two: Clones, memcli: Run
) -> None:
    laptop = str(two.roots["laptop"])
    memcli("sync", "--vault", laptop)
    memcli("save", "We deploy on Tuesdays", "--vault", laptop)
    said = memcli("doctor", "--vault", laptop).out
    (line,) = [line for line in said.splitlines() if "sync: origin" in line]
    assert "1 ahead, 0 behind" in line


def test_review_is_named_where_it_has_a_text_to_choose(
    two: Clones, memcli: Run
) -> None:
    laptop, desk = (str(two.roots[name]) for name in ("laptop", "desk"))
    name = say(two.vault("laptop"), "We deploy on Tuesdays")
    two.sync("laptop")
    two.sync("desk")
    for root, day in ((laptop, "Mondays"), (desk, "Fridays")):
        edit(two.vault(Path(root).name), name, "Tuesdays", day)
    memcli("sync", "--vault", laptop)
    lines = memcli("sync", "--vault", desk).out.splitlines()
    said = f"A merge chose between two texts; check: memcli --vault {desk} review"
    assert lines[-1] == said
    assert review.merged_versions(two.vault("desk"))
    # A file in the place of a folder is told, and is nothing to review.
    version = review.merged_versions(two.vault("desk"))[0].id
    review.settle(two.vault("desk"), version, "kept")
    put(Path(laptop), "notes", "a file\n")
    put(Path(desk), "notes/mine.md", "mine\n")
    memcli("sync", "--vault", laptop)
    out = memcli("sync", "--vault", desk).out
    assert "1 to look at" in out
    assert "check:" not in out


def test_what_came_is_told_by_the_next_sync_if_one_ends_before_its_words_are_out(
    two: Clones, memcli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(*_: object) -> None:
        raise KeyboardInterrupt

    put(two.roots["laptop"], "rule.md", "---\npinned: true\n---\nAlways deploy\n")
    two.sync("laptop")
    words = ("sync", "--vault", str(two.roots["desk"]))
    with monkeypatch.context() as patch:
        patch.setattr(command, "_draw", ended)
        assert memcli(*words).code == 130
    assert "before it could tell: a sync of " in memcli(*words).err
    assert "before it could tell" not in memcli(*words).err


def test_what_a_colleague_lets_act_unasked_is_told_once_and_refuses_in_their_name(
    two: Clones, memcli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desk = two.roots["laptop"], two.roots["desk"]
    git(desk, "config", "user.email", "me@example.org")
    git(laptop, "config", "user.name", "Mallory \x1b[1m")
    git(laptop, "config", "user.email", "mallory@example.org")
    head = "---\nid: 1m7xvn68xtqp489w\nkind: constraint\nenforce: deny\n---\n"
    rule = f"{head}Never run `zapctl apply`\n"
    put(laptop, "memories/rule.md", rule)
    put(laptop, ".mailmap", "Me <me@example.org> <mallory@example.org>")
    with (laptop / ".memcli" / "config.toml").open("a") as file:
        file.write('\n[agents.alpha]\ngroups = ["secret"]\n')
    clones.commit(laptop)
    two.sync("laptop")
    done = sync_setup.run_by_itself(two.vault("desk"), sleep=lambda _: None)
    assert (
        "(0 pinned, 1 with `enforce` by Mallory [1m: see memcli inspect)" in done.line
    )
    news = (
        f"a sync of {desk}: 0 pinned, 1 with `enforce` by others: see memcli inspect; "
        "1 setting changed: see memcli config"
    )
    assert "a sync of" not in memcli("list", "--vault", str(desk)).err
    monkeypatch.setattr(Context, "interactive", True)
    assert news in memcli("list", "--vault", str(desk)).err
    assert "a sync of" not in memcli("list", "--vault", str(desk)).err
    tool = {"tool_name": "Bash", "tool_input": {"command": "zapctl apply"}}
    given = {"session_id": "s", "cwd": "/w", "hook_event_name": "PreToolUse", **tool}
    said = call(two.vault("desk"), "pre-tool", "claude-code", given).answer
    assert "A rule of this vault by Mallory [1m does not want this" in said


WAITING = "save apple; save apple.pie --inbox"


@pytest.mark.parametrize(
    ("start", "here", "there", "left"),
    [
        (WAITING, "undo", "review 1 --supersede 0", ["apple.pie"]),
        (WAITING, "forget 1 --yes", "review 1 --supersede 0", ["apple"]),
        ("save apple.pie --inbox", "forget 0 --yes",
         "save apple; review 0 --supersede 2", ["apple"]),
        (WAITING, "forget 1 --yes", "evolve 0 apple.tart; review 1 --supersede 3",
         ["apple.tart"]),
        # The candidate is older than what it replaces.
        (WAITING, "evolve 0 apple.jam", "evolve 0 apple.tart; review 1 --supersede 3",
         ["apple.pie"]),
        (f"{WAITING}; review 1 --supersede 0", "undo", "resolve 1", []),
        ("save apple", "undo; save apple --kind blocker", "resolve 0", []),
        (f"{WAITING[:-8]}; evolve 1 --also 0", "undo", "resolve 2", []),
        ("save apple; evolve 0 apple.pie", "undo", "resolve 1", []),
    ],
)  # fmt: skip
def test_what_one_side_took_back_and_the_other_went_on_with_stays(
    two: Clones, memcli: Run, start: str, here: str, there: str, left: list[str]
) -> None:
    ids: list[str] = []
    steps = [("laptop", start), ("desk", ""), ("laptop", here), ("desk", there)]
    for name, lines in steps:
        for line in filter(None, lines.split("; ")):
            words = [ids[int(w)] if w.isdigit() else w for w in line.split()]
            done = memcli(*words, "--json", "--vault", str(two.roots[name])).json
            ids.append(done["data"].get("id", ""))
        if lines != here:
            two.sync(name)
    assert "to look at" in two.sync("laptop").line
    two.sync("desk")
    for name in two.roots:
        assert texts(two.vault(name), "apple") == left
