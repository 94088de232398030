"""`memcli doctor`: what is wrong, and how to put it right."""

from __future__ import annotations  # evaluated only when Typer reads them

import importlib.util
import platform
import shutil

from memcli import __version__
from memcli.cli.context import Canvas, Context, Result, own_program, said
from memcli.cli.rows import finding_line
from memcli.sessions import doctor as use_case
from memcli.vault.health import repair

_STYLES = {"ok": "good", "note": "", "problem": "bad"}


def doctor(
    context: Context,
    *,
    fix: bool = False,
    accept_deletions: bool = False,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Check everything that memcli needs, and mend the vault

    One line for git, the vault, its history, the index, other vaults, the hooks and
    skills of each host, and the judge, each with what to do below it. Exits 1 on
    problems; notes don't count.

    --fix shows a plan first: halves of killed writes, links that are missing on one
    side, files that no commit holds. Missing files are restored;
    --accept-deletions commits them as deleted. What takes a decision is listed.

    \b
    Example:
      memcli doctor
      memcli doctor --fix --dry-run

    Options:
        fix: `--fix` Mend the vault where no guess is needed
        accept_deletions: `--accept-deletions, with --fix` Commit missing files as
            deleted and older ones as they are, instead of restoring them
    """
    if fix:
        return _fixed(
            context, accept_deletions=accept_deletions, yes=yes, dry_run=dry_run
        )
    context.owner_only("doctor is for the owner of the vault")
    path = context.environ.get("PATH")
    around = use_case.Surroundings(
        versions=(__version__, platform.python_version()),
        program=own_program(),
        which=lambda name: shutil.which(name, path=path),
        has_mcp=importlib.util.find_spec("mcp") is not None,
    )
    checks = use_case.doctor(context.vault, around, context.caller("checking"))

    def text(canvas: Canvas) -> None:
        for check in checks:
            _draw(canvas, check)

    problems = sum(check.state == use_case.PROBLEM for check in checks)
    data = {"checks": [check._asdict() for check in checks], "problems": problems}
    return Result(data=data, text=text, ok=not problems)


def _draw(canvas: Canvas, check: use_case.Check) -> None:
    state = "PROBLEM" if check.state == "problem" else check.state
    style = _STYLES[check.state]
    canvas.line(
        f"{state:8}{check.name}: {' '.join(check.said.splitlines())}", style=style
    )
    if check.mend and check.state != "ok":
        canvas.line(f"        -> {check.mend}", style="hint")


def _fixed(
    context: Context, *, accept_deletions: bool, yes: bool, dry_run: bool
) -> Result:
    vault = context.open_vault("reading", writes=True)
    plan = repair.plan(vault, accept_deletions=accept_deletions)
    agreed = context.agrees(
        (f"{step.path}: {step.action}" for step in plan.steps),
        "Do this?",
        yes=yes,
        dry_run=dry_run or not plan.steps,
    )
    done = repair.apply(vault, plan) if agreed else plan
    if (agreed or yes) and not dry_run:
        context.merges_for_git(vault.root)
    verb = "mended" if done.applied else "would mend"
    left = f", and {len(done.left)} left for you" if done.left else ""
    head = f"{verb} {len(done.steps)}{left}:" if done.steps else "nothing to mend"
    lines = [f"left for you: {finding_line(finding)}" for finding in done.left]
    lines += [f"{step.path}: {step.action}" for step in done.steps]
    how = dry_run if done.steps and not done.applied else None
    return said(done._asdict(), head, *lines, dry_run=how)._replace(ok=done.ok)
