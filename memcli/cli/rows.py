"""How entries are drawn: rows of an answer, and ids as a terminal shows them.

Invariant: an id that is shown leads to the entry in every vault that was asked, as the
caller sees it: what an agent may not see lengthens none. Pipes and JSON have whole ids.
"""

from __future__ import annotations

from memcli.cli.context import Canvas, Result, draw_more
from memcli.entries.entry import LOOK, one_line
from memcli.errors import Unavailable

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from memcli.curation.changing import Resting
    from memcli.entries.file_checks import Finding
    from memcli.recall.reflect import Reflection
    from memcli.recall.results import Recalled, Row
    from memcli.vault.code_state import CodeState
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults


def listed(
    name: str,
    rows: Sequence[Any],
    columns: str,
    own: Mapping[str, Callable[[Any], object]] | None = None,
    *,
    empty: str,
    **more: Any,
) -> Result:
    """The result of a command that lists: a table, or a sentence where nothing is.

    Args:
        name: of the list in the data.
        rows: what is listed.
        columns: as of `table`.
        own: as of `table`.
        empty: what is said of no rows.
        more: `vault`, where the ids are; `data` beside the list; `below`, what draws
            something below the table.
    """

    def text(canvas: Canvas) -> None:
        short = short_ids(canvas, more.get("vault"))
        if not rows:
            canvas.line(empty, style="nothing")
        else:
            table(canvas, rows, columns, own, short)
        if below := more.get("below"):
            below(canvas)

    data = {name: rows, "count": len(rows), **more.get("data", {})}
    return Result(data=data, text=text)


def table(
    canvas: Canvas,
    rows: Sequence[Any],
    columns: str,
    own: Mapping[str, Callable[[Any], object]] | None = None,
    short: Callable[[str], str] = str,
) -> None:
    """Draw a table.

    Args:
        canvas: where.
        rows: values with fields, or dictionaries.
        columns: the headers, each with its field behind `=` where that has another
            name; `_` is a space.
        own: by the header what is in a column instead of a field.
        short: shows an id.
    """
    heads = [word.partition("=")[::2] for word in columns.split()]

    def cell(row: Any, head: str, field: str) -> str:
        if own and head in own:
            return _cell(own[head](row))
        name = field or head
        value = row[name] if isinstance(row, dict) else getattr(row, name)
        return short(value) if head == "id" and value else _cell(value)

    canvas.table(
        tuple(head.replace("_", " ").strip() for head, _ in heads),
        [tuple(cell(row, *pair) for pair in heads) for row in rows],
    )


def facts(canvas: Canvas, data: Mapping[str, Any], indent: str = "") -> None:
    """Draw data as it is: a line for each value, a table for each list of rows; what is
    empty is left out."""
    for name, value in data.items():
        said = indent + name.replace("_", " ")
        if isinstance(value, list) and value and isinstance(value[0], dict):
            canvas.line(f"{said}:", style="title")
            table(canvas, value[:_MOST_FACTS], " ".join(value[0]))
            draw_more(canvas, len(value) - _MOST_FACTS, "--json")
        elif isinstance(value, dict):
            given = ((key, one) for key, one in value.items() if one is not None)
            inner = ", ".join(f"{key} {_cell(one)}" for key, one in given)
            canvas.line(f"{said}: {inner or 'none'}")
        elif value not in (None, "", []):
            canvas.line(f"{said}: {_cell(value)}")


_MOST_FACTS = 30


def draw_stale(canvas: Canvas, row: Any) -> None:
    """Say why an observation or model may no longer hold."""
    from memcli.vault import staleness

    label = "stale" if row.stale else LOOK
    for why in row.stale_why:
        canvas.line(f"  {label}: {staleness.sentence(why)}", style="bad")


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:,}" if isinstance(value, int) else f"{value:g}"
    if isinstance(value, list | tuple):
        return one_line(", ".join(map(str, value)))
    return "" if value is None else one_line(str(value))


def finding_line(finding: Finding, level: str = "") -> str:
    """A finding with its place, and what to do about it."""
    hint = f" ({finding.hint})" if finding.hint else ""
    return one_line(f"{finding.path}:{finding.line}: {level}{finding.message}{hint}")


def draw_constraints(
    canvas: Canvas, answer: Recalled | Reflection, short: Callable[[str], str]
) -> None:
    """Draw the constraints, which hold for every question, and how many more there are;
    `short` shows an id."""
    if answer.constraints:
        canvas.line("Constraints in force:", style="title")
    for row in answer.constraints:
        source = "" if row.source == "personal" else f" ({row.source})"
        marks = "".join(f" ({mark})" for mark in row.marks)
        canvas.line(f"  {short(row.id)} · {row.title}{marks}{source}")
    if more := answer.more_constraints:
        canvas.line(f"  {more} more: memcli list --all --kind constraint", style="hint")


def draw_code(
    canvas: Canvas, entry_id: str, states: Sequence[CodeState], *, whole: bool = False
) -> None:
    """Draw what became of the code that an entry speaks of, where it is not as it was;
    with `whole` also what was not checked, or is as it was."""
    if not states:
        return
    from memcli.entries.anchors import MOVED, STALE

    for state in states:
        if state.state in STALE:
            canvas.line(f"  stale: {state.why}", style="bad")
        elif whole or state.state == MOVED:
            canvas.line(f"  {state.state}: {state.why or state.place}", style="dim")
    if any(state.state in STALE for state in states):
        canvas.line(f"  still true: memcli verify --confirm {entry_id}", style="hint")


