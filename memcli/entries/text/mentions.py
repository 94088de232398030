"""Which entities a text mentions: registered names, wikilinks and identifiers.

Invariant: pure, and linear in the text. A capitalised word is no entity because of its
capital: what is linked is registered, or somebody linked it, or it has the form of an
identifier. The same text and names give the same mentions, in whatever order the names
came, and a name that means two entities is reported and links to neither.
"""
# ruff: noqa: RUF001 (quotes and full-width marks are named on purpose)

import re
from collections.abc import Iterator

from memcli.entries.entry import Entry
from memcli.entries.ids import is_id
from memcli.entries.text.tokens import UNSPACED

# Beyond this a text lists identifiers, it does not speak of them.
_MOST_IDENTIFIERS = 12
_LONGEST = 80
_SHORTEST = 4

_WORD = r"\w+"
_CAMEL = r"(?=[A-Za-z0-9]*[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2})[A-Za-z][A-Za-z0-9]*"
_SNAKE = r"_{0,2}(?=[A-Za-z0-9_]*[A-Za-z])[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)+_{0,2}"
_DOTTED = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+"
_PATH = r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\]?[\w.@+-]+(?:[/\\][\w.@+-]+)*[/\\]?"
_SCOPED = r"@[a-z0-9][\w.-]*/[a-z0-9][\w.-]*"
_PINNED = r"([A-Za-z][\w.-]*)(?:\[[\w,-]*\])?(?:[=<>~!]=|[<>@])v?\d[\w.*,<>=!~-]*"
_HYPHENED = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+"
_FENCE = r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)"
_LINK = r"!?\[\[[^\[\]\n]*\]\]"
_SPAN = r"`([^`\n]+)`"
_AROUND = "\"'`()[]{}<>,;:!?*|“”‘’«»…。，；：！？、（）「」"
_SIGNS = frozenset("=<>@")
_JOINERS = frozenset("._/\\@-:")
_FILE_TYPES = frozenset(
    """
    c cc cfg cfn conf cpp cs css csv diff env ex go gradle h hpp html ini ipynb java js
    json jsonl jsx kt lock log lua md mdx mjs patch php pl proto ps1 py pyi r rb rs rst
    scala sh sql svg swift tf toml ts tsx txt vue xml yaml yml zig
    """.split()
)


class Compiled:
    """Names made ready for looking up; `parts` are plain values, to be cached.

    No NamedTuple: making one costs every save half a millisecond.

    `meant`: folded form -> the name it means. `ambiguous`: folded form -> the names it
    could mean. `places`: first word -> the forms that begin with it, longest first:
    (form, where in the form the word starts, how it must be written, or "").
    """

    __slots__ = ("ambiguous", "meant", "places")

    def __init__(
        self,
        meant: dict[str, str],
        ambiguous: dict[str, tuple[str, ...]],
        places: dict[str, list[tuple[str, int, str]]],
    ) -> None:
        self.meant = meant
        self.ambiguous = ambiguous
        self.places = places

    @property
    def parts(self) -> tuple[object, ...]:
        """What the constructor takes."""
        return self.meant, self.ambiguous, self.places

    def explained(self, form: str) -> str:
        """Why an ambiguous name links to nothing."""
        several = ", ".join(self.ambiguous[form])
        return f"'{form}' means several entities, so it links to none: {several}"


def fold(name: str) -> str:
    """The form in which two spellings of one name are equal."""
    if not name.isascii():
        import unicodedata

        name = unicodedata.normalize("NFC", name)
    return " ".join(name.split()).casefold()


# --- texts ------------------------------------------------------------------------


def mentions(text: str, names: Compiled) -> tuple[list[str], list[str]]:
    """What a text mentions, and the ambiguous names in it.

    Returns:
        (registered names, then wikilinks, then identifiers, each in the order in which
        they first stand; the folded ambiguous names, in the same order).
    """
    found: dict[str, str] = {}
    unclear: dict[str, None] = {}
    if names.places:
        for form in forms(text, names.places):
            if form in names.ambiguous:
                unclear[form] = None
            else:
                name = names.meant[form]
                found.setdefault(fold(name), name)
    if "[[" in text:
        for target in _linked(text, names):
            found.setdefault(fold(target), target)
    count = 0
    for name in identifiers(text):
        form = fold(name)
        if form in names.ambiguous:
            continue
        name = names.meant.get(form, name)
        if fold(name) not in found:
            found[fold(name)] = name
            count += 1
            if count == _MOST_IDENTIFIERS:
                break
    return list(found.values()), list(unclear)


