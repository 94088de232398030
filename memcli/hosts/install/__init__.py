"""Installing memcli's hooks into agent hosts, and taking them out again.

Door: `plan`, `apply`, `survey`. A plan is made before anything is written, and holds
every byte of it. A file that cannot be parsed, or that changed since the plan was
made, is not touched. The earlier content of a changed file stays beside it.
Not in here: anything of a vault.
"""

from collections.abc import Mapping
from typing import NamedTuple

from memcli.errors import Conflict, InvalidConfig, MemcliError
from memcli.hosts.install import backups, merge, opencode_plugin, settings_files
from memcli.hosts.install.command_line import Program, running
from memcli.hosts.install.settings_files import AGENTS, SCOPES, Agent
from memcli.hosts.install.status import Installation, survey
from memcli.storage import files

__all__ = [
    "HOSTS",
    "SCOPES",
    "Change",
    "Done",
    "Installation",
    "Plan",
    "Program",
    "apply",
    "plan",
    "plan_removal",
    "running",
    "survey",
]

HOSTS = tuple(AGENTS)


class Change(NamedTuple):
    """A file's bytes before and after; None where there is no file.

    `private` is whether a new one is for its owner alone; `root` is the folder that
    stays when the file and the folders it needed go; `backup` is whether a person may
    miss what the file was.
    """

    path: str
    before: bytes | None
    after: bytes | None
    private: bool
    root: str
    backup: bool


class Plan(NamedTuple):
    """What would be done; `change` is None when all is as it should be.

    `events` are pairs: the host's name of an event, and ours.
    """

    host: str
    scope: str
    path: str
    events: tuple[tuple[str, str], ...]
    change: Change | None
    notes: tuple[str, ...]
    removal: bool = False


class Done(NamedTuple):
    """What was done with the file (none, written or removed), and its backup."""

    outcome: str
    backup: str | None


def plan(
    host: str,
    scope: str,
    environ: Mapping[str, str],
    cwd: str,
    program: Program,
    vault: str | None = None,
) -> Plan:
    """What installing a host's hooks would change.

    Args:
        host: one of `HOSTS`.
        scope: user, or project: the repository that `cwd` is in.
        environ: HOME, and the variables that move a host's folder.
        cwd: the current folder.
        program: how the hooks start memcli.
        vault: the vault's path, to be written into each call; None: none is.

    Raises:
        InvalidValue: there is no such host, or a path is not UTF-8.
        UsageError: a project's settings would be the user's.
        InvalidConfig: the settings do not parse, or are none.
        Unreadable: they cannot be read.
    """
    agent = settings_files.find(host)
    path = settings_files.place(agent, scope, environ, cwd)
    before = backups.read(path)
    if agent is AGENTS["opencode"]:
        after = opencode_plugin.plugin(program, vault).encode()
        if before is not None and not opencode_plugin.is_ours(before):
            raise InvalidConfig(
                f"{path}: is not memcli's; nothing was changed",
                hint="Move it away, then repeat the command.",
                code="invalid_settings",
            )
    else:
        wanted = settings_files.wanted(agent, program, vault)
        text = backups.decoded(before or b"", path)
        after = merge.merged(text, path, agent, wanted).encode()
    notes = [*agent.notes]
    if scope == "project":
        notes.append(
            f"{path} names memcli by its path on this machine: who shares the file "
            "through git runs memcli install again on the other one"
        )
    if agent.name == "codex" and scope == "project":
        notes.append("Codex reads a project's hooks only where it trusts the project")
    if _copilot_meets_claude(agent, scope, environ, cwd):
        notes.append(
            "Copilot CLI also runs the hooks in a project's .claude/settings.json; "
            "memcli does the work once"
        )
    other = _other(scope)
    if _has_ours(agent, other, environ, cwd):
        notes.append(
            f"they are installed at scope {other}, too, so each event is told twice: "
            f"memcli uninstall {host} --scope {other}"
        )
    change = _change(agent, scope, environ, cwd, path, before, after)
    return Plan(host, scope, path, agent.events, change, tuple(notes))


def plan_removal(host: str, scope: str, environ: Mapping[str, str], cwd: str) -> Plan:
    """What removing a host's hooks would change; arguments and errors as `plan`."""
    agent = settings_files.find(host)
    path = settings_files.place(agent, scope, environ, cwd)
    before = backups.read(path)
    after = before
    if before is not None and agent is AGENTS["opencode"]:
        after = None if opencode_plugin.is_ours(before) else before
    elif before is not None and before.strip():
        old = backups.before_us(path, agent)
        text = merge.without(backups.decoded(before, path), path, agent, old)
        after = None if text is None else text.encode()
    notes = []
    if before == after:
        other = _other(scope)
        notes.append(f"no hook of memcli is in {path}")
        if _has_ours(agent, other, environ, cwd):
            notes.append(
                f"there are some at scope {other}: "
                f"memcli uninstall {host} --scope {other}"
            )
    change = _change(agent, scope, environ, cwd, path, before, after)
    return Plan(host, scope, path, agent.events, change, tuple(notes), removal=True)


def apply(found: Plan) -> Done:
    """Do what a plan says.

    What a file was is kept beside it as `NAME.memcli-backup`, with a number when there
    is one. Backups that equal what a removal leaves are not needed any more and go.

    Raises:
        Conflict: the file is not what it was when the plan was made.
        WriteFailed: the disk refused.
    """
    change = found.change
    if change is None:
        return Done("none", None)
    if backups.read(change.path) != change.before:
        raise Conflict(
            f"{change.path}: changed in between; nothing was changed",
            hint="Repeat the command.",
        )
    equal = [
        copy
        for copy in backups.backups(change.path)
        if found.removal and backups.read(copy) == change.after
    ]
    backup = None
    if change.before is not None and change.backup and not equal:
        backup = backups.keep(change.path, change.before)
    if change.after is None:
        backups.remove(change.path, change.root)
        return Done("removed", backup)
    with backups.private(change.private):
        files.write_atomic(change.path, change.after)
    for copy in equal:
        files.remove(copy)
    return Done("written", backup)


def _change(
    agent: Agent,
    scope: str,
    environ: Mapping[str, str],
    cwd: str,
    path: str,
    before: bytes | None,
    after: bytes | None,
) -> Change | None:
    if before == after:
        return None
    root = settings_files.root(agent, scope, environ, cwd)
    # A plugin as we wrote it, and settings of which nothing stays, are only ours.
    ours = before is not None and opencode_plugin.is_untouched(before)
    if agent is not AGENTS["opencode"]:
        ours = after is None
    return Change(path, before, after, scope == "user", root, not ours)


def _other(scope: str) -> str:
    return next(name for name in SCOPES if name != scope)


def _has_ours(agent: Agent, scope: str, environ: Mapping[str, str], cwd: str) -> bool:
    try:
        path = settings_files.place(agent, scope, environ, cwd)
        data = backups.read(path) or b""
        if agent is AGENTS["opencode"]:
            return opencode_plugin.is_ours(data)
        return merge.ours_in(backups.decoded(data, path), path, agent)
    except MemcliError:
        return False


def _copilot_meets_claude(
    agent: Agent, scope: str, environ: Mapping[str, str], cwd: str
) -> bool:
    """Whether Copilot would find our hooks in two places once these are installed."""
    if agent is AGENTS["copilot"]:
        return _has_ours(AGENTS["claude-code"], "project", environ, cwd)
    if agent is not AGENTS["claude-code"] or scope == "user":
        return False
    return any(_has_ours(AGENTS["copilot"], each, environ, cwd) for each in SCOPES)
