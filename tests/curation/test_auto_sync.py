"""Where the user's config says so, memcli syncs by itself: detached, and in turn."""

import json
from pathlib import Path

import pytest

from memcli.curation import sync_setup as use_case
from memcli.entries import layout
from memcli.errors import InvalidConfig
from memcli.sessions.hooks import call as hook
from memcli.storage import detached, state_dirs, user_config
from memcli.storage.lock import Lock
from tests.clones import Clones, say, texts
from tests.conftest import VaultMaker
from tests.git_command import git
from tests.saving import configure, write


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The command lines that would have been started."""
    words: list[tuple[str, ...]] = []
    monkeypatch.setattr(detached, "start", lambda line, _=None: words.append(line))
    return words


@pytest.mark.parametrize(
    ("auto", "count"), [("off", 0), ("sessions", 0), ("writes", 1)]
)
def test_a_write_starts_a_sync_where_the_config_says_writes(
    two: Clones, home: Path, started: list[tuple[str, ...]], auto: str, count: int
) -> None:
    configure(home, f'[sync]\nauto = "{auto}"\n')
    say(two.vault("laptop"), "We deploy on Tuesdays")
    root = str(two.roots["laptop"])
    assert started == [("sync", "--auto", "--vault", root)] * count


def test_a_vault_without_a_remote_starts_nothing(
    make_vault: VaultMaker, home: Path, started: list[tuple[str, ...]]
) -> None:
    configure(home, '[sync]\nauto = "writes"\n')
    say(make_vault(), "We deploy on Tuesdays")
    assert started == []


def test_the_config_of_a_vault_turns_nothing_on(
    two: Clones, started: list[tuple[str, ...]]
) -> None:
    with (two.roots["laptop"] / layout.CONFIG).open("a") as file:
        file.write('\n[sync]\nauto = "writes"\n')
    say(two.vault("laptop"), "We deploy on Tuesdays")
    assert started == []


@pytest.mark.parametrize("auto", ["off", "sessions", "writes"])
def test_a_session_that_begins_starts_a_sync_of_all_vaults(
    two: Clones,
    home: Path,
    started: list[tuple[str, ...]],
    auto: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    configure(home, f'[sync]\nauto = "{auto}"\n')
    monkeypatch.setenv("MEMCLI_VAULT", str(two.roots["laptop"]))
    made = hook.Call(["session-start", "--host", "claude-code"])
    hook.answer(made, lambda: {"session_id": "s", "source": "startup"})
    assert "error" not in made.line
    wanted = [] if auto == "off" else [("sync", "--auto", "--all")]
    assert [words for words in started if words[0] == "sync"] == wanted


def test_a_row_of_writes_is_one_sync_that_takes_all_of_them(two: Clones) -> None:
    vault = two.vault("laptop")
    say(vault, "first")
    path = state_dirs.path(vault.root, layout.SYNC_LOCK)
    with Lock(path + ".waiting", 0):
        assert use_case.run_by_itself(vault).outcome == "waiting"
    done = use_case.run_by_itself(
        vault, sleep=lambda _: (say(two.vault("laptop"), "second"), None)[1]
    )
    assert done.outcome == "synced"
    two.sync("desk")
    assert texts(two.roots["desk"]) == {"first", "second"}


def test_a_sync_by_itself_notes_its_failure_and_starts_no_other(
    two: Clones, home: Path, started: list[tuple[str, ...]]
) -> None:
    configure(home, '[sync]\nauto = "writes"\n')
    write(two.roots["laptop"], "memories/note/hand.md")
    git(two.roots["laptop"], "remote", "set-url", "origin", "/nowhere/x.git")
    done = use_case.run_by_itself(two.vault("laptop"), sleep=lambda _: None)
    assert done.outcome == "remote_unreachable"
    assert started == []
    assert json.dumps(done._asdict())


def test_a_sync_by_itself_passes_no_mass_deletion_on(two: Clones) -> None:
    for number in range(11):
        say(two.vault("laptop"), f"Fact number {number} about the deploy")
    two.sync("laptop")
    for note in (two.roots["laptop"] / "memories").rglob("*.md"):
        note.unlink()
    done = use_case.run_by_itself(two.vault("laptop"), sleep=lambda _: None)
    assert (done.outcome, "11 files" in done.line) == ("many_deleted", True)
    two.sync("desk")
    assert len(texts(two.roots["desk"])) == 11
    assert len(two.sync("laptop").forgotten) == 11


def test_a_setting_that_is_not_known_is_an_error(
    home: Path, started: list[tuple[str, ...]]
) -> None:
    environ = {"XDG_CONFIG_HOME": str(home / ".config")}
    for text in ('auto = "always"', "auto = 3", "often = true"):
        configure(home, f"[sync]\n{text}\n")
        with pytest.raises(InvalidConfig, match="sync"):
            user_config.auto_sync(environ)
        detached.at_session(environ)
    assert started == []
