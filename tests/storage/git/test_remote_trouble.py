"""What git and ssh say of a failing remote becomes the right error, and no secret."""

import pytest

from memcli.storage.git import on_disk, remote
from memcli.storage.git.on_disk import Remote
from memcli.storage.git.process import TOO_SLOW, GitResult
from memcli.storage.git.remote import refusal, trouble

SERVER = Remote("origin", "https://me:hunter2@example.com/m.git?key=hunter2", "main")
SSH = "fatal: Could not read from remote repository."


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("ssh: Could not resolve hostname x: Name or service not known\n" + SSH,
         "remote_unreachable"),
        ("fatal: unable to access 'https://x/': Failed to connect to x port 443",
         "remote_unreachable"),
        ("error: RPC failed; HTTP 503\nThe requested URL returned error: 503",
         "remote_unreachable"),
        ("git@x: Permission denied (publickey).\n" + SSH, "remote_refused"),
        ("remote: Invalid username or password.\nfatal: Authentication failed for "
         "'https://me:hunter2@example.com/m.git/'", "remote_refused"),
        ("ERROR: Repository not found.\n" + SSH, "remote_refused"),
        ("fatal: transport 'ext' not allowed", "remote_refused"),
        ("", "remote_refused"),
    ],
)  # fmt: skip
def test_each_failure_has_its_code(said: str, code: str) -> None:
    error = trouble(GitResult(128, b"", said.encode()), SERVER)
    assert error.code == code
    assert error.exit_code == (75 if code == "remote_unreachable" else 1)
    assert "hunter2" not in f"{error.message} {error.hint}"
    assert "https://example.com/m.git" in error.message


def test_a_git_that_memcli_has_ended_is_too_slow_or_too_large() -> None:
    slow = trouble(GitResult(TOO_SLOW, b""), SERVER)
    large = trouble(GitResult(remote.TOO_LARGE, b""), SERVER)
    assert (slow.code, large.code) == ("remote_unreachable", "too_large")


def test_counting_is_no_message() -> None:
    said = b"Enumerating objects: 9, done.\nCounting objects:  10% (1/9)\rCounting "
    said += b"objects: 100% (9/9)\nTotal 9 (delta 0), reused 0 (delta 0)\nfatal: x\n"
    assert remote.without_progress(said) == "fatal: x"


def test_the_reason_of_a_push_is_that_of_its_report() -> None:
    ref = "refs/heads/main"
    report = b"To /x\n!\tmain:refs/heads/main\t[rejected] (fetch first)\nDone\n"
    assert refusal(report, ref) == "[rejected] (fetch first)"
    assert refusal(b"=\tmain:refs/heads/main\t[up to date]\nDone\n", ref) is None
    assert refusal(b"To /x\nDone\n", ref) == ""


@pytest.mark.parametrize(
    ("address", "folder"),
    [
        ("/mnt/usb/m.git", True),
        ("C:\\m.git", True),
        ("a/b:c", True),
        ("host:m.git", False),
        ("[::1]:m.git", False),
        ("ssh://host/m.git", False),
        ("file:///mnt/m.git", False),
    ],
)
def test_a_folder_is_told_from_a_server(address: str, folder: bool) -> None:
    assert on_disk.checked(f" {address} ") == address
    assert on_disk.is_folder(address) is folder


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://gitlab/x.git?private_token=S3CRET", "https://gitlab/x.git"),
        ("https://me:S3/CRET@h/x", "https://***"),
        ("https://me:S3?CRET@h/x", "https://***"),
        ("https://h/x?token=S3@CRET", "https://***"),
        ("me:S3CRET@h:x", "me:***"),
        ("ssh://me:S3CRET@h/x", "ssh://h/x"),
        ("ssh://me:S3/CRET@h/x", "ssh://***"),
        ("ssh://git@h:22/x", "ssh://git@h:22/x"),
        ("git@h:x", "git@h:x"),
        ("file:///mnt/a@b/x", "file:///mnt/a@b/x"),
        ("/mnt/a:b@c", "/mnt/a:b@c"),
    ],
)
def test_no_part_of_a_password_or_token_of_a_remote_is_shown(
    address: str, shown: str
) -> None:
    assert on_disk.shown_of(address) == shown
    if "://" in address:
        assert on_disk.masked(f"fatal: '{address}'") == f"fatal: '{shown}'"
