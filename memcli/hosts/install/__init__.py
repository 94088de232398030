"""Installing memcli's hooks into agent hosts, and taking them out again.

Door: `plan`, `apply`, `survey`. A plan is made before anything is written, and holds
every byte of it. A file that cannot be parsed, has comments, or changed since the plan
was made, is not touched. The earlier content of a changed file stays beside it.
Not in here: anything of a vault.
"""

from __future__ import annotations

from memcli.errors import Conflict, InvalidConfig, MemcliError
from memcli.hosts import table
from memcli.hosts.install import command_line, merge, settings_files
from memcli.hosts.install.command_line import Program, running
from memcli.hosts.install.settings_files import SCOPES, SettingsFile
from memcli.hosts.install.status import Installation, mend_of, survey
from memcli.named_tuple import NamedTuple
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memcli.hosts.host import Host

__all__ = [
    "SCOPES", "InstallOutcome", "InstallPlan", "Installation", "Program",
    "SettingsChange", "apply", "mend_of", "plan", "plan_removal", "running", "survey",
]  # fmt: skip


class SettingsChange(NamedTuple):
    """The bytes of a settings file before and after; None where there is no file.

    Attributes:
        path: the file.
        before, after: its bytes.
        private: whether a new one is for its owner alone.
        root: the folder that stays when the file and the folders it needed go.
        backup: whether a person may miss what the file was.
    """

    path: str
    before: bytes | None
    after: bytes | None
    private: bool
    root: str
    backup: bool


class InstallPlan(NamedTuple):
    """What an installation or a removal would do.

    Attributes:
        host, scope, path: whose settings, and the file.
        events: pairs, the host's name of an event and memcli's.
        change: None when all is as it should be.
        notes: what a person should know.
        removal: whether hooks are taken out.
    """

    host: str
    scope: str
    path: str
    events: tuple[tuple[str, str], ...]
    change: SettingsChange | None
    notes: tuple[str, ...]
    removal: bool = False


class InstallOutcome(NamedTuple):
    """What became of the file (none, written or removed), and its backup's path."""

    outcome: str
    backup: str | None


def plan(
    host: str,
    scope: str,
    environ: Mapping[str, str],
    cwd: str,
    program: Program,
    vault: str | None = None,
) -> InstallPlan:
    """What installing a host's hooks would change.

    Args:
        host: a host of the table that has hooks.
        scope: user, or project: the repository that `cwd` is in.
        environ: HOME, and the variables that move a host's folder.
        cwd: the current folder.
        program: how the hooks start memcli.
        vault: the vault's path, to be written into each call; None: none is.

    Raises:
        InvalidValue: there is no such host, or a path is not UTF-8.
        UsageError: a project's settings would be the user's.
        InvalidConfig: the file does not parse, holds something else, or has comments.
        Unreadable: they cannot be read.
    """
    record = table.find(host, hooks=True)
    file = settings_files.locate(record, scope, environ, cwd)
    before = settings_files.read(file.path)
    if record.is_plugin:
        after = command_line.plugin(program, vault).encode()
        if before is not None and not command_line.is_ours(before):
            raise InvalidConfig(
                f"{file.path}: is not memcli's; nothing was changed",
                hint="Move it away, then repeat the command.",
                code="invalid_settings",
            )
    else:
        wanted = settings_files.wanted(record, program, vault)
        text = settings_files.decoded(before or b"", file.path)
        after = merge.merged(text, file.path, record, wanted).encode()
    notes = [*record.notes]
    if scope == "project":
        notes.append(
            f"{file.path} names memcli by its path on this machine: where git brings "
            "the file to another machine, run memcli install again"
        )
        notes += record.project_notes
    notes += _runs_twice(record, scope, environ, cwd)
    other = _other(scope)
    if _is_installed(record, other, environ, cwd):
        notes.append(
            f"hooks are installed at scope {other}, too, and one is enough: "
            f"memcli uninstall {host} --scope {other}"
        )
    change = _change(file, before, after)
    return InstallPlan(host, scope, file.path, record.events, change, tuple(notes))


