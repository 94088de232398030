"""Remotes: their addresses, what is shown of these, and which one a repository has,
read from git's own files without starting git.

Invariant: what a repository says is data. Each read has a limit and takes regular files
only, nothing that is named is run, contacted or included, and no name that comes out
holds a user, a password or a token. The same remote gives the same name, whether it is
written for ssh or https, and in which case. An address that would make git start a
program of the address's choice (`ext::`, `fd::`, a helper) is refused, and so is one
that git could take for an option.
"""

from __future__ import annotations

import os
import re

from memcli.entries.ids import is_name
from memcli.errors import InvalidValue, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.git import tip
from memcli.storage.git.tip import shared_folder

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Bytes of a config; one with a thousand branches has 100,000.
_LARGEST = 1_000_000
_LONGEST_URL = 2_000

_SCHEMES = frozenset(
    ("ssh", "git", "http", "https", "ftp", "ftps", "git+ssh", "ssh+git", "git+https")
)
# The same servers under other names, where a firewall lets only port 443 through.
_SAME_HOST = {
    "www.github.com": "github.com",
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}


ALLOWED = "file:git:http:https:ssh"
"""The value of `GIT_ALLOW_PROTOCOL`: git refuses every other transport, also one that a
short form (`url.X.insteadOf`) or a config leads to."""

