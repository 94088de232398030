"""`memcli save`: one memory, or a batch of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memcli.cli.spec import Argument, Canvas, Command, Context, Option, Result
from memcli.errors import Unreadable, UsageError

if TYPE_CHECKING:
    from memcli.vault.vault import Saved, Vault

_HELP = """Save a memory, committed to the vault's history

    The text comes from the argument, from --file, or from standard input. The same
    text again returns the entry that holds it; entries that say nearly the same are
    named.

    \b
    Example:
      memcli save "Never deploy on Fridays" --kind convention --tag deploy
    """

_PARAMETERS = (
    Argument("text", "The text; - or nothing reads standard input", metavar="[TEXT]"),
    Option("file", ("--file",), str, "Read the text from a file", metavar="PATH"),
    Option("title", ("--title",), str, "Instead of the text's first heading or clause"),
    Option("kind", ("--kind",), str, "note, preference, workflow, fix, decision, ..."),
    Option("type", ("--type",), str, "What it is about: person, project, tool, ..."),
    Option("tag", ("--tag",), str, "A tag, or key:value; repeatable", repeat=True),
    Option(
        "entity",
        ("--entity",),
        str,
        "An entity it is about, registered when new; repeatable",
        repeat=True,
    ),
    Option(
        "occurred_at",
        ("--occurred-at",),
        str,
        "When it happened: 2026, 2026-11, 2026-11-21, ...",
        metavar="DATE",
    ),
    Option(
        "occurred_until",
        ("--occurred-until",),
        str,
        "The end, if it lasted",
        metavar="DATE",
    ),
    Option(
        "expires_at",
        ("--expires-at",),
        str,
        "Not shown from this date on",
        metavar="DATE",
    ),
    Option("layer", ("--layer",), str, "fact, observation or model"),
    Option(
        "subtype",
        ("--subtype",),
        str,
        "Of a model: structural, emergent, or pinned (kept by people)",
    ),
    Option(
        "cite",
        ("--cite",),
        str,
        "An entry that an observation or model rests on; repeatable",
        repeat=True,
        metavar="ID",
    ),
    Option(
        "research",
        ("--research",),
        str,
        "Cite only what this research run retrieved",
        metavar="NAME",
    ),
    Option(
        "item",
        ("--item",),
        str,
        "A reflection item: invariant (a rule) or derived (fades in days)",
    ),
    Option("inbox", ("--inbox",), bool, "Let a review decide on it", default=False),
    Option("confidence", ("--confidence",), str, "Of a mined entry: HIGH, MEDIUM, LOW"),
    Option("rationale", ("--rationale",), str, "Why it was mined"),
    Option(
        "evidence",
        ("--evidence",),
        str,
        "An id or session that it rests on; repeatable",
        repeat=True,
        metavar="ID",
    ),
    Option(
        "review_after",
        ("--review-after",),
        str,
        "When to look whether it still holds",
        metavar="DATE",
    ),
    Option("pinned", ("--pinned",), bool, "Goes into every session", default=False),
    Option(
        "visibility",
        ("--visibility",),
        str,
        "Who may see it: private (who writes it), shared (default), or group",
        choices=("private", "shared", "group"),
    ),
    Option(
        "groups",
        ("--group",),
        str,
        "A group of agents that may see it; repeatable",
        repeat=True,
    ),
    Option(
        "source_writer",
        ("--source",),
        str,
        "Who writes: manual, skill, hook, pipeline or import",
        metavar="WRITER",
    ),
    Option(
        "source_host",
        ("--source-host",),
        str,
        "The agent host it came from",
        metavar="HOST",
    ),
    Option(
        "source_session",
        ("--source-session",),
        str,
        "The session it came from",
        metavar="ID",
    ),
    Option(
        "source_transcript",
        ("--source-transcript",),
        str,
        "The transcript's path",
        metavar="PATH",
    ),
    Option(
        "source_record",
        ("--source-record",),
        str,
        "The record in the transcript",
        metavar="ID",
    ),
    Option(
        "source_seq",
        ("--source-seq",),
        int,
        "Its place in the session, from 0",
        metavar="N",
    ),
    Option(
        "source_excerpt",
        ("--source-excerpt",),
        str,
        "The words it rests on",
        metavar="TEXT",
    ),
    Option(
        "batch",
        ("--batch",),
        str,
        "Entries from a JSONL file, - for stdin",
        metavar="FILE",
    ),
    Option(
        "allow_secret",
        ("--allow-secret",),
        bool,
        "Save though it looks like a secret",
        default=False,
    ),
)

_WRITERS = ("manual", "skill", "hook", "pipeline", "import")


def run(context: Context, **values: Any) -> Result:
    """Save what the flags describe."""
    batch = values.pop("batch")
    allow_secret = values.pop("allow_secret")
    cites, research = values.pop("cite"), values.pop("research")
    vault = context.open_vault("saving", writes=True)
    values["visibility"] = _visibility(vault, values)
    if batch:
        if cites or research:
            raise UsageError(
                "--cite and --research go with one entry, not with --batch",
                hint="A line may carry `evidence`: a list of ids.",
            )
        return _batch(context, vault, batch, values, allow_secret=allow_secret)
    text = written_text(context, values.pop("text"), values.pop("file"), what="save")
    fields = _fields(values)
    draft = vault.draft({"text": text, **fields})
    register = bool(draft.entities)
    if not (cites or research):
        saved = vault.save(draft, allow_secret=allow_secret, register=register)
        return _result(saved, _as_it_was(vault, saved, values["visibility"]))
    from memcli.cli import citations

    of = citations.citations(vault, draft.layer, cites, research)
    evidence = tuple(dict.fromkeys((*draft.evidence, *of.cited)))
    draft = draft.replace(evidence=evidence)
    saved = vault.save(draft, allow_secret=allow_secret, register=register)
    result = _result(saved, _as_it_was(vault, saved, values["visibility"]))
    return citations.reported(vault, result, of, research)


def _visibility(vault: "Vault", values: dict[str, Any]) -> str | None:
    """Who may see it; naming groups is enough to mean them."""
    own = vault.agent.groups if vault.agent else ()
    visibility: str | None = values["visibility"]
    if values["groups"]:
        if visibility not in (None, "group"):
            raise UsageError(
                f"--group goes with --visibility group, not with {visibility}",
                hint="Drop one of them.",
            )
        return "group"
    if visibility == "group" and not own:
        raise UsageError(
            "there is no group to share it with",
            hint="Name it: --group NAME. (An agent that is in groups means those.)",
        )
    return visibility


def _as_it_was(vault: "Vault", saved: "Saved", wanted: str | None) -> list[str]:
    """What to say when who may see it is not what was asked for.

    The same text again returns the entry that holds it, and evidence narrows.
    """
    if wanted is None:
        return []
    entry = vault.get(saved.id)
    if str(entry.visibility) == wanted:
        return []
    groups = f" with {', '.join(entry.groups)}" if entry.groups else ""
    if saved.outcome == "created":
        return [
            f"it is {entry.visibility}{groups}, not {wanted}: what it rests on may be "
            "seen by no more"
        ]
    return [
        f"{saved.id} is {entry.visibility}{groups}, and stays so: to make it {wanted}, "
        f"edit `visibility` in {entry.path}"
    ]


def written_text(
    context: Context, argument: str | None, path: str | None, *, what: str
) -> str:
    """The text that a command line brings: an argument, a file, or standard input."""
    if path and argument:
        raise UsageError("give the text as an argument or with --file, not both")
    if path:
        from memcli.storage import files

        # Four bytes a character, whatever the vault's limit; more is not read.
        return _decoded(files.read(path, limit=64_000_000), path)
    if argument is not None and argument != "-":
        return argument
    if context.stdin_is_terminal and argument is None:
        raise UsageError(
            "there is no text to save",
            hint=f'Give it: memcli {what} "..."; or with --file; or pipe it in.',
        )
    return _decoded(context.read_stdin(), "standard input")


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            f"{name}:{line}: not UTF-8 (byte {error.start:,})",
            hint="Convert it first, for example: iconv -f latin1 -t utf-8",
        ) from error


def _fields(values: dict[str, Any]) -> dict[str, Any]:
    """The flags as fields of an entry."""
    source = {
        name.removeprefix("source_"): values.pop(name)
        for name in list(values)
        if name.startswith("source_")
    }
    if source["writer"] and source["writer"] not in _WRITERS:
        from memcli.errors import InvalidValue

        raise InvalidValue(
            f"source must be one of {', '.join(_WRITERS)} (got {source['writer']!r})",
            code="invalid_source",
        )
    fields = {
        "status": "pending" if values.pop("inbox") else None,
        "tags": values.pop("tag"),
        "entities": values.pop("entity"),
        "source": {name: value for name, value in source.items() if value is not None},
        **values,
    }
    return {name: value for name, value in fields.items() if value}


def _batch(
    context: Context,
    vault: Any,
    path: str,
    values: dict[str, Any],
    *,
    allow_secret: bool,
) -> Result:
    from memcli.cli.import_ import report
    from memcli.curation import importing
    from memcli.storage import jsonl

    if values.pop("text") or values.pop("file"):
        raise UsageError("--batch brings its own texts", hint="Drop the TEXT.")
    data = context.read_stdin() if path == "-" else jsonl.read_file(path)
    done = importing.import_lines(
        vault,
        data,
        path,
        fields=_fields(values),
        allow_secret=allow_secret,
        verb="save",
    )
    return report(done)


_SAID = {
    "created": "saved",
    "duplicate": "already known",
    "seen": "seen again",
    "recurred": "resolved, and recurred",
    "rejected": "rejected before",
}


def _result(saved: "Saved", notes: Sequence[str]) -> Result:
    def text(canvas: Canvas) -> None:
        style = "good" if saved.outcome in ("created", "seen") else "dim"
        canvas.line(f"{_SAID[saved.outcome]} {saved.id} {saved.path}", style=style)
        if saved.entities:
            new = ", ".join(saved.registered)
            line = f"  mentions {', '.join(saved.entities)}"
            canvas.line(line + (f" (registered: {new})" if new else ""), style="dim")

    warnings = [*saved.notes, *notes]
    warnings += [
        f"{item.id} says nearly the same ({item.likeness:.0%}): {item.title}; "
        f"to make them one: memcli evolve {saved.id} --also {item.id}"
        for item in saved.similar
    ]
    data = {
        "id": saved.id,
        "path": saved.path,
        "outcome": saved.outcome,
        "title": saved.title,
        "similar": [item._asdict() for item in saved.similar],
        "entities": list(saved.entities),
        "registered": list(saved.registered),
    }
    return Result(data=data, text=text, warnings=tuple(warnings))


COMMAND = Command("save", _HELP, _PARAMETERS, run)
