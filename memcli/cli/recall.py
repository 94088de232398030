"""`memcli recall`: what the vault knows about a question."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result, refuse
from memcli.cli.rows import draw, draw_constraints
from memcli.errors import InvalidContent

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Unpack

    from memcli import parameters
    from memcli.recall.query import Query
    from memcli.recall.results import Recalled, Row
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults


def recall(
    context: Context,
    query: list[str] | None = None,
    *,
    batch: str | None = None,
    useful: list[str] | None = None,
    not_useful: list[str] | None = None,
    research: str | None = None,
    exit_code: bool = False,
    vaults: list[str] | None = None,
    personal_only: bool = False,
    **asked: Unpack[parameters.Query],
) -> Result:
    """Find what the vault knows about a question

    Ranks entries by the words of the question and their inflections, by what stands
    beside them in the same session, and by when they happened. What holds in another
    project than yours ranks lower, and says where it holds. memcli says when
    nothing matches, and names the words that no entry contains.

    \b
    Example:
      memcli recall "how do we deploy?" --kind convention --limit 5 --json

    Options:
        batch: `--batch FILE, without QUERY or --research` Questions from a JSONL file,
            - for stdin
        useful: `--useful ID, without QUERY or --batch or --research or --exit-code`
            Instead of a question: this row helped; repeatable
        not_useful: `--not-useful ID, without QUERY or --batch or --research or
            --exit-code` Instead of a question: this row did not help; repeatable
        research: `--research NAME` Count this search in a research run and record its
            results
    """
    text = question_of(context, query)
    rated = bool(useful or not_useful)
    piped = not context.stdin_is_terminal and context.via != "mcp"
    if piped and not (text or batch or rated):
        text = question_of(context, ["-"]).strip()
    refuse(
        (
            rated and given(asked),
            "--useful and --not-useful rate rows of an earlier recall",
            "Give them alone; ask the question in another command.",
        ),
        (
            not (text.strip() or batch or rated),
            "there is no question",
            'Ask one: memcli recall "how do we deploy?"; or list: memcli list; or '
            "pipe it in: memcli recall -",
        ),
    )
    sources = context.open_vaults("indexing", vaults, personal_only=personal_only)
    if rated:
        return _judged(sources, useful or [], not_useful or [])
    if vaults and len(vaults) == 1:
        context = context.with_one_vault(vaults)
    from memcli.recall import recall as use_case

    def answer(question: Query) -> tuple[Result, list[Row]]:
        found = use_case.recall(sources, question)
        result = _result(context, sources, found, explain=question.explain)
        return result, [*found.rows, *found.constraints]

    if batch:
        results = []
        for label, name, question in _batch(context, sources, batch, asked):
            one, _ = answer(question)
            results.append(one._replace(data={"id": name, **one.data}, label=label))
        result = results[0]._replace(lines=tuple(results))
    elif research:
        from memcli.cli import hints

        run = research, "recall", asked.get("budget")
        question = query_of(context, text, asked)
        result = hints.in_research(context, sources, run, question, answer)
    else:
        result, _ = answer(query_of(context, text, asked))
    if exit_code:  # of a batch, whether any of its questions found
        parts = result.lines or (result,)
        return result._replace(found=any(part.data["rows"] for part in parts))
    return result


def question_of(context: Context, words: list[str] | None) -> str:
    """The question of a command line, whose quotes are for the shell; of standard
    input where it is `-`."""
    text = " ".join(words or ())
    if text != "-":
        return text
    return context.piped_question()


def given(asked: Mapping[str, Any]) -> list[str]:
    """The options that say something, by their flags."""
    from memcli.cli.flags import of

    known = of("recall")
    return [f"--{known[name].word}" for name, value in asked.items() if value]


def query_of(context: Context, text: str, asked: parameters.Query) -> Query:
    """The query that a question and the options of a command ask for, now."""
    from memcli.recall.query import from_words

    return from_words(text, context.now_ms() // 1000, **asked)


def _batch(
    context: Context, sources: Vault | Vaults, path: str, asked: parameters.Query
) -> Iterator[tuple[str, Any, Query]]:
    """The label, id and query of each line of a file; a line's own options win over the
    command's."""
    from memcli.recall.filters import named_project
    from memcli.storage import jsonl

    data = context.read_stdin() if path == "-" else jsonl.read_file(path)
    count = 0
    for count, (number, line) in enumerate(jsonl.objects(data, path), 1):
        name, text = line.pop("id", None), line.pop("query", "")
        own = _words(line, number)
        if own.get("project"):
            own["project"] = named_project(sources.vaults, own["project"] or "")
        if not (text and isinstance(text, str)):
            raise InvalidContent(
                f"{path}:{number}: 'query' is missing", code="invalid_batch"
            )
        label = f"question {count if name is None else name}: {text}"
        yield label, name, query_of(context, text, {**asked, **own})
    if not count:
        raise InvalidContent(f"{path} holds no question", code="invalid_batch")


def _words(line: dict[str, Any], number: int) -> parameters.Query:
    """The options of one line of a batch, which has flags or parameters as keys."""
    from memcli import declared, parameters

    known = declared.group(parameters.Query)
    named = known | {one.word.replace("-", "_"): one for one in known.values()}
    found: Any = {}
    for name, value in line.items():
        one = named.get(name.replace("-", "_"))
        items = value if one and one.repeat and isinstance(value, list) else [value]
        if one is None or any(not isinstance(item, one.kind) for item in items):
            wrong = "unknown field" if one is None else "a value of the wrong type for"
            raise InvalidContent(
                f"line {number}: {wrong} '{name}'",
                hint=f"Known: id, query, {', '.join(sorted(known))}.",
                code="invalid_batch",
            )
        found[one.name] = items if one.repeat else value
    return found  # type: ignore[no-any-return]


def _judged(vaults: Vault | Vaults, useful: list[str], not_useful: list[str]) -> Result:
    from memcli.recall import feedback

    noted = feedback.feedback(vaults.vaults, useful, not_useful)

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
    from memcli.cli.rows import short_ids

    def text(canvas: Canvas) -> None:
        short = short_ids(canvas, sources)
        if low := answer.low_coverage:
            canvas.line(low.told, style="dim")
        for row in answer.rows:
            draw(canvas, row, short, explain=explain)
        if answer.rows:  # under "No matching entries" they would pass for matches
            draw_constraints(canvas, answer.constraints, answer.more_constraints, short)

    warnings = list(answer.warnings)
    if answer.missing_terms or not answer.rows:
        from memcli.cli import hints

        warnings += hints.of_recall(context, answer)
    if answer.reading:
        from memcli.recall.results import sentence

        warnings += [sentence(word, others) for word, others in answer.reading.items()]
    if answer.omitted:
        warnings.append(f"{answer.omitted} more did not fit --max-chars")
    return Result(data=answer.as_dict(), text=text, warnings=tuple(warnings))
