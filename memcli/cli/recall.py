"""`memcli recall`: what the vault knows about a question."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.rows import draw, draw_constraints
from memcli.errors import InvalidContent, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated, Any

    from memcli.cli import options
    from memcli.cli.declared import Argument, Option
    from memcli.recall.query import Query
    from memcli.recall.query_words import Words
    from memcli.recall.results import Recalled, Row
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults


def recall(
    context: Context,
    query: Annotated[
        list[str] | None,
        Argument(
            metavar="[QUERY]...", help="Words or a question; - reads it from stdin"
        ),
    ] = None,
    *,
    budget: options.Budget = None,
    research: options.Research = None,
    limit: Annotated[
        int | None,
        Option(
            "--limit", "-n", metavar="N", help="Rows at most (low 5, mid 10, high 20)"
        ),
    ] = None,
    kinds: options.Kinds = None,
    types: options.Types = None,
    layers: options.Layers = None,
    tags: options.Tags = None,
    tags_match: options.TagsMatch = "any_strict",
    entities: options.Entities = None,
    project: options.OfProject = None,
    after: options.After = None,
    before: options.Before = None,
    at: options.At = None,
    statuses: options.Statuses = None,
    history: options.History = False,
    as_of: Annotated[
        str | None,
        Option("--as-of", metavar="WHEN", help="What was current at that time"),
    ] = None,
    max_chars: Annotated[
        int | None,
        Option(
            "--max-chars", metavar="N", help="Characters of text at most; whole rows"
        ),
    ] = None,
    no_graph: Annotated[
        bool,
        Option("--no-graph", help="Only the words of each entry, not its links"),
    ] = False,
    depth: Annotated[
        int | None,
        Option(
            "--depth",
            metavar="N",
            help="Hops over entities, links and versions: 0, 1 or 2; 1 if not given",
        ),
    ] = None,
    exact: options.Exact = False,
    explain: Annotated[
        bool, Option("--explain", help="Say why each row was chosen")
    ] = False,
    all_: Annotated[
        bool, Option("--all", help="Every entry, oldest first, unranked")
    ] = False,
    cursor: Annotated[
        str | None,
        Option("--cursor", metavar="CURSOR", help="With --all: go on after this row"),
    ] = None,
    batch: Annotated[
        str | None,
        Option(
            "--batch", metavar="FILE", help="Questions from a JSONL file, - for stdin"
        ),
    ] = None,
    useful: Annotated[
        list[str] | None,
        Option(
            "--useful",
            metavar="ID",
            help="Instead of a question: this row helped; repeatable",
        ),
    ] = None,
    not_useful: Annotated[
        list[str] | None,
        Option(
            "--not-useful",
            metavar="ID",
            help="Instead of a question: this row did not help; repeatable",
        ),
    ] = None,
    vaults: options.Vaults = None,
    personal_only: options.PersonalOnly = False,
    exit_code: options.ExitCode = False,
) -> Result:
    """Find what the vault knows about a question

    Ranks entries by the words of the question and their inflections, by what stands
    beside them in the same session, and by when they happened. What holds in another
    project than yours ranks lower, and says where it holds. memcli says when
    nothing matches, and names the words that no entry contains.

    \b
    Example:
      memcli recall "how do we deploy?" --kind convention --limit 5 --json
    """
    # Quotes around a question are for the shell, not for memcli.
    text = " ".join(query or ())
    if text == "-":
        from memcli.cli.written_text import piped_question

        text = piped_question(context)
    words: Words = {
        "kind": kinds or (),
        "type": types or (),
        "layer": layers or (),
        "tag": tags or (),
        "tags_match": tags_match,
        "entity": entities or (),
        "project": project,
        "after": after,
        "before": before,
        "at": at,
        "status": statuses or (),
        "history": history,
        "as_of": as_of,
        "limit": limit,
        "budget": budget,
        "max_chars": max_chars,
        "depth": depth,
        "no_graph": no_graph,
        "explain": explain,
        "exact": exact,
    }
    if useful or not_useful:
        others = batch or research or all_ or cursor or exit_code
        if text or others or given(words):
            raise UsageError(
                "--useful and --not-useful rate rows of an earlier recall",
                hint="Give them alone; ask the question in another command.",
            )
        sources = context.open_vaults("indexing", vaults, personal_only=personal_only)
        return _judged(sources, useful or [], not_useful or [])
    _check(text, batch, research, cursor, every=all_)
    sources = context.open_vaults("indexing", vaults, personal_only=personal_only)
    if vaults and len(vaults) == 1:
        context = context.with_one_vault(vaults)
    if batch:
        answered = _batch(context, sources, batch, words)
        return _for_scripts(answered) if exit_code else answered
    question = query_of(context, text, words)
    if all_:
        answer = _enumerated(sources, question, cursor)
        result = _result(context, sources, answer, explain=explain)
    elif not research:
        result = _result(
            context, sources, _recalled(sources, question), explain=explain
        )
    else:
        result = _searched(context, sources, question, research, budget)
    return _for_scripts(result) if exit_code else result


def _searched(
    context: Context,
    sources: Vault | Vaults,
    question: Query,
    research: str,
    budget: str | None,
) -> Result:
    """The answer to a question that a research run counts."""
    from memcli.cli import research as in_research
    from memcli.curation import research as runs

    def look(budget: str) -> tuple[Recalled, list[Row]]:
        answer = _recalled(sources, question._replace(budget=budget))
        return answer, [*answer.rows, *answer.constraints]

    answer, run = runs.search(
        in_research.home(context, sources),
        research,
        command="recall",
        query=question.text,
        budget=budget,
        look=look,
    )
    result = _result(context, sources, answer, explain=question.explain)
    return in_research.counted(result, run)


def _for_scripts(result: Result) -> Result:
    """The result of --exit-code: of a batch, whether any of its questions found."""
    parts = result.lines or (result,)
    return result._replace(found=any(part.data["rows"] for part in parts))


def given(words: Words) -> list[str]:
    """The options that say something, by their flags."""
    from memcli.recall.query import TAGGED

    return [
        "--" + name.replace("_", "-")
        for name, value in words.items()
        if value and (name, value) != ("tags_match", TAGGED)
    ]


def query_of(context: Context, text: str, words: Words) -> Query:
    """The query that a question and the options of a command ask for, now."""
    from memcli.recall.query import from_words

    return from_words(text, context.now_ms() // 1000, **words)


def _check(
    text: str,
    batch: str | None,
    research: str | None,
    cursor: str | None,
    *,
    every: bool,
) -> None:
    if batch and (text or every):
        raise UsageError("--batch brings its own questions", hint="Drop the QUERY.")
    if every and text:
        raise UsageError(
            "--all lists every entry; it takes no question",
            hint="Filter with --kind, --tag, --entity, --after.",
        )
    if research and (batch or every):
        raise UsageError(
            "--research counts one question at a time",
            hint=f"Drop {'--batch' if batch else '--all'}.",
        )
    if cursor and not every:
        raise UsageError("--cursor goes with --all")
    if not (text.strip() or every or batch):
        raise UsageError(
            "there is no question",
            hint='Ask one: memcli recall "how do we deploy?"; or list: memcli list; or '
            "pipe it in: memcli recall -",
        )


def _recalled(sources: Vault | Vaults, query: Query) -> Recalled:
    from memcli.vault.vault import Vault

    # One vault is the usual case, and loads nothing of what several need.
    if isinstance(sources, Vault):
        from memcli.recall import recall as use_case

        return use_case.recall(sources, query)
    from memcli.recall import federated

    return federated.recall(sources, query)


def _enumerated(sources: Vault | Vaults, query: Query, cursor: str | None) -> Recalled:
    from memcli.vault.vault import Vault

    if isinstance(sources, Vault):
        from memcli.recall import recall as use_case

        return use_case.enumerate_all(sources, query, cursor)
    from memcli.recall import federated

    return federated.enumerate_all(sources, query, cursor)


def _batch(
    context: Context, sources: Vault | Vaults, path: str, words: Words
) -> Result:
    """One result a line of the file; a line's own options win over the command's."""
    from memcli.storage import jsonl

    data = context.read_stdin() if path == "-" else jsonl.read_file(path)
    results: list[Result] = []
    for number, line in jsonl.objects(data, path):
        name, text = line.pop("id", None), line.pop("query", "")
        own = _words(line, number)
        if not (text and isinstance(text, str)):
            raise InvalidContent(
                f"{path}:{number}: 'query' is missing", code="invalid_batch"
            )
        question = query_of(context, text, {**words, **own})
        result = _result(
            context, sources, _recalled(sources, question), explain=question.explain
        )
        shown = len(results) + 1 if name is None else name
        results.append(
            result._replace(
                data={"id": name, **result.data}, label=f"question {shown}: {text}"
            )
        )
    if not results:
        raise InvalidContent(f"{path} holds no question", code="invalid_batch")
    return results[0]._replace(lines=tuple(results))


def _words(line: dict[str, Any], number: int) -> Words:
    """The options of one line of a batch, which has flags as keys."""
    from memcli.cli.flags import flags
    from memcli.recall.query_words import WORDS

    words: Any = {}
    known = flags("recall")
    for name, value in line.items():
        key = name.replace("-", "_")
        if key not in WORDS:
            raise InvalidContent(
                f"line {number}: unknown field '{name}'",
                hint=f"Known: id, query, {', '.join(sorted(WORDS))}.",
                code="invalid_batch",
            )
        _, kind, repeat, _ = known["--" + key.replace("_", "-")]
        items = value if repeat and isinstance(value, list) else [value]
        if any(not isinstance(item, kind) for item in items):
            raise InvalidContent(
                f"line {number}: '{name}' has the wrong type: {value!r}",
                code="invalid_batch",
            )
        words[key] = items if repeat else value
    options: Words = words
    return options


def _judged(vaults: Vault | Vaults, useful: list[str], not_useful: list[str]) -> Result:
    from memcli.recall import feedback
    from memcli.vault.vault import Vault

    holders = (vaults,) if isinstance(vaults, Vault) else vaults.vaults
    noted = feedback.feedback(holders, useful, not_useful)

    def text(canvas: Canvas) -> None:
        for note in noted:
            if note.read_only:
                continue
            word = "useful" if note.useful else "not useful"
            canvas.line(f"{word}: {note.id} {note.title}", style="good")

    warnings = [
        f"nothing was noted of {note.id}: {note.source} may only be read"
        if note.read_only
        else f"{note.id} is in no recall that the log knows"
        for note in noted
        if not note.recall
    ]
    if not all(note.noted or note.read_only for note in noted):
        warnings.append("the log cannot be written: nothing was noted")
    data = feedback.as_dict(noted)
    return Result(data=data, text=text, warnings=tuple(warnings))


def _result(
    context: Context, sources: Vault | Vaults, answer: Recalled, *, explain: bool
) -> Result:
    from memcli.cli import short_ids

    def text(canvas: Canvas) -> None:
        short = short_ids.of(canvas, sources)
        if low := answer.low_coverage:
            canvas.line(low.told, style="dim")
        for row in answer.rows:
            draw(canvas, row, short, explain=explain)
        draw_constraints(canvas, answer.constraints, answer.more_constraints, short)
        if answer.next_cursor:
            from shlex import quote

            canvas.line(f"more: --cursor {quote(answer.next_cursor)}", style="dim")

    warnings = list(answer.warnings)
    if answer.missing_terms or not answer.rows:
        from memcli.cli import no_match

        warnings += no_match.of_recall(context, answer)
    if answer.reading:
        from memcli.recall.read_as import sentence

        warnings += [sentence(word, others) for word, others in answer.reading.items()]
    if answer.omitted:
        warnings.append(f"{answer.omitted} more did not fit --max-chars")
    return Result(data=answer.as_dict(), text=text, warnings=tuple(warnings))
