"""memcli: the memory of coding agents, as a command line over plain files."""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    # Looked up late: a command line needs the version, not the library.
    if name == "Vault":
        from memcli.library import Vault

        return Vault
    raise AttributeError(name)
