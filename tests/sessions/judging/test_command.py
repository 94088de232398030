"""The user's own command judges a session that has ended, and can harm nothing."""

import json
import os
import sys
from pathlib import Path

import pytest

from memcli import Vault
from memcli.errors import InvalidConfig
from memcli.sessions import hook_log, hook_report, markers, recovery
from memcli.sessions.judging import command
from memcli.sessions.judging.command import Judge, JudgeFailed, ask, configured
from tests.sessions.judging.test_bring import REDIS, ROWS
from tests.sessions.test_reflect_session import talk, texts

SAYS = """
import os, sys
asked = sys.stdin.read()
open(os.environ["SEEN"], "w").write(repr((asked, os.getcwd(), os.listdir("."),
    os.environ.get("MEMCLI_HOOKS"))))
print('%s')
"""


def script(folder: Path, text: str) -> list[str]:
    path = folder / "judge.py"
    path.write_text(text, encoding="utf-8")
    return [sys.executable, str(path)]


def config(folder: Path, words: list[str], **more: int) -> dict[str, str]:
    home = folder / "config" / "memcli"
    home.mkdir(parents=True, exist_ok=True)
    rows = [f"judge = {json.dumps(words)}", *(f"{k} = {v}" for k, v in more.items())]
    text = "\n".join(["[mining]", *rows]) + "\n"
    (home / "config.toml").write_text(text, encoding="utf-8")
    seen = str(folder / "seen")
    return {**os.environ, "XDG_CONFIG_HOME": str(folder / "config"), "SEEN": seen}


def end(vault: Vault, path: str, environ: dict[str, str]) -> list[dict[str, object]]:
    """End a session; returns the lines of the log that tell of judges."""
    markers.begin(vault.root, "talk", "generic", path)
    (marker,) = markers.markers(vault.root)
    recovery.mine(vault, marker, path, environ, close=True)
    return [one for one in hook_log.last(vault.root, 9) if one["event"] == "judge"]


def test_the_judge_reads_the_digest_in_an_empty_folder_with_hooks_off(
    vault: Vault, tmp_path: Path
) -> None:
    environ = config(tmp_path, script(tmp_path, SAYS % json.dumps(REDIS)))
    (line,) = end(vault, talk(tmp_path, ROWS), environ)
    assert (line["did"], line["saved"], line["refused"]) == ("asked", 1, 0)
    assert texts(vault) == {REDIS["text"]}
    asked, folder, listed, hooks = eval((tmp_path / "seen").read_text("utf-8"))
    assert "2: no, they need a local redis" in asked
    assert (listed, hooks, os.path.exists(folder)) == ([], "off", False)
    judge = hook_report.activity(vault, 9).judge
    assert judge == (1, 0, len(asked), len(json.dumps(REDIS)) + 1)


def test_a_session_is_judged_once(vault: Vault, tmp_path: Path) -> None:
    environ = config(tmp_path, script(tmp_path, SAYS % json.dumps(REDIS)))
    end(vault, talk(tmp_path, ROWS), environ)
    more = [*ROWS, ("user", "thanks")]
    assert len(end(vault, talk(tmp_path, more), environ)) == 1


def test_a_session_is_judged_at_its_end_when_its_turns_were_mined_before(
    vault: Vault, tmp_path: Path
) -> None:
    environ = config(tmp_path, script(tmp_path, SAYS % json.dumps(REDIS)))
    path = talk(tmp_path, ROWS)
    markers.begin(vault.root, "talk", "generic", path)
    (marker,) = markers.markers(vault.root)
    assert recovery.mine(vault, marker, path, environ, close=False) is not None
    assert texts(vault) == set()
    assert recovery.mine(vault, marker, path, environ, close=True) is None
    assert texts(vault) == {REDIS["text"]}


def test_a_judge_that_found_nothing_is_not_asked_again(
    vault: Vault, tmp_path: Path
) -> None:
    environ = config(tmp_path, script(tmp_path, "print()"))
    end(vault, talk(tmp_path, ROWS), environ)
    more = [*ROWS, ("user", "thanks")]
    assert len(end(vault, talk(tmp_path, more), environ)) == 1


def test_the_calls_of_a_day_are_counted(vault: Vault, tmp_path: Path) -> None:
    words = script(tmp_path, SAYS % json.dumps(REDIS))
    (line,) = end(vault, talk(tmp_path, ROWS), config(tmp_path, words, judge_a_day=0))
    assert line["did"] == "nothing: 0 calls in a day"
    assert texts(vault) == set()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("raise SystemExit(3)", "exit code 3"),
        ("while True: print('x' * 10_000)", "writes more than an answer holds"),
        ("import time; time.sleep(60)", "took longer than 1 seconds"),
    ],
)
def test_a_judge_that_fails_leaves_what_the_rules_found(
    vault: Vault, tmp_path: Path, text: str, error: str
) -> None:
    rows = [*ROWS, ("user", "Always run the linter before committing.")]
    environ = config(tmp_path, script(tmp_path, text), judge_seconds=1)
    (line,) = end(vault, talk(tmp_path, rows), environ)
    assert error in str(line["error"])
    assert texts(vault) == {"Always run the linter before committing."}


def test_a_judge_that_is_not_there_is_an_error_that_names_it() -> None:
    with pytest.raises(JudgeFailed, match="no-such-judge cannot be started"):
        ask(Judge(("no-such-judge",)), "text", os.environ)


@pytest.mark.parametrize(
    "rows", ['judge = "claude -p"', "judge = [7]", 'judge = ["x"]\njudge_seconds = 0']
)
def test_a_config_that_cannot_be_understood_is_named(tmp_path: Path, rows: str) -> None:
    environ = config(tmp_path, ["x"])
    path = tmp_path / "config" / "memcli" / "config.toml"
    path.write_text(f"[mining]\n{rows}\n", encoding="utf-8")
    with pytest.raises(InvalidConfig, match=r"config\.toml"):
        configured(environ)


def test_no_vault_can_name_a_judge(vault: Vault, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    text = f'[mining]\njudge = ["touch", "{marker}"]\n'
    Path(vault.root, ".memcli", "config.toml").write_text(text, encoding="utf-8")
    environ = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "none")}
    assert end(vault, talk(tmp_path, ROWS), environ) == []
    assert not marker.exists()
    assert command.configured(environ) is None
