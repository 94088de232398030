"""`memcli projects`: where memories hold."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.cli.context import Context, Result


def projects(context: Context) -> Result:
    """List the projects, with how many entries hold in each

    And the project of this folder. memcli list --project NAME shows the entries;
    docs/use/projects.md says where the names come from.

    \b
    Example:
      memcli projects
      memcli projects --json
    """
    from memcli.cli.inspect.projects import projects as listed

    return listed(context)
