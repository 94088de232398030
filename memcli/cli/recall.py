"""`memcli recall`: what the vault knows about a question."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.rows import draw, draw_constraints
from memcli.errors import InvalidContent, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
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
    all_: bool = False,
    cursor: str | None = None,
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
        batch: `--batch FILE` Questions from a JSONL file, - for stdin
        useful: `--useful ID` Instead of a question: this row helped; repeatable
        not_useful: `--not-useful ID` Instead of a question: this row did not help;
            repeatable
        research: `--research NAME` Count this search in a research run and record its
            results
        all_: `--set all=true` Instead of a question: every entry, oldest first,
            unranked
        cursor: `--set cursor=CURSOR, with --set all` Go on after this row of all
    """
    text = question_of(context, query)
    if useful or not_useful:
        if text or batch or research or all_ or cursor or exit_code or given(asked):
            raise UsageError(
                "--useful and --not-useful rate rows of an earlier recall",
                hint="Give them alone; ask the question in another command.",
            )
        sources = context.open_vaults("indexing", vaults, personal_only=personal_only)
        return _judged(sources, useful or [], not_useful or [])
    piped = not context.stdin_is_terminal and context.via != "mcp"
    if piped and not (text or batch or all_):
        text = question_of(context, ["-"]).strip()
    _check(text, batch, research, every=all_)
    sources = context.open_vaults("indexing", vaults, personal_only=personal_only)
    if vaults and len(vaults) == 1:
        context = context.with_one_vault(vaults)
    if batch:
        result = _batch(context, sources, batch, asked)
    elif all_:
        answer = _enumerated(sources, query_of(context, "", asked), cursor)
        result = _result(context, sources, answer, explain=asked.get("explain", False))
    elif research:
        result = _searched(context, sources, text, asked, research)
    else:
        question = query_of(context, text, asked)
        answer = _recalled(sources, question)
        result = _result(context, sources, answer, explain=question.explain)
    return _for_scripts(result) if exit_code else result


def question_of(context: Context, words: list[str] | None) -> str:
    """The question of a command line, whose quotes are for the shell; of standard
    input where it is `-`."""
    text = " ".join(words or ())
    if text != "-":
        return text
    from memcli.cli.written_text import piped_question

    return piped_question(context)


def _searched(
    context: Context,
    sources: Vault | Vaults,
    text: str,
    asked: parameters.Query,
    research: str,
) -> Result:
    """The answer to a question that a research run counts."""
    from memcli.cli import hints
    from memcli.curation import research as runs

    question = query_of(context, text, asked)

    def look(budget: str) -> tuple[Recalled, list[Row]]:
        answer = _recalled(sources, question._replace(budget=budget))
        return answer, [*answer.rows, *answer.constraints]

    answer, run = runs.search(
        hints.home(context, sources),
        research,
        command="recall",
        query=text,
        budget=asked.get("budget"),
        look=look,
    )
    result = _result(context, sources, answer, explain=question.explain)
    return hints.with_run(result, run)


def _for_scripts(result: Result) -> Result:
    """The result of --exit-code: of a batch, whether any of its questions found."""
    parts = result.lines or (result,)
    return result._replace(found=any(part.data["rows"] for part in parts))


def given(asked: Mapping[str, Any]) -> list[str]:
    """The options that say something, by their flags."""
    from memcli.cli.flags import of

    known = of("recall")
    return [f"--{known[name].word}" for name, value in asked.items() if value]


def query_of(context: Context, text: str, asked: parameters.Query) -> Query:
    """The query that a question and the options of a command ask for, now."""
    from memcli.recall.query import from_words

    return from_words(text, context.now_ms() // 1000, **asked)


def _check(
    text: str,
    batch: str | None,
    research: str | None,
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
    context: Context, sources: Vault | Vaults, path: str, asked: parameters.Query
) -> Result:
    """One result a line of the file; a line's own options win over the command's."""
    from memcli.recall.filters import named_project
    from memcli.storage import jsonl

    data = context.read_stdin() if path == "-" else jsonl.read_file(path)
    results: list[Result] = []
    for number, line in jsonl.objects(data, path):
        name, text = line.pop("id", None), line.pop("query", "")
        own = _words(line, number)
        if own.get("project"):
            own["project"] = named_project(sources.vaults, own["project"] or "")
        if not (text and isinstance(text, str)):
            raise InvalidContent(
                f"{path}:{number}: 'query' is missing", code="invalid_batch"
            )
        question = query_of(context, text, {**asked, **own})
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


def _words(line: dict[str, Any], number: int) -> parameters.Query:
    """The options of one line of a batch, which has flags or parameters as keys."""
    from memcli import declared, parameters
    from memcli.cli.flags import of

    known = declared.group(parameters.Query)
    named = {one.word.replace("-", "_"): one for one in of("recall").values()}
    found: Any = {}
    for name, value in line.items():
        key = name.replace("-", "_")
        one = known.get(key) or named.get(key)
        if one is None or one.name not in known:
            raise InvalidContent(
                f"line {number}: unknown field '{name}'",
                hint=f"Known: id, query, {', '.join(sorted(known))}.",
                code="invalid_batch",
            )
        items = value if one.repeat and isinstance(value, list) else [value]
        if any(not isinstance(item, one.kind) for item in items):
            raise InvalidContent(
                f"line {number}: '{name}' has the wrong type: {value!r}",
                code="invalid_batch",
            )
        found[one.name] = items if one.repeat else value
    options: parameters.Query = found
    return options


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
        if answer.next_cursor:
            from shlex import quote

            canvas.line(f"more: --cursor {quote(answer.next_cursor)}", style="dim")

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
