"""A repository that carries its own memory, from the command line."""

import json
import os
from pathlib import Path

import pytest

from memcli import Vault
from memcli.cli import init as allow
from memcli.cli.mcp import catalog, tools
from memcli.storage import projects
from tests.cli.conftest import Run
from tests.contexts import at_terminal, context_of
from tests.git_command import git
from tests.saving import configure
from tests.sessions.hooks.calling import ALWAYS
from tests.sessions.test_reflect_session import say

RULE = "Deploy the shop with pnpm, never with npm"


@pytest.fixture
def carrying(shop: Path, memcli: Run) -> Path:
    """The repository with a vault that holds one entry."""
    assert memcli("init", "--repo", cwd=shop / "src").code == 0
    saved = memcli("save", RULE, "--kind", "convention", "--vault", "repo", cwd=shop)
    assert saved.code == 0, saved.err
    return shop


def sources(memcli: Run, cwd: Path, query: str = "deploy the shop") -> list[str]:
    rows = memcli("recall", query, "--json", cwd=cwd).json["data"]["rows"]
    return [row["source"] for row in rows]


def test_it_is_made_at_the_top_and_committed_with_the_code(
    shop: Path, memcli: Run, vault: Vault
) -> None:
    planned = memcli("init", "--repo", "--dry-run", "--json", cwd=shop / "src")
    assert planned.json["data"]["path"] == str(shop / ".memory")
    assert not (shop / ".memory").exists()
    made = memcli("init", "--repo", "--json", cwd=shop / "src").json["data"]
    assert (made["outcome"], made["allowed"], made["default"]) == (
        "created", True, False,
    )  # fmt: skip
    assert git(shop, "status", "--porcelain") == ""
    assert ".memory/.memcli/config.toml" in git(shop, "ls-files")
    again = memcli("init", "--repo", "--json", cwd=shop).json["data"]
    assert again["outcome"] == "exists"
    outside = memcli("init", "--repo", "--json", cwd=Path(vault.root).parent)
    assert outside.json["error"]["code"] == "not_a_vault"


def test_it_is_asked_in_its_repository_beside_the_personal_one(
    carrying: Path, memcli: Run, tmp_path: Path
) -> None:
    memcli("save", "Deploy the shop on Mondays", cwd=tmp_path)
    assert sorted(sources(memcli, carrying / "src")) == ["personal", "repo"]
    assert sources(memcli, tmp_path) == ["personal"]
    rows = memcli("recall", "deploy", "--vault", "repo", "--json", cwd=carrying).json
    assert [row["project"] for row in rows["data"]["rows"]] == [None], (
        "it holds in every fork"
    )
    listed = memcli("inspect", "vaults", "--json", cwd=carrying).json["data"]["vaults"]
    assert [(v["name"], v["entries"]) for v in listed][-1] == ("repo", 1)
    (entry,) = rows["data"]["rows"]
    unknown = memcli("inspect", entry["id"], cwd=carrying)
    assert "--vault repo" in unknown.err


def test_a_clone_is_silent_until_it_is_allowed(
    carrying: Path, memcli: Run, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(carrying), str(clone))
    asked = memcli("recall", "deploy the shop", "--json", cwd=clone)
    assert asked.json["data"]["rows"] == []
    assert asked.json["warnings"][0] == projects.NOTICE
    refused = memcli("save", "x y z", "--vault", "repo", "--json", cwd=clone)
    assert refused.json["error"]["code"] == "vault_not_allowed"
    every = memcli("inspect", "vaults", "--json", cwd=clone).json["data"]["vaults"]
    (listed,) = (row for row in every if row["name"] == "repo")
    assert (listed["entries"], listed["recall"]) == (None, False)
    (clone / "notes").symlink_to(".memory")
    for path in (".memory", str(clone / "notes"), str(clone / ".memory")):
        words = ("recall", "deploy", "--vault", path, "--json")
        cwd = clone if path == ".memory" else tmp_path
        env = {"MEMCLI_VAULT": path}
        for by_path in (
            memcli(*words, cwd=cwd),
            memcli("recall", "deploy", "--json", cwd=cwd, environ=env),
        ):
            assert by_path.json["error"]["code"] == "vault_not_allowed", by_path
    assert memcli("allow", cwd=clone).out.startswith(f"allowed {clone}/.memory")
    by_path = memcli(*words, cwd=tmp_path)
    assert [row["source"] for row in by_path.json["data"]["rows"]] == ["repo"]
    assert sources(memcli, clone) == ["repo"]
    git(clone, "remote", "set-url", "origin", "git@github.com:evil/shop.git")
    assert sources(memcli, clone) == []
    assert memcli("allow", cwd=clone).code == 0
    assert memcli("allow", "--revoke", cwd=clone).code == 0
    assert sources(memcli, clone) == []