def plan_removal(
    host: str, scope: str, environ: Mapping[str, str], cwd: str
) -> InstallPlan:
    """What removing a host's hooks would change; arguments and errors as `plan`."""
    record = table.find(host, hooks=True)
    file = settings_files.locate(record, scope, environ, cwd)
    path = file.path
    before = settings_files.read(path)
    after = before
    if before is not None and record.is_plugin:
        after = None if command_line.is_ours(before) else before
    elif before is not None and b"memcli" in before:
        text = merge.without(settings_files.decoded(before, path), path, record)
        after = None if text is None else text.encode()
    notes = []
    if before == after:
        other = _other(scope)
        notes.append(f"no hook of memcli is in {path}")
        if _is_installed(record, other, environ, cwd):
            notes.append(
                f"there are some at scope {other}: "
                f"memcli uninstall {host} --scope {other}"
            )
    change = _change(file, before, after)
    return InstallPlan(
        host, scope, path, record.events, change, tuple(notes), removal=True
    )


def apply(plan: InstallPlan) -> InstallOutcome:
    """Do what a plan says.

    The earlier content of a file stays beside it as `NAME.memcli-backup`, with a number
    when there is one already. A backup that equals what a removal leaves goes: it is
    not needed any more.

    Raises:
        Conflict: the file is not what it was when the plan was made.
        WriteFailed: the disk refused.
    """
    change = plan.change
    if change is None:
        return InstallOutcome("none", None)
    if settings_files.read(change.path) != change.before:
        raise Conflict(
            f"{change.path}: changed in between; nothing was changed",
            hint="Repeat the command.",
        )
    equal = [
        copy
        for copy in settings_files.backups(change.path)
        if plan.removal and settings_files.read(copy) == change.after
    ]
    backup = None
    if change.before is not None and change.backup and not equal:
        backup = settings_files.keep(change.path, change.before)
    if change.after is None:
        settings_files.remove(change.path, change.root)
        return InstallOutcome("removed", backup)
    with settings_files.private(change.private):
        files.write_atomic(change.path, change.after)
    for copy in equal:
        files.remove(copy)
    return InstallOutcome("written", backup)


def _change(
    file: SettingsFile, before: bytes | None, after: bytes | None
) -> SettingsChange | None:
    if before == after:
        return None
    # Settings of which nothing stays, and a plugin as memcli wrote it, are memcli's.
    only_ours = after is None
    if file.host.is_plugin:
        only_ours = before is not None and command_line.is_untouched(before)
    private = file.scope == "user"
    return SettingsChange(
        file.path, before, after, private, file.root, backup=not only_ours
    )


def _other(scope: str) -> str:
    return next(name for name in SCOPES if name != scope)


def _is_installed(host: Host, scope: str, environ: Mapping[str, str], cwd: str) -> bool:
    try:
        path = settings_files.locate(host, scope, environ, cwd).path
        data = settings_files.read(path) or b""
        if host.is_plugin:
            return command_line.is_ours(data)
        return merge.ours_in(settings_files.decoded(data, path), path, host)
    except MemcliError:
        return False


def _runs_twice(
    host: Host, scope: str, environ: Mapping[str, str], cwd: str
) -> list[str]:
    """Notes of hosts that find memcli in two places once these hooks are installed."""
    notes = []
    for reader in table.with_hooks():
        other = table.get(reader.also_runs_project_of)
        if other is None:
            continue
        if host is reader:
            twice = _is_installed(other, "project", environ, cwd)
        elif host is other and scope == "project":
            twice = any(_is_installed(reader, each, environ, cwd) for each in SCOPES)
        else:
            twice = False
        if twice:
            notes.append(settings_files.runs_also(reader, other))
    return notes
