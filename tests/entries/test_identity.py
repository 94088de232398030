"""Equal texts are equal, equal claims are one claim."""

import hashlib
import re
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.entries import identity
from memcli.entries.identity import claim, fingerprint, strict_key


@settings(max_examples=200)
@given(st.text())
def test_a_fingerprint_does_not_see_layout(text: str) -> None:
    loose = "\r\n\n  ".join(text.split("\n")) + " \n"
    assert fingerprint(loose) == fingerprint(text)
    assert re.fullmatch("[0-9a-f]{16}", fingerprint(text))


def test_a_fingerprint_sees_words_and_lines() -> None:
    assert fingerprint("Café  Noir") == fingerprint("cafe\u0301 noir")
    assert fingerprint("a b") != fingerprint("a\nb")
    assert fingerprint("a.") != fingerprint("a")


def test_a_strict_key_does_not_see_markup() -> None:
    plain = strict_key("Never run terraform apply by hand")
    for text in (
        "Never run [terraform apply](tools/a.md) by hand",
        "<b>Never</b> run terraform apply by hand",
        "<!-- n -->\nNever run terraform apply by hand",
        "Never run terraform&nbsp;apply by hand",
        "Never run terraform apply by hand \u2705",
        '# Never run [terraform](a.md "b") apply by hand[^1] #',
        "> [!warning]- Never run terraform apply by hand",
        "> [!note]\n> Never run terraform apply by hand",
        r"Never run \*terraform\* apply by hand",
        "Never run [[tools/terraform|terraform]] apply by hand",
        "Never run ==terraform apply== by hand",
        "- [ ] **TODO:** never run terraform apply by hand",
        "TODO(anna): never run terraform apply by hand",
        "Never run terraform apply by hand. #infra",
        "#infra #ops\n\nNever run terraform apply by hand",
        "| Never run terraform apply by hand |",
        "Never run terraform apply by hand ^1b-x",
        "Never run terraform apply by hand #infra #ops",
    ):
        assert strict_key(text) == plain
    assert strict_key(r"snake\_case") == strict_key("snake_case")
    assert strict_key("a==b and c==d") != strict_key("a b and c d")
    assert strict_key("Ask in #deploys") != strict_key("Ask in")
    assert strict_key("Use #fff #eee") != strict_key("Use")
    assert strict_key("The TODO list") != strict_key("The list")
    assert strict_key("cat a | sh") != strict_key("cat a sh")
    assert strict_key("List<String> fits") != strict_key("List fits")


def test_a_text_of_tags_has_its_strict_key_in_linear_time() -> None:
    started = time.process_time()
    assert strict_key("#a " * 20_000 + "x").endswith("#a x")
    assert strict_key("#a" + " " * 50_000 + "x") == "#a x"
    assert time.process_time() - started < 2


def test_a_strict_key_sees_the_claim_alone() -> None:
    wanted = "pin typer it's slow"
    assert strict_key("- “Pin” typer — it’s\n  SLOW.") == wanted
    assert strict_key("1. [x] «pin» typer – it's slow!!") == wanted
    assert strict_key("# Pin *typer*; **it's** `slow`") == wanted
    assert strict_key("Straße") == strict_key("STRASSE")
    assert strict_key("缓存是错的，对吗？") == strict_key("缓存是错的对吗")


@pytest.mark.parametrize(
    "pair",
    [
        *("C C++ C#", ".env env", "1.5 15", "-x x", "a!=b a==b", "$HOME HOME"),
        *(
            "10² 102",
            "*.py .py py",
            "`*.py` `.py`",
            "~/bin /bin",
            "≤ ≥ ✅",
            "👎 👍",
            "|x x",
        ),
        *("→ ←", "❌ x", "[it](https://a.b/1) [it](https://a.b/2) [it](a.md)"),
    ],
)
def test_a_strict_key_tells_apart_what_a_sign_tells_apart(pair: str) -> None:
    words = pair.split()
    keys = {strict_key(f"Never use {word} here") for word in words}
    assert len(keys) == len(words)


@settings(max_examples=200)
@given(st.text() | st.text("-*1.) \n[]x>ab!|^"))
def test_a_strict_key_is_the_key_of_itself(text: str) -> None:
    key = strict_key(text)
    assert strict_key(key) == key


@given(st.text(max_size=40))
def test_a_claim_is_equal_where_the_strict_key_is_equal(text: str) -> None:
    key = strict_key(text)
    assert claim(key) == claim(text) == claim(f"- {text}") or not key


def test_a_claim_does_not_depend_on_the_kind_and_not_on_marks() -> None:
    assert claim("* “Rerank” is broken!") == claim('"rerank"  is broken')
    assert claim("Rerank is broken") != claim("Rerank is fixed")


# --- digests are those of `hashlib`, with and without the modules that it stands on ---


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
