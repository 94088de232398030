"""`make demo`: two days in a repository, as the hooks of an agent host see them.

On Monday a person states a rule; on Tuesday another session is about to break it. The
hooks run as Claude Code calls them, with its JSON on standard input. Everything lies in
a temporary folder, the home folder too. Stops with exit code 1 at the first answer that
is not what it should be.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RULE = "From now on, outbound HTTP goes through httpx, never requests."
LESSON = "The checkout tests hang when REDIS_URL is unset: run `make redis` first"
# Seconds within which what a turn taught must be in the vault.
PATIENCE = 60


class Machine:
    """An empty home folder with a repository in it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.repository = home / "shop"
        self.repository.mkdir()
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GIT_", "MEMCLI_", "XDG_"))
        }
        # Some machines set it; the commands below would compile memcli anew each time.
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        folders = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA")
        self.environment = {**kept, **dict.fromkeys(folders, str(home))}
        self.environment["PYTHONPATH"] = str(ROOT)
        self.run("git", "init", "--quiet")

    def run(self, *command: str, given: str = "") -> str:
        done = subprocess.run(
            command,
            cwd=self.repository,
            env=self.environment,
            input=given.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        output = done.stdout.decode("utf-8")
        if done.returncode:
            raise SystemExit(f"demo failed: {' '.join(command)}\n{output}")
        return output

    def memcli(self, *words: str, given: str = "") -> str:
        return self.run(sys.executable, "-P", "-m", "memcli", *words, given=given)

    def hook(self, event: str, session: str, **payload: Any) -> dict[str, Any]:
        """The answer to an event of a session; empty where memcli says nothing."""
        payload |= {"session_id": session, "cwd": str(self.repository)}
        words = ("hook", event, "--host", "claude-code")
        answer = self.memcli(*words, given=json.dumps(payload))
        told: dict[str, Any] = json.loads(answer or "{}").get("hookSpecificOutput", {})
        return told

    def about_to_write(self, session: str, text: str) -> dict[str, Any]:
        path = str(self.repository / "rates.py")
        tool = {"file_path": path, "content": text}
        return self.hook("pre-tool", session, tool_name="Write", tool_input=tool)

    def saved(self) -> dict[str, Any]:
        """The first memory of the vault, once a process in the background saved it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            rows = json.loads(self.memcli("list", "--json"))["data"]["rows"]
            if rows:
                first: dict[str, Any] = rows[0]
                return first
            time.sleep(0.1)
        raise SystemExit("demo failed: the turn taught nothing")


def say(who: str, text: str = "") -> None:
    print(f"  {who:8}{text}" if text else f"\n{who}", flush=True)


def row(told: dict[str, Any], wanted: str) -> str:
    """The row of what a hook told that holds some words."""
    for line in str(told.get("additionalContext", "")).splitlines():
        if wanted in line:
            return line
    raise SystemExit(f"demo failed: a hook should have told {wanted!r}: {told}")


def play(machine: Machine) -> None:
    machine.memcli("init", "../memory")
    say("Monday, in the repository shop")
    say("you", RULE)
    transcript = machine.home / "monday.jsonl"
    said = {"type": "user", "uuid": "1", "message": {"role": "user", "content": RULE}}
    transcript.write_text(json.dumps({"sessionId": "monday", **said}) + "\n")
    machine.hook("stop", "monday", transcript_path=str(transcript))
    rule = machine.saved()
    say("memcli", f"saves it when the turn ends, as a {rule['kind']} [{rule['id']}]")
    machine.memcli("save", LESSON, "--kind", "lesson")
    say("agent", f'$ memcli save "{LESSON.partition(":")[0]}: ..." --kind lesson')
    machine.memcli("evolve", rule["id"], "--enforce", "deny")
    say("you", f"$ memcli evolve {rule['id']} --enforce deny")

    say("Tuesday, another session, which knows nothing of Monday")
    told = machine.hook("session-start", "tuesday", source="startup")
    say("start", row(told, "never requests"))
    prompt = "The checkout tests hang here. Then fetch the exchange rates once a day."
    say("you", prompt)
    told = machine.hook("prompt-submit", "tuesday", prompt=prompt)
    say("prompt", row(told, "REDIS_URL"))
    say("agent", "writes rates.py: import requests ...")
    told = machine.about_to_write("tuesday", "import requests\n")
    if told.get("permissionDecision") != "deny":
        raise SystemExit(f"demo failed: the write should be refused: {told}")
    reason = str(told["permissionDecisionReason"]).partition("\n")[0]
    say("refused", reason.removeprefix("memcli: "))
    say("agent", "writes rates.py: import httpx ...")
    if machine.about_to_write("tuesday", "import httpx\n"):
        raise SystemExit("demo failed: there is nothing to say about httpx")
    say("edit", "(silent: nothing speaks against it)")

    say("What is behind it: a folder of markdown files in git")
    for line in machine.run("git", "-C", "../memory", "log", "--format=%s").split("\n"):
        if line.startswith(("save", "reflect", "mine", "evolve")):
            say("commit", line)


def main() -> None:
    if shutil.which("git") is None:
        raise SystemExit("demo failed: it needs `git` on the PATH")
    print("Two days with memcli, in a temporary folder. Nothing else is touched.")
    with tempfile.TemporaryDirectory(
        prefix="memcli-demo-", ignore_cleanup_errors=True
    ) as name:
        play(Machine(Path(name)))


if __name__ == "__main__":
    main()
