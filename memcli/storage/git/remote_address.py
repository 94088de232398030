"""The address of a remote: what memcli hands to git, and what it shows of it.

Invariant: pure. An address that would make git start a program of the address's choice
(`ext::`, `fd::`, a helper) is refused, and so is one that git could take for an option.
What is shown holds no password and no token.
"""

from __future__ import annotations

import re

from memcli.errors import InvalidValue
from memcli.named_tuple import NamedTuple

ALLOWED = "file:git:http:https:ssh"
"""The value of `GIT_ALLOW_PROTOCOL`: git refuses every other transport, also one that a
short form (`url.X.insteadOf`) or a config leads to."""

# git's other spellings of ssh.
_SCHEMES = frozenset({*ALLOWED.split(":"), "git+ssh", "ssh+git"})
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?=://)")
# `helper::address` starts the program git-remote-helper.
_HELPER = re.compile(r"[A-Za-z0-9][A-Za-z0-9+.-]*::")
# Their user is a name, and their path is taken as it is.
_USERS = frozenset({"ssh", "git+ssh", "ssh+git", "file"})
# `user@server/path?query`, read in the only way: server and path.
_PLAIN = re.compile(r"(?:[^@/?#]*@)?([^@/?#]*(?:/[^@?#]*)?)(?:[?#][^@]*)?")
_LONGEST = 2_000


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
    scheme = _SCHEME.match(address)
    if not address:
        reason = "is empty"
    elif len(address) > _LONGEST:
        reason = f"is longer than {_LONGEST:,} characters"
    elif address.startswith("-"):
        reason = "begins with '-', so git would take it for an option"
    elif any(ord(letter) < 32 or ord(letter) == 127 for letter in address):
        reason = "holds a control character"
    elif _HELPER.match(address):
        reason = "names a program that git would start"
    elif scheme and scheme[0].lower() not in _SCHEMES:
        reason = f"has the transport '{scheme[0]}', which memcli does not use"
    elif _host(address).startswith("-"):
        reason = "names a host that begins with '-', which ssh would take for an option"
    if reason:
        shown = shown_of(address) if len(address) <= _LONGEST else address[:40] + "…"
        raise InvalidValue(
            f"the remote {shown!r} {reason}", hint=hint, code="invalid_remote"
        )
    return address


def is_folder(address: str) -> bool:
    """Whether an address is a path on this machine, as git decides it.

    >>> is_folder("/mnt/usb/memory.git"), is_folder("git@host:memory.git")
    (True, False)
    """
    if _SCHEME.match(address):
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
    scheme = _SCHEME.match(address)
    if scheme is None:
        before, colon, path = address.partition(":")
        if not is_folder(address) and "@" in path:  # me:secret@host:path
            return f"{before}{colon}***"
        return address
    rest = address[scheme.end() + 3 :]
    if scheme[0].lower() not in _USERS:
        plain = _PLAIN.fullmatch(rest)
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


def _host(address: str) -> str:
    """The server that an address names, '' for a folder."""
    scheme = _SCHEME.match(address)
    if scheme:
        authority = address[scheme.end() + 3 :].partition("/")[0]
        return authority.rpartition("@")[2]
    if is_folder(address):
        return ""
    return address.partition(":")[0].rpartition("@")[2]
