"""`memcli sweep` and `hook`: what hosts and timers call."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result

TYPE_CHECKING = False


def sweep(
    context: Context,
    *,
    still: int = 60,
    dry_run: bool = False,
) -> Result:
    """Mine sessions that crashed or ended without a hook

    Tidies up their markers, too. Hooks do this by themselves when a session starts or
    idles. For hosts without such hooks a timer can do it.

    \b
    Example:
      memcli sweep
      memcli sweep --still 180 --dry-run

    Options:
        still: `--still MINUTES` Treat a session as over after MINUTES of silence
    """
    from memcli.sessions import recovery
    from memcli.storage import state_dirs

    vault = context.open_vault("sweeping", writes=True)
    sessions = recovery.sweep(
        vault, context.environ, still=60.0 * still, dry_run=dry_run
    )
    for each in sessions:
        if each.outcome in ("failed", "dropped"):
            context.tell(f"{each.session}: {each.why}")
    if not dry_run:
        state_dirs.sweep(context.environ)

    def text(canvas: Canvas) -> None:
        shown = [each for each in sessions if each.outcome != "unchanged"]
        if not shown:
            canvas.line("no session waits", style="nothing")
            return
        canvas.table(
            ("session", "host", "outcome", "why"),
            [(each.session, each.host, each.outcome, each.why or "") for each in shown],
        )

    data = {"sessions": [each.as_dict() for each in sessions], "dry_run": dry_run}
    return Result(data, text, ok=all(each.outcome != "failed" for each in sessions))


def hook(
    context: Context,
    event: str | None = None,
    *,
    host: str | None = None,
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
    from memcli.sessions.hooks import call

    del context
    call.main([event or "", "--host", host or ""])
