"""The folders that come with memcli: the vault's template, the skills.

Invariant: memcli reads these folders and never writes to them.
"""

from __future__ import annotations

import os

from memcli.errors import MemcliError


def folder(name: str) -> str:
    """The folder of this name in the package data, or in the checkout memcli runs from.

    Raises:
        MemcliError: this installation lacks it.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for path in (
        os.path.join(package, "_data", name),
        os.path.join(os.path.dirname(package), name),
    ):
        if os.path.isdir(path):
            return path
    raise MemcliError(
        f"{name} is not part of this installation", hint="Install memcli again."
    )
