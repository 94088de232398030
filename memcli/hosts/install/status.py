"""Where memcli is installed, and whether it would work there.

Invariant: only looks. A problem is a sentence that says what is wrong and what to do;
whoever has none has hooks that run.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from memcli.errors import MemcliError
from memcli.hosts.install import (
    backups,
    codex_trust,
    merge,
    opencode_plugin,
    settings_files,
)
from memcli.hosts.install.command_line import Program, calls
from memcli.hosts.install.jsonc import Document, Path
from memcli.hosts.install.settings_files import AGENTS, SCOPES, Agent


class Installation(NamedTuple):
    """A host at one scope.

    `found` is whether the host seems to be on this machine; `state` is yes, no, partly
    or unreadable; `program` is what starts memcli there, `runs` whether it can;
    `timeouts` whether they are as they should be; `trusted` is None but for Codex.
    `problems` are what keeps hooks from working, `notes` what is good to know.
    """

    host: str
    scope: str
    path: str
    found: bool
    state: str
    events: tuple[str, ...] = ()
    program: str | None = None
    runs: bool | None = None
    vault: str | None = None
    timeouts: bool | None = None
    trusted: bool | None = None
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            **self._asdict(),
            "events": list(self.events),
            "problems": list(self.problems),
            "notes": list(self.notes),
        }


def survey(
    environ: Mapping[str, str],
    cwd: str,
    program: Program,
    which: Callable[[str], str | None],
) -> list[Installation]:
    """Every host at every scope.

    Args:
        environ: HOME, and the variables that move a host's folder.
        cwd: the current folder, which the project is found from.
        program: the memcli that runs now.
        which: the path of a program by its name, None when there is none.
    """
    found = [
        one
        for agent in AGENTS.values()
        for scope in SCOPES
        if (one := _look(agent, scope, environ, cwd, program, which)) is not None
    ]
    here = {(one.host, one.scope) for one in found if one.state in ("yes", "partly")}
    return [_doubled(one, here) for one in found]


class _Finding:
    """What is gathered about one file."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.hooks: list[tuple[Path, dict[str, Any]]] = []
        self.words: list[str] = []
        self.vault: str | None = None
        self.timeouts: bool | None = None
        self.problems: list[str] = []


def _look(
    agent: Agent,
    scope: str,
    environ: Mapping[str, str],
    cwd: str,
    program: Program,
    which: Callable[[str], str | None],
) -> Installation | None:
    try:
        path = settings_files.place(agent, scope, environ, cwd)
    except MemcliError:  # a home folder as a project: seen at scope user already
        return None
    known = os.path.isdir(agent.folder(environ)) or any(map(which, agent.binaries))
    none = Installation(agent.name, scope, path, known, "no")
    try:
        data = backups.read(path)
        if data is None:
            return none
        if agent is AGENTS["opencode"]:
            finding = _plugin(data)
        else:
            finding = _settings(agent, backups.decoded(data, path), path, program)
    except MemcliError as error:
        return none._replace(state="unreadable", problems=(error.message,))
    if not finding.events:
        return none
    again = f"memcli install {agent.name} --scope {scope}"
    lacking = [native for native, _ in agent.events if native not in finding.events]
    problems = finding.problems
    if lacking:
        problems.append(f"no hook for {', '.join(lacking)}: {again}")
    runs = _runs(finding.words)
    if not runs:
        problems.append(f"{_shown(finding.words)} cannot be started: {again}")
    if finding.timeouts is False:
        problems.append(f"a timeout is not as it should be: {again}")
    if finding.vault is not None and not os.path.isdir(finding.vault):
        problems.append(f"the vault {finding.vault} is gone: {again} --vault PATH")
    trusted = None
    if agent is AGENTS["codex"]:
        trusted = _trusted(agent, scope, environ, cwd, path, finding)
    notes = []
    if runs and _same(finding.words) != _same(program.words):
        notes.append(f"starts {_shown(finding.words)}, not the memcli that runs now")
    return Installation(
        agent.name,
        scope,
        path,
        known,
        "partly" if lacking else "yes",
        tuple(finding.events),
        _shown(finding.words),
        runs,
        finding.vault,
        finding.timeouts,
        trusted,
        tuple(problems),
        tuple(notes),
    )


