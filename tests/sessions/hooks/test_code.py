"""A hook tells nothing whose code changed since, but a constraint in any case."""

import time
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault, Vaults
from memcli.curation import citing
from memcli.entries.eligibility import View
from memcli.storage import checkout
from memcli.vault import code_state
from tests.checkouts import APP
from tests.conftest import VaultMaker
from tests.sessions.hooks.calling import call, told

CONVENTION = "The rate limiter waits one second between two requests to the service."
RULE = "Never let the rate limiter wait more than one second between two requests."
PROMPT = "how long does the rate limiter wait between two requests to the service?"

# What calls in this process would start.
pytestmark = pytest.mark.usefixtures("started")


@pytest.fixture
def inside(live: Vault, make_vault: VaultMaker, shop: Path) -> Vault:
    vault = make_vault(now_ms=None, cwd=str(shop))
    for text, kind in ((CONVENTION, "convention"), (RULE, "constraint")):
        draft = vault.draft({"text": text, "kind": kind, "code": ["src/app.py:4-6"]})
        vault.save(draft)
    pinned = vault.draft(
        {"text": "Pinned: one second.", "pinned": True, "code": ["src/app.py:4-6"]}
    )
    vault.save(pinned)
    return vault


def said(vault: Vault, event: str, shop: Path, session: str = "a") -> str:
    payload = {
        "session_id": session,
        "prompt": PROMPT,
        "source": "startup",
        "cwd": str(shop),
    }
    one = call(vault, event, "claude-code", payload)
    assert "error" not in one.line, one.line
    return told(one.answer)


def test_a_report_on_what_speaks_of_changed_code_is_told_with_a_mark(
    inside: Vault, shop: Path, make_vault: VaultMaker
) -> None:
    (fact,) = [row.id for row in inside.recall(CONVENTION).rows if row.text == RULE]
    text = "How the rate limiter waits between two requests to the service: a second."
    report = {"text": text, "layer": "model", "evidence": [fact]}
    name = inside.save(inside.draft({**report, "subtype": "structural"})).id
    assert "may no longer hold" not in said(inside, "prompt-submit", shop, "a")
    (shop / "src" / "app.py").write_bytes(APP.replace(b"sleep(1)", b"sleep(2)"))
    mark = f"[{name}] (may no longer hold: rests on {fact}, code changed) "
    assert mark in said(inside, "prompt-submit", shop, "b")
    team = make_vault("team", now_ms=None, cwd=str(shop))
    team.source = "team:shop"
    for asked in (inside, Vaults([inside, team])):
        rows = {row.id: row for row in asked.recall(text).rows}
        assert [each.reason for each in rows[name].stale_why] == ["code_changed"]
    listed = citing.models(inside, View(inside.now_ms() // 1000), stale=True)
    assert [(one.id, one.stale) for one in listed] == [(name, True)]


def test_an_edit_of_changed_code_is_told_nothing_of_what_it_was(
    inside: Vault, shop: Path
) -> None:
    def edit(session: str) -> str:
        path = str(shop / "src" / "app.py")
        tool = {"tool_name": "Edit", "tool_input": {"file_path": path}}
        payload = {"session_id": session, "cwd": str(shop), **tool}
        return told(call(inside, "pre-tool", "claude-code", payload).answer)

    assert CONVENTION in edit("a")
    (shop / "src" / "app.py").write_bytes(APP.replace(b"sleep(1)", b"sleep(2)"))
    assert CONVENTION not in edit("b")


@pytest.mark.parametrize("event", ["session-start", "prompt-submit"])
def test_what_speaks_of_changed_code_is_not_told_but_for_a_constraint(
    inside: Vault, shop: Path, event: str
) -> None:
    before = said(inside, event, shop, "a")
    assert CONVENTION in before
    assert RULE in before
    (shop / "src" / "app.py").write_bytes(APP.replace(b"sleep(1)", b"sleep(2)"))
    after = said(inside, event, shop, "b")
    assert CONVENTION not in after
    assert RULE in after
    assert "Pinned" not in after


def test_after_its_time_a_hook_tells_what_it_did_not_check(
    inside: Vault, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = checkout.read
    looks: list[str] = []

    def slow(folder: str, path: str, **more: Any) -> checkout.Look:
        looks.append(path)
        time.sleep(code_state.OF_A_HOOK[0] + 0.01)
        return true(folder, path, **more)

    monkeypatch.setattr(checkout, "read", slow)
    (shop / "src" / "app.py").unlink()
    said(inside, "session-start", shop)
    assert len(looks) == 1


def test_a_file_that_a_hook_has_no_time_for_is_not_read(
    inside: Vault, shop: Path
) -> None:
    (shop / "src" / "app.py").write_bytes(b"# changed\n" + b"x = 1\n" * 40_000)
    assert CONVENTION in said(inside, "session-start", shop)
