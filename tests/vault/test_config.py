"""A setting is changed alone, only to what is valid, and only by the owner."""

import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Vault
from memcli.cli.config import CHECKS
from memcli.entries import layout
from memcli.errors import (
    InvalidConfig,
    InvalidValue,
    MemcliError,
    NotAllowed,
    SecretFound,
)
from memcli.storage import settings, user_config
from memcli.vault import config
from tests.entries.text.secret_kinds import fill
from tests.git_command import git


def put(vault: Vault, name: str, *words: str) -> config.Changed:
    return config.put(vault, name, words or None, os.environ, CHECKS)


def value(vault: Vault, name: str) -> Any:
    return config.get(vault, name, os.environ).value


@pytest.mark.parametrize(
    ("name", "words", "wanted"),
    [
        ("limits.body", ["500"], 500),
        ("limits.lock_wait", ["2.5"], 2.5),
        ("reflections.derived.k", ["1"], 1),
        ("injection.chars", ["4_000"], 4000),
        ("memory.review_mode", ["silent"], "silent"),
        ("signals.log", ["off"], False),
        ("vault.kinds", ["recipe,tip"], ["recipe", "tip"]),
        ("vault.kinds", ["recipe", "tip"], ["recipe", "tip"]),
        ("agents.planner.policy", ["group"], "group"),
        ("agents.planner.groups", ["blue"], ["blue"]),
        ("vaults.team.path", ['/x "y" \u00e9'], '/x "y" \u00e9'),
        ("vaults.db.engine", ["postgresql://a:b@h/db"], "postgresql://a:b@h/db"),
        ("mining.judge", ["codex", "exec", "a,b"], ["codex", "exec", "a,b"]),
    ],
)
def test_a_setting_is_set_read_and_taken_out_again(
    vault: Vault, name: str, words: list[str], wanted: Any
) -> None:
    file = Path(vault.root, layout.CONFIG)
    if config.meant(name)[0] == config.USER:
        file = Path(user_config.path_of(os.environ))
    before = file.read_text() if file.exists() else ""
    default = value(vault, name)
    done = put(vault, name, *words)
    assert (done.changed, done.path) == (True, str(file))
    assert value(vault, name) == wanted
    assert not put(vault, name, *words).changed
    assert all(line in file.read_text() for line in before.splitlines())
    put(vault, name)
    assert file.read_text().strip() == before.strip()
    assert value(vault, name) == default


def test_a_change_of_the_vault_is_a_commit(vault: Vault) -> None:
    put(vault, "limits.body", "500")
    assert git(vault, "log", "-1", "--format=%s") == "config: set limits.body\n"
    assert git(vault, "status", "--porcelain") == ""


NOT_VALID = [
    ("limits.body", ["many"], "must be a whole number"),
    ("limits.body", ["0"], "must be a number from 1 to"),
    ("memory.review_mode", ["loud"], "must be one of"),
    ("vault.kinds", ["two words"], "holds no kind"),
    ("agents.ada.policy", ["all"], "must be one of"),
    ("vaults.team.role", ["rw"], "needs a path"),
    ("vaults.Team.path", ["/x"], "not a name for a vault"),
    ("mining.judge_seconds", ["900"], None),
    ("default-vault", ["/nowhere"], "there is no vault"),
]


def test_what_is_not_valid_is_refused_and_nothing_changes(
    vault: Vault, home: Path, snapshot: Callable[[str], dict[str, str]]
) -> None:
    put(vault, "mining.judge", "codex")
    config_file = Path(user_config.path_of(os.environ))
    before, users = snapshot(vault.root), config_file.read_text()
    for name, words, said in NOT_VALID:
        with pytest.raises(MemcliError, match=said) as refusal:
            put(vault, name, *words)
        said_of_it = refusal.value.message.replace(str(config_file.parent), "")
        assert "memcli-" not in said_of_it.replace(vault.root, "")
        assert (snapshot(vault.root), config_file.read_text()) == (before, users)


