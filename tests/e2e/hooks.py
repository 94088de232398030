"""memcli's hooks in a client's settings.

Invariant: settings that a client needs to run stay as they are.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

MEMCLI = (sys.executable, "-P", "-m", "memcli")

_LIFE = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt-submit",
    "Stop": "stop",
    "SessionEnd": "session-end",
    "PreCompact": "pre-compact",
}
_GEMINI = {
    "SessionStart": "session-start",
    "BeforeAgent": "prompt-submit",
    "AfterAgent": "stop",
    "SessionEnd": "session-end",
}
_COPILOT = {
    "sessionStart": "session-start",
    "userPromptSubmitted": "prompt-submit",
    "agentStop": "stop",
    "sessionEnd": "session-end",
}


def installed(host: str, home: Path, vault: Path, environ: dict[str, str]) -> None:
    """Install the hooks for a user, with `memcli install` where there is one."""
    command = [*MEMCLI, "install", host, "--scope", "user", "--vault", str(vault)]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environ, cwd=home, check=False
    )
    said = done.stdout + done.stderr
    if "No such command" in said:
        _by_hand(host, home, vault)
    else:
        assert done.returncode == 0, said


def _by_hand(host: str, home: Path, vault: Path) -> None:
    def line(event: str) -> str:
        words = [*MEMCLI, "hook", event, "--host", host, "--vault", str(vault)]
        return " ".join(words)

    def entry(event: str, seconds: int) -> dict[str, Any]:
        return {"type": "command", "command": line(event), "timeout": seconds}

    if host == "opencode":
        pytest.skip("its plugin comes with memcli install")
    if host == "copilot":
        hooks = {
            native: [{"type": "command", "bash": line(event), "timeoutSec": 10}]
            for native, event in _COPILOT.items()
        }
        path = home / ".copilot" / "hooks" / "memcli.json"
        _merge(path, {"version": 1, "hooks": hooks})
    elif host == "gemini":
        grouped = {
            native: [{"matcher": "*", "hooks": [entry(event, 10_000)]}]
            for native, event in _GEMINI.items()
        }
        _merge(home / ".gemini" / "settings.json", {"hooks": grouped})
    else:
        name = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json"}
        grouped = {
            native: [{"hooks": [entry(event, 3 if event == "session-end" else 10)]}]
            for native, event in _LIFE.items()
        }
        _merge(home / name[host], {"hooks": grouped})


def _merge(path: Path, settings: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    there = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.write_text(json.dumps({**there, **settings}, indent=2), encoding="utf-8")
