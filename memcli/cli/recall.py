"""`memcli recall`, `list`, `show`: what the vault knows about a question, its newest
entries, and entries by their ids."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result, said
from memcli.cli.rows import draw, draw_constraints, draw_head, listed, short_ids, table
from memcli.errors import InvalidContent, MemcliError, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, Literal, Unpack

    from memcli import parameters
    from memcli.curation.research import _Answer
    from memcli.recall.query import Query
    from memcli.recall.results import Recalled
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
    if rated and given(asked):
        raise UsageError(
            "--useful and --not-useful rate rows of an earlier recall",
            hint="Give them alone; ask the question in another command.",
        )
    if not (text.strip() or batch or rated):
        raise UsageError(
            "there is no question",
            hint='Ask one: memcli recall "how do we deploy?"; or list: memcli list; or '
            "pipe it in: memcli recall -",
        )
    sources = context.open_vaults("indexing", vaults, personal_only=personal_only)
    if rated:
        return _judged(sources, useful or [], not_useful or [])
    from memcli.recall import recall as use_case

    if batch:
        results = []
        for label, name, question in _batch(context, sources, batch, asked):
            one = _result(sources, use_case.recall(sources, question))
            results.append(one._replace(data={"id": name, **one.data}, label=label))
        result = results[0]._replace(lines=tuple(results))
    else:
        run = research, "recall", asked.get("budget")
        question = query_of(context, text, asked)
        result = answer(sources, run, question, use_case.recall, _result)
    if exit_code:  # of a batch, whether any of its questions found
        parts = result.lines or (result,)
        return result._replace(found=any(part.data["rows"] for part in parts))
    return result


def question_of(context: Context, words: list[str] | None) -> str:
    """The question of a command line, whose quotes are for the shell; of standard
    input where it is `-`."""
    text = " ".join(words or ())
    return context.piped_question() if text == "-" else text


def given(asked: Mapping[str, Any]) -> list[str]:
    """The options that say something, by their flags."""
    from memcli.cli.commands import of

    known = of("recall")
    return [f"--{known[name].word}" for name, value in asked.items() if value]


def query_of(context: Context, text: str, asked: Any) -> Query:
    """The query that a question and the options of a command ask for, now."""
    from memcli.recall.query import from_words

    return from_words(text, context.now_ms() // 1000, **asked)


def answer(
    sources: Vault | Vaults,
    run: tuple[str | None, str, str | None],
    question: Query,
    look: Callable[[Vault | Vaults, Query], _Answer],
    drawn: Callable[[Vault | Vaults, _Answer], Result],
) -> Result:
    """The answer to a question, drawn; where a research run is named, that counts it,
    and what is left of it stands beside the answer.

    Args and Raises as `curation.research.search`; `drawn` makes the answer a result.
    """
    name, command, budget = run
    if not name:
        return drawn(sources, look(sources, question))
    from memcli.curation import research

    found, kept = research.search(
        sources.vaults,
        (name, command, budget),
        question,
        lambda one: look(sources, one),
    )
    result = drawn(sources, found)
    warnings = list(result.warnings)
    if not kept.left:
        warnings.append(
            f"that was the last search of research '{kept.name}' (budget {kept.budget})"
        )
    data = {**result.data, "research": kept.brief()}
    return result._replace(data=data, warnings=tuple(warnings))


def _batch(
    context: Context, sources: Vault | Vaults, path: str, asked: parameters.Query
) -> Iterator[tuple[str, Any, Query]]:
    """The label, id and query of each line of a file; a line's own options win over the
    command's."""
    from memcli.recall.filters import named_project
    from memcli.storage import files

    data = context.read_stdin() if path == "-" else files.read_batch(path)
    count = 0
    for count, (number, line) in enumerate(files.json_lines(data, path), 1):
        if isinstance(line, MemcliError):
            raise line
        name, text = line.pop("id", None), line.pop("query", "")
        try:
            own = _words(line)
            if not (text and isinstance(text, str)):
                raise UsageError("'query' is missing")
        except MemcliError as error:
            message = f"{path}:{number}: {error.message}"
            raise InvalidContent(
                message, hint=error.hint, code="invalid_batch"
            ) from None
        if own.get("project"):
            own["project"] = named_project(sources.vaults, own["project"] or "")
        label = f"question {count if name is None else name}: {text}"
        yield label, name, query_of(context, text, {**asked, **own})
    if not count:
        raise InvalidContent(f"{path} holds no question", code="invalid_batch")


def _words(line: dict[str, Any]) -> parameters.Query:
    """The options of one line of a batch, which has flags or parameters as keys."""
    from memcli import declared, parameters

    known = declared.group(parameters.Query)
    named = known | {one.word.replace("-", "_"): one for one in known.values()}
    found: Any = {}
    for name, value in line.items():
        one = named.get(name.replace("-", "_"))
        if one is None:
            known_names = f"Known: id, query, {', '.join(sorted(known))}."
            raise UsageError(f"unknown field '{name}'", hint=known_names)
        several = one.repeat and not isinstance(value, list)
        found[one.name] = [value] if several else value
        declared.check(one, found[one.name], name)
    return found  # type: ignore[no-any-return]


def _judged(vaults: Vault | Vaults, useful: list[str], not_useful: list[str]) -> Result:
    from memcli.recall import listing

    noted = listing.feedback(vaults.vaults, useful, not_useful)

    lines = [
        f"{'useful' if note.useful else 'not useful'}: {note.id} {note.title}"
        for note in noted
        if note.noted
    ]
    warnings = [
        f"{note.id} is in no recall that the log knows"
        if note.noted
        else f"nothing was noted of {note.id}: {note.source} cannot be written to"
        for note in noted
        if not (note.noted and note.recall)
    ]
    data = {"feedback": [note._asdict() for note in noted], "count": len(noted)}
    return said(data, "\n".join(lines) or "nothing was noted", warnings=warnings)


