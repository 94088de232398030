"""Which text looks like a secret, and which only looks like work."""

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.api import Vault
from memcli.entries import no_secrets
from memcli.entries.text import secret_forms, secret_values, secrets
from memcli.errors import SecretFound
from tests.conftest import EVERYTHING
from tests.entries.text.secret_kinds import FORMS, HARMLESS, OF_A_FORM, SECRETS, fill

# Put together here, so that no scanner takes this file for a leak.
_R36 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
OLDER = {
    "aws": "AKIA" + "Q3EGRSZXMNBV4L7K",
    "aws-temporary": "ASIA" + "Q3EGRSZXMNBV4L7K",
    "github": "ghp_" + _R36,
    "github-server": "ghs_" + _R36,
    "github-fine": "github_pat_" + _R36 + "_" + _R36,
    "gitlab": "glpat-" + "x7Kq2LmN9pRs4TuV6wYz",
    "slack": "xoxb-" + "2048173645-9182736450-aBcDeFgHiJkL",
    "slack-hook": "https://hooks.slack.com/services/T02AB/B03CD/"
    + "a" * 12
    + "B2c3D4e5F6g7",
    "google": "AIza" + "SyD4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T",
    "stripe": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "openai": "sk-" + "proj-" + "aB3dE5fG7hI9jK1lM3nO5pQ7",
    "anthropic": "sk-" + "ant-api03-" + "aB3dE5fG7hI9jK1lM3nO5pQ7",
    "npm": "npm_" + _R36,
    "pypi": "pypi-" + "AgEIcHlwaS5vcmcCJ" + _R36,
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
    "private-key": "-----BEGIN " + "OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk",
    "pem": "-----BEGIN " + "PRIVATE KEY-----",
    "url": "postgres://admin:" + "hunter22@db.internal/app",
    "env": "API_KEY=" + "9f8e7d6c5b4a39281706f5e4",
    "env-long-name": "MY_SERVICE_SECRET_KEY=" + "x9K2mQ7vL4pR8tW1",
    "yaml": "password: " + "Tr0ub4dor&3xkcd",
    "json": '{"access_token": "' + "x9K2mQ7vL4pR8tW1" + '"}',
    "python": "auth_token = '" + "x9K2mQ7vL4pR8tW1" + "'",
    "header": "Authorization: Bearer " + "x9K2mQ7vL4pR8tW1zB5n",
    "weak": "password: " + "Sunflower2024",
    "prose": "the password is " + "x9K2mQ7vL4pR8tW1",
}
EVERY = {**{f"older {name}": secret for name, secret in OLDER.items()}, **SECRETS}


def test_at_least_sixty_kinds_are_known() -> None:
    assert len({kind for kind, *_ in FORMS}) >= 60


@pytest.mark.parametrize("name", EVERY)
def test_a_secret_of_each_kind_is_found_and_never_repeated(name: str) -> None:
    text = f"one\ntwo\n{EVERY[name]}\nfour"
    (finding, *_) = secrets.find(text)
    assert finding.line == 3
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
        for row in FORMS
        for seed in range(20)
        if not secrets.find(fill(row[4], seed))
    ]
    assert missed == []


def test_what_only_looks_like_a_secret_is_none_and_is_mined_as_it_is() -> None:
    wrong = {text: found for text in HARMLESS if (found := secrets.find(text))}
    assert wrong == {}
    for clean in (no_secrets.redact, no_secrets.masked):
        assert [clean(text) for text in HARMLESS] == HARMLESS


@pytest.mark.parametrize("clean", [no_secrets.redact, no_secrets.masked])
def test_what_was_taken_out_is_not_found_again(clean: Callable[[str], str]) -> None:
    for name, secret in EVERY.items():
        text = clean(f"Always use\n{secret}\nplease")
        assert no_secrets.MARK in text, name
        assert secrets.find(text) == [], name


def test_every_secret_of_a_text_is_found_in_the_order_of_its_lines() -> None:
    text = "\n".join(OLDER[name] for name in ("aws", "github", "npm"))
    assert [finding.line for finding in secrets.find(text)] == [1, 2, 3]


