"""`memcli uninstall`: an agent host without memcli's hooks."""

import os
from typing import Any

from memcli.cli.install import DRY_RUN, HOST, SCOPE, named, report
from memcli.cli.spec import Command, Context, Result

_HELP = """Take memcli's hooks out of an agent host

    Leaves everything else in the host's settings as it is. The vault stays.

    \b
    Example:
      memcli uninstall claude-code
      memcli uninstall gemini --scope project --dry-run
    """


def run(context: Context, **values: Any) -> Result:
    """Remove a host's hooks."""
    from memcli.hosts import install

    host = named(values["host"], "uninstall")
    plan = install.plan_removal(host, values["scope"], context.environ, os.getcwd())
    done = None if values["dry_run"] else install.apply(plan)
    return report(plan, done, list(plan.notes), "uninstall")


COMMAND = Command("uninstall", _HELP, (HOST, SCOPE, DRY_RUN), run)
