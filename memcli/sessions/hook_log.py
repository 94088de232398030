"""The log of hooks: one line a call, so that a person sees what memcli does by itself.

Invariant: no text of a memory, a prompt or a transcript is in it. Writing a line fails
nothing: one that cannot be written is left out. A log that has reached its limit
becomes the older half, and the older half from before goes.
"""

from __future__ import annotations

import os
import stat

from memcli.entries import layout
from memcli.errors import MemcliError
from memcli.storage import files, state_dirs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


_MOST = 500_000


def note(root: str, line: Mapping[str, Any]) -> None:
    """Add a line, without what is None; never raises."""
    import json

    path = _path(root)
    line = {name: _clean(value) for name, value in line.items() if value is not None}
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = json.dumps(line, ensure_ascii=True).encode()
        # A named pipe in its place would wait for a reader.
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | files.NONBLOCK
        handle = os.open(path, flags, 0o600)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                return
            if status.st_size > _MOST:
                os.replace(path, path + ".1")
            # A full disk or a kill may have cut the last line.
            os.write(handle, b"\n" + data if status.st_size else data)
        finally:
            os.close(handle)
    except (OSError, TypeError, ValueError):
        pass


def _clean(value: Any) -> Any:
    """A value without a secret; ids, numbers, times and short words have none."""
    if (
        not isinstance(value, str)
        or len(value) < 15
        or not value.strip("0123456789abcdef-:.+TZ")
    ):
        return value
    from memcli.entries import no_secrets

    return no_secrets.masked(value)


def named(error: BaseException) -> str:
    """An error for the log, without a word of what was read."""
    code = getattr(error, "code", type(error).__name__)
    return f"{code}: {getattr(error, 'message', getattr(error, 'strerror', ''))}"


def last(root: str, most: int) -> list[dict[str, Any]]:
    """The newest lines, the newest first."""
    import json

    lines: list[dict[str, Any]] = []
    for path in (_path(root), _path(root) + ".1"):
        try:
            rows = files.read(path).decode("utf-8", "replace").splitlines()
        except MemcliError:
            continue
        for row in reversed(rows):
            if len(lines) == most:
                return lines
            try:
                line = json.loads(row)
            except ValueError:
                continue
            if isinstance(line, dict):
                lines.append(line)
    return lines


def _path(root: str) -> str:
    return state_dirs.path(root, layout.HOOK_LOG)
