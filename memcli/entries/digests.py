"""Digests as `hashlib` makes them, without OpenSSL, which `hashlib` loads: 4 ms.

Invariant: pure; the same bytes have the same digest as by `hashlib`.
"""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# What `hashlib` itself takes where there is no OpenSSL: modules of CPython's own, by
# the names that they have from 3.12 on and had before.
_MODULES = {"blake2b": ("_blake2",), "sha1": ("_sha1",), "sha256": ("_sha2", "_sha256")}

# OpenSSL takes an eighth of the time: of so many bytes it saves what loading it takes.
_WORTH_OPENSSL = 2_000_000


def blake2b(data: bytes, size: int, key: bytes = b"") -> bytes:
    """The BLAKE2b digest of so many bytes."""
    return _made("blake2b", data, digest_size=size, key=key)


def sha1(*parts: bytes | memoryview[int]) -> bytes:
    """The SHA-1 digest, by which git names what it keeps, of parts behind another."""
    made = _function("sha1")(usedforsecurity=False)
    if sum(map(len, parts)) > _WORTH_OPENSSL:
        import hashlib

        made = hashlib.sha1(usedforsecurity=False)
    for part in parts:
        made.update(part)
    digest: bytes = made.digest()
    return digest


def sha256(data: bytes) -> bytes:
    """The SHA-256 digest."""
    return _made("sha256", data)


def _made(name: str, data: bytes, **options: Any) -> bytes:
    made: bytes = _function(name)(data, **options).digest()
    return made


# Python remembers modules that it found, but not that one is missing: `_sha2`
# was looked for on the whole path twice for each file of a vault, a sixth of its time.
@cache
def _function(name: str) -> Callable[..., Any]:
    """The function that makes digests of this name."""
    found: Callable[..., Any]
    for module in (*_MODULES[name], "hashlib"):
        try:
            found = getattr(__import__(module), name)
        except ImportError:
            continue
        break
    return found
