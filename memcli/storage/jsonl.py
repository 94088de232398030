"""Reading JSON Lines: one object a line, every mistake with its line number.

Invariant: a line is an object, or an error that names it; nothing is guessed.
"""

from __future__ import annotations

from memcli.errors import InvalidContent, Unreadable
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# A batch is held in memory; a gigabyte is given by mistake.
_LARGEST = 1_000_000_000


def read_file(path: str) -> bytes:
    """The bytes of a file of JSON lines."""
    return files.read(path, limit=_LARGEST)


def objects(data: bytes, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number from 1, object) of each line that is not empty.

    Raises:
        Unreadable: a line that is not UTF-8.
        InvalidContent: a line that is not a JSON object.
    """
    for line, value in attempts(data, name):
        if isinstance(value, Exception):
            raise value
        yield line, value


def attempts(
    data: bytes, name: str
) -> Iterator[tuple[int, dict[str, Any] | Unreadable | InvalidContent]]:
    """As `objects`, but yields the error of a bad line instead of raising it."""
    import io
    import json

    for number, raw in enumerate(io.BytesIO(data.removeprefix(b"\xef\xbb\xbf")), 1):
        if not raw.strip():
            continue
        place, said = f"{name}:{number}", "not a JSON object"
        try:
            value = json.loads(raw.decode())
            if isinstance(value, dict):
                yield number, value
                continue
        except UnicodeDecodeError:
            yield number, Unreadable(f"{place}: not UTF-8")
            continue
        except (ValueError, RecursionError) as error:
            said = f"not JSON: {error}"
        yield number, InvalidContent(f"{place}: {said}", code="invalid_json")
