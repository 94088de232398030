"""`memcli install` and `memcli uninstall`: memcli into agent hosts, and out again.

Both make a list of steps, a file each, and then carry it out or show it. Invariant: the
vaults stay. Of several hosts, what stands in the way at one stops no other.
"""

from __future__ import annotations  # evaluated only when Typer reads them

import importlib.util
import os
from shlex import quote

from memcli.cli.install_steps import Plan, judge_goes
from memcli.errors import MemcliError, UsageError
from memcli.hosts import skills as pages
from memcli.hosts import table
from memcli.hosts.install.plans import HOOKS, SERVER
from memcli.hosts.install.step import SCOPES, failed
from memcli.storage import state_dirs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from memcli.cli.context import Context, Result
    from memcli.hosts.host import Host


def install(
    context: Context,
    host: str | None = None,
    *,
    scope: Literal["user", "project"] = "user",
    dry_run: bool = False,
    mcp: bool = False,
    judge: bool = False,
    no_judge: bool = False,
    skills: bool = False,
    dir_: str | None = None,
    force: bool = False,
    all_: bool = False,
) -> Result:
    """Install hooks, so that an agent host calls memcli by itself

    Adds hooks to the host's settings, and changes nothing else in them. HOST is
    claude-code, codex, gemini, copilot, cursor, windsurf or opencode. To repeat the
    command changes nothing; after memcli has moved, it brings the hooks up to date.

    --skills installs the pages that teach an agent when to recall, save, evolve and
    resolve. At a terminal it asks, once, whether the host's own command may read each
    session that has ended, which finds more than rules do (docs/use/sessions.md).

    \b
    Example:
      memcli install claude-code
      memcli install --all
      memcli install claude-code --judge --dry-run
      memcli install gemini --mcp --scope project --dry-run
      memcli install claude-code --skills

    Options:
        host: `[HOST]` The agent host
        mcp: `--mcp` Also name memcli among the host's MCP servers
        judge: `--judge, without --no-judge` Also let the host's own command judge
            sessions that have ended: it is named in your config
        no_judge: `--no-judge` No judge, and no question about one
        skills: `--skills, without --mcp or --judge` The skills alone; hooks and --mcp
            by a command of their own
        dir_: `--dir PATH, with --skills` Another folder of skills
        force: `--force, with --skills` Also pages that were edited
        all_: `--all, without HOST or --judge or --scope` Hooks and skills in every host
            that is on this machine
    """
    plan = Plan(context, scope, strict=not all_, dry_run=dry_run)
    if skills:
        plan.add_skills(host, dir_, force=force)
        return plan.carried_out()
    hosts = plan.here() if all_ else [plan.host(host)]
    _refuse_agent(context)
    plan.add(HOOKS, hosts)
    if all_:
        # Once into each folder: some hosts share one.
        whose = {each.skill_folder: each.name for each in reversed(hosts)}
        for each in hosts:
            if each.skill_folder and whose[each.skill_folder] == each.name:
                plan.add_skills(each.name)
    elif (
        context.interactive
        and hosts[0].skill_folder
        and plan.steps[0].outcome == "installed"
    ):
        how = f"memcli install {hosts[0].name} --skills"
        plan.notes.append(f"The skills, which say when to recall and save: {how}")
    _servers(plan, hosts, mcp=mcp)
    if judge:
        plan.add_judge(hosts[0])
    elif no_judge:
        plan.refuse_judge()
    elif able := [each for each in hosts if each.judge]:
        plan.ask_for_judge(able[0])
    return plan.carried_out(_warnings(context, plan))


def uninstall(
    context: Context,
    host: str | None = None,
    *,
    scope: Literal["user", "project"] = "user",
    dry_run: bool = False,
    skills: bool = False,
    dir_: str | None = None,
    force: bool = False,
    all_: bool = False,
) -> Result:
    """Take memcli's hooks out of an agent host

    Leaves everything else in the host's settings as it is. The vault stays. memcli goes
    from the host's MCP servers too, and so does the judge that install --judge has
    named, unless --scope is project.

    \b
    Example:
      memcli uninstall claude-code
      memcli uninstall gemini --scope project --dry-run
      memcli uninstall claude-code --skills
      memcli uninstall --all --dry-run

    Options:
        host: `[HOST]` The agent host
        skills: `--skills` Only the skills
        dir_: `--dir PATH, with --skills` Another folder of skills
        force: `--force, with --skills` Also pages that were edited
        all_: `--all, without HOST or --scope` Everything out of every host, and their
            judge
    """
    plan = Plan(context, scope, strict=not all_, dry_run=dry_run)
    if skills:
        plan.add_skills(host, dir_, force=force, removal=True)
        return plan.carried_out(nothing="no page of memcli is there")
    hosts, warnings = table.with_hooks() if all_ else [plan.host(host)], []
    for each in SCOPES if all_ else (scope,):
        plan.scope = each
        plan.add(HOOKS, hosts, removal=True)
        plan.add(SERVER, hosts, removal=True)
    try:
        for one in hosts if scope == "user" else ():
            plan.steps += judge_goes(context, one)
    except MemcliError as error:
        warnings.append(f"the judge stays as it is: {error.message}")
    if not all_:
        return plan.carried_out(warnings, f"no change: {host} does not call memcli")
    every = list(pages.catalog().values())
    for folder in pages.places(context.environ, context.cwd or os.sep):
        plan.steps += pages.plan(every, folder, removal=True)
    return plan.carried_out(warnings, "no host has hooks or skills of memcli")


def _servers(plan: Plan, hosts: Sequence[Host], *, mcp: bool) -> None:
    """Plan memcli among the hosts' MCP servers, where it is or is wanted."""
    if mcp and importlib.util.find_spec("mcp") is None:
        error = MemcliError(
            "it needs the MCP SDK, which is not installed",
            hint="Install memcli again with the extra mcp: 'memcli[mcp]', or '.[mcp]' "
            "in a checkout; then repeat.",
        )
        plan.steps += [failed(SERVER, host.name, error) for host in hosts]
        return
    plan.add(SERVER, hosts, wanted=mcp)


def _refuse_agent(context: Context) -> None:
    if context.agent and context.agent != context.environ.get("MEMCLI_AGENT"):
        # Hooks that ask as it, beside skills that ask as the owner, would be worse.
        raise UsageError(
            "hooks and skills take their agent from the host's environment, not from "
            "an installation",
            hint=f"Start the host with MEMCLI_AGENT={context.agent}, and drop --agent.",
        )


def _warnings(context: Context, plan: Plan) -> tuple[str, ...]:
    """The warnings about a vault that is missing."""
    vault = plan.machine.vault
    place = vault or state_dirs.default_vault(context.environ)
    if place and os.path.isdir(place):
        return ()
    where = f"vault at {vault}" if vault else "default vault"
    way = quote(vault) if vault else "~/memory"
    told = f"there is no {where} yet, so the hooks do nothing: memcli init {way}"
    return (f"{told}; or name another one with --vault",)
