"""`memcli install` and `memcli uninstall`: hooks into an agent host, and out again."""

from __future__ import annotations  # evaluated only when Typer reads them

import os
import shutil
import sys

from memcli.cli.context import Canvas, Context, Result, to_apply
from memcli.errors import InvalidConfig, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Literal

    from memcli.hosts.install import (
        InstallOutcome,
        InstallPlan,
        Program,
    )

# Folders of tools that are run once and thrown away.
_FLEETING = ("/archive-v0/", "/uv/cache/", "/pipx/.cache/", "/.cache/pipx/")


def install(
    context: Context,
    host: str | None = None,
    names: list[str] | None = None,
    *,
    scope: Literal["user", "project"] = "user",
    dry_run: bool = False,
    judge: bool = False,
    no_judge: bool = False,
    skills: bool = False,
    dir_: str | None = None,
    force: bool = False,
    show: str | None = None,
    all_: bool = False,
) -> Result:
    """Install hooks, so that an agent host calls memcli by itself

    Adds hooks to the host's settings, and changes nothing else in them. HOST is
    claude-code, codex, gemini, copilot, cursor, windsurf or opencode. To repeat the
    command changes nothing; after memcli has moved, it brings the hooks up to date.

    At a terminal it asks whether to install the skills, the pages that teach an agent
    when to recall, save, evolve and resolve (--skills installs them alone, all or
    those that are named), and once whether the host's own command may read each session
    that has ended, which finds more than rules do (docs/use/sessions.md; --judge and
    --no-judge say it beforehand).

    \b
    Example:
      memcli install claude-code
      memcli install --all
      memcli install claude-code --judge --dry-run
      memcli install gemini --scope project --dry-run
      memcli install claude-code --skills
      memcli install codex core recall --skills --scope project

    Options:
        host: `[HOST]` The agent host
        names: `[SKILL]...` With --skills: these instead of all
        judge: `--judge` Also let the host's own command judge sessions that have ended:
            try it once, and name it in your config
        no_judge: `--no-judge` No judge, and no question about one
        skills: `--skills` Only the skills; without a host, list them
        dir_: `--dir PATH, with --skills` Another folder of skills
        force: `--force, with --skills` Also pages that were edited
        show: `--show SKILL` Print a skill's page
        all_: `--all` Hooks and skills in every host that is on this machine
    """
    from memcli.cli import skills as pages

    if show:
        return pages.page(show, host)
    if skills:
        host, chosen = pages.parts(host, names or ())
        words = pages.SkillWords(chosen, scope, dir_, force, dry_run)
        return pages.put_in(context, host, words)
    from memcli.cli import judge_setting
    from memcli.hosts import install as use_case
    from memcli.storage import known_vaults

    program = use_case.running(sys.argv[0], sys.executable, windows=os.name == "nt")
    if all_:
        if host or judge or scope != "user":
            raise UsageError("--all is about every host", hint="Drop the host.")
        return _of_every_host(context, program, no_judge=no_judge, dry_run=dry_run)
    name = _named(host, names, "install")
    if judge and no_judge:
        raise UsageError("--judge or --no-judge", hint="Drop one of them.")
    _refuse_agent(context)
    vault = None
    if context.vault:
        vault = known_vaults.find_vault(context.vault, context.environ)
    plan = use_case.plan(name, scope, context.environ, os.getcwd(), program, vault)
    judged, note = None, ""
    if judge:
        judged = judge_setting.put_in(context, name, dry_run=dry_run)
    elif no_judge:
        judged = judge_setting.refuse(context, dry_run=dry_run)
    done = None
    if not dry_run:
        done = use_case.apply(plan)
        pages.offer(context, name, scope)
    if not judge and not no_judge:
        judged, note = judge_setting.ask(context, name, dry_run=dry_run)
    if judged:
        judged.write()
    warnings = [*plan.notes, *_about_vault(context, vault), *_about(program)]
    report = _report(plan, done, warnings, "install")
    return _whole(judge_setting.beside(report, judged, note), dry_run=dry_run)


def _refuse_agent(context: Context) -> None:
    if context.agent and context.agent != context.environ.get("MEMCLI_AGENT"):
        # Hooks that ask as it, beside skills that ask as the owner, would be worse.
        raise UsageError(
            "hooks and skills take their agent from the host's environment, not from "
            "an installation",
            hint=f"Start the host with MEMCLI_AGENT={context.agent}, and drop --agent.",
        )


def _of_every_host(
    context: Context, program: Program, *, no_judge: bool, dry_run: bool
) -> Result:
    """Install hooks and skills in every host that is here."""
    from memcli.cli import all_hosts
    from memcli.hosts import install as use_case

    installations = use_case.survey(
        context.environ,
        os.getcwd(),
        program,
        lambda name: shutil.which(name, path=context.environ.get("PATH")),
    )
    found = list(dict.fromkeys(each.host for each in installations if each.found))
    done = all_hosts.put_in(context, program, found, no_judge=no_judge, dry_run=dry_run)
    about = (*_about_vault(context, None), *_about(program))
    return done._replace(warnings=(*done.warnings, *about))


