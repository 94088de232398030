"""Defects of the systems that these verbs come from, which stand in no other test."""

from typing import TYPE_CHECKING, Any

import pytest

from memcli import Vault

if TYPE_CHECKING:
    from collections.abc import Callable


def test_times_are_utc_in_every_zone(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    if hasattr(time, "tzset"):
        time.tzset()
    try:
        old = vault.save("one").id
        new = vault.evolve(old, "two").id
        vault.resolve(new)
    finally:
        monkeypatch.undo()
        if hasattr(time, "tzset"):
            time.tzset()
    times = {vault.get(old).updated, vault.get(new).created, vault.get(new).resolved_at}
    assert times == {"2026-11-21T12:00:00Z"}


def test_a_duplicate_is_looked_up_and_not_scanned_for(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memcli.entries import codec

    drafts = [vault.draft({"text": f"memory number {n}"}) for n in range(200)]
    vault.save_all(drafts)
    vault.recall("memory")
    read: list[Any] = []
    real: Callable[..., Any] = codec.decode

    def counted(data: bytes, path: str, **options: Any) -> Any:
        read.append(path)
        return real(data, path, **options)

    monkeypatch.setattr(codec, "decode", counted)
    again = vault.save("Memory  number 150")
    assert again.outcome == "duplicate"
    assert {*read} == {again.path}
