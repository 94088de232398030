"""`memcli inspect mining`: what mining brought, and why."""

from typing import TYPE_CHECKING

from memcli.cli.context import Canvas, Context, Result

if TYPE_CHECKING:
    from memcli.vault.vault import Vault


def mining(context: Context, name: str | None) -> Result:
    """Of the vault: how each rule fares; of a session: each candidate and why."""
    vault = context.open_vault("reading")
    return _session(vault, name) if name else _vault(vault)


def _vault(vault: "Vault") -> Result:
    from memcli.sessions import mining_report

    found = mining_report.report(vault)

    def text(canvas: Canvas) -> None:
        count = len(found.sessions) - len(found.failed)
        canvas.line(
            f"{count:,} sessions mined here, {found.entries:,} entries from mining",
            style="title",
        )
        for counts in (found.by_kind, found.by_confidence):
            if counts:
                canvas.line(
                    "  "
                    + ", ".join(f"{number:,} {name}" for name, number in counts.items())
                )
        if found.patterns:
            canvas.table(
                ("pattern", "brought", "kept", "waiting", "rejected", ""),
                [
                    (
                        one.pattern,
                        f"{one.brought:,}",
                        f"{one.kept:,}",
                        f"{one.waiting:,}",
                        f"{one.rejected:,}",
                        "noisy" if one.noisy else "",
                    )
                    for one in found.patterns
                ],
            )
        for record in found.failed:
            canvas.line(
                f"not reflected: {record.host} {record.session}: {record.error}",
                style="bad",
            )

    return Result(data=found.as_dict(), text=text)


def _session(vault: "Vault", name: str) -> Result:
    from memcli.sessions import mining_report

    record = mining_report.session(vault, name)
    candidates = mining_report.current(vault, record)

    def text(canvas: Canvas) -> None:
        canvas.line(f"{record.host} {record.session}", style="title")
        canvas.line(f"  {record.transcript}", style="dim")
        said = f"  {record.turns:,} turns, mined {record.at}"
        canvas.line(said if record.reflected else f"  not reflected: {record.error}")
        for one in candidates:
            now = f", now {one['status']}" if one.get("status") else ""
            canvas.line()
            title = one.get("title") or f"({one['action']})"
            canvas.line(f"{one['confidence']} {one['category']}: {title}")
            canvas.line(f"  {one['action']} {one.get('id') or ''}{now}".rstrip())
            for why in (one.get("why"), one.get("rationale")):
                if why:
                    canvas.line(f"  why: {one['pattern']}: {why}")
            if one.get("excerpt"):
                canvas.line(f"  said in line {one['line']}: {one['excerpt']}")
        if record.cut:
            canvas.line(f"{record.cut:,} more were left out by the cap of a session")

    data = {**record._asdict(), "candidates": candidates}
    return Result(data=data, text=text)
