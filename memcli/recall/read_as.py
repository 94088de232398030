"""What a row says of the words of the question that it holds another word for.

Invariant: pure. Words are shown as the row spells them, not as the index holds them.
"""

from __future__ import annotations

from memcli.entries.text import tokens
from memcli.named_tuple import NamedTuple
from memcli.search.ranking.corpus import SPELLING, Reading

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.search.stored_row import StoredRow


class ReadAs(NamedTuple):
    """A word of the question, and what a row holds instead.

    `kind` is that of the reading (`search.ranking.corpus`), `share` what the other word
    counts, as a share of the word itself.
    """

    word: str
    read_as: str
    kind: str
    share: float


def read_as(
    readings: Sequence[tuple[str, Reading]], row: StoredRow, stem: tokens.Stem
) -> tuple[ReadAs, ...]:
    """The readings of a hit, in the words of its row."""
    if not readings:
        return ()
    told = "\n".join((row.title, row.text, *row.tags, *row.entities))
    spelled: dict[str, str] = {}
    for term, word in tokens.question(told, stem):
        spelled.setdefault(term, word)
    return tuple(
        ReadAs(
            word,
            " ".join(spelled.get(term, term) for term in reading.terms),
            reading.kind,
            round(reading.share, 2),
        )
        for word, reading in readings
    )


def respelled(rows: Iterable[Sequence[ReadAs]]) -> dict[str, list[str]]:
    """Word of the question -> the words that it was read as in these rows.

    Only of words that stand nowhere as they were spelled; the likeliest come first.
    """
    found: dict[str, dict[str, float]] = {}
    for readings in rows:
        for reading in readings:
            if reading.kind == SPELLING:
                found.setdefault(reading.word, {}).setdefault(
                    reading.read_as, reading.share
                )
    return {
        word: sorted(others, key=lambda other: -others[other])
        for word, others in found.items()
    }


def sentence(word: str, others: Sequence[str]) -> str:
    """The line for people: "postgress: read as postgres"."""
    return f"{word}: read as {', '.join(others)}"
