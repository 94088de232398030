"""Markdown text with YAML frontmatter, to an Entry and back.

Invariant: nothing that a person wrote is lost. A body comes back byte for byte, keys
whose value memcli does not use come back as the lines they were, a file that cannot be
understood is refused with its line and never guessed at, and `rewrite` changes no line
that it has no reason to change.

`frontmatter` knows how YAML is read and written, `fields` what each field may hold.
"""

from __future__ import annotations

from memcli.entries.entry import FIELDS, KINDS, Entry, Status, check_kind
from memcli.entries.fields import CHECKS, fitting_tags
from memcli.entries.frontmatter import (
    Page,
    Part,
    checked_lines,
    lines_of,
    take_apart,
    to_bytes,
)
from memcli.entries.ids import adopted_id, id_time, is_adopted, is_id
from memcli.errors import InvalidValue
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any


class Problem(NamedTuple):
    """A field whose value is not valid; `line` counts from 1 in the file."""

    path: str
    line: int
    field: str
    message: str


class Decoded(NamedTuple):
    """A file as an entry; `own` says whether the file itself carries memcli's id."""

    entry: Entry
    problems: tuple[Problem, ...]
    own: bool


def decode(data: bytes, path: str, *, kinds: Collection[str] = KINDS) -> Decoded:
    """Read a file.

    In a file that memcli wrote, a field with an invalid value is a problem and counts
    as unset. In an adopted note the same names may mean something else (`status:
    draft`, `type: book`), so there it is no problem. Either way `extra` keeps the
    lines.

    Args:
        data: the file's bytes: UTF-8, with or without BOM, LF or CRLF.
        path: vault-relative, with `/`; becomes the entry's path.
        kinds: the kinds that an adopted note may claim.

    Raises:
        InvalidEntry: not UTF-8, broken YAML, a frontmatter of memcli's that is not
            closed, conflict markers, a key that is given twice.
    """
    return _interpret(take_apart(data, path), path, kinds)


def encode(entry: Entry) -> bytes:
    """Write an entry as a new file.

    Raises:
        InvalidValue: a NUL or half a surrogate pair in a text; an id or an extra that
            would be read back as something else.
    """
    if not is_id(entry.id):
        raise InvalidValue(f"not an id: {entry.id!r}", code="invalid_id")
    page = Page("", "", [], [], "", "")
    block = _block(page, Entry(""), entry, own=False, newline="\n")
    return to_bytes(f"---\n{block}---\n{entry.body}")


def rewrite(
    original: bytes,
    entry: Entry,
    *,
    kinds: Collection[str] = KINDS,
    adopting: bool = True,
) -> bytes:
    """Return a file's bytes changed to hold this entry, line by line.

    Only the lines of keys whose value differs change; new keys go to their canonical
    place; comments, quoting, order, BOM and line ends stay. A note without frontmatter
    gets one. An adopted note that changes gets its id written into it, since other
    entries may refer to it from then on, unless the caller is not `adopting` it.

    Raises:
        InvalidEntry: as `decode`, for the original.
        InvalidValue: as `encode`.
    """
    page = take_apart(original, entry.path)
    before, _, own = _interpret(page, entry.path, kinds)
    if before == entry:
        return original
    newline = page.newline
    fresh = page.opening or "---" + newline
    closing = page.closing or "---" + newline
    if entry.body and not closing.endswith("\n"):
        closing += newline
    own = own or not adopting
    block = _block(page, before, entry, own=own, newline=newline)
    if not block and not page.opening:
        return to_bytes(page.bom + entry.body)  # nothing to write but the text
    return to_bytes(page.bom + fresh + block + closing + entry.body)


# --- from nodes to fields ---------------------------------------------------------