def linked(entry: Entry, names: Compiled) -> tuple[Entry, list[str]]:
    """An entry with what it mentions, and the ambiguous names that it uses.

    The entities that it has stay first and in their order, in the registry's spelling.
    """
    text = f"{entry.title}\n\n{entry.body}" if entry.title else entry.body
    found, unclear = mentions(text, names)
    kept: dict[str, str] = {}
    for name in entry.entities:
        form = fold(name)
        if form in names.ambiguous and form not in unclear:
            unclear.append(form)
        name = names.meant.get(form, name)
        kept.setdefault(fold(name), name)
    for name in found:
        kept.setdefault(fold(name), name)
    entities = tuple(kept.values())
    if entities != entry.entities:
        entry = entry.replace(entities=entities)
    return entry, unclear


def lowered(text: str) -> str:
    """Lower case that keeps every letter at its place."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def words_of(text: str) -> Iterator[tuple[int, str]]:
    """(where, word) of a text; a sign of a script without spaces is a word."""
    pattern = _WORD
    if not text.isascii():
        pattern = f"[{UNSPACED}]|[^\\W{UNSPACED}]+"
    return ((found.start(), found[0]) for found in re.finditer(pattern, text))


def forms(text: str, places: dict[str, list[tuple[str, int, str]]]) -> Iterator[str]:
    """The folded forms in a text as whole words, the longest at each place.

    Args:
        text: any text.
        places: of `Compiled`.
    """
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFC", text)
    text = " ".join(text.split())
    lower = lowered(text)
    done = 0
    for start, word in words_of(lower):
        if word not in places or start < done:
            continue
        for form, offset, way in places[word]:
            begin = start - offset
            end = begin + len(form)
            if (
                begin >= done
                and lower.startswith(form, begin)
                and (not way or text[begin:end] == way)
                and _is_whole(text, begin, end)
            ):
                done = end
                yield fold(form)
                break


def _is_whole(text: str, begin: int, end: int) -> bool:
    """Whether a name stands for itself, and is no part of a word or identifier."""
    before, after = text[begin - 1 : begin], text[end : end + 1]
    if _touches(before, text[begin]) or _touches(text[end - 1], after):
        return False
    if before not in _JOINERS and after not in _JOINERS:
        return True
    left = text.rfind(" ", max(0, begin - 200), begin) + 1
    right = text.find(" ", end, end + 200)
    chunk = text[left : right if right >= 0 else end + 200]
    bare = chunk.strip(_AROUND).rstrip(".")
    if len(bare) <= end - begin:
        return True
    return "://" not in chunk and "@" not in chunk and identifier(bare) is None


def _touches(one: str, other: str) -> bool:
    """Whether two letters beside each other belong to one word."""
    if not (one and other) or not (_is_letter(one) and _is_letter(other)):
        return False
    if one.isascii() and other.isascii():
        return True
    unspaced = f"[{UNSPACED}]"
    return not (re.match(unspaced, one) or re.match(unspaced, other))


def _is_letter(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _linked(text: str, names: Compiled) -> Iterator[str]:
    """The names that wikilinks bring; a link to a file or an entry brings none."""
    from memcli.entries.text.links import wikilinks

    for raw in wikilinks(text):
        target = " ".join(raw.rstrip("\\").split())
        last = target.rpartition("/")[2].removesuffix(".md")
        for form in (fold(target), fold(last)):
            if form in names.meant:
                yield names.meant[form]
                break
        else:
            is_file = last != target or re.search(r"\.\w{1,5}$", target)
            letters = any(map(str.isalpha, target))
            known = fold(target) in names.ambiguous
            if letters and not (
                is_file or known or is_id(target) or len(target) > _LONGEST
            ):
                yield target


# --- identifiers ------------------------------------------------------------------


def identifiers(text: str) -> Iterator[str]:
    """The identifiers of a text, in their order; fenced code is passed over."""
    if "```" in text or "~~~" in text:
        text = re.sub(_FENCE, " ", text, flags=re.DOTALL | re.MULTILINE)
    if "[[" in text:
        text = re.sub(_LINK, " ", text)
    spans = "`" in text
    if spans:
        for span in re.finditer(_SPAN, text):
            yield from _of_span(span[1].strip())
        text = re.sub(_SPAN, " ", text)
    for word in text.split():
        # Nearly every word of prose ends here.
        if word.isalpha() and (word.islower() or word[1:].islower()):
            continue
        bare = word.strip(_AROUND).rstrip(".").rstrip(_AROUND)
        name = identifier(bare)
        if name is not None:
            yield name


def _of_span(span: str) -> Iterator[str]:
    """Identifiers in inline code; one that is the whole span may be plainer."""
    for word in span.split():
        bare = word.strip(_AROUND).rstrip(".").rstrip(_AROUND)
        name = identifier(bare, code=True)
        if name is not None:
            yield name


def identifier(word: str, *, code: bool = False) -> str | None:
    """The identifier that a word is, or None.

    `snake_case`, `CamelCase`, paths, file names, dotted modules, `@scope/package` and
    `package==1.2`, which gives the package. In code also `os.path` and `redis-cli`.
    """
    if not (_SHORTEST <= len(word) <= _LONGEST) or not word.isascii():
        return None
    if "(" in word:
        word = word.partition("(")[0]
    if "://" in word or word.startswith("-") or not any(map(str.isalpha, word)):
        return None
    if "/" in word or "\\" in word:
        return _path(word, code=code)
    signed = not _SIGNS.isdisjoint(word)
    if signed and (pinned := re.fullmatch(_PINNED, word)):
        return pinned[1] if len(pinned[1]) > 1 else None
    if "@" in word or ":" in word:
        return _placed(word)
    if "." in word:
        return _dotted(word, code=code)
    if "_" in word:
        return word if re.fullmatch(_SNAKE, word) else None
    if code and "-" in word:
        return word if re.fullmatch(_HYPHENED, word) else None
    # Compiling the pattern of humps is left out where there are none.
    humps = word[1:] != word[1:].lower()
    return word if humps and len(word) >= _SHORTEST and _is_camel(word) else None


def _placed(word: str) -> str | None:
    """A file with the place in it: `app.py:12` gives `app.py`."""
    name, colon, rest = word.partition(":")
    if colon and "." in name and re.fullmatch(r"\d+(?::\d+)?", rest):
        return _dotted(name, code=False)
    return None


def _path(word: str, *, code: bool) -> str | None:
    word = re.sub(r":\d+(?::\d+)?$", "", word)
    if re.fullmatch(_SCOPED, word):
        return word
    if not re.fullmatch(_PATH, word) or not re.search("[A-Za-z]{2}", word):
        return None
    ending = word.rpartition(".")[2].lower() in _FILE_TYPES and "." in word
    # `and/or` and `read/write/execute` are words; `21/11/2026` has no letter.
    parts = [part for part in re.split(r"[/\\]", word) if part]
    rooted = word.startswith(("/", "~/", "./", "../")) and len(parts) > 1
    marked = any(re.search(r"[._]|[a-z]-[a-z]", part) for part in parts)
    if ending or rooted or (marked and len(parts) > 1) or (code and len(parts) > 1):
        return word
    return None


def _dotted(word: str, *, code: bool) -> str | None:
    stem, _, last = word.rpartition(".")
    if last.lower() in _FILE_TYPES and re.fullmatch(r"[\w.-]*\w", stem):
        return word
    if not re.fullmatch(_DOTTED, word) or len(word) < _SHORTEST:
        return None
    parts = word.split(".")
    # `e.g.` and `U.S.A` have no part of two letters; two plain words may be a sentence
    # without its space.
    if max(map(len, parts)) < 2 or any(not part for part in parts):
        return None
    plain = all(part.isalpha() for part in parts) and len(parts) == 2
    if plain and not code and not any(_is_camel(part) for part in parts):
        return None
    return word


def _is_camel(word: str) -> bool:
    """Whether a word has humps like `parseArgs`, and not those of a random token."""
    if not re.fullmatch(_CAMEL, word):
        return False
    steps = len(re.findall("[a-z0-9][A-Z]", word))
    digits = sum(map(str.isdigit, word))
    return len(word) >= (5 if digits else 3) * steps and digits <= 3 and len(word) <= 50
