"""`memcli uninstall --all`: out of every host, and what is left then.

Invariant: the vaults stay. What stands in the way at one host stops no other.
"""

from __future__ import annotations

import os

from memcli.cli.context import Canvas, Context, Result, to_apply
from memcli.errors import MemcliError, UsageError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


class Step(NamedTuple):
    """What becomes of one file: `outcome` is removed, written, kept or failed."""

    what: str
    path: str
    outcome: str
    why: str | None = None


def everywhere(context: Context, *, dry_run: bool) -> Result:
    """Take hooks, skills and the judge of hosts out, and name what stays."""
    steps = [
        *_hooks(context, dry_run=dry_run),
        *_judges(context, dry_run=dry_run),
        *_skills(context, dry_run=dry_run),
    ]
    left = _left(context)
    failed = any(step.outcome in ("failed", "kept") for step in steps)

    def text(canvas: Canvas) -> None:
        for step in steps:
            would = "would be " if dry_run and step.outcome != "kept" else ""
            why = f" ({step.why})" if step.why else ""
            style = "bad" if step.outcome == "failed" else "good"
            line = f"{would}{step.outcome} {step.what}: {step.path}{why}"
            canvas.line(line, style=style)
        if not steps:
            canvas.line("no host has hooks or skills of memcli", style="dim")
        if dry_run:
            canvas.line(to_apply(dry_run=True), style="dim")
        canvas.line("what stays, and is yours to remove:")
        for what, path in left:
            canvas.line(f"  {what}: {path}")

    data: dict[str, Any] = {
        "items": [step._asdict() for step in steps],
        "left": [{"what": what, "path": path} for what, path in left],
        "dry_run": dry_run,
    }
    return Result(data=data, text=text, ok=not failed)


def _hooks(context: Context, *, dry_run: bool) -> list[Step]:
    from memcli.hosts import install, table
    from memcli.hosts.install.settings import SCOPES

    cwd = context.cwd or os.sep
    steps = []
    for host in table.with_hooks():
        for scope in SCOPES:
            what = f"hooks of {host.name}"
            try:
                plan = install.plan_removal(host.name, scope, context.environ, cwd)
                if not plan.changes:
                    continue
                outcome = "removed" if plan.after is None else "written"
                if not dry_run:
                    outcome = install.apply(plan).outcome
                steps.append(Step(what, plan.path, outcome))
            except UsageError:  # the home folder, which is no project
                continue
            except MemcliError as error:
                steps.append(Step(what, "-", "failed", error.message))
    return steps


def _judges(context: Context, *, dry_run: bool) -> list[Step]:
    from memcli.cli import judge_setting
    from memcli.hosts import table

    for host in table.with_hooks():
        try:
            change = judge_setting.take_out(context, host.name, dry_run=dry_run)
            if change is not None and change.changes:
                change.write()
                return [Step("judge", change.path, "written")]
        except MemcliError as error:
            return [Step("judge", "-", "failed", error.message)]
    return []


def _skills(context: Context, *, dry_run: bool) -> list[Step]:
    from memcli.hosts import skills

    steps = []
    chosen = skills.pick(skills.catalog())
    for folder in skills.places(context.environ, context.cwd or os.sep):
        planned = skills.plan(chosen, folder.path, removal=True)
        try:
            if not dry_run:
                skills.apply(planned)
        except MemcliError as error:
            steps.append(Step("skills", folder.path, "failed", error.message))
            continue
        steps += [
            Step(f"skill {page.name}", page.path, page.outcome, page.reason)
            for page in planned
        ]
    return steps


def _left(context: Context) -> list[tuple[str, str]]:
    """What memcli has made on this machine besides, with where it is."""
    from memcli.storage import known_vaults, state_dirs

    left = []
    default = known_vaults.default_vault(context.environ)
    if default:
        left.append(("your vault", default))
    config = state_dirs.user_folder(context.environ)
    if os.path.isdir(config):
        left.append(("your config", config))
    left += [
        (what, folder)
        for what, folder in state_dirs.bases(context.environ).items()
        if os.path.isdir(folder)
    ]
    left.append(("memcli in an MCP client", "claude mcp remove memcli, for example"))
    left.append(("the program", "pipx uninstall memcli, or as you installed it"))
    return left
