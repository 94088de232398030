"""What a memory is: its fields, its ids, its slugs, and what they may hold.

Invariant: this module is a vocabulary. It touches no disk and no clock, and a value
that passed its checks needs no second look anywhere above it. Identity is the id;
slugs and titles are for people and may repeat.

Every command imports this module, so what only some need (hashlib, unicodedata,
difflib, datetime) is imported where it is used, and the patterns are left to the
cache of `re`, which compiles them at their first use: together they cost 3 ms.
"""
# ruff: noqa: RUF001 (look-alike quotes, dashes and letters are named on purpose)

import re
from collections.abc import Callable, Collection, Iterable
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from memcli.errors import InvalidValue

KINDS: tuple[str, ...] = (
    "note",
    "preference",
    "workflow",
    "fix",
    "decision",
    "event",
    "blocker",
    "action",
    "convention",
    "reference",
    "constraint",
    "lesson",
    "skill",
    "idea",
)


class Layer(StrEnum):
    """How far an entry is from what was seen."""

    FACT = "fact"
    OBSERVATION = "observation"
    MODEL = "model"


class Subtype(StrEnum):
    """What a model is: knowledge of one topic in order, a pattern that was found in
    reflection, or a page that people keep by hand."""

    STRUCTURAL = "structural"
    EMERGENT = "emergent"
    PINNED = "pinned"


class EntityType(StrEnum):
    """What an entry is about."""

    PERSON = "person"
    PROJECT = "project"
    SYSTEM = "system"
    TOOL = "tool"
    CONCEPT = "concept"
    SKILL = "skill"
    TASK = "task"
    UNKNOWN = "unknown"


class Status(StrEnum):
    """Where an entry stands in its life."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    RESOLVED = "resolved"
    EXPIRED = "expired"
    PENDING = "pending"
    REJECTED = "rejected"


class Item(StrEnum):
    """What a reflection item is: a rule that stays, or a delta that fades."""

    INVARIANT = "invariant"
    DERIVED = "derived"


class Visibility(StrEnum):
    """Which agents may see an entry."""

    PRIVATE = "private"
    SHARED = "shared"
    GROUP = "group"


class Confidence(StrEnum):
    """How sure the miner was."""

    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


class Source(NamedTuple):
    """Where an entry came from; `seq` counts from 0 within the session."""

    writer: str | None = None
    host: str | None = None
    session: str | None = None
    transcript: str | None = None
    record: str | None = None
    seq: int | None = None
    excerpt: str | None = None


class Entry(NamedTuple):
    """One markdown file of the vault, as a value.

    The fields up to `review_after` are the frontmatter in canonical order. Dates are
    strings as `check_date` returns them. `extra` holds the keys whose value memcli
    does not use, in file order, each with its own YAML lines (LF, final newline).
    `path` is vault-relative with `/`; it is empty until the entry is stored.
    """

    id: str
    kind: str = "note"
    layer: Layer = Layer.FACT
    subtype: Subtype | None = None
    type: EntityType = EntityType.UNKNOWN
    status: Status = Status.ACTIVE
    title: str = ""
    created: str = ""
    updated: str = ""
    occurred_at: str | None = None
    occurred_until: str | None = None
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    agent: str | None = None
    visibility: Visibility = Visibility.SHARED
    groups: tuple[str, ...] = ()
    source: Source = Source()
    confidence: Confidence | None = None
    rationale: str | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    reason: str | None = None
    resolved_at: str | None = None
    resolved_by: str | None = None
    resolution_note: str | None = None
    item: Item | None = None
    key: str | None = None
    seen: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    fingerprints: tuple[str, ...] = ()
    refreshed_at: str | None = None
    pinned: bool = False
    expires_at: str | None = None
    review_after: str | None = None
    extra: tuple[tuple[str, str], ...] = ()
    body: str = ""
    path: str = ""

    def replace(self, **changes: Any) -> "Entry":
        """Return a copy with these fields changed; an unknown name: ValueError."""
        try:
            return self._replace(**changes)
        except TypeError as error:  # what Python 3.13 raises for it
            raise ValueError(str(error)) from error

    @property
    def display_title(self) -> str:
        """The title to show; never empty unless the id is.

        In order of preference: the title, the body's first heading, its first
        clause, the file's name, the id.
        """
        if self.title:
            return self.title
        stem = self.path.rpartition("/")[2].removesuffix(".md")
        return _title_of(self.body) or stem or self.id


FIELDS: tuple[str, ...] = Entry._fields[: Entry._fields.index("extra")]
"""The names of the frontmatter's own fields, in canonical order."""


