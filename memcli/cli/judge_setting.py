"""The judge in the user's config: asked about, tried once, put in, refused, taken out.

Invariant: a change holds every byte before anything is written, only the user's own
config is written, and that not before the judge has answered once; a dry run asks no
model. A judge that the user has chosen by hand is neither replaced nor taken out: only
a host's own command, as `memcli install HOST --judge` writes it. An empty list is a no.
"""

from __future__ import annotations

import os
import time

from memcli.cli.context import Canvas, Context, Result
from memcli.errors import Conflict, InvalidConfig, UsageError
from memcli.hosts import table
from memcli.hosts.transcript import Session, Step
from memcli.named_tuple import NamedTuple
from memcli.sessions.judging import command
from memcli.sessions.judging.command import Judge, JudgeFailed
from memcli.storage import files, state_dirs, user_config

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from memcli.hosts.host import Host


_TABLE, _KEY = "mining", "judge"
# Of 231 sessions the median digest had 4,700 characters with ten known entries, the
# longest of nine in ten 8,600; a token is about four, and a judge writes 300 or so.
_COST = "1,500 tokens for a median session and 2,500 for a long one"
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


class Trial(NamedTuple):
    """How a judge answered the trial: its seconds, and the characters both ways."""

    seconds: float
    asked: int
    said: int


class JudgeChange(NamedTuple):
    """A change of the judge in the user's config.

    Attributes:
        words: the command; empty for a no.
        path: the config file.
        before, after: its bytes; None for no file. They are equal when all is as it
            should be.
        put_in: whether the words are put in; else they are taken out.
        dry_run: whether nothing is to be written.
        trial: None for a dry run, a no, a removal, and what is configured already.
    """

    words: tuple[str, ...]
    path: str
    before: bytes | None
    after: bytes | None
    put_in: bool
    dry_run: bool
    trial: Trial | None = None

    @property
    def changes(self) -> bool:
        """Whether anything is to be written."""
        return self.before != self.after

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        words = "written" if self.put_in else "removed"
        outcome = "dry_run" if self.dry_run else words
        return {
            "command": list(self.words),
            "path": self.path,
            "outcome": outcome if self.changes else "none",
            "trial": self.trial._asdict() if self.trial else None,
        }

    def draw(self, canvas: Canvas) -> None:
        """Say in a sentence what changes, and name the command."""
        where, is_done = self.path, self.changes and not self.dry_run
        if not self.changes:
            said = f"{'the judge' if self.words else 'no judge'} stands in {where}"
            said += " already"
        elif not self.words:
            said = f"{'noted' if is_done else 'would note'} in {where}: no judge"
        elif self.put_in:
            verb = "named the judge in" if is_done else "would try, and name in"
            said = f"{verb} {where}"
        else:
            verb = "took the judge out of" if is_done else "would take out of"
            said = f"{verb} {where}"
        canvas.line(said, style="good" if is_done else "dim")
        if self.words:
            canvas.line(f"  {shown(self.words)}")
        if self.trial:
            canvas.line(
                f"  tried once: {self.trial.asked:,} characters asked, "
                f"{self.trial.said:,} answered, {self.trial.seconds:.0f} s",
                style="dim",
            )

    def write(self) -> None:
        """Write it, unless it is a dry run.

        Raises:
            Conflict: the config has changed since the change was planned.
            WriteFailed: the disk refused.
        """
        if self.dry_run or not self.changes:
            return
        if files.current(self.path) != self.before:
            raise Conflict(
                f"{self.path}: changed in between; nothing was changed",
                hint="Repeat the command.",
            )
        if self.after is None:
            files.remove(os.path.realpath(self.path))
        else:
            files.write_atomic(self.path, self.after)


def put_in(context: Context, host: str, *, dry_run: bool) -> JudgeChange:
    """Try a host's own command as the judge, once; nothing is written yet.

    Raises:
        InvalidValue: no such host.
        UsageError: it has no such command, or the user has chosen another one.
        InvalidConfig: the config cannot be read, or only a person can change it.
        JudgeFailed: it gave no answer that counts.
    """
    record = table.find(host, hooks=True)
    if not record.judge:
        names = ", ".join(each.name for each in table.with_hooks() if each.judge)
        raise UsageError(
            f"{record.title} has no command that answers a prompt on standard input",
            hint=f"These have one: {names}. Any other stands in your config as "
            '[mining] judge = ["COMMAND", "..."].',
        )
    change = _change(context, record.judge, record.judge, dry_run=dry_run)
    if not change.changes or dry_run:
        return change
    context.tell(f"asking {shown(record.judge)} about a made-up session ...")
    return change._replace(trial=_try_once(context, record.judge))


def refuse(context: Context, *, dry_run: bool) -> JudgeChange:
    """Note that no judge is wanted, so that nobody asks again; raises as `put_in`."""
    return _change(context, (), (), dry_run=dry_run)


