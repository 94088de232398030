"""The answers of a judge: read with suspicion, and held against the digest.

Invariant: pure, and bounded in what it reads. An answer is kept only when it cites
turns that the judge could see, says little that neither these nor the digest say, names
no id that was not shown, holds no secret and no order to a model. Each of the others is
refused by itself, with the reason; the rest stays.
"""

from __future__ import annotations

import re
from collections import deque

from memcli.entries import anchors, no_secrets
from memcli.entries.entry import JUDGED, KINDS, SUMMARY_TAG, Confidence, Item
from memcli.entries.text import prompt_injection
from memcli.entries.text.tokens import STOP_WORDS
from memcli.named_tuple import NamedTuple
from memcli.sessions.digest import (
    LONGEST_PHRASE,
    LONGEST_SUMMARY,
    LONGEST_TEXT,
    MOST_ANSWERS,
    MOST_PHRASES,
)
from memcli.sessions.mining import foreign, hands, say_again
from memcli.sessions.mining.candidate import Candidate, Category, excerpt, title
from memcli.sessions.mining.statements import sentences

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

    from memcli.sessions.digest import Digest, Turn

LARGEST = 1_000_000
"""Of an answer, in bytes: what is longer is no answer."""

# The share of a text's content words that the digest holds, and that the cited turns
# hold; and how many of them stand in one passage of a cited turn, for what is made up
# finds its words all over a long turn. Of 31 texts that were written anew of labelled
# turns, 30 hold .58 and .40 or more. Of 6,270 texts of random words 21 met the shares
# and two words anywhere; 3 meet these.
_SHARED = 0.55
_CITED = 0.34
_TOGETHER = 3
_PASSAGE = 12
# Of all its words; less is a text of "if", "now" and "before", which every turn holds.
_CONTENT = 0.2
_SUMMARY = "summary"  # the kind of the answer that sums the session up
_ALIASES = {"correction": "preference", "fact": "note", "rule": "convention"}
_LONGEST_WHY = 300
_MOST_ENTITIES = 10
# Of the turns that an answer cites, so many are asked whether they say it.
_MOST_CITED = 50
# Of an answer in which nothing can be read, the rest is not looked at.
_MOST_REFUSED = 100
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_BETWEEN = re.compile(r"(?:\s+|,|(?:```|~~~)\w*)*")
# Words that texts about different things share.
_COMMON = STOP_WORDS | frozenset(
    "not must out all any also only always never use used uses using user wants want "
    "prefer prefers agent project instead before after done make made now here each "
    "just like some more most very both such same other those because while".split()
)


class Refusal(NamedTuple):
    """A line that was refused: its number, from 1, and why."""

    line: int
    why: str


class _Refused(Exception):
    """Why an answer is not taken."""


def read(
    data: bytes, digest: Digest, kinds: Collection[str] = KINDS, judge: str = "judge"
) -> tuple[list[Candidate], list[Refusal]]:
    """The answers that pass, in their order; and the lines that do not.

    Of several summaries the last one counts.

    Args:
        data: what the judge wrote: JSON objects, or lists of them.
        digest: what it was shown.
        kinds: those of the vault.
        judge: who judged, for the provenance.
    """
    if len(data) > LARGEST:
        return [], [Refusal(1, f"an answer has at most {LARGEST:,} bytes")]
    kept: list[Candidate] = []
    summary: list[Candidate] = []
    refused: list[Refusal] = []
    for number, row in _rows(data.decode("utf-8", "replace")):
        if len(refused) == _MOST_REFUSED:
            break
        try:
            if len(kept) >= MOST_ANSWERS:
                raise _Refused(f"more than {MOST_ANSWERS} answers")
            one = _candidate(row, digest, kinds, judge)
        except _Refused as why:
            refused.append(Refusal(number, str(why)))
            continue
        if one.tags:
            summary = [one]
        else:
            kept.append(one)
    return kept + summary, refused


def _rows(text: str) -> Iterator[tuple[int, Any]]:
    """(line, value) of each JSON value; None for a line in which none begins."""
    import json

    decoder = json.JSONDecoder()
    at, line = 0, 1
    while at < len(text):
        start = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]  # or empty
        line += text.count("\n", at, start)
        if start == len(text):
            return
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            value, at = None, text.find("\n", start) + 1 or len(text)
        for one in value if isinstance(value, list) else [value]:
            yield line, one
        line += text.count("\n", start, at)


