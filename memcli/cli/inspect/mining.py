"""`memcli inspect mining`: what mining brought, and why."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.entries.text.counted import counted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.vault.vault import Vault


def mining(context: Context, name: str | None) -> Result:
    """Of the vault: how each rule fares; of a session: each candidate and why."""
    vault = context.open_vault("reading")
    return _session(vault, name) if name else _vault(vault)


def _vault(vault: Vault) -> Result:
    from memcli.sessions import reports

    report = reports.mining(vault)

    def text(canvas: Canvas) -> None:
        of_sessions = report["sessions"]
        canvas.line(
            f"{counted(of_sessions['mined'], 'session')} mined here, "
            f"{counted(report['entries'], 'entry')} from mining",
            style="title",
        )
        for counts in (report["by_kind"], report["by_confidence"]):
            if counts:
                canvas.line(
                    "  "
                    + ", ".join(f"{number:,} {name}" for name, number in counts.items())
                )
        if of_sessions["noted"]:
            noted = counted(of_sessions["noted"], "candidate")
            canvas.line(f"  {noted} noted alone, at LOW")
        if report["patterns"]:
            canvas.table(
                ("pattern", "brought", "kept", "waiting", "rejected", ""),
                [
                    (
                        rule["pattern"],
                        f"{rule['brought']:,}",
                        f"{rule['kept']:,}",
                        f"{rule['waiting']:,}",
                        f"{rule['rejected']:,}",
                        "noisy" if rule["noisy"] else "",
                    )
                    for rule in report["patterns"]
                ],
            )
        for failed in of_sessions["not_reflected"]:
            canvas.line(
                f"not reflected: {failed['host']} {failed['session']}: "
                f"{failed['error']}",
                style="bad",
            )

    return Result(data=report, text=text)


def _session(vault: Vault, name: str) -> Result:
    from memcli.sessions import reports

    record = reports.session(vault, name)
    candidates = reports.current(vault, record)

    def text(canvas: Canvas) -> None:
        canvas.line(f"{record.host} {record.session}", style="title")
        canvas.line(f"  {record.transcript}", style="dim")
        mined = f"  {counted(record.turns, 'turn')}, mined {record.at}"
        canvas.line(mined if record.reflected else f"  not reflected: {record.error}")
        for candidate in candidates:
            now = f", now {candidate['status']}" if candidate.get("status") else ""
            canvas.line()
            title = candidate.get("title") or f"({candidate['action']})"
            canvas.line(f"{candidate['confidence']} {candidate['category']}: {title}")
            canvas.line(
                f"  {candidate['action']} {candidate.get('id') or ''}{now}".rstrip()
            )
            for why in (candidate.get("why"), candidate.get("rationale")):
                if why:
                    canvas.line(f"  why: {candidate['pattern']}: {why}")
            if candidate.get("excerpt"):
                canvas.line(
                    f"  said in line {candidate['line']}: {candidate['excerpt']}"
                )
        if record.cut:
            canvas.line(f"{record.cut:,} more were left out by the cap of a session")

    data = {**record._asdict(), "candidates": candidates}
    return Result(data=data, text=text)
