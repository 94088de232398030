"""Whatever is wrong with a team's vault, the own vault answers in time and names it."""

import errno
import fcntl
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memcli import Vault, Vaults
from memcli.entries import layout
from memcli.search.index import Index
from memcli.search.reader import Reader
from memcli.storage import known_vaults, settings
from tests.conftest import VaultMaker, state_of
from tests.saving import configure

Trouble = Callable[[Path], object]
MENDED: list[Callable[[], object]] = []


@pytest.fixture
def own(make_vault: VaultMaker, home: Path) -> Iterator[Vault]:
    vault, team = make_vault("own"), make_vault("team")
    vault.save("We deploy on Mondays")
    team.save("The team says that we deploy on Tuesdays")
    known_vaults.set_default_vault(vault.root, os.environ)
    configure(home, f"[vaults.team]\npath = '{team.root}'\nrole = 'ro'\n")
    yield vault
    while MENDED:
        MENDED.pop()()


def config(text: str) -> Trouble:
    return lambda root: (root / ".memcli" / "config.toml").write_text(text)


def instead(name: str, make: Callable[[Path], object]) -> Trouble:
    def put(root: Path) -> None:
        path = root / name
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        make(path)

    return put


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(3_000_000_000)


def circle(path: Path) -> None:
    path.symlink_to(path.name)


def held(path: Path) -> None:
    """A lock that a process holds for ever."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("w")
    fcntl.flock(file, fcntl.LOCK_EX)
    MENDED.append(file.close)


def indexing(root: Path) -> None:
    shutil.rmtree(state_of(root, layout.INDEX), ignore_errors=True)
    held(state_of(root, layout.INDEX_LOCK))


def nested(folder: Path, name: str) -> None:
    """1,200 folders, one in the other."""
    folder.mkdir()
    before = Path.cwd()
    os.chdir(folder)
    for _ in range(1_200):
        os.mkdir(name)
        os.chdir(name)
    Path("deep.md").write_text("We deploy deep down")
    os.chdir(before)
    MENDED.append(lambda: subprocess.run(["rm", "-rf", str(folder)], check=True))


CONFIG = ".memcli/config.toml"
# The vault cannot be asked, and says why.
REFUSED: dict[str, tuple[Trouble, str]] = {
    "gone": (lambda root: shutil.rmtree(root), "there is no vault"),
    "a file": (instead(".", lambda path: None), "there is no vault"),
    "config: pipe": (instead(CONFIG, os.mkfifo), "is not a file"),
    "config: folder": (instead(CONFIG, Path.mkdir), "is a folder"),
    "config: device": (
        instead(CONFIG, lambda path: path.symlink_to("/dev/zero")),
        "symbolic link",
    ),
    "config: huge": (instead(CONFIG, sparse), "above the limit"),
    "config: brackets": (config("a = " + "[" * 50_000), "nested too deep"),
    "config: digits": (config("a = " + "9" * 5_000), "4300 digits"),
    "config: for ever": (config("[limits]\nlock_wait = 1e300\n"), "to 3,600"),
    "settings: link": (instead(".memcli", circle), "symbolic link"),
    "index: held": (indexing, "is locked"),
}
# It can be asked all the same.
BORNE: dict[str, Trouble] = {
    "note: pipe": lambda root: os.mkfifo(root / "memories" / "a.md"),
    "note: thousands broken": lambda root: [
        (root / "memories" / f"{n}.md").write_bytes(b"\xff\xfe") for n in range(2_000)
    ],
    "circle": lambda root: circle(root / "here"),
    "nested": lambda root: nested(root / "memories" / "nested", "n"),
    "nested too long": lambda root: nested(root / "memories" / "nested", "n" * 9),
    "git: pipe": instead(".git", os.mkfifo),
    "git: HEAD": instead(".git/HEAD", os.mkfifo),
    "git: its own link": instead(".git", lambda path: path.write_text("gitdir: .git")),
    "write: held": lambda root: held(root / ".git" / "memcli" / "lock"),
    "entities: pipe": instead("entities", os.mkfifo),
}


def asked(own: Vault) -> tuple[set[str], list[str]]:
    """The sources of the rows of every answer, and the warnings."""
    vaults = Vaults.open(now_ms=own.now_ms)
    recalled = vaults.recall("when do we deploy?")
    reflected = vaults.reflect("when do we deploy?")
    sources = {row.source for row in recalled.rows}
    assert {fact.source for fact in reflected.facts} == sources
    return sources, recalled.warnings


@pytest.mark.parametrize("name", REFUSED)
def test_a_vault_that_cannot_be_asked_is_one_warning(own: Vault, name: str) -> None:
    trouble, why = REFUSED[name]
    trouble(Path(own.root).with_name("team"))
    began = time.monotonic()
    sources, warnings = asked(own)
    assert time.monotonic() - began < 5
    assert sources == {"personal"}
    (warning,) = warnings
    assert warning.startswith("team:team was not asked: ")
    assert why in warning


@pytest.mark.parametrize("name", BORNE)
def test_a_vault_with_something_strange_in_it_is_asked(own: Vault, name: str) -> None:
    BORNE[name](Path(own.root).with_name("team"))
    began = time.monotonic()
    sources, warnings = asked(own)
    assert time.monotonic() - began < 5
    assert sources == {"personal", "team:team"}
    assert len(warnings) <= 11


@pytest.mark.parametrize("dots", [0, 49])
def test_a_long_config_is_read_in_time(tmp_path: Path, dots: int) -> None:
    (tmp_path / ".memcli").mkdir()
    line = "a" + ".a" * dots
    rows = "".join(f"{line}{n} = 1\n" for n in range(90_000 // (len(line) + 10)))
    config(rows)(tmp_path)
    began = time.process_time()
    settings.load(str(tmp_path))
    assert time.process_time() - began < 3


def test_a_disk_that_fails_takes_one_vault_away(
    own: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    current = Index.current

    def failing(index: Index) -> Reader:
        if index.root.endswith("team"):
            raise OSError(errno.EIO, "Input/output error")
        return current(index)

    monkeypatch.setattr(Index, "current", failing)
    sources, warnings = asked(own)
    assert sources == {"personal"}
    (warning,) = warnings
    assert warning.endswith("team: input/output error")
