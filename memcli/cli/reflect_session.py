"""`memcli reflect` on sessions, one transcript or a host's whole history; and `hook`,
which hosts call."""

from __future__ import annotations

import contextlib
import os
from collections import Counter

from memcli.cli.context import Canvas, Context, Result, said
from memcli.cli.review import walk
from memcli.cli.rows import table
from memcli.entries.text.counted import counted
from memcli.errors import Unreadable, UsageError, VaultNotFound
from memcli.hosts import table as hosts
from memcli.hosts import transcripts
from memcli.recall.query import moment_of
from memcli.sessions import answers, recovery, reflect_session
from memcli.sessions import digest as digests
from memcli.sessions import judge as judging
from memcli.sessions.bringing import MOST_UNSURE, Reflected
from memcli.sessions.hooks import call
from memcli.storage import files, known_vaults

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memcli.sessions.routing import Fate


def mine_one(
    context: Context, path: str | None, host: str | None, *, dry_run: bool
) -> Result:
    """Mine one session, and ask a person at the terminal about its patterns."""
    vault = context.open_vault("reflecting", writes=True)
    transcript = reflect_session.opened(vault, path or _current(context), host)
    done = reflect_session.reflect(vault, transcript, dry_run=dry_run)
    lines = counted(done.broken, "line")
    unread = (f"{lines} of the transcript could not be read",) if done.broken else ()
    result = Result(done.as_dict(), lambda canvas: _draw(canvas, done), unread)
    waits = [fate.id for fate in done.fates if fate.action in ("review", "supersede")]
    ids = list(filter(None, waits)) if not done.dry_run and context.interactive else []
    if not ids or vault.settings.memory.review_mode != "interactive":
        return result
    for line in _lines(done):
        context.tell(line)
    decided = walk(context, vault, only=ids)
    data = {**result.data, "decided": decided.data}
    return result._replace(data=data, text=decided.text)


def digest(context: Context, path: str | None, host: str | None) -> Result:
    """Print what a judge needs to know of a session, and the question."""
    vault = context.open_vault("indexing")
    transcript = reflect_session.opened(vault, path or _current(context), host)
    made = digests.gather(vault, transcript)
    return said(made.as_dict(), made.text().removesuffix("\n"), style="")


def judged(
    context: Context,
    path: str | None,
    host: str | None,
    source: str,
    judge: str,
    *,
    dry_run: bool,
) -> Result:
    """Take a judge's answers; each that is refused is a warning with its line."""
    if source == "-":
        data = context.read_stdin()
    else:
        data = files.read(source, limit=answers.LARGEST)
    vault = context.open_vault("reflecting", writes=True)
    transcript = reflect_session.opened(vault, path or _current(context), host)
    done = judging.bring(vault, transcript, data, judge=judge, dry_run=dry_run)
    lines = tuple(f"line {one.line} is not taken: {one.why}" for one in done.refused)

    def show(canvas: Canvas) -> None:
        _draw(canvas, done.reflected)
        for verb, ids in (("resolved", done.resolved), ("approved", done.approved)):
            for name in ids:
                canvas.line(f"{verb}\t{name}")

    return Result(data=done.as_dict(), text=show, warnings=lines)


def mine_all(
    context: Context, host: str | None, since: str | None, *, dry_run: bool
) -> Result:
    """Mine every session of the hosts on this machine."""
    named = [hosts.find(host).name] if host else []
    at = moment_of(since, context.now_ms() // 1000)
    vault = context.open_vault("reflecting", writes=True)
    found = transcripts.discover(context.environ, *named, since_ms=at and at * 1000)
    progress = context.progress("sessions")
    done = list(
        reflect_session.reflect_all(vault, found, dry_run=dry_run, progress=progress)
    )
    failed = [each for each in done if each["outcome"] == "failed"]
    rows: dict[str, Counter[Any]] = {}
    columns = "sessions reflected unchanged failed saved review noted idea seen"
    for each in done:
        none = {"host": each["host"], **dict.fromkeys(columns.split(), 0)}
        counts = rows.setdefault(each["host"], Counter(none))
        counts.update({"sessions": 1, each["outcome"]: 1, **each["counts"]})

    def text(canvas: Canvas) -> None:
        if not rows:
            canvas.line("no transcripts on this machine", style="nothing")
            return
        shown = columns.replace("idea", "ideas=idea")
        table(canvas, [*rows.values()], f"host {shown}")
        if dry_run and canvas.terminal:
            canvas.line("nothing was changed", style="dim")

    data = {"sessions": done, "dry_run": dry_run}
    warnings = tuple(each["error"] for each in failed)
    return Result(data=data, text=text, warnings=warnings, ok=not failed)


def _current(context: Context) -> str:
    environ = context.environ
    session = transcripts.running(environ)
    if session is not None:
        if path := transcripts.named(*session, environ):
            return path
        raise Unreadable(
            f"session {session[1]} has no transcript yet",
            hint="Hosts write it with the first answer; try again then, or name one: "
            "memcli reflect --session PATH",
        )
    with contextlib.suppress(VaultNotFound):  # the hooks may know
        root = known_vaults.find_vault(context.vault, environ)
        if path := recovery.newest(root, os.getcwd(), context.agent, environ):
            return path
    if context.via == "mcp":
        raise UsageError(
            "no session of an agent is known to this server",
            hint="Save what is worth keeping with memory_save, one memory a call.",
        )
    raise UsageError(
        "there is no question, and no session of an agent runs here",
        hint='Ask one: memcli reflect "what do we know about X?"; or name a '
        "transcript: memcli reflect --session PATH",
    )


def _draw(canvas: Canvas, done: Reflected) -> None:
    if canvas.terminal:
        for line in _lines(done):
            canvas.line(line)
    if not done.fates:
        return
    own: dict[str, Callable[[Fate], object]] = {
        "became": lambda fate: (
            f"{fate.action} (for {fate.target})" if fate.target else fate.action
        ),
        "confidence": lambda fate: fate.candidate.confidence,
        "kind": lambda fate: fate.candidate.kind or fate.candidate.category,
        "title": lambda fate: fate.candidate.title,
    }
    table(canvas, done.fates, "became confidence kind id title", own)
    if canvas.terminal and done.dry_run:
        canvas.line("nothing was changed", style="dim")


def _lines(done: Reflected) -> list[str]:
    """The outcome, in sentences."""
    counts = ", ".join(f"{name} {number}" for name, number in done.counts.items())
    verb = "would be " if done.dry_run else ""
    lines = [f"{done.session.host} {done.session.id}: {counted(done.turns, 'turn')}"]
    lines.append(f"  {verb}{counts}" if counts else "  nothing to keep")
    if done.cut:
        lines.append(
            f"  {done.cut} left out: a session brings at most {MOST_UNSURE} that are "
            "not explicit, and session_cap that are (.memcli/config.toml)"
        )
    return lines


def hook(
    context: Context, event: str | None = None, *, host: str | None = None
) -> Result:
    """Answer a hook of an agent's host (installed by memcli install)

    Reads the host's JSON on standard input and answers in the host's format. Always
    exits with 0, even when something is wrong; see memcli inspect sessions.

    EVENT is session-start, prompt-submit, pre-tool, post-tool, stop, session-end,
    pre-compact or idle.

    \b
    Example:
      memcli hook prompt-submit --host claude-code < payload.json

    Options:
        event: `EVENT` The event, e.g. session-start
        host: `--host HOST` Whose hook: claude-code, codex, gemini, copilot, cursor,
            windsurf, opencode
    """
    # `argv` starts plain calls at once; only the others come here.
    del context
    call.main([event or "", "--host", host or ""])
