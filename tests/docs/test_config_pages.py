"""The config that a new vault gets, and the page about it, name the real settings."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from memcli.entries import layout
from memcli.storage import settings
from memcli.storage.settings import Config
from tests.conftest import ROOT
from tests.saving import write

PAGE = (ROOT / "docs" / "reference" / "config.md").read_text(encoding="utf-8")
TEMPLATE = (ROOT / "vault-template" / layout.CONFIG).read_text(encoding="utf-8")
SHOWN = {
    "page": re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[0],
    "template": re.sub(r"^# (?=\w+ = )", "", TEMPLATE, flags=re.MULTILINE),
}
SETTINGS = {
    "vault": {"kinds"},
    "limits": {"body", "lock_wait"},
    "reflections": {"invariant", "derived"},
    "injection": set(settings.Injection._fields),
    "memory": set(settings.Memory._fields),
    "signals": {"log"},
    "actions": {"enabled"},
    "sessions": {"ask_agent"},
}


@pytest.mark.parametrize("where", SHOWN)
def test_what_is_shown_is_the_default(where: str, tmp_path: Path):
    write(tmp_path, layout.CONFIG, SHOWN[where])
    shown = settings.load(str(tmp_path))
    assert shown.kinds
    assert shown._replace(kinds=()) == Config()


@pytest.mark.parametrize("where", SHOWN)
def test_every_setting_that_is_shown_is_read(where: str):
    tables: dict[str, dict[str, Any]] = tomllib.loads(SHOWN[where])
    assert {name: set(table) for name, table in tables.items()} == SETTINGS
