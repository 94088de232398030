"""One function says how many things there are, so no message says "1 entries"."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.entries.text.counted import agreeing, counted
from tests.conftest import ROOT

_THINGS = (
    "entries|memories|sessions|events|pairs|questions|days|turns|segments|files|"
    "candidates|ideas|searches|recalls|commits|facts|versions|minutes|markers|copies|"
    "notes|lines|vaults|rows|wait|waits|match|matches|times"
)
_COUNTS = re.compile(rf"^ (?:more |other |new )?(?:{_THINGS})\b")
# The number of these is never one.
_NEVER_ONE = {
    "len(met)",  # a workflow was met at least three times
    "_TRIES",  # of a sync: eight
    "_HORIZON",  # of an undo: hundreds of commits
    ".entry.id",  # a name
    "len(paths)", "len(lost)", "len(found.paths)",  # one file is called by its name
}  # fmt: skip


@pytest.mark.parametrize(
    ("number", "thing", "said"),
    [
        (0, "entry", "0 entries"),
        (1, "entry", "1 entry"),
        (1200, "entry", "1,200 entries"),
        (1, "day", "1 day"),
        (2, "day", "2 days"),
        (2, "search", "2 searches"),
        (2, "markdown file", "2 markdown files"),
        (2, "memory", "2 memories"),
        (1.5, "day", "1.5 days"),
    ],
)
def test_a_number_is_said_with_its_thing(number: float, thing: str, said: str) -> None:
    assert counted(number, thing) == said


@pytest.mark.parametrize(
    ("number", "word", "said"),
    [(1, "waits", "waits"), (2, "waits", "wait"), (0, "is", "are"), (1, "is", "is")],
)
def test_a_verb_goes_with_its_number(number: int, word: str, said: str) -> None:
    assert agreeing(number, word) == said


def _counting(path: Path) -> Iterator[str]:
    """What a module counts by itself: a value and a plural right behind it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, after in zip(node.values, node.values[1:], strict=False):
            if not isinstance(value, ast.FormattedValue) or value.conversion != -1:
                continue
            if isinstance(after, ast.Constant) and _COUNTS.match(str(after.value)):
                said = ast.unparse(value.value)
                if not any(each in said for each in _NEVER_ONE):
                    place = f"{path.relative_to(ROOT)}:{node.lineno}"
                    yield f"{place}: {said}{after.value!r}"


def test_no_message_counts_by_itself() -> None:
    found = [
        line
        for path in sorted((ROOT / "memcli").rglob("*.py"))
        for line in _counting(path)
    ]
    assert found == []
