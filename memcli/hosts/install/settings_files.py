"""The agent hosts that have hooks: where their settings are, and what they call.

Invariant: what is said of a host is said here, once: its files, the names of its
events, the unit of its timeouts, the shape of an entry. No disk is looked at; the
environment is a parameter.
"""

import os
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from memcli.errors import InvalidValue, UsageError
from memcli.hosts.install.command_line import Program, command_line

SCOPES = ("user", "project")

# Seconds that a host waits for us before it goes on. Ours answer within a second or
# hand their work to a process of its own; this is for a machine that swaps.
SECONDS = {
    "session-start": 10,
    "prompt-submit": 5,
    "stop": 10,
    "session-end": 20,
    "pre-compact": 30,
    "idle": 30,
}
# Codex cuts what a SessionEnd hook declares to this.
_CODEX_END = 3


class Wanted(NamedTuple):
    """One entry: the host's event, ours, the hook, and what its group is limited to."""

    native: str
    event: str
    hook: dict[str, Any]
    matcher: str | None = None


class Agent(NamedTuple):
    """A host.

    `events` are (native name, ours); `grouped` means that entries stand in groups with
    a matcher; `folder` gives its user folder from the environment, `user` and `project`
    are the file below that and below a project; `binaries` are names of its program;
    `reader` is what reads a command line on Windows; `timeout` is the name of the field
    and its units in a second; `version` is the file format's; `notes` are for people.
    """

    name: str
    title: str
    events: tuple[tuple[str, str], ...]
    grouped: bool
    folder: Callable[[Mapping[str, str]], str]
    user: str
    project: str
    binaries: tuple[str, ...]
    reader: str
    timeout: tuple[str, int] | None
    version: int | None = None
    notes: tuple[str, ...] = ()


def _home(environ: Mapping[str, str]) -> str:
    home = environ.get("HOME") or environ.get("USERPROFILE")
    return home or os.path.expanduser("~")


def _below(*names: str, instead: str = "") -> Callable[[Mapping[str, str]], str]:
    def folder(environ: Mapping[str, str]) -> str:
        moved = environ.get(instead, "") if instead else ""
        return moved or os.path.join(_home(environ), *names)

    return folder


def _opencode(environ: Mapping[str, str]) -> str:
    moved = environ.get("OPENCODE_CONFIG_DIR")
    config = environ.get("XDG_CONFIG_HOME") or os.path.join(_home(environ), ".config")
    return moved or os.path.join(config, "opencode")


_LIFE = (
    ("SessionStart", "session-start"),
    ("UserPromptSubmit", "prompt-submit"),
    ("Stop", "stop"),
    ("SessionEnd", "session-end"),
    ("PreCompact", "pre-compact"),
)

AGENTS = {
    agent.name: agent
    for agent in (
        Agent(
            "claude-code",
            "Claude Code",
            (*_LIFE, ("Notification", "idle")),
            grouped=True,
            folder=_below(".claude", instead="CLAUDE_CONFIG_DIR"),
            user="settings.json",
            project=".claude/settings.json",
            binaries=("claude",),
            reader="posix",
            timeout=("timeout", 1),
        ),
        Agent(
            "codex",
            "Codex CLI",
            _LIFE,
            grouped=True,
            folder=_below(".codex", instead="CODEX_HOME"),
            user="hooks.json",
            project=".codex/hooks.json",
            binaries=("codex",),
            reader="cmd",
            timeout=("timeout", 1),
            notes=(
                "Codex runs no hook, and says nothing, before you have trusted it: "
                "start codex and type /hooks",
            ),
        ),
        Agent(
            "gemini",
            "Gemini CLI",
            # No PreCompress: it fires before each request to the model.
            (
                ("SessionStart", "session-start"),
                ("BeforeAgent", "prompt-submit"),
                ("AfterAgent", "stop"),
                ("SessionEnd", "session-end"),
            ),
            grouped=True,
            folder=_below(".gemini"),
            user="settings.json",
            project=".gemini/settings.json",
            binaries=("gemini",),
            reader="powershell",
            timeout=("timeout", 1000),
        ),
        Agent(
            "copilot",
            "GitHub Copilot CLI",
            (
                ("sessionStart", "session-start"),
                ("userPromptSubmitted", "prompt-submit"),
                ("agentStop", "stop"),
                ("sessionEnd", "session-end"),
                ("preCompact", "pre-compact"),
            ),
            grouped=False,
            folder=_below(".copilot", instead="COPILOT_HOME"),
            user="hooks/memcli.json",
            project=".github/hooks/memcli.json",
            binaries=("copilot",),
            reader="both",
            timeout=("timeoutSec", 1),
            version=1,
        ),
        Agent(
            "cursor",
            "Cursor",
            (
                ("sessionStart", "session-start"),
                ("beforeSubmitPrompt", "prompt-submit"),
                ("stop", "stop"),
                ("sessionEnd", "session-end"),
                ("preCompact", "pre-compact"),
            ),
            grouped=False,
            folder=_below(".cursor"),
            user="hooks.json",
            project=".cursor/hooks.json",
            binaries=("cursor", "cursor-agent"),
            reader="powershell",
            timeout=("timeout", 1),
            version=1,
        ),
        Agent(
            "windsurf",
            "Windsurf",
            (
                ("pre_user_prompt", "prompt-submit"),
                ("post_cascade_response_with_transcript", "stop"),
            ),
            grouped=False,
            folder=_below(".codeium", "windsurf"),
            user="hooks.json",
            project=".windsurf/hooks.json",
            binaries=("windsurf",),
            reader="both",
            timeout=None,
            notes=(
                "Windsurf takes no text from hooks: sessions are mined, but nothing is "
                "put into them; let the agent call memcli recall",
            ),
        ),
        Agent(
            "opencode",
            "opencode",
            (
                ("session.created", "session-start"),
                ("chat.message", "prompt-submit"),
                ("session.idle", "stop"),
                ("experimental.session.compacting", "pre-compact"),
            ),
            grouped=False,
            folder=_opencode,
            user="plugins/memcli.js",
            project=".opencode/plugins/memcli.js",
            binaries=("opencode",),
            reader="none",
            timeout=None,
        ),
    )
}


