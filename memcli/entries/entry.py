"""An entry: its fields, the words that they may hold, and its title.

Invariant: this module is a vocabulary. It touches no disk and no clock. Every command
imports it, so it imports next to nothing itself: what few values need (difflib,
unicodedata) is imported where it is used.
"""

from __future__ import annotations

# ruff: noqa: RUF001 (full-width marks are named on purpose)
import re
from enum import StrEnum

from memcli.entries.identity import composed
from memcli.entries.ids import shortened
from memcli.errors import InvalidValue
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any, TypeVar

    _Choice = TypeVar("_Choice", bound=StrEnum)


KINDS: tuple[str, ...] = (
    "note", "preference", "workflow", "fix", "decision", "event", "blocker", "action",
    "convention", "reference", "constraint", "lesson", "skill", "idea",
)  # fmt: skip


class Layer(StrEnum):
    """How far an entry is from an observation: a fact, drawn from facts, a report."""

    FACT = "fact"
    OBSERVATION = "observation"
    MODEL = "model"


class Subtype(StrEnum):
    """The kinds of model: ordered knowledge of one topic, a pattern that emerged in
    reflection, or a page that people write by hand."""

    STRUCTURAL = "structural"
    EMERGENT = "emergent"
    PINNED = "pinned"


MINERS = ("pipeline", "hook")
"""The writers of mined entries: a person's command, and a host's hook."""

JUDGED = "judged"
"""The begin of the rationale of an entry that a judge found, and no rule."""

SUMMARY_TAG = "session-summary"
"""The tag of the event that sums a session up."""


class EntityType(StrEnum):
    """The subject of an entry."""

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


class ResolutionScope(StrEnum):
    """The scope of a resolve: every entry that says the same; this entry alone; or, of
    those that say the same, what the agent that resolved it may resolve."""

    CLAIM = "claim"
    ENTRY = "entry"
    AGENT = "agent"


class Item(StrEnum):
    """The kinds of reflection item: a rule that stays, or a change that fades."""

    INVARIANT = "invariant"
    DERIVED = "derived"


class Enforce(StrEnum):
    """The act of a host before a tool that an entry is about; a person sets it."""

    ASK = "ask"
    DENY = "deny"


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
    """Where an entry came from; `seq` counts from 0 within the session.

    `proposed` are the words of a candidate that a review has changed, or of a rule of
    a page without the headings above it.
    """

    writer: str | None = None
    host: str | None = None
    session: str | None = None
    transcript: str | None = None
    record: str | None = None
    seq: int | None = None
    excerpt: str | None = None
    proposed: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The parts that are known, for JSON."""
        return {
            name: value for name, value in self._asdict().items() if value is not None
        }


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
    asked: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    project: str | None = None
    code: tuple[str, ...] = ()
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
    resolution_scope: ResolutionScope = ResolutionScope.CLAIM
    resolved_text: str | None = None
    item: Item | None = None
    seen: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    fingerprints: tuple[str, ...] = ()
    refreshed_at: str | None = None
    research: str | None = None
    pinned: bool = False
    enforce: Enforce | None = None
    expires_at: str | None = None
    review_after: str | None = None
    extra: tuple[tuple[str, str], ...] = ()
    body: str = ""
    path: str = ""

    def replace(self, **changes: Any) -> Entry:
        """Return a copy with these fields changed."""
        return self._replace(**changes)

    @property
    def display_title(self) -> str:
        """The title to show; never empty unless the id is.

        In order of preference: the title, the body's first heading, its first
        clause, the file's name, the id.
        """
        title = self.title
        if title and (title.isprintable() or (title := one_line(title))):
            return title[:LONGEST_TITLE]
        stem = self.path.rpartition("/")[2].removesuffix(".md")
        return _title_of(self.body) or stem or self.id


def is_unconfirmed(entry: Any) -> bool:
    """Whether an entry, or a row of one, was found in a session, and nobody has said it
    since.

    Rules and judges read words, and words may be another's: it is told with a mark
    until another session or a person says it again, or a person changes, approves or
    pins it.
    """
    touched = entry.seen or entry.updated or entry.supersedes
    found = entry.source.writer in MINERS
    return found and not (touched or entry.pinned or entry.enforce)


LOOK = "pinned, look at it"
"""The mark of what may no longer hold, where its person decides on that."""


def marks_of(*, stale: bool, doubt: bool, unconfirmed: bool) -> tuple[str, ...]:
    """The marks of an entry, which a reader should see before relying on it; what is in
    `doubt` and not stale is pinned."""
    told = {
        "may no longer hold": stale,
        LOOK: doubt and not stale,
        "unconfirmed": unconfirmed,
    }
    return tuple(mark for mark, holds in told.items() if holds)


def one_line(text: str) -> str:
    """A text without what would begin a line of its own in an answer.

    >>> one_line("a\\nsaved")
    'a saved'
    """
    return " ".join(text.split())


def printable(text: str) -> str:
    """A text of others on one line, without characters that a terminal acts on.

    >>> printable("a\\x1b[1m\\nb")
    'a[1m b'
    """
    return "".join(filter(str.isprintable, one_line(text)))


FIELDS: tuple[str, ...] = Entry._fields[: Entry._fields.index("extra")]
"""The names of the frontmatter's own fields, in canonical order."""


