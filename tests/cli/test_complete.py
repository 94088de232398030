"""What a shell offers: the words that may stand there, and nothing it would run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memcli import Vault
from memcli.cli import complete
from tests import processes
from tests.cli.conftest import Run
from tests.saving import write

HOSTILE = "evil $(touch pwned) `touch pwned` \"; touch pwned; ' \x1b[31m\n\ttab"


@pytest.fixture
def filled(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    for text, kind, tags in (
        ("We deploy on Tuesdays", "convention", ["deploy"]),
        ("Redis hangs", "fix", ["area:ci", "deploy"]),
    ):
        draft = {"text": text, "kind": kind, "tags": tags, "project": "shop"}
        vault.save(vault.draft(draft))
    vault.read(lambda reader: reader.size)
    monkeypatch.setenv("MEMCLI_VAULT", vault.root)
    return vault


def offered(*words: str) -> list[str]:
    return [value for value, _ in complete.offers(words, os.environ)]


PLACES = [
    ("sho", ["show"]),
    ("sear", ["search"]),
    ("--va", ["--vault"]),
    ("recall x --kin", ["--kind"]),
    ("recall x --kind conv", ["convention"]),
    ("search x -k conv", ["convention"]),
    ("list --tag ", ["area:ci", "deploy"]),
    ("list --project s", ["shop"]),
    ("list --by ", ["kind", "tag", "project"]),
    ("install clau", ["claude-code"]),
    ("inspect mod", ["models"]),
    ("entities reg", ["register"]),
    ("completion z", ["zsh"]),
    ("recall some words ", []),
    ("save --title x", []),
    ("nosuch ", []),
    ("recall --nosuch ", []),
]


def test_each_place_has_its_words(filled: Vault) -> None:
    for line, wanted in PLACES:
        assert offered(*line.split(" ")) == wanted, line


def test_ids_are_offered_with_titles(filled: Vault) -> None:
    first = filled.recall("Tuesdays").rows[0].id
    titles = dict(complete.offers(["show", ""], os.environ))
    assert titles[first] == "We deploy on Tuesdays"
    assert offered("show", first[:10]) == [o for o in titles if o[:10] == first[:10]]
    assert offered("-v", filled.root, "pin", first) == [first]


def test_an_offer_of_an_id_fits_80_columns_with_its_state(filled: Vault) -> None:
    long = filled.save("word " * 40).id
    filled.evolve(long, "another text")
    filled.read(lambda reader: reader.size)
    about = dict(complete.offers(["show", ""], os.environ))[long]
    assert about.endswith("word (superseded)")
    assert len(f"{long}  -- {about}") <= 80


def test_only_candidates_are_offered_to_review(filled: Vault) -> None:
    waits = filled.save(filled.draft({"text": "A guess", "status": "pending"})).id
    filled.read(lambda reader: reader.size)
    assert offered("review", "") == [waits]


def test_an_agent_is_offered_what_it_may_see(
    filled: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert offered("--agent", "eve", "show", "") == []
    monkeypatch.setenv("MEMCLI_AGENT", "eve")
    assert offered("show", "") == []
    assert offered("list", "--tag", "") == []


def test_nothing_is_said_when_anything_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vault").mkdir()
    for named in (tmp_path / "vault", tmp_path / "nowhere"):
        environ = {**os.environ, "MEMCLI_VAULT": str(named)}
        done = processes.run("__complete", "zsh", "show", "", environ=environ)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    done = processes.run("__complete")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_hostile_vault_offers_words_only_and_titles_in_one_plain_line(
    filled: Vault, capsys: pytest.CaptureFixture[str]
) -> None:
    filled.save(HOSTILE, title=HOSTILE.replace("\x1b", ""))
    name = "$(touch pwned)"
    write(filled, "x.md", f"---\ntags: ['{name}', fine]\nproject: '{name}'\n---\nx\n")
    filled.read(lambda reader: reader.size)
    for words in (["show", ""], ["list", "--tag", ""], ["list", "--project", ""]):
        complete.main(["zsh", *words])
        sys.stdout.flush()
        lines = capsys.readouterr().out.splitlines()
        assert lines, words
        for line in lines:
            value, tab, about = line.partition("\t")
            assert complete._WORD.fullmatch(value), value
            assert tab
            assert about.isprintable()


BASH = (
    "COMP_LINE='memcli {0}'; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=({1}); "
    "COMP_CWORD=0; COMP_TYPE=9; _memcli_completion; "
    "printf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_takes_the_script_and_runs_nothing_of_a_title(
    filled: Vault, memcli: Run, tmp_path: Path, shell: str
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"LOUD: {shell} is not on this machine, so its script is not tried")
    filled.save(HOSTILE)
    filled.read(lambda reader: reader.size)
    tries = {
        "bash": BASH.format("show ", "''") + BASH.format("list --tag area:", ":"),
        "zsh": "compadd() { print -rl -- $shown }; words=(memcli show ''); CURRENT=3; "
        "_memcli",
        "fish": "complete --do-complete 'memcli show '",
    }
    script = memcli("completion", shell).out
    if shell == "zsh":
        script = "compdef() { : }\n" + script
    path = processes.path_with_memcli(tmp_path / "bin")
    done = subprocess.run(
        [
            shell,
            *(["-f"] if shell == "zsh" else []),
            "-c",
            f"{script}\n{tries[shell]}",
        ],
        env={**os.environ, "PATH": path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "We deploy on Tuesdays" in done.stdout, done.stderr
    assert "touch pwned" in done.stdout
    assert shell != "bash" or done.stdout.endswith("\nci\n")
    assert not (tmp_path / "pwned").exists()