def test_allow_says_what_would_be_trusted(carrying: Path, memcli: Run) -> None:
    memcli("save", "Never push on Fridays", "--kind", "constraint", "--vault", "repo",
           "--pinned", cwd=carrying)  # fmt: skip
    memcli("allow", "--revoke", cwd=carrying)
    done = memcli("allow", cwd=carrying)
    assert (
        "holds 2 entries, among them 1 constraint, 1 pinned, 0 with `enforce`"
        in done.out
    )
    memcli("allow", "--revoke", cwd=carrying)
    counts = memcli("allow", "--json", cwd=carrying).json["data"]["holds"]
    assert counts == {"entries": 2, "constraints": 1, "pinned": 1, "enforced": 0}


@pytest.mark.parametrize(("answer", "outcome"), [("n", "unchanged"), ("y", "allowed")])
def test_allow_asks_a_person_once_it_has_said_so(
    carrying: Path, memcli: Run, vault: Vault, answer: str, outcome: str
) -> None:
    memcli("allow", "--revoke", cwd=carrying)
    told: list[str] = []

    def ask(question: str) -> str:
        assert "holds 1 entry" in told[0]
        return answer

    context = at_terminal(vault, cwd=str(carrying), ask=ask, tell=told.append)
    done = allow.allow(context._replace(vault=None))
    assert done.data["outcome"] == outcome
    found = projects.carried(str(carrying), os.environ)
    assert found is not None
    assert found.allowed is (answer == "y")


def test_what_is_allowed_is_for_the_user_to_say(
    carrying: Path, memcli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = memcli("allow", "--agent", "bot", "--json", cwd=carrying)
    assert refused.json["error"]["code"] == "owner_only"
    assert memcli("allow", cwd=tmp_path).code == 1
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "is for a person" in memcli("allow", cwd=carrying).err


def test_who_has_no_vault_of_their_own_is_answered_from_it(
    carrying: Path, memcli: Run
) -> None:
    alone = {"MEMCLI_VAULT": ""}
    asked = memcli("recall", "deploy the shop", "--json", cwd=carrying, environ=alone)
    assert [row["text"] for row in asked.json["data"]["rows"]] == [RULE]
    assert "personal was not asked" in json.dumps(asked.json["warnings"])
    memcli("allow", "--revoke", cwd=carrying)
    refused = memcli("recall", "deploy", "--json", cwd=carrying, environ=alone).json
    assert refused["error"]["code"] == "vault_not_found"
    assert "memcli allow" in refused["error"]["hint"]


def test_an_mcp_client_in_the_repository_is_answered_from_it(
    carrying: Path, memcli: Run, vault: Vault
) -> None:
    def ask() -> tools.Answer:
        context = context_of(
            vault, environ={**os.environ, "MEMCLI_VAULT": vault.root}, cwd=str(carrying)
        )._replace(vault=None)
        return tools.call(catalog.memory_recall, {"query": "deploy the shop"}, context)

    answer = ask()
    assert answer.data
    assert [row["source"] for row in answer.data["rows"]] == ["repo"]
    memcli("allow", "--revoke", cwd=carrying)
    answer = ask()
    assert answer.data
    assert answer.data["rows"] == []
    assert f"warning: {projects.NOTICE} (in the user's shell)" in answer.notes


# --- promote ------------------------------------------------------------------------


def fields(path: Path) -> dict[str, str]:
    """The lines of a note's frontmatter."""
    lines = path.read_text().split("---\n")[1].splitlines()
    return dict(line.split(": ", 1) for line in lines if ": " in line)


def test_a_memory_moves_and_its_old_place_names_the_new_one(
    carrying: Path, memcli: Run, vault: Vault, tmp_path: Path
) -> None:
    saved = memcli("save", "Migrations are written by hand", "--kind", "convention",
                   "--tag", "db", "--set", "source-session=s-1", "--json",
                   cwd=carrying).json["data"]  # fmt: skip
    planned = memcli("promote", saved["id"], "--dry-run", "--json", cwd=carrying)
    assert planned.json["data"]["id"] is None
    assert sources(memcli, carrying, "migrations") == ["personal"]
    moved = memcli("promote", saved["id"][:-1], "--json", cwd=carrying).json["data"]
    assert sources(memcli, carrying, "migrations") == ["repo"]
    assert sources(memcli, tmp_path, "migrations") == []
    there = fields(carrying / ".memory" / moved["path"])
    assert (there["kind"], "project" in there) == ("convention", False)
    note = f"moved to github.com/acme/shop, as {moved['id']}"
    assert vault.get(saved["id"]).resolution_note == note
    assert "s-1" not in (carrying / ".memory" / moved["path"]).read_text()
    assert git(carrying, "show", "--name-only", "--format=").split() == [
        f".memory/{moved['path']}"
    ]
    for where in ((), ("--vault", "repo")):
        lint = memcli("inspect", "lint", "--json", *where, cwd=carrying).json["data"]
        assert lint["findings"] == []
    again = memcli("promote", saved["id"], "--json", cwd=carrying).json["error"]
    assert again["code"] == "resolved"


def test_a_move_that_was_killed_half_way_is_ended_by_the_same_call(
    carrying: Path, memcli: Run
) -> None:
    saved = memcli("save", RULE, "--json", cwd=carrying).json["data"]
    moved = memcli("promote", saved["id"], "--json", cwd=carrying).json["data"]
    assert moved["outcome"] == "duplicate"
    assert sources(memcli, carrying) == ["repo"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--visibility", "private"), "cannot_move"),
        (("--set", "item=invariant"), "cannot_move"),
        (("--inbox",), "pending"),
    ],
)
def test_what_belongs_to_the_user_alone_does_not_move(
    carrying: Path, memcli: Run, words: tuple[str, ...], code: str
) -> None:
    saved = memcli("save", "A word of my own", *words, "--json", cwd=carrying)
    before = git(carrying, "rev-parse", "HEAD")
    refused = memcli("promote", saved.json["data"]["id"], "--json", cwd=carrying)
    assert refused.json["error"]["code"] == code
    assert git(carrying, "rev-parse", "HEAD") == before