def ask(
    context: Context, host: str, *, dry_run: bool
) -> tuple[JudgeChange | None, str]:
    """Ask a person at the terminal, once for all hosts; returns what changes, and a
    note where nothing does.

    A judge that fails its trial is no answer: the question comes again the next time.

    Raises:
        InvalidConfig: the config cannot be read.
    """
    record = table.find(host, hooks=True)
    settings, _ = user_config.table(_TABLE, context.environ)
    if not record.judge or not context.interactive or _KEY in settings:
        return None, ""
    said = f"{shown(record.judge)} may read each session once when it has ended"
    if dry_run:
        return None, f"would ask whether {said} (--judge, --no-judge)"
    context.tell(_offer(record))
    answer = context.ask_unless_typed("May it? [y/N] ")
    if answer is None:
        return None, f"not asked whether {said} (--judge, --no-judge)"
    if answer.strip().lower() not in ("y", "yes"):
        return refuse(context, dry_run=False), ""
    try:
        return put_in(context, host, dry_run=False), ""
    except JudgeFailed as error:
        return None, f"no judge was named: {error.message}. {error.hint or ''}".strip()


def take_out(context: Context, host: str, *, dry_run: bool) -> JudgeChange | None:
    """The removal of a host's judge; None when the config has another one, or none.

    Raises:
        InvalidValue, InvalidConfig: as `put_in`.
    """
    record = table.find(host, hooks=True)
    configured = command.configured(context.environ)
    if configured is None or configured.command != record.judge:
        return None
    return _change(context, record.judge, None, dry_run=dry_run)


def alone(change: JudgeChange | None, host: str) -> Result:
    """The result of a removal that leaves hooks where they are."""
    if change is None:
        said = f"the judge of your config is not that of {host}; nothing was changed"
        return Result({"judge": None}, lambda canvas: canvas.line(said, style="dim"))
    return Result({"judge": change.as_dict()}, change.draw)


def beside(result: Result, change: JudgeChange | None, note: str = "") -> Result:
    """The result of an installation, with what became of the judge, or a note."""

    def text(canvas: Canvas) -> None:
        result.text(canvas)
        if change:
            change.draw(canvas)
        if note:
            canvas.line(note, style="dim")

    data = {**result.data, "judge": change.as_dict()} if change else result.data
    return result._replace(data=data, text=text)


def draw_state(canvas: Canvas, state: dict[str, Any]) -> None:
    """One line for the judge of the config, and one for what is wrong with it."""
    if state["command"]:
        canvas.line(f"judge: {shown(state['command'])}")
    else:
        canvas.line("judge: none; memcli install HOST --judge", style="dim")
    if state["problem"]:
        canvas.line(f"  problem: {state['problem']}", style="bad")


def shown(words: tuple[str, ...] | list[str]) -> str:
    """A command as a person would type it."""
    from shlex import join

    return join(words)


def _offer(host: Host) -> str:
    return (
        f"When a session has ended, memcli can have {host.title} read it once, to find "
        "what rules miss:\n"
        f"  {shown(host.judge)}\n"
        f"That is roughly {_COST}, beside what {host.title} adds of its own. The words "
        "of the session go to its model."
    )


def _try_once(context: Context, words: tuple[str, ...]) -> Trial:
    """Ask a judge about a session of three made-up lines.

    Raises:
        JudgeFailed: it cannot be started, failed, or gave no answer that counts. The
            hint has the end of what it said.
    """
    from memcli.sessions.judging import answers, digest

    judge = Judge(words)
    session = Session("trial", "generic")
    made = digest.compose(session, None, digest.turns_of(_TRIAL), [])
    text = made.text()
    started = time.monotonic()
    said = command.ask(judge, text, context.environ, told=True)
    kept, refused = answers.read(said, made)
    if not kept:
        why = f": {refused[0].why}" if refused else ""
        raise JudgeFailed(
            f"the judge {judge.name} gave no answer that can be used{why}",
            hint=command.ending(said),
        )
    return Trial(time.monotonic() - started, len(text), len(said))


def _change(
    context: Context,
    words: tuple[str, ...],
    value: tuple[str, ...] | None,
    *,
    dry_run: bool,
) -> JudgeChange:
    """The config with another value; raises where the user has chosen a judge."""
    path = state_dirs.path_of(context.environ)
    configured = command.configured(context.environ)
    proposed = {host.judge for host in table.with_hooks()}
    if configured and configured.command not in proposed:
        raise UsageError(
            f"{path} has a judge of your own: {shown(configured.command)}",
            hint="Take judge out of its [mining] first.",
        )
    before = files.current(path)
    try:
        text = (before or b"").decode()
    except UnicodeDecodeError as error:
        raise InvalidConfig(f"{path}: not UTF-8", hint="Save it as UTF-8.") from error
    new = user_config.with_value(text, path, _TABLE, _KEY, value)
    after = new.encode() if new or before == b"" else None
    return JudgeChange(words, path, before, after, value is not None, dry_run)
