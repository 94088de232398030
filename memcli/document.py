"""An entry as the index holds it: terms with weights, exact values, facts, a row.

Invariant: pure; the same file gives the same document. Whatever recall or inspect
shows of an entry without opening its file is in the row, and is added here.
"""

import re
import unicodedata
from typing import Any, NamedTuple

from memcli import analysis, decay, layout, temporal
from memcli.eligibility import Facts
from memcli.entry import Entry, Status
from memcli.sameness import claim, fingerprint

# How often a term counts that stands in a field beside the body. Powers of two, so
# that sums of them are exact in any order. Title: AgentM measured +3.8 points of
# hit@1 for a boosted title; date words: +1 to +3 points of R@10 on LoCoMo.
_TITLE, _TAG, _ENTITY, _DATE = 2.0, 1.0, 1.0, 1.0
# The most frequent terms that relevance feedback may draw from.
_KEY_TERMS = 48

# Stands for "no tags" where tags are looked up; no tag can be it.
UNTAGGED = "-"

_WIKILINK = re.compile(r"!?\[\[([^\[\]|#^]+)(?:[#^|][^\[\]]*)?\]\]")
_MDLINK = re.compile(r"(?<!!)\[[^\[\]]*\]\(<?([^()<>\s]+\.md)(?:#[^()\s]*)?>?\)")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)


# Keys by which notes of Obsidian and basic-memory go by further names.
_ALIAS_KEYS = ("aliases", "alias", "permalink")


class Document(NamedTuple):
    """What the index stores of one file."""

    terms: dict[str, float]
    exact: dict[str, tuple[str, ...]]
    facts: Facts
    length: int
    time: int
    seq: int
    asks: bool
    is_span: bool
    row: dict[str, Any]


def document(
    entry: Entry, stem: analysis.Stem, policies: decay.Policies = decay.DEFAULTS
) -> Document:
    """Turn an entry into what the index stores.

    Args:
        entry: as decoded, with its path.
        stem: maps a lower-case word to its stem.
        policies: how long reflection items last.
    """
    body = analysis.terms(entry.body, stem)
    terms = _count(body)
    # A title that the body does not open with adds its words; one drawn from
    # the body is there already.
    shown = entry.display_title
    title = analysis.terms(shown, stem) if entry.title or not body else []
    _add(terms, title, _TITLE)
    for tag in entry.tags:
        _add(terms, analysis.terms(tag, stem), _TAG)
    for entity in entry.entities:
        _add(terms, analysis.terms(entity, stem), _ENTITY)
    length = len(body) + len(title)
    key_terms = sorted(terms, key=lambda t: (-terms[t], t))[:_KEY_TERMS]
    kept = {text: terms[text] for text in key_terms}
    when = entry.occurred_at or entry.created
    _add(
        terms, [stem(word) for word in temporal.date_words(when)] if when else [], _DATE
    )
    return Document(
        terms=terms,
        exact=_exact(entry),
        facts=facts(entry, policies),
        length=length,
        time=_epoch(when),
        seq=-1 if entry.source.seq is None else entry.source.seq,
        asks=entry.body.rstrip().endswith(("?", "\uff1f", "\u061f")),
        # A year kept as its first of January let recency flip a correct order.
        is_span=bool(entry.occurred_until or (when and len(when) < len("2026-01-01"))),
        row=_row(entry, shown) | {"terms": kept},
    )


def facts(entry: Entry, policies: decay.Policies = decay.DEFAULTS) -> Facts:
    """What eligibility needs to know of an entry."""
    ended = 0
    if entry.status is Status.RESOLVED:
        ended = _epoch(entry.resolved_at or entry.updated)
    elif entry.status in (Status.SUPERSEDED, Status.EXPIRED):
        ended = _epoch(entry.updated)
    return Facts(
        status=entry.status,
        created=_epoch(entry.created),
        expires=decay.ends(entry, policies),
        ended=ended,
        agent=entry.agent,
        visibility=entry.visibility,
        groups=entry.groups,
    )


