"""The judge in the user's config, as a step: put in, refused or taken out.

Invariant: only the user's own config is changed, and that not before the judge has
answered once; a dry run asks no model. A judge that the user has chosen by hand is
neither replaced nor taken out: only a host's own command, as `memcli install HOST
--judge` writes it. An empty list is a no.
"""

from __future__ import annotations

import time

from memcli.errors import InvalidConfig, UsageError
from memcli.hosts import table, transcript
from memcli.hosts.install import Step
from memcli.hosts.transcript import Session
from memcli.sessions.judging import command
from memcli.sessions.judging.command import Judge, JudgeFailed
from memcli.storage import files, state_dirs, user_config

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.cli.context import Context
    from memcli.hosts.host import Host


_TABLE, _KEY = "mining", "judge"
# Of 231 sessions the median digest had 4,700 characters with ten known entries, the
# longest of nine in ten 8,600; a token is about four, and a judge writes 300 or so.
_COST = "1,500 tokens for a median session and 2,500 for a long one"
# A session that leaves no doubt, to try a judge with; nobody has typed it.
_TRIAL = (
    transcript.Step("user", "Fix the failing test, please.", 1, "1"),
    transcript.Step("assistant", "It passes now, and I committed the fix.", 2, "2"),
    transcript.Step(
        "user",
        "From now on, always run the linter before every commit, in all projects.",
        3,
        "3",
    ),
)


def put_in(context: Context, host: str, *, dry_run: bool) -> Step:
    """Plan to name a host's own command as the judge, after it was tried once.

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
    step = _step(context, "installed", record.judge, host)
    if not step.changes or dry_run:
        return step
    context.tell(f"asking {shown(record.judge)} about a made-up session ...")
    return step._replace(notes=(*step.notes, _try_once(context, record.judge)))


def refuse(context: Context) -> Step:
    """Plan to note that no judge is wanted, so that nobody asks again; raises as
    `put_in`."""
    return _step(context, "noted", ())


def ask(context: Context, host: str) -> tuple[list[Step], list[str]]:
    """Ask a person at the terminal, once for all hosts; returns what changes, and
    notes where nothing does.

    A judge that fails its trial is no answer: the question comes again the next time.

    Raises:
        InvalidConfig: the config cannot be read.
    """
    record = table.find(host, hooks=True)
    settings, _ = user_config.table(_TABLE, context.environ)
    if not context.interactive or _KEY in settings:
        return [], []
    said = f"{shown(record.judge)} may read each session once when it has ended"
    context.tell(_offer(record))
    answer = context.ask_unless_typed("May it? [y/N] ")
    if answer is None:
        return [], [f"not asked whether {said} (--judge, --no-judge)"]
    if answer.strip().lower() not in ("y", "yes"):
        return [refuse(context)], []
    try:
        return [put_in(context, host, dry_run=False)], []
    except JudgeFailed as error:
        why = f"no judge was named: {error.message}. {error.hint or ''}"
        return [], [why.strip()]


def take_out(context: Context, host: str) -> list[Step]:
    """Plan to take a host's judge out; no step when the config has another one, or
    none.

    Raises:
        InvalidValue, InvalidConfig: as `put_in`.
    """
    record = table.find(host, hooks=True)
    configured = command.configured(context.environ)
    if configured is None or configured.command != record.judge:
        return []
    return [_step(context, "removed", record.judge, host)]


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


def _try_once(context: Context, words: tuple[str, ...]) -> str:
    """Ask a judge about a session of three made-up lines; returns what it took.

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
    seconds = time.monotonic() - started
    return (
        f"tried once: {len(text):,} characters asked, {len(said):,} answered, "
        f"{seconds:.0f} s"
    )


def _step(
    context: Context, outcome: str, words: tuple[str, ...], host: str = ""
) -> Step:
    """The change of the config; raises where the user has chosen a judge."""
    path = state_dirs.path_of(context.environ)
    configured = command.configured(context.environ)
    proposed = {each.judge for each in table.with_hooks()}
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
    value = None if outcome == "removed" else words
    new = user_config.with_value(text, path, _TABLE, _KEY, value)
    after = new.encode() if new or before == b"" else None
    return Step(
        what="judge" if words else "no judge",
        host=host,
        scope="user",
        path=path,
        outcome="unchanged" if before == after else outcome,
        before=before,
        after=after,
        notes=(shown(words),) if words else (),
    )
