"""`memcli review`: keys for people, flags for scripts, and nothing lost in between."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memcli import Vault
from memcli.cli import commands
from memcli.entries.entry import Status
from tests.cli.conftest import Run
from tests.contexts import at_terminal
from tests.git_command import git


class Person:
    """A person at a terminal who types these lines, and then closes it."""

    def __init__(self, vault: Vault, lines: Iterable[str]) -> None:
        self.lines = list(lines)
        self.heard: list[str] = []
        self.context = at_terminal(vault, ask=self._answer, tell=self.heard.append)

    def _answer(self, question: str) -> str | None:
        self.heard.append(question)
        return self.lines.pop(0) if self.lines else None

    @property
    def said(self) -> str:
        return "\n".join(self.heard)


class Walked(NamedTuple):
    data: dict[str, Any]
    said: str


def walk(vault: Vault, *lines: str) -> Walked:
    person = Person(vault, lines)
    result = commands.load("review")(person.context)
    return Walked(result.data, person.said)


def candidate(vault: Vault, text: str, **fields: Any) -> str:
    return vault.save(vault.draft({"text": text, "status": "pending", **fields})).id


@pytest.fixture
def three(vault: Vault) -> list[str]:
    return [
        candidate(
            vault, f"candidate {name}", created=f"2026-11-1{day}", confidence="MEDIUM"
        )
        for day, name in enumerate(("one", "two", "three"))
    ]


def test_interactive_review_prompts_work_and_each_option_does_the_right_thing(
    vault: Vault, three: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = three
    old = vault.save("candidate four was here").id
    fourth = candidate(vault, "candidate four is here", created="2026-11-19")
    fifth = candidate(vault, "something else", created="2026-11-20")
    editor = tmp_path / "editor.py"
    editor.write_text("import sys\nopen(sys.argv[1], 'w').write('edited by hand\\n')\n")
    monkeypatch.setenv("EDITOR", f"{sys.executable} {editor}")
    walked = walk(vault, "y", "e", "n", "too vague", "1", "s")
    assert "1 of 5" in walked.said
    assert walked.said.count("[y] approve [n] reject [e]dit [m] supersede [s]kip") == 5
    assert vault.get(first).status is Status.ACTIVE
    assert vault.get(second).body == "edited by hand\n"
    assert vault.get(second).status is Status.ACTIVE
    assert vault.get(third).status is Status.REJECTED
    assert vault.get(third).reason == "too vague"
    assert vault.get(fourth).supersedes == old
    assert vault.get(fifth).status is Status.PENDING
    assert walked.data == {"approved": 2, "rejected": 1, "superseded": 1, "left": 1}


@pytest.mark.parametrize(
    ("editor", "message"),
    [("true", "saved nothing"), ("rm", "saved nothing"), ("false", "exited with 1")],
)
def test_an_editor_that_is_left_without_saving_approves_nothing(
    vault: Vault,
    three: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    editor: str,
    message: str,
) -> None:
    monkeypatch.setenv("EDITOR", editor)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    walked = walk(vault, "e", "q")
    assert message in walked.said
    assert walked.data["left"] == 3
    assert not list(tmp_path.glob("memcli-*"))


@pytest.mark.parametrize("lines", [("1",), ("m 1",), ("y", "u", "1")])
def test_a_shown_number_names_its_entry_in_every_answer(
    vault: Vault, lines: tuple[str, ...]
) -> None:
    old = vault.save("candidate four was here").id
    name = candidate(vault, "candidate four is here")
    candidate(vault, "something else", created="2099-01-01")
    walked = walk(vault, *lines)
    assert f"1: repeats {old}" in walked.said
    assert vault.get(name).supersedes == old


def test_a_candidate_is_approved_as_another_kind(vault: Vault) -> None:
    name = candidate(vault, "Use pnpm")
    walked = walk(vault, "y fixx", "y fix")
    entry = vault.get(name)
    assert (entry.kind, entry.status) == ("fix", Status.ACTIVE)
    assert "kind must be one of" in walked.said
    assert entry.path.startswith("memories/fix/")


@pytest.mark.parametrize(
    ("held", "offered", "said"),
    [
        ("Indent with tabs here", "Indent with spaces here", "similar {id} ("),
        ("We deploy on Tuesdays", "We deploy on Mondays", "similar {id} ("),
        ("Retry jobs 3 times", "Retry jobs 5 times", "similar {id} ("),
        ("Run the linter before you commit", "Run the linter before commit", "repeats"),
        ("Deploys of the shop run at night", "Deploys of the shop wait", "similar"),
    ],
)
def test_a_proposal_says_how_the_two_are_related_and_shows_both(
    vault: Vault, held: str, offered: str, said: str
) -> None:
    old = vault.save(held, kind="preference").id
    candidate(vault, offered, kind="preference")
    heard = walk(vault, "q").said
    assert f"1: {said.format(id=old)}" in heard
    assert f"    {offered}" in heard
    assert f"       {held}" in heard


def test_the_last_decision_is_taken_back_and_asked_again(
    vault: Vault, three: list[str]
) -> None:
    walked = walk(vault, "y", "n", "", "u", "y", "u", "u", "s", "s", "s")
    assert walked.data == {"approved": 0, "rejected": 0, "superseded": 0, "left": 3}
    assert {vault.get(name).status for name in three} == {Status.PENDING}


def test_an_error_is_told_and_the_walk_goes_on(vault: Vault, three: list[str]) -> None:
    walked = walk(vault, "m zzzz", "x", "y", "q")
    assert "no entry has the id or the file name 'zzzz'" in walked.said
    assert "the key x does nothing here" in walked.said
    assert walked.data["approved"] == 1


def test_a_candidate_that_vanished_during_the_walk_is_passed_over(
    vault: Vault, three: list[str]
) -> None:
    gone = Path(vault.root, vault.path_of(three[0]))
    person = Person(vault, ["y", "y", "y"])
    ask = person._answer

    def answer(question: str) -> str | None:
        gone.unlink(missing_ok=True)
        return ask(question)

    result = commands.load("review")(person.context._replace(ask=answer))
    assert result.data == {"approved": 2, "rejected": 0, "superseded": 0, "left": 0}


# --- flags ------------------------------------------------------------------------


def test_ids_act_at_once(memcli: Run, vault: Vault, three: list[str]) -> None:
    first, second, third = three
    done = memcli("review", first, "--approve", "--kind", "fix", "--json").json["data"]
    assert (done["applied"], done["action"]) == (True, "approved")
    assert done["items"][0]["path"].startswith("memories/fix/")
    assert memcli("review", second, third, "--reject", "--reason", "no").code == 0
    assert vault.get(second).reason == "no"
    assert memcli("undo").out.startswith("undone: review: 2 candidates rejected\n")
    assert vault.get(third).status is Status.PENDING
    target = memcli("review", second, "--supersede", first)
    assert target.code == 0
    assert vault.get(first).superseded_by == second


def test_many_are_planned_and_nothing_changes_without_yes(
    memcli: Run, vault: Vault, three: list[str], snapshot: Callable[[str], Any]
) -> None:
    before = snapshot(vault.root)
    plan = memcli("review", "--reject", "--all", "--json").json["data"]
    assert (plan["applied"], len(plan["items"])) == (False, 3)
    assert "would reject 3" in memcli("review", "--reject", "--all").out
    assert snapshot(vault.root) == before
    done = memcli("review", "--approve", "--all", "--yes", "--json").json["data"]
    assert [item["outcome"] for item in done["items"]] == ["approved"] * 3
    none = memcli("review", "--approve", "--all")
    assert (none.out, none.err) == ("", "Nothing to approve.\n")


def test_a_dry_run_changes_nothing_and_refuses_what_the_run_would(
    memcli: Run, vault: Vault, three: list[str], snapshot: Callable[[str], Any]
) -> None:
    first, second, _ = three
    memcli("review", first, "--approve")
    before = snapshot(vault.root)
    undo = memcli("undo", "--dry-run").out
    assert undo.startswith("would undo: review: approved candidate one\n")
    for words in (("--approve",), ("--reject",), ("--supersede", first)):
        plan = memcli("review", second, *words, "--dry-run", "--json").json["data"]
        assert (plan["applied"], len(plan["items"])) == (False, 1)
    for refused in (
        (first, "--approve"),
        (second, "--supersede", second),
        (second, "--supersede", "zzzz"),
        ("zzzz", "--reject"),
    ):
        assert memcli("review", *refused, "--dry-run", "--json").json["error"]
    assert snapshot(vault.root) == before


def test_a_reason_stands_behind_the_key_and_one_letter_is_none(
    vault: Vault, three: list[str]
) -> None:
    first, second, third = three
    walked = walk(vault, "n of that task alone", "n", "s", "n", "", "n", "too vague")
    reasons = [vault.get(name).reason for name in (first, second, third)]
    assert reasons == ["of that task alone", None, "too vague"]
    assert "  s is too short for a reason; Enter skips it" in walked.said
    assert walked.data["rejected"] == 3


def test_a_candidate_is_shown_in_few_words(vault: Vault) -> None:
    session = "f6833005-7be4-4178-bb37-a0e9feadc36b"
    source = {"writer": "hook", "host": "codex", "session": session}
    candidate(vault, "Run `make` first", source={**source, "excerpt": "Run make first"})
    candidate(vault, "Use uv", source={**source, "excerpt": "Please use uv here"})
    said = walk(vault, "s", "s").said
    assert "  from: codex f6833005" in said
    assert "said: Run make first" not in said
    assert "  said: Please use uv here" in said


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize(
    ("end", "code"),
    [(b"q\n", 0), (b"\x04", 0), (b"\x03", 130), (signal.SIGKILL, -9)],
    ids=["q", "end of input", "Ctrl-C", "killed"],
)
def test_a_walk_on_a_real_terminal_keeps_what_is_decided_however_it_ends(
    vault: Vault, three: list[str], end: bytes | signal.Signals, code: int
) -> None:
    import fcntl
    import pty
    import termios

    def as_its_terminal() -> None:
        """Make the terminal the one whose Ctrl-C interrupts the process."""
        # Tests that a shell started in the background inherit it as ignored.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "memcli", "review"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "MEMCLI_VAULT": vault.root},
        close_fds=True,
        preexec_fn=as_its_terminal,
    )
    os.close(theirs)
    said = ""

    def until(words: str) -> None:
        nonlocal said
        deadline = time.monotonic() + 30
        while words not in said:
            assert time.monotonic() < deadline, said
            if select.select([ours], [], [], 0.2)[0]:
                said += os.read(ours, 4096).decode()

    until("1 of 3")
    until("[?]")
    os.write(ours, b"y\n")
    until("2 of 3")
    said = said.partition("2 of 3")[2]
    until("[?]")
    if isinstance(end, bytes):
        # Python answers no signal that comes between its last step and the read of a
        # line; no person is as fast as that.
        time.sleep(0.1)
        os.write(ours, end)
        until("Interrupted" if code else "approved 1")
    else:
        process.send_signal(end)
    assert process.wait(timeout=30) == code
    os.close(ours)
    if end == b"\x03":
        assert "Nothing half-done was kept" in said
    statuses = [vault.get(name).status for name in three]
    assert statuses == [Status.ACTIVE, Status.PENDING, Status.PENDING]
    assert "approved candidate one" in git(vault, "log", "-1", "--format=%s")


def test_a_save_into_the_inbox_proposes_the_review_that_replaces(
    memcli: Run, vault: Vault
) -> None:
    old = vault.save("Retry the upload 3 times").id
    done = memcli("save", "Retry the upload 5 times", "--inbox")
    new = done.out.split()[1]
    command = f"memcli review {new} --supersede {old}"
    assert done.out.splitlines()[-1].endswith(f"to replace the older: {command}")
    assert memcli(*command.split()[1:]).code == 0
    assert [row.text for row in vault.recall("retry").rows] == [
        "Retry the upload 5 times"
    ]