def _candidate(
    row: Any, digest: Digest, kinds: Collection[str], judge: str
) -> Candidate:
    if not isinstance(row, dict):
        raise _Refused("is no JSON object")
    turns = _turns(row.get("turns"), digest)
    known = {one.id: one for one in digest.known}
    confirms, evolves = (_text(row, name).strip() for name in ("confirms", "evolves"))
    resolves = () if confirms else _names(row, "resolves")
    about = [confirms] if confirms else [*filter(None, [evolves]), *resolves]
    for name in about:
        if name not in known:
            raise _Refused(f"the digest showed no entry {name[:40]!r}")
    more: dict[str, Any] = {"confirms": confirms}
    if confirms:  # in the entry's own words: a sighting of it
        kind, text, why = known[confirms].kind, known[confirms].text, "said again"
        confidence = Confidence.HIGH
    else:
        kind, text, confidence = _claim(row, kinds)
        why = " ".join(_text(row, "why").split())[:_LONGEST_WHY]
        more = {**_optional(row), "evolves": evolves or None, "resolves": resolves}
        said = " ".join((text, why, *more["entities"], *more["asked"]))
        # A summary is of the whole session, whichever turns it names.
        cited = digest.turns if kind == _SUMMARY else turns
        _check_words(text, said, digest, cited, [known[name].text for name in about])
    steps = [one.step for one in digest.turns]
    cited = turns[:_MOST_CITED]
    own = any(say_again(text, steps, one.number - 1, one.before) for one in cited)
    if confirms and not own:
        raise _Refused("the turns that it cites do not say so again")
    numbers = ", ".join(str(one.number) for one in turns)
    found = f"judged by {judge} from turn {numbers}"
    place = turns[0].step
    if kind == _SUMMARY:
        kind, why, place = "event", "the session in short", turns[-1].step
        more["tags"] = (SUMMARY_TAG,)
    elif any(one.step.program for one in turns) or not (
        confirms or _is_said(text, turns, digest)
    ):
        confidence, more["doubtful"] = Confidence.MEDIUM, True
    category: Category = "preference"
    if kind in ("fix", "workflow", "idea") and not confirms:
        category = kind  # type: ignore[assignment]  # it is one of these
    return Candidate(
        category=category,
        confidence=confidence,
        pattern=JUDGED,
        rationale=f"{why.rstrip('.') or 'durable'} ({found})",
        title=title(_SENTENCE.split(text)[0], category),
        text=text,
        excerpt=excerpt(place.text, place.text[:200]),
        line=place.line,
        record=place.record,
        at=place.at,
        kind=kind,
        own=own,
        **more,
    )


def _claim(row: dict[str, Any], kinds: Collection[str]) -> tuple[str, str, Confidence]:
    """The kind, the text and the confidence of an answer."""
    text = " ".join(_text(row, "text").split())
    if not text:
        raise _Refused("has no text")
    kind = _text(row, "kind").strip().lower()
    kind = _ALIASES.get(kind, kind)
    if kind != _SUMMARY and kind not in kinds:
        raise _Refused(f"there is no kind {kind!r}")
    longest = LONGEST_SUMMARY if kind == _SUMMARY else LONGEST_TEXT
    if len(text) > longest:
        raise _Refused(f"its text is longer than {longest} characters")
    level = "HIGH" if kind == _SUMMARY else _text(row, "confidence").strip().upper()
    if level not in ("HIGH", "MEDIUM"):
        raise _Refused("its confidence is neither HIGH nor MEDIUM")
    return kind, text, Confidence(level)


