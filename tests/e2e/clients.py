"""The real clients: which versions, where they are kept, and how they come there.

Invariant: a client is there when npm said so and its package is of the version that
clients.toml names. The cache lies outside the project, and a client in it is never
changed: another version is another folder.
"""

import json
import os
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import NamedTuple

_LIST = Path(__file__).with_name("clients.toml")
# A client is up to 400 MB, and registries are slow at times.
_WAIT = 900


class Client(NamedTuple):
    """A client of one version, installed or not; `folder` is its own in the cache."""

    name: str
    package: str
    version: str
    program: str
    folder: Path

    @property
    def path(self) -> Path:
        """Its program."""
        return self.folder / "node_modules" / ".bin" / self.program

    @property
    def installed(self) -> bool:
        """Whether it was installed to its end."""
        return (self.folder / "installed").exists()


def cache() -> Path:
    """Where clients are kept: `MEMCLI_E2E_CACHE`, or a folder of the user's cache."""
    named = os.environ.get("MEMCLI_E2E_CACHE")
    if named:
        return Path(named).expanduser().absolute()
    kept = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(kept) / "memcli-e2e"


def clients() -> dict[str, Client]:
    """Every client that there is a version of, by the host's name."""
    listed = tomllib.loads(_LIST.read_text(encoding="utf-8"))
    return {
        name: Client(name, **row, folder=cache() / f"{name}-{row['version']}")
        for name, row in listed.items()
    }


def install(client: Client) -> str | None:
    """Install a client that is not there yet; returns why it cannot be, or None."""
    if client.installed:
        return None
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not on the PATH"
    shutil.rmtree(client.folder, ignore_errors=True)
    client.folder.mkdir(parents=True)
    wanted = f"{client.package}@{client.version}"
    command = [npm, "install", "--prefix", str(client.folder), "--no-audit"]
    command += ["--no-fund", "--loglevel=error", "--save-exact", wanted]
    try:
        done = _run(command)
        if done.returncode:
            return f"npm install {wanted} failed: {_first_line(done.stderr)}"
        # Not by running it: here it could reach the world.
        about = client.folder / "node_modules" / client.package / "package.json"
        version = json.loads(about.read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return f"{wanted}: {error}"
    if version != client.version or not client.path.exists():
        return f"npm install {wanted} gave version {version} at {client.path}"
    (client.folder / "installed").touch()
    return None


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    # A home of its own: a client's first start writes into it.
    home = cache() / "home"
    home.mkdir(parents=True, exist_ok=True)
    kept = ["PATH", "NODE_EXTRA_CA_CERTS", "npm_config_cafile", "npm_config_registry"]
    kept += ["HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE"]
    environ = {name: os.environ[name] for name in kept if name in os.environ}
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_WAIT,
        env={**environ, "HOME": str(home)},
        check=False,
    )


def _first_line(text: str) -> str:
    return next(iter(text.strip().splitlines()), "nothing")[:300]
