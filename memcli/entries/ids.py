"""Ids, the file names that are made from titles, and the names of projects.

Invariant: identity is the id; slugs are for people and may repeat. An id that was made
later sorts later. Every command imports this module, so what only some need (digests,
unicodedata) is imported where it is used, and the patterns are left to the cache of
`re`, which compiles them at their first use.
"""

from __future__ import annotations

import re
import zlib

from memcli.errors import InvalidValue

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

ID_LENGTH = 16
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_LENGTH = 9  # 45 bits of milliseconds last until the year 3084
LAST_MS = 35_154_431_999_999
"""The last moment of the year 3083."""
_ID = "[0-9a-hjkmnp-tv-z]{16}"


def new_id(now_ms: int, entropy: Callable[[int], bytes]) -> str:
    """Return a fresh id that sorts after every id of an earlier millisecond.

    Args:
        now_ms: milliseconds since 1970, UTC.
        entropy: gives that many random bytes (`os.urandom`).
    """
    if not 0 <= now_ms < 1 << 45:
        raise ValueError(f"not a time of this era: {now_ms} ms")
    random = int.from_bytes(entropy(5), "big")
    return _base32(now_ms, _TIME_LENGTH) + _base32(random, ID_LENGTH - _TIME_LENGTH)


def adopted_id(path: str) -> str:
    """Return the id of a note that carries none: drawn from its vault-relative path.

    macOS hands out decomposed names, Linux what was written: NFC makes them one.
    No id of `new_id` starts with `z` before the year 3050.
    """
    import unicodedata

    from memcli.entries import identity

    name = unicodedata.normalize("NFC", path).encode("utf-8", "surrogatepass")
    number = int.from_bytes(identity.sha256(name)[:10], "big")
    return "z" + _base32(number, ID_LENGTH - 1)


def is_adopted(entry_id: str) -> bool:
    """Tell whether an id was drawn from a path."""
    return entry_id.startswith("z")


def is_id(text: str) -> bool:
    """Tell whether the text has the form of a whole id."""
    return re.fullmatch(_ID, text) is not None


def id_time(entry_id: str) -> int:
    """Return the milliseconds since 1970 that an id of `new_id` was made at."""
    number = 0
    for letter in entry_id[:_TIME_LENGTH]:
        number = number << 5 | _ALPHABET.index(letter)
    return number


def _base32(number: int, length: int) -> str:
    return "".join(
        _ALPHABET[number >> shift & 31] for shift in range(5 * length - 5, -1, -5)
    )


# --- slugs ----------------------------------------------------------------------

_SLUG_LENGTH = 60
# Letters that no Unicode decomposition takes apart.
_LATIN = str.maketrans("øłđðħı", "olddhi", "'’") | {
    ord(letter): two for letter, two in (("æ", "ae"), ("œ", "oe"), ("þ", "th"))
}
# Windows opens a device for these names, with any ending.
_RESERVED = r"con|prn|aux|nul|(?:com|lpt)[0-9]"


def slug(title: str, length: int = _SLUG_LENGTH) -> str:
    """Return a file name for a title: `^[a-z0-9-]+$`, at most so many characters.

    Equal titles give equal slugs; different ones may, too. Never empty.
    """
    folded = title.casefold()
    if not folded.isascii():
        import unicodedata

        folded = unicodedata.normalize("NFKD", folded)
    folded = folded.translate(_LATIN)
    words = re.sub("[^a-z0-9]+", "-", re.sub("[\u0300-\u036f]", "", folded))
    words = shortened(words.strip("-"), length, "-").strip("-")
    latin = any("a" <= letter <= "z" for letter in words)
    # What is left of a Chinese title with a number in it would be the number.
    if not words or not (latin or not any(map(str.isalpha, folded))):
        from memcli.entries import identity

        name = " ".join(title.split()).encode("utf-8", "surrogatepass")
        return "note-" + identity.sha256(name).hex()[:8]
    return words + "-note" if re.fullmatch(_RESERVED, words) else words


def shortened(text: str, length: int, gap: str) -> str:
    """Shorten at a gap between words, or inside a word longer than half of it."""
    if len(text) <= length:
        return text
    head = text[: length + 1]
    at = head.rfind(gap)
    return head[:at] if at > length // 2 else text[:length]


# --- names of projects ----------------------------------------------------------


NONE = "none"
"""The word for "no project": what has none holds everywhere."""

HERE, ANY = "here", "any"
"""The words of a filter: this project and what holds everywhere; all projects."""

LONGEST = 200
_SIGNS = frozenset("._~+%@:-/")


def is_name(text: str) -> bool:
    """Whether a text may be a project's name."""
    return (
        len(text) <= LONGEST
        and text == text.lower()
        and text not in (NONE, HERE, ANY)
        and all(sign.isalnum() or sign in _SIGNS for sign in text)
        and all(text.split("/"))
        and any(map(str.isalnum, text))
    )


def check_project(value: str) -> str:
    """Return a project's name in lower case, or raise InvalidValue."""
    name = value.strip().lower()
    if is_name(name):
        return name
    raise InvalidValue(
        f"not a project's name: {value[:60]!r}",
        hint="A name has no spaces, such as github.com/acme/shop; `none` means "
        "everywhere.",
        code="invalid_project",
    )


def number(name: str | None) -> int:
    """The number of a project in 32 bits, never 0; 0 for no project: everywhere."""
    return 0 if not name else zlib.crc32(name.encode("utf-8", "replace")) or 1


def holds(project: int, here: int) -> bool:
    """Whether what was learned in a project holds here; both as `number` gives them."""
    return project in (0, here)
