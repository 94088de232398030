"""Markdown text with YAML frontmatter, to an Entry and back.

Invariant: nothing that a person wrote is lost on the way. A body comes back byte for
byte, keys whose value memcli does not use come back as the lines they were, a file
that cannot be understood is refused with its line and never guessed at, and
`rewrite` changes no line that it has no reason to change.

How YAML is read and written is for `page` to know; what a field may hold, for `entry`.
"""

import re
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from memcli.entries import layout
from memcli.entries.checks import (
    check_choice,
    check_date,
    check_kind,
    check_tag,
    fitting_tag,
)
from memcli.entries.entry import (
    FIELDS,
    KINDS,
    Confidence,
    EntityType,
    Entry,
    Item,
    Layer,
    Source,
    Status,
    Subtype,
    Visibility,
)
from memcli.entries.frontmatter import (
    Page,
    Part,
    checked_lines,
    is_null,
    lines_of,
    take_apart,
    to_bytes,
)
from memcli.entries.ids import adopted_id, id_time, is_adopted, is_id
from memcli.errors import InvalidValue

# What an idea's page says instead of pending; the set of statuses stays closed.
INCUBATING = "incubating"


class Problem(NamedTuple):
    """A field whose value is not valid; `line` counts from 1 in the file."""

    path: str
    line: int
    field: str
    message: str


class Decoded(NamedTuple):
    """A file as an entry; `own` tells that the file itself carries memcli's id."""

    entry: Entry
    problems: tuple[Problem, ...]
    own: bool


def decode(data: bytes, path: str, *, kinds: Collection[str] = KINDS) -> Decoded:
    """Read a file.

    In a file of memcli's own, a field with an invalid value is a problem and counts
    as unset. A note that was adopted keeps the right to other meanings of our names
    (`status: draft`, `type: book`): there it is no problem. Either way the lines are
    kept in `extra`.

    Args:
        data: the file's bytes: UTF-8, with or without BOM, LF or CRLF.
        path: vault-relative, with `/`; becomes the entry's path.
        kinds: the kinds that an adopted note may claim.

    Raises:
        InvalidEntry: not UTF-8, broken YAML, a frontmatter of ours that is not
            closed, conflict markers, aliases, a key that is given twice.
    """
    return _interpret(take_apart(data, path), path, kinds)


def body_of(data: bytes, path: str) -> str:
    """The body of a file, without reading the frontmatter of one of our own.

    Raises:
        InvalidEntry: as `decode`.
    """
    if data.startswith(b"---\nid: "):
        # What `encode` wrote: no value of it holds a line of three hyphens.
        end = data.find(b"\n---\n")
        if end > 0:
            try:
                return data[end + 5 :].decode()
            except UnicodeDecodeError:
                pass  # decode says where
    return decode(data, path).entry.body


def encode(entry: Entry) -> bytes:
    """Write an entry as a new file.

    Raises:
        InvalidValue: a NUL or half a surrogate pair in a text; an id or an extra
            that would not be read back as what it is.
    """
    if not is_id(entry.id):
        raise InvalidValue(f"not an id: {entry.id!r}", code="invalid_id")
    id_key = "memcli_id" if any(name == "id" for name, _ in entry.extra) else "id"
    chunks = ["---\n"]
    written = set()
    for name, value, default in zip(FIELDS, entry, _DEFAULTS, strict=False):
        if value != default:
            key = id_key if name == "id" else name
            written.add(key)
            chunks.append(lines_of(key, value))
    chunks += (
        checked_lines(lines) for name, lines in entry.extra if name not in written
    )
    chunks += ("---\n", entry.body)
    return to_bytes("".join(chunks))


