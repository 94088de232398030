"""`memcli skills`: what agents are taught, and where it is installed."""

import os
from typing import TYPE_CHECKING, Any

from memcli.cli.spec import Argument, Canvas, Command, Context, Option, Result
from memcli.errors import UsageError

if TYPE_CHECKING:
    from memcli.hosts.skills import Skill, Step

_HELP = """Show the skills that teach agents to use memory, and install them

    A skill is a page that a host loads when it fits: when to recall, save, evolve and
    resolve, and how to read the answers. `list` says where each is installed and
    whether it is up to date; `show` prints a page; `install` copies pages into the
    host's folder. A page that you have edited is never written over without --force.

    \b
    Example:
      memcli skills list
      memcli skills show recap
      memcli skills install --all --host claude-code
      memcli skills install core recall --host codex --scope project --dry-run
    """

_ACTIONS = ("list", "install", "show")

_PARAMETERS = (
    Argument("action", "list, install or show", metavar="[ACTION]"),
    Argument("names", "Names of skills", repeat=True, metavar="[NAME]..."),
    Option(
        "host",
        ("--host",),
        str,
        "For which host: claude-code, codex, gemini, copilot, opencode, cursor, "
        "windsurf, chatgpt, claude-desktop, generic",
    ),
    Option(
        "scope",
        ("--scope",),
        str,
        "For all your projects, or for this one",
        default="user",
        choices=("user", "project"),
    ),
    Option(
        "dir",
        ("--dir",),
        str,
        "A folder of skills instead of the host's",
        metavar="PATH",
    ),
    Option("all", ("--all",), bool, "Every skill", default=False),
    Option(
        "force",
        ("--force",),
        bool,
        "Write over pages that were edited",
        default=False,
    ),
    Option("dry_run", ("--dry-run",), bool, "Only show what would be", default=False),
)


def run(context: Context, **values: Any) -> Result:
    """List, show or install."""
    action = values.pop("action") or "list"
    if action not in _ACTIONS:
        raise UsageError(
            f"skills does not know {action!r}", hint=f"It knows {', '.join(_ACTIONS)}."
        )
    if action != "install":
        given = [
            f"--{name.replace('_', '-')}"
            for name in ("dir", "all", "force", "dry_run")
            if values[name] and (action, name) != ("list", "dir")
        ]
        if given:
            raise UsageError(f"{given[0]} does not belong to skills {action}")
    if action == "show":
        return _show(values["names"], values["host"])
    if action == "install":
        return _install(context, values)
    return _list(context, values)


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
        "path": skill.file(variant).path,
        "text": text,
    }
    return Result(data=data, text=lambda canvas: canvas.line(text.removesuffix("\n")))


def _list(context: Context, values: dict[str, Any]) -> Result:
    from memcli.hosts import skills

    chosen = skills.pick(values["names"] or skills.catalog())
    if values["dir"]:
        where = [skills.Place(_folder(values["dir"]), "dir", ())]
    elif values["host"]:
        where = [
            skills.place(values["host"], scope, context.environ, os.getcwd())
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


def _install(context: Context, values: dict[str, Any]) -> Result:
    from memcli.hosts import skills

    chosen = _chosen(values)
    host, scope, cwd = values["host"], values["scope"], os.getcwd()
    variant = skills.variant_of(host)
    doubles: list[str] = []
    if values["dir"]:
        folder, shared = _folder(values["dir"]), False
    elif host:
        place = skills.place(host, scope, context.environ, cwd)
        folder, shared = place.path, len(place.hosts) > 1
        doubles = skills.doubles(chosen, host, scope, context.environ, cwd)
    else:
        raise UsageError(
            "for which host?", hint=f"Add --host: {', '.join(skills.HOSTS)}; or --dir."
        )
    steps = skills.plan(chosen, folder, variant, shared=shared, force=values["force"])
    if not values["dry_run"]:
        skills.apply(steps)
    warnings = [
        f"{path}: {host} reads this one too, and uses the one it loads last"
        for path in doubles
    ]
    return _installed(steps, folder, warnings, dry_run=values["dry_run"])


def _chosen(values: dict[str, Any]) -> "list[Skill]":
    from memcli.hosts import skills

    if bool(values["names"]) == values["all"]:
        raise UsageError(
            "name the skills to install, or --all",
            hint=f"There are: {', '.join(skills.catalog())}.",
        )
    return skills.pick(values["names"] or skills.catalog())


def _installed(
    steps: "list[Step]", folder: str, warnings: list[str], *, dry_run: bool
) -> Result:
    def text(canvas: Canvas) -> None:
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


_WRITES = {"installed": "good", "updated": "good"}


def _folder(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))


COMMAND = Command("skills", _HELP, _PARAMETERS, run)
