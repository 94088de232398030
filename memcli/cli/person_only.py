"""What only a person decides: `--enforce` on a lesson."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.cli.context import Context
    from memcli.vault.vault import Vault


def person_only(context: Context, vault: Vault) -> None:
    """Refuse what only a person decides, where an agent calls.

    Raises:
        NotAllowed: an agent asks, or the session of an agent's host runs this.
    """
    from memcli.errors import NotAllowed
    from memcli.hosts import table

    vault.owner_only("--enforce")
    host = table.running_in(context.environ)
    if host is not None:
        raise NotAllowed(
            f"--enforce is for a person, and {host.title} runs this command",
            hint="Ask the user to type it at a terminal of their own.",
            code="owner_only",
        )
