"""`memcli review`: decide on what waits: candidates, ideas, names of entities."""

import re
from typing import TYPE_CHECKING, Any

from memcli.cli.spec import Argument, Canvas, Command, Context, Option, Result, to_do_it
from memcli.errors import InvalidValue, UsageError

if TYPE_CHECKING:
    from memcli.curation.review import Candidate, Outcome
    from memcli.curation.undo import Undone
    from memcli.vault.vault import Vault

_HELP = """Decide on the candidates in the inbox, and on ideas

    On a terminal it walks through them, the oldest first; each decision is committed
    at once, so it can be left at any point. For scripts the same as flags: ids act at
    once, selections of many (--all, --all-older-than, --min-confidence) show what
    they would do until --yes is given. Ideas are named by their slugs: --promote,
    --dismiss, --merge. Names that may be entities: --entities, --register, --ignore.

    \b
    Example:
      memcli review
      memcli review --list --json
      memcli review 1m7xvn68 --approve
      memcli review 1m7xvn68 --supersede 1m7w0c2d
      memcli review --reject --all-older-than 30 --yes
      memcli review --ideas
      memcli review warm-the-index --promote --kind action
      memcli review "Ada Lovelace" --register --type person --alias Ada
    """

_PARAMETERS = (
    Argument(
        "ids",
        "Ids, slugs (or unique prefixes) or names",
        repeat=True,
        metavar="[ID]...",
    ),
    Option("list", ("--list",), bool, "List what waits", default=False),
    Option("approve", ("--approve",), bool, "Make it a memory", default=False),
    Option("reject", ("--reject",), bool, "Say no, for good", default=False),
    Option(
        "supersede",
        ("--supersede",),
        str,
        "Make it the next version of this entry",
        metavar="ID",
    ),
    Option(
        "edit", ("--edit",), bool, "Open it in EDITOR, then approve it", default=False
    ),
    Option("ideas", ("--ideas",), bool, "List the ideas that are open", default=False),
    Option("promote", ("--promote",), bool, "Make a memory of an idea", default=False),
    Option("dismiss", ("--dismiss",), bool, "Say no to an idea", default=False),
    Option("merge", ("--merge",), str, "Let an idea go into this one", metavar="SLUG"),
    Option("entities", ("--entities",), bool, "List names that may be entities", False),
    Option("register", ("--register",), bool, "Make an entity of a name", False),
    Option("ignore", ("--ignore",), bool, "Never propose these names", False),
    Option("type", ("--type",), str, "With --register: person, project, tool, ..."),
    Option(
        "alias",
        ("--alias",),
        str,
        "With --register: another name of it; repeatable",
        repeat=True,
        metavar="NAME",
    ),
    Option("undo", ("--undo",), bool, "Take the last decision back", default=False),
    Option("reason", ("--reason",), str, "Why"),
    Option("title", ("--title",), str, "A title for the memory"),
    Option("kind", ("--kind",), str, "A kind for the memory"),
    Option("tag", ("--tag",), str, "A tag to add; repeatable", repeat=True),
    Option("all", ("--all",), bool, "Everything that waits", default=False),
    Option(
        "all_older_than",
        ("--all-older-than",),
        str,
        "Everything older than so many days (30, 30d)",
        metavar="DAYS",
    ),
    Option(
        "min_confidence",
        ("--min-confidence",),
        str,
        "Everything at least so sure: HIGH, MEDIUM, LOW",
    ),
    Option("yes", ("--yes",), bool, "Act on many without asking", default=False),
    Option("dry_run", ("--dry-run",), bool, "Only show what would be", default=False),
)
_ACTIONS = ("approve", "reject", "supersede", "edit")
_ON_IDEAS = ("promote", "dismiss", "merge")
_ON_NAMES = ("register", "ignore")


def run(context: Context, **values: Any) -> Result:
    """List, decide by flags, or walk through what waits."""
    actions = [n for n in (*_ACTIONS, *_ON_IDEAS, *_ON_NAMES) if values[n]]
    bulk = bool(values["all"] or values["all_older_than"] or values["min_confidence"])
    _check(values, actions, bulk=bulk)
    vault = context.open_vault("reviewing", writes=True)
    if values["undo"]:
        from memcli.curation.undo import undo_last

        return _undone(undo_last(vault, "review: "))
    if values["entities"] or (actions and actions[0] in _ON_NAMES):
        from memcli.cli import entities

        if values["entities"]:
            return entities.waiting(vault)
        return entities.decide(vault, actions[0], values)
    if values["ideas"] or (actions and actions[0] in _ON_IDEAS):
        from memcli.cli import review_ideas

        return review_ideas.run(vault, actions[0] if actions else None, values)
    if not actions:
        walking = context.interactive and not values["list"] and not bulk
        if walking:
            from memcli.cli.review_walk import walk

            return walk(context, vault)
        return _list(_selected(vault, values))
    if bulk:
        return _many(context, vault, actions[0], values)
    if values["dry_run"]:
        return _planned(_named(vault, values["ids"]), actions[0], values)
    return _decided(_act(context, vault, actions[0], values["ids"], values))