# --- titles ---------------------------------------------------------------------

LONGEST_TITLE = 500
"""A title is for a line of a table; what needs more is text."""
_TITLE_LENGTH = 80
FENCED = r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)"
"""A pattern for code between two fences, over lines."""
CUT = "…"
"""The end of a title that was drawn from a longer text."""
_TITLE_LINES = 200  # a heading further down names a part, not the whole
_MARKS = r"^(?:[-*+>•]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)+"
_CLAUSE_END = r"[.!?;](?=\s)|[。！？；]"


def _title_of(body: str) -> str:
    clause = ""
    # A megabyte in one line must not be cut and searched as a title.
    head = body[:20_000]
    if "```" in head or "~~~" in head:
        head = re.sub(FENCED, "", head, flags=re.DOTALL | re.MULTILINE)
    for line in head.split("\n", _TITLE_LINES)[:_TITLE_LINES]:
        text = line.strip()
        if text.startswith("#"):
            hashes = len(text) - len(text.lstrip("#"))
            heading = " ".join(text[hashes:].rstrip("#").split())
            if hashes <= 6 and heading and text[hashes] in " \t":
                return cut(heading)
        if not clause:
            clause = _clause(text)
    return clause


def _clause(text: str) -> str:
    text = " ".join(re.sub(_MARKS, "", text).split())
    end = re.search(_CLAUSE_END, text)
    if end:
        text = text[: end.start()]
    text = text.lstrip("*_ ").rstrip("*_ .!?;:")
    if not any(map(str.isalnum, text)):
        return ""  # a rule, a row of a table, markup
    return cut(text)


def cut(text: str) -> str:
    """A title of at most 80 characters; "…" says that a text goes on."""
    if len(text) <= _TITLE_LENGTH:
        return text
    return shortened(text, _TITLE_LENGTH - 1, " ").rstrip(" ,;:-") + CUT


# --- words out of a closed set, and tags ----------------------------------------

MONTHS = tuple(
    "january february march april may june july august september october november "
    "december".split()
)
WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
NUMERALS = "one two three four five six seven eight nine ten eleven twelve".split()

_TAG = r"\w[\w:./+-]*"


def check_kind(value: str, kinds: Collection[str]) -> str:
    """Return the kind in lower case, or raise InvalidValue with those that exist."""
    kind = value.strip().lower()
    if kind not in kinds:
        raise refusal("kind", value, kinds)
    return kind


def check_choice(choices: type[_Choice], value: str, field: str) -> _Choice:
    """Return the member that a word names, or raise InvalidValue with the words."""
    word = value.strip().lower()
    for member in choices:
        if member.lower() == word:
            return member
    raise refusal(field, value, list(choices))


def check_tag(value: str) -> str:
    """Return the tag trimmed and in lower case, or raise InvalidValue.

    Letters of any script, digits and `_ : . / + -`; it starts with a letter, a digit
    or `_`.
    """
    tag = value.strip().lower()
    if re.fullmatch(_TAG, tag if tag.isascii() else _unmarked(tag)):
        return composed(tag)
    fitting = fitting_tag(value)
    raise InvalidValue(
        f"not a tag: {_shown(value)}: one word of letters, digits and _ : . / + -",
        hint=f"Use '{fitting}'." if fitting else None,
        code="invalid_tag",
    )


def fitting_tag(value: str) -> str:
    """Return the nearest text that `check_tag` accepts; empty when there is none."""
    tag = re.sub(r"\s+", "-", composed(value.strip().lstrip("#").strip().lower()))
    valid = "".join(c for c in tag if re.fullmatch(_TAG, "a" + c) or not _unmarked(c))
    start = re.search(r"\w", valid)
    return re.sub("-{2,}", "-", valid[start.start() :]).rstrip("-") if start else ""


def _unmarked(text: str) -> str:
    r"""Drop what belongs to words but not to `\w`: vowel signs, accents, joiners."""
    import unicodedata

    return "".join(
        letter
        for letter in composed(text)
        if unicodedata.category(letter)[0] != "M" and letter not in "\u200c\u200d"
    )


def nearest(word: str, options: Iterable[str]) -> str | None:
    """A hint with the option that a word may be a slip of; None without one."""
    from difflib import get_close_matches

    near = get_close_matches(word.strip().lower()[:60], options, 1)
    return f"Did you mean '{near[0]}'?" if near else None


def refusal(field: str, value: str, options: Iterable[str]) -> InvalidValue:
    """The error for a word that is none of these, with the nearest of them."""
    words = {option.lower(): option for option in options}
    return InvalidValue(
        f"{field} must be one of {', '.join(words.values())} (got {_shown(value)})",
        hint=nearest(value, words),
        code=f"invalid_{field}",
    )


def _shown(value: str) -> str:
    return repr(value if len(value) <= 60 else value[:60] + "…")
