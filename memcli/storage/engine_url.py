"""The URL of a database in the user's config, and what may be shown of it.

Invariant: pure; what is shown never holds a password.
"""

from __future__ import annotations

import re

_HOST = r"(?:\[[0-9A-Fa-f:.%]*\]|[^\s:/?#@,\[\]]*)(?::[0-9]*)?"
# As text: few users have a database, and compiling it takes .5 ms of every start.
_URL = (
    r"(?P<scheme>postgres(?:ql)?)://(?:(?P<user>[^\s:/?#@]*)(?::[^/@]*)?@)?"
    rf"(?P<hosts>{_HOST}(?:,{_HOST})*)(?P<name>/[^\s/?#@]*)?(?:[?#].*)?"
)


def is_url(text: str) -> bool:
    """Whether a text names a PostgreSQL database."""
    return text.startswith(("postgresql://", "postgres://"))


def redacted(url: str) -> str:
    """The URL without its password, its query, and what cannot be read as a URL.

    A URL that can be read in two ways is not shown: libpq takes `?` and `#` in a
    password, and a password that holds `/` or `@` ends at another place for each
    reader of URLs.

    >>> redacted("postgresql://ada:s3cret@db.acme.com:5432/memory?password=x")
    'postgresql://ada@db.acme.com:5432/memory'
    >>> redacted("postgresql://ada:s3c/ret@db.acme.com/memory")
    'the database'
    """
    parts = re.fullmatch(_URL, url, re.DOTALL)
    if parts is None or url.count("@") > (parts["user"] is not None):
        return "the database"
    user = f"{parts['user']}@" if parts["user"] else ""
    return f"{parts['scheme']}://{user}{parts['hosts']}{parts['name'] or ''}"


def without_secrets(text: str, url: str) -> str:
    """What a library said, on one line and without the password of the URL."""
    from urllib.parse import unquote

    text = text.replace(url, "\0")  # what is shown instead is not masked in turn
    found = re.findall(r"//[^/@:]*:([^/@]*)@|password=([^&\s]*)", url)
    secrets = {one for pair in found for one in pair if one}
    if redacted(url) == "the database":  # each part may be one of the password's
        _, _, behind = url.partition("://")[2].partition(":")
        secrets.update(one for one in re.split(r"[/?#@:&=]", behind) if one)
        secrets.add(behind.rpartition("@")[0] or behind)
    for secret in sorted(secrets - {""}, key=len, reverse=True):
        for spelling in (secret, unquote(secret)):
            text = text.replace(spelling, "***")
    return " ".join(text.replace("\0", redacted(url)).split())
