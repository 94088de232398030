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
from memcli.entries.entry import KINDS, Confidence, Item
from memcli.entries.text import prompt_injection
from memcli.entries.text.tokens import STOP_WORDS
from memcli.named_tuple import NamedTuple
from memcli.sessions.judging.digest import (
    LONGEST_PHRASE,
    LONGEST_SUMMARY,
    LONGEST_TEXT,
    MOST_ANSWERS,
    MOST_PHRASES,
    Digest,
    Known,
    Turn,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

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
# Of an entry that the cited turns say again, in words.
_AGAIN = 2
SUMMARY = "summary"
"""The kind of the answer that sums the session up."""

_ALIASES = {"correction": "preference", "fact": "note", "rule": "convention"}
_LONGEST_WHY = 300
_MOST_ENTITIES = 10
# Of an answer in which nothing can be read, the rest is not looked at.
_MOST_REFUSED = 100
_BETWEEN = re.compile(r"(?:\s+|,|(?:```|~~~)\w*)*")
# Words that texts about different things share.
_COMMON = STOP_WORDS | frozenset(
    "not must out all any also only always never use used uses using user wants want "
    "prefer prefers agent project instead before after done make made now here each "
    "just like some more most very both such same other those because while".split()
)


class Answer(NamedTuple):
    """One claim of a judge that passed.

    Attributes:
        turns: the turns that it cites, the first of them first.
        kind: of the entry; an `idea` is put aside, `SUMMARY` is of the session.
        text, why, confidence: as the judge gave them.
        entities: names.
        project: "none" when it holds everywhere; None: where the session was.
        evolves: the entry that it would replace; None for none.
        resolves: entries that it says are settled.
        code: files or lines of the project that it speaks of, as the judge gave them.
        item: the reflection item that it is, which fades; None for what stays.
        asked: phrases in which somebody may look for it.
        confirms: the entry that was said again; it has no text of its own then.
    """

    turns: tuple[Turn, ...]
    kind: str
    text: str
    why: str
    confidence: Confidence
    entities: tuple[str, ...] = ()
    project: str | None = None
    evolves: str | None = None
    resolves: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    item: Item | None = None
    asked: tuple[str, ...] = ()
    confirms: str | None = None


class Refusal(NamedTuple):
    """A line that was refused: its number, from 1, and why."""

    line: int
    why: str


class _Refused(Exception):
    """Why an answer is not taken."""


def read(
    data: bytes, digest: Digest, kinds: Collection[str] = KINDS
) -> tuple[list[Answer], list[Refusal]]:
    """The answers that pass, in their order, and the lines that do not.

    Of several summaries the last one counts.

    Args:
        data: what the judge wrote: JSON objects, or lists of them.
        digest: what it was shown.
        kinds: those of the vault.
    """
    if len(data) > LARGEST:
        return [], [Refusal(1, f"an answer has at most {LARGEST:,} bytes")]
    kept: list[Answer] = []
    refused: list[Refusal] = []
    known = {one.id: one for one in digest.known}
    summary: list[Answer] = []
    for number, row in _rows(data.decode("utf-8", "replace")):
        try:
            if len(kept) >= MOST_ANSWERS:
                raise _Refused(f"more than {MOST_ANSWERS} answers")
            answer = _answer(row, digest, kinds)
            _check_ids(answer, known)
            _check_words(answer, digest, known)
            if any(_same(answer, other) for other in kept):
                raise _Refused("said before in the same words")
        except _Refused as why:
            refused.append(Refusal(number, str(why)))
            if len(refused) == _MOST_REFUSED:
                break
        else:
            if answer.kind == SUMMARY:
                summary = [answer]
            else:
                kept.append(answer)
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


def _answer(row: Any, digest: Digest, kinds: Collection[str]) -> Answer:
    if not isinstance(row, dict):
        raise _Refused("is no JSON object")
    turns = _turns(row.get("turns"), digest)
    confirms = _text(row, "confirms").strip()
    if confirms:
        return Answer(turns, "", "", "", Confidence.HIGH, confirms=confirms)
    text = " ".join(_text(row, "text").split())
    if not text:
        raise _Refused("has no text")
    kind = _text(row, "kind").strip().lower()
    kind = _ALIASES.get(kind, kind)
    if kind != SUMMARY and kind not in kinds:
        raise _Refused(f"there is no kind {kind!r}")
    longest = LONGEST_SUMMARY if kind == SUMMARY else LONGEST_TEXT
    if len(text) > longest:
        raise _Refused(f"its text is longer than {longest} characters")
    item = _text(row, "item").strip().lower()
    if item and item not in list(Item):
        raise _Refused(f"there is no item {item[:40]!r}")
    level = _text(row, "confidence").strip().upper()
    if kind == SUMMARY:
        level = "HIGH"
    if level not in ("HIGH", "MEDIUM"):
        raise _Refused("its confidence is neither HIGH nor MEDIUM")
    return Answer(
        turns=turns,
        kind=kind,
        text=text,
        why=" ".join(_text(row, "why").split())[:_LONGEST_WHY],
        confidence=Confidence(level),
        entities=_names(row, "entities")[:_MOST_ENTITIES],
        project="none" if row.get("project") == "none" else None,
        evolves=_text(row, "evolves").strip() or None,
        resolves=_names(row, "resolves"),
        code=_names(row, "code")[: anchors.MOST],
        item=Item(item) if item else None,
        asked=_phrases(row),
    )


def _phrases(row: dict[str, Any]) -> tuple[str, ...]:
    """The phrases of an answer; one that is too long is left out."""
    found = (" ".join(one.split()) for one in _names(row, "asked"))
    return tuple(one for one in found if len(one) <= LONGEST_PHRASE)[:MOST_PHRASES]


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
        whole = isinstance(number, int) and not isinstance(number, bool)
        if not whole or number not in by_number:
            raise _Refused(f"there is no turn {str(number)[:20]} in the digest")
    return tuple(by_number[number] for number in sorted(set(value)))


def _check_ids(answer: Answer, known: dict[str, Known]) -> None:
    for name in (answer.evolves, answer.confirms, *answer.resolves):
        if name and name not in known:
            raise _Refused(f"the digest showed no entry {name[:40]!r}")


def _check_words(answer: Answer, digest: Digest, known: dict[str, Known]) -> None:
    """Refuse a secret, an order to a model, and what was made up."""
    if answer.confirms:
        words = {*_words(known[answer.confirms].text)}
        again = _together(words, [_seen(one) for one in answer.turns])
        if again < max(min(_AGAIN, len(words)), _CITED * len(words)):
            raise _Refused("the turns that it cites do not say so again")
        return
    said = " ".join((answer.text, answer.why, *answer.entities, *answer.asked))
    if no_secrets.redact(said) != said:
        raise _Refused("holds what looks like a secret")
    doubt = prompt_injection.suspicious(said)
    if doubt is not None:
        raise _Refused(f"is no memory: it {doubt}")
    words = {*_words(answer.text)}
    # A summary is of the whole session, whichever turns it names.
    turns = digest.turns if answer.kind == SUMMARY else answer.turns
    cited = [_seen(one) for one in turns]
    cited += [known[name].text for name in (answer.evolves, *answer.resolves) if name]
    shown = map(_seen, digest.turns)
    everything = {*_words(" ".join([*shown, *cited, digest.project or ""]))}
    own = words.intersection(_words(" ".join(cited)))
    # A short claim has all of its words there, wherever they stand.
    short = len(words) <= _TOGETHER
    together = len(own) if short else _together(words, cited)
    if (
        len(words) < _CONTENT * len(answer.text.split())
        or len(own) < _CITED * len(words)
        or together < min(_TOGETHER, len(words))
    ):
        raise _Refused("shares too little with the turns that it cites")
    if len(words & everything) < _SHARED * len(words):
        raise _Refused("says more than the session does")


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


def _words(text: str) -> list[str]:
    """The content words of a text in their order, cut so that their forms meet."""
    found = re.findall(r"[^\W_]{3,}|[^\x00-\x7f]", text.lower())
    return [word[:5] for word in found if word not in _COMMON]


def _same(one: Answer, other: Answer) -> bool:
    if one.confirms or other.confirms:
        return one.confirms == other.confirms
    return one.kind == other.kind and {*_words(one.text)} == {*_words(other.text)}