def rewrite(original: bytes, entry: Entry, *, kinds: Collection[str] = KINDS) -> bytes:
    """Change a file into one that holds this entry, line by line.

    Only the lines of keys whose value differs change; new keys go to their canonical
    place; comments, quoting, order, BOM and line ends stay. A note without
    frontmatter gets one on top. An adopted note that changes gets its id written,
    since others may point at it from then on.

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
    block = "".join(_chunks(page, before, entry, own=own, newline=newline))
    return to_bytes(page.bom + fresh + block + closing + entry.body)


# --- from nodes to fields ---------------------------------------------------------


def _interpret(page: Page, path: str, kinds: Collection[str]) -> Decoded:
    id_key, own_id = _own_id(page.parts)
    strict = bool(own_id) and not is_adopted(own_id)
    fields: dict[str, Any] = {}
    extra: list[tuple[str, str]] = []
    refusals: list[tuple[Part, InvalidValue]] = []
    for part in page.parts:
        name, node = part.name, part.value
        if name == id_key or (name in _READERS and is_null(node)):
            continue
        if name not in _READERS:
            extra.append((name, page.verbatim(part)))
            continue
        try:
            if name == "status" and layout.is_idea(path) and node.value == INCUBATING:
                fields[name] = Status.PENDING
                continue
            value = _READERS[name](node, name)
            if name == "kind" and not strict:
                check_kind(value, kinds)
        except InvalidValue as refusal:
            refusals.append((part, refusal))
            # A tag with a space in it is still worth finding.
            value = _fitting_tags(node) if name == "tags" else ()
            if not value:
                extra.append((name, page.verbatim(part)))
                continue
        fields[name] = value
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


def _own_id(parts: list[Part]) -> tuple[str, str]:
    """Return the key that holds memcli's id, and the id; both empty without one.

    Other programs keep an `id` of their own; memcli then writes `memcli_id`.
    """
    found = {part.name: part.value.value for part in parts if part.name in _ID_KEYS}
    for key in _ID_KEYS:
        value = found.get(key)
        if isinstance(value, str) and is_id(value):
            return key, value
    return "", ""


def _creation(own_id: str, parts: list[Part]) -> str:
    if own_id:
        from memcli.entries.dates import iso

        return iso(id_time(own_id) // 1000)
    for part in parts:
        if part.name == "date":
            try:
                return _date(part.value, "date")
            except InvalidValue:
                break
    return ""


def _text(node: Any, field: str) -> str:
    value = node.value
    if not isinstance(value, str):
        raise InvalidValue(f"{field} must be a text", code=f"invalid_{field}")
    if "\0" in value:
        raise InvalidValue(f"{field} holds a NUL", code=f"invalid_{field}")
    return value


def _texts(node: Any, field: str) -> tuple[str, ...]:
    if node.id == "mapping":
        raise InvalidValue(f"{field} must be a list", code=f"invalid_{field}")
    items = node.value if node.id == "sequence" else (node,)
    return tuple(_text(item, field) for item in items if not is_null(item))


def _tag_words(node: Any) -> tuple[str, ...]:
    words = _texts(node, "tags")
    if node.id == "scalar":
        words = tuple(filter(None, map(str.strip, words[0].split(","))))
    return words


def _tags(node: Any, _: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(check_tag(word) for word in _tag_words(node)))


def _fitting_tags(node: Any) -> tuple[str, ...]:
    try:
        words = map(fitting_tag, _tag_words(node))
    except InvalidValue:
        return ()
    return tuple(dict.fromkeys(filter(None, words)))


def _date(node: Any, field: str) -> str:
    return check_date(_text(node, field), field)


def _kind(node: Any, field: str) -> str:
    """Take any word: which kinds there are is for the vault's config to say."""
    kind = _text(node, field).strip().lower()
    return (
        kind if re.fullmatch("[a-z0-9][a-z0-9_-]*", kind) else check_kind(kind, KINDS)
    )


def _layer(node: Any, field: str) -> Layer:
    return check_choice(Layer, _text(node, field), field)


def _subtype(node: Any, field: str) -> Subtype:
    return check_choice(Subtype, _text(node, field), field)


def _type(node: Any, field: str) -> EntityType:
    return check_choice(EntityType, _text(node, field), field)


def _status(node: Any, field: str) -> Status:
    return check_choice(Status, _text(node, field), field)


def _visibility(node: Any, field: str) -> Visibility:
    return check_choice(Visibility, _text(node, field), field)


def _item(node: Any, field: str) -> Item:
    return check_choice(Item, _text(node, field), field)


