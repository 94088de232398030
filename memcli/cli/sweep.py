"""`memcli sweep`: mine the sessions that ended unseen; for timers, and by hand."""

import sys
from collections.abc import Callable
from typing import Any

from memcli.cli.spec import Canvas, Command, Context, Option, Result

_HELP = """Mine sessions that crashed or ended unseen, and tidy up their markers

    Hooks do it by themselves when a session starts or idles. For hosts without such
    hooks, or to be sure, let a timer do it: --unit prints what systemd, cron or
    launchd needs, with the path of this memcli; nothing is installed.

    \b
    Example:
      memcli sweep
      memcli sweep --unit systemd
    """

_PARAMETERS = (
    Option(
        "still",
        ("--still",),
        int,
        "Minutes without a touch after which a session is over",
        default=60,
        metavar="MINUTES",
    ),
    Option("dry_run", ("--dry-run",), bool, "Only show what would be", default=False),
    Option(
        "unit",
        ("--unit",),
        str,
        "Print a timer's files instead",
        choices=("systemd", "cron", "launchd"),
    ),
)

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


def run(context: Context, **values: Any) -> Result:
    """Sweep once, or print a timer's files."""
    if values["unit"]:
        command = _ESCAPED[values["unit"]](_command(context))
        unit = _UNITS[values["unit"]].format(command=command)

        def printed(canvas: Canvas) -> None:
            for line in unit.splitlines():
                canvas.line(line)

        return Result({"unit": unit}, printed)
    from memcli.sessions import recovery

    vault = context.open_vault("sweeping", writes=True)
    done = recovery.sweep(
        vault,
        context.environ,
        still=60.0 * values["still"],
        dry_run=values["dry_run"],
        tell=lambda one: (
            context.tell(f"{one.session}: {one.why}")
            if one.outcome in ("failed", "dropped")
            else None
        ),
    )
    if not values["dry_run"]:
        recovery.tell_log(vault, done)

    def text(canvas: Canvas) -> None:
        shown = [one for one in done if one.outcome != "unchanged"]
        if not shown:
            canvas.line("no session waits", style="dim")
            return
        canvas.table(
            ("session", "host", "outcome", "why"),
            [(one.session, one.host, one.outcome, one.why or "") for one in shown],
        )

    data = {
        "sessions": [one.as_dict() for one in done],
        "dry_run": values["dry_run"],
    }
    return Result(data, text, ok=not any(one.outcome == "failed" for one in done))


def _command(context: Context) -> str:
    """How a timer calls this memcli; it has no PATH to speak of."""
    import os
    import shlex

    program = os.path.abspath(sys.argv[0])
    if os.path.basename(program) in ("memcli", "memcli.exe"):
        words = [program]
    else:
        words = [sys.executable, "-P", "-m", "memcli"]
    words.append("sweep")
    if context.vault:
        from memcli.storage import settings

        words += ["--vault", settings.find_vault(context.vault, context.environ)]
    if context.agent:
        words += ["--agent", context.agent]
    return shlex.join(words)


COMMAND = Command("sweep", _HELP, _PARAMETERS, run)
