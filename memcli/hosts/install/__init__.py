"""Installing memcli's hooks into agent hosts, and taking them out again.

Door: `plan`, `apply`, `survey`. A plan is made before anything is written, and holds
every byte of it. A file that cannot be parsed, has comments, or changed since the plan
was made, is not touched. The earlier content of a changed file stays beside it.
Not in here: anything of a vault.
"""

from __future__ import annotations

import os

from memcli.errors import Conflict, InvalidConfig
from memcli.hosts import table
from memcli.hosts.install import command_line, settings
from memcli.hosts.install.command_line import Program, running
from memcli.hosts.install.settings import SCOPES, SettingsFile
from memcli.hosts.install.status import Installation, survey
from memcli.named_tuple import NamedTuple
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "SCOPES", "InstallOutcome", "InstallPlan", "Installation", "Program", "apply",
    "plan", "plan_removal", "running", "survey",
]  # fmt: skip


class InstallPlan(NamedTuple):
    """The plan of an installation or a removal.

    Attributes:
        file: the settings file, and whose it is.
        before, after: its bytes; None where there is no file.
        notes: what a person should know.
        removal: whether hooks are taken out.
    """

    file: SettingsFile
    before: bytes | None
    after: bytes | None
    notes: tuple[str, ...]
    removal: bool = False

    @property
    def path(self) -> str:
        """The settings file."""
        return self.file.path

    @property
    def changes(self) -> bool:
        """Whether anything is to be written."""
        return self.before != self.after


class InstallOutcome(NamedTuple):
    """The outcome for the file (none, written or removed), and its backup's path."""

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
    """Plan to install a host's hooks.

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
    file = settings.locate(record, scope, environ, cwd)
    before = settings.read(file.path)
    if record.is_plugin:
        after = command_line.plugin(program, vault).encode()
        if before is not None and not command_line.is_ours(before):
            raise InvalidConfig(
                f"{file.path}: is not memcli's; nothing was changed",
                hint="Move it away, then repeat the command.",
                code="invalid_settings",
            )
    else:
        wanted = settings.wanted(record, program, vault)
        text = settings.decoded(before or b"", file.path)
        after = settings.merged(text, file.path, record, wanted).encode()
    notes = [*record.notes]
    if scope == "project":
        notes.append(
            f"{file.path} names memcli by its path on this machine: where git brings "
            "the file to another machine, run memcli install again"
        )
        notes += record.project_notes
    return InstallPlan(file, before, after, tuple(notes))


def plan_removal(
    host: str, scope: str, environ: Mapping[str, str], cwd: str
) -> InstallPlan:
    """Plan to remove a host's hooks; arguments and errors as `plan`."""
    record = table.find(host, hooks=True)
    file = settings.locate(record, scope, environ, cwd)
    before = after = settings.read(file.path)
    if before is not None and record.is_plugin:
        after = None if command_line.is_ours(before) else before
    elif before is not None and b"memcli" in before:
        text = settings.decoded(before, file.path)
        left = settings.without(text, file.path, record)
        after = None if left is None else left.encode()
    notes = [f"no hook of memcli is in {file.path}"] if before == after else []
    return InstallPlan(file, before, after, tuple(notes), removal=True)


def apply(plan: InstallPlan) -> InstallOutcome:
    """Do what a plan says.

    The content of a file before memcli's first change stays beside it as
    `NAME.memcli-backup`. A backup that equals what a removal leaves goes: it is not
    needed any more.

    Raises:
        Conflict: the file is not what it was when the plan was made.
        WriteFailed: the disk refused.
    """
    path, before, after = plan.path, plan.before, plan.after
    if not plan.changes:
        return InstallOutcome("none", None)
    if settings.read(path) != before:
        raise Conflict(
            f"{path}: changed in between; nothing was changed",
            hint="Repeat the command.",
        )
    copy, kept = settings.backup(path), None
    if plan.removal and settings.read(copy) == after is not None:
        files.remove(copy)
    elif before is not None and not _only_ours(plan) and not os.path.lexists(copy):
        kept = copy
        with settings.private(True):
            files.write_atomic(copy, before)
    if after is None:
        settings.remove(path, plan.file.root)
        return InstallOutcome("removed", kept)
    with settings.private(plan.file.scope == "user"):
        files.write_atomic(path, after)
    return InstallOutcome("written", kept)


def _only_ours(plan: InstallPlan) -> bool:
    """Whether memcli wrote all that the file was: nobody may miss it."""
    if plan.file.host.is_plugin:
        return command_line.is_untouched(plan.before or b"")
    return plan.after is None
