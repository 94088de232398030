"""Generated notes with realistic word frequencies, the same bytes for the same seed.

Words follow a Zipf-Mandelbrot law over 30,000 types (written words, their inflections,
identifiers, paths, versions, code names); a note repeats the words of its topic, as
real notes do; one note in five has a word of its own too (a commit hash, a ticket).
The notes of a smaller corpus are the first notes of a larger one with the same seed.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import accumulate, zip_longest
from random import Random
from typing import TYPE_CHECKING, Any

from tests.benchmarks.words import ENGLISH, FIRST_NAMES, FUNCTION_WORDS, SOFTWARE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TYPES = 30_000
# rank + 2.7 to the power of 1.07: the constants usually fitted to English prose; they
# put the first word at 3 % of the text and half of all types below one in 300,000.
MANDELBROT_SHIFT = 2.7
MANDELBROT_POWER = 1.07
FIRST_DAY = datetime(2024, 11, 1, 8, tzinfo=UTC)
DAYS = 730
KINDS = (
    ("note", 40),
    ("decision", 14),
    ("fix", 12),
    ("preference", 6),
    ("workflow", 6),
    ("event", 6),
    ("convention", 4),
    ("reference", 4),
    ("lesson", 4),
    ("constraint", 2),
    ("blocker", 2),
)
QUESTIONS = (
    "What did we decide about {} {} when {} and {} met {}?",
    "How does {} relate to {} and {} in the {} {}?",
    "Why was the {} {} changed for {} and {} {}?",
    "Where is {} {} described with {}, {} and {}?",
    "Who worked on {} and {} before the {} {} {}?",
    "Do you remember {} {} and the {} of {} {}?",
)


# One line for `memcli import FILE.jsonl`.
Note = dict[str, Any]


class Vocabulary:
    """30,000 words in order of frequency and the odds of each."""

    def __init__(self, seed: int) -> None:
        """Build the words; the same seed builds the same words."""
        rng = Random(f"vocabulary:{seed}")
        pairs = zip_longest(SOFTWARE, ENGLISH, fillvalue="")
        written = [word for pair in pairs for word in pair if word]
        seen = set(FUNCTION_WORDS)
        words = list(FUNCTION_WORDS)
        for word in written:
            if word not in seen:
                seen.add(word)
                words.append(word)
        content = words[len(FUNCTION_WORDS) :]
        forms = [form for word in content for form in _inflections(word)]
        forms = [form for form in dict.fromkeys(forms) if form not in seen]
        coined = [_coined(rng, content) for _ in range(2 * TYPES)]
        coined = [word for word in dict.fromkeys(coined) if word not in seen]
        rng.shuffle(forms)
        # Inflected words are commoner in prose than any one identifier: a fifth of the
        # middle ranks are identifiers, and most of the tail.
        while forms:
            words += [forms.pop() if rng.random() < 0.8 else coined.pop()]
        words += coined
        self.words = list(dict.fromkeys(words))[:TYPES]
        self.rank = {word: rank for rank, word in enumerate(self.words)}
        self.first_content = len(FUNCTION_WORDS)
        weights = [
            1 / (rank + 1 + MANDELBROT_SHIFT) ** MANDELBROT_POWER
            for rank in range(TYPES)
        ]
        self.cumulative = list(accumulate(weights))
        self.content_cumulative = list(accumulate(weights[self.first_content :]))


def _inflections(word: str) -> list[str]:
    if len(word) < 3:
        return []
    if word.endswith("e"):
        return [f"{word}s", f"{word}d", f"{word[:-1]}ing", f"{word}r"]
    if word.endswith("y") and word[-2] not in "aeiou":
        return [f"{word[:-1]}ies", f"{word[:-1]}ied", f"{word}ing"]
    if word.endswith(("s", "x", "ch", "sh")):
        return [f"{word}es", f"{word}ed", f"{word}ing"]
    # Doubled consonants (commit, committed) are where stemmers fail.
    short = len(word) <= 4 and word[-1] in "bdgmnpt" and word[-2] in "aeiou"
    stem = word + word[-1] if short and word[-3] not in "aeiou" else word
    return [f"{word}s", f"{stem}ed", f"{stem}ing", f"{stem}er"]


def _coined(rng: Random, content: Sequence[str]) -> str:
    one, two = rng.choice(content), rng.choice(content)
    form = rng.randrange(10)
    if form < 3:
        return f"{one}_{two}"
    if form < 5:
        return one.capitalize() + two.capitalize()
    if form == 5:
        return f"{one}-{two}"
    if form == 6:
        return f"src/{one}/{two}.py"
    if form == 7:
        return f"v{rng.randrange(9)}.{rng.randrange(40)}.{rng.randrange(20)}"
    if form == 8:
        return f"{rng.randrange(1000, 65000)}"
    syllables = [
        rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") + rng.choice("nrls ").strip()
        for _ in range(rng.randrange(2, 4))
    ]
    return "".join(syllables)


def notes(count: int, seed: int = 1) -> Iterator[Note]:
    """Yield `count` notes, each ready to be one line of `memcli import FILE.jsonl`."""
    vocabulary = Vocabulary(seed)
    rng = Random(f"notes:{seed}")
    content = vocabulary.words[vocabulary.first_content :]
    people = [
        f"{first} {chr(65 + (place * 7) % 26)}."
        for place, first in enumerate(FIRST_NAMES)
    ]
    topics = [
        rng.choices(content, cum_weights=vocabulary.content_cumulative, k=40)
        for _ in range(400)
    ]
    kinds, odds = zip(*KINDS, strict=True)
    session, left, at, topic = 0, 0, FIRST_DAY, topics[0]
    in_session = False
    seq = 0
    for _ in range(count):
        if left == 0:
            session += 1
            in_session = rng.random() < 0.06
            left = rng.randrange(4, 30) if in_session else 1
            seconds = rng.randrange(DAYS * 86_400)
            at = FIRST_DAY + timedelta(seconds=seconds)
            topic = rng.choice(topics)
            seq = 0
        left -= 1
        seq += 1
        at += timedelta(seconds=rng.randrange(20, 900))
        note: Note = {
            "text": _body(rng, vocabulary, topic),
            "title": _title(rng, topic, content, vocabulary),
            "kind": rng.choices(kinds, weights=odds)[0],
        }
        tags = {w for w in rng.sample(topic, k=rng.randrange(1, 4)) if w.isalpha()}
        note["tags"] = [tag.lower() for tag in sorted(tags)] or ["misc"]
        note["occurred_at"] = at.strftime("%Y-%m-%dT%H:%M:%SZ")
        if rng.random() < 0.4:
            note["entities"] = rng.sample(people, k=rng.randrange(1, 3))
        if in_session:
            note["source"] = {"session": f"session-{session:06d}", "seq": seq}
        yield note


def _title(
    rng: Random, topic: Sequence[str], content: Sequence[str], vocabulary: Vocabulary
) -> str:
    chosen = rng.sample(topic, k=2) + rng.choices(
        content, cum_weights=vocabulary.content_cumulative, k=2
    )
    rng.shuffle(chosen)
    chosen.insert(2, rng.choice(("for", "and", "in", "with", "after")))
    title = " ".join(chosen)
    return title[0].upper() + title[1:]


def _body(rng: Random, vocabulary: Vocabulary, topic: Sequence[str]) -> str:
    length = rng.randrange(40, 151)
    words = rng.choices(vocabulary.words, cum_weights=vocabulary.cumulative, k=length)
    for place in range(length):
        # A third of the content words come from the topic: text repeats itself.
        content = vocabulary.rank[words[place]] >= vocabulary.first_content
        if content and rng.random() < 0.33:
            words[place] = rng.choice(topic)
    if rng.random() < 0.2:
        own = rng.choice((f"{rng.getrandbits(36):09x}", f"OPS-{rng.randrange(10**6)}"))
        words[rng.randrange(length)] = own
    blocks: list[str] = []
    sentences: list[str] = []
    start = 0
    while start < length:
        end = min(length, start + rng.randrange(6, 18))
        sentence = " ".join(words[start:end])
        sentences.append(sentence[0].upper() + sentence[1:] + ".")
        start = end
        if rng.random() < 0.25:
            blocks.append(" ".join(sentences))
            sentences = []
    if sentences:
        blocks.append(" ".join(sentences))
    if len(blocks) > 2 and rng.random() < 0.3:
        blocks[1] = "- " + blocks[1].replace(". ", ".\n- ")
    return "\n\n".join(blocks) + "\n"


def questions(corpus: Sequence[Note], count: int, seed: int = 1) -> list[str]:
    """Ask `count` questions of five content words that one note of `corpus` holds.

    One common, two or three middling and one or two rare words each, in the wording
    of a natural question.
    """
    vocabulary = Vocabulary(seed)
    rng = Random(f"questions:{seed}:{len(corpus)}")
    asked: list[str] = []
    while len(asked) < count:
        text = rng.choice(corpus)["text"].replace("\n- ", "\n")
        bare = dict.fromkeys(word.strip(".") for word in text.split())
        bands: tuple[list[str], list[str], list[str]] = ([], [], [])
        for word in bare:
            rank = vocabulary.rank.get(word)
            if rank is None or rank < vocabulary.first_content:
                continue
            bands[0 if rank < 400 else 1 if rank < 3000 else 2].append(word)
        rare = rng.randrange(1, 3)
        wanted = (1, 4 - rare, rare)
        if any(len(band) < k for band, k in zip(bands, wanted, strict=True)):
            continue
        words = [
            word
            for band, k in zip(bands, wanted, strict=True)
            for word in rng.sample(band, k)
        ]
        if sum(not (word.isalpha() and word[1:].islower()) for word in words) > 1:
            continue
        rng.shuffle(words)
        asked.append(rng.choice(QUESTIONS).format(*words))
    return asked
