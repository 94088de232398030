"""What every test runs under: nothing of the machine's own settings.

Invariant: no test reads or writes the home folder, configuration or git identity
of whoever runs it, and none inherits the variables of a git hook that runs the suite.
"""

import hashlib
import itertools
import os
import random
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import pytest
from hypothesis import HealthCheck, settings

# No deadline: on a shared machine an example that takes long says nothing.
settings.register_profile(
    "dev", max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("all", settings.get_profile("dev"), max_examples=200)
settings.load_profile("all" if os.environ.get("MEMCLI_TESTS") == "all" else "dev")

if TYPE_CHECKING:
    from memcli.api import Vault
    from tests.clones import Clones

ROOT = Path(__file__).resolve().parent.parent
"""The checkout."""

EVERYTHING = os.environ.get("MEMCLI_TESTS") == "all"
"""Whether tests with many cases try all of them, as `make test-all` does."""


# The processes of xdist have it from the one that starts them.
SEED = os.environ.setdefault("MEMCLI_SEED", str(random.randrange(1_000_000)))
_Case = TypeVar("_Case")


def sample(cases: Iterable[_Case], size: int) -> list[_Case]:
    """All of these cases in `make test-all`, else `size` of them, others in each run.

    The last line of a run but one says with which `MEMCLI_SEED` it can be repeated.
    """
    every = list(cases)
    if EVERYTHING or len(every) <= size:
        return every
    # The same for each test, whichever others run before it.
    name = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]
    return random.Random(f"{SEED} {name}").sample(every, size)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not EVERYTHING:
        terminalreporter.write_line(
            f"a sample of the kills: MEMCLI_SEED={SEED} (make test-all tries every one)"
        )


_homes = itertools.count()


def state_of(root: str | Path, name: str) -> Path:
    """The place of one of memcli's own files about a vault (`layout` has the names)."""
    from memcli.storage import state_dirs

    return Path(state_dirs.path(str(root), name))


def isolated_environment(home: Path) -> dict[str, str]:
    """Environment of a new user whose home is the existing, empty folder `home`.

    The `memcli` of the interpreter that runs the tests is first on its PATH.
    """
    dropped = ("GIT_", "MEMCLI_", "XDG_")
    names = (
        "PYTHONDONTWRITEBYTECODE",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR",
        "EDITOR",
        "VISUAL",
        "PAGER",
        "CI",
    )
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(dropped) and name not in names
    }
    gitconfig = home / ".gitconfig"
    gitconfig.write_text(
        "[user]\n\tname = Test User\n\temail = test@example.com\n", encoding="utf-8"
    )
    folders = {
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_DATA_HOME": home / ".local" / "share",
        "XDG_STATE_HOME": home / ".local" / "state",
        "XDG_RUNTIME_DIR": home / ".run",
        "USERPROFILE": home,
        "APPDATA": home / "AppData" / "Roaming",
        "LOCALAPPDATA": home / "AppData" / "Local",
    }
    scripts = sysconfig.get_path("scripts")
    path = kept.get("PATH", os.defpath).removeprefix(scripts + os.pathsep)
    return {
        **kept,
        **{name: str(folder) for name, folder in folders.items()},
        "HOME": str(home),
        "PATH": os.pathsep.join([scripts, path]),
        "GIT_CONFIG_GLOBAL": str(gitconfig),
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        # Tests that start memcli see the same bytes on every machine.
        "COLUMNS": "80",
        "TERM": "dumb",
    }


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home folder of this test alone, empty but for a git identity."""
    folder = tmp_path_factory.getbasetemp() / f"home-{next(_homes)}"
    folder.mkdir()
    environment = isolated_environment(folder)
    # Not the test's own `monkeypatch`: one that undoes its patches would go on with
    # the home of the person who runs the tests.
    with pytest.MonkeyPatch.context() as patch:
        for name in set(os.environ) - set(environment):
            patch.delenv(name)
        for name, value in environment.items():
            if os.environ.get(name) != value:
                patch.setenv(name, value)
        # The checkout would be the project of all that a test saves.
        patch.chdir(folder)
        yield folder
    # Each new folder of pytest's looks through all that are there.
    shutil.rmtree(folder, ignore_errors=True)


# The present of every vault in the tests: 2026-11-21T12:00:00Z.
NOW = 1_795_262_400


@pytest.fixture(scope="session")
def ready_vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault as `memcli init` makes it, to be copied: git needs longer than a copy."""
    from memcli.vault.create import prepare

    folder = tmp_path_factory.mktemp("ready")
    root = folder / "vault"
    prepare(str(root), environ=isolated_environment(folder))
    shutil.rmtree(root / ".git" / "hooks")
    # One pack instead of a dozen objects: thousands of tests copy them.
    subprocess.run(["git", "-C", str(root), "gc", "--quiet"], check=True)
    return root