@given(st.text(max_size=300))
def test_any_text_is_judged_without_an_error(text: str) -> None:
    secrets.find(text + " token: " + text)


@given(st.lists(st.from_regex(r"[a-z]{1,12}", fullmatch=True), max_size=30))
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


@pytest.mark.parametrize("field", ["text", "title", "tags", "excerpt"])
def test_save_refuses_a_secret_in_any_field_and_writes_nothing(
    vault: Vault, field: str
) -> None:
    secret = OLDER["github"]
    values = {"text": "harmless"}
    draft = vault.draft(values)
    changes: dict[str, dict[str, Any]] = {
        "text": {"body": secret},
        "title": {"title": secret},
        "tags": {"tags": (secret,)},
        "excerpt": {"source": draft.source._replace(excerpt=secret)},
    }
    with pytest.raises(SecretFound) as caught:
        vault.save(draft.replace(**changes[field]))
    assert secret not in str(caught.value)
    assert "--allow-secret" in (caught.value.hint or "")
    assert vault.recall("harmless").rows == []


def test_who_insists_saves_a_secret(vault: Vault) -> None:
    saved = vault.save(vault.draft({"text": OLDER["aws"]}), allow_secret=True)
    assert vault.get(saved.id).body == OLDER["aws"] + "\n"


_STARTS = [
    *("password", "PassPhrase", "pwd", "Kennwort", "mot de passe", "senha", "heslo"),
    *("wachtwoord", "pin", "Secret", "token", "credentials", "bearer", "API key"),
    *("access-key", "private_key", "encryption key", "signing-key", "master key"),
    *("session key", "psw", "pa\u017f\u017fword", "to\u212aen", "contrase\u00f1a"),
    *(
        " for the shop",
        " is ",
        ": ",
        "=",
        " -> ",
        "'",
        "hunter2x",
        "aB3dE6gH9",
        "\n",
        " ",
    ),
]


@given(st.lists(st.sampled_from(_STARTS), max_size=12).map("".join))
def test_a_sentence_is_found_at_each_place_where_the_whole_text_has_one(
    text: str,
) -> None:
    everywhere = [match.regs for match in re.finditer(secrets._SAID, text)]
    assert [match.regs for match in secrets._sentences(text)] == everywhere


def test_each_part_that_a_text_is_searched_for_holds_a_core() -> None:
    parts = [part for row in secret_forms.PHRASES for part in row[1]]
    for part in (*parts, *secrets._HINTS):
        assert any(core in part for core in secrets._CORES), part


# Of parts, halves of parts, words of prose, names in code, and words of any length.
_WORDS = [
    *secret_values._PARTS,
    *(part[: len(part) // 2] for part in secret_values._PARTS),
    *("internationalisation", "parse_arguments_of", "2026-11-22T10:00:00Z"),
    *("a" * 60, "A1" * 19, "A1" * 20, "x_" * 40),
]


@given(st.lists(st.sampled_from((*_STARTS, "A", "_KEY", ":=", "\r", "\t")), max_size=9))
def test_a_value_given_to_a_name_is_found_line_by_line(pieces: list[str]) -> None:
    text = "".join(pieces)
    whole = re.finditer(secrets._ASSIGNED, text, re.ASCII)
    everywhere = [match.regs for match in whole]
    assert [match.regs for match in secrets._assignments(text)] == everywhere


@given(st.lists(st.sampled_from(_WORDS), max_size=6))
def test_long_words_looked_at_together_are_judged_as_each_alone(
    words: list[str],
) -> None:
    secret_values._HARMLESS.clear()
    alone = [secret_values.may_hold_secret([word]) for word in words]
    assert secret_values.may_hold_secret(words) == any(alone), "when some are known"
    secret_values._HARMLESS.clear()
    assert secret_values.may_hold_secret(words) == any(alone), "when none is known"
    assert secret_values.may_hold_secret(words) == any(alone), (
        "when it was asked before"
    )


@pytest.mark.parametrize(
    "text",
    [
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