# --- titles ---------------------------------------------------------------------

_TITLE_LENGTH = 80
_TITLE_LINES = 200  # a heading further down names a part, not the whole
_MARKS = r"^(?:[-*+>•]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)+"
_CLAUSE_END = r"[.!?;](?=\s)|[。！？；]"


def _title_of(body: str) -> str:
    clause = ""
    fence = ""
    # A megabyte in one line must not be cut and searched as a title.
    for line in body[:20_000].split("\n", _TITLE_LINES)[:_TITLE_LINES]:
        text = line.strip()
        if fence:
            if text.startswith(fence) and not text.strip(fence[0]):
                fence = ""
            continue
        if text.startswith(("```", "~~~")):
            fence = text[:3]
            continue
        if text.startswith("#"):
            hashes = len(text) - len(text.lstrip("#"))
            heading = " ".join(text[hashes:].rstrip("#").split())
            if hashes <= 6 and heading and text[hashes] in " \t":
                return _cut(heading, _TITLE_LENGTH, " ")
        if not clause:
            clause = _clause(text)
    return clause


def _clause(text: str) -> str:
    text = " ".join(re.sub(_MARKS, "", text).split())
    end = re.search(_CLAUSE_END, text)
    if end:
        text = text[: end.start()]
    text = text.strip("*_ ").rstrip(".!?;:")
    if not any(map(str.isalnum, text)):
        return ""  # a rule, a row of a table, markup
    return _cut(text, _TITLE_LENGTH, " ")


def _cut(text: str, length: int, gap: str) -> str:
    """Shorten at a gap between words, or inside a word longer than half of it."""
    if len(text) <= length:
        return text
    head = text[: length + 1]
    at = head.rfind(gap)
    return head[:at] if at > length // 2 else text[:length]


# --- ids ------------------------------------------------------------------------

ID_LENGTH = 16
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_LENGTH = 9  # 45 bits of milliseconds last until the year 3084
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
    import hashlib
    import unicodedata

    name = unicodedata.normalize("NFC", path).encode("utf-8", "surrogatepass")
    number = int.from_bytes(hashlib.sha256(name).digest()[:10], "big")
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
# Windows opens a device for these names, whatever the ending.
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
    words = _cut(words.strip("-"), length, "-").strip("-")
    latin = any("a" <= letter <= "z" for letter in words)
    # What is left of a Chinese title with a number in it would be the number.
    if not words or not (latin or not any(map(str.isalpha, folded))):
        import hashlib

        name = " ".join(title.split()).encode("utf-8", "surrogatepass")
        return "note-" + hashlib.sha256(name).hexdigest()[:8]
    if re.fullmatch(_RESERVED, words):
        return words + "-note"
    return words


# --- checks ---------------------------------------------------------------------

_Choice = TypeVar("_Choice", bound=StrEnum)
_TAG = r"\w[\w:./+-]*"
_DATE = (
    r"(?a:(\d{4})(?:-(\d\d)(?:-(\d\d)"
    r"(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?"
    r"(?: ?([Zz]|[+-]\d\d(?::?\d\d)?))?)?)?)?)"
)
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def check_kind(value: str, kinds: Collection[str]) -> str:
    """Return the kind in lower case, or raise InvalidValue with those that exist."""
    kind = value.strip().lower()
    if kind in kinds:
        return kind
    raise _refusal("kind", value, kinds)