class VaultMaker(Protocol):
    """Makes a fresh vault below the test's own folder and opens it."""

    def __call__(self, name: str = "vault", **options: Any) -> "Vault": ...


@pytest.fixture
def make_vault(ready_vault: Path, tmp_path: Path) -> VaultMaker:
    """Make vaults whose clock stands still at `NOW`; with `now_ms=None` it goes."""

    def make(name: str = "vault", **options: Any) -> "Vault":
        from memcli import Vault
        from memcli.vault.caller import OWNER

        clock = options.pop("now_ms", lambda: NOW * 1000) or OWNER.now_ms
        root = tmp_path / name
        if not root.exists():
            shutil.copytree(ready_vault, root, copy_function=shutil.copyfile)
        return Vault.open(str(root), now_ms=clock, **options)

    return make


@pytest.fixture
def vault(make_vault: VaultMaker) -> "Vault":
    """A fresh vault, opened, whose clock stands still at `NOW`."""
    return make_vault()


@pytest.fixture
def clock() -> list[int]:
    """The present, in seconds; a test moves it, and `moving` with it."""
    return [NOW]


@pytest.fixture
def moving(make_vault: VaultMaker, clock: list[int]) -> "Vault":
    """A fresh vault whose clock the test moves."""
    return make_vault(now_ms=lambda: clock[0] * 1000)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project under git that entries speak of."""
    from tests.checkouts import made_shop

    return made_shop(tmp_path / "shop")


@pytest.fixture
def inside(make_vault: VaultMaker, shop: Path) -> "Vault":
    """A fresh vault, asked from the shop."""
    return make_vault(cwd=str(shop))


@pytest.fixture
def two(ready_vault: Path, tmp_path: Path) -> "Clones":
    """Two clones of a vault around a bare remote."""
    from tests import clones

    return clones.make(ready_vault, tmp_path, "laptop", "desk")


@pytest.fixture
def snapshot() -> Callable[[str], dict[str, str]]:
    """Everything of a vault that must not change when a command fails.

    Path -> hash of its bytes, without what is derived or a lock; and what git has
    as HEAD, staged, changed and untracked.
    """

    from tests.git_command import git

    def take(root: str) -> dict[str, str]:
        found = {}
        for folder, names, files in os.walk(root):
            if os.path.relpath(folder, root) == ".":
                names.remove(".git")
            if os.path.basename(folder) == ".memcli":
                names[:] = [n for n in names if n not in ("index", "run")]
            for name in files:
                path = Path(folder, name)
                data = path.read_bytes() if path.is_file() else b"(no file)"
                found[str(path.relative_to(root))] = hashlib.sha256(data).hexdigest()
        for question in ("rev-parse HEAD", "diff --cached", "status --porcelain -uall"):
            found[question] = git(root, *question.split())
        return found

    return take


@pytest.fixture
def reopen() -> "Callable[[Vault], Vault]":
    """The same vault as another process would open it at the same moment."""
    from memcli import Vault

    return lambda vault: Vault.open(vault.root, now_ms=vault.now_ms)
