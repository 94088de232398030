"""The steps of `memcli install` and `uninstall`: planned, carried out and shown.

Invariant: of several hosts, what stands in the way at one stops no other. A judge is
named in the user's own config alone. A judge that the user has chosen by hand is
neither replaced nor taken out: only a host's own command. An empty list is a no.
"""

from __future__ import annotations

import os
import shlex
import shutil

from memcli.cli.context import Canvas, Context, Result, own_program, to_apply
from memcli.entries import toml_text
from memcli.entries.text.counted import counted
from memcli.errors import MemcliError, UsageError
from memcli.hosts import skills, table
from memcli.hosts.install import plans
from memcli.hosts.install.status import survey
from memcli.hosts.install.step import Machine, Step, apply, failed
from memcli.sessions import judge
from memcli.storage import files, known_vaults, state_dirs, user_config

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.hosts.host import Host


class Plan:
    """The steps for some hosts at one scope.

    `strict`: of the one host that was named, so that an error ends it.
    """

    def __init__(
        self, context: Context, scope: str, *, strict: bool, dry_run: bool = False
    ) -> None:
        self.context, self.scope = context, scope
        self.strict, self.dry_run = strict, dry_run
        vault = None
        if context.vault:
            vault = known_vaults.find_vault(context.vault, context.environ)
        cwd = context.cwd or os.sep
        self.machine = Machine(context.environ, cwd, own_program(), vault)
        self.steps: list[Step] = []
        self.notes: list[str] = []

    def host(self, name: str | None) -> Host:
        """The host that was named.

        Raises:
            UsageError: none was.
            InvalidValue: there is none of this name.
        """
        if not name:
            hosts = ", ".join(each.name for each in table.with_hooks())
            hint = "What there is on this machine: memcli doctor"
            raise UsageError(f"name the host: {hosts}", hint=hint)
        return table.find(name, hooks=True)

    def here(self) -> list[Host]:
        """The hosts that are on this machine."""
        path = self.context.environ.get("PATH")
        found = survey(self.machine, lambda name: shutil.which(name, path=path))
        names = dict.fromkeys(each.host for each in found if each.found)
        return [self.host(name) for name in names]

    def add(
        self,
        what: str,
        hosts: Iterable[Host],
        *,
        removal: bool = False,
        wanted: bool = True,
    ) -> None:
        """Plan a part of each host.

        Args:
            what: HOOKS or SERVER.
            hosts: whose.
            removal: take it out.
            wanted: whether it was asked for; else only what is there is updated.
        """
        for host in hosts:
            left = {step.path: step.after for step in self.steps}
            try:
                step = plans.plan(
                    what, host, self.scope, self.machine, removal=removal, ahead=left
                )
            except MemcliError as error:
                # A server is an extra: where it cannot be, hooks are all the same.
                is_extra = what == plans.SERVER
                nowhere = isinstance(error, UsageError)
                spared = not wanted or (is_extra and (removal or not nowhere))
                if self.strict and not spared:
                    raise
                if wanted and not nowhere:
                    self.steps.append(failed(what, host.name, error))
            else:
                self.steps += [step] * (wanted or step.outcome == "updated")

    def add_skills(
        self,
        host: str | None,
        folder: str | None = None,
        *,
        force: bool = False,
        removal: bool = False,
    ) -> None:
        """Plan every skill, a page a step.

        Args:
            host: whose pages; may be left out where a folder is named.
            folder: another folder than the host's own.
            force: also pages that were edited.
            removal: take them out.

        Raises:
            UsageError: neither is named; memcli knows no folder of that host.
        """
        environ, cwd = self.context.environ, self.context.cwd or os.sep
        every = list(skills.catalog().values())
        try:
            if folder:
                path = os.path.abspath(os.path.expanduser(folder))
                place = skills.SkillFolder(path, "", ())
            else:
                place = skills.place(
                    host or self.host(host).name, self.scope, environ, cwd
                )
            self.steps += skills.plan(every, place, host, force=force, removal=removal)
        except MemcliError as error:
            if self.strict:
                raise
            self.steps.append(failed("skills", host or "", error))

    def add_judge(self, host: Host) -> None:
        """Plan to name a host's own command as the judge.

        Raises:
            UsageError: it has no such command, or the user has chosen another one.
            InvalidConfig: the config cannot be read, or only a person can change it.
        """
        if not host.judge:
            names = ", ".join(each.name for each in table.with_hooks() if each.judge)
            raise UsageError(
                f"{host.title} has no command that answers a prompt on standard input",
                hint=f"These have one: {names}. Any other stands in your config as "
                '[mining] judge = ["COMMAND", "..."].',
            )
        self.steps += [_judge_step(self.context, "installed", host.judge, host.name)]

    def refuse_judge(self) -> None:
        """Plan to note that no judge is wanted, so that nobody asks again."""
        self.steps.append(_judge_step(self.context, "noted", ()))

    def ask_for_judge(self, host: Host) -> None:
        """Ask a person at the terminal, once for all hosts.

        Raises:
            InvalidConfig: the config cannot be read.
        """
        context = self.context
        settings, _ = user_config.table(_TABLE, context.environ)
        if self.dry_run or not context.interactive or _KEY in settings:
            return
        said = shlex.join(host.judge)
        context.tell(
            f"When a session has ended, memcli can have {host.title} read it once, to "
            f"find what rules miss:\n  {said}\nThat is roughly {_COST}, beside what "
            f"{host.title} adds of its own. The words of the session go to its model."
        )
        answer = context.ask("May it? [y/N] ")
        if answer is None:
            self.notes.append("not asked about a judge (--judge, --no-judge)")
        elif answer.strip().lower() not in ("y", "yes"):
            self.refuse_judge()
        else:
            self.add_judge(host)

    def carried_out(self, warnings: Sequence[str] = (), nothing: str = "") -> Result:
        """Carry the steps out, unless it is a dry run, and report them.

        Args:
            warnings: beside those of the steps.
            nothing: of a removal, which names only what there was: the line when
                there was nothing.
        """
        if nothing:
            self.steps = [step for step in self.steps if step.outcome != "unchanged"]
            self.notes += [] if self.steps else [nothing]
        done: list[Step] = []
        for step in self.steps:
            try:
                done.append(step if self.dry_run else apply(step))
            except MemcliError as error:
                if self.strict:
                    raise
                done.append(failed(step.what, step.host, error))

        def text(canvas: Canvas) -> None:
            _draw(canvas, done, dry_run=self.dry_run)
            for note in self.notes:
                canvas.line(note, style="dim")
            if not done and not self.notes:
                canvas.line("no agent host is on this machine", style="dim")
            elif done and self.dry_run:
                to_apply(canvas, dry_run=True)

        said = [said for step in done for said in step.warnings]
        return Result(
            data={
                "items": [step.as_dict(dry_run=self.dry_run) for step in done],
                "dry_run": self.dry_run,
            },
            text=text,
            warnings=tuple(dict.fromkeys((*said, *warnings))),
            ok=not any(step.outcome in ("kept", "failed") for step in done),
        )


