"""`memcli save --visibility` and `--group`: who may see what is saved."""

import os
from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries import layout
from tests.cli.conftest import Run

AGENTS = """
[agents.planner]
policy = "group"
groups = ["platform"]
[agents.builder]
policy = "group"
groups = ["platform", "mobile"]
[agents.reader]
policy = "shared"
"""


@pytest.fixture(autouse=True)
def agents(vault: Vault) -> None:
    Path(vault.root, layout.CONFIG).write_text(AGENTS, encoding="utf-8")


def seen_by(memcli: Run, *names: str) -> list[str]:
    return [
        name
        for name in names
        if memcli("recall", "port", "--agent", name, "--json").json["data"]["rows"]
    ]


EVERYBODY = ("planner", "builder", "reader")


@pytest.mark.parametrize(
    ("flags", "seen"),
    [
        (["--visibility", "private"], ["planner"]),
        (["--visibility", "shared"], ["planner", "reader"]),
        (["--visibility", "group"], ["planner", "builder"]),
        (["--group=platform"], ["planner", "builder"]),
    ],
)
def test_an_agent_says_who_may_see_what_it_saves(
    memcli: Run, flags: list[str], seen: list[str]
) -> None:
    saved = memcli("save", "The port is 8080", "--agent", "planner", *flags)
    assert saved.code == 0, saved.err
    assert seen_by(memcli, *EVERYBODY) == seen
    assert memcli("recall", "port", "--json").json["data"]["rows"]


def test_what_narrows_evidence_is_said(memcli: Run) -> None:
    fact = memcli("save", "The port is 8080", "--visibility", "private", "--json")
    model = memcli(
        *("save", "Ports are high", "--layer", "observation"),
        *("--cite", fact.json["data"]["id"], "--visibility", "shared"),
    )
    assert " is private, not shared: no more agents may see its evidence" in model.err


def test_a_page_of_a_repository_gets_nothing_private(memcli: Run, shop: Path) -> None:
    rule = ("--kind", "convention", "--project", "github.com/acme/shop")
    memcli("save", "Walrus tags are signed", *rule)
    memcli("save", "Ocelot is my own habit", *rule, "--visibility", "private")
    page = shop / "AGENTS.md"
    done = memcli("export", "--format", "agents-md", "--out", str(page))
    assert "left out: 1 private memory" in done.err
    assert "Walrus" in page.read_text()
    assert "Ocelot" not in page.read_text()


def test_a_page_tells_no_observation_that_may_no_longer_hold(
    memcli: Run, shop: Path
) -> None:
    page = shop / "AGENTS.md"
    here = ("--project", "github.com/acme/shop", "--json")
    fact = memcli("save", "Walrus tags are short", *here).json["data"]["id"]
    words = ("--layer", "observation", "--kind", "convention", "--cite", fact)
    entry = memcli("save", "Sign tags by hand", *words, *here).json["data"]["id"]
    export = ("export", "--format", "agents-md", "--out", str(page))
    memcli(*export)
    assert "Sign tags by hand" in page.read_text()
    rule = ("--kind", "constraint", "--layer", "observation", "--cite", fact)
    memcli("save", "Never sign twice", *rule, cwd=page.parent)
    memcli("save", "Bread is baked at six")
    pin = ("--layer", "model", "--set", "subtype=pinned", "--kind", "convention")
    memcli("save", "Tags stay", *pin, "--cite", fact, *here)
    memcli("resolve", fact)
    said = memcli("recall", "bread", cwd=page.parent).out
    assert "· Never sign twice (may no longer hold)" in said
    assert "Sign tags by hand" in memcli("doctor", cwd=page.parent).out
    assert f"{entry} was left out (may no longer hold)" in memcli(*export).err
    assert "Sign tags by hand" not in page.read_text()
    assert "- (pinned, look at it) Tags stay" in page.read_text()


@pytest.mark.parametrize("command", ["export", "view"])
def test_an_export_or_a_page_replaces_only_what_memcli_wrote(
    memcli: Run, vault: Vault, tmp_path: Path, command: str
) -> None:
    vault.save("Walrus tags are signed")
    mine, link, pipe = tmp_path / "mine", tmp_path / "link", tmp_path / "pipe"
    mine.write_text('["mine"]')
    link.symlink_to(mine)
    os.mkfifo(pipe)
    typo = tmp_path / "typo" / "out"
    for place, why, code in (
        (link, "is a symbolic link", 1),
        (pipe, "is not a file", 1),
        (mine, "already exists, and memcli did not write it", 1),
        (typo, f"there is no folder {typo.parent}", 2),
        (tmp_path, "is a folder", 1),
    ):
        refused = memcli(command, "--out", str(place))
        assert (refused.code, why in refused.err) == (code, True), place
    assert (mine.read_text(), link.is_symlink()) == ('["mine"]', True)
    assert (pipe.is_fifo(), typo.parent.exists()) == (True, False)
    for _ in range(2):
        assert memcli(command, "--out", str(tmp_path / "new")).code == 0


@pytest.mark.parametrize("name", [".git/config", layout.CONFIG, "memories/x.md"])
def test_an_export_overwrites_nothing_of_the_vault(
    memcli: Run, vault: Vault, name: str
) -> None:
    memcli("save", "Walrus tags are signed")
    place = Path(vault.root, name)
    before = place.read_bytes() if place.exists() else None
    refused = memcli("export", "--out", str(place))
    assert refused.code != 0
    assert "lies in the vault" in refused.err
    assert (place.read_bytes() if place.exists() else None) == before
