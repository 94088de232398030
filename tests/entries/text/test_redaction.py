"""What is mined keeps no secret, and keeps its words."""

import random
import string
import time

import pytest

from memcli.entries.no_secrets import MARK, redact

RANDOM = random.Random(7)


def noise(length: int, letters: str = string.ascii_letters + string.digits) -> str:
    return "".join(RANDOM.choice(letters) for _ in range(length))


SECRETS = {
    "an OpenAI key": "sk-proj-" + noise(40),
    "an Anthropic key": "sk-ant-api03-" + noise(60),
    "a GitHub token": "ghp_" + noise(36),
    "a fine-grained token": "github_pat_" + noise(22) + "_" + noise(59),
    "an AWS key id": "AKIA" + noise(16, string.ascii_uppercase + string.digits),
    "a Slack token": "xoxb-" + noise(12, string.digits) + "-" + noise(24),
    "a Stripe key": "sk_live_" + noise(24),
    "a Google key": "AIza" + noise(35),
    "an npm token": "npm_" + noise(36),
    "a web token": f"eyJ{noise(20)}.eyJ{noise(40)}.{noise(43)}",
    "noise": noise(40),
}
FRAMES = (
    "always use {} when you deploy",
    "From now on the key is `{}`, remember it",
    'export API_KEY="{}"',
    "curl -H 'Authorization: Bearer {}' https://example.org",
    "never commit ({}), please",
)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_taken_out_of_any_sentence(name: str, frame: str) -> None:
    found = redact(frame.format(SECRETS[name]))
    assert SECRETS[name] not in found
    assert MARK in found


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my password is hunter2!", "hunter2"),
        ("the password for staging is correcthorse", "correcthorse"),
        ("Passwort: geheim123", "geheim123"),
        ("password=tr0ub4dor&3", "tr0ub4dor"),
        ("postgres://bob:s3cr3tpw@db.example.org/x", "s3cr3tpw"),
        ("aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzz", "wJalrXUtnFEMI"),
    ],
)
def test_a_password_is_taken_out(text: str, secret: str) -> None:
    assert secret not in redact(text)


def test_a_private_key_is_taken_out_whole() -> None:
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\n" + "\n".join(
        noise(64) for _ in range(8)
    )
    for text in (f"use {key}\n-----END OPENSSH PRIVATE KEY-----\nthanks", f"use {key}"):
        found = redact(text)
        assert not any(line in found for line in key.splitlines())
    assert redact(f"use {key}\n-----END OPENSSH PRIVATE KEY-----\nthanks").endswith(
        "thanks"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Always run `pytest -q` before you commit, never skip it.",
        "the token is expired, so the password is required again",
        "fixed in 2f48298aabbccddeeff001122334455667788990 and a1b2c3d",
        "see https://example.org/team/project/pull/186/files#diff-01 for it",
        "the record 550e8400-e29b-41d4-a716-446655440000 is the one",
        "use CreateDateColumnMigrationHelperForSharedTables in src/shares/share_key_entity.ts",
        "rename my_very_long_function_name_for_tokens to get_user_token_v2",
        "the secret is to keep functions short",
    ],
)
def test_what_is_no_secret_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


def _seconds(text: str) -> float:
    """The CPU time of a look, the least of three on a machine that is busy."""
    times = []
    for _ in range(3):
        start = time.process_time()
        redact(text)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("piece", ["/", "sk-", "password: "])
def test_ten_times_the_line_takes_ten_times_as_long(piece: str) -> None:
    # A rule that takes the square of a line's length takes a hundred times as long.
    short, long = (_seconds("x " + piece * (n // len(piece))) for n in (2_000, 20_000))
    assert long <= 15 * short + 0.1
