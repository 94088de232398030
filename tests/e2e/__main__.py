"""`make e2e`: memcli's hooks in the real clients, against a model on loopback.

    python -m tests.e2e [CLIENT ...] [-- PYTEST ARGUMENTS]

Installs the clients that clients.toml names into the cache, then runs sessions.py,
actions.py and mcp_calls.py where nothing but loopback can be reached. Ends with what
was tested and what was not, by name; the exit code is pytest's, or 1 when no client
could be tested.

A client that cannot be installed fails nothing: registries are down at times.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.e2e.clients import Client, cache, clients, install

_FILES = ("sessions.py", "actions.py", "mcp_calls.py")
_TESTS = [Path(__file__).with_name(name) for name in _FILES]
# Its own network with loopback alone, and its own processes: when the first one ends,
# the kernel ends what a client has left running.
_APART = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
_UP = 'ip link set lo up && exec "$@"'


def main(arguments: list[str]) -> int:
    """Install, run, and say what was tested."""
    names, rest = _parted(arguments)
    known = clients()
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no such client: {', '.join(unknown)} (there are: {', '.join(known)})")
        return 2
    chosen = [known[name] for name in names or known]
    missing = _installed(chosen)
    there = [client for client in chosen if client.name not in missing]
    code, outcomes = _run(there, rest) if there else (1, [])
    print()
    for client in chosen:
        own = [outcome for name, outcome in outcomes if name == client.name]
        counts = [f"{own.count(each)} {each}" for each in sorted(set(own))]
        why = missing.get(client.name) or ("" if own else "no test was chosen")
        said = f"NOT TESTED  {client.name} {client.version}: {why}"
        if not why:
            said = f"tested      {client.name} {client.version}: {', '.join(counts)}"
        print(said)
    return code


def _parted(arguments: list[str]) -> tuple[list[str], list[str]]:
    if "--" not in arguments:
        return arguments, []
    place = arguments.index("--")
    return arguments[:place], arguments[place + 1 :]


def _installed(chosen: list[Client]) -> dict[str, str]:
    """Install clients; returns why not, of those that could not be."""
    missing = {}
    for client in chosen:
        if not client.installed:
            print(f"Installing {client.name} {client.version} into {cache()} ...")
        sys.stdout.flush()
        why = install(client)
        if why is not None:
            missing[client.name] = why
    return missing


def _run(there: list[Client], rest: list[str]) -> tuple[int, list[list[str]]]:
    """(exit code, [client, outcome] of each test)."""
    apart = _apart()
    if apart is None:
        print(
            "WARNING: this system gives no network of its own (unshare --net). The "
            "clients are told to\n         use a proxy at a closed port; one that does "
            "not obey could reach the world.\n         Keys are dummies all the same."
        )
    # Short: a client's sockets lie in it, and their paths may have 107 bytes.
    scratch = Path(tempfile.mkdtemp(prefix="e2e-"))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v"]
    command += [*map(str, _TESTS), f"--basetemp={scratch / 't'}"]
    noted = scratch / "outcomes"
    noted.touch()
    command.append(f"--outcomes={noted}")
    for client in there:
        command += ["--client", client.name]
    sys.stdout.flush()
    code = subprocess.call([*(apart or []), *command, *rest])
    outcomes = [json.loads(line) for line in noted.read_text().splitlines()]
    if code:
        print(f"what the clients left is in {scratch}")
    else:
        shutil.rmtree(scratch, ignore_errors=True)
    return code, outcomes


def _apart() -> list[str] | None:
    """The words that run a command apart from the world; None where that is not so."""
    for more in ([], ["--map-root-user"]):
        words = [*_APART, *more, "sh", "-c", _UP, "sh"]
        try:
            done = subprocess.run(
                [*words, "true"], capture_output=True, timeout=30, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        if done.returncode == 0:
            return words
    return None


if __name__ == "__main__":
    # Before a client or git sees them.
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]
    raise SystemExit(main(sys.argv[1:]))