def test_what_nobody_has_confirmed_does_not_move(
    carrying: Path, memcli: Run, tmp_path: Path
) -> None:
    memcli("reflect", "--session", say(tmp_path, ALWAYS), cwd=carrying)
    (row,) = memcli("recall", ALWAYS, "--json", cwd=carrying).json["data"]["rows"]
    refused = memcli("promote", row["id"], cwd=carrying).err
    assert "nobody has confirmed it" in refused
    assert f"memcli pin {row['id']}" in refused


def test_what_the_repository_has_resolved_is_not_brought_in_again(
    carrying: Path, memcli: Run
) -> None:
    (row,) = memcli("recall", "pnpm", "--json", cwd=carrying).json["data"]["rows"]
    memcli("resolve", row["id"], "--vault", "repo", cwd=carrying)
    saved = memcli("save", RULE, "--json", cwd=carrying).json["data"]
    refused = memcli("promote", saved["id"], "--json", cwd=carrying).json["error"]
    assert refused["code"] == "not_in_use_there"


def test_a_vault_that_cannot_be_read_is_not_allowed(
    carrying: Path, memcli: Run
) -> None:
    memcli("allow", "--revoke", cwd=carrying)
    (carrying / ".memory" / ".memcli" / "config.toml").write_text("= broken")
    done = memcli("allow", "--json", cwd=carrying)
    assert (done.code, done.json["error"]["code"]) == (1, "invalid_config")
    found = projects.carried(str(carrying), os.environ)
    assert found is not None
    assert not found.allowed


def test_repo_is_the_name_of_no_other_vault(
    memcli: Run, home: Path, tmp_path: Path
) -> None:
    assert "no repository around" in memcli("recall", "x", "--vault", "repo").err
    named = memcli("recall", "x", "--json", environ={"MEMCLI_VAULT": "repo"})
    assert named.json["error"]["code"] == "vault_not_found"
    configure(home, f'[vaults.repo]\npath = "{tmp_path}"\n')
    assert memcli("recall", "x", "--json").json["error"]["code"] == "invalid_config"
