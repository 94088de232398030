"""The user's own config file, `config.toml`, as tables.

Invariant: without the file nothing is parsed; looking for it is one failed `open`. A
file that cannot be understood is an error with its path, never a silent default. An
edit changes one setting, and no other byte.
"""

from __future__ import annotations

from memcli.errors import InvalidConfig
from memcli.storage.user_folder import folder, path_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


__all__ = ["folder", "path_of", "table", "with_words"]


def table(name: str, environ: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """The table `[name]` of the user's config, and the path of the file.

    A file that does not name it is not parsed, since reading TOML costs a start-up
    11 ms.

    Raises:
        InvalidConfig: the file does not parse, or it has something else of this name.
    """
    path = path_of(environ)
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


def with_words(
    text: str, path: str, name: str, key: str, words: Sequence[str] | None
) -> str:
    """The text of a config file with another list of words in `[name]`.

    A table that has nothing else goes with the key.

    Args:
        text: of the file; empty where there is none.
        path: for errors.
        name, key: of the table and of the setting.
        words: the value; None takes the setting out.

    Raises:
        InvalidConfig: the text does not parse, or is written so that only a person can
            change it.
    """
    from memcli.storage import toml_edit

    return toml_edit.with_value(text, path, name, key, words)