NO_SETTINGS = [
    ("limits.bodi", "Did you mean 'limits.body'?"),
    ("limits", "What there is"),
    ("agents.policy", "What there is"),
    ("vaults.team.colour", "What there is"),
    ("", "What there is"),
    ("a..b", "What there is"),
]


def test_what_a_vault_says_of_its_user_is_listed_as_ignored(vault: Vault) -> None:
    path = Path(vault.root, ".memcli", "config.toml")
    path.write_text('[mining]\njudge = "sh -c evil"\n[memory]\nsession_cap = 3\n')
    scopes = {one.name: one.scope for one in config.listed(vault, os.environ)}
    assert scopes["mining.judge"] == "ignored"
    assert scopes["memory.session_cap"] == "vault"
    assert config.get(vault, "mining.judge", os.environ).value == ()


def test_an_unknown_setting_is_answered_with_the_nearest(vault: Vault) -> None:
    for name, hint in NO_SETTINGS:
        with pytest.raises(InvalidValue, match="there is no setting") as refusal:
            put(vault, name, "1")
        assert hint in (refusal.value.hint or "")


@pytest.mark.parametrize("text", ["limits = 3\n", "x" + ".y" * 99, "[limits"])
def test_what_only_a_person_can_change_stays(vault: Vault, text: str) -> None:
    file = Path(vault.root, layout.CONFIG)
    file.write_text(text)
    with pytest.raises(InvalidConfig):
        put(vault, "limits.body", "500")
    assert file.read_text() == text


def test_a_config_that_is_a_link_is_neither_read_nor_written(
    vault: Vault, tmp_path: Path
) -> None:
    other = tmp_path / "other.toml"
    other.write_text("[limits]\nbody = 3\n")
    file = Path(vault.root, layout.CONFIG)
    file.unlink()
    file.symlink_to(other)
    for act in (lambda: put(vault, "limits.body", "5"), lambda: value(vault, "x.y")):
        with pytest.raises(MemcliError):
            act()
    assert other.read_text() == "[limits]\nbody = 3\n"


def test_settings_of_the_vault_are_the_owner_s(vault: Vault) -> None:
    agent = vault.acting_as("ada")
    with pytest.raises(NotAllowed, match="for the owner"):
        put(agent, "agents.ada.policy", "shared")
    with pytest.raises(NotAllowed, match="for the owner"):
        config.listed(agent, os.environ)


def test_the_default_vault_is_a_setting(vault: Vault) -> None:
    put(vault, "default-vault", vault.root)
    assert value(vault, "default-vault") == vault.root
    put(vault, "default-vault")
    assert value(vault, "default-vault") is None


def test_the_settings_of_a_new_vault_need_no_toml(vault: Vault) -> None:
    text = Path(vault.root, layout.CONFIG).read_text()
    assert settings.says_nothing(text)
    assert settings._config(tomllib.loads(text)) == settings.Config()


_LINES = st.one_of(
    st.sampled_from([f"[{name}]" for name in settings._tables()]),
    st.sampled_from(["", " ", "[agents.a]", "[ vault ]", "kinds = ['a']", "body = 1"]),
    st.text(max_size=6).map("#{}".format),
)


@given(st.lists(_LINES, max_size=4), st.sampled_from(["\n", "\r\n"]))
def test_settings_that_are_not_parsed_say_nothing(lines: list[str], end: str) -> None:
    text = end.join(lines)
    if settings.says_nothing(text):
        assert settings._config(tomllib.loads(text)) == settings.Config()
    if any("=" in line and line[0] != "#" for line in lines):
        assert not settings.says_nothing(text)


def test_a_setting_of_the_user_holds_no_secret(vault: Vault, home: Path) -> None:
    key = fill("nvapi-~64h~")
    with pytest.raises(
        SecretFound, match=r"mining\.judge, line \d: looks like a secret"
    ):
        put(vault, "mining.judge", "judge", "--key", key)
    held = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert key.encode() not in b"".join(held)
