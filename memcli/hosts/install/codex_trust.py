"""Which of its hooks Codex trusts, as its config.toml says.

Invariant: only reads. Codex runs a hook that nobody has trusted as if it were not
there, and says nothing. It keeps a hash of each trusted one by place: a hook that was
changed or moved is not trusted any more. How the hash is made is Codex's own business,
so a hook that has one is only said to have been trusted once.
"""

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from memcli.errors import MemcliError
from memcli.hosts.install.jsonc import Path
from memcli.storage import files


def untrusted(config: str, path: str, hooks: Iterable[Path]) -> list[str]:
    """Names of the events whose hooks Codex does not run.

    Args:
        config: the path of Codex's config.toml.
        path: the file of the hooks.
        hooks: where they stand in it, as ("hooks", event, group, "hooks", number).
    """
    state = _table(_table(_settings(config), "hooks"), "state")
    names = {path, os.path.realpath(path)}
    found = []
    for _, event, group, _, number in hooks:
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(event)).lower()
        known = [
            _table(state, f"{name}:{snake}:{group}:{number}") for name in sorted(names)
        ]
        if not any(
            one.get("trusted_hash") and one.get("enabled") is not False for one in known
        ):
            found.append(str(event))
    return found


def trusts_project(config: str, root: str) -> bool:
    """Whether Codex reads what this project brings."""
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
    found = settings.get(name)
    return found if isinstance(found, dict) else {}