def _result(sources: Vault | Vaults, answer: Recalled) -> Result:
    def text(canvas: Canvas) -> None:
        short = short_ids(canvas, sources)
        if low := answer.low_coverage:
            canvas.line(low.told, style="dim")
        for row in answer.rows:
            draw(canvas, row, short)
        if answer.rows:  # under "No matching entries" they would pass for matches
            draw_constraints(canvas, answer, short)

    warnings = list(answer.warnings)
    if answer.missing_terms or answer.no_match or not answer.rows:
        from memcli.cli import hints

        warnings += hints.of_recall(answer)
    if answer.reading:
        from memcli.recall.results import sentence

        warnings += [sentence(word, others) for word, others in answer.reading.items()]
    if answer.omitted:
        warnings.append(f"{answer.omitted} more did not fit --max-chars")
    return Result(data=answer.as_dict(), text=text, warnings=tuple(warnings))


# --- list and show --------------------------------------------------------------------


def list_(
    context: Context,
    *,
    since: str | None = None,
    by: Literal["kind", "tag", "project"] | None = None,
    all_: bool = False,
    long: bool = False,
    vaults: list[str] | None = None,
    personal_only: bool = False,
    **asked: Unpack[parameters.StatusFilters],
) -> Result:
    """List the newest entries

    By the time they were written, the last one first. --since counts that time, --after
    and --before when it happened. Filters work as in recall. --by counts what is in
    force (now), over (past), and waiting for review.

    \b
    Example:
      memcli list --since 7d
      memcli list --by tag

    Options:
        since: `--since WHEN` Only written at or after: 2026-05, 7d, ...
        by: `--by` How many there are of each; takes no filter
        all_: `--all, without --limit` Every entry that passes
        long: `--long` With each entry's path
    """
    from memcli.recall import listing
    from memcli.recall.query import from_words, moment_of

    limited = asked.get("limit") is not None
    now = context.now_ms() // 1000
    query = from_words("", now, **asked)
    if all_:
        query = query._replace(limit=2**31)
    if by:
        if query != from_words("", now) or since or len(vaults or ()) > 1:
            raise UsageError(f"--by {by} takes no filter, and one vault")
        if vaults:
            context = context._replace(vault=vaults[0])
        return _counted(context, by)
    sources = context.open_vaults("indexing", vaults, personal_only=personal_only)
    answer = listing.listed(sources, query, moment_of(since, now))

    def text(canvas: Canvas) -> None:
        short = short_ids(canvas, sources)
        if not answer.total:
            canvas.line("No matching entries.", style="nothing")
        elif canvas.terminal:
            for row in answer.rows:
                draw_head(canvas, row._replace(occurred_at=None), short, path=long)
        else:
            columns = "id written kind title project status vault" + " path" * long
            table(canvas, answer.rows, columns, _OF_ROWS, short)

    warnings = list(answer.warnings)
    shown = len(answer.rows)
    if shown < answer.total and not limited:
        warnings.append(f"Showing {shown:,} of {answer.total:,}: --limit N, or --all")
    return Result(data=answer.as_dict(), text=text, warnings=tuple(warnings))


_OF_ROWS: dict[str, Callable[[Any], object]] = {
    "written": lambda row: row.created[:10],
    "kind": lambda row: row.kind if row.layer == "fact" else row.layer,
    "status": lambda row: [*{row.status} - {"active"}, *row.marks],
    "vault": lambda row: "" if row.source == "personal" else row.source,
}


def _counted(context: Context, by: str) -> Result:
    """How many entries there are of each kind, tag or project."""
    from memcli.vault.agents import counts

    vault = context.open_vault("reading")
    rows, columns = counts(vault, by), f"{by}=name now=current past waiting"
    if by != "project":
        return listed(f"{by}s", rows, columns, empty=f"No {by}s.")
    here = vault.here
    return listed(
        "projects",
        rows,
        columns,
        {"project": lambda one: one.name or "(everywhere)"},
        empty="No projects.",
        data={"count": sum(one.name is not None for one in rows), "here": here},
        below=lambda canvas: canvas.line(
            f"this folder: {here or 'no project'}", style="dim"
        ),
    )


def show(
    context: Context, ids: list[str], *, vaults: list[str] | None = None
) -> Result:
    """Show entries in full, by their ids

    Prints what recall prints of an entry, also of one that recall does not show, with
    the reason. memcli inspect ID adds versions, history, links and every field.

    \b
    Example:
      memcli show 1m7xvn68xtqp489w
    """
    from memcli.recall import listing

    sources = context.open_vaults("indexing", vaults)
    entries = listing.show(sources.vaults, ids)

    def text(canvas: Canvas) -> None:
        short = short_ids(canvas, sources)
        for entry in entries:
            why = entry.reason
            note = f"recall does not show it: {why}" if why else ""
            if entry.resolved_at and entry.row.status == "resolved":
                by = f" by {entry.resolved_by}" if entry.resolved_by else ""
                said = f": {entry.resolution_note}" if entry.resolution_note else ""
                note = f"{note} on {entry.resolved_at[:10]}{by}{said}"
            draw(canvas, entry.row, short, note=note, asked=entry.asked)

    data = {"entries": [entry.as_dict() for entry in entries], "count": len(entries)}
    return Result(data=data, text=text)
