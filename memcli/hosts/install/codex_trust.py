"""The hooks that Codex trusts, by its config.toml.

Invariant: it only reads. Codex skips a hook that its user has not trusted, and does not
say so. It keeps a hash of each trusted hook by place: a hook that was changed or moved
is not trusted any more. How the hash is made is not documented, so a hash means only
that the hook was trusted once.
"""

from __future__ import annotations

import os
import re

from memcli.errors import MemcliError
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from memcli.hosts.install.merge import Path


def untrusted(config: str, path: str, hooks: Iterable[Path]) -> list[str]:
    """Names of the events whose hooks Codex does not run.

    Args:
        config: the path of Codex's config.toml.
        path: the file of the hooks.
        hooks: where they stand in it, as ("hooks", event, group, "hooks", number).
    """
    state = _table(_table(_settings(config), "hooks"), "state")
    names = {path, os.path.realpath(path)}
    events = []
    for _, event, group, _, number in hooks:
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(event)).lower()
        known = [
            _table(state, f"{name}:{snake}:{group}:{number}") for name in sorted(names)
        ]
        if not any(
            each.get("trusted_hash") and each.get("enabled") is not False
            for each in known
        ):
            events.append(str(event))
    return events


def trusts_project(config: str, root: str) -> bool:
    """Whether Codex reads the settings of this project."""
    projects = _table(_settings(config), "projects")
    return any(
        _table(projects, name).get("trust_level") == "trusted"
        for name in (root, os.path.realpath(root))
    )


def switched_off(config: str) -> bool:
    """Whether hooks are off altogether."""
    features = _table(_settings(config), "features")
    return features.get("hooks", features.get("codex_hooks")) is False


def _settings(config: str) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(files.read(config).decode())
    except (MemcliError, ValueError):
        return {}


def _table(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = settings.get(name)
    return value if isinstance(value, dict) else {}
