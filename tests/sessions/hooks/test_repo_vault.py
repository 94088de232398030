"""What a repository's own vault adds to a session, once the user allows it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.sessions.hooks import call as hook
from memcli.storage import known_vaults
from memcli.vault import create
from memcli.vault.caller import Caller
from tests.checkouts import allow
from tests.conftest import state_of
from tests.saving import save
from tests.sessions.hooks.calling import told

OWN = "Never deploy the billing service on a Friday."
THEIRS = "Deploy the billing service with bazel, never by hand."
CUSTOM = "Name branches after the ticket, such as SHOP-12."
ASK = "may I deploy the billing service on friday?"
EVENTS = ("session-start", "prompt-submit")

# What calls in this process would start.
pytestmark = pytest.mark.usefixtures("started")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with a vault that nobody has allowed, its index not yet built."""
    top = tmp_path / "shop"
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    create.prepare(str(top / ".memory"), agreed=True)
    carried = Vault(
        str(top / ".memory"), Caller(cwd=str(top)), source=known_vaults.REPO
    )
    save(carried, THEIRS, kind="constraint")
    save(carried, CUSTOM, kind="convention")
    return top


@pytest.fixture
def filled(live: Vault) -> Vault:
    save(live, OWN, kind="constraint")
    return live


def said(event: str, cwd: Path, name: str = "a") -> str:
    payload = {"session_id": name, "prompt": ASK, "source": "startup", "cwd": str(cwd)}
    one = hook.Call([event, "--host", "claude-code"])
    hook.answer(one, lambda: payload)
    assert "error" not in one.line, one.line
    return told(one.answer)


@pytest.mark.parametrize("event", EVENTS)
def test_one_that_is_not_allowed_is_named_once_and_not_told(
    filled: Vault, shop: Path, event: str
) -> None:
    text = said(event, shop)
    assert OWN in text
    assert THEIRS not in text
    assert ("memcli allow" in text) == (event == "session-start")


def test_at_a_tool_it_is_told_in_each_session_once_it_is_allowed(
    filled: Vault, shop: Path
) -> None:
    allow(shop)
    tool = {"command": "bazel build //billing"}
    rule = "Never run `bazel build` without --config=ci."
    carried = Vault(str(shop / ".memory"), Caller(cwd=str(shop)))
    save(carried, rule, kind="constraint")
    for name in "abc":
        payload = {"session_id": name, "cwd": str(shop), "tool_name": "Bash"}
        one = hook.Call(["pre-tool", "--host", "claude-code"])
        hook.answer(one, lambda: {**payload, "tool_input": tool})  # noqa: B023
        assert rule in told(one.answer), name


@pytest.mark.parametrize("event", EVENTS)
def test_once_allowed_it_is_told_with_its_name_and_only_there(
    filled: Vault, shop: Path, tmp_path: Path, event: str
) -> None:
    allow(shop)
    text = said(event, shop)
    assert OWN in text
    assert f'(repo) "{THEIRS}"' in text
    assert "memcli allow" not in text
    if event == "session-start":
        project = text.partition("This project, as others wrote them")[2]
        assert f'(repo) "{CUSTOM}"' in project
    elsewhere = said(event, tmp_path, "b")
    assert OWN in elsewhere
    assert "repo" not in elsewhere


@pytest.mark.parametrize("harm", ["config", "entries", "index", "link"])
def test_its_trouble_takes_nothing_of_the_own_answer(
    filled: Vault, shop: Path, tmp_path: Path, harm: str
) -> None:
    allow(shop)
    memory = shop / ".memory"
    if harm == "config":
        (memory / ".memcli" / "config.toml").write_text("[[[")
    elif harm == "entries":
        for path in memory.rglob("*.md"):
            path.write_bytes(b"---\nid: [" + b"[" * 100_000)
    elif harm == "index":
        place = state_of(memory, layout.INDEX)
        shutil.rmtree(place, ignore_errors=True)
        place.write_text("no folder")
    else:
        memory.rename(shop / "aside")
        memory.symlink_to(tmp_path)
    assert OWN in said("session-start", shop)
    assert OWN in said("prompt-submit", shop, "b")
