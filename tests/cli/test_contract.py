"""The promises of docs/agents/output.md, kept on success and on failure."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memcli import Vault
from tests.cli.conftest import Run

KEYS = ["memcli", "command", "ok", "data", "warnings", "error"]


def test_every_command_speaks_the_envelope(memcli: Run, tmp_path: Path) -> None:
    lines = tmp_path / "in.jsonl"
    lines.write_text('{"text": "green pears"}\n')
    for words in (
        ["save", "red apples"],
        ["recall", "apples"],
        ["list", "--all"],
        ["inspect"],
        ["inspect", "lint"],
        ["import", str(lines)],
        ["import", str(lines), "--dry-run"],
        ["init", str(tmp_path / "other")],
    ):
        done = memcli(*words, "--json")
        assert (done.code, done.json["ok"], done.json["error"]) == (0, True, None), (
            words
        )
        assert list(done.json) == KEYS
        assert done.json["memcli"] == 1
        assert done.json["command"] == words[0]


def test_batch_for_eyes_names_each_question(memcli: Run) -> None:
    memcli("save", "red apples")
    questions = b'{"id": "a", "query": "apples"}\n\n{"query": "cars"}\n'
    done = memcli("recall", "--batch", "-", stdin=questions)
    first, second = done.out.split("question 2: cars\n")
    assert first.startswith("question a: apples\n\nred apples\n")
    assert second.strip() == ""
    assert "warning: question 2: cars: No entry contains 'cars'. Try" in done.err
    assert "question a: apples: " not in done.err


def test_batch_names_the_line_that_is_wrong(memcli: Run) -> None:
    done = memcli("recall", "--batch", "-", "--json", stdin=b'{"query": "x"}\n{"q": 1}')
    assert done.code == 1
    assert ":2: " in done.json["error"]["message"]


def test_broken_file_is_named_by_every_command(memcli: Run, vault: Vault) -> None:
    Path(vault.root, "memories", "bad.md").write_text("---\nid: [\n---\nx\n")
    for words in (
        ["recall", "x"],
        ["list", "--all"],
        ["inspect"],
        ["inspect", "lint"],
    ):
        done = memcli(*words)
        assert "memories/bad.md:" in done.out + done.err, words
    assert memcli("inspect").code == 1
    assert memcli("save", "y").code == 0


def test_text_from_stdin_file_and_argument_is_the_same(
    memcli: Run, tmp_path: Path
) -> None:
    path = tmp_path / "text.md"
    path.write_bytes(b"\xef\xbb\xbfred apples\r\n")
    first = memcli("save", "--file", str(path), "--json").json["data"]
    for words, stdin in (
        (["red apples"], b""),
        ([], b"red apples\n"),
        (["-"], b"red apples"),
    ):
        again = memcli("save", *words, "--json", stdin=stdin).json["data"]
        assert (again["outcome"], again["id"]) == ("duplicate", first["id"])


@pytest.mark.parametrize("stdin", [b"\xff\xfe\x00", b"text\x00more"])
def test_binary_input_is_refused(memcli: Run, stdin: bytes) -> None:
    done = memcli("save", "--json", stdin=stdin)
    assert done.code == 1
    assert done.json["error"]["code"] in ("unreadable", "not_text")


def test_fifty_megabytes_are_refused(memcli: Run) -> None:
    done = memcli("save", "--json", stdin=b"word " * 10_000_000)
    assert done.json["error"]["code"] == "too_large"


def test_empty_variable_counts_as_unset(memcli: Run) -> None:
    done = memcli("recall", "x", "--json", environ={"MEMCLI_VAULT": ""})
    assert done.json["error"]["code"] == "vault_not_found"
    assert "memcli init" in done.json["error"]["hint"]


def test_reader_that_stops_early_is_no_error(memcli: Run, vault: Vault) -> None:
    for number in range(30):
        vault.save(f"apples {number} " + "x" * 3000)
    done = subprocess.run(
        f'"{sys.executable}" -m memcli recall apples --limit 30 | head -c 10',
        shell=True,
        capture_output=True,
        env={**os.environ, "MEMCLI_VAULT": vault.root},
        check=False,
    )
    assert done.stderr == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full (Linux)")
def test_full_disk_behind_the_output_is_said(vault: Vault) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "memcli", "inspect", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "MEMCLI_VAULT": vault.root},
            check=False,
        )
    assert done.returncode == 1
    assert b"bug" not in done.stderr


def test_output_is_utf8_in_every_locale(memcli: Run) -> None:
    memcli("save", "καφές 咖啡 ☕")
    environ = {"LC_ALL": "C"}
    for words in (["recall", "咖啡"], ["recall", "咖啡", "--json"]):
        assert "καφές 咖啡 ☕" in memcli(*words, environ=environ).out


def test_closed_streams_are_no_crash(vault: Vault) -> None:
    vault.save("red apples")
    command = f'"{sys.executable}" -m memcli recall apples'
    for closed in (">&-", "2>&-", "<&-", "<&- >&- 2>&-"):
        done = subprocess.run(
            f"{command} {closed}",
            shell=True,
            capture_output=True,
            env={**os.environ, "MEMCLI_VAULT": vault.root},
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b""), closed


def test_a_bug_in_ranking_is_told_by_name_with_exit_code_70(
    vault: Vault, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from memcli.cli.commands import parse
    from memcli.cli.run import run
    from memcli.search.ranking import rank

    vault.save("We deploy on Mondays")
    words: dict[str, int] = {}
    monkeypatch.setattr(rank, "rank", lambda *_, **__: words["no such word"])
    monkeypatch.setenv("MEMCLI_VAULT", vault.root)
    values = parse("recall", ["deploy"])
    assert values is not None
    assert run("recall", values) == 70
    assert "KeyError" in capsys.readouterr().err


def test_a_file_that_an_export_cannot_read_is_named_counted_and_no_success(
    memcli: Run, vault: Vault
) -> None:
    memcli("save", "We deploy on Tuesdays")
    broken = Path(vault.root, "memories", "broken.md")
    broken.write_text("---\nid: [x\n---\nlost\n", encoding="utf-8")
    done = memcli("export", "--out", "lines.jsonl")
    assert done.code == 1
    assert "memories/broken.md:3 was left out: broken YAML" in done.err
    assert "1 file left out of the export" in done.err
