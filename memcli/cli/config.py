"""`memcli config`: the settings of the user and of a vault."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Context, Result, check_words, said
from memcli.cli.rows import listed
from memcli.errors import VaultNotFound
from memcli.sessions import judge
from memcli.storage import known_vaults, user_config
from memcli.vault import config as use_case

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Literal

    from memcli.vault.vault import Vault


CHECKS = [known_vaults.configured, judge.configured, user_config.auto_sync]
"""The readers of the user's config, which refuse what is not valid in it."""
# The words that an action takes.
_TAKES = {"get": "NAME", "set": "NAME VALUE...", "unset": "NAME"}


def config(
    context: Context,
    action: Literal["list", "get", "set", "unset"] | None = None,
    words: list[str] | None = None,
) -> Result:
    """Show settings, or change one

    Those of the vault (limits.body, memory.review_mode, agents.NAME.policy, ...), where
    a change is a commit, and your own (default-vault, vaults.NAME.path, mining.judge,
    ...). A value that is not valid is refused. docs/reference/config.md explains each.

    \b
    Example:
      memcli config
      memcli config set injection.chars 6000
      memcli config set vaults.platform.path ~/platform-memory
      memcli config unset injection.chars

    Options:
        action: `[ACTION]` list (if not given), get, set, unset
        words: `[NAME] [VALUE]...` A setting, and its value
    """
    action, words = action or "list", words or []
    check_words(f"memcli config {action}", _TAKES.get(action, ""), words)
    user = action != "list" and use_case.meant(words[0])[0] == use_case.USER
    vault = None if user else _vault(context, changes=action in ("set", "unset"))
    if action == "list":
        return listed(
            "settings",
            use_case.listed(vault, context.environ),
            "setting=name value from",
            {
                "value": lambda one: _value(one.value),
                "from": lambda one: one.scope if one.is_set else "default",
            },
            empty="No settings.",
        )
    if action == "get":
        setting = use_case.get(vault, words[0], context.environ)
        return said(setting._asdict(), _value(setting.value), style="")
    value = words[1:] if action == "set" else None
    context.owner_only("the config is for its owner to change")
    done = use_case.put(vault, words[0], value, context.environ, CHECKS)
    setting = done.setting
    verb = action if done.changed else "unchanged"
    shown = _value(setting.value) or "none"
    data = {**setting._asdict(), "path": done.path, "changed": done.changed}
    return said(data, f"{verb} {setting.name} = {shown} in {done.path}")


def _vault(context: Context, *, changes: bool) -> Vault | None:
    try:
        return context.open_vault("reading", writes=changes)
    except VaultNotFound:
        if changes or context.vault:
            raise
        return None


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
