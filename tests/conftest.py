"""What every test runs under: nothing of the machine's own settings.

Invariant: no test reads or writes the home folder, configuration or git identity
of whoever runs it, and none inherits the variables of a git hook that runs the suite.
"""

import itertools
import os
import sysconfig
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No deadline: on a shared machine an example that takes long says nothing.
settings.register_profile(
    "dev",
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "ci", settings.get_profile("dev"), max_examples=200, derandomize=True, database=None
)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

_homes = itertools.count()


def isolated_environment(home: Path) -> dict[str, str]:
    """Environment of a new user whose home is the existing, empty folder `home`.

    The `memcli` of the interpreter that runs the tests is first on its PATH.
    """
    dropped = ("GIT_", "MEMCLI_", "XDG_")
    names = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "EDITOR", "VISUAL", "PAGER", "CI")
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
        # platformdirs asks Windows itself unless these are set
        "WIN_PD_OVERRIDE_APPDATA": home / "AppData" / "Roaming",
        "WIN_PD_OVERRIDE_LOCAL_APPDATA": home / "AppData" / "Local",
    }
    scripts = sysconfig.get_path("scripts")
    return {
        **kept,
        **{name: str(folder) for name, folder in folders.items()},
        "HOME": str(home),
        "PATH": os.pathsep.join([scripts, kept.get("PATH", os.defpath)]),
        "GIT_CONFIG_GLOBAL": str(gitconfig),
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        # Tests that start memcli see the same bytes on every machine.
        "COLUMNS": "80",
        "TERM": "dumb",
    }


@pytest.fixture(autouse=True)
def home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The home folder of this test alone, empty but for a git identity."""
    folder = tmp_path_factory.getbasetemp() / f"home-{next(_homes)}"
    folder.mkdir()
    environment = isolated_environment(folder)
    for name in set(os.environ) - set(environment):
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return folder
