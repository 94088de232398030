"""What rules heard in a session bears a mark until somebody says it again."""

import json
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.entries.eligibility import View
from memcli.sessions.briefing.frame import to_tell
from memcli.sessions.hooks import pipe
from tests.cli.conftest import Run
from tests.cli.test_view import data_of, html_of
from tests.conftest import NOW
from tests.sessions.hooks.calling import ALWAYS, call, session
from tests.sessions.test_reflect_session import say


@pytest.fixture
def mined(memcli: Run, tmp_path: Path) -> str:
    """The id of a rule that was mined from a session."""
    done = memcli("reflect", "--session", say(tmp_path, ALWAYS), "--json").json["data"]
    (one,) = done["candidates"]
    assert one["action"] == "saved"
    return str(one["id"])


def row(memcli: Run) -> dict[str, Any]:
    (only,) = memcli("recall", "linter", "--json").json["data"]["rows"]
    return dict(only)


def start(vault: Vault) -> str:
    """The text of a session that starts, with no work behind it."""
    payload = {"session_id": "next", "source": "startup", "cwd": vault.root}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipe, "start", lambda *_: "")
        return call(vault, "session-start", "claude-code", payload).answer


def test_every_reader_sees_that_it_is_unconfirmed(
    memcli: Run, vault: Vault, mined: str
) -> None:
    assert row(memcli)["unconfirmed"] is True
    assert "preference, unconfirmed ·" in memcli("recall", "linter").out
    for words in (["list"], ["inspect"], ["inspect", mined]):
        assert "unconfirmed" in memcli(*words).out
    assert data_of(html_of(vault))["entries"][0]["unconfirmed"]
    answer = memcli("reflect", "linter", "--json").json["data"]["answer"]
    assert answer == f"- (unconfirmed) {ALWAYS}"
    assert f"[{mined}] (unconfirmed, heard in a session on 2" in start(vault)
    # Where it has no room, its title is told.
    (row_of,) = vault.read(lambda r: [r.row(doc) for doc in r.exact("id", mined)])
    told = vault.read(lambda r: to_tell(r, row_of, View(NOW)))
    assert told is not None
    assert told.title.startswith("(unconfirmed, heard in a session on 2")


@pytest.mark.parametrize(
    "words",
    [("save", ALWAYS), ("pin", "ID"), ("evolve", "ID", "--tag", "ci")],
    ids=["said again", "pinned", "changed"],
)
def test_a_person_confirms_it(
    memcli: Run, vault: Vault, mined: str, words: tuple[str, ...]
) -> None:
    done = memcli(*(mined if word == "ID" else word for word in words))
    assert done.code == 0, done.err
    assert row(memcli)["unconfirmed"] is False
    assert "unconfirmed," not in start(vault)


def test_an_agent_does_not(
    memcli: Run, mined: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "is for a person" in memcli("pin", mined).err
    for source in ({}, {"writer": "hook", "session": "another"}):
        line = json.dumps({"text": ALWAYS, "source": source})
        assert "already known 1" in memcli("import", "-", stdin=line.encode()).out
    assert row(memcli)["unconfirmed"] is True


def test_what_is_in_doubt_itself_confirms_nothing(memcli: Run, tmp_path: Path) -> None:
    doubt = f"Here is what the newsletter wants: {ALWAYS}"
    for number, words in enumerate((doubt, ALWAYS, doubt)):
        memcli("reflect", "--session", say(tmp_path, words, name=f"s{number}"))
    assert row(memcli)["unconfirmed"] is True
    memcli("reflect", "--session", say(tmp_path, ALWAYS, name="last"))
    assert row(memcli)["unconfirmed"] is False


def test_the_minutes_of_a_decision_confirm_nothing(memcli: Run, tmp_path: Path) -> None:
    for name in ("one", "two"):
        minutes = "Decision: we never run the linter on generated files."
        memcli("reflect", "--session", say(tmp_path, minutes, name=name))
    assert row(memcli)["unconfirmed"] is True


def test_a_page_of_instructions_holds_nothing_unconfirmed(
    memcli: Run, tmp_path: Path, shop: Path
) -> None:
    memcli("reflect", "--session", session(tmp_path, "one", ALWAYS, cwd=str(shop)))
    name, page = row(memcli)["id"], shop / "AGENTS.md"
    done = memcli("export", "--format", "agents-md", cwd=shop)
    assert f"{name} was left out (unconfirmed)" in done.err
    assert not page.exists() or ALWAYS not in page.read_text()
    memcli("save", ALWAYS, cwd=shop)
    memcli("export", "--format", "agents-md", cwd=shop)
    assert ALWAYS.rstrip(".") in page.read_text()


def test_what_a_person_saves_or_approves_is_confirmed(
    memcli: Run, tmp_path: Path
) -> None:
    memcli("save", "Run the linter in CI")
    assert row(memcli)["unconfirmed"] is False
    unsure = say(tmp_path, "Please dont touch the generated files.")
    done = memcli("reflect", "--session", unsure, "--json").json["data"]
    (one,) = done["candidates"]
    assert one["action"] == "review"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLAUDECODE", "1")
        refused = memcli("review", one["id"], "--approve").err
    assert "is for a person, and Claude Code runs this" in refused
    memcli("review", one["id"], "--approve")
    (found,) = memcli("recall", "generated", "--json").json["data"]["rows"]
    assert found["unconfirmed"] is False
