"""`memcli doctor`: is everything as it should be?"""

from __future__ import annotations  # evaluated only when Typer reads them

import importlib.util
import os
import platform
import shutil
import sys

from memcli import __version__
from memcli.cli.context import Canvas, Context, Result
from memcli.errors import NotAllowed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.sessions.doctor import Check

_STYLES = {"ok": "good", "note": "", "problem": "bad"}


def doctor(context: Context) -> Result:
    """Check everything that memcli needs, and say how to mend it

    One line for git, the vault, its history, the index, the clients that are on the
    PATH with their versions, their hooks, skills, the judge, and memcli among their MCP
    servers, each with what to do below it. It changes nothing. The exit code is 1 when
    something is a problem; a note is none.

    \b
    Example:
      memcli doctor
      memcli doctor --vault work
    """
    from memcli.cli.mcp import extra
    from memcli.hosts import install
    from memcli.sessions import doctor as use_case

    if context.agent:
        raise NotAllowed(
            f"doctor is for the owner of the vault, not for agent {context.agent}",
            hint="Ask the owner to run it.",
            code="owner_only",
        )
    path = context.environ.get("PATH")
    around = use_case.Surroundings(
        versions=(__version__, platform.python_version()),
        program=install.running(sys.argv[0], sys.executable, windows=os.name == "nt"),
        which=lambda name: shutil.which(name, path=path),
        has_mcp=importlib.util.find_spec("mcp") is not None,
        mcp_install=extra.install_command(
            sys.prefix, sys.executable, extra.installed_from()
        ),
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
        canvas.line(f"        -> {check.mend}")
