"""Links in a text and which entries they may mean; tags and dates of foreign notes.

Invariant: pure. A link inside code is not a link.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata

from memcli.entries import layout
from memcli.entries.dates import date_in
from memcli.entries.entry import CUT, FENCED, Entry, check_tag
from memcli.entries.ids import is_adopted
from memcli.errors import InvalidValue

_WIKILINK = re.compile(r"!?\[\[([^\[\]|#^]+)(?:[#^|][^\[\]]*)?\]\]")


# No `#` in the target, or a row of `.md#` would be tried in every way to end it.
_MDLINK = re.compile(r"(?<!!)\[[^\[\]]*\]\(<?([^()<>\s#]+\.md)(?:#[^()\s]*)?>?\)")


_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)


# Keys by which notes of Obsidian and basic-memory go by further names.
_ALIAS_KEYS = ("aliases", "alias", "permalink")


def links(body: str) -> tuple[str, ...]:
    """Targets of `[[wikilinks]]` and of markdown links to notes, as written.

    Code is left out: `[[ -f x ]]` in a shell script links to nothing.
    """
    if "[" not in body:
        return ()
    text = _CODE.sub("", body) if "`" in body else body
    targets = [target.strip() for target in _WIKILINK.findall(text)]
    targets += [target for target in _MDLINK.findall(text) if "://" not in target]
    return tuple(dict.fromkeys(target for target in targets if target))


def link_places(body: str) -> dict[str, int]:
    """Where each target of `links` first stands in a body, code included."""
    places: dict[str, int] = {}
    for pattern in (_WIKILINK, _MDLINK):
        for match in pattern.finditer(body):
            places.setdefault(match[1].strip(), match.start())
    return places


def unlinked(text: str) -> str:
    """The text with its wikilinks escaped; code does not change.

    For words of a session: `[[ -f x ]]` there means no note of the vault.

    >>> unlinked("Use [[ ]] and not `[[`")
    'Use \\\\[\\\\[ ]] and not `[[`'
    """
    if "[[" not in text:
        return text
    parts = re.compile(rf"({_CODE.pattern})|\[{{2,}}", re.DOTALL)
    return parts.sub(lambda found: found[1] or "\\[" * len(found[0]), text)


def links_of(entry: Entry) -> tuple[str, ...]:
    """Targets of an entry's links: in its body, and in its key `links`.

    `evolve` writes that key, so that rewording a text does not lose a link.
    """
    targets = links(entry.body)
    for name, lines in entry.extra:
        if name == "links" and "[[" in lines:
            from memcli.entries.frontmatter import values_of

            targets += links("\n".join(values_of(lines)))
    return tuple(dict.fromkeys(targets))


def link_keys(entry_id: str, path: str, title: str) -> tuple[str, ...]:
    """The names by which a link may mean an entry: id, path, file name, title.

    An archived entry also has its earlier path, behind the entry that is there now.
    """
    keys = [entry_id]
    for place in dict.fromkeys((path, layout.before_archive(path))):
        stem = place.removesuffix(".md")
        keys += (stem, stem.rpartition("/")[2])
    keys.append(title)
    if title.endswith(CUT):  # as links were written that name it without the mark
        keys.append(title.removesuffix(CUT))
    return tuple(dict.fromkeys(composed(key.casefold()) for key in keys if key))


def link_names(entry: Entry) -> tuple[str, ...]:
    """The names by which a link may mean an entry, its aliases included."""
    names = link_keys(entry.id, entry.path, entry.display_title)
    return tuple(dict.fromkeys((*names, *map(composed, aliases(entry)))))


def aliases(entry: Entry) -> list[str]:
    """Further names that a note gives itself in its frontmatter, in lower case."""
    keys = [lines for name, lines in entry.extra if name in _ALIAS_KEYS]
    if not keys:
        return []
    from memcli.entries.frontmatter import values_of

    return [alias.casefold() for lines in keys for alias in values_of(lines)]


def link_readings(target: str, path: str) -> tuple[str, ...]:
    """The readings of a link in the file at `path`, the likeliest of `link_keys` first.

    As written, relative to its own folder, or the last part of it as a name.
    """
    # In a table the bar before a link's label is escaped: [[Note\\|label]].
    plain = target.strip().rstrip("\\")
    spellings = [plain]
    if "%" in plain:
        from urllib.parse import unquote

        spellings.append(unquote(plain))
    folder = path.rpartition("/")[0].casefold()
    readings: list[str] = []
    for spelling in spellings:
        key = composed(spelling.removesuffix(".md").removeprefix("./").casefold())
        joined = posixpath.normpath(f"/{folder}/{key}").strip("/")
        readings += (key, joined, key.rpartition("/")[2])
    return tuple(dict.fromkeys(name for name in readings if name))


def composed(name: str) -> str:
    """The name with its accents composed; macOS lists names with accents apart."""
    return name if name.isascii() else unicodedata.normalize("NFC", name).casefold()


# Obsidian: a hash, and letters, digits, _ - /, at least one of them no digit.
_TAG = r"(?:(?<=\s)|(?<!.))#([\w/-]+)(?![\w#])"
_NO_TAGS_IN = rf"{FENCED}|`[^`\n]*`"
_MOST_TAGS = 64
# 2026-03-14, 2026_03_14 and 2026.03.14 anywhere, 20260314 at the beginning.
_DATE = r"(?<!\d)(\d{4})([-_.])(\d{2})\2(\d{2})(?!\d)|^(\d{4})()(\d{2})(\d{2})(?!\d)"
_YEARS = range(1900, 2200)


def as_read(entry: Entry) -> Entry:
    """The entry as the index reads it.

    A note that memcli did not write has the tags of its text as well; without a date
    of its own it has that of its file's name. Any other entry is as it was written.
    """
    if not is_adopted(entry.id):
        return entry
    tags = tuple(dict.fromkeys((*entry.tags, *inline_tags(entry.body))))
    if tags != entry.tags:
        entry = entry.replace(tags=tags)
    if not (entry.occurred_at or entry.created):
        entry = entry.replace(occurred_at=date_of_name(entry.path))
    return entry


def inline_tags(body: str) -> tuple[str, ...]:
    """The tags in a text, in lower case, each once; none from code or headings.

    >>> inline_tags("# Head\\n#Ops and #area/ci, not #12 or a#b or `#c`")
    ('ops', 'area/ci')
    """
    if "#" not in body:
        return ()
    if "`" in body or "~~~" in body:
        body = re.sub(_NO_TAGS_IN, " ", body, flags=re.DOTALL | re.MULTILINE)
    tags: dict[str, None] = {}
    for match in re.finditer(_TAG, body):
        word = match[1].strip("/-")
        if not word.strip("0123456789/-"):
            continue
        try:
            tags[check_tag(word)] = None
        except InvalidValue:
            continue
        if len(tags) == _MOST_TAGS:
            break
    return tuple(tags)


def date_of_name(path: str) -> str | None:
    """The first day that the name of a file names, as 2026-03-14; None without one.

    >>> date_of_name("daily/2026-03-14 Standup.md"), date_of_name("a/v2026-13-40.md")
    ('2026-03-14', None)
    """
    name = path.rpartition("/")[2].removesuffix(".md")
    for match in re.finditer(_DATE, name):
        year, _, month, day = (part for part in match.groups() if part is not None)
        if int(year) in _YEARS and (found := date_in(f"{year}-{month}-{day}")):
            return found
    return None
