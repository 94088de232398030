"""Which text looks like a secret, and which only looks like work."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.api import Vault
from memcli.entries.text import secrets
from memcli.errors import SecretFound

# Put together here, so that no scanner takes this file for a leak.
_R36 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SECRETS = {
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
HARMLESS = {
    "ticket": "rotate the token OPS-589106 before the release",
    "ticket-colon": "token: OPS-589106",
    "ticket-long": "the secret PLATFORM-20394 is fixed",
    "uuid": "the key 123e4567-e89b-12d3-a456-426614174000 names the row",
    "uuid-token": "token: 7f9c24e8-3b12-4fef-91e0-56f2d8c5a1b3",
    "git-hash": "the key commit is da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "git-hash-after-token": "token da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "short-hash": "reverted the secret 9fabd2138c",
    "url": "see https://example.com/docs/token?page=12&x=9",
    "url-user": "clone ssh://git@github.com/org/repo.git",
    "url-port": "http://localhost:8080/key@v2",
    "url-after-token": "token: https://example.com/a1b2c3d4e5",
    "placeholder": "export API_KEY=YOUR_API_KEY",
    "placeholder-1": "API_KEY=YOUR_API_KEY_1234",
    "placeholder-angle": "password: <password-123>",
    "placeholder-env": "token: ${GITHUB_TOKEN_V2}",
    "placeholder-dollar": "password=$DB_PASSWORD_2",
    "placeholder-x": "token=xxxxxxxx1234",
    "placeholder-changeme": "password: changeme123",
    "env-name": "the token is read from os.environ['GITHUB_TOKEN2']",
    "prose": "passwords are hashed with argon2id and the token expires",
    "prose-key": "the primary key is (tenant_id, created_at)",
    "path": "the key config/settings-2024.toml holds it",
    "date": "token 2026-11-21T10:00:00Z expired",
    "version": "token v1.10.2-beta.4",
    "function": "call token refresh_token_v2() first",
    "keyboard": "press the key Ctrl+Shift+F12",
    "sha256": "key sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f0",
    "public-key": "-----BEGIN PUBLIC KEY-----",
    "sk-word": "risk-based authentication-with-step-up for everyone",
    "css": "use sk-toggleable content",
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_of_each_form_is_found(name: str) -> None:
    assert secrets.find(f"first line\n{SECRETS[name]}\n")


@pytest.mark.parametrize("name", SECRETS)
def test_a_finding_names_the_line_and_never_the_secret(name: str) -> None:
    secret = SECRETS[name]
    (finding, *_) = secrets.find(f"one\ntwo\n{secret}\nfour")
    assert finding.line == 3
    assert not any(len(part) > 7 and part in finding.kind for part in secret.split())


@pytest.mark.parametrize("name", HARMLESS)
def test_what_only_looks_like_a_secret_is_none(name: str) -> None:
    assert secrets.find(HARMLESS[name]) == []


def test_every_secret_of_a_text_is_found_in_the_order_of_its_lines() -> None:
    text = "\n".join(SECRETS[name] for name in ("aws", "github", "npm"))
    assert [finding.line for finding in secrets.find(text)] == [1, 2, 3]


@given(st.text(max_size=300))
def test_any_text_is_judged_without_an_error(text: str) -> None:
    secrets.find(text + " token: " + text)


@given(st.lists(st.from_regex(r"[a-z]{1,12}", fullmatch=True), max_size=30))
def test_plain_words_are_never_a_secret(words: list[str]) -> None:
    assert secrets.find("the token and the password " + " ".join(words)) == []


def test_long_text_is_judged_in_linear_time() -> None:
    for text in (
        "token: " + "1-a1-" * 40 + "!",
        "token" * 20_000,
        "a." * 50_000 + "token",
        "://" + "a" * 100_000,
    ):
        secrets.find(text)


@pytest.mark.parametrize("field", ["text", "title", "tags", "excerpt"])
def test_save_refuses_a_secret_in_any_field_and_writes_nothing(
    vault: Vault, field: str
) -> None:
    secret = SECRETS["github"]
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
    saved = vault.save(vault.draft({"text": SECRETS["aws"]}), allow_secret=True)
    assert vault.get(saved.id).body == SECRETS["aws"] + "\n"
