"""`memcli hook EVENT --host HOST`: what the hosts of agents call."""

from typing import Any

from memcli.cli.spec import Argument, Command, Context, Option, Result

_HELP = """Answer a hook of an agent's host (installed by memcli install)

    Reads the host's JSON on standard input and answers in the host's format. Always
    exits with 0, also when something is wrong; see memcli inspect sessions.

    EVENT is session-start, prompt-submit, stop, session-end, pre-compact or idle.

    \b
    Example:
      memcli hook prompt-submit --host claude-code < payload.json
    """

_PARAMETERS = (
    Argument("event", "What happened", metavar="EVENT"),
    Option(
        "host",
        ("--host",),
        str,
        "Whose hook: claude-code, codex, gemini, copilot, cursor, windsurf, opencode",
    ),
)


def run(context: Context, **values: Any) -> Result:
    """Answer a call that `argv` did not start at once: it reads the plain ones."""
    from memcli.sessions.hooks import call

    del context
    call.main([str(values["event"] or ""), "--host", str(values["host"] or "")])


COMMAND = Command("hook", _HELP, _PARAMETERS, run)
