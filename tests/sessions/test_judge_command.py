"""The user's own command judges a session that has ended, and can harm nothing."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries.entry import SUMMARY_TAG
from memcli.errors import InvalidConfig
from memcli.sessions import hook_log, markers, recovery
from memcli.sessions.judge import Judge, JudgeFailed, ask, configured
from tests.conftest import VaultMaker
from tests.sessions.test_judge import REDIS, ROWS
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


def end(vault: Vault, path: str) -> list[dict[str, object]]:
    """End a session; returns the lines of the log that tell of judges."""
    markers.begin(vault.root, "talk", "generic", path)
    (marker,) = markers.markers(vault.root)
    recovery.mine(vault, marker, path, close=True)
    return [one for one in hook_log.last(vault.root, 9) if one["event"] == "judge"]


def test_the_judge_reads_the_digest_in_an_empty_folder_with_hooks_off(
    vault: Vault, tmp_path: Path
) -> None:
    vault.environ = config(tmp_path, script(tmp_path, SAYS % json.dumps(REDIS)))
    (line,) = end(vault, talk(tmp_path, ROWS))
    assert (line["did"], line["saved"], line["refused"]) == ("asked", 1, 0)
    assert texts(vault) == {REDIS["text"]}
    asked, folder, listed, hooks = eval((tmp_path / "seen").read_text("utf-8"))
    assert "2: no, they need a local redis" in asked
    assert (listed, hooks, os.path.exists(folder)) == ([], "off", False)


REFUNDS = [
    ("user", "the refunds job pays twice, find out why please and mend it"),
    ("assistant", "Two workers took the same refund. I locked the row of the refund."),
    ("user", "good, the nightly report can wait until next week"),
    ("assistant", "Refunds are paid once now. The nightly report is still open."),
]
SUMMED = {
    "turns": [1, 2],
    "kind": "summary",
    "text": "Refunds are paid once: two workers took the same refund, so its row is "
    "locked now. Open: the nightly report.",
}


def test_what_was_done_yesterday_is_found_by_a_question(
    make_vault: VaultMaker, tmp_path: Path
) -> None:
    now = [1_700_000_000_000]
    vault = make_vault(now_ms=lambda: now[0])
    vault.environ = config(tmp_path, script(tmp_path, SAYS % json.dumps(SUMMED)))
    for text in ("The report is nightly", "We use tabs", "Two workers run in staging"):
        vault.save(vault.draft({"text": text, "kind": "note"}))
    end(vault, talk(tmp_path, REFUNDS))
    now[0] += 86_400_000
    row = vault.recall("what did we do about refunds").rows[0]
    assert (row.kind, row.text) == ("event", SUMMED["text"])
    assert row.tags == [SUMMARY_TAG]


@pytest.mark.parametrize("judge", [SAYS % json.dumps(REDIS), "print()"])
def test_a_session_is_judged_once_also_when_nothing_was_found(
    vault: Vault, tmp_path: Path, judge: str
) -> None:
    vault.environ = config(tmp_path, script(tmp_path, judge))
    end(vault, talk(tmp_path, ROWS))
    more = [*ROWS, ("user", "thanks")]
    assert len(end(vault, talk(tmp_path, more))) == 1


def test_a_session_is_judged_at_its_end_when_its_turns_were_mined_before(
    vault: Vault, tmp_path: Path
) -> None:
    vault.environ = config(tmp_path, script(tmp_path, SAYS % json.dumps(REDIS)))
    path = talk(tmp_path, ROWS)
    markers.begin(vault.root, "talk", "generic", path)
    (marker,) = markers.markers(vault.root)
    assert recovery.mine(vault, marker, path, close=False) is not None
    assert texts(vault) == set()
    assert recovery.mine(vault, marker, path, close=True) is None
    assert texts(vault) == {REDIS["text"]}


def test_the_calls_of_a_day_are_counted(vault: Vault, tmp_path: Path) -> None:
    words = script(tmp_path, SAYS % json.dumps(REDIS))
    vault.environ = config(tmp_path, words, judge_a_day=0)
    (line,) = end(vault, talk(tmp_path, ROWS))
    assert (line["did"], texts(vault)) == ("nothing: 0 calls in a day", set())


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
    vault.environ = config(tmp_path, script(tmp_path, text), judge_seconds=1)
    (line,) = end(vault, talk(tmp_path, rows))
    assert error in str(line["error"])
    assert texts(vault) == {"Always run the linter before committing."}


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="only Linux tells")
def test_what_a_judge_has_started_ends_with_it(tmp_path: Path) -> None:
    text = """
import subprocess, sys
child = subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL)
print(child.pid)
"""
    pid = int(ask(Judge(tuple(script(tmp_path, text))), "text", os.environ))
    until = time.monotonic() + 5
    while os.path.exists(f"/proc/{pid}/exe") and time.monotonic() < until:
        time.sleep(0.01)
    assert not os.path.exists(f"/proc/{pid}/exe")


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
    vault.environ = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "none")}
    assert end(vault, talk(tmp_path, ROWS)) == []
    assert not marker.exists()
    assert configured(vault.environ) is None