def uninstall(
    context: Context,
    host: str | None = None,
    names: list[str] | None = None,
    *,
    scope: Literal["user", "project"] = "user",
    dry_run: bool = False,
    judge: bool = False,
    skills: bool = False,
    dir_: str | None = None,
    force: bool = False,
    all_: bool = False,
) -> Result:
    """Take memcli's hooks out of an agent host

    Leaves everything else in the host's settings as it is. The vault stays. The judge
    that install --judge has named goes as well, unless --scope is project. --all says
    what is left of memcli on this machine, and how to remove it.

    \b
    Example:
      memcli uninstall claude-code
      memcli uninstall gemini --scope project --dry-run
      memcli uninstall claude-code --skills
      memcli uninstall --all --dry-run

    Options:
        host: `[HOST]` The agent host
        names: `[SKILL]...` With --skills: these instead of all
        judge: `--judge` Take only the host's judge out of your config
        skills: `--skills` Only the skills
        dir_: `--dir PATH, with --skills` Another folder of skills
        force: `--force, with --skills` Also pages that were edited
        all_: `--all` Hooks and skills out of every host, and their judge
    """
    if skills:
        from memcli.cli import skills as pages

        host, chosen = pages.parts(host, names or ())
        words = pages.SkillWords(chosen, scope, dir_, force, dry_run)
        return pages.take_out(context, host, words)
    if all_:
        from memcli.cli import all_hosts

        if host or judge or scope != "user":
            raise UsageError(
                "--all means every host, at both scopes", hint="Give no host with it."
            )
        return all_hosts.take_out(context, dry_run=dry_run)
    from memcli.cli import judge_setting
    from memcli.hosts import install as use_case

    name = _named(host, names, "uninstall")
    judged, notes = None, []
    try:
        if judge or scope == "user":
            judged = judge_setting.take_out(context, name, dry_run=dry_run)
    except InvalidConfig as error:
        if judge:
            raise
        notes.append(f"the judge stays as it is: {error.message}")
    if judge:
        if judged:
            judged.write()
        return judge_setting.alone(judged, name)
    plan = use_case.plan_removal(name, scope, context.environ, os.getcwd())
    done = None if dry_run else use_case.apply(plan)
    if judged:
        judged.write()
    result = _report(plan, done, [*plan.notes, *notes], "uninstall")
    return _whole(judge_setting.beside(result, judged), dry_run=dry_run)


def _whole(result: Result, *, dry_run: bool) -> Result:
    """A result that ends, where nothing was done, with how to do it."""

    def text(canvas: Canvas) -> None:
        result.text(canvas)
        to_apply(canvas, dry_run=True)

    return result._replace(text=text) if dry_run else result


def _named(host: str | None, names: list[str] | None, verb: str) -> str:
    """The host that was named.

    Raises:
        UsageError: none was, or several words.
    """
    if names:
        raise UsageError(
            f"unexpected argument: {names[0]}",
            hint="Name one host at a time; skills go with --skills.",
        )
    from memcli.hosts import table

    if not host:
        hosts = ", ".join(each.name for each in table.with_hooks())
        raise UsageError(
            f"name the host to {verb}: {hosts}",
            hint="What there is on this machine: memcli doctor",
        )
    return host


def _report(
    plan: InstallPlan, done: InstallOutcome | None, warnings: list[str], verb: str
) -> Result:
    """The result of installing or removing, or of its dry run."""
    diff = _diff(plan) if done is None else []
    outcome = "dry_run" if done is None else done.outcome

    def text(canvas: Canvas) -> None:
        if not plan.changes:
            canvas.line(f"nothing to {verb}: {plan.path} stays as it is", style="dim")
            return
        did, would = (
            ("installed hooks in", "would install hooks in")
            if verb == "install"
            else ("removed hooks from", "would remove hooks from")
        )
        canvas.line(f"{did if done else would} {plan.path}", style="good")
        if verb == "install":
            for native, event in plan.file.host.events:
                canvas.line(f"  {native}: memcli hook {event}")
        elif done and done.outcome == "removed":
            canvas.line("  nothing else was in it, so it is gone")
        if done and done.backup:
            canvas.line(f"  what it was: {done.backup}", style="dim")
        # Of a new file, the diff would be all of it.
        for line in diff if plan.before is not None else ():
            style = {"+": "good", "-": "bad"}.get(line[:1], "")
            canvas.line(line, style=style)

    data = {
        "host": plan.file.host.name,
        "scope": plan.file.scope,
        "path": plan.path,
        "events": dict(plan.file.host.events),
        "changed": plan.changes and done is not None,
        "outcome": outcome if plan.changes else "none",
        "backup": done.backup if done else None,
        "diff": "\n".join(diff) or None,
        "notes": list(plan.notes),
    }
    return Result(data=data, text=text, warnings=tuple(warnings))


def _diff(plan: InstallPlan) -> list[str]:
    from difflib import unified_diff

    old, new = (
        (data or b"").decode(errors="replace").splitlines()
        for data in (plan.before, plan.after)
    )
    before = os.devnull if plan.before is None else plan.path
    after = os.devnull if plan.after is None else plan.path
    return list(unified_diff(old, new, before, after, lineterm=""))


def _about_vault(context: Context, pinned: str | None) -> list[str]:
    from memcli.storage import known_vaults

    if pinned is not None:
        if os.path.isdir(pinned):
            return []
        from shlex import quote

        return [f"there is no vault at {pinned} yet: memcli init {quote(pinned)}"]
    default = known_vaults.default_vault(context.environ)
    if default is not None and os.path.isdir(default):
        return []
    if context.environ.get("MEMCLI_VAULT"):
        return [
            "there is no default vault, and MEMCLI_VAULT reaches only hosts that are "
            "started from a shell that sets it: name the vault with --vault"
        ]
    return [
        "there is no default vault, so the hooks do nothing yet: memcli init ~/memory"
    ]


def _about(program: Program) -> list[str]:
    """The warning about a memcli that may be gone when a host starts it."""
    path = program.words[0].replace("\\", "/")
    if not any(part in path for part in _FLEETING):
        return []
    return [
        f"{program.words[0]} is a temporary installation (uvx, pipx run): install "
        "memcli for good, then repeat the command"
    ]
