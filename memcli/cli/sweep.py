"""`memcli sweep` and `hook`: what hosts and timers call."""

from __future__ import annotations

import sys

from memcli.cli.context import Canvas, Context, Result

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Annotated, Literal

    from memcli.cli import options
    from memcli.declared import Argument, Option


_UNITS = {
    "systemd": """\
# ~/.config/systemd/user/memcli-sweep.service
[Unit]
Description=Mine agents' sessions that ended unseen

[Service]
Type=oneshot
ExecStart={command}

# ~/.config/systemd/user/memcli-sweep.timer
[Unit]
Description=Mine agents' sessions that ended unseen, every hour

[Timer]
OnCalendar=hourly
Persistent=true

[Install]
WantedBy=timers.target

# Then: systemctl --user enable --now memcli-sweep.timer
""",
    "cron": """\
# Add with: crontab -e
17 * * * * {command} >/dev/null 2>&1
""",
    "launchd": """\
<!-- ~/Library/LaunchAgents/memcli.sweep.plist, then: launchctl load that file -->
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
  <key>Label</key><string>memcli.sweep</string>
  <key>ProgramArguments</key>
  <array>
    <string>/bin/sh</string><string>-c</string><string>{command}</string>
  </array>
  <key>StartInterval</key><integer>3600</integer>
</dict></plist>
""",
}

# What a `%` or a `&` in a path means to each of them.
_ESCAPED: dict[str, Callable[[str], str]] = {
    "systemd": lambda text: text.replace("%", "%%"),
    "cron": lambda text: text.replace("%", "\\%"),
    "launchd": lambda text: text.replace("&", "&amp;").replace("<", "&lt;"),
}


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
    unit: Annotated[
        Literal["systemd", "cron", "launchd"] | None,
        Option("--unit", help="Print the files of a timer instead"),
    ] = None,
) -> Result:
    """Mine sessions that crashed or ended without a hook

    Tidies up their markers, too. Hooks do this by themselves when a session starts or
    idles. For hosts without such hooks a timer can do it: --unit prints what systemd,
    cron or launchd needs, with the path of this memcli, and installs nothing.

    \b
    Example:
      memcli sweep
      memcli sweep --unit systemd
    """
    if unit:
        return _timer(_UNITS[unit].format(command=_ESCAPED[unit](_command(context))))
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


def _timer(unit: str) -> Result:
    def text(canvas: Canvas) -> None:
        for line in unit.splitlines():
            canvas.line(line)

    return Result({"unit": unit}, text)


def _command(context: Context) -> str:
    """The command line by which a timer, which has no PATH, calls this memcli."""
    import os
    import shlex

    program = os.path.abspath(sys.argv[0])
    if os.path.basename(program) in ("memcli", "memcli.exe"):
        words = [program]
    else:
        words = [sys.executable, "-P", "-m", "memcli"]
    words.append("sweep")
    if context.vault:
        from memcli.storage import known_vaults

        words += ["--vault", known_vaults.find_vault(context.vault, context.environ)]
    if context.agent:
        words += ["--agent", context.agent]
    return shlex.join(words)


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