def document_id(entry: Entry) -> str:
    """The session or document that an entry came from, or the empty string."""
    return entry.source.session or entry.source.transcript or ""


def links(body: str) -> tuple[str, ...]:
    """Targets of `[[wikilinks]]` and of markdown links to notes, as written.

    Code is left out: `[[ -f x ]]` in a shell script links to nothing.
    """
    if "[" not in body:
        return ()
    text = _CODE.sub("", body) if "`" in body else body
    found = [target.strip() for target in _WIKILINK.findall(text)]
    found += [target for target in _MDLINK.findall(text) if "://" not in target]
    return tuple(dict.fromkeys(target for target in found if target))


def unlinked(text: str) -> str:
    """The text with wikilinks that are none any more; in code nothing changes.

    For what was said in a session: `[[ -f x ]]` there means no note of the vault.

    >>> unlinked("Use [[ ]] and not `[[`")
    'Use \\\\[\\\\[ ]] and not `[[`'
    """
    if "[[" not in text:
        return text
    parts, place = [], 0
    for code in _CODE.finditer(text):
        parts += [_escaped(text[place : code.start()]), code[0]]
        place = code.end()
    return "".join((*parts, _escaped(text[place:])))


def _escaped(text: str) -> str:
    return re.sub(r"\[{2,}", lambda match: "\\[" * len(match[0]), text)


def wikilinks(body: str) -> tuple[str, ...]:
    """Targets of `[[wikilinks]]` alone, as written."""
    text = _CODE.sub("", body) if "`" in body else body
    found = (target.strip() for target in _WIKILINK.findall(text))
    return tuple(dict.fromkeys(target for target in found if target))


def links_of(entry: Entry) -> tuple[str, ...]:
    """Targets of an entry's links: in its body, and those that it was left (`links:`).

    `evolve` writes the latter, so that rewording a text does not cut a link.
    """
    found = links(entry.body)
    for name, lines in entry.extra:
        if name == "links" and "[[" in lines:
            from memcli.page import values_of

            found += links("\n".join(values_of(lines)))
    return tuple(dict.fromkeys(found))


def link_keys(entry_id: str, path: str, title: str) -> tuple[str, ...]:
    """The names by which a link may mean an entry: id, path, file name, title.

    What was archived answers to its earlier path, too, behind what is there now.
    """
    keys = [entry_id]
    for place in dict.fromkeys((path, layout.before_archive(path))):
        stem = place.removesuffix(".md")
        keys += (stem, stem.rpartition("/")[2])
    keys.append(title)
    return tuple(dict.fromkeys(composed(key.casefold()) for key in keys if key))


def link_names(entry: Entry) -> tuple[str, ...]:
    """The names by which a link may mean an entry, its aliases included."""
    names = link_keys(entry.id, entry.path, entry.display_title)
    return tuple(dict.fromkeys((*names, *map(composed, aliases(entry)))))


def aliases(entry: Entry) -> list[str]:
    """Further names that a note gives itself in its frontmatter, in lower case."""
    found = [lines for name, lines in entry.extra if name in _ALIAS_KEYS]
    if not found:
        return []
    from memcli.page import values_of

    return [alias.casefold() for lines in found for alias in values_of(lines)]


def link_readings(target: str, path: str) -> tuple[str, ...]:
    """What a link in the file at `path` may mean, the likeliest of `link_keys` first.

    As written, relative to its own folder, or the last part of it as a name.
    """
    # In a table the bar before a link's label is escaped: [[Note\\|label]].
    plain = target.strip().rstrip("\\")
    spellings = [plain]
    if "%" in plain:
        from urllib.parse import unquote

        spellings.append(unquote(plain))
    folder = path.rpartition("/")[0].casefold()
    found: list[str] = []
    for spelling in spellings:
        key = composed(spelling.removesuffix(".md").removeprefix("./").casefold())
        found += (key, _joined(folder, key), key.rpartition("/")[2])
    return tuple(dict.fromkeys(name for name in found if name))


