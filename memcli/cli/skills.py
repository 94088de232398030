"""`memcli install --skills`: what agents are taught, and where it is installed."""

from __future__ import annotations

import os

from memcli.cli.context import Canvas, Context, Result
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.hosts.host import Host
    from memcli.hosts.install import Step


def page(name: str, host: str | None) -> Result:
    """Print a skill's page, as a host gets it."""
    from memcli.hosts import skills

    (skill,) = skills.pick([name])
    variant = skills.variant_of(host)
    text = skills.page_of(skill, variant).decode()
    data = {
        "name": skill.name,
        "folder": skill.folder,
        "version": skill.version,
        "description": skill.description,
        "text": text,
    }
    return Result(data=data, text=lambda canvas: canvas.line(text.removesuffix("\n")))


def steps(
    context: Context,
    named: tuple[str | None, Sequence[str] | None],
    scope: str,
    folder: str | None,
    *,
    force: bool = False,
    removal: bool = False,
) -> list[Step]:
    """Plan to install or to remove skills.

    Args:
        context: says where the home and the project are.
        named: the host, which may be left out, and the skills; none means every one.
        scope: user or project.
        folder: another folder than the host's own.
        force: also pages that were edited.
        removal: take them out.

    Raises:
        UsageError: neither a host nor a folder is named.
    """
    from memcli.hosts import skills

    host, names = named[0], list(named[1] or ())
    if host and host not in skills.HOSTS:
        names.insert(0, host)
        host = None
    chosen = skills.pick(names or skills.catalog())
    cwd = context.cwd or os.sep
    if folder:
        path = os.path.abspath(os.path.expanduser(folder))
        place = skills.SkillFolder(path, "", ())
    elif host:
        place = skills.place(host, scope, context.environ, cwd)
    else:
        raise UsageError(
            "name the host", hint=f"One of {', '.join(skills.HOSTS)}; or --dir."
        )
    return skills.plan(chosen, place, host, force=force, removal=removal)


def are_missing(context: Context, host: Host) -> bool:
    """Whether a host that has a folder for skills has none of them."""
    from memcli.hosts import skills

    if not host.skill_folder:
        return False
    folder = skills.place(host.name, "user", context.environ, os.sep).path
    known = skills.catalog().values()
    return not any(skills.look(skill, folder) for skill in known)


def listed(context: Context) -> Result:
    """The skills, with the copies of them that are installed."""
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
