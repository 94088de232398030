"""`memcli skills`: what agents are taught, and where it is installed."""

from __future__ import annotations  # evaluated only when Typer reads them

import os

from memcli.cli.context import Canvas, Context, Result
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated, Any

    from typer import Argument, Option

    from memcli.cli import options
    from memcli.hosts.skills import PageChange, Skill

_ACTIONS = ("list", "install", "uninstall", "show")


def skills(
    context: Context,
    action: Annotated[
        str | None,
        Argument(metavar="[ACTION]", help="list, install, uninstall or show"),
    ] = None,
    names: Annotated[
        list[str] | None, Argument(metavar="[NAME]...", help="Names of skills")
    ] = None,
    *,
    host: Annotated[
        str | None,
        Option(
            "--host",
            metavar="HOST",
            help="For which host: claude-code, codex, gemini, copilot, cursor, "
            "windsurf, opencode, chatgpt, claude-desktop, generic",
        ),
    ] = None,
    scope: options.Scope = "user",
    dir_: Annotated[
        str | None,
        Option("--dir", metavar="PATH", help="A folder instead of the host's"),
    ] = None,
    all_: Annotated[bool, Option("--all", help="Every skill")] = False,
    force: Annotated[
        bool, Option("--force", help="Overwrite or remove pages that were edited")
    ] = False,
    dry_run: options.DryRun = False,
) -> Result:
    """Show the skills that teach agents, install them, or remove them

    A skill is a page that a host loads when it fits: when to recall, save, evolve and
    resolve, and how to read the answers. `list` says where each is installed and
    whether it is up to date; `show` prints a page; `install` copies pages into the
    host's folder, and overwrites a page that you have edited only with --force;
    `uninstall` takes them out again.

    \b
    Example:
      memcli skills list
      memcli skills show recap
      memcli skills install --all --host claude-code
      memcli skills install core recall --host codex --scope project --dry-run
    """
    action = action or "list"
    names = names or []
    if action not in _ACTIONS:
        from memcli.cli.suggest import nearest

        meant = nearest(action, _ACTIONS)
        raise UsageError(
            f"skills has no action {action!r}",
            hint=(f"Did you mean: {meant}? " if meant else "")
            + f"It has {', '.join(_ACTIONS)}.",
        )
    of_changes = {"--dir": dir_, "--all": all_, "--force": force}
    of_changes["--dry-run"] = dry_run
    for flag, given in of_changes.items():
        fits = action in ("install", "uninstall") or (action, flag) == ("list", "--dir")
        if given and not fits:
            raise UsageError(f"{flag} does not belong to skills {action}")
    if action == "show":
        return _show(names, host)
    if action == "list":
        return _list(context, names, host, dir_)
    from memcli.hosts import skills
    from memcli.hosts import skills as use_case

    chosen = _chosen(names, every=all_)
    doubles: list[str] = []
    if dir_:
        folder, shared = _folder(dir_), False
    elif host:
        cwd = os.getcwd()
        place = skills.place(host, scope, context.environ, cwd)
        folder, shared = place.path, len(place.hosts) > 1
        doubles = skills.doubles(chosen, host, scope, context.environ, cwd)
    elif action == "uninstall":
        folder, shared = _only_folder(context, chosen), False
    else:
        raise UsageError(
            "name the host",
            hint=f"Add --host: {', '.join(skills.HOSTS)}; or --dir.",
        )
    if action == "uninstall":
        steps, doubles = use_case.plan_removal(chosen, folder, force=force), []
    else:
        variant = skills.variant_of(host)
        steps = use_case.plan(chosen, folder, variant, shared=shared, force=force)
    if not dry_run:
        use_case.apply(steps)
    warnings = [
        f"{path}: {host} reads this one too, and uses the one it loads last"
        for path in doubles
    ]
    return _installed(steps, folder, warnings, dry_run=dry_run)


def _show(names: list[str], host: str | None) -> Result:
    from memcli.hosts import skills

    if len(names) != 1:
        raise UsageError(
            "name one skill to show", hint=f"There are: {', '.join(skills.catalog())}."
        )
    (skill,) = skills.pick(names)
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


def _list(
    context: Context, names: list[str], host: str | None, folder: str | None
) -> Result:
    from memcli.hosts import skills

    chosen = skills.pick(names or skills.catalog())
    if folder:
        where = [skills.SkillFolder(_folder(folder), "dir", ())]
    elif host:
        where = [
            skills.place(host, scope, context.environ, os.getcwd())
            for scope in skills.SCOPES
        ]
    else:
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


def _chosen(names: list[str], *, every: bool) -> list[Skill]:
    from memcli.hosts import skills

    if bool(names) == every:
        raise UsageError(
            "name the skills, or --all",
            hint=f"There are: {', '.join(skills.catalog())}.",
        )
    return skills.pick(names or skills.catalog())


def _installed(
    steps: list[PageChange], folder: str, warnings: list[str], *, dry_run: bool
) -> Result:
    def text(canvas: Canvas) -> None:
        if not steps:
            canvas.line(f"no page of memcli is in {folder}", style="dim")
        for step in steps:
            would = "would be " if dry_run and step.outcome in _WRITES else ""
            line = f"{would}{step.outcome} {step.path}"
            if step.reason:
                line += f" ({step.reason})"
            canvas.line(line, style=_WRITES.get(step.outcome, "dim"))

    data = {
        "folder": folder,
        "items": [step._asdict() for step in steps],
        "dry_run": dry_run,
    }
    done = all(step.outcome != "kept" for step in steps)
    return Result(data=data, text=text, warnings=tuple(warnings), ok=done)


_WRITES = {"installed": "good", "updated": "good", "removed": "good"}


def _only_folder(context: Context, chosen: list[Skill]) -> str:
    """The one folder that has any of these skills.

    Raises:
        UsageError: none has one, or several do.
    """
    from memcli.hosts import skills
    from memcli.hosts import skills as use_case

    found = [
        place
        for place in skills.places(context.environ, os.getcwd())
        if any(use_case.look(skill, place.path) for skill in chosen)
    ]
    if len(found) == 1:
        return found[0].path
    if not found:
        raise UsageError(
            "no folder of a host has a page of these skills",
            hint="If they were installed with --dir FOLDER, give that --dir.",
        )
    named = "; or ".join(f"--host {at.hosts[0]} --scope {at.scope}" for at in found)
    raise UsageError("several hosts have these skills: name one", hint=f"Add {named}.")


def _folder(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))
