"""memcli: the memory of coding agents, as a command line over plain files."""

from __future__ import annotations

# Not from `typing`, which costs more than a bare Python: a hook asks before each edit.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.api import Vault, Vaults

__version__ = "0.2.0"
__all__ = ["Vault", "Vaults", "__version__"]


def __getattr__(name: str) -> object:
    # Looked up late: a command line needs the version, not the library.
    if name in ("Vault", "Vaults"):
        from memcli import api

        return getattr(api, name)
    raise AttributeError(name)
