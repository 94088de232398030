"""`memcli inspect signals`, its scorer: what use has taught, and whether it counts."""

from typing import TYPE_CHECKING, Any

from memcli.cli.spec import Canvas, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memcli.learned import Kept
    from memcli.vault import Vault


def signals(vault: "Vault", values: dict[str, Any]) -> Result:
    """The state of the scorer; with `train`, of the one that the log gives now."""
    from memcli import learned

    if values["train"]:
        return train(vault, learned.log(vault.root), dry_run=values["dry_run"])
    kept = learned.kept(vault.root)
    return Result(data={"scorer": kept.as_dict()}, text=lambda c: draw(c, kept))


def train(
    vault: "Vault", events: "Iterable[Mapping[str, Any]]", *, dry_run: bool
) -> Result:
    """Learn from the vault's log; `dry_run` keeps nothing."""
    from memcli import layout, learned

    vault.owner_only("training")
    found = learned.Kept(learned.train(vault.root, events, dry_run=dry_run))
    data = {"kept": None if dry_run else layout.SCORER, "scorer": found.as_dict()}

    def text(canvas: Canvas) -> None:
        draw(canvas, found)
        if dry_run:
            canvas.line("nothing was kept (--dry-run)", style="dim")
        else:
            canvas.line(
                f"kept in {layout.SCORER}; delete it to rank as before", style="dim"
            )

    return Result(data=data, text=text)


def draw(canvas: Canvas, kept: "Kept") -> None:
    """The state of a vault's scorer, for people."""
    found = kept.scorer
    if found is None:
        problem = kept.problem or "none; memcli inspect signals --train makes one"
        canvas.line(f"scorer: {problem}", style="bad" if kept.problem else "dim")
        return
    verdict = "takes part" if found.takes_part else "does not take part"
    canvas.line(f"scorer {verdict}: {found.reason}", style="title")
    canvas.line(f"  {found.pairs:,} pairs from {found.questions:,} questions")
    held = found.held_out
    if held is None:
        return
    canvas.line(
        f"  held out: {held.pairs:,} pairs from {held.questions:,} questions, "
        f"{held.differ:,} of these come out differently"
    )
    canvas.line(
        f"  in the right order: default {held.default:.3f}, "
        f"scorer {held.scorer:.3f}, p {held.p:g}"
    )
    weighed = zip(found.features, found.weights, strict=True)
    canvas.table(
        ("feature", "weight"),
        [
            (name, f"{weight:+.3f}")
            for name, weight in sorted(weighed, key=lambda one: -abs(one[1]))
        ],
    )
    canvas.line(f"  what the place explains: {found.position:+.2f}", style="dim")
