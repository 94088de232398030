"""Digests are those of `hashlib`, with and without the modules that it stands on."""

import hashlib
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries import identity


@given(st.binary(max_size=200), st.integers(1, 64), st.binary(max_size=64))
def test_a_digest_is_hashlibs(data: bytes, size: int, key: bytes) -> None:
    theirs = hashlib.blake2b(data, digest_size=size, key=key).digest()
    assert identity.blake2b(data, size, key) == theirs
    assert identity.sha1(data) == hashlib.sha1(data).digest()
    assert identity.sha256(data) == hashlib.sha256(data).digest()


def test_a_python_without_these_modules_asks_hashlib(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = identity.blake2b(b"a", 8), identity.sha1(b"a"), identity.sha256(b"a")
    for name in ("_blake2", "_sha1", "_sha2", "_sha256"):
        monkeypatch.setitem(sys.modules, name, None)
    identity._function.cache_clear()
    found = identity.blake2b(b"a", 8), identity.sha1(b"a"), identity.sha256(b"a")
    identity._function.cache_clear()
    assert found == wanted


def test_a_module_that_there_is_not_is_looked_for_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_for: list[str] = []

    class Finder:
        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            looked_for.append(name)

    monkeypatch.setattr(sys, "meta_path", [Finder, *sys.meta_path])
    monkeypatch.setattr(identity, "_MODULES", {"sha256": ("_no_such_module",)})
    identity._function.cache_clear()
    found = [identity.sha256(b"a"), identity.sha256(b"a")]
    identity._function.cache_clear()
    assert found == [hashlib.sha256(b"a").digest()] * 2
    assert looked_for.count("_no_such_module") == 1
