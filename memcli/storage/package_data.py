"""Where the files that come with memcli are: the vault's template, the skills.

Invariant: a folder that is found is read and never written to.
"""

import os

from memcli.errors import MemcliError


def folder(name: str) -> str:
    """The folder of this name: package data, or the checkout's own when run from one.

    Raises:
        MemcliError: this installation lacks it.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for found in (
        os.path.join(package, "_data", name),
        os.path.join(os.path.dirname(package), name),
    ):
        if os.path.isdir(found):
            return found
    raise MemcliError(
        f"{name} is not part of this installation", hint="Install memcli again."
    )