def _draw(canvas: Canvas, steps: Sequence[Step], *, dry_run: bool) -> None:
    """A line for each step; the pages of one folder share theirs."""
    alone = len({step.host for step in steps if step.host}) < 2
    groups: dict[tuple[str, ...], list[Step]] = {}
    for step in steps:
        kind, place = step.what, step.path
        if kind.startswith("skill "):
            kind, place = "skill", os.path.dirname(os.path.dirname(place))
        groups.setdefault((step.outcome, kind, place, step.why), []).append(step)
    for (outcome, _, place, why), group in groups.items():
        step = group[0]
        what, path = step.what, step.path
        if len(group) > 1:
            what, path = counted(len(group), "skill"), place
        what += f" of {step.host}" if step.host else ""
        if outcome == "failed":
            canvas.line(f"failed: {what}: {why}", style="bad")
            continue
        verb = f"would {_WOULD[outcome]}" if dry_run and step.changes else outcome
        where = "from" if outcome == "removed" else "in"
        line = f"{verb} {what} {where} {path}" + (f" ({why})" if why else "")
        style = "good" if step.changes else "bad" if outcome == "kept" else "dim"
        canvas.line(line, style=style)
        if alone and step.changes and outcome != "removed":
            for said in step.notes:
                canvas.line(f"  {said}")
        if step.backup:
            canvas.line(f"  what it was: {step.backup}", style="dim")
        if step.changes and step.after is None and step.notes:
            canvas.line("  the file goes, since nothing else is in it")
        # Of a new file, one that goes, or a page, the diff would be all of it.
        if dry_run and None not in (step.before, step.after) and step.notes:
            for row in step.diff():
                canvas.line(row, style={"+": "good", "-": "bad"}.get(row[:1], ""))


_WOULD = {
    "installed": "install",
    "updated": "update",
    "removed": "remove",
    "noted": "note",
}


# --- the judge ------------------------------------------------------------------------

_TABLE, _KEY = "mining", "judge"
# Of 231 sessions the median digest had 4,700 characters with ten known entries, the
# longest of nine in ten 8,600; a token is about four, and a judge writes 300 or so.
_COST = "1,500 tokens for a median session and 2,500 for a long one"


def judge_goes(context: Context, host: Host) -> list[Step]:
    """Plan to take a host's judge out; no step when the config has another one, or
    none.

    Raises:
        InvalidConfig: the config cannot be read, or only a person can change it.
    """
    configured = judge.configured(context.environ)
    if configured is None or configured.command != host.judge:
        return []
    return [_judge_step(context, "removed", host.judge, host.name)]


def _judge_step(
    context: Context, outcome: str, words: tuple[str, ...], host: str = ""
) -> Step:
    """The change of the config; raises where the user has chosen a judge."""
    path = state_dirs.path_of(context.environ)
    configured = judge.configured(context.environ)
    proposed = {each.judge for each in table.with_hooks()}
    if configured and configured.command not in proposed:
        raise UsageError(
            f"{path} has a judge of your own: {shlex.join(configured.command)}",
            hint="Take judge out of its [mining] first.",
        )
    before = files.current(path)
    text = user_config.decoded(before or b"", path)
    value = None if outcome == "removed" else words
    new = toml_text.with_values(text, path, {f"{_TABLE}.{_KEY}": value})
    after = new.encode() if new or before == b"" else None
    return Step(
        what="judge" if words else "no judge",
        host=host,
        scope="user",
        path=path,
        outcome="unchanged" if before == after else outcome,
        before=before,
        after=after,
        notes=(shlex.join(words),) if words else (),
    )
