"""`memcli reflect`: what is known about a question; what a session teaches."""

from typing import Any

from memcli.cli.recall import BY_KIND, BY_TAG_AND_TIME
from memcli.cli.spec import SEVERAL_VAULTS, Argument, Command, Context, Option, Result
from memcli.errors import UsageError

_HELP = """Gather what answers a question, and say how far to trust it

    Models first, then observations, then facts, each as recall ranks them; with what
    is missing, what disagrees, what was left out and what to ask next. No model is
    called: whoever reads it writes the answer.

    With --session (or without a question, inside an agent's session) the transcript is
    mined instead: what the user wants from now on is saved, patterns wait for review,
    single inferences go to the inbox, ideas to the ledger. Twice adds nothing.

    \b
    Example:
      memcli reflect "what do we know about the payment tests?" --budget high --json
      memcli reflect --session ~/.claude/projects/-home-me-app/1b2c.jsonl --dry-run
      memcli reflect --all-sessions --since 30d
    """

_PARAMETERS: tuple[Option | Argument, ...] = (
    Argument("query", "Words or a question", repeat=True, metavar="[QUERY]..."),
    Option(
        "budget",
        ("--budget",),
        str,
        "How much to gather and how far to look; mid if not given",
        choices=("low", "mid", "high"),
    ),
    Option(
        "research",
        ("--research",),
        str,
        "Count this search in a research run, and record what it brings",
        metavar="NAME",
    ),
    Option(
        "limit",
        ("--limit",),
        int,
        "Facts at most, models first (low 9, mid 17, high 34)",
        metavar="N",
    ),
    *BY_KIND,
    *BY_TAG_AND_TIME,
    Option(
        "session",
        ("--session",),
        str,
        "Mine this transcript: of Claude Code, Codex, Gemini CLI, Copilot CLI, "
        "Cursor, opencode, Windsurf, or role/text lines",
        metavar="PATH",
    ),
    Option(
        "all_sessions",
        ("--all-sessions",),
        bool,
        "Mine every transcript on this machine",
        default=False,
    ),
    Option(
        "since",
        ("--since",),
        str,
        "With --all-sessions: only transcripts written to since then",
        metavar="WHEN",
    ),
    Option(
        "host",
        ("--host",),
        str,
        "Whose transcript it is: claude-code, codex, gemini, copilot, cursor, "
        "windsurf, opencode, generic",
    ),
    Option("dry_run", ("--dry-run",), bool, "Only show what would be", default=False),
    Option(
        "response_schema",
        ("--response-schema",),
        str,
        "Deprecated: accepted and ignored",
        metavar="JSON",
    ),
    *SEVERAL_VAULTS,
)


_OF_SESSIONS = ("session", "all_sessions", "since", "host", "dry_run")


def run(context: Context, **values: Any) -> Result:
    """Answer a question, or mine sessions."""
    # Quotes around a question are for the shell, not for us.
    values["query"] = " ".join(values["query"])
    if values["query"].strip():
        _refuse(values, _OF_SESSIONS, "a question and a session are two commands")
        from memcli.cli import reflect_query

        return reflect_query.answer(context, values)
    of_questions = [
        parameter.name
        for parameter in _PARAMETERS
        if isinstance(parameter, Option)
        and parameter.name not in _OF_SESSIONS
        and parameter.name in values  # --vault is the context's
        and values[parameter.name] not in (parameter.default, [], ())
    ]
    if of_questions:
        flag = "--" + of_questions[0].replace("_", "-")
        raise UsageError(
            f"there is no question, and {flag} belongs to one",
            hint='Ask one: memcli reflect "what do we know about the payment tests?"',
        )
    from memcli.cli import reflect_session

    if values["all_sessions"]:
        _refuse(values, ("session",), "--all-sessions and --session exclude each other")
        return reflect_session.many(context, values)
    _refuse(values, ("since",), "--since belongs to --all-sessions")
    return reflect_session.one(context, values)


def _refuse(values: dict[str, Any], names: tuple[str, ...], why: str) -> None:
    given = [name for name in names if values[name]]
    if given:
        raise UsageError(why, hint=f"Drop --{given[0].replace('_', '-')}.")


COMMAND = Command("reflect", _HELP, _PARAMETERS, run)
