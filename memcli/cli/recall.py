"""`memcli recall`: flags in, rows out."""

from typing import TYPE_CHECKING, Any

from memcli.cli.spec import (
    SEVERAL_VAULTS,
    Argument,
    Canvas,
    Command,
    Context,
    Option,
    Result,
)
from memcli.errors import InvalidValue, UsageError

if TYPE_CHECKING:
    from memcli.recall.query import Query
    from memcli.recall.results import Recalled, Row
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults

_HELP = """Find what the vault knows about a question

    Ranks entries by the words of the question and their inflections, by what stands
    beside them in the same session, and by when they happened. No match is said to
    be no match; words found nowhere are named.

    \b
    Example:
      memcli recall "how do we deploy?" --kind convention --limit 5 --json
    """

# What a question is narrowed by; `reflect` takes the same.
BY_KIND = (
    Option("kind", ("--kind",), str, "Only this kind; repeatable", repeat=True),
    Option(
        "type",
        ("--type",),
        str,
        "Only about this type of thing; repeatable",
        repeat=True,
    ),
)
BY_TAG_AND_TIME = (
    Option("tag", ("--tag",), str, "Only with this tag; repeatable", repeat=True),
    Option(
        "tags_match",
        ("--tags-match",),
        str,
        "How tags filter; without _strict untagged entries pass",
        default="any",
        choices=("any", "all", "any_strict", "all_strict"),
    ),
    Option(
        "entity", ("--entity",), str, "Only about this entity; repeatable", repeat=True
    ),
    Option(
        "after",
        ("--after",),
        str,
        "Only at or after: 2026-05, 7d, yesterday",
        metavar="WHEN",
    ),
    Option("before", ("--before",), str, "Only before", metavar="WHEN"),
    Option(
        "at",
        ("--at",),
        str,
        "The moment that relative words count from",
        metavar="WHEN",
    ),
)

_PARAMETERS: tuple[Option | Argument, ...] = (
    Argument("query", "Words or a question", repeat=True, metavar="[QUERY]..."),
    Option(
        "budget",
        ("--budget",),
        str,
        "How much to return and how far to look; mid if not given",
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
        "limit", ("--limit",), int, "Rows at most (low 5, mid 10, high 20)", metavar="N"
    ),
    *BY_KIND,
    Option(
        "layer",
        ("--layer",),
        str,
        "Only fact, observation or model; repeatable",
        repeat=True,
    ),
    *BY_TAG_AND_TIME,
    Option(
        "status",
        ("--status",),
        str,
        "Only this status instead of active; repeatable",
        repeat=True,
    ),
    Option(
        "history", ("--history",), bool, "Superseded versions as well", default=False
    ),
    Option("as_of", ("--as-of",), str, "What was current at that time", metavar="WHEN"),
    Option(
        "max_chars",
        ("--max-chars",),
        int,
        "Characters of text at most; whole rows",
        metavar="N",
    ),
    Option(
        "no_graph",
        ("--no-graph",),
        bool,
        "The words of each entry alone, not what it is tied to",
        default=False,
    ),
    Option(
        "depth",
        ("--depth",),
        int,
        "Hops over entities, links and versions: 0, 1 or 2; 1 if not given",
        metavar="N",
    ),
    Option(
        "explain", ("--explain",), bool, "Say why each row was chosen", default=False
    ),
    Option(
        "all", ("--all",), bool, "Every entry, oldest first, unranked", default=False
    ),
    Option(
        "cursor",
        ("--cursor",),
        str,
        "With --all: go on after this row",
        metavar="CURSOR",
    ),
    Option(
        "batch",
        ("--batch",),
        str,
        "Questions from a JSONL file, - for stdin",
        metavar="FILE",
    ),
    Option(
        "useful",
        ("--useful",),
        str,
        "Instead of a question: this row was of use; repeatable",
        repeat=True,
        metavar="ID",
    ),
    Option(
        "not_useful",
        ("--not-useful",),
        str,
        "Instead of a question: this row was not; repeatable",
        repeat=True,
        metavar="ID",
    ),
    *SEVERAL_VAULTS,
)


# What feedback needs as well: where the rows are.
_WHERE = ("vault", "personal_only")