def _check(values: dict[str, Any], actions: list[str], *, bulk: bool) -> None:
    ids = values["ids"]
    _check_ideas(values, actions, bulk=bulk)
    if len(actions) > 1:
        raise UsageError(f"--{actions[0]} and --{actions[1]} exclude each other")
    if values["undo"] and (ids or actions or bulk):
        raise UsageError("--undo takes the last decision back; it takes nothing else")
    if values["list"] and actions:
        raise UsageError("--list changes nothing", hint=f"Drop --{actions[0]}.")
    if actions and bool(ids) == bulk:
        raise UsageError(
            f"--{actions[0]} needs ids, or one of --all, --all-older-than, "
            "--min-confidence",
            hint="What waits: memcli review --list",
        )
    single = ("supersede", "edit", "merge", "register")
    if actions and actions[0] in single and len(ids) != 1:
        what = "name" if actions[0] == "register" else "id"
        raise UsageError(f"--{actions[0]} takes one {what}")
    if ids and not actions:
        raise UsageError(
            "what is to happen to it?",
            hint="--approve, --reject, --supersede ID, --edit; an idea: --promote, "
            "--dismiss, --merge SLUG; or memcli inspect ID",
        )
    changes = [name for name in ("title", "kind", "tag") if values[name]]
    if changes and actions not in (["approve"], ["edit"], ["promote"]):
        raise UsageError(f"--{changes[0]} belongs to --approve or --promote")
    named = [name for name in ("type", "alias") if values[name]]
    if named and actions != ["register"]:
        raise UsageError(f"--{named[0]} belongs to --register")
    if values["dry_run"] and actions == ["ignore"]:
        raise UsageError("--ignore has no plan to show", hint="Drop --dry-run.")


def _check_ideas(values: dict[str, Any], actions: list[str], *, bulk: bool) -> None:
    others = values["ids"] or actions or bulk or values["list"] or values["undo"]
    if values["ideas"] and (others or values["entities"]):
        raise UsageError("--ideas lists the open ones; it takes nothing else")
    if values["entities"] and others:
        raise UsageError("--entities lists the names; it takes nothing else")
    for group, what, flag in (
        (_ON_IDEAS, "ideas", "ideas"),
        (_ON_NAMES, "names", "entities"),
    ):
        if bulk and set(actions) & set(group):
            raise UsageError(
                f"--{actions[0]} takes {what} by name",
                hint=f"What there is: memcli review --{flag}",
            )


def _act(
    context: Context, vault: "Vault", action: str, ids: list[str], values: Any
) -> "Outcome":
    from memcli.curation import review

    if action == "reject":
        return review.reject(vault, ids, values["reason"])
    if action == "supersede":
        return review.supersede(vault, ids[0], values["supersede"], values["reason"])
    changes = {
        "title": values["title"],
        "kind": values["kind"],
        "tags": tuple(values["tag"]),
    }
    if action == "approve":
        given = {name: value for name, value in changes.items() if value}
        return review.approve(vault, ids, given)
    from memcli.cli.review_walk import edited

    return edited(context, vault, ids[0], changes)


def _selected(vault: "Vault", values: dict[str, Any]) -> "list[Candidate]":
    from memcli.curation import review

    return review.select(
        review.pending(vault),
        older_than_days=_days(values["all_older_than"]),
        min_confidence=values["min_confidence"],
    )


def _named(vault: "Vault", ids: list[str]) -> "list[Candidate]":
    from memcli.curation import review

    wanted = {vault.get(name).id for name in ids}
    return [one for one in review.pending(vault) if one.id in wanted]


def _many(
    context: Context, vault: "Vault", action: str, values: dict[str, Any]
) -> Result:
    candidates = _selected(vault, values)
    acting = bool(candidates) and not values["dry_run"]
    if acting and not values["yes"]:
        acting = False
        if context.interactive:
            for one in candidates:
                context.tell(f"  {one.id} {one.title}")
            count = len(candidates)
            which = "it" if count == 1 else f"these {count}"
            acting = context.confirm(f"{action.capitalize()} {which}?")
    if not acting:
        return _planned(candidates, action, values)
    ids = [one.id for one in candidates]
    return _decided(_act(context, vault, action, ids, values))


def _days(text: str | None) -> float | None:
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*d?(?:ays?)?", text.strip())
    if found is None:
        raise InvalidValue(
            f"--all-older-than takes days: 30 or 30d (got {text!r})",
            code="invalid_all_older_than",
        )
    return float(found[1])


def _list(candidates: "list[Candidate]") -> Result:
    def text(canvas: Canvas) -> None:
        if not candidates:
            canvas.line("nothing waits for review", style="dim")
            return
        canvas.table(
            ("id", "days", "confidence", "kind", "title"),
            [
                (one.id, f"{one.age_days:g}", one.confidence or "", one.kind, one.title)
                for one in candidates
            ],
        )

    rows = [one._asdict() for one in candidates]
    return Result(data={"candidates": rows, "count": len(rows)}, text=text)


def _planned(
    candidates: "list[Candidate]", action: str, values: dict[str, Any]
) -> Result:
    def text(canvas: Canvas) -> None:
        canvas.line(f"would {action} {len(candidates)}:")
        for one in candidates:
            canvas.line(f"  {one.id} {one.title}")
        canvas.line(to_do_it(values), style="dim")

    items = [
        {"id": one.id, "title": one.title, "path": one.path, "outcome": "pending"}
        for one in candidates
    ]
    data = {"applied": False, "action": action, "items": items}
    return Result(data=data, text=text)


def _decided(done: "Outcome") -> Result:
    def text(canvas: Canvas) -> None:
        for item in done.items:
            canvas.line(f"{item.outcome} {item.id} {item.path}", style="good")

    outcomes = [item.outcome for item in done.items]
    data = {
        "applied": bool(outcomes),
        "action": outcomes[0] if outcomes else None,
        "items": [item._asdict() for item in done.items],
        "commit": done.commit,
    }
    return Result(data=data, text=text)


def _undone(done: "Undone") -> Result:
    data = {"applied": True, "action": "undo", **done._asdict()}
    return Result(
        data=data,
        text=lambda canvas: canvas.line(f"undone: {done.subject}", style="good"),
    )


COMMAND = Command("review", _HELP, _PARAMETERS, run)
