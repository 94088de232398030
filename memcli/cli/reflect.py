"""`memcli reflect`: what is known about a question; what a session teaches."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.recall import answer, given, query_of, question_of
from memcli.cli.rows import draw, draw_constraints, draw_pair, draw_stale, short_ids
from memcli.errors import UsageError
from memcli.recall.results import sentence

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Unpack

    from memcli import parameters
    from memcli.recall.reflect import Next, Reflection
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults

_HEADINGS = {"model": "Models", "observation": "Observations", "fact": "Facts"}
_STYLES = {"high": "good", "medium": "", "low": "bad"}
_DEPRECATED = (
    "response-schema is deprecated and ignored: shape the answer from the facts"
)


def reflect(
    context: Context,
    query: list[str] | None = None,
    *,
    research: str | None = None,
    session: str | None = None,
    all_sessions: bool = False,
    since: str | None = None,
    host: str | None = None,
    digest: bool = False,
    judged: str | None = None,
    judge: str | None = None,
    dry_run: bool = False,
    exit_code: bool = False,
    vaults: list[str] | None = None,
    personal_only: bool = False,
    response_schema: str | None = None,
    **asked: Unpack[parameters.Question],
) -> Result:
    """Gather what answers a question, and say how far to trust it

    Models first, then observations, then facts, each as recall ranks them; with what
    is missing, what is similar, what was left out and what to ask next. memcli calls no
    model: the caller writes the answer from the facts.

    With --session (or without a question, inside an agent's session) the transcript is
    mined instead: what the user wants from now on is saved, what is less explicit
    waits for review, ideas are put aside. Twice adds nothing. A reader judges better
    than rules: --digest prints what to read and how to answer, --judged takes it.

    \b
    Example:
      memcli reflect "what do we know about the payment tests?" --budget high --json
      memcli reflect --session ~/.claude/projects/-home-me-app/1b2c.jsonl --dry-run
      memcli reflect --all-sessions --since 30d

    Options:
        research: `--research NAME, with QUERY` Count this search in a research run and
            record its results
        session: `--session PATH, without QUERY` Mine this transcript: of Claude Code,
            Codex, Gemini CLI, Copilot CLI, Cursor, opencode, Windsurf, or role/text
            lines
        all_sessions: `--all-sessions, without QUERY or --session or --digest or
            --judged` Mine every transcript on this machine
        since: `--since WHEN, with --all-sessions` Only transcripts written to since
            then
        host: `--host HOST, without QUERY` Whose transcript it is: claude-code, codex,
            gemini, copilot, cursor, opencode, windsurf, generic
        digest: `--digest, without QUERY or --judged` Of a session: print what a judge
            needs to read, with the question
        judged: `--judged FILE, without QUERY` Take a judge's answers to the digest, a
            JSON object a line; - for standard input
        judge: `--judge NAME, with --judged` Who answered
        dry_run: `--dry-run, without QUERY` Show what would happen, and change nothing
        exit_code: `--exit-code, with QUERY` Exit with 1 when nothing is found
        personal_only: `--set personal-only=true, with QUERY, without --vault` Only your
            default vault, no team's
        response_schema: `--set response-schema=JSON, with QUERY` Deprecated: accepted
            and ignored
    """
    text = question_of(context, query)
    if text.strip():
        sources = context.open_vaults("indexing", vaults, personal_only=personal_only)
        from memcli.recall import reflect as use_case

        run = research, "reflect", asked.get("budget")
        question = query_of(context, text, asked)
        result = answer(sources, run, question, use_case.reflect, _result)
        if response_schema is not None:
            result = result._replace(warnings=(*result.warnings, _DEPRECATED))
        found = bool(result.data["facts"]) or not exit_code
        return result._replace(found=found)
    if flags := given(asked):
        raise UsageError(
            f"{flags[0]} needs a question, and there is none",
            hint='Ask one: memcli reflect "what do we know about the payment tests?"',
        )
    if vaults:
        if len(vaults) > 1:
            several = "--vault is given more than once, and this takes one vault"
            raise UsageError(several, hint="Several are for a question.")
        context = context._replace(vault=vaults[0])
    from memcli.cli import reflect_session

    if all_sessions:
        return reflect_session.mine_all(context, host, since, dry_run=dry_run)
    if digest:
        return reflect_session.digest(context, session, host)
    if judged:
        judge = judge or context.agent or "the caller"
        return reflect_session.judged(
            context, session, host, judged, judge, dry_run=dry_run
        )
    return reflect_session.mine_one(context, session, host, dry_run=dry_run)


def _result(sources: Vault | Vaults, reflection: Reflection) -> Result:
    def text(canvas: Canvas) -> None:
        short = short_ids(canvas, sources)
        _draw_facts(canvas, reflection, short)
        draw_constraints(canvas, reflection, short)
        style = _STYLES[reflection.confidence]
        canvas.line(
            f"confidence: {reflection.confidence} ({reflection.confidence_why})",
            style=style,
        )
        if reflection.missing_terms and reflection.facts:
            canvas.line(f"in none of them: {', '.join(reflection.missing_terms)}")
        for word, others in reflection.reading.items():
            canvas.line(sentence(word, others))
        _draw_similar(canvas, reflection, short)
        for gone in reflection.superseded_excluded:
            by = f" by {short(gone.superseded_by)}" if gone.superseded_by else ""
            why = f": {gone.reason}" if gone.reason != gone.status else ""
            canvas.line(f"left out: {short(gone.id)} ({gone.status}{by}){why}")
        if reflection.next_queries:
            canvas.line("ask next:")
        for question in reflection.next_queries:
            canvas.line(f"  {_command(question)}  # {question.why}", style="dim")

    warnings = list(reflection.warnings)
    if not reflection.facts:
        from memcli.cli import hints

        warnings += hints.sentences("reflect", reflection.query, reflection.no_match)
    return Result(data=reflection.as_dict(), text=text, warnings=tuple(warnings))


def _draw_similar(
    canvas: Canvas, reflection: Reflection, short: Callable[[str], str]
) -> None:
    """Draw the similar facts, two and two beside each other."""
    from memcli.entries.text.differences import told
    from memcli.entries.text.prompt_injection import digest

    texts = {row.id: digest(row.text) for row in reflection.facts}
    for pair in reflection.similar:
        canvas.line(f"similar: {told(pair.likeness, pair.differs)}")
        one, other = ((short(id_), texts[id_]) for id_ in (pair.older, pair.newer))
        draw_pair(canvas, one, other)


def _draw_facts(
    canvas: Canvas, reflection: Reflection, short: Callable[[str], str]
) -> None:
    layer = ""
    for row in reflection.facts:
        if row.layer != layer:
            layer = row.layer
            canvas.line(f"{_HEADINGS[layer]}:", style="title")
            canvas.line()
        draw(canvas, row, short)
        if row.stale_why:
            draw_stale(canvas, row)
            canvas.line()


def _command(question: Next) -> str:
    from memcli.cli import hints

    times = (("--after", question.after), ("--before", question.before))
    flags = [word for flag, value in times if value for word in (flag, value)]
    return hints.line("reflect", flags, question.query)
