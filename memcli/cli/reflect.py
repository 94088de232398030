"""`memcli reflect`: what is known about a question; what a session teaches."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated, Any, Unpack

    from memcli import parameters
    from memcli.cli import options
    from memcli.cli.context import Context, Result
    from memcli.declared import Field, Option


def reflect(
    context: Context,
    query: options.Words = None,
    *,
    research: options.Research = None,
    session: Annotated[
        str | None,
        Option(
            "--session",
            metavar="PATH",
            help="Mine this transcript: of Claude Code, Codex, Gemini CLI, Copilot "
            "CLI, Cursor, opencode, Windsurf, or role/text lines",
        ),
    ] = None,
    all_sessions: Annotated[
        bool,
        Option("--all-sessions", help="Mine every transcript on this machine"),
    ] = False,
    since: Annotated[
        str | None,
        Option(
            "--since",
            metavar="WHEN",
            help="Only transcripts written to since then",
            needs="all_sessions",
        ),
    ] = None,
    host: Annotated[
        str | None,
        Option(
            "--host",
            metavar="HOST",
            help="Whose transcript it is: claude-code, codex, gemini, copilot, "
            "cursor, opencode, windsurf, generic",
        ),
    ] = None,
    digest: Annotated[
        bool,
        Option(
            "--digest",
            help="Of a session: print what a judge needs to read, with the question",
        ),
    ] = False,
    max_chars: Annotated[
        int | None,
        Option(
            "--max-chars",
            metavar="N",
            help="Of the digest at most (24,000)",
            needs="digest",
        ),
    ] = None,
    part: Annotated[
        int | None,
        Option(
            "--part",
            metavar="N",
            help="Of a long session's digest (1)",
            needs="digest",
        ),
    ] = None,
    judged: Annotated[
        str | None,
        Option(
            "--judged",
            metavar="FILE",
            help="Take a judge's answers to the digest, a JSON object a line; - for "
            "standard input",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        Option("--judge", metavar="NAME", help="Who answered", needs="judged"),
    ] = None,
    dry_run: options.DryRun = False,
    exit_code: options.ExitCode = False,
    vaults: options.Vaults = None,
    personal_only: options.PersonalOnly = False,
    response_schema: Annotated[
        str | None, Field("JSON", "Deprecated: accepted and ignored")
    ] = None,
    **asked: Unpack[parameters.Question],
) -> Result:
    """Gather what answers a question, and say how far to trust it

    Models first, then observations, then facts, each as recall ranks them; with what
    is missing, what is similar, what was left out and what to ask next. memcli calls no
    model: the caller writes the answer from the facts.

    With --session (or without a question, inside an agent's session) the transcript is
    mined instead: what the user wants from now on is saved, what is less explicit
    waits for review, ideas go to the ledger. Twice adds nothing. A reader judges better
    than rules: --digest prints what to read and how to answer, --judged takes it.

    \b
    Example:
      memcli reflect "what do we know about the payment tests?" --budget high --json
      memcli reflect --session ~/.claude/projects/-home-me-app/1b2c.jsonl --dry-run
      memcli reflect --all-sessions --since 30d
    """
    from memcli.cli.recall import given, question_of

    text = question_of(context, query)
    of_sessions = {
        "--session": session,
        "--all-sessions": all_sessions,
        "--host": host,
        "--dry-run": dry_run,
        "--digest": digest,
        "--judged": judged,
    }
    if text.strip():
        _refuse(of_sessions, "a question and a session are two commands")
        from memcli.cli import reflect_query

        sources = context.open_vaults("indexing", vaults, personal_only=personal_only)
        if vaults and len(vaults) == 1:
            context = context.with_one_vault(vaults)
        result = reflect_query.answer(context, sources, text, asked, research)
        if response_schema is not None:
            result = reflect_query.deprecated(result)
        found = bool(result.data["facts"]) or not exit_code
        return result._replace(found=found)
    others = {
        "--research": research,
        "--exit-code": exit_code,
        "--set response-schema": response_schema is not None,
        "--set personal-only": personal_only,
    }
    flags = [*given(asked), *(flag for flag, value in others.items() if value)]
    if flags:
        raise UsageError(
            f"{flags[0]} needs a question, and there is none",
            hint='Ask one: memcli reflect "what do we know about the payment tests?"',
        )
    if vaults:
        context = context.with_one_vault(vaults)
    from memcli.cli import reflect_session

    if all_sessions:
        alone = {"--session": session, "--digest": digest, "--judged": judged}
        _refuse(alone, "--all-sessions mines every session by rules")
        return reflect_session.mine_all(context, host, since, dry_run=dry_run)
    if digest:
        _refuse({"--judged": judged}, "--digest asks, --judged answers")
        return reflect_session.digest(context, session, host, max_chars, part)
    if judged:
        judge = judge or context.agent or "the caller"
        return reflect_session.judged(
            context, session, host, judged, judge, dry_run=dry_run
        )
    return reflect_session.mine_one(context, session, host, dry_run=dry_run)


def _refuse(flags: dict[str, Any], why: str) -> None:
    for flag, value in flags.items():
        if value:
            raise UsageError(why, hint=f"Drop {flag}.")