def check_choice(choices: type[_Choice], value: str, field: str) -> _Choice:
    """Return the member that a word names, or raise InvalidValue with the words."""
    word = value.strip().lower()
    for member in choices:
        if member.value.lower() == word:
            return member
    raise _refusal(field, value, [member.value for member in choices])


def check_tag(value: str) -> str:
    """Return the tag trimmed and in lower case, or raise InvalidValue.

    Letters of any script, digits and `_ : . / + -`; it starts with a letter, a digit
    or `_`.
    """
    tag = value.strip().lower()
    if re.fullmatch(_TAG, tag if tag.isascii() else _unmarked(tag)):
        return tag if tag.isascii() else _composed(tag)
    fitting = fitting_tag(value)
    raise InvalidValue(
        f"not a tag: {_shown(value)}: one word of letters, digits and _ : . / + -",
        hint=f"Use '{fitting}'." if fitting else None,
        code="invalid_tag",
    )


def fitting_tag(value: str) -> str:
    """Return the nearest text that `check_tag` accepts; empty when none is left."""
    tag = re.sub(r"\s+", "-", _composed(value.strip().lstrip("#").strip().lower()))
    kept = "".join(c for c in tag if re.fullmatch(_TAG, "a" + c) or not _unmarked(c))
    start = re.search(r"\w", kept)
    return re.sub("-{2,}", "-", kept[start.start() :]).rstrip("-") if start else ""


def _composed(text: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFC", text)


def _unmarked(text: str) -> str:
    r"""Drop what belongs to words but not to `\w`: vowel signs, accents, joiners."""
    import unicodedata

    return "".join(
        letter
        for letter in unicodedata.normalize("NFC", text)
        if unicodedata.category(letter)[0] != "M" and letter not in "\u200c\u200d"
    )


def check_date(value: str, field: str) -> str:
    """Return a date as coarse as it is given, or raise InvalidValue.

    Takes `YYYY`, `YYYY-MM`, `YYYY-MM-DD` and ISO 8601 date-times, which come back in
    UTC as `YYYY-MM-DDTHH:MM:SSZ`; one without an offset is taken for UTC.
    """
    found = re.fullmatch(_DATE, value.strip())
    if found is None:
        raise _no_date(value, field)
    year, month, day, hour, minute, second, offset = found.groups()
    if not _exists(int(year), int(month or 1), int(day or 1)):
        raise _no_date(value, field)
    if hour is None:
        return found.group()
    if hour > "23" or minute > "59" or (second or "00") > "59":
        raise _no_date(value, field)
    if offset in (None, "Z", "z") or offset.strip("+-0:") == "":
        return f"{year}-{month}-{day}T{hour}:{minute}:{second or '00'}Z"
    from datetime import UTC, datetime

    stamp = f"{year}-{month}-{day}T{hour}:{minute}:{second or '00'}{offset}"
    try:
        moment = datetime.fromisoformat(stamp).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise _no_date(value, field) from error
    return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def _exists(year: int, month: int, day: int) -> bool:
    if not (year and 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]):
        return False
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return leap or (month, day) != (2, 29)


def _no_date(value: str, field: str) -> InvalidValue:
    return InvalidValue(
        f"{field}: not a date: {_shown(value)}",
        hint="Write 2026, 2026-11, 2026-11-21 or 2026-11-21T09:30:00Z.",
        code=f"invalid_{field}",
    )


def _refusal(field: str, value: str, options: Iterable[str]) -> InvalidValue:
    from difflib import get_close_matches

    words = {option.lower(): option for option in options}
    near = get_close_matches(value.strip().lower()[:60], words, 1)
    return InvalidValue(
        f"{field} must be one of {', '.join(words.values())} (got {_shown(value)})",
        hint=f"Did you mean '{words[near[0]]}'?" if near else None,
        code=f"invalid_{field}",
    )


def _shown(value: str) -> str:
    return repr(value if len(value) <= 60 else value[:60] + "…")
