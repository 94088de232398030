"""`memcli kinds`: the kinds that a vault knows."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.cli.context import Context, Result


def kinds(context: Context) -> Result:
    """List the kinds, with how many entries each has

    The built-in ones, those of the vault's config (memcli config set vault.kinds), and
    what notes by hand have. memcli list --kind KIND shows the entries.

    \b
    Example:
      memcli kinds
      memcli kinds --json
    """
    from memcli.cli.tags import counted
    from memcli.vault import counts

    return counted("kinds", counts.kinds(context.open_vault("reading")))
