"""`memcli inspect vaults`: the vaults of the user."""

from __future__ import annotations

import os

from memcli.cli.context import Canvas, Context, Result
from memcli.errors import NotAllowed, VaultNotFound

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.vault.vaults import VaultState


def vaults(context: Context) -> Result:
    """The user's vaults: where they are, what is allowed in them, what is wrong."""
    from memcli.vault.vaults import states

    if context.agent:
        raise NotAllowed(
            f"the list of vaults is for their owner, not for agent {context.agent}",
            hint="Ask the owner to run it.",
            code="owner_only",
        )
    known = states(context.caller("reading"))
    if context.vault:
        from memcli.storage import known_vaults

        place = known_vaults.place_of(context.vault, context.environ, context.cwd)
        path = os.path.realpath(place.path)
        known = [
            state
            for state in known
            if (place.engine and state.name == place.name)
            or os.path.realpath(state.path or "") == path
        ]
        if not known:
            raise VaultNotFound(
                f"{context.vault} is a vault that your config does not name",
                hint="[vaults.NAME] in config.toml names it: docs/use/sharing.md",
            )

    def text(canvas: Canvas) -> None:
        canvas.table(
            ("vault", "role", "asked", "entries", "path", "sync", "problem"),
            [
                (
                    state.name,
                    state.role,
                    _asked(state),
                    "-" if state.entries is None else f"{state.entries:,}",
                    state.path or "-",
                    _synced(state),
                    state.problem or "",
                )
                for state in known
            ],
        )

    return Result(data={"vaults": [state.as_dict() for state in known]}, text=text)


def _synced(state: VaultState) -> str:
    if state.sync is None:
        return "-"
    if state.sync.ahead is None:
        return "never"
    return f"{state.sync.ahead:,} ahead, {state.sync.behind:,} behind"


def _asked(state: VaultState) -> str:
    if not state.recall:
        return "when named"
    return "yes" if state.hooks else "not by hooks"
