"""`memcli install --skills`: what agents are taught, and where it is installed."""

from __future__ import annotations

import os

from memcli.cli.context import Canvas, Context, Result, to_apply
from memcli.errors import UsageError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.hosts.skills import PageChange


def page(name: str, host: str | None) -> Result:
    """Print a skill's page, as a host gets it."""
    from memcli.hosts import skills

    (skill,) = skills.pick([name])
    variant = skills.variant_of(host)
    text = skills.page(skill, variant).decode()
    data = {
        "name": skill.name,
        "folder": skill.folder,
        "version": skill.version,
        "description": skill.description,
        "text": text,
    }
    return Result(data=data, text=lambda canvas: canvas.line(text.removesuffix("\n")))


class SkillWords(NamedTuple):
    """The options of `install --skills`; `names` none means every skill."""

    names: Sequence[str]
    scope: str
    folder: str | None
    force: bool
    dry_run: bool


def parts(host: str | None, names: Sequence[str]) -> tuple[str | None, list[str]]:
    """The host and the skills that words name; the host may be left out."""
    from memcli.hosts import skills

    if host and host not in skills.HOSTS:
        return None, [host, *names]
    return host, list(names)


def put_in(context: Context, host: str | None, words: SkillWords) -> Result:
    """Install skills in a host's folder; list them when no place is named."""
    from memcli.hosts import skills

    chosen = skills.pick(words.names or skills.catalog())
    if not (words.folder or host or words.names):
        return _list(context)
    folder, shared = _place(context, host, words)
    variant = skills.variant_of(host)
    steps = skills.plan(chosen, folder, variant, shared=shared, force=words.force)
    if not words.dry_run:
        skills.apply(steps)
    return _installed(steps, folder, dry_run=words.dry_run)


def offer(context: Context, host: str, scope: str) -> None:
    """Ask the user at the terminal whether their host shall have the skills, unless
    its folder has one of them."""
    from memcli.hosts import skills

    if scope != "user" or not context.interactive or host not in skills.HOSTS:
        return
    chosen = skills.pick(skills.catalog())
    folder = skills.place(host, "user", context.environ, os.getcwd()).path
    if any(skills.look(skill, folder) for skill in chosen):
        return
    question = "Install the skills, which teach it when to recall and save, too?"
    if context.confirm(question):
        words = SkillWords((), "user", None, force=False, dry_run=False)
        done = put_in(context, host, words)
        context.tell(f"installed {len(done.data['items'])} pages in {folder}")


def take_out(context: Context, host: str | None, words: SkillWords) -> Result:
    """Remove skills from a host's folder."""
    from memcli.hosts import skills

    chosen = skills.pick(words.names or skills.catalog())
    folder, _ = _place(context, host, words)
    steps = skills.plan(chosen, folder, force=words.force, removal=True)
    if not words.dry_run:
        skills.apply(steps)
    return _installed(steps, folder, dry_run=words.dry_run)


def _list(context: Context) -> Result:
    from memcli.hosts import skills

    chosen = skills.pick(skills.catalog())
    where = skills.places(context.environ, os.getcwd())
    rows: list[dict[str, Any]] = [
        {
            "name": skill.name,
            "folder": skill.folder,
            "version": skill.version,
            "description": skill.description,
            "installed": [
                {
                    "path": copy.path,
                    "scope": place.scope,
                    "hosts": list(place.hosts),
                    "state": copy.state,
                    "version": copy.version,
                    "variant": copy.variant or None,
                }
                for place in where
                if (copy := skills.look(skill, place.path))
            ],
        }
        for skill in chosen
    ]

    def text(canvas: Canvas) -> None:
        for row in rows:
            canvas.line(f"{row['name']} (version {row['version']})", style="title")
            # What follows the colon is for the host that chooses by it.
            canvas.line(f"  {row['description'].partition(':')[0]}")
            for copy in row["installed"]:
                line = f"  {copy['state']}: {copy['path']}"
                if copy["state"] == "outdated":
                    line += f" (version {copy['version']})"
                style = "good" if copy["state"] == "current" else "bad"
                canvas.line(line, style=style)
            if not row["installed"]:
                canvas.line("  not installed", style="dim")

    return Result(data={"skills": rows, "count": len(rows)}, text=text)


def _installed(steps: list[PageChange], folder: str, *, dry_run: bool) -> Result:
    def text(canvas: Canvas) -> None:
        if not steps:
            canvas.line(f"no page of memcli is in {folder}", style="dim")
        for step in steps:
            would = "would be " if dry_run and step.outcome in _WRITES else ""
            line = f"{would}{step.outcome} {step.path}"
            if step.reason:
                line += f" ({step.reason})"
            canvas.line(line, style=_WRITES.get(step.outcome, "dim"))
        if dry_run:
            to_apply(canvas, dry_run=True)

    data = {
        "folder": folder,
        "items": [step._asdict() for step in steps],
        "dry_run": dry_run,
    }
    done = all(step.outcome != "kept" for step in steps)
    return Result(data=data, text=text, ok=done)


_WRITES = {"installed": "good", "updated": "good", "removed": "good"}


def _place(context: Context, host: str | None, words: SkillWords) -> tuple[str, bool]:
    """The folder that is meant, and whether several hosts read it.

    Raises:
        UsageError: neither a host nor a folder is named.
    """
    from memcli.hosts import skills

    if words.folder:
        return os.path.abspath(os.path.expanduser(words.folder)), False
    if host:
        place = skills.place(host, words.scope, context.environ, os.getcwd())
        return place.path, len(place.hosts) > 1
    raise UsageError(
        "name the host", hint=f"One of {', '.join(skills.HOSTS)}; or --dir."
    )
