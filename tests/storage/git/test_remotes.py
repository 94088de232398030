"""The name of a remote, read from git's files without starting git."""

import os
from pathlib import Path

import pytest

from memcli.storage.git import on_disk

SHOP = "github.com/acme/shop"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("git@github.com:acme/shop.git", SHOP),
        ("git@GitHub.com:acme/shop", SHOP),
        ("ssh://git@github.com/acme/shop.git", SHOP),
        ("ssh://git@ssh.github.com:443/acme/shop.git", SHOP),
        ("git+ssh://git@github.com/acme/shop.git", SHOP),
        ("https://github.com/acme/shop.git", SHOP),
        ("https://github.com//acme/./shop.git", SHOP),
        ("HTTPS://GITHUB.COM/Acme/Shop.GIT", SHOP),
        ("https://github.com:443/acme/shop.git", SHOP),
        ("https://user:ghp_secret@github.com/acme/shop.git", SHOP),
        ("https://a@b:secret@github.com/acme/shop", SHOP),
        ("https://github.com/acme/shop.git?access_token=secret", SHOP),
        (" https://github.com/acme/shop.git ", SHOP),
        ("git@gitlab.com:a/b/c/d.git", "gitlab.com/a/b/c/d"),
        ("git@host.example:~me/shop.git", "host.example/~me/shop"),
        ("ssh://git@[2001:db8::1]:22/shop.git", "2001:db8::1/shop"),
        ("git@[2001:db8::1]:shop.git", "2001:db8::1/shop"),
        ("git@ssh.dev.azure.com:v3/acme/web/shop", "dev.azure.com/acme/web/shop"),
        (
            "https://acme@dev.azure.com/acme/web/_git/shop",
            "dev.azure.com/acme/web/shop",
        ),
        ("https://host.example/größe.git", "host.example/größe"),
        # No name: what names no server, or may hold a secret.
        ("https://user:se/cret@github.com/acme/shop", None),
        ("https://user:123/cret@github.com/acme/shop", None),
        ("https://github.com", None),
        ("https://github.com/../shop", None),
        ("https://host.example/a b.git", None),
        ("https://host.example/a\x1b[31m.git", None),
        ("https://" + "a" * 300 + "/shop", None),
        ("https://host.example/" + "a/" * 5_000, None),
        ("ext::sh -c touch% pwned", None),
        ("codecommit::eu-west-1://shop", None),
        ("user:secret@github.com:acme/shop", None),
        ("github.com:acme@x/shop", None),
        ("file:///srv/git/shop.git", None),
        ("/srv/git/shop.git", None),
        ("../shop.git", None),
        (r"C:\git\shop.git", None),
        ("", None),
    ],
)
def test_a_remote_has_one_name_however_it_is_written(url: str, name: str | None):
    assert on_disk.name_of(url) == name


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/srv/git/shop.git", "/srv/git/shop"),
        ("/srv/git/shop/.git", "/srv/git/shop"),
        ("/srv/git/shop/", "/srv/git/shop"),
        ("file:///srv/git/shop.git", "/srv/git/shop"),
        ("file://host/srv/git/shop.git", "/srv/git/shop"),
        ("../shop.git", "/home/me/shop"),
        ("https://github.com/acme/shop", None),
        ("git@github.com:acme/shop", None),
        ("ext::sh -c true", None),
    ],
)
def test_a_remote_on_this_machine_is_a_folder(url: str, path: str | None):
    assert on_disk.local_path(url, "/home/me/web") == path


def repository(folder: Path, config: str) -> str:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (folder / ".git" / "config").write_text(config, encoding="utf-8")
    return str(folder)


def url_in(folder: str) -> str | None:
    found = on_disk.with_remote(folder)
    assert found is not None
    return found.url


@pytest.mark.parametrize(
    ("config", "url"),
    [
        ('[remote "origin"]\n\turl = https://a.example/x\n', "https://a.example/x"),
        ('[Remote "origin"]\nURL=https://a.example/x', "https://a.example/x"),
        ('[remote "origin"]\r\nurl = https://a.example/x\r\n', "https://a.example/x"),
        (
            '[remote "b"]\nurl = https://b.example/x\n'
            '[remote "origin"]\nurl = https://a.example/x\nurl = https://c.example/x\n',
            "https://a.example/x",
        ),
        ('[remote "mine"]\nurl = https://b.example/x\n', "https://b.example/x"),
        (
            '[remote "z"]\nurl = https://z.example/x\n'
            '[remote "b"]\nurl = https://b.example/x\n',
            "https://b.example/x",
        ),
        ('# [remote "origin"]\n; url = https://a.example/x\n', None),
        ("[core]\nurl = https://a.example/x\n", None),
        ('[remote "origin"]\npushurl = https://a.example/x\n', None),
        ("[remote \n url\n ===\n[[[[\n\x00\n", None),
        ("", None),
    ],
)
def test_the_remote_is_read_from_the_config(
    config: str, url: str | None, tmp_path: Path
):
    assert url_in(repository(tmp_path, config)) == url


def test_a_config_that_is_too_large_or_no_file_names_no_remote(tmp_path: Path):
    line = '[remote "origin"]\nurl = https://a.example/x\n'
    assert url_in(repository(tmp_path / "large", line + "#" * 1_000_000)) is None
    piped = repository(tmp_path / "piped", "")
    os.unlink(f"{piped}/.git/config")
    os.mkfifo(f"{piped}/.git/config")
    assert url_in(piped) is None


def test_a_pipe_in_the_place_of_git_stops_nothing(tmp_path: Path):
    os.mkfifo(tmp_path / ".git")
    found = on_disk.with_remote(str(tmp_path))
    assert found is None or found.top != str(tmp_path)


def test_a_config_of_many_long_lines_is_read_in_time(tmp_path: Path):
    noise = '[remote "' + "\\" * 100_000 + '\n[url "' + '"' * 100_000 + "\nurl = "
    assert url_in(repository(tmp_path, noise + '"' * 200_000)) is None
