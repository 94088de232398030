"""memcli's hooks in a client's settings, put there as a person puts them there."""

import subprocess
import sys
from pathlib import Path

MEMCLI = (sys.executable, "-P", "-m", "memcli")


def installed(host: str, home: Path, environ: dict[str, str]) -> None:
    """Install the hooks for a user; what the client needs to run stays as it is.

    They use the default vault: a hook that names its vault asks no other one.
    """
    command = [*MEMCLI, "install", host, "--scope", "user"]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environ, cwd=home, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
