"""`memcli inspect lint`: what is wrong in the vault."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.entries.entry import one_line

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.entries.finding import Finding


def lint(context: Context) -> Result:
    """What is wrong, file by file; not ok when one of the findings is an error."""
    from memcli.entries.finding import ERROR
    from memcli.vault.health.lint import lint as use_case

    vault = context.open_vault("reading")
    findings = use_case(vault)
    ok = not any(finding.level == ERROR for finding in findings)
    data = {"findings": [finding._asdict() for finding in findings]}
    return Result(data, lambda canvas: draw_findings(canvas, findings), ok=ok)


def draw_findings(
    canvas: Canvas, findings: list[Finding], *, most: int | None = None
) -> None:
    """Draw findings a line each; with `most` only so many, errors first."""
    if not findings:
        canvas.line("lint: nothing is wrong", style="good")
        return
    errors = sum(finding.level == "error" for finding in findings)
    canvas.line(f"lint: errors {errors:,}, warnings {len(findings) - errors:,}")
    # What makes the exit code is seen first where not everything is.
    if most is not None and len(findings) > most:
        findings = sorted(findings, key=lambda finding: finding.level != "error")
    for finding in findings[:most]:
        style = "bad" if finding.level == "error" else ""
        hint = f" ({finding.hint})" if finding.hint else ""
        said = f"{finding.level}: {finding.message}{hint}"
        canvas.line(one_line(f"{finding.path}:{finding.line}: {said}"), style=style)
    if most is not None:
        draw_more(canvas, len(findings) - most, "memcli inspect lint")


def draw_more(canvas: Canvas, number: int, where: str) -> None:
    """Say how many more there are, if any, and which command shows them."""
    if number > 0:
        canvas.line(f"  ... and {number:,} more: {where}", style="dim")