def find(name: str) -> Agent:
    """The host of this name.

    Raises:
        InvalidValue: there is none; the hint names the nearest.
    """
    agent = AGENTS.get(name)
    if agent is None:
        near = get_close_matches(name.lower(), AGENTS, 1, 0.5)
        meant = f"Did you mean {near[0]}? " if near else ""
        raise InvalidValue(
            f"no such host: {name[:60]!r}",
            hint=f"{meant}There are: {', '.join(AGENTS)}.",
            code="invalid_host",
        )
    return agent


def project_root(cwd: str) -> str:
    """The folder that a project's settings are kept in: its repository's, or `cwd`."""
    folder = os.path.abspath(cwd)
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return os.path.abspath(cwd)
        folder = above
    return folder


def place(agent: Agent, scope: str, environ: Mapping[str, str], cwd: str) -> str:
    """The file of a host's hooks.

    Raises:
        UsageError: the project's would be the user's.
    """
    user = os.path.join(agent.folder(environ), *agent.user.split("/"))
    if scope == "user":
        return os.path.abspath(user)
    path = os.path.join(project_root(cwd), *agent.project.split("/"))
    if os.path.realpath(path) == os.path.realpath(user):
        raise UsageError(
            f"the project's {agent.project} would be your own",
            hint="Go into the project, or use --scope user.",
        )
    return path


def root(agent: Agent, scope: str, environ: Mapping[str, str], cwd: str) -> str:
    """The folder above a host's own, which is never removed."""
    if scope == "project":
        return project_root(cwd)
    folder = os.path.abspath(agent.folder(environ))
    home = os.path.abspath(_home(environ))
    return home if folder.startswith(home + os.sep) else os.path.dirname(folder)


def wanted(agent: Agent, program: Program, vault: str | None) -> list[Wanted]:
    """The entries that a host should have, in the order of a session's life."""
    found = []
    for native, event in agent.events:
        hook = _hook(agent, program, event, vault)
        if agent.timeout is not None:
            seconds = SECONDS[event]
            if agent.name == "codex" and event == "session-end":
                seconds = _CODEX_END
            hook[agent.timeout[0]] = seconds * agent.timeout[1]
        matcher = "idle_prompt" if native == "Notification" else None
        if agent.name == "gemini":
            matcher = "*"
        found.append(Wanted(native, event, hook, matcher))
    return found


def _hook(
    agent: Agent, program: Program, event: str, vault: str | None
) -> dict[str, Any]:
    def line(shell: str) -> str:
        return command_line(program, event, agent.name, vault, shell)

    own = agent.reader if program.windows else "posix"
    if agent.name == "copilot":
        return {
            "type": "command",
            "bash": line("posix"),
            "powershell": line("powershell"),
        }
    if agent.name == "windsurf":
        return {
            "command": line("posix"),
            "powershell": line("powershell"),
            "show_output": False,
        }
    if agent.name == "cursor":
        return {"command": line(own)}
    hook: dict[str, Any] = {"type": "command", "command": line(own)}
    return {"name": "memcli", **hook} if agent.name == "gemini" else hook