def _plugin(data: bytes) -> _Finding:
    finding = _Finding()
    if not opencode_plugin.is_ours(data):
        return finding
    finding.events = [native for native, _ in AGENTS["opencode"].events]
    finding.words, finding.vault = opencode_plugin.constants(data)
    current = opencode_plugin.plugin(Program(tuple(finding.words)), finding.vault)
    if not opencode_plugin.is_untouched(data):
        finding.problems.append("the plugin has been changed by hand")
    elif current.encode() != data:
        finding.problems.append("the plugin is of another version of memcli")
    return finding


def _settings(agent: Agent, text: str, path: str, program: Program) -> _Finding:
    finding = _Finding()
    if not text.strip("\ufeff \t\r\n"):
        return finding
    document = Document(text, path)
    finding.hooks = list(merge.entries(document, agent))
    wanted = {want.native: want for want in settings_files.wanted(agent, program, None)}
    for place, hook in finding.hooks:
        native = str(place[1])
        if native not in wanted:
            finding.problems.append(f"{native}: memcli has nothing to do there")
            continue
        if native in finding.events:
            finding.problems.append(f"{native}: stands there twice")
            continue
        finding.events.append(native)
        if agent.timeout is not None:
            unit = agent.timeout[0]
            right = hook.get(unit) == wanted[native].hook[unit]
            finding.timeouts = right and finding.timeouts is not False
        for name in merge.COMMANDS:
            words = calls(str(hook.get(name, "")))
            # PowerShell's line is for another system than this one.
            if words and (name != "powershell" or program.windows):
                finding.words = finding.words or words[: words.index("hook")]
                if "--vault" in words[:-1]:
                    finding.vault = words[words.index("--vault") + 1]
    root = document.root.value
    gemini = root.get("hooksConfig")
    off = root.get("disableAllHooks") is True
    off = off or (isinstance(gemini, dict) and gemini.get("enabled") is False)
    if finding.events and off:
        finding.problems.append("all hooks are switched off in this file")
    return finding


def _trusted(
    agent: Agent,
    scope: str,
    environ: Mapping[str, str],
    cwd: str,
    path: str,
    finding: _Finding,
) -> bool:
    """Whether Codex runs them; else says in `problems` why not."""
    config = os.path.join(agent.folder(environ), "config.toml")
    strange = codex_trust.untrusted(config, path, [place for place, _ in finding.hooks])
    problems = []
    if strange:
        problems.append(
            f"Codex does not trust {', '.join(strange)} and runs nothing there: "
            "start codex and type /hooks"
        )
    root = settings_files.project_root(cwd)
    if scope == "project" and not codex_trust.trusts_project(config, root):
        problems.append(
            f"Codex does not trust the project {root}: start codex in it and say yes"
        )
    if codex_trust.switched_off(config):
        problems.append(f"hooks are switched off in {config}")
    finding.problems += problems
    return not problems


def _doubled(one: Installation, here: set[tuple[str, str]]) -> Installation:
    if (one.host, one.scope) not in here:
        return one
    problems, notes = list(one.problems), list(one.notes)
    if one.scope == "project" and (one.host, "user") in here:
        problems.append(
            "installed at both scopes, so each event is told twice: "
            f"memcli uninstall {one.host} --scope project"
        )
    if one.host == "copilot" and ("claude-code", "project") in here:
        notes.append(
            "Copilot CLI also runs the project's .claude/settings.json; memcli does "
            "the work once"
        )
    return one._replace(problems=tuple(problems), notes=tuple(notes))


def _runs(words: list[str]) -> bool:
    return bool(words) and os.path.isfile(words[0]) and os.access(words[0], os.X_OK)


def _same(words: Sequence[str]) -> list[str]:
    """Words with one kind of slash: bash has another than Windows."""
    return [os.path.normcase(word) for word in words]


def _shown(words: list[str]) -> str:
    return " ".join(words) or "the program"