# git's other spellings of ssh.
_TAKEN = frozenset({*ALLOWED.split(":"), "git+ssh", "ssh+git"})
# As text: a recall that needs none of them does not compile them.
_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*(?=://)"
# `helper::address` starts the program git-remote-helper.
_HELPER = r"[A-Za-z0-9][A-Za-z0-9+.-]*::"
# Their user is a name, and their path is taken as it is.
_USERS = frozenset({"ssh", "git+ssh", "ssh+git", "file"})
# `user@server/path?query`, read in the only way: server and path.
_PLAIN = r"(?:[^@/?#]*@)?([^@/?#]*(?:/[^@?#]*)?)(?:[?#][^@]*)?"


class Repository(NamedTuple):
    """A repository around a folder.

    Attributes:
        top: the folder of its work tree.
        home: the folder of the first work tree, which all of them share.
        url: of its remote, as git would use it; None without one.
    """

    top: str
    home: str
    url: str | None


def find(folder: str, environ: Mapping[str, str]) -> Repository | None:
    """The repository around a folder, with the remote `origin`, else the first by name.

    Args:
        folder: any folder.
        environ: where the user's own git config lies, which may hold short forms.
    """
    found = tip.find(folder)
    if found is None:
        return None
    top, git_dir = found
    shared = shared_folder(git_dir)
    is_usual = os.path.basename(shared) == ".git"
    home = os.path.dirname(shared) if is_usual else shared
    settings = list(_settings(os.path.join(shared, "config")))
    urls: dict[str, str] = {}
    for section, name, key, value in settings:
        if (section, key) == ("remote", "url") and value:
            urls.setdefault(name, value)
    if not urls:
        return Repository(top, home, None)
    url = urls.get("origin") or urls[min(urls)]
    if not _names_server(url):
        url = _expanded(url, settings, environ)
    return Repository(top, home, url)


def name_of(url: str) -> str | None:
    """The name of a remote: its server and path; None for a path on this machine.

    >>> name_of("git@github.com:Acme/Shop.git")
    'github.com/acme/shop'
    >>> name_of("https://user:token@github.com:443/acme/shop/")
    'github.com/acme/shop'
    """
    if len(url) > _LONGEST_URL or "::" in url.partition("/")[0].partition("[")[0]:
        return None  # `ext::...` names a program
    server, path = _parted(url.strip())
    if not server:
        return None
    server = server.lower().rstrip(".")
    server = _SAME_HOST.get(server, server)
    parts = path.replace("\\", "/").split("/")
    parts = [part for part in parts if part not in ("", ".")]
    # A user's token that stands before a mistaken slash.
    if not parts or any(part == ".." or "@" in part for part in parts):
        return None
    if server == "dev.azure.com":
        parts = [part for part in parts if part not in ("v3", "_git")]
    name = "/".join([server, *parts]).lower()
    name = name.removesuffix(".git").rstrip("/") if len(parts[-1]) > 4 else name
    return name if is_name(name) else None


def local_path(url: str, top: str) -> str | None:
    """The folder that a remote on this machine names, without its `.git`."""
    scheme, is_url, rest = url.partition("://")
    if is_url:
        if scheme.lower() != "file":
            return None
        url = "/" + rest.partition("/")[2]
    elif len(url) > _LONGEST_URL or "::" in url or _parted(url)[0]:
        return None
    path = os.path.normpath(os.path.join(top, url))
    if os.path.basename(path) == ".git":
        path = os.path.dirname(path)
    return path.removesuffix(".git")


def _parted(url: str) -> tuple[str, str]:
    """(server, path) of a remote; no server when it is a path.

    Without patterns, which a hook would have to compile.
    """
    scheme, is_url, rest = url.partition("://")
    if is_url:
        if scheme.lower() not in _SCHEMES:
            return "", ""
        authority, _, path = _without_query(rest).partition("/")
        server, port = _server(authority.rpartition("@")[2])
        return (server, path) if not port or port.isdigit() else ("", "")
    user, is_named, place = url.partition("@")
    server, path = _server(url if not is_named or "/" in user else place)
    # One letter is a drive.
    is_place = path and "/" not in server and "@" not in server and len(server) > 1
    return (server, _without_query(path)) if is_place else ("", "")


def _server(text: str) -> tuple[str, str]:
    """A server, which may stand in brackets, and what comes after its colon."""
    if text.startswith("["):
        server, _, rest = text[1:].partition("]")
        return server, rest.removeprefix(":")
    server, _, rest = text.partition(":")
    return server, rest


def _without_query(text: str) -> str:
    return text.partition("?")[0].partition("#")[0]


def _names_server(url: str) -> bool:
    """Whether a remote names a server in full, so that no short form stands in it."""
    server, _ = _parted(url)
    return "." in server or server.lower() == "localhost" or "/" in url[:2]


def _expanded(
    url: str, settings: Iterable[tuple[str, str, str, str]], environ: Mapping[str, str]
) -> str:
    """A remote with the longest `url.*.insteadOf` that it begins with replaced."""
    user = (each for path in _user_configs(environ) for each in _settings(path))
    rules = {
        short: name
        for section, name, key, short in (*user, *settings)
        if (section, key) == ("url", "insteadof") and short and url.startswith(short)
    }
    if not rules:
        return url
    short = max(rules, key=len)
    return rules[short] + url[len(short) :]


def _user_configs(environ: Mapping[str, str]) -> Iterable[str]:
    named = environ.get("GIT_CONFIG_GLOBAL")
    if named is not None:
        return (named,) if named else ()
    home = environ.get("HOME") or os.path.expanduser("~")
    folder = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return os.path.join(folder, "git", "config"), os.path.join(home, ".gitconfig")


def may_filter(git_dir: str) -> bool:
    """Whether a repository's own settings may name a program that filters files, or a
    file of more settings."""
    places = (shared_folder(git_dir), "config"), (git_dir, "config.worktree")
    for place_of in places:
        try:
            said = files.read(os.path.join(*place_of), limit=_LARGEST).lower()
        except Unreadable as error:
            if isinstance(error.__cause__, FileNotFoundError):
                continue
            return True
        if b"filter" in said or b"include" in said:
            return True
    return False


def _settings(path: str) -> Iterable[tuple[str, str, str, str]]:
    """(section, subsection, key, value) of each line of a git config.

    Sections and keys in lower case. What is not understood is passed over; a config
    that cannot be read has no settings.
    """
    try:
        text = files.read(path, limit=_LARGEST).decode("utf-8", "replace")
    except Unreadable:
        return
    section = name = ""
    for line in text.replace("\\\r\n", "").replace("\\\n", "").splitlines():
        line = line.strip()
        if line.startswith("["):
            section, name, line = _header(line)
        key, is_set, value = line.partition("=")
        if is_set and section in ("remote", "url"):
            yield section, name, key.strip().lower(), _value(value)


def _header(line: str) -> tuple[str, str, str]:
    """(section, subsection, the rest of the line) of a line that begins one."""
    words, quote, rest = line[1:].partition('"')
    if not quote or "]" in words:
        section, _, rest = line[1:].partition("]")
        section, _, name = section.strip().partition(".")  # the older form
        return section.lower(), name, rest
    # The subsection ends at a quote that is not escaped.
    end = rest.find('"')
    while end > 0 and rest[end - 1] == "\\":
        end = rest.find('"', end + 1)
    if end < 0:
        return "", "", ""
    name = rest[:end].replace('\\"', '"').replace("\\\\", "\\")
    return words.strip().lower(), name, rest[end + 1 :].partition("]")[2]


def _value(text: str) -> str:
    """A value without its quotes and its comment."""
    if not set('"#;\\').intersection(text):
        return text.strip()
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"|([^"#;]+)|([#;].*)', text)
    value = "".join(quoted or plain for quoted, plain, _ in parts)
    return re.sub(r"\\(.)", r"\1", value).strip()


# --- an address that a user gives ------------------------------------------------


class Remote(NamedTuple):
    """A remote, and the branch of it that a local branch goes with.

    Attributes:
        name: as `git remote` lists it.
        address: as the config has it; may hold a password.
        branch: the branch of the remote.
    """

    name: str
    address: str
    branch: str

    @property
    def shown(self) -> str:
        """The address for messages, without a password."""
        return shown_of(self.address)

    @property
    def tracking(self) -> str:
        """The ref under which the last fetch left the remote's branch."""
        return f"refs/remotes/{self.name}/{self.branch}"


def checked(address: str) -> str:
    """The address without surrounding blanks.

    Raises:
        InvalidValue: git would run a program for it, take it for an option, or cannot
            use it.
    """
    address = address.strip()
    hint = "Give a folder, ssh (git@host:path) or https."
    reason = ""
    scheme = re.match(_SCHEME, address)
    host = address.partition("://")[2].partition("/")[0]
    if not scheme and not is_folder(address):
        host = address.partition(":")[0]
    host = host.rpartition("@")[2]
    if not address:
        reason = "is empty"
    elif len(address) > _LONGEST_URL:
        reason = f"is longer than {_LONGEST_URL:,} characters"
    elif address.startswith("-"):
        reason = "begins with '-', so git would take it for an option"
    elif any(ord(letter) < 32 or ord(letter) == 127 for letter in address):
        reason = "holds a control character"
    elif re.match(_HELPER, address):
        reason = "names a program that git would start"
    elif scheme and scheme[0].lower() not in _TAKEN:
        reason = f"has the transport '{scheme[0]}', which memcli does not use"
    elif host.startswith("-"):
        reason = "names a host that begins with '-', which ssh would take for an option"
    if reason:
        shown = (
            shown_of(address) if len(address) <= _LONGEST_URL else address[:40] + "…"
        )
        raise InvalidValue(
            f"the remote {shown!r} {reason}", hint=hint, code="invalid_remote"
        )
    return address


def is_folder(address: str) -> bool:
    """Whether an address is a path on this machine, as git decides it.

    >>> is_folder("/mnt/usb/memory.git"), is_folder("git@host:memory.git")
    (True, False)
    """
    if re.match(_SCHEME, address):
        return False
    if re.match(r"[A-Za-z]:[\\/]", address):  # a drive
        return True
    before, colon, _ = address.partition(":")
    return not colon or "/" in before


def shown_of(address: str) -> str:
    """An address for messages: without a password, a token or a query.

    Where a password may end at several places, the server is not shown either.

    >>> shown_of("https://me:secret@example.com/memory.git?token=1")
    'https://example.com/memory.git'
    >>> shown_of("git@example.com:memory.git")
    'git@example.com:memory.git'
    >>> shown_of("https://me:sec/ret@example.com/memory.git")
    'https://***'
    """
    scheme = re.match(_SCHEME, address)
    if scheme is None:
        before, colon, path = address.partition(":")
        if not is_folder(address) and "@" in path:  # me:secret@host:path
            return f"{before}{colon}***"
        return address
    rest = address[scheme.end() + 3 :]
    if scheme[0].lower() not in _USERS:
        plain = re.fullmatch(_PLAIN, rest)
        return f"{scheme[0]}://{plain[1] if plain else '***'}"
    authority, slash, path = rest.partition("/")
    if ":" in authority and "@" in path:
        return f"{scheme[0]}://***"
    user, _, server = authority.rpartition("@")
    if ":" not in user:
        server = authority  # the user of ssh is no secret
    return f"{scheme[0]}://{server}{slash}{path}"


def masked(text: str) -> str:
    """A text with each address in it as it may be shown.

    >>> masked("unable to access 'https://me:secret@example.com/x?token=1': refused")
    "unable to access 'https://example.com/x': refused"
    """
    return re.sub(
        r"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"]+", lambda found: shown_of(found[0]), text
    )
