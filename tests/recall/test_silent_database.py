"""A database that gives no answer keeps one call waiting, and not those after it."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from memcli.errors import Unavailable
from memcli.search.postgres import connection, engine
from memcli.sessions.hooks import tell
from memcli.storage import known_vaults
from memcli.vault.caller import Caller
from memcli.vault.vault import Vault
from memcli.vault.vaults import Vaults
from tests.conftest import VaultMaker
from tests.saving import configure

URL = "postgresql://ada:s3cret@db.acme.com/memory"
ASKED = "postgresql://ada@db.acme.com/memory gave no answer in time"


@pytest.fixture
def tries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The URLs of databases that were asked, in their order; none of them answers."""
    asked: list[str] = []

    def connect(url: str, _patience: float | None) -> Any:
        asked.append(url)
        raise psycopg.OperationalError("connection timeout expired")

    monkeypatch.setattr(connection, "_connect", connect)
    monkeypatch.setattr(engine, "LONG", 0.0)  # as if that had taken three seconds
    return asked


@pytest.fixture
def at(make_vault: VaultMaker, home: Path) -> Callable[..., Caller]:
    """A user with a vault of files and one in a database; who asks at a second."""
    known_vaults.set_default_vault(make_vault("own").root, os.environ)
    configure(home, f"[vaults.company]\nengine = '{URL}'\n")
    return lambda second, **others: Caller(
        environ=os.environ, now_ms=lambda: second * 1000, **others
    )


def test_a_silent_database_is_asked_again_after_a_minute(
    at: Callable[..., Caller], tries: list[str]
) -> None:
    Vaults.open(caller=at(1000))
    assert len(tries) == 1
    for second, left in ((1000, 60), (1012, 48), (1059, 1)):
        (warning,) = Vaults.open(caller=at(second)).warnings
        again = f"{ASKED} {second - 1000} s ago; it is asked again in {left} s"
        assert warning == f"team:company was not asked: {again}"
    assert len(tries) == 1
    Vaults.open(caller=at(1060))
    assert len(tries) == 2
    (warning,) = Vaults.open(caller=at(1061)).warnings
    assert "1 s ago" in warning


def test_a_person_who_names_it_has_it_asked(
    at: Callable[..., Caller], tries: list[str]
) -> None:
    Vaults.open(caller=at(1000))
    for number in (2, 3):
        with pytest.raises(Unavailable, match="connection timeout expired"):
            Vaults.open("company", caller=at(1001))
        assert len(tries) == number
    with pytest.raises(Unavailable, match="1 s ago") as caught:
        Vaults.open("company", caller=at(1002, waits=False))  # as a call over MCP
    assert len(tries) == 3
    assert "--vault NAME" in (caught.value.hint or "")


def test_a_note_of_another_time_or_that_is_damaged_counts_as_none(
    at: Callable[..., Caller], tries: list[str]
) -> None:
    Vaults.open(caller=at(1000))
    Vaults.open(caller=at(999))  # the clock was set back
    assert len(tries) == 2
    place = known_vaults.configured(os.environ)["company"]
    for number, text in ((3, b""), (4, b"x"), (5, b"9" * 90), (6, b"9" * 5000)):
        Path(place.path, "silent").write_bytes(text)
        Vaults.open(caller=at(1001))
        assert len(tries) == number


def test_what_fails_at_once_is_asked_each_time(
    at: Callable[..., Caller], tries: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "LONG", 60.0)
    for number in (1, 2):
        (warning,) = Vaults.open(caller=at(1000)).warnings
        assert warning.endswith("connection timeout expired")
        assert len(tries) == number


def test_hooks_do_not_wait_for_it_either(
    at: Callable[..., Caller], tries: list[str]
) -> None:
    Vaults.open(caller=at(1000))
    own = Vault.open(None, at(1010))
    own.read(lambda reader: reader.size)
    place = known_vaults.configured(os.environ)["company"]
    until = time.monotonic() + 30
    _, silent = tell.ask([place], lambda *_: None, own=own, until=until)
    assert len(tries) == 1
    assert f"{ASKED} 10 s ago" in silent["team:company"]
