"""Which text looks like a secret, and which only looks like work."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.api import Vault
from memcli.entries import no_secrets
from memcli.entries.shipped import our_folder
from memcli.entries.text import secrets
from tests.conftest import EVERYTHING
from tests.entries.text.secret_kinds import (
    BEGINNINGS,
    FORMS,
    HARMLESS,
    OF_A_FORM,
    SECRETS,
    SERVICES,
    fill,
)

# Put together here, so that no scanner takes this file for a leak.
_R36 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
GITHUB = "ghp_" + _R36
PLAIN = Path(our_folder("words"), "ordinary.txt").read_text("utf-8").split()


def test_a_secret_of_each_kind_is_found_and_never_repeated() -> None:
    for name, secret in SECRETS.items():
        text = f"one\ntwo\n{secret}\nfour"
        found = [one.line for one in secrets.find(text)][:1] or [0]
        assert 3 <= found[0] <= 3 + secret.count("\n"), name
        for start, end, kind in secrets.spans(text):
            assert text[start:end] not in kind


def test_a_form_is_called_by_its_kind() -> None:
    called = {
        name: {finding.kind for finding in secrets.find(secret)}
        for name, secret in OF_A_FORM.items()
    }
    assert {n: c for n, c in called.items() if n.partition(" #")[0] not in c} == {}


def test_a_form_does_not_depend_on_the_noise_in_it() -> None:
    missed = [
        (row[0], seed)
        for row in FORMS + SERVICES
        for seed in range(20)
        if not secrets.find(fill(row[1], seed))
    ]
    assert missed == []


def test_a_key_with_a_beginning_of_its_own_is_found() -> None:
    assert [name for name, key in BEGINNINGS.items() if not secrets.find(key)] == []


def test_what_only_looks_like_a_secret_is_none_and_is_mined_as_it_is() -> None:
    wrong = {text: found for text in HARMLESS if (found := secrets.find(text))}
    assert wrong == {}
    for clean in (no_secrets.redact, no_secrets.masked):
        assert [clean(text) for text in HARMLESS] == HARMLESS


@pytest.mark.parametrize("clean", [no_secrets.redact, no_secrets.masked])
def test_what_was_taken_out_is_not_found_again(clean: Callable[[str], str]) -> None:
    for name, secret in SECRETS.items():
        text = clean(f"Always use\n{secret}\nplease")
        assert no_secrets.MARK in text, name
        assert secrets.find(text) == [], name


def test_every_secret_of_a_text_is_found_in_the_order_of_its_lines() -> None:
    text = "\n".join([GITHUB, "npm_" + _R36, f"password: {_R36}"])
    assert [finding.line for finding in secrets.find(text)] == [1, 2, 3]


@given(st.text(max_size=300))
def test_any_text_is_judged_without_an_error(text: str) -> None:
    secrets.find(text + " token: " + text)


@given(st.lists(st.sampled_from(PLAIN), max_size=30))
def test_plain_words_are_never_a_secret(words: list[str]) -> None:
    assert secrets.find("the token and the password " + " ".join(words)) == []


# What a pattern begins with, what it waits for, and what it stops at.
_PIECES = [
    *("token: 1-a1-", "token", "a.", "://", "a://b:", "-----BEGIN ", "PRIVATE KEY "),
    *(
        "-----BEGIN PRIVATE KEY-----",
        "-----END ",
        "-----BEGIN PRIVATE KEY----------END ",
    ),
    *(
        "sk-",
        "-eyJ",
        "eyJaaaaaaaa.",
        "curl ",
        "curl -u ",
        "mysql ",
        "mysql -u a ",
        "xox",
    ),
    *("password for ", "password for a a ", "the password is ", "passphrase ", "a='"),
    *('a="', "a`", "password=", "password:=", "PASSWORD", "seed phrase: ", "word, "),
    *("login a password ", "--password", "--a-", "?key=", "&a_key=", '"auth": "', "=["),
    *("basic ", "Bearer ", "otpauth://", "?secret=", "data:", "data:a;base64,", "a-b-"),
    *('variable "a_token" {', "openssl enc -k ", "a:5432:", "authtoken ", "aB"),
    *("Private-Lines: 1\n", "A" * 40 + "\n", "0x", "AZaz09+/", "1:", "SG.", "\u200b"),
    *("\\u200b", "ｐ", "𝐩", "é", "Q~", "....", "hf_", "\n", " ", "\t", "'", "\\", "${"),
]


def _seconds(text: str) -> float:
    start = time.process_time()
    no_secrets.redact(text)  # every pattern of `find`, and those of mining
    return time.process_time() - start


@pytest.mark.slow
def test_no_repetition_makes_the_time_grow_faster_than_the_text() -> None:
    # What takes the square takes 100 times as long for 10 times the text, and minutes
    # for 300 KB; the bound leaves room for a machine that is busy. A tenth of that
    # is enough to see it, and `make test-all` takes all.
    size = 300_000 if EVERYTHING else 30_000
    slow = []
    for piece in _PIECES:
        count = size // len(piece)
        short, long = (
            _seconds("key " + piece * (count // 10)),
            _seconds("key " + piece * count),
        )
        if long > 25 * short + 0.5:
            slow.append((piece, short, long))
    assert slow == []


def test_a_text_of_nothing_but_secrets_is_counted_in_linear_time() -> None:
    start = time.process_time()
    assert len(secrets.find("password=tr0ub4dor\n" * 15_000)) == 15_000
    assert time.process_time() - start < 20


@given(st.lists(st.sampled_from([*_PIECES, *SECRETS.values()]), max_size=12))
def test_what_is_masked_would_be_saved(pieces: list[str]) -> None:
    assert secrets.find(no_secrets.masked("".join(pieces))) == []


def test_who_insists_saves_a_secret(vault: Vault) -> None:
    saved = vault.save(GITHUB, allow_secret=True)
    assert vault.get(saved.id).body == GITHUB + "\n"


@pytest.mark.parametrize(
    "text",
    [
        "Das Passwort ist abgelaufen. Das Passwort ist normal.",
        "Le mot de passe est obligatoire.",
        "La contrase\u00f1a es obligatoria.",
        "Has\u0142o jest wymagane.",
        "Il la parola \u00e8 lunga.",
        "Salasana on pakollinen.",
        "\u30d1\u30b9\u30ef\u30fc\u30c9\u306fvault\u306b\u3042\u308a\u307e\u3059\u3002",
    ],
)
def test_what_a_password_is_like_in_another_language_is_saved(text: str) -> None:
    assert not secrets.find(text)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my password is hunter2!", "hunter2"),
        ("the password for staging is correcthorse", "correcthorse"),
        ("Passwort: geheim123", "geheim123"),
        ("password=tr0ub4dor&3", "tr0ub4dor"),
        ("postgres://bob:s3cr3tpw@db.example.org/x", "s3cr3tpw"),
        ("| user | password |\n|---|---|\n| bob | sunflower |", "sunflower"),
        ("host,password\ndb,Kestrel7!vole", "Kestrel7!vole"),
        ("| service | api key |\n|---|---|\n| maps | 4kd93mXz81qWb7Tn |", "4kd93mXz81"),
        ("the staging login is bob / Kestrel7!vole", "Kestrel7!vole"),
        ("aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzz", "wJalrXUtnFEMI"),
    ],
)
def test_a_password_is_taken_out(text: str, secret: str) -> None:
    assert secrets.find(text)
    assert secret not in no_secrets.redact(text)


def test_a_private_key_is_taken_out_whole() -> None:
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\n" + "\n".join(
        fill("ghp_~36~", seed) for seed in range(8)
    )
    for text in (f"use {key}\n-----END OPENSSH PRIVATE KEY-----\nthanks", f"use {key}"):
        found = no_secrets.redact(text)
        assert not any(line in found for line in key.splitlines())
    assert no_secrets.redact(
        f"use {key}\n-----END OPENSSH PRIVATE KEY-----\nthanks"
    ).endswith("thanks")
