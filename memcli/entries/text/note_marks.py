"""What a note that memcli did not write says by its form: tags in its text, a date in
the name of its file.

Invariant: pure; it reads a note for the index and writes nothing into it. What the
note says in its frontmatter stays as it is, and wins.
"""

from __future__ import annotations

import re

from memcli.entries.checks import check_date, check_tag
from memcli.entries.ids import is_adopted
from memcli.errors import InvalidValue

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.entries.entry import Entry

# Obsidian: a hash, and letters, digits, _ - /, at least one of them no digit.
_TAG = r"(?:(?<=\s)|(?<!.))#([\w/-]+)(?![\w#])"
_CODE = r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)|`[^`\n]*`"
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
        body = re.sub(_CODE, " ", body, flags=re.DOTALL | re.MULTILINE)
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
        if int(year) in _YEARS:
            try:
                return check_date(f"{year}-{month}-{day}", "occurred_at")
            except InvalidValue:
                continue
    return None
