"""`[sync]` of the user's config: when memcli syncs by itself, and this machine's name.

Invariant: the user's own config alone decides; nothing that a vault brings turns it on.
"""

from __future__ import annotations

import os
import re
import sys

from memcli.errors import InvalidConfig
from memcli.named_tuple import NamedTuple
from memcli.storage import user_config

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

OFF, SESSIONS, WRITES = "off", "sessions", "writes"
"""When memcli syncs by itself: never; when a session begins and ends; and after each
write, too."""

_MODES = (OFF, SESSIONS, WRITES)
_TABLE = "sync"
_LONGEST = 60


class SyncSettings(NamedTuple):
    """The settings. `machine` is the name of this machine in merges."""

    auto: str = OFF
    machine: str = ""


def load(environ: Mapping[str, str]) -> SyncSettings:
    """Read `[sync]`; a file that does not name it is not parsed.

    Raises:
        InvalidConfig: the file does not parse, or a setting is not valid.
    """
    table, path = user_config.table(_TABLE, environ)
    where = f"{path}: [sync]"
    unknown = sorted(set(table) - set(SyncSettings._fields))
    if unknown:
        raise InvalidConfig(
            f"{where} does not know '{unknown[0]}'", hint="Known: auto, machine."
        )
    auto = table.get("auto", OFF)
    if auto not in _MODES:
        raise InvalidConfig(
            f"{where} auto must be one of {', '.join(_MODES)} (got {auto!r})"
        )
    machine = table.get("machine", "")
    if not isinstance(machine, str) or len(machine) > _LONGEST or _odd(machine):
        raise InvalidConfig(
            f"{where} machine must be one line of at most {_LONGEST} characters, "
            f"without a comma (got {machine!r})"
        )
    return SyncSettings(auto, machine.strip() or _host(environ))


def _odd(text: str) -> bool:
    return "," in text or not text.isprintable()


def _host(environ: Mapping[str, str]) -> str:
    """The machine's own name, without its domain."""
    name = environ.get("COMPUTERNAME", "")
    if not name and sys.platform != "win32":
        name = os.uname().nodename
    return re.sub(r"[^\w-]", "", name.partition(".")[0])[:_LONGEST] or "this machine"
