"""`memcli hook EVENT --host HOST`: what the hosts of agents call."""

from __future__ import annotations  # evaluated only when Typer reads them

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated

    from memcli.cli.context import Context, Result
    from memcli.cli.declared import Argument, Option


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
