"""The URL of a database in the user's config, and what may be shown of it.

Invariant: pure; what is shown never holds a password.
"""

import re


def is_url(text: str) -> bool:
    """Whether a text names a PostgreSQL database."""
    return text.startswith(("postgresql://", "postgres://"))


def redacted(url: str) -> str:
    """The URL without its password, its query, and what cannot be read as a URL.

    >>> redacted("postgresql://ada:s3cret@db.acme.com:5432/memory?password=x")
    'postgresql://ada@db.acme.com:5432/memory'
    """
    from urllib.parse import urlsplit

    if not is_url(url):
        return "the database"
    try:
        parts = urlsplit(url)
    except ValueError:
        return "the database"
    user, _, host = parts.netloc.rpartition("@")
    name = user.partition(":")[0]
    return f"{parts.scheme}://{name + '@' if name else ''}{host}{parts.path}"


def without_secrets(text: str, url: str) -> str:
    """What a library said, on one line and without the password of the URL."""
    from urllib.parse import unquote

    text = text.replace(url, redacted(url))
    secrets = re.findall(r"//[^/@]*?:([^/]*)@|password=([^&\s]*)", url)
    for secret in sorted({one for pair in secrets for one in pair if one}, key=len):
        for spelling in (secret, unquote(secret)):
            text = text.replace(spelling, "***")
    return " ".join(text.split())