def _optional(row: dict[str, Any]) -> dict[str, Any]:
    """The fields of a candidate that an answer may leave out."""
    item = _text(row, "item").strip().lower()
    if item and item not in list(Item):
        raise _Refused(f"there is no item {item[:40]!r}")
    phrases = (" ".join(one.split()) for one in _names(row, "asked"))
    short = tuple(one for one in phrases if len(one) <= LONGEST_PHRASE)
    return {
        "entities": _names(row, "entities")[:_MOST_ENTITIES],
        "everywhere": row.get("project") == "none",
        "code": _names(row, "code")[: anchors.MOST],
        "item": Item(item) if item else None,
        "asked": short[:MOST_PHRASES],
    }


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _Refused(f"{name} is no text")
    return value


def _names(row: dict[str, Any], name: str) -> tuple[str, ...]:
    value = row.get(name)
    if value is None:
        return ()
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise _Refused(f"{name} is no list of texts")
    return tuple(one.strip()[:100] for one in value if one.strip())


def _turns(value: Any, digest: Digest) -> tuple[Turn, ...]:
    value = [value] if isinstance(value, int) else value
    if not isinstance(value, list) or not value:
        raise _Refused("cites no turn")
    by_number = {one.number: one for one in digest.turns}
    for number in value:
        if type(number) is not int or number not in by_number:
            raise _Refused(f"there is no turn {str(number)[:20]} in the digest")
    return tuple(by_number[number] for number in sorted(set(value)))


def _check_words(
    text: str, said: str, digest: Digest, turns: Sequence[Turn], about: Sequence[str]
) -> None:
    """Refuse a secret, an order to a model, and what was made up.

    Args:
        text: the claim.
        said: all words of the answer.
        digest: what the judge was shown.
        turns: those that it cites.
        about: the texts of the entries that it names.
    """
    if no_secrets.redact(said) != said or no_secrets.is_told(said):
        raise _Refused("holds what looks like a secret")
    doubt = prompt_injection.suspicious(said)
    if doubt is not None:
        raise _Refused(f"is no memory: it {doubt}")
    words = {*_words(text)}
    cited = [*map(_seen, turns), *about]
    shown = map(_seen, digest.turns)
    everything = {*_words(" ".join([*shown, *cited, digest.project or ""]))}
    if len(words) < _CONTENT * len(text.split()) or not _holds(cited, words):
        raise _Refused("shares too little with the turns that it cites")
    if len(words & everything) < _SHARED * len(words):
        raise _Refused("says more than the session does")


def _holds(parts: Sequence[str], words: set[str]) -> bool:
    """Whether parts of a session hold a claim of these words."""
    own = words.intersection(_words(" ".join(parts)))
    # A short claim has all of its words there, wherever they stand.
    together = len(own) if len(words) <= _TOGETHER else _together(words, parts)
    enough = min(_TOGETHER, len(words))
    return len(own) >= _CITED * len(words) and together >= enough


def _together(words: set[str], parts: Sequence[str]) -> int:
    """How many of these words stand in one passage of a part, at most."""
    most = 0
    for part in parts:
        passage: deque[str] = deque(maxlen=_PASSAGE)
        for word in _words(part):
            passage.append(word)
            if word in words:
                most = max(most, len(words.intersection(passage)))
    return most


def _seen(turn: Turn) -> str:
    """The words of a turn, with the agent's lines beside it and what was pasted."""
    return f"{turn.before} {turn.step.text} {turn.after}"


def _is_said(text: str, turns: Sequence[Turn], digest: Digest) -> bool:
    """Whether a person typed the words of a claim, and nothing that denies it."""
    words = {*_words(text)}
    said = (one.plain for turn in turns for one in sentences(turn.step.text))
    nearest = max(said, key=lambda one: len(words & {*_words(one)}), default="")
    typed = [_typed(one, digest) for one in turns]
    return _holds(typed, words) and not hands.denies(nearest, text)


def _typed(turn: Turn, digest: Digest) -> str:
    """The words of a turn that are the person's own, as far as it shows."""
    text = turn.step.text
    before = digest.turns[turn.number - 2].step.text if turn.number > 1 else ""
    if not turn.before and hands.introduces(before):
        return ""
    return " ".join(text[start:end] for start, end in foreign.own(text))


def _words(text: str) -> list[str]:
    """The content words of a text in their order, cut so that their forms meet."""
    found = re.findall(r"[^\W_]{3,}|[^\x00-\x7f]", text.lower())
    return [word[:5] for word in found if word not in _COMMON]
