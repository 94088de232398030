"""`memcli doctor`, `config`, `signals`: the state of a vault, its settings, its use;
and the reports of `memcli inspect sessions` and `mining`."""

from __future__ import annotations  # evaluated only when Typer reads them

import importlib.util
import json
import os
import platform
import shutil
import sys
import time

from memcli import __version__
from memcli.cli.context import (
    Canvas,
    Context,
    Result,
    check_words,
    declined,
    to_apply,
)
from memcli.cli.rows import draw_more, facts, listed, table
from memcli.errors import VaultNotFound

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    from memcli.sessions.doctor import Check
    from memcli.vault.config import Changed, Setting
    from memcli.vault.health.repair import RepairPlan
    from memcli.vault.vault import Vault

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
    from memcli.hosts import install
    from memcli.sessions import doctor as use_case

    context.owner_only("doctor is for the owner of the vault")
    path = context.environ.get("PATH")
    around = use_case.Surroundings(
        versions=(__version__, platform.python_version()),
        program=install.running(sys.argv[0], sys.executable, windows=os.name == "nt"),
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


def _draw(canvas: Canvas, check: Check) -> None:
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
    from memcli.vault.health import repair as mending

    vault = context.open_vault("reading", writes=True)
    plan = mending.plan(vault, accept_deletions=accept_deletions)
    agreed = context.agrees(
        (f"{step.path}: {step.action}" for step in plan.steps),
        "Do this?",
        yes=yes,
        dry_run=dry_run or not plan.steps,
    )
    if agreed is False:
        return declined(plan._asdict())
    done = mending.apply(vault, plan) if agreed else plan
    if (agreed or yes) and not dry_run:
        context.merges_for_git(vault.root)
    return Result(data=done._asdict(), text=_text(done, dry_run=dry_run), ok=done.ok)


def _text(done: RepairPlan, *, dry_run: bool) -> Callable[[Canvas], None]:
    """The text of a plan, or of what was done, for a person."""

    def text(canvas: Canvas) -> None:
        if not done.steps:
            was = "was" if done.applied else "can be"
            canvas.line(f"nothing {was} mended", style="dim")
        elif done.applied:
            canvas.line(f"mended {len(done.steps)}:", style="good")
        else:
            canvas.line(f"would mend {len(done.steps)}:")
        for step in done.steps:
            canvas.line(f"  {step.path}: {step.action}")
        if done.steps and not done.applied:
            to_apply(canvas, dry_run=dry_run)
        if done.left:
            canvas.line(f"left for you: {len(done.left)}")
        for finding in done.left:
            hint = f" ({finding.hint})" if finding.hint else ""
            canvas.line(f"  {finding.path}:{finding.line}: {finding.message}{hint}")

    return text


# --- settings -------------------------------------------------------------------------

# The words that an action takes.
_TAKES = {
    "list": "",
    "get": "NAME",
    "set": "NAME VALUE...",
    "unset": "NAME",
    "path": "",
}


def config(
    context: Context,
    action: Literal["list", "get", "set", "unset", "path"] | None = None,
    words: list[str] | None = None,
) -> Result:
    """Show settings, or change one

    Those of the vault (limits.body, memory.review_mode, agents.NAME.policy, ...), where
    a change is a commit, and your own (default-vault, vaults.NAME.path, mining.judge,
    ...). A value that is not valid is refused. docs/reference/config.md explains each.

    \b
    Example:
      memcli config
      memcli config set injection.chars 6000
      memcli config set vaults.platform.path ~/platform-memory
      memcli config unset injection.chars

    Options:
        action: `[ACTION]` list (if not given), get, set, unset, path
        words: `[NAME] [VALUE]...` A setting, and its value
    """
    action, words = action or "list", words or []
    check_words(f"memcli config {action}", _TAKES[action], words)
    if action == "path":
        return _paths(context)
    from memcli.vault import config as use_case

    user = action != "list" and use_case.scope_of(words[0]) == use_case.USER
    vault = None if user else _vault(context, changes=action in ("set", "unset"))
    if action == "list":
        return _settings(use_case.listed(vault, context.environ))
    if action == "get":
        setting = use_case.get(vault, words[0], context.environ)
        said = _value(setting.value)
        return Result(setting._asdict(), lambda canvas: canvas.line(said))
    value = words[1:] if action == "set" else None
    context.owner_only("the config is for its owner to change")
    return _changed(
        use_case.put(vault, words[0], value, context.environ, _checks()), action
    )


def _vault(context: Context, *, changes: bool) -> Vault | None:
    try:
        return context.open_vault("reading", writes=changes)
    except VaultNotFound:
        if changes or context.vault:
            raise
        return None


def _checks() -> list[Any]:
    """The readers of the user's config, which refuse what is not valid in it."""
    from memcli.sessions import judge
    from memcli.storage import known_vaults, user_config

    return [known_vaults.configured, judge.configured, user_config.sync_settings]


def _paths(context: Context) -> Result:
    import os

    from memcli.entries import layout
    from memcli.storage import user_config

    vault = _vault(context, changes=False)
    paths = {"user": user_config.path_of(context.environ), "vault": None}
    if vault is not None:
        paths["vault"] = os.path.join(vault.root, *layout.CONFIG.split("/"))

    def text(canvas: Canvas) -> None:
        for path in paths.values():
            if path:
                canvas.line(path)

    return Result(data=paths, text=text)


def _settings(settings: list[Setting]) -> Result:
    return listed(
        "settings",
        settings,
        "setting=name value from",
        {
            "value": lambda one: _value(one.value),
            "from": lambda one: one.scope if one.is_set else "default",
        },
        empty="No settings.",
    )


def _changed(done: Changed, action: str) -> Result:
    def text(canvas: Canvas) -> None:
        setting = done.setting
        verb = action if done.changed else "unchanged"
        value = _value(setting.value) or "none"
        canvas.line(f"{verb} {setting.name} = {value} in {done.path}", style="good")

    data = {**done.setting._asdict(), "path": done.path, "changed": done.changed}
    return Result(data=data, text=text)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


# --- what memory did by itself --------------------------------------------------------

_MOST_CALLS = 20
_MOST_SESSIONS = 30


def sessions(context: Context) -> Result:
    """Sessions by state, and the last calls of hooks."""
    from memcli.sessions import recovery

    seen = recovery.activity(context.open_vault("reading"), _MOST_CALLS)
    waiting = [one for one in seen["sessions"] if one["state"] != "mined"]

    def text(canvas: Canvas) -> None:
        if not seen["sessions"] and not seen["calls"]:
            canvas.line("no hook has been called here", style="nothing")
            return
        counts = (f"{number:,} {name}" for name, number in seen["by_state"].items())
        canvas.line(", ".join(counts), style="title")
        if waiting:
            columns = "session host state idle_minutes why"
            own = {
                "why": lambda one: one["why"] or "no transcript" * (not one["there"])
            }
            table(canvas, waiting[:_MOST_SESSIONS], columns, own)
        draw_more(canvas, len(waiting) - _MOST_SESSIONS, "--json")
        if seen["calls"]:
            canvas.line("the last calls:", style="title")
            columns = "when event host ms shown what"
            # Any process may write to the log: a line may lack what another has.
            calls = [dict.fromkeys(columns.split()) | line for line in seen["calls"]]
            table(canvas, calls, columns, _OF_CALLS)

    return Result(data=seen, text=text)


def _what(line: dict[str, Any]) -> str:
    """The outcome of a call, and the vaults that it left out."""
    out = line.get("not_asked")
    reasons = out.items() if isinstance(out, dict) else ()
    left_out = "; ".join(f"{name} not asked: {why}" for name, why in reasons)
    return str(line.get("error") or line.get("did") or left_out)


def _when(line: dict[str, Any]) -> str:
    at = line.get("at")
    local = time.localtime(at if isinstance(at, int) else 0)
    return time.strftime("%m-%d %H:%M:%S", local) if isinstance(at, int) else ""


_OF_CALLS: dict[str, Callable[[Any], object]] = {"when": _when, "what": _what}


def mining(context: Context, name: str | None) -> Result:
    """Of the vault: how each rule fares; of a session: each candidate and why."""
    from memcli.sessions import reflect_session

    vault = context.open_vault("reading")
    if not name:
        report = reflect_session.mining(vault)
        shown = {**report, **report["sessions"]}
        del shown["sessions"]
        return Result(report, lambda canvas: facts(canvas, shown))
    record = reflect_session.record_of(vault, name)
    candidates = reflect_session.candidates_of(vault, record)
    data = {**record._asdict(), "candidates": candidates}

    def text(canvas: Canvas) -> None:
        facts(canvas, {**data, "candidates": None})
        for one in candidates:
            canvas.line()
            canvas.line(one.get("title") or f"({one['action']})", style="title")
            facts(canvas, {**one, "title": None})

    return Result(data, text)


# --- signals --------------------------------------------------------------------------


def signals(
    context: Context, *, pairs: bool = False, train: bool = False, dry_run: bool = False
) -> Result:
    """Show how the vault is used, and what memcli has learned from it

    Counts what was written, what questions brought, and what helped (memcli recall
    --useful ID). --train trains a scorer for the ranking, which takes part only when
    it is better on questions that it has not seen; delete its file to rank as before.

    \b
    Example:
      memcli signals
      memcli signals --pairs
      memcli signals --train --dry-run

    Options:
        pairs: `--pairs, without --train` Print what a scorer learns from, as JSON lines
        train: `--train` Train a scorer with them, and keep it
        dry_run: `--dry-run, with --train` Show it, and keep nothing
    """
    from memcli.entries import dates
    from memcli.recall import scorer
    from memcli.vault.health import log

    vault = context.open_vault("reading", writes=train and not dry_run)
    if pairs:
        rows = log.pairs(vault)
        lines = "\n".join(map(json.dumps, rows))
        return Result(
            {"pairs": rows, "count": len(rows)},
            lambda canvas: canvas.line(lines) if rows else None,
        )
    kept, place = scorer.load(vault.root), scorer.path_of(vault.root)
    if not train:
        seen = log.usage(vault)
        data = {**seen, "scorer": kept.as_dict()}
        shown = {**seen, "since": seen["since"] and dates.iso(seen["since"])}
    else:
        trained = scorer.train(log.pairs(vault))
        kept = scorer.Stored(trained)
        data = {"kept": None if dry_run else place, "scorer": kept.as_dict()}
        shown = {"kept": "nothing (--dry-run)" if dry_run else place}
        if not dry_run:
            scorer.store(vault.root, trained)

    of_scorer = ("takes_part", "reason", "pairs", "questions")
    one = kept.scorer
    shown["scorer"] = (
        {name.replace("_", " "): getattr(one, name) for name in of_scorer}
        if one
        else kept.problem or "none; memcli signals --train makes one"
    )
    return Result(data, lambda canvas: facts(canvas, shown))
