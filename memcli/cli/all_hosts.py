"""`memcli install --all` and `uninstall --all`: every host of this machine at once.

Invariant: the vaults stay. What stands in the way at one host stops no other.
"""

from __future__ import annotations

import os
from collections import Counter

from memcli.cli.context import Canvas, Context, Result, to_apply
from memcli.errors import MemcliError, UsageError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.hosts.install import Program


class Step(NamedTuple):
    """The fate of one file: `outcome` is installed, unchanged, removed, written,
    kept or failed."""

    what: str
    path: str
    outcome: str
    why: str | None = None


def put_in(
    context: Context,
    program: Program,
    hosts: Sequence[str],
    *,
    no_judge: bool,
    dry_run: bool,
) -> Result:
    """Install the hooks and the skills of these hosts, for the user, and ask about the
    first that can judge."""
    from memcli.cli import judge_setting
    from memcli.cli import skills as pages
    from memcli.entries.text.counted import counted
    from memcli.hosts import install, skills, table

    steps: list[Step] = []
    warnings: list[str] = []
    folders = set[str]()
    words = pages.SkillWords((), "user", None, force=False, dry_run=dry_run)
    for host in hosts:
        try:
            plan = install.plan(host, "user", context.environ, os.getcwd(), program)
            outcome = "installed" if plan.changes else "unchanged"
            if not dry_run:
                install.apply(plan)
            steps.append(Step(f"hooks of {host}", plan.path, outcome))
            warnings += plan.notes
            if host not in skills.HOSTS:
                continue
            folder = skills.place(host, "user", context.environ, os.getcwd()).path
            if folder in folders:  # some hosts share one
                continue
            folders.add(folder)
            done = pages.put_in(context, host, words)
            counts = Counter(item["outcome"] for item in done.data["items"])
            steps += [
                Step(f"skills of {host}", folder, outcome, counted(count, "page"))
                for outcome, count in counts.items()
            ]
        except MemcliError as error:
            steps.append(Step(f"hooks of {host}", "-", "failed", error.message))

    def text(canvas: Canvas) -> None:
        _draw(canvas, steps, dry_run=dry_run)
        if not steps:
            canvas.line("no agent host is on this machine", style="dim")

    result = Result(
        data={"items": [step._asdict() for step in steps], "dry_run": dry_run},
        text=text,
        warnings=tuple(warnings),
        ok=all(step.outcome != "failed" for step in steps),
    )
    judges = [host for host in hosts if table.find(host).judge]
    judged, note = None, ""
    if no_judge:
        judged = judge_setting.refuse(context, dry_run=dry_run)
    elif judges:
        judged, note = judge_setting.ask(context, judges[0], dry_run=dry_run)
    if judged:
        judged.write()
    return judge_setting.beside(result, judged, note)


_WOULD = {
    "installed": "would install",
    "updated": "would update",
    "written": "would write",
    "removed": "would remove",
}


def _draw(canvas: Canvas, steps: list[Step], *, dry_run: bool) -> None:
    for step in steps:
        verb = _WOULD.get(step.outcome) if dry_run else None
        why = f" ({step.why})" if step.why else ""
        style = "bad" if step.outcome == "failed" else "good"
        line = f"{verb or step.outcome} {step.what}: {step.path}{why}"
        canvas.line(line, style=style)
    if dry_run:
        to_apply(canvas, dry_run=True)


def take_out(context: Context, *, dry_run: bool) -> Result:
    """Take hooks, skills and the judge of hosts out, and name what stays."""
    steps = [
        *_hooks(context, dry_run=dry_run),
        *_judges(context, dry_run=dry_run),
        *_skills(context, dry_run=dry_run),
    ]
    left = _left(context)
    failed = any(step.outcome in ("failed", "kept") for step in steps)

    def text(canvas: Canvas) -> None:
        if not steps:
            canvas.line("no host has hooks or skills of memcli", style="dim")
        _draw(canvas, steps, dry_run=dry_run)
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
    """The other things that memcli has made on this machine, with their places."""
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