def draw_head(
    canvas: Canvas, row: Row, short: Callable[[str], str], *, path: bool
) -> None:
    """Draw the title of a row, and below it what it is."""
    date = (row.occurred_at or row.created)[:10]
    state = "" if row.status == "active" else f" {row.status}"
    canvas.line(row.title, style="title")
    what = row.kind if row.layer == "fact" else row.layer
    about = [f"{what}{state}"]
    if row.layer != "fact" and not row.citations_checked:
        about.append("citations not checked")
    facts = [short(row.id), ", ".join([*about, *row.marks]), date]
    if row.project:
        # On a terminal by the end of its name.
        place = row.project.rpartition("/")[2] if canvas.terminal else row.project
        facts.append(f"in {place}")
    facts.append(" ".join(f"#{tag}" for tag in row.tags))
    source = "" if row.source == "personal" else row.source
    facts.append(f"{source} {row.path if path else ''}".strip())
    canvas.line("  " + " · ".join(filter(None, facts)), style="dim")


def draw(
    canvas: Canvas,
    row: Row,
    short: Callable[[str], str] = str,
    *,
    note: str | None = None,
    asked: Sequence[str] = (),
) -> None:
    """Draw one row: its title, what it is, its text.

    A terminal has no room for its path: `memcli show ID` has it.

    Args:
        canvas: where.
        row: the row.
        short: shows its id.
        note: a line of its own below what it is.
        asked: other words that a question may use.
    """
    draw_head(canvas, row, short, path=not canvas.terminal or note is not None)
    if note:
        canvas.line(f"  {note}", style="bad")
    if asked:
        canvas.line(f"  asked: {', '.join(asked)}", style="dim")
    draw_code(canvas, row.id, row.code_state)
    for line in below(row.title, row.text):
        canvas.line(f"  {line}")
    if row.explain:
        words = " ".join(row.explain["matched"])
        matched = f"matched: {words}" if words else "no word of the question"
        score = f"score {row.score} = {_reckoned(row.explain)}"
        canvas.line(f"  why: {score}; {matched}", style="dim")
        for one in row.explain.get("read", ()):
            other = f"{one['word']} ~ {one['read_as']} {one['share']:.2f}"
            canvas.line(f"  {one['kind']}: {other}", style="dim")
        # What holds a word needs no path to be understood; JSON has every one.
        if row.explain["path"] and not row.explain["matched"]:
            steps = (
                name if kind in ("entity", "name", "code", "entry") else f"({name})"
                for step in row.explain["path"]
                for kind, name in step.items()
            )
            canvas.line(f"  path: question → {' → '.join(steps)} → this", style="dim")
    canvas.line()


def _reckoned(explain: Mapping[str, Any]) -> str:
    """The reckoning of a score: what is added, times what it is multiplied with."""
    from memcli.search.ranking.bm25 import CHANNELS

    parts = {
        name: f"{name} {part}"
        for name, part in explain.items()
        if name not in ("matched", "path", "read")
    }
    added = " + ".join(said for name, said in parts.items() if name in CHANNELS)
    factors = [said for name, said in parts.items() if name not in CHANNELS]
    if factors and " + " in added:
        added = f"({added})"
    return " × ".join([added, *factors])


# A title ends where its clause does; words after a comma belong to the clause.
_ENDS = ".!?;:。！？；"  # noqa: RUF001


def below(title: str, text: str) -> list[str]:
    """The lines of a text to show below its title, which is not said twice.

    The heading that is the title is left out, and so are the words of the title where
    the text begins with them. A title that was cut ("...") is part of a longer line,
    which stays whole.
    """
    lines = [
        line for line in text.splitlines() if line.strip(" \t#") not in ("", title)
    ]
    plain = lines[0].lstrip("-*+>•_ \t") if lines else ""
    if title and plain.startswith(title):
        rest = plain.removeprefix(title).lstrip("*_")
        # "Deploys" is no title of "Deploysets are ...".
        if not rest or rest[0] in _ENDS:
            lines[0] = rest.lstrip(f"{_ENDS}*_ ")
    return [line for line in lines if line]


def short_ids(canvas: Canvas, sources: Vault | Vaults | None) -> Callable[[str], str]:
    """How this canvas shows an id of these vaults: whole, when there are several."""
    if not canvas.terminal or sources is None or len(sources.vaults) > 1:
        return str
    from memcli.vault import lookup

    (vault,) = sources.vaults
    looked = False

    def short(entry_id: str) -> str:
        nonlocal looked
        # The first id sees what the command has written. Listing the files once
        # more for each of ten ids would take longer than the rest of a recall.
        ask = vault.index.again if looked else vault.read
        looked = True
        try:
            return ask(lambda reader: lookup.shortest(reader, entry_id))
        except Unavailable:  # its database is gone, which keeps no answer back
            return entry_id

    return short


def draw_pair(
    canvas: Canvas, one: tuple[str, str], other: tuple[str, str], indent: str = "  "
) -> None:
    """Draw two similar texts with their ids, the older first."""
    for age, (name, text) in (("older", one), ("newer", other)):
        canvas.line(f"{indent}{age} {name}: {one_line(text)[:_MOST_OF_TEXT]}")


_MOST_OF_TEXT = 200


def stale_lines(
    canvas: Canvas, stale: Sequence[Resting], what: str, *, then: bool
) -> None:
    """Show the observations and models that are stale; no line where there are none.

    Args:
        canvas: where they are shown.
        stale: the observations and models, in the order to show.
        what: what they rest on, for the middle of "These cite ...".
        then: whether the change is still to be made.
    """
    if not stale:
        return
    would = "would cite" if then else "cite"
    canvas.line(f"These {would} {what} and may be out of date:", style="hint")
    for each in stale:
        canvas.line(f"  {each.id} ({each.layer}) {each.title}")
    canvas.line(
        "  why, and what they cite: memcli inspect models --stale", style="hint"
    )