def _dates(node: Any, field: str) -> tuple[str, ...]:
    return tuple(check_date(text, field) for text in _texts(node, field))


def _confidence(node: Any, field: str) -> Confidence:
    return check_choice(Confidence, _text(node, field), field)


def _flag(node: Any, field: str) -> bool:
    word = _text(node, field).lower()
    if word in ("true", "yes", "on", "1"):
        return True
    if word in ("false", "no", "off", "0"):
        return False
    raise InvalidValue(f"{field} must be true or false", code=f"invalid_{field}")


def _source(node: Any, field: str) -> Source:
    if node.id != "mapping":
        raise InvalidValue(
            f"{field} must hold {', '.join(Source._fields)}", code=f"invalid_{field}"
        )
    found: dict[str, Any] = {}
    for key, value in node.value:
        name = _text(key, field)
        if name not in Source._fields or name in found:
            raise InvalidValue(
                f"{field}.{name} is not a field, or given twice",
                code=f"invalid_{field}",
            )
        if not is_null(value):
            found[name] = _text(value, f"{field}.{name}")
    seq = found.get("seq")
    if seq is not None:
        if not re.fullmatch(r"-?[0-9]{1,18}", seq):
            raise InvalidValue(f"{field}.seq must be a number", code="invalid_seq")
        found["seq"] = int(seq)
    return Source(**found)


_ID_KEYS = ("memcli_id", "id")
_READERS: dict[str, Callable[[Any, str], Any]] = {
    "kind": _kind,
    "layer": _layer,
    "subtype": _subtype,
    "type": _type,
    "status": _status,
    "tags": _tags,
    "entities": _texts,
    "visibility": _visibility,
    "groups": _texts,
    "source": _source,
    "confidence": _confidence,
    "item": _item,
    "seen": _dates,
    "evidence": _texts,
    "fingerprints": _texts,
    "pinned": _flag,
}
_DATES = ["created", "updated", "expires_at", "review_after"]
_DATES += ["occurred_at", "occurred_until", "resolved_at", "refreshed_at"]
_READERS |= dict.fromkeys(_DATES, _date)
_READERS |= {name: _text for name in FIELDS if name not in _READERS and name != "id"}


_DEFAULTS = tuple(Entry._field_defaults.get(name) for name in FIELDS)

# --- changing a file in place -----------------------------------------------------


def _chunks(
    page: Page, before: Entry, entry: Entry, *, own: bool, newline: str
) -> list[str]:
    """Return the new text between the fences, in pieces."""
    parts = {part.name: part for part in page.parts}
    names, texts = [""], [""]
    done = 0
    for part in page.parts:
        names += ("", part.name)
        texts.append("".join(page.lines[done : part.first]))
        texts.append("".join(page.lines[part.first : part.end]))
        done = part.end
    names.append("")
    texts.append("".join(page.lines[done:]))

    def fitted(lines: str, comment: str = "") -> str:
        rows = lines.split("\n")[:-1]
        return "".join(f"{page.indent}{row}{comment}{newline}" for row in rows)

    id_key = _own_id(page.parts)[0] or _ID_KEYS["id" not in names]
    written = set()
    place = 0
    for name, value, prior, default in zip(
        FIELDS, entry, before, _DEFAULTS, strict=False
    ):
        key = id_key if name == "id" else name
        known = value == prior and (own or name != "id")
        if value != default:
            written.add(key)
        if key not in names:
            if value != default and not (own and known):
                names.insert(place + 1, key)
                texts.insert(place + 1, fitted(lines_of(key, value)))
                place += 1
            continue
        place = names.index(key)
        if not known:
            lines = "" if value == default else lines_of(key, value)
            texts[place] = fitted(lines, page.comment(parts[key]))
    kept, wanted = dict(before.extra), dict(entry.extra)
    for name in kept.keys() - wanted.keys() - written:
        texts[names.index(name)] = ""
    for name, lines in entry.extra:
        if name in written or kept.get(name) == lines:
            continue
        if name not in names:
            names.insert(-1, name)
            texts.insert(-1, "")
        texts[names.index(name)] = fitted(checked_lines(lines))
    return texts