def _interpret(page: Page, path: str, kinds: Collection[str]) -> Decoded:
    id_key, own_id = _own_id(page.parts)
    strict = bool(own_id) and not is_adopted(own_id)
    fields: dict[str, Any] = {}
    extra: list[tuple[str, str]] = []
    refusals: list[tuple[Part, InvalidValue]] = []
    for part in page.parts:
        name, given = part.name, part.value
        if name == id_key or (name in _READERS and given is None):
            continue
        if name not in _READERS:
            extra.append((name, page.verbatim(part)))
            continue
        try:
            value = _READERS[name](given, name, True)
            if name == "kind" and not strict:
                check_kind(value, kinds)
        except InvalidValue as refusal:
            refusals.append((part, refusal))
            # A tag with a space in it is still worth finding.
            value = fitting_tags(given) if name == "tags" else ()
            if not value:
                extra.append((name, page.verbatim(part)))
                continue
        fields[name] = value
    over = "resolved_at" in fields
    if "status" not in fields and (over or fields.get("superseded_by")):
        given = [part.value for part in page.parts if part.name == "status"]
        if given in ([], [None]):  # what is over must not come up again
            fields["status"] = Status.RESOLVED if over else Status.SUPERSEDED
    if "created" not in fields:
        fields["created"] = _creation(own_id if strict else "", page.parts)
    entry = Entry(
        id=own_id or adopted_id(path),
        extra=tuple(extra),
        body=page.body,
        path=path,
        **fields,
    )
    problems = (
        Problem(path, part.first + 2, part.name, f"{error} {error.hint or ''}".rstrip())
        for part, error in refusals
        if strict
    )
    return Decoded(entry, tuple(problems), bool(own_id))


def _own_id(parts: list[Part]) -> tuple[str | None, str]:
    """Return the key that holds memcli's id, and the id; None and empty without one.

    Other programs keep an `id` of their own; memcli then writes `memcli_id`.
    """
    values = {part.name: part.value for part in parts if part.name in _ID_KEYS}
    for key in _ID_KEYS:
        value = values.get(key)
        if isinstance(value, str) and is_id(value):
            return key, value
    return None, ""


def _creation(own_id: str, parts: list[Part]) -> str:
    from memcli.entries.dates import date_in, iso

    if own_id:
        return iso(id_time(own_id) // 1000)
    given = (part.value for part in parts if part.name == "date")
    return date_in(next(given, None)) or ""


_ID_KEYS = ("memcli_id", "id")
# The id is found by its form, under either key.
_READERS = {name: check for name, check in CHECKS.items() if name != "id"}
_DEFAULTS = tuple(map(Entry._field_defaults.get, FIELDS))


# --- changing a file in place -----------------------------------------------------


def _block(page: Page, before: Entry, entry: Entry, *, own: bool, newline: str) -> str:
    """Return the new text between the fences."""
    given = {part.name: part for part in page.parts}
    changed: dict[str, str] = {}  # what lines of keys become
    added: dict[str | None, str] = {}  # new lines, by the key that they follow
    id_key = (
        _own_id(page.parts)[0] or _ID_KEYS["id" not in (*given, *dict(entry.extra))]
    )
    written = set()
    last = None  # a file may have an empty key
    over = entry.resolved_at or entry.superseded_by

    def fitted(lines: str, comment: str = "") -> str:
        rows = lines.split("\n")[:-1]
        return "".join(f"{row}{comment}{newline}" for row in rows)

    for name, value, prior, default in zip(
        FIELDS, entry, before, _DEFAULTS, strict=False
    ):
        key = id_key if name == "id" else name
        unchanged = value == prior and (own or name != "id")
        # At its default a field needs no line; a status of what is over does.
        bare = value == default and not (name == "status" and over)
        if not bare:
            written.add(key)
        if key in given:
            last = key
            if not unchanged:
                lines = "" if bare else lines_of(key, value)
                changed[key] = fitted(lines, given[key].comment)
        elif not bare and (value == default or not (own and unchanged)):
            added[last] = added.get(last, "") + fitted(lines_of(key, value))
    old_extra, new_extra = dict(before.extra), dict(entry.extra)
    changed |= dict.fromkeys(old_extra.keys() - new_extra.keys() - written, "")
    more = ""
    for name, lines in entry.extra:
        if name not in written and old_extra.get(name) != lines:
            text = fitted(checked_lines(lines))
            more += "" if name in given else text
            changed |= {name: text} if name in given else {}
    block, done = added.get(None, ""), 0
    for part in page.parts:
        own_lines = "".join(page.lines[part.first : part.end])
        block += "".join(page.lines[done : part.first])
        block += changed.get(part.name, own_lines) + added.get(part.name, "")
        done = part.end
    return block + more + "".join(page.lines[done:])
