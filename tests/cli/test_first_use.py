"""What a person meets who has just installed memcli: each message has its next step."""

import shutil
from pathlib import Path

from memcli import Vault
from tests.cli.conftest import Run

READ = {"MEMCLI_VAULT": ""}


def test_a_question_comes_from_standard_input(memcli: Run, vault: Vault) -> None:
    text = "The checkout tests hang when REDIS_URL is unset"
    vault.save(text)
    log = b"FAILED tests/test_checkout.py\n  RuntimeError: REDIS_URL is unset\n" * 20
    for command, key in (("recall", "rows"), ("reflect", "facts")):
        found = memcli(command, "-", "--json", stdin=log).json["data"]
        assert [row["text"] for row in found[key]] == [text]
        assert found["query"] == log.decode()
    error = memcli("recall", "-", "--json", stdin=b"x " * 60_000).json["error"]
    assert error["code"] == "too_large"
    assert "tail -n 50 FILE | memcli recall -" in error["hint"]


def test_a_default_vault_that_is_gone_is_replaced_by_the_next_one(
    memcli: Run, home: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    memcli("init", str(first), environ=READ)
    assert memcli("init", str(second), environ=READ).out.splitlines()[1:] == [
        f"  your default is still {first}"
    ]
    shutil.rmtree(first)
    shutil.rmtree(second)
    assert memcli("init", str(second), environ=READ).out.splitlines()[1:] == [
        "  it is your default now"
    ]
    assert memcli("save", "We deploy on Tuesdays", environ=READ).code == 0


def test_a_page_of_instructions_comes_by_its_name_as_memories_to_evolve(
    memcli: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    for name, rule in (("CLAUDE.md", "Use tabs"), ("AGENTS.md", "Never force-push")):
        (folder / name).write_text(f"# Shop\n\n- {rule}\n- Be brief in {name}\n")
        plan = memcli("import", str(folder / name), "--dry-run").out
        assert plan.endswith("Nothing changed. Run without --dry-run to apply.\n")
        done = memcli("import", str(folder / name))
        head, *named = done.out.splitlines()
        assert head.startswith("imported 2,"), done
        titles = [line.split(maxsplit=1)[1] for line in named]
        assert titles == [f"Shop: {rule}", f"Shop: Be brief in {name}"]
    again = memcli("import", str(folder))
    assert f"to import its rules: memcli import {folder / 'CLAUDE.md'}" in again.err
    rows = memcli("list", "--json").json["data"]["rows"]
    assert len(rows) == 4
    changed = memcli("evolve", rows[-1]["id"], "Use spaces")
    assert changed.out.startswith("evolved ")
    note = tmp_path / "note.md"
    note.write_text("A note")
    refused = memcli("import", str(note), "--json").json["error"]
    assert refused["hint"].startswith("memcli save --file")
