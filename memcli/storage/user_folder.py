"""The folder of the user's own settings, and its files of one line.

Invariant: loads nothing, because a hook asks before each edit which vault is meant.
"""

from __future__ import annotations

import os

# Not from `typing`, which costs more than a bare Python.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping


def folder(environ: Mapping[str, str]) -> str:
    """The folder of the user's own settings."""
    # `platformdirs` would cost every command 30 ms to find one path.
    above = environ.get("XDG_CONFIG_HOME") or environ.get("APPDATA")
    if not above:
        above = os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".config")
    return os.path.join(above, "memcli")


def path_of(environ: Mapping[str, str]) -> str:
    """The path of the user's config file, which may not be there."""
    return os.path.join(folder(environ), "config.toml")


def default_vault(environ: Mapping[str, str]) -> str | None:
    """The vault that the user made the default, if any."""
    try:
        with open(default_vault_file(environ), encoding="utf-8") as file:
            return file.read().strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def default_vault_file(environ: Mapping[str, str]) -> str:
    """The file that names the default vault."""
    # One line in a file of its own: parsing TOML costs 11 ms.
    return os.path.join(folder(environ), "default-vault")
