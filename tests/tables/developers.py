"""Make words/developers.txt from words/developers.toml.

    python -m tests.tables.developers

Deterministic, and needs memcli alone. A test fails when the two differ.
"""

from __future__ import annotations

import re
import tomllib
from itertools import permutations
from typing import TYPE_CHECKING

from memcli.entries.text import tokens
from tests.tables.common import FOLDER, lines

if TYPE_CHECKING:
    from collections.abc import Iterable

# What `near` names count is as if they were this similar: as much as the nearest words.
SHARES = {"same": 1.0, "near": 0.9}


def table() -> bytes:
    """Return the bytes of the table that developers.toml describes."""
    told = tomllib.loads((FOLDER / "developers.toml").read_text(encoding="utf-8"))
    stem = tokens.stemmer()
    others: dict[str, dict[str, float]] = {}
    forms = [line.split() for line in told["forms"].splitlines()]
    groups = {"same": told["same"] + forms, "near": told["near"]}
    for kind, share in SHARES.items():
        for group in groups[kind]:
            names = dict.fromkeys(_searched(name, stem) for name in group)
            _join(others, names, share)
    return lines(
        {
            text: sorted(row.items(), key=lambda item: (-item[1], item[0]))
            for text, row in others.items()
        }
    )


def _join(
    others: dict[str, dict[str, float]], names: Iterable[str], share: float
) -> None:
    for one, other in permutations(filter(None, names), 2):
        known = others.setdefault(one, {})
        known[other] = max(share, known.get(other, 0.0))


def _searched(name: str, stem: tokens.Stem) -> str:
    """Return a name as the search holds it, an identifier by its whole form alone."""
    terms = tokens.terms(name, stem)
    return " ".join(terms if re.search(r"\W", name) else terms[:1])


if __name__ == "__main__":
    (FOLDER / "developers.txt").write_bytes(table())
