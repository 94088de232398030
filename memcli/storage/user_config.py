"""The user's own config file, `config.toml`, as tables.

Invariant: without the file nothing is parsed; looking for it is one failed `open`. A
file that cannot be understood is an error with its path, never a silent default.
"""

import os
from collections.abc import Mapping
from typing import Any

from memcli.errors import InvalidConfig


def folder(environ: Mapping[str, str]) -> str:
    """The folder of the user's own settings."""
    # `platformdirs` would cost every command 30 ms to find one path.
    above = environ.get("XDG_CONFIG_HOME") or environ.get("APPDATA")
    if not above:
        above = os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".config")
    return os.path.join(above, "memcli")


def table(name: str, environ: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """The table `[name]` of the user's config, and the path of the file.

    A file that does not name it is not parsed, since reading TOML costs a start-up
    11 ms.

    Raises:
        InvalidConfig: the file does not parse, or it has something else of this name.
    """
    path = os.path.join(folder(environ), "config.toml")
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return {}, path
    except OSError as error:
        raise InvalidConfig(f"{path}: {error.strerror}") from error
    # TOML may spell a key with escapes.
    if name.encode() not in data and b"\\" not in data:
        return {}, path
    import tomllib

    try:
        settings = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidConfig(f"{path}: {error}", hint="Correct the file.") from error
    found = settings.get(name, {})
    if not isinstance(found, dict):
        raise InvalidConfig(f"{path}: {name} must be a table: [{name}]")
    return found, path
