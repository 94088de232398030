"""Entities on the command line: what `inspect` and `review` say and do of them.

Invariant: what changes entries of others shows its plan first, and acts when a person
says so, or with --yes.
"""

from typing import TYPE_CHECKING, Any

from memcli.cli.spec import Canvas, Context, Result, to_do_it
from memcli.errors import UsageError

if TYPE_CHECKING:
    from memcli.curation.entities.decide import Plan, Request
    from memcli.curation.entities.page import EntityPage
    from memcli.vault.vault import Vault

# What of a claim stands in a line.
_CLAIM = 100
_MOST_LISTED = 50


def topic(vault: "Vault") -> Result:
    """`inspect entities`: what is registered and mentioned, and how often."""
    from memcli.curation.entities import page
    from memcli.vault.health import usage

    rows = page.listed(vault)
    through = usage.channels(vault)
    waiting = len(page.candidates(vault))
    registered = sum(row.registered for row in rows)

    def text(canvas: Canvas) -> None:
        if not rows:
            canvas.line("no entity is registered or mentioned", style="dim")
        else:
            canvas.line(f"{registered:,} registered, {len(rows):,} in all")
            canvas.table(
                ("name", "type", "now", "past", "", "aliases"),
                [
                    (
                        row.name,
                        row.type if row.registered else "-",
                        f"{row.current:,}",
                        f"{row.past:,}",
                        "hub" if row.hub else "",
                        ", ".join(row.aliases),
                    )
                    for row in rows[:_MOST_LISTED]
                ],
            )
            if len(rows) > _MOST_LISTED:
                canvas.line(f"  ... and {len(rows) - _MOST_LISTED:,} more (--json)")
        if waiting:
            canvas.line(f"{waiting:,} names wait: memcli review --entities")
        if through.recalls:
            counts = ", ".join(
                f"{count:,} {one}" for one, count in through.rows.items()
            )
            canvas.line(f"rows of the last {through.recalls:,} recalls by channel:")
            canvas.line(f"  {counts}")

    data = {
        "entities": [row._asdict() for row in rows],
        "count": len(rows),
        "registered": registered,
        "hubs": [row.name for row in rows if row.hub],
        "candidates": waiting,
        "channels": through._asdict(),
    }
    return Result(data=data, text=text)


def entity(context: Context, vault: "Vault", values: dict[str, Any]) -> Result:
    """`inspect entity NAME`: its claims; with --merge, --rename, --alias: a change."""
    from memcli.curation.entities import page
    from memcli.curation.entities.decide import Request

    name = values["session"]
    verbs = [verb for verb in ("merge", "rename", "alias") if values[verb] is not None]
    if len(verbs) > 1:
        raise UsageError(f"--{verbs[0]} and --{verbs[1]} exclude each other")
    if not name:
        raise UsageError(
            "--merge takes two names: --merge A B"
            if verbs == ["merge"]
            else "which entity?",
            hint="memcli inspect entity NAME; all of them: memcli inspect entities",
        )
    if not verbs:
        return _page(page.page(vault, name))
    verb = verbs[0]
    if verb == "merge":
        request = Request(verb, values["merge"], name)
    else:
        request = Request(verb, name, values[verb])
    return _changed(context, vault, request, values)


def _changed(
    context: Context, vault: "Vault", request: "Request", values: dict[str, Any]
) -> Result:
    from memcli.curation.entities import decide as naming

    found = naming.plan(vault, request)
    acting = bool(values["yes"]) and not values["dry_run"]
    if not acting and not values["dry_run"] and context.interactive:
        for line in _lines(found):
            context.tell(f"  {line}")
        acting = context.confirm("Do it?")
    if not acting:
        return _planned(found, values)
    return _applied(*naming.apply(vault, request))


def _lines(found: "Plan") -> list[str]:
    lines = [f"{path}: {what}" for path, what in found.files]
    lines += [
        f"{one.path}: {', '.join(one.before) or 'none'} -> {', '.join(one.after)}"
        for one in found.entries
    ]
    return lines


def _planned(found: "Plan", values: dict[str, Any]) -> Result:
    def text(canvas: Canvas) -> None:
        canvas.line(f"would {found.request.verb}:")
        for line in _lines(found):
            canvas.line(f"  {line}")
        canvas.line(to_do_it(values), style="dim")

    return Result(data={"applied": False, **found.as_dict(), "commit": None}, text=text)


_DONE = {
    "register": "registered",
    "rename": "renamed to",
    "alias": "another name of",
    "merge": "merged into",
}


def _applied(found: "Plan", commit: str | None) -> Result:
    def text(canvas: Canvas) -> None:
        number = len(found.entries)
        canvas.line(
            f"{_DONE[found.request.verb]} {found.name}: "
            f"{number:,} {'entry' if number == 1 else 'entries'} changed",
            style="good",
        )

    return Result(
        data={"applied": True, **found.as_dict(), "commit": commit}, text=text
    )


def _page(found: "EntityPage") -> Result:
    from memcli.curation.entities.page import by_aspect

    def text(canvas: Canvas) -> None:
        state = found.type if found.registered else "mentioned, not registered"
        canvas.line(f"{found.name} ({state})", style="title")
        if found.aliases:
            canvas.line(f"  also: {', '.join(found.aliases)}")
        for line in found.description.split("\n") if found.description else ():
            canvas.line(f"  {line}")
        for aspect, claims in by_aspect(found.current).items():
            canvas.line(f"{aspect}:", style="title")
            for claim in claims:
                canvas.line(f"  {claim.id} {_short(claim.text)}")
        if found.past:
            canvas.line("no longer:", style="title")
        for aspect, claims in by_aspect(found.past).items():
            for claim in claims:
                why = f"{claim.status}: {claim.reason}"
                why = claim.status if claim.reason == claim.status else why
                line = f"  {claim.id} {aspect}: {_short(claim.text)} ({why})"
                canvas.line(line, style="dim")
        if found.with_others:
            others = (f"{name} ({count})" for name, count in found.with_others)
            canvas.line(f"with: {', '.join(others)}")

    return Result(data=found.as_dict(), text=text)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _CLAIM else plain[: _CLAIM - 1] + "…"


def waiting(vault: "Vault") -> Result:
    """`review --entities`: names that nobody has decided on."""
    from memcli.curation.entities import page

    rows = page.candidates(vault)

    def text(canvas: Canvas) -> None:
        if not rows:
            canvas.line("no name waits", style="dim")
            return
        canvas.table(
            ("entries", "name", "example"),
            [(f"{row.entries:,}", row.name, row.example) for row in rows],
        )

    data = {"names": [row._asdict() for row in rows], "count": len(rows)}
    return Result(data=data, text=text)


def decide(vault: "Vault", action: str, values: dict[str, Any]) -> Result:
    """`review NAME --register` and `--ignore`."""
    from memcli.curation.entities import decide as naming

    if action == "ignore":
        names, commit = naming.ignore(vault, values["ids"])
        said = ", ".join(names) or "nothing that was not ignored before"
        data = {"applied": bool(names), "action": action, "names": names}
        return Result(
            data={**data, "commit": commit},
            text=lambda canvas: canvas.line(f"ignored {said}", style="good"),
        )
    request = naming.Request(
        action,
        values["ids"][0],
        type=values["type"] or "unknown",
        aliases=tuple(values["alias"]),
    )
    if values["dry_run"]:
        return _planned(naming.plan(vault, request), values)
    return _applied(*naming.apply(vault, request))
