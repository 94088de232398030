"""What `memcli install` and `uninstall` do and say about the judge of sessions.

Invariant: nothing is written before the judge has answered once, and a dry run asks no
model.
"""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.named_tuple import NamedTuple
from memcli.sessions.judging import setting as judges

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from memcli.sessions.judging.setting import SettingPlan, Trial


class JudgeChange(NamedTuple):
    """What becomes of the judge: the plan, its trial, and whether it is done.

    `trial` is None for a dry run, a removal, and a judge that is configured already.
    """

    plan: SettingPlan
    trial: Trial | None
    put_in: bool
    done: bool

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        changed = self.plan.changes
        words = "written" if self.put_in else "removed"
        return {
            "command": list(self.plan.words),
            "path": self.plan.path,
            "outcome": "none" if not changed else words if self.done else "dry_run",
            "trial": self.trial._asdict() if self.trial else None,
        }

    def draw(self, canvas: Canvas) -> None:
        """Say in a sentence what changes, and name the command."""
        where = self.plan.path
        if not self.plan.changes:
            said = f"the judge stands in {where} already"
        elif self.put_in:
            verb = "named the judge in" if self.done else "would try, and name in"
            said = f"{verb} {where}"
        else:
            verb = "took the judge out of" if self.done else "would take out of"
            said = f"{verb} {where}"
        canvas.line(said, style="good" if self.done and self.plan.changes else "dim")
        canvas.line(f"  {shown(self.plan.words)}")
        if self.trial:
            canvas.line(
                f"  tried once: {self.trial.asked:,} characters asked, "
                f"{self.trial.said:,} answered, {self.trial.seconds:.0f} s",
                style="dim",
            )


def put_in(context: Context, host: str, *, dry_run: bool) -> JudgeChange:
    """Try a host's own command as the judge, once; nothing is written yet.

    Raises:
        UsageError, InvalidConfig: there is none, or the config has another one.
        JudgeFailed: it gave no answer that counts.
    """
    plan = judges.plan(host, context.environ)
    trial = None
    if plan.changes and not dry_run:
        context.tell(f"asking {shown(plan.words)} about a made-up session ...")
        trial = judges.try_once(plan.words, context.environ)
    return JudgeChange(plan, trial, put_in=True, done=not dry_run)


def write(change: JudgeChange | None) -> None:
    """Write what a change says, unless it is a dry run; raises as `setting.apply`."""
    if change is not None and change.done and change.plan.changes:
        judges.apply(change.plan)


def take_out(context: Context, host: str, *, dry_run: bool) -> JudgeChange | None:
    """The removal of the judge that `put_in` has written; None when there is none."""
    plan = judges.plan_removal(host, context.environ)
    if plan is None:
        return None
    return JudgeChange(plan, None, put_in=False, done=not dry_run)


def alone(change: JudgeChange | None, host: str) -> Result:
    """The result of a removal that leaves hooks where they are."""
    if change is None:
        said = f"the judge of your config is not that of {host}; nothing was changed"
        return Result({"judge": None}, lambda canvas: canvas.line(said, style="dim"))
    return Result({"judge": change.as_dict()}, change.draw)


def beside(result: Result, change: JudgeChange | None) -> Result:
    """The result of an installation, with what became of the judge."""
    if change is None:
        return result

    def text(canvas: Canvas) -> None:
        result.text(canvas)
        change.draw(canvas)

    data = {**result.data, "judge": change.as_dict()}
    return result._replace(data=data, text=text)


def draw_state(canvas: Canvas, state: dict[str, Any]) -> None:
    """One line for the judge of the config, and one for what is wrong with it."""
    if state["command"]:
        canvas.line(f"judge: {shown(state['command'])}")
    else:
        canvas.line("judge: none; memcli install HOST --judge", style="dim")
    if state["problem"]:
        canvas.line(f"  problem: {state['problem']}", style="bad")


def shown(words: tuple[str, ...] | list[str]) -> str:
    """A command as a person would type it."""
    from shlex import join

    return join(words)
