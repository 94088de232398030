"""`memcli inspect entity NAME`: what the vault says about one name."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.errors import UsageError

# Characters of a claim that are shown in its line.
_CLAIM = 100


def entity(context: Context, name: str | None) -> Result:
    """The claims about an entity, by aspect, and those that hold no longer."""
    from memcli.curation.entities import page
    from memcli.curation.entities.page import by_aspect

    vault = context.open_vault("reading")
    if not name:
        raise UsageError(
            "name the entity",
            hint="memcli inspect entity NAME; all of them: memcli inspect entities",
        )
    about = page.page(vault, name)

    def text(canvas: Canvas) -> None:
        state = about.type if about.registered else "mentioned, not registered"
        canvas.line(f"{about.name} ({state})", style="title")
        if about.aliases:
            canvas.line(f"  also: {', '.join(about.aliases)}")
        for line in about.description.split("\n") if about.description else ():
            canvas.line(f"  {line}")
        for aspect, claims in by_aspect(about.current).items():
            canvas.line(f"{aspect}:", style="title")
            for claim in claims:
                canvas.line(f"  {claim.id} {_short(claim.text)}")
        if about.past:
            canvas.line("no longer:", style="title")
        for aspect, claims in by_aspect(about.past).items():
            for claim in claims:
                why = f"{claim.status}: {claim.reason}"
                why = claim.status if claim.reason == claim.status else why
                line = f"  {claim.id} {aspect}: {_short(claim.text)} ({why})"
                canvas.line(line, style="dim")
        if about.with_others:
            others = (f"{name} ({count})" for name, count in about.with_others)
            canvas.line(f"with: {', '.join(others)}")

    return Result(data=about.as_dict(), text=text)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _CLAIM else plain[: _CLAIM - 1] + "…"
