"""The side of `memcli reflect` that answers a question."""

from __future__ import annotations

import shlex

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.recall import query_of
from memcli.cli.rows import draw, draw_constraints
from memcli.recall.results import sentence

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli import parameters
    from memcli.recall.follow_up import Next
    from memcli.recall.query import Query
    from memcli.recall.reflect import Reflection
    from memcli.recall.results import Row
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults


_HEADINGS = {"model": "Models", "observation": "Observations", "fact": "Facts"}
_STYLES = {"high": "good", "medium": "", "low": "bad"}
# Of a similar fact, whose text stands above as well.
_SHOWN = 200
_DEPRECATED = (
    "response-schema is deprecated and ignored: shape the answer from the facts"
)


def answer(
    context: Context,
    sources: Vault | Vaults,
    text: str,
    asked: parameters.Question,
    research: str | None,
) -> Result:
    """The facts about a question, gathered in a research run when one is named."""
    # An idea that waits for a decision is no fact, also with --kind idea.
    words: parameters.Query = {**asked, "statuses": ["active"]}  # type: ignore[typeddict-item]
    query = query_of(context, text, words)
    if not research:
        return _result(context, sources, _gathered(sources, query))
    from memcli.cli import hints
    from memcli.curation import research as runs

    def look(budget: str) -> tuple[Reflection, list[Row]]:
        reflection = _gathered(sources, query._replace(budget=budget))
        return reflection, [*reflection.facts, *reflection.constraints]

    reflection, run = runs.search(
        hints.home(context, sources),
        research,
        command="reflect",
        query=text,
        budget=asked.get("budget"),
        look=look,
    )
    return hints.with_run(_result(context, sources, reflection), run)


def deprecated(result: Result) -> Result:
    """The result, with the warning that --response-schema is ignored."""
    return result._replace(warnings=(*result.warnings, _DEPRECATED))


def _gathered(sources: Vault | Vaults, query: Query) -> Reflection:
    from memcli.vault.vault import Vault

    # One vault is the usual case, and loads nothing of what several need.
    if isinstance(sources, Vault):
        from memcli.recall import reflect

        return reflect.reflect(sources, query)
    from memcli.recall import federated

    return federated.reflect(sources, query)


def _result(
    context: Context, sources: Vault | Vaults, reflection: Reflection
) -> Result:
    from memcli.cli.rows import short_ids

    def text(canvas: Canvas) -> None:
        short = short_ids(canvas, sources)
        _draw_facts(canvas, reflection, short)
        draw_constraints(
            canvas, reflection.constraints, reflection.more_constraints, short
        )
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
            canvas.line(
                f"left out: {short(gone.id)} ({gone.status}{by}): {gone.reason}"
            )
        if reflection.next_queries:
            canvas.line("ask next:")
        for question in reflection.next_queries:
            canvas.line(f"  {_command(question)}  # {question.why}", style="dim")

    warnings = list(reflection.warnings)
    if not reflection.facts:
        from memcli.cli import hints

        warnings += hints.sentences(
            context, "reflect", reflection.query, reflection.no_match
        )
    return Result(data=reflection.as_dict(), text=text, warnings=tuple(warnings))


def _draw_similar(
    canvas: Canvas, reflection: Reflection, short: Callable[[str], str]
) -> None:
    """Draw the similar facts, two and two beside each other."""
    from memcli.entries.text.differences import told
    from memcli.entries.text.prompt_injection import digest

    texts = {row.id: digest(row.text)[:_SHOWN] for row in reflection.facts}
    for pair in reflection.similar:
        canvas.line(f"similar: {told(pair.likeness, pair.differs)}")
        canvas.line(f"  older {short(pair.older)}: {texts[pair.older]}")
        canvas.line(f"  newer {short(pair.newer)}: {texts[pair.newer]}")


def _draw_facts(
    canvas: Canvas, reflection: Reflection, short: Callable[[str], str]
) -> None:
    from memcli.vault import staleness

    layer = ""
    for row in reflection.facts:
        if row.layer != layer:
            layer = row.layer
            canvas.line(f"{_HEADINGS[layer]}:", style="title")
            canvas.line()
        draw(canvas, row, short)
        if row.stale_why:
            for why in row.stale_why:
                canvas.line(f"  {_label(row)}: {staleness.sentence(why)}")
            canvas.line()


def _label(row: Row) -> str:
    return "stale" if row.stale else "pinned, look at it"


def _command(question: Next) -> str:
    words = ["memcli", "reflect"]
    for flag, value in (("--after", question.after), ("--before", question.before)):
        if value:
            words += [flag, value]
    # A name out of a memory must not become a flag of a line that is pasted.
    words += ["--"] if question.query.startswith("-") else []
    return shlex.join([*words, question.query])
