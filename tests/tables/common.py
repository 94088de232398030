"""Make words/common.txt: how common a word is in what people say to each other.

    python -m tests.tables.common TURNS.jsonl CHAT.json

The first holds what people said to agents in their repositories, one JSON object a line
with `repo` and `text`; the second is LoCoMo's file, whose conversations are chat. A
line of the table is a stem and -ln of the share of a source's texts that hold it, the
mean over the sources. So one author's subjects are not common: a stem is listed that
stands in three sources or more, mostly in lower case (a name does not).
"""

from __future__ import annotations

import json
import string
import sys
from collections import Counter
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

from memcli.entries.text import tokens
from memcli.search.ranking.evidence import MOST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FOLDER = Path(__file__).resolve().parents[2] / "words"
_SOURCES = 3
# Agents that everybody names, and mostly in lower case.
_AGENTS = frozenset({"claud", "codex", "copilot", "cursor", "gemini"})


def table(said: Mapping[str, Iterable[str]]) -> str:
    """Return the lines of the table.

    >>> table({a: ["fix it", f"for {a}"] for a in ("Ann", "Bob", "Cy")})
    'fix 0.69\\n'
    """
    stem = tokens.stemmer()
    shares: dict[str, float] = {}
    small: Counter[str] = Counter()
    every: Counter[str] = Counter()
    sources: Counter[str] = Counter()
    for texts in map(list, said.values()):
        held: Counter[str] = Counter()
        for text in texts:
            held.update(set(tokens.terms(text, stem)))
            words = [word.strip(string.punctuation) for word in text.split()]
            every.update(stem(word.lower()) for word in words)
            small.update(stem(word) for word in words if word.islower())
        sources.update(held.keys())
        for one, count in held.items():
            shares[one] = shares.get(one, 0.0) + count / len(texts) / len(said)
    common = {
        one: round(-log(share), 2)
        for one, share in shares.items()
        if sources[one] >= _SOURCES
        and one not in _AGENTS
        and one.isascii()
        and one.isalpha()
        and 2 * small[one] >= every[one]
    }
    return "".join(
        f"{one} {weight:.2f}\n"
        for one, weight in sorted(common.items())
        if weight < MOST
    )


def lines(table: Mapping[str, Iterable[tuple[str, float]]]) -> bytes:
    """Return a table of other words and their shares as `search.readings` reads it."""
    rows = []
    for text, others in table.items():
        shares = (f"{other}\t{round(share * 255)}" for other, share in others)
        rows.append("\t".join((text, *shares)).encode() + b"\n")
    return b"".join(sorted(rows))


def turns(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (source, text) of what people said to agents."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield row["repo"], row["text"]


def chat(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (source, text) of LoCoMo's turns."""
    for row in json.loads(path.read_text(encoding="utf-8")):
        for name, session in row["conversation"].items():
            if name.startswith("session_") and isinstance(session, list):
                yield from ((row["sample_id"], turn["text"]) for turn in session)


def main() -> None:
    """Write the table of the files that are named."""
    said: dict[str, list[str]] = {}
    for path in map(Path, sys.argv[1:]):
        read = turns if path.suffix == ".jsonl" else chat
        for source, text in read(path):
            said.setdefault(source, []).append(text)
    (FOLDER / "common.txt").write_text(table(said), encoding="ascii")


if __name__ == "__main__":
    main()
