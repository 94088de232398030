"""`memcli sweep` and `hook`: what hosts and timers call."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated

    from memcli.cli import options
    from memcli.declared import Argument, Option


def sweep(
    context: Context,
    *,
    still: Annotated[
        int,
        Option(
            "--still",
            metavar="MINUTES",
            help="Treat a session as over after MINUTES of silence",
        ),
    ] = 60,
    dry_run: options.DryRun = False,
) -> Result:
    """Mine sessions that crashed or ended without a hook

    Tidies up their markers, too. Hooks do this by themselves when a session starts or
    idles. For hosts without such hooks a timer can do it.

    \b
    Example:
      memcli sweep
      memcli sweep --still 180 --dry-run
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
    event: Annotated[
        str | None,
        Argument(metavar="EVENT", help="The event, e.g. session-start"),
    ] = None,
    *,
    host: Annotated[
        str | None,
        Option(
            "--host",
            metavar="HOST",
            help="Whose hook: claude-code, codex, gemini, copilot, cursor, windsurf, "
            "opencode",
        ),
    ] = None,
) -> Result:
    """Answer a hook of an agent's host (installed by memcli install)

    Reads the host's JSON on standard input and answers in the host's format. Always
    exits with 0, even when something is wrong; see memcli inspect sessions.

    EVENT is session-start, prompt-submit, pre-tool, post-tool, stop, session-end,
    pre-compact or idle.

    \b
    Example:
      memcli hook prompt-submit --host claude-code < payload.json
    """
    # `argv` starts plain calls at once; only the others come here.
    from memcli.sessions.hooks import call

    del context
    call.main([event or "", "--host", host or ""])
