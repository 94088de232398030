"""`memcli inspect`: everything memcli knows, and why.

Door: `run`, and one module for each topic.
Not in here: changes. What mends or decides is a command of its own.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memcli.cli.inspect import topics
from memcli.cli.spec import Argument, Canvas, Command, Context, Option, Result
from memcli.errors import EntryNotFound, MemcliError, UsageError

if TYPE_CHECKING:
    from memcli.vault.health.finding import Finding
    from memcli.vault.health.inspect import Inspected
    from memcli.vault.health.overview import IndexFacts, Overview
    from memcli.vault.vault import Vault

_HELP = """Show what the vault holds, one entry in full, or what is wrong

    Without a word: an overview and the lint of the whole vault; exits with 1 when
    something is broken. With an id: its fields, versions, history, links, and whether
    recall may show it. --repair mends what can be mended without guessing.

    \b
    Example:
      memcli inspect
      memcli inspect 1m7xvn68xtqp
      memcli inspect reflections --query "rerank"
      memcli inspect models --stale
      memcli inspect mining
      memcli inspect sessions
      memcli inspect signals
      memcli inspect signals --train --dry-run
      memcli inspect entity Redis
      memcli inspect entity --merge "Redis DB" Redis --dry-run
      memcli inspect lint --json
      memcli inspect --repair
    """

_PARAMETERS = (
    Argument(
        "what",
        "An id (a unique prefix will do), inbox, reflections, ideas, entities, entity, "
        "models, research, mining, sessions, signals, agents, vaults, index, or lint",
        metavar="[WHAT]",
    ),
    Argument(
        "session",
        "With mining: one session; with research: one run; with entity: a name",
        metavar="[NAME]",
    ),
    Option("stale", ("--stale",), bool, "With models: only stale ones", default=False),
    Option(
        "pairs",
        ("--pairs",),
        bool,
        "With signals: what a scorer learns from, as JSON lines",
        default=False,
    ),
    Option("query", ("--query",), str, "With reflections: the prompt they are for"),
    Option("train", ("--train",), bool, "With signals: learn from them", default=False),
    Option("repair", ("--repair",), bool, "Mend what is wrong", default=False),
    Option("merge", ("--merge",), str, "With entity: --merge A B, A goes into B", None),
    Option("rename", ("--rename",), str, "With entity: its new name", None),
    Option("alias", ("--alias",), str, "With entity: another name of it", None),
    Option("yes", ("--yes",), bool, "Change without asking", default=False),
    Option("dry_run", ("--dry-run",), bool, "Only show the changes", default=False),
)

# A topic wins over an id that starts with it. Most hold a letter that no id has (i, l,
# o, u); "agents" and "research" do not, and no id starts so before the year 2318.
_TOPICS = (
    "inbox", "reflections", "ideas", "entities", "entity", "models", "research",
    "mining", "sessions", "signals", "agents", "vaults", "index", "lint",
)  # fmt: skip
# An overview names this many findings and files; `inspect lint` names all.
_MOST_SHOWN = 20


def run(context: Context, **values: Any) -> Result:
    """Inspect what the word names."""
    from memcli.vault.health import overview

    what = (values["what"] or "").strip()
    _check(what, values)
    if what == "vaults":
        return topics.vaults(context)
    trains = values["train"] and not values["dry_run"]
    vault = context.open_vault("reading", writes=values["repair"] or trains)
    if values["repair"]:
        return topics.repair(context, vault, values)
    if what == "entity":
        from memcli.cli import entities

        return entities.entity(context, vault, values)
    if not what:
        found = overview.overview(vault)
        return Result(found.as_dict(), lambda c: _overview(c, found), ok=found.ok)
    if what in _TOPICS:
        return _topic(vault, what, values)
    return _entry(context, vault, what)


def _check(what: str, values: dict[str, Any]) -> None:
    if values["repair"] and what:
        raise UsageError("--repair looks at the whole vault", hint=f"Drop {what}.")
    changes = ("merge", "rename", "alias")
    on_entity = [name for name in changes if values[name] is not None]
    if on_entity and what != "entity":
        raise UsageError(f"--{on_entity[0]} belongs to: memcli inspect entity")
    for name in ("yes", "dry_run"):
        if name == "dry_run" and values["train"]:
            continue
        if values[name] and not values["repair"] and not on_entity:
            flag = "--" + name.replace("_", "-")
            raise UsageError(
                f"{flag} belongs to: memcli inspect --repair, or inspect entity with "
                "--merge, --rename or --alias"
            )
    if values["query"] and what != "reflections":
        raise UsageError("--query belongs to: memcli inspect reflections")
    if values["pairs"] and what != "signals":
        raise UsageError("--pairs belongs to: memcli inspect signals")
    if values["train"] and what != "signals":
        raise UsageError("--train belongs to: memcli inspect signals")
    if values["stale"] and what != "models":
        raise UsageError("--stale belongs to: memcli inspect models")
    if values["session"] and what not in ("mining", "research", "entity"):
        raise UsageError(
            f"one word, not two: {what} {values['session']}",
            hint=f"Leave '{values['session']}' out; a second word goes with mining, "
            "research and entity.",
        )


def _topic(vault: "Vault", what: str, values: dict[str, Any]) -> Result:
    from memcli.vault.health import overview
    from memcli.vault.health.finding import ERROR
    from memcli.vault.health.lint import lint

    plain = {"inbox": topics.inbox, "ideas": topics.ideas, "agents": topics.agents}
    if what in plain:
        return plain[what](vault)
    if what == "reflections":
        return topics.reflections(vault, values["query"] or "")
    if what == "entities":
        from memcli.cli import entities

        return entities.topic(vault)
    if what == "mining":
        from memcli.cli.inspect import mining

        return mining.mining(vault, values["session"])
    if what == "sessions":
        from memcli.cli.inspect import sessions

        return sessions.sessions(vault)
    if what == "signals":
        from memcli.cli.inspect import signals

        return signals.topic(vault, values)
    if what == "models":
        from memcli.cli import citations

        return citations.models(vault, stale=values["stale"])
    if what == "research":
        from memcli.cli import citations

        return citations.research(vault, values["session"])
    if what == "index":
        facts = overview.index_facts(vault)
        return Result(facts.as_dict(), lambda c: _facts(c, facts), ok=not facts.broken)
    findings = lint(vault, progress=vault.progress)
    ok = not any(finding.level == ERROR for finding in findings)
    data = {"findings": [finding._asdict() for finding in findings]}
    return Result(data, lambda c: _findings(c, findings), ok=ok)


def _entry(context: Context, vault: "Vault", word: str) -> Result:
    from memcli.vault.health import inspect

    try:
        entry = inspect.inspect(vault, word)
    except EntryNotFound as error:
        raise _not_a_topic(word, _teams_with(context, word)) from error
    return Result(entry.as_dict(), lambda c: _draw(c, entry))


def _not_a_topic(word: str, teams: Sequence[str]) -> EntryNotFound:
    """What to say of a word that is neither an id nor a topic.

    Args:
        word: what was given.
        teams: names of vaults in which it is an id.
    """
    if teams:
        return EntryNotFound(
            f"no entry of this vault has the id '{word}', but one of "
            + ", ".join(f"team:{name}" for name in teams),
            hint=" or ".join(f"memcli inspect {word} --vault {n}" for n in teams),
        )
    return EntryNotFound(
        f"no entry has the id '{word}'",
        hint=f"Topics: {', '.join(_TOPICS)}. Ids: memcli recall --all",
    )


def _teams_with(context: Context, word: str) -> list[str]:
    """The names of the vaults that a recall asks besides, and that have such an id."""
    from memcli.errors import AmbiguousId
    from memcli.vault.vault import Vault

    asked = None if context.vault else context.open_vaults("reading")
    if asked is None or isinstance(asked, Vault):
        return []
    found = []
    for vault in asked.vaults:
        kind, _, name = vault.source.partition(":")
        try:
            if kind == "team" and vault.path_of(word):
                found.append(name)
        except AmbiguousId:
            found.append(name)
        except MemcliError:
            continue  # it is not there, or this vault cannot be asked
    return found


def _overview(canvas: Canvas, found: "Overview") -> None:
    canvas.line(f"{found.path}: {found.entries:,} entries", style="title")
    canvas.line("  " + _counts(found.by_status))
    canvas.line("  " + _counts(found.by_kind))
    index = found.index_facts
    canvas.line(
        f"  index: {index.segments} segments, {index.bytes:,} bytes; "
        f"just now added {index.added}, changed {index.changed}, "
        f"removed {index.removed}",
        style="dim",
    )
    canvas.line(f"  git: {found.head or 'no commit'}", style="dim")
    if found.inbox.waiting:
        days = found.inbox.oldest_days
        canvas.line(
            f"  {found.inbox.waiting:,} wait for review"
            + ("" if days is None else f", the oldest for {days:g} days")
            + ": memcli review"
        )
    for row in found.recurred:
        canvas.line(f"  resolved, and recurred: {row.id} {row.title}")
    for path in found.dirty[:_MOST_SHOWN]:
        canvas.line(f"  not committed: {path}")
    _more(canvas, len(found.dirty), "see git status")
    for name, rows in (("pinned", found.pinned), ("newest", found.newest)):
        if rows:
            canvas.line(f"{name}:", style="title")
            canvas.table(
                ("id", "kind", "date", "title"),
                [(row.id, row.kind, row.created[:10], row.title) for row in rows],
            )
    _findings(canvas, found.findings, most=_MOST_SHOWN)


def _more(canvas: Canvas, number: int, where: str) -> None:
    if number > _MOST_SHOWN:
        canvas.line(f"  ... and {number - _MOST_SHOWN:,} more: {where}", style="dim")


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.items()) or "empty"


def _findings(
    canvas: Canvas, findings: "list[Finding]", *, most: int | None = None
) -> None:
    if not findings:
        canvas.line("lint: nothing is wrong", style="good")
        return
    errors = sum(finding.level == "error" for finding in findings)
    canvas.line(f"lint: {errors:,} errors, {len(findings) - errors:,} warnings")
    # What makes the exit code is seen first where not everything is.
    if most is not None and len(findings) > most:
        findings = sorted(findings, key=lambda finding: finding.level != "error")
    for finding in findings[:most]:
        style = "bad" if finding.level == "error" else ""
        hint = f" ({finding.hint})" if finding.hint else ""
        canvas.line(
            f"{finding.path}:{finding.line}: {finding.level}: {finding.message}{hint}",
            style=style,
        )
    if most is not None:
        _more(canvas, len(findings), "memcli inspect lint")


def _facts(canvas: Canvas, facts: "IndexFacts") -> None:
    for name, value in facts._asdict().items():
        if name != "broken":
            shown = f"{value:,}" if isinstance(value, int) else value or "-"
            canvas.line(f"{name}: {shown}")
    for file in facts.broken:
        canvas.line(f"{file.path}:{file.line}: {file.reason}", style="bad")


def _draw(canvas: Canvas, found: "Inspected") -> None:
    from memcli.entries.entry import FIELDS

    entry = found.entry
    canvas.line(entry.display_title, style="title")
    canvas.line(f"  {entry.path} ({found.file.bytes:,} bytes)", style="dim")
    default = type(entry)(id="")
    for name in FIELDS:
        value = getattr(entry, name)
        if value and value != getattr(default, name) and name != "title":
            canvas.line(f"  {name}: {_shown(value)}")
    for _, lines in entry.extra:
        for line in lines.rstrip("\n").split("\n"):
            canvas.line(f"  {line}", style="dim")
    for problem in found.problems:
        canvas.line(f"  line {problem.line}: {problem.message}", style="bad")
    state = "yes" if found.eligible else f"no: {found.reason}"
    canvas.line(
        f"  shown by recall: {state}", style="good" if found.eligible else "bad"
    )
    if found.around.stale_why:
        from memcli.vault import staleness

        label = "stale" if found.around.stale else "pinned, look at it"
        for why in found.around.stale_why:
            canvas.line(f"  {label}: {staleness.sentence(why)}", style="bad")
    if found.recurred_at:
        reopen = f"memcli resolve --undo {entry.id}"
        canvas.line(f"  recurred on {found.recurred_at}; to reopen it: {reopen}")
    if found.item:
        left = found.item.days_left
        canvas.line(
            f"  weight {found.item.score}, seen {found.item.sightings} times, "
            + ("no end" if left is None else f"{left:g} days left")
        )
    if found.uses is not None:
        canvas.line(f"  stored or recalled {found.uses:,} times")
    canvas.line()
    for line in entry.body.strip().split("\n"):
        canvas.line(f"  {line}")
    canvas.line()
    _surroundings(canvas, found)


def _surroundings(canvas: Canvas, found: "Inspected") -> None:
    around = found.around
    if len(found.versions) > 1:
        canvas.line("versions:", style="title")
        for version in found.versions:
            arrow = "->" if version.current else "  "
            mark = "*" if version.id == found.entry.id else " "
            note = "current" if version.current else version.status
            why = f" ({version.reason})" if version.reason else ""
            canvas.line(
                f"{arrow} {mark} {version.created[:10]} {version.id} {note}: "
                f"{version.title}{why}"
            )
            canvas.line(f"     {version.path}", style="dim")
    for name, row in (("before", around.before), ("after", around.after)):
        if row:
            canvas.line(f"{name} in its session: {row.id} {row.title}")
    for link in found.links:
        target, file = link.entry, link.file
        shown = f"{target.id} {target.title}" if target else file or "nothing"
        canvas.line(f"links to {link.target}: {shown}", style="" if file else "bad")
    for row in around.backlinks:
        canvas.line(f"linked from: {row.id} {row.title}")
    for row in around.related:
        canvas.line(f"shares entities with: {row.id} {row.title}", style="dim")
    if found.history_note:
        canvas.line(f"history: {found.history_note}")
    for commit in found.history:
        canvas.line(
            f"{commit.id[:10]} {commit.when} {commit.author}: {commit.subject}",
            style="dim",
        )


def _shown(value: Any) -> str:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        parts = value._asdict().items()
        return ", ".join(f"{k} {v}" for k, v in parts if v is not None)
    return ", ".join(value) if isinstance(value, tuple) else str(value)


COMMAND = Command("inspect", _HELP, _PARAMETERS, run)
