"""The judge in the user's config: proposed for a host, tried once, put in, taken out.

Invariant: a plan holds every byte before anything is written, and only the user's own
config is written. A judge that the user has chosen by hand is neither replaced nor
taken out: only a host's own command, as `memcli install HOST --judge` writes it.
"""

from __future__ import annotations

import os
import time

from memcli.errors import Conflict, InvalidConfig, UsageError
from memcli.hosts import table
from memcli.hosts.transcript import Session, Step
from memcli.named_tuple import NamedTuple
from memcli.sessions.judging import command
from memcli.sessions.judging.command import Judge, JudgeFailed
from memcli.storage import files, user_config, user_folder

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_TABLE, _KEY = "mining", "judge"
# A session that leaves no doubt, to try a judge with; nobody has typed it.
_TRIAL = (
    Step("user", "Fix the failing test, please.", 1, "1"),
    Step("assistant", "It passes now, and I committed the fix.", 2, "2"),
    Step(
        "user",
        "From now on, always run the linter before every commit, in all projects.",
        3,
        "3",
    ),
)


class SettingPlan(NamedTuple):
    """What becomes of the judge in the user's config.

    Attributes:
        words: the command that is put in or taken out.
        path: the config file.
        before, after: its bytes; None for no file. They are equal when all is as it
            should be.
    """

    words: tuple[str, ...]
    path: str
    before: bytes | None
    after: bytes | None

    @property
    def changes(self) -> bool:
        """Whether anything is to be written."""
        return self.before != self.after


class Trial(NamedTuple):
    """How a judge answered the trial: its seconds, and the characters both ways."""

    seconds: float
    asked: int
    said: int


def plan(host: str, environ: Mapping[str, str]) -> SettingPlan:
    """What `memcli install HOST --judge` writes.

    Raises:
        InvalidValue: no such host.
        UsageError: the host has no such command, or the user has chosen another one.
        InvalidConfig: the config cannot be read, or only a person can change it.
    """
    record = table.find(host, hooks=True)
    if not record.judge:
        names = ", ".join(each.name for each in table.with_hooks() if each.judge)
        raise UsageError(
            f"{record.title} has no command that answers a prompt on standard input",
            hint=f"These have one: {names}. Any other stands in your config as "
            '[mining] judge = ["COMMAND", "..."].',
        )
    configured = command.configured(environ)
    path = user_folder.path_of(environ)
    if configured and not _is_proposed(configured.command):
        raise UsageError(
            f"{path} has a judge of your own: {' '.join(configured.command)}",
            hint="Take judge out of its [mining] first.",
        )
    return _plan(record.judge, environ, put_in=True)


def plan_removal(host: str, environ: Mapping[str, str]) -> SettingPlan | None:
    """What takes a host's judge out again; None when the judge is not this host's.

    Raises:
        InvalidValue, InvalidConfig: as `plan`.
    """
    record = table.find(host, hooks=True)
    configured = command.configured(environ)
    if configured is None or configured.command != record.judge:
        return None
    return _plan(record.judge, environ, put_in=False)


def try_once(words: tuple[str, ...], environ: Mapping[str, str]) -> Trial:
    """Ask a judge about a session of three made-up lines.

    Raises:
        JudgeFailed: it cannot be started, failed, or gave no answer that counts. The
            hint has the end of what it said.
    """
    # They load the rules of mining, which a look at the setting needs nothing of.
    from memcli.sessions.judging import answers, digest

    judge = Judge(words)
    made = digest.compose(
        Session("trial", "generic"), None, digest.turns_of(_TRIAL), []
    )
    started = time.monotonic()
    said = command.ask(judge, made.text, environ, told=True)
    kept, refused = answers.read(said, made)
    if not kept:
        why = f": {refused[0].why}" if refused else ""
        raise JudgeFailed(
            f"the judge {judge.name} gave no answer that can be used{why}",
            hint=command.ending(said),
        )
    return Trial(time.monotonic() - started, len(made.text), len(said))


def apply(plan: SettingPlan) -> None:
    """Write what a plan says.

    Raises:
        Conflict: the config has changed since the plan was made.
        WriteFailed: the disk refused.
    """
    if files.current(plan.path) != plan.before:
        raise Conflict(
            f"{plan.path}: changed in between; nothing was changed",
            hint="Repeat the command.",
        )
    if plan.after is None:
        files.remove(os.path.realpath(plan.path))
    else:
        files.write_atomic(plan.path, plan.after)


def state(environ: Mapping[str, str]) -> dict[str, Any]:
    """The judge of the config, for eyes and JSON: command, path, and what is wrong."""
    problem = None
    judge = None
    try:
        judge = command.configured(environ)
    except InvalidConfig as error:
        problem = error.message
    if judge is not None and command.program_of(judge, environ) is None:
        problem = f"{judge.command[0]} is not on the PATH"
    return {
        "command": list(judge.command) if judge else None,
        "path": user_folder.path_of(environ),
        "problem": problem,
    }


def _is_proposed(words: tuple[str, ...]) -> bool:
    return any(words == host.judge for host in table.with_hooks())


def _plan(
    words: tuple[str, ...], environ: Mapping[str, str], *, put_in: bool
) -> SettingPlan:
    path = user_folder.path_of(environ)
    before = files.current(path)
    try:
        text = (before or b"").decode()
    except UnicodeDecodeError as error:
        raise InvalidConfig(f"{path}: not UTF-8", hint="Save it as UTF-8.") from error
    new = user_config.with_words(text, path, _TABLE, _KEY, words if put_in else None)
    after = new.encode() if new or before == b"" else None
    return SettingPlan(words, path, before, after)
