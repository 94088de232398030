"""A setting of the user's config is changed, and no other byte."""

import os
import tomllib
from pathlib import Path

import pytest

from memcli.entries.toml_text import with_values
from memcli.errors import InvalidConfig
from memcli.storage import state_dirs
from memcli.storage.user_config import table

WORDS = ["codex", "exec", 'a "b"', "-"]


def edited(text: str, words: list[str] | None = WORDS) -> str:
    return with_values(text, "config.toml", {"mining.judge": words})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# mine\n",
        '[vaults.team]\npath = "/x"\n',
        '# a\n[vaults.team]\npath = "/x"  # b\n\n[projects]\n"~/x" = "x"\n',
        "[mining]\njudge_seconds = 60 # patience\n",
        "[mining]\njudge_a_day = 3\n\n[vaults.team]\npath = '/x'\n",
    ],
)
def test_a_setting_is_put_in_and_taken_out_again(text: str) -> None:
    full = edited(text)
    assert tomllib.loads(full)["mining"]["judge"] == WORDS
    assert all(line in full for line in text.splitlines())
    assert edited(full) == full
    assert edited(full, None) == text


@pytest.mark.parametrize(
    "old",
    [
        'judge = ["x"]',
        "judge = [\n  'x', # one\n  'y',\n]",
        "judge = [\n  'a]',\n  'b',\n]",
        "judge = 'x'",
    ],
)
def test_a_setting_that_is_there_is_replaced(old: str) -> None:
    text = f"[mining]\njudge_a_day = 3\n{old}\njudge_seconds = 9\n\n[vaults]\n"
    wanted = text.replace(old, 'judge = ["z"]')
    assert edited(text, ["z"]) == wanted
    assert edited(text, None) == text.replace(f"{old}\n", "")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("mining.judge = ['x']\n", 'mining.judge = ["z"]\n'),
        ("mining = {judge = ['x']}\n", 'mining = {judge = ["z"]}\n'),
        ("[mining]\n 'judge'=['x']  # why\n", "[mining]\n 'judge'=[\"z\"]  # why\n"),
    ],
)
def test_however_a_setting_is_written_its_value_is_replaced(
    text: str, wanted: str
) -> None:
    assert edited(text, ["z"]) == wanted


@pytest.mark.parametrize("text", ["mining = 3\n", "[[mining]]\n", "[mining\n"])
def test_what_only_a_person_can_change_is_refused(text: str) -> None:
    with pytest.raises(InvalidConfig, match=r"config\.toml"):
        edited(text)


def test_a_pipe_in_the_place_of_a_config_is_refused_at_once(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    (tmp_path / "memcli").mkdir()
    for path in (
        state_dirs.path_of(environ),
        state_dirs.default_vault_file(environ),
    ):
        os.mkfifo(path)
    assert state_dirs.default_vault(environ) is None
    with pytest.raises(InvalidConfig, match="is not a file"):
        table("vaults", environ)
