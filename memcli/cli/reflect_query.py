"""The side of `memcli reflect` that answers a question."""

import shlex
from typing import TYPE_CHECKING, Any

from memcli.cli.recall import draw, query_of
from memcli.cli.spec import Canvas, Context, Result

if TYPE_CHECKING:
    from memcli.recall.query import Query
    from memcli.recall.reflect import Next, Reflection
    from memcli.recall.results import Row

_HEADINGS = {"model": "Models", "observation": "Observations", "fact": "Facts"}
_STYLES = {"high": "good", "medium": "", "low": "bad"}
_DEPRECATED = (
    "--response-schema is deprecated and ignored: shape the answer from the facts"
)


def answer(context: Context, values: dict[str, Any]) -> Result:
    """What is known about `values["query"]`; the other values are the flags."""
    from memcli.vault.vault import Vault

    # An idea that nobody has decided on is no fact, whatever --kind says.
    query = query_of(context, values, status=["active"])
    asked = context.open_vaults("indexing", personal_only=values["personal_only"])

    def look(budget: str) -> "tuple[Reflection, list[Row]]":
        found = gathered(query._replace(budget=budget))
        return found, list(found.facts)

    def gathered(query: "Query") -> "Reflection":
        # One vault is the usual case, and loads nothing of what several need.
        if isinstance(asked, Vault):
            from memcli.recall import reflect

            return reflect.reflect(asked, query)
        from memcli.recall import federated

        return federated.reflect(asked, query)

    deprecated = values["response_schema"] is not None
    if not values["research"]:
        return _result(gathered(query), deprecated=deprecated)
    from memcli.cli import citations

    found, run = citations.searched(
        citations.home(context, asked), "reflect", values, look
    )
    return citations.counted(_result(found, deprecated=deprecated), run)


def _result(found: "Reflection", *, deprecated: bool) -> Result:
    def text(canvas: Canvas) -> None:
        _draw_facts(canvas, found)
        style = _STYLES[found.confidence]
        canvas.line(
            f"confidence: {found.confidence} ({found.confidence_why})", style=style
        )
        if found.missing_terms and found.facts:
            canvas.line(f"in none of them: {', '.join(found.missing_terms)}")
        for pair in found.conflicts:
            canvas.line(f"disagree: {' and '.join(pair.ids)}: {pair.why}", style="bad")
        for gone in found.superseded_excluded:
            by = f" by {gone.superseded_by}" if gone.superseded_by else ""
            canvas.line(f"left out: {gone.id} {gone.title} ({gone.status}{by})")
        if found.next_queries:
            canvas.line("ask next:")
        for one in found.next_queries:
            canvas.line(f"  {_command(one)}  # {one.why}", style="dim")

    warnings = list(found.warnings)
    if not found.facts:
        warnings.append("no match")
    if deprecated:
        warnings.append(_DEPRECATED)
    return Result(data=found.as_dict(), text=text, warnings=tuple(warnings))


def _draw_facts(canvas: Canvas, found: "Reflection") -> None:
    from memcli.vault import staleness

    layer = ""
    for row in found.facts:
        if row.layer != layer:
            layer = row.layer
            canvas.line(f"{_HEADINGS[layer]}:", style="title")
            canvas.line()
        draw(canvas, row)
        if row.stale_why:
            for why in row.stale_why:
                canvas.line(f"  {_label(row)}: {staleness.sentence(why)}")
            canvas.line()


def _label(row: "Row") -> str:
    return "stale" if row.stale else "pinned, look at it"


def _command(one: "Next") -> str:
    words = ["memcli", "reflect"]
    for flag, value in (("--after", one.after), ("--before", one.before)):
        if value:
            words += [flag, value]
    # A name out of a memory must not become a flag of what somebody pastes.
    words += ["--"] if one.query.startswith("-") else []
    return shlex.join([*words, one.query])
