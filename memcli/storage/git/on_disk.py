"""A repository as git's own files have it, read without git: where it is, its HEAD, its
remotes; and the addresses of remotes, and what is shown of them.

Invariant: reads only. Only a `.git` above or at a folder itself counts. A bare
repository among the notes (`HEAD`, `objects`, `config`), which git itself would take
for one, does not, or the author of the notes would choose what git runs. What these
files do not tell for sure is not told: the caller asks git then.

What a repository says is data. Each read has a limit and takes regular files only,
nothing that is named is run, contacted or included, and no name that comes out holds a
user, a password or a token. The same remote gives the same name, whether it is written
for ssh or https, and in which case. An address that would make git start a program of
the address's choice (`ext::`, `fd::`, a helper) is refused, and so is one that git
could take for an option.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from itertools import islice

from memcli.entries.ids import is_name
from memcli.errors import InvalidValue, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.vault_paths import walk

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def commit(git_dir: str) -> str:
    """The id of the commit that is checked out; empty where there is none, or where
    only git can tell: that of a branch that was packed, until its next commit."""
    name = branch(git_dir)
    if not name:
        return _commit_id(_line(os.path.join(git_dir, "HEAD")))
    return _commit_id(_line(os.path.join(shared_folder(git_dir), *name.split("/"))))


def branch(git_dir: str) -> str:
    """The name of the branch that is checked out, as in `refs/heads/main`; empty where
    HEAD is a commit, or not understood."""
    head = _line(os.path.join(git_dir, "HEAD"))
    name = head.removeprefix("ref: ")
    whole = name != head and name.startswith("refs/") and ".." not in name.split("/")
    return name if whole else ""


def _commit_id(text: str) -> str:
    """The text, where it is a whole id; else empty."""
    is_one = len(text) in (40, 64) and not text.strip("0123456789abcdef")
    return text if is_one else ""


def shared_folder(git_dir: str) -> str:
    """The folder that the work trees of a repository share; of most their own."""
    target = _line(os.path.join(git_dir, "commondir"))
    return os.path.normpath(os.path.join(git_dir, target)) if target else git_dir


def _line(path: str) -> str:
    try:
        data = files.read(path, limit=4_096)
    except Unreadable:
        return ""
    return data.decode(sys.getfilesystemencoding(), "surrogateescape").strip()


def find(root: str) -> tuple[str, str] | None:
    """(top of the work tree, git's own folder) of the repository around a folder.

    Both are absolute; None when there is none.
    """
    folder = os.path.realpath(root)
    while True:
        marker = os.path.join(folder, ".git")
        git_dir = marker if os.path.isdir(marker) else _linked(marker)
        if git_dir and os.path.lexists(os.path.join(git_dir, "HEAD")):
            return folder, git_dir
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _linked(marker: str) -> str:
    """The git folder that a `.git` file (work tree, submodule) points to, or ''."""
    text = _line(marker)
    target = text.removeprefix("gitdir:")
    if target == text:
        return ""
    return os.path.normpath(os.path.join(os.path.dirname(marker), target.strip()))


# --- its remotes ------------------------------------------------------------------

# Bytes of a config; one with a thousand branches has 100,000.
_LARGEST = 1_000_000
_LONGEST_URL = 2_000

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


class Repository(NamedTuple):
    """A repository around a folder.

    Attributes:
        top: the folder of its work tree.
        home: the folder of the first work tree, which all of them share.
        url: of its remote, as its config has it; None without one.
    """

    top: str
    home: str
    url: str | None


def with_remote(folder: str) -> Repository | None:
    """The repository around a folder, with the remote `origin`, else the first by name.

    The config is read as git writes it: each section and each value on its own line.
    """
    found = find(folder)
    if found is None:
        return None
    top, git_dir = found
    shared = shared_folder(git_dir)
    is_usual = os.path.basename(shared) == ".git"
    urls = _urls(os.path.join(shared, "config"))
    url = urls.get("origin") or (urls[min(urls)] if urls else None)
    return Repository(top, os.path.dirname(shared) if is_usual else shared, url)


def _urls(path: str) -> dict[str, str]:
    """The first address of each remote in a config; none of one that is unreadable."""
    urls: dict[str, str] = {}
    try:
        text = files.read(path, limit=_LARGEST).decode("utf-8", "replace")
    except Unreadable:
        return urls
    name = None
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("["):
            section, _, rest = line[1:].partition('"')
            is_remote = section.strip().lower() == "remote"
            name = rest.rpartition('"')[0] if is_remote else None
        key, _, value = line.partition("=")
        value = value.strip().strip('"')
        if name is not None and key.strip().lower() == "url" and value:
            urls.setdefault(name, value)
    return urls


def name_of(url: str) -> str | None:
    """The name of a remote: its server and path; None for a path on this machine.

    >>> name_of("git@github.com:Acme/Shop.git")
    'github.com/acme/shop'
    >>> name_of("https://user:token@github.com:443/acme/shop/")
    'github.com/acme/shop'
    """
    scheme, authority, path = _parted(url.strip())
    if len(url) > _LONGEST_URL or scheme not in _TAKEN or scheme == "file":
        return None
    server, port = _server(authority)
    server = server.lower().rstrip(".")
    server = _SAME_HOST.get(server, server)
    parts = _without_query(path).replace("\\", "/").split("/")
    parts = [part for part in parts if part not in ("", ".")]
    # A token may stand before a mistaken slash, and `helper::...` names a program.
    unclear = any(part == ".." or "@" in part for part in parts) or path[:1] == ":"
    if not server or not parts or unclear or not port.isdigit():
        return None
    if server == "dev.azure.com":
        parts = [part for part in parts if part not in ("v3", "_git")]
    name = "/".join([server, *parts]).lower()
    name = name.removesuffix(".git").rstrip("/") if len(parts[-1]) > 4 else name
    return name if is_name(name) else None


def local_path(url: str, top: str) -> str | None:
    """The folder that a remote on this machine names, without its `.git`."""
    scheme, _, path = _parted(url)
    if scheme not in ("", "file") or len(url) > _LONGEST_URL:
        return None
    path = os.path.normpath(os.path.join(top, "/" + path if scheme else path))
    if os.path.basename(path) == ".git":
        path = os.path.dirname(path)
    return path.removesuffix(".git")


def _parted(address: str) -> tuple[str, str, str]:
    """(scheme, user and server, path) of an address, as git decides what it is.

    The scheme is empty for a path on this machine, and ssh for `server:path`. Without
    patterns, which a hook would have to compile.
    """
    scheme, is_url, rest = address.partition("://")
    if is_url:
        authority, _, path = rest.partition("/")
        return scheme.lower(), authority, path
    before, colon, path = address.partition("]:" if "[" in address else ":")
    is_drive = len(before) == 1 and path[:1] in ("/", "\\")
    if not colon or "/" in before or is_drive:
        return "", "", address
    return "ssh", before + colon[:-1], path


def _server(authority: str) -> tuple[str, str]:
    """A server, which may stand in brackets, and its port, 0 where it has none."""
    server = authority.rpartition("@")[2]
    if server.startswith("["):
        server, _, port = server[1:].partition("]")
    else:
        server, colon, port = server.partition(":")
        port = colon + port
    return server, port[1:] if port else "0"


def _without_query(text: str) -> str:
    return text.partition("?")[0].partition("#")[0]


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
    scheme, authority, path = _parted(address)
    reason = ""
    if not address or len(address) > _LONGEST_URL:
        reason = "is empty, or too long"
    elif address.startswith("-") or authority.rpartition("@")[2].startswith("-"):
        reason = "begins with '-', as an option of git or ssh does"
    elif any(ord(letter) < 32 or ord(letter) == 127 for letter in address):
        reason = "holds a control character"
    elif path.startswith(":") or scheme not in ("", *_TAKEN):
        reason = "has a transport that memcli does not use"
    if reason:
        raise InvalidValue(
            f"the remote {shown_of(address)[:_LONGEST_URL]!r} {reason}",
            hint="Give a folder, ssh (git@host:path) or https.",
            code="invalid_remote",
        )
    return address


def is_folder(address: str) -> bool:
    """Whether an address is a path on this machine, as git decides it.

    >>> is_folder("/mnt/usb/memory.git"), is_folder("git@host:memory.git")
    (True, False)
    """
    return not _parted(address)[0]


def shown_of(address: str) -> str:
    """An address for messages: without a password, a token or a query.

    Where a password may end at several places, or be taken for a port, the server is
    not shown either.

    >>> shown_of("https://me:secret@example.com/memory.git?token=1")
    'https://example.com/memory.git'
    >>> shown_of("git@example.com:memory.git")
    'git@example.com:memory.git'
    >>> shown_of("https://me:sec/ret@example.com/memory.git")
    'https://***'
    """
    scheme, authority, path = _parted(address)
    if not scheme or (scheme == "file" and not authority):
        return address
    before, is_url, _ = address.partition("://")
    start = before + is_url if is_url else f"{authority}:"
    is_clear = not is_url or _server(authority)[1].isdigit()
    if "@" in path or _without_query(authority) != authority or not is_clear:
        return f"{start}***"
    path = _without_query(path)
    if not is_url:
        return start + path
    user, at, server = authority.rpartition("@")
    if ":" not in user and "ssh" in scheme:
        server = user + at + server  # the user of ssh is no secret
    return f"{start}{server}/{path}"


def masked(text: str) -> str:
    """A text with each address in it as it may be shown.

    >>> masked("unable to access 'https://me:secret@example.com/x?token=1': refused")
    "unable to access 'https://example.com/x': refused"
    """
    return re.sub(
        r"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"]+", lambda found: shown_of(found[0]), text
    )


# --- a git that does not end; asked of one that has been at work for a while -------

_OWN = ("index", "HEAD", "config", "packed-refs", "info/exclude", "info/attributes")
_RULES = (".gitignore", ".gitattributes")
_MOST = 2_000  # folders that are looked into


def pipe_in(env: Mapping[str, str]) -> str | None:
    """The path of a pipe or device in the place of a file that git reads, in the
    repository that an environment names; None when there is none."""
    for path in _read_by_git(env):
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            continue
        if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode) and not stat.S_ISDIR(mode):
            return path
    return None


def _read_by_git(env: Mapping[str, str]) -> Iterator[str]:
    git_dir, top = env.get("GIT_DIR"), env.get("GIT_WORK_TREE")
    if git_dir:
        yield from (os.path.join(git_dir, name) for name in _OWN)
        for kind in ("refs", "logs"):
            for folder, _, names in islice(walk(os.path.join(git_dir, kind)), _MOST):
                yield from (os.path.join(folder, name) for name in names)
    if top:
        for folder, folders, names in islice(walk(top), _MOST):
            folders[:] = sorted(name for name in folders if name != ".git")
            yield from (os.path.join(folder, name) for name in _RULES if name in names)
