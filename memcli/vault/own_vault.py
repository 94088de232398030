"""The user's own vault beside a team's: what is resolved there counts here as well.

Invariant: it only hides, and only for this user; a team can hide nothing of the own
vault. Trouble with the own vault is none of the team's answer.
"""

from __future__ import annotations

import os

from memcli.errors import MemcliError
from memcli.storage import known_vaults

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TypeVar

    from memcli.search.resolved_claims import ResolvedClaims

    _Own = TypeVar("_Own", bound="_Vault")
else:
    Protocol = object


class _Vault(Protocol):
    root: str
    source: str

    def read(self, answer: Callable[[Any], Any]) -> Any: ...


def beside(root: str, opened: Callable[[], _Own]) -> _Own | None:
    """The own vault of the user who asks a team's at `root`; None without another.

    Args:
        root: the folder of the team's vault.
        opened: opens the own one.
    """
    try:
        own = opened()
    except MemcliError:
        return None
    if os.path.realpath(own.root) == os.path.realpath(root):
        return None
    own.source = known_vaults.PERSONAL
    return own


def resolved_in(vault: _Vault | None) -> ResolvedClaims | None:
    """What is resolved in a vault; None when there is none, or it cannot be read."""
    if vault is None:
        return None
    try:
        claims: ResolvedClaims = vault.read(lambda reader: reader.claims.own)
    except MemcliError:
        return None
    return claims