def composed(name: str) -> str:
    """The name as people type it; macOS hands out names with accents apart."""
    return name if name.isascii() else unicodedata.normalize("NFC", name).casefold()


def _joined(folder: str, key: str) -> str:
    parts: list[str] = []
    for part in (*folder.split("/"), *key.split("/")):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def name_key(entity: str) -> str:
    """An entity's name in the form in which the index finds it."""
    return " ".join(analysis.words(entity))


def _exact(entry: Entry) -> dict[str, tuple[str, ...]]:
    source = document_id(entry)
    return {
        "id": (entry.id,),
        "path": (entry.path,),
        "kind": (entry.kind,),
        "type": (str(entry.type),),
        "layer": (str(entry.layer),),
        "status": (str(entry.status),),
        "tag": entry.tags or (UNTAGGED,),
        "entity": tuple(name_key(name) for name in entry.entities),
        "session": (source,) if source else (),
        "fingerprint": (fingerprint(entry.body),),
        "link": tuple(
            name
            for target in links_of(entry)
            for name in link_readings(target, entry.path)
        ),
        "name": link_names(entry),
        "agent": (entry.agent,) if entry.agent else (),
        "visibility": (str(entry.visibility),),
        "group": entry.groups,
        "claim": (claim(entry.body),),
        "supersedes": (entry.supersedes,) if entry.supersedes else (),
        "superseded_by": (entry.superseded_by,) if entry.superseded_by else (),
        "evidence": entry.evidence,
        "item": (str(entry.item),) if entry.item else (),
    }


def _row(entry: Entry, title: str) -> dict[str, Any]:
    source = {k: v for k, v in entry.source._asdict().items() if v is not None}
    return {
        "id": entry.id,
        "text": entry.body.strip(),
        "title": title,
        "kind": entry.kind,
        "layer": str(entry.layer),
        "subtype": entry.subtype and str(entry.subtype),
        "type": str(entry.type),
        "status": str(entry.status),
        "tags": list(entry.tags),
        "entities": list(entry.entities),
        "occurred_at": entry.occurred_at,
        "occurred_until": entry.occurred_until,
        "created": entry.created,
        "updated": entry.updated,
        "document_id": document_id(entry) or None,
        "origin": source,
        "pinned": entry.pinned,
        "supersedes": entry.supersedes,
        "superseded_by": entry.superseded_by,
        "reason": entry.reason,
        "resolved_at": entry.resolved_at,
        "resolved_by": entry.resolved_by,
        "resolution_note": entry.resolution_note,
        "confidence": entry.confidence and str(entry.confidence),
        "rationale": entry.rationale,
        "item": entry.item and str(entry.item),
        "seen": list(entry.seen),
        "evidence": list(entry.evidence),
        "fingerprints": list(entry.fingerprints),
        "refreshed_at": entry.refreshed_at,
        "expires_at": entry.expires_at,
        "review_after": entry.review_after,
        "agent": entry.agent,
        "visibility": str(entry.visibility),
        "groups": list(entry.groups),
        "path": entry.path,
        "own": not entry.id.startswith("z"),
    }


def _count(words: list[str]) -> dict[str, float]:
    counts: dict[str, float] = {}
    for word in words:
        counts[word] = counts.get(word, 0.0) + 1.0
    return counts


def _add(counts: dict[str, float], words: list[str], weight: float) -> None:
    for word in words:
        counts[word] = counts.get(word, 0.0) + weight


def _epoch(value: str | None) -> int:
    return temporal.to_epoch(value) if value else 0


def numbered(text: str) -> int:
    """A 64-bit number that depends on the text alone; never 0."""
    from hashlib import blake2b

    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") or 1