def run(context: Context, **values: Any) -> Result:
    """Answer one question, a batch of them, or list everything."""
    batch = values.pop("batch")
    # Quotes around a question are for the shell, not for us.
    values["query"] = " ".join(values["query"])
    useful, not_useful = values.pop("useful"), values.pop("not_useful")
    judging = bool(useful or not_useful)
    _consistent(values, batch, judging=judging)
    personal_only = values.pop("personal_only")
    asked = context.open_vaults("indexing", personal_only=personal_only)
    if judging:
        return _judged(asked, useful, not_useful)
    if batch:
        return _batch(context, asked, batch, values)
    if not values["research"]:
        return _result(_answer(context, asked, values), explain=values["explain"])
    from memcli.cli import citations

    def look(budget: str) -> "tuple[Recalled, list[Row]]":
        found = _answer(context, asked, {**values, "budget": budget})
        return found, [*found.rows, *found.constraints]

    found, run_ = citations.searched(
        citations.home(context, asked), "recall", values, look
    )
    return citations.counted(_result(found, explain=values["explain"]), run_)


def _consistent(values: dict[str, Any], batch: str | None, *, judging: bool) -> None:
    question = values["query"]
    if judging:
        usual = {
            one.name: one.default for one in _PARAMETERS if isinstance(one, Option)
        }
        given = [
            name
            for name, value in values.items()
            if value and name not in _WHERE and value != usual.get(name)
        ]
        if batch or given:
            raise UsageError(
                "--useful and --not-useful speak of rows that were recalled before",
                hint="Give them alone, and ask in a command of its own.",
            )
        return
    if batch and (question or values["all"]):
        raise UsageError("--batch brings its own questions", hint="Drop the QUERY.")
    if values["all"] and question:
        raise UsageError(
            "--all lists every entry; it takes no question",
            hint="Filter with --kind, --tag, --entity, --after.",
        )
    if values["research"] and (batch or values["all"]):
        raise UsageError(
            "--research counts one question at a time",
            hint=f"Drop {'--batch' if batch else '--all'}.",
        )
    if values["cursor"] and not values["all"]:
        raise UsageError("--cursor goes with --all")
    if not (question and question.strip()) and not (values["all"] or batch):
        raise UsageError(
            "there is no question",
            hint='Ask one: memcli recall "how do we deploy?"; or list with --all.',
        )


def _answer(
    context: Context, asked: "Vault | Vaults", values: dict[str, Any]
) -> "Recalled":
    from memcli.vault.vault import Vault

    query, cursor = query_of(context, values), values["cursor"]
    # One vault is the usual case, and loads nothing of what several need.
    if isinstance(asked, Vault):
        from memcli.recall import recall

        if values["all"]:
            return recall.enumerate_all(asked, query, cursor)
        return recall.recall(asked, query)
    from memcli.recall import federated

    if values["all"]:
        return federated.enumerate_all(asked, query, cursor)
    return federated.recall(asked, query)


def query_of(context: Context, values: dict[str, Any], **changes: Any) -> "Query":
    """The query that a command's values ask for; `changes` win over the values."""
    from memcli.recall.query import WORDS, from_words

    words = {name: values[name] for name in WORDS if name in values}
    now = context.now_ms() // 1000
    return from_words(values["query"], now, **{**words, **changes})


def _batch(
    context: Context, vaults: "Vault | Vaults", path: str, flags: dict[str, Any]
) -> Result:
    """One result a line of the file; a line's own flags win over the command's."""
    from memcli.storage import jsonl

    data = context.read_stdin() if path == "-" else jsonl.read_file(path)
    results: list[Result] = []
    for line, values in jsonl.objects(data, path):
        asked = _asked(values, flags, line)
        if not asked["query"] or asked["all"]:
            raise InvalidValue(
                f"{path}:{line}: 'query' is missing", code="invalid_batch"
            )
        found = _answer(context, vaults, asked)
        result = _result(found, explain=asked["explain"])
        name = values.get("id", len(results) + 1)
        results.append(
            result._replace(
                data={"id": values.get("id"), **result.data},
                label=f"question {name}: {asked['query']}",
            )
        )
    if not results:
        raise InvalidValue(f"{path} holds no question", code="invalid_batch")
    return results[0]._replace(lines=tuple(results))


