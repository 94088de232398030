"""A person's machine in a folder: a home, a project, a vault, and a client.

Invariant: a client sees only this folder, the system's programs and loopback; what it
starts and does not end is ended with it.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from memcli.entries import layout
from memcli.errors import Unreadable
from memcli.hosts.transcripts import open_transcript
from memcli.sessions import hook_log
from tests.conftest import state_of
from tests.e2e.clients import Client
from tests.e2e.drivers import DRIVERS
from tests.e2e.model import Model

MEMCLI = (sys.executable, "-P", "-m", "memcli")
ROOT = Path(__file__).resolve().parents[2]
# A port that nothing listens on: what asks for the world is refused at once.
_NOWHERE = "http://127.0.0.1:9"
# A detached process starts Python, mines and commits; Claude Code idles after a minute.
_PATIENCE = 120.0


_TRIAL = {
    "turns": [2],
    "kind": "preference",
    "text": "Always run the linter before every commit.",
    "why": "it is said outright",
    "confidence": "HIGH",
}


class Ended(NamedTuple):
    """How a session went: exit code, what it printed, and seconds."""

    code: int
    out: str
    err: str
    took: float


class Scratch:
    """One machine with one client, whose model is `model`."""

    def __init__(self, folder: Path, client: Client, model: Model) -> None:
        self.client = client
        self.model = model
        self.driver = DRIVERS[client.name]
        self.home = folder / "home"
        self.project = folder / "work" / "my_proj.v1"
        self.vault = folder / "memory"
        self.teammate = folder / "teammate"
        self._printed = folder / "stdout", folder / "stderr"
        for needed in (self.home, self.teammate, self.project, folder / "tmp"):
            needed.mkdir(parents=True)
        node = shutil.which("node")
        system = ["/usr/local/bin", "/usr/bin", "/bin"]
        path = [str(Path(node).parent), *system] if node else system
        path = [str(client.path.parent), *path]
        self.environ = {
            "HOME": str(self.home),
            "PATH": os.pathsep.join(path),
            "TMPDIR": str(folder / "tmp"),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            # The hooks call the memcli of this checkout.
            "PYTHONPATH": str(ROOT),
            **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), _NOWHERE),
            **dict.fromkeys(("http_proxy", "https_proxy"), _NOWHERE),
            **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
        }
        self.environ |= self.driver.settings(self.home, self.project, model.url)
        self._git(self.project, "init", "-q")

    def make_vault(self) -> None:
        """Make the vault, and install the client's hooks.

        They use the default vault: a hook that names its vault asks no other one.
        """
        self.memcli("init", str(self.vault))
        self.memcli("install", self.client.name, "--scope", "user", MEMCLI_VAULT="")

    def judge(self) -> tuple[str, ...]:
        """Name the client's own command as the judge, as a person does; returns it."""
        from memcli.hosts import table

        words = table.find(self.client.name).judge
        if self.driver.judges:  # by hand: what is proposed would not find the model
            words = self.driver.judges(words, self.model.url)
            path = self.home / ".config" / "memcli" / "config.toml"
            text = f"[mining]\njudge = {json.dumps(list(words))}\n"
            path.write_text(text, encoding="utf-8")
            return words
        self.model.says["run the linter before every commit"] = json.dumps(_TRIAL)
        self.memcli("install", self.client.name, "--judge")
        del self.model.says["run the linter before every commit"]
        return words

    def lose_vault(self) -> None:
        """Take the vault away."""
        shutil.rmtree(self.vault)

    def repository(self, name: str) -> Path:
        """Make a repository with a remote, so that it is a project of its own."""
        folder = self.project.parent / name
        folder.mkdir()
        self._git(folder, "init", "-q")
        remote = f"git@github.com:acme/{name}.git"
        self._git(folder, "remote", "add", "origin", remote)
        return folder

    def commit(self, repository: Path, name: str, subject: str) -> None:
        """Commit a file to a repository."""
        (repository / name).touch()
        self._git(repository, "add", name)
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
        self._git(repository, *who, "commit", "-q", "-m", subject)

    def clone(self, repository: Path) -> Path:
        """Clone a repository."""
        folder = repository.with_name(f"{repository.name}-cloned")
        self._git(folder.parent, "clone", "-q", str(repository), str(folder))
        return folder

    def memcli(self, *words: str, folder: Path | None = None, **variables: str) -> Any:
        """What a command answers, as data; it is called in `folder`, or at home."""
        done = subprocess.run(
            [*MEMCLI, *words, "--json"],
            capture_output=True,
            text=True,
            env={**self.environ, "MEMCLI_VAULT": str(self.vault), **variables},
            cwd=folder or self.home,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)["data"]

    def start(
        self, prompt: str, folder: Path | None = None, *, acts: bool = False
    ) -> subprocess.Popen[bytes]:
        """Start the client with a prompt, in `folder` or in the project.

        With `acts` it may use its shell without asking.
        """
        first, *rest = self.driver.words
        more = self.driver.acts if acts else ()
        # `exec` and `run` are commands: flags come after them.
        words = [first, *more, *rest] if rest or not first.startswith("-") else []
        words = words or [*more, first]
        command = [str(self.client.path), *words, prompt]
        # Files: what a client leaves running would keep a pipe open.
        out, err = self._printed
        with open(out, "wb") as said, open(err, "wb") as errors:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=errors,
                env=self.environ,
                cwd=folder or self.project,
                start_new_session=True,
            )

    def session(
        self, prompt: str, folder: Path | None = None, *, acts: bool = False
    ) -> Ended:
        """Run a session of one prompt to its end."""
        started = time.monotonic()
        client = self.start(prompt, folder, acts=acts)
        late = ""
        try:
            client.wait(timeout=self.driver.slow)
        except subprocess.TimeoutExpired:
            kill(client)
            late = f"\n(killed after {self.driver.slow} s)"
        took = time.monotonic() - started
        out, err = (
            path.read_text(encoding="utf-8", errors="replace") for path in self._printed
        )
        return Ended(client.returncode, out, err + late, took)

    def transcripts(self) -> list[Path]:
        """The files of the client's sessions."""
        return sorted(self.home.glob(self.driver.transcripts))

    def typed(self) -> list[str]:
        """What the user typed, as far as transcripts have it by now."""
        found = []
        for path in self.transcripts():
            with contextlib.suppress(Unreadable):
                steps = open_transcript(str(path)).steps()
                found += [step.text for step in steps if step.role == "user"]
        return found

    def hooks(self, **fields: str | int) -> list[dict[str, Any]]:
        """Lines of the log of hooks that have these fields, the oldest first."""
        lines = reversed(hook_log.last(str(self.vault), 1_000))
        return [
            line
            for line in lines
            if all(line.get(name) == value for name, value in fields.items())
        ]

    def wait_for(self, what: str, happened: Callable[[], Any]) -> Any:
        """Wait until something is so; an assertion fails when it never is."""
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            found = happened()
            if found:
                return found
            time.sleep(0.2)
        raise AssertionError(f"never came: {what}\nhooks: {self.hooks()}")

    def memories(self, query: str) -> list[str]:
        """Texts of the vault that answer a query, after a person has approved all."""
        self.memcli("review", "--approve", "--all", "--yes")
        rows = self.memcli("recall", query)["rows"]
        return [row["text"] for row in rows]

    def uncommitted(self) -> str:
        """What git says of the vault that is not committed."""
        return self._git(self.vault, "status", "--porcelain")

    def age(self, seconds: float) -> None:
        """Let everything that was written so far be that old."""
        then = time.time() - seconds
        markers = (state_of(self.vault, layout.HARNESS)).iterdir()
        for path in (*markers, *self.transcripts()):
            os.utime(path, (then, then))

    def sweep(self) -> None:
        """Call the hook of a host that idles, as a timer may."""
        environ = {**self.environ, "MEMCLI_VAULT": str(self.vault)}
        words = [*MEMCLI, "hook", "idle", "--host", self.client.name]
        subprocess.run(words, input=b"", env=environ, cwd=self.home, check=True)

    def clean(self) -> None:
        """End what the client left running."""
        for process in _of_home(self.home):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def _git(self, folder: Path, *words: str) -> str:
        return subprocess.run(
            ["git", *words],
            cwd=folder,
            env=self.environ,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout


def kill(client: subprocess.Popen[bytes]) -> None:
    """SIGKILL, to the client and what it has started in its own group."""
    os.killpg(client.pid, signal.SIGKILL)
    client.wait()


def _of_home(home: Path) -> list[int]:
    """Processes whose home this is; only Linux says."""
    if sys.platform != "linux":
        return []
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if f"HOME={home}".encode() in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found