def _asked(values: dict[str, Any], flags: dict[str, Any], line: int) -> dict[str, Any]:
    asked = dict(flags)
    for name, value in values.items():
        key = name.replace("-", "_")
        if key == "id":
            continue
        if key not in asked or key in ("all", "cursor", "research"):
            raise InvalidValue(
                f"line {line}: unknown field '{name}'",
                hint=f"Known: id, {', '.join(sorted(asked))}.",
                code="invalid_batch",
            )
        repeat = isinstance(asked[key], list)
        wanted: type | tuple[type, ...] = _wanted(key)
        items = value if repeat and isinstance(value, list) else [value]
        if any(not isinstance(item, wanted) for item in items):
            raise InvalidValue(
                f"line {line}: '{name}' has the wrong type: {value!r}",
                code="invalid_batch",
            )
        asked[key] = items if repeat else value
    return asked


def _judged(
    asked: "Vault | Vaults", useful: list[str], not_useful: list[str]
) -> Result:
    from memcli.recall import feedback
    from memcli.vault.vault import Vault

    vaults = (asked,) if isinstance(asked, Vault) else asked.vaults
    noted = feedback.feedback(vaults, useful, not_useful)

    def text(canvas: Canvas) -> None:
        for one in noted:
            if one.read_only:
                continue
            word = "useful" if one.useful else "not useful"
            canvas.line(f"{word}: {one.id} {one.title}", style="good")

    warnings = [
        f"nothing was noted of {one.id}: {one.source} may only be read"
        if one.read_only
        else f"{one.id} is in no recall that is known"
        for one in noted
        if not one.recall
    ]
    if not all(one.noted or one.read_only for one in noted):
        warnings.append("the log cannot be written: nothing was noted")
    data = feedback.as_dict(noted)
    return Result(data=data, text=text, warnings=tuple(warnings))


def _wanted(name: str) -> type:
    (option,) = [
        p.kind for p in _PARAMETERS if isinstance(p, Option) and p.name == name
    ] or [str]
    return option


def _result(found: "Recalled", *, explain: bool) -> Result:
    def text(canvas: Canvas) -> None:
        for row in found.rows:
            draw(canvas, row, explain=explain)
        if found.constraints:
            canvas.line("Constraints in force:", style="title")
        for row in found.constraints:
            canvas.line(f"  {row.id} · {row.title}")
        if found.next_cursor:
            canvas.line(f"more: --cursor {found.next_cursor}", style="dim")

    warnings = list(found.warnings)
    if found.query is not None and not found.rows and not found.omitted:
        warnings.append("no match")
    if found.missing_terms:
        warnings.append(f"in no entry: {', '.join(found.missing_terms)}")
    if found.omitted:
        warnings.append(f"{found.omitted} more did not fit --max-chars")
    return Result(data=found.as_dict(), text=text, warnings=tuple(warnings))


def draw(canvas: Canvas, row: "Row", *, explain: bool = False) -> None:
    """One row for eyes: its title, what it is, its text."""
    date = (row.occurred_at or row.created)[:10]
    state = "" if row.status == "active" else f" {row.status}"
    canvas.line(row.title, style="title")
    what = row.kind if row.layer == "fact" else row.layer
    stale = ", may no longer hold" if row.stale else ""
    facts = [row.id, f"{what}{state}{stale}", date]
    if row.tags:
        facts.append(" ".join(f"#{tag}" for tag in row.tags))
    facts.append(row.path if row.source == "personal" else f"{row.source} {row.path}")
    canvas.line("  " + " · ".join(facts), style="dim")
    for line in row.text.splitlines():
        if line.strip() and line.strip("# ") != row.title:
            canvas.line(f"  {line}")
    if explain and row.explain:
        parts = ", ".join(
            f"{name} {part}"
            for name, part in row.explain.items()
            if name not in ("matched", "path")
        )
        words = " ".join(row.explain["matched"])
        found = f"matched: {words}" if words else "no word of the question"
        canvas.line(f"  why: score {row.score} = {parts}; {found}", style="dim")
        # What holds a word needs no path to be understood; JSON has every one.
        if row.explain["path"] and not row.explain["matched"]:
            steps = (
                name if kind in ("entity", "entry") else f"({name})"
                for step in row.explain["path"]
                for kind, name in step.items()
            )
            canvas.line(f"  path: question → {' → '.join(steps)} → this", style="dim")
    canvas.line()


COMMAND = Command("recall", _HELP, _PARAMETERS, run)
