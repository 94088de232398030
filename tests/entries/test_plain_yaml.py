"""Simple frontmatters are read without YAML, as YAML reads them."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.entries import frontmatter, plain_yaml
from memcli.errors import InvalidEntry

# Mostly what is simple, with what may turn it into something else.
WORDS = st.one_of(
    st.text("ab1 -ü東", max_size=4),
    st.text("ab1 :#-'!&*", min_size=1, max_size=5).map("a{}".format),
    st.text("a \"'\\,[]{}:#&*!|>%?.@`=<~-\t\u00a0\x85\u2028\ufeff\r", max_size=4),
)
QUOTED = WORDS.map('"{}"'.format)
ITEMS = st.lists(WORDS | QUOTED, max_size=3)
VALUES = WORDS | QUOTED | ITEMS.map(", ".join).map("[{}]".format)
NAMES = st.sampled_from(["id", "tags", "kind", "a_b", "Ab", "x1"])
ODD = st.tuples(
    st.sampled_from(["", "  ", " ", "   ", "- "]),
    NAMES | st.sampled_from(["é", "a-b", "a b", "", "-", "<<", "?", '"a"']),
    st.sampled_from([": ", ":", ":  ", " : ", ""]),
    VALUES | st.just(""),
).map("".join)
PAIRS = st.tuples(NAMES, VALUES).map(": ".join)
BELOW = st.tuples(NAMES, st.lists(PAIRS, min_size=1, max_size=3)).map(
    lambda found: "\n  ".join((f"{found[0]}:", *found[1]))
)
BLOCKS = st.lists(st.one_of(PAIRS, PAIRS, PAIRS, BELOW, ODD), max_size=3).map(
    lambda rows: "".join(f"{row}\n" for row in rows)
)


def as_yaml_has_it(block: str) -> list[plain_yaml.Part] | None:
    """The keys of a block, read by YAML; None if it is none, or broken."""
    try:
        root = frontmatter._parse(block, "", strict=True)
        lines = block.splitlines(keepends=True)
        parts = frontmatter._parts(root, lines, "", strict=True)
    except InvalidEntry:
        return None
    assert parts is None or root is None or root.start_mark.column == 0
    return parts or []


@settings(max_examples=300)
@given(BLOCKS)
@example("a: b\n  c: d\n")
@example("a:\n  b: c\n    d: e\n")
@example("a:\n  b: c\na: d\n")
@example('a: "b" c\n')
@example("a: [b, c] d\n")
@example("a: b: c\n")
@example("a: b:\n")
@example("a: b #c\n")
@example("a: [b, 'c, d']\n")
def test_what_is_read_without_yaml_is_what_yaml_reads(block: str) -> None:
    found = plain_yaml.read(block)
    if found is not None:
        assert found == as_yaml_has_it(block)


@pytest.mark.parametrize(
    ("block", "value"),
    [
        ("a: b\n", "b"),
        ("a: 12:30 (or so), it's\n", "12:30 (or so), it's"),
        ('a: ""\n', ""),
        ('a: "# no: comment"\n', "# no: comment"),
        ("a: []\n", []),
        ('a: [b c, "2"]\n', ["b c", "2"]),
        ("a:\n  b: c\n  d: 7\n", {"b": "c", "d": "7"}),
    ],
)
def test_what_memcli_writes_is_read_without_yaml(block: str, value: Any) -> None:
    found = plain_yaml.read(block)
    assert found is not None
    assert found[0].value == value


@pytest.mark.parametrize(
    "block",
    [
        "",
        "a: b",
        "a:\n",
        "a: b\na: c\n",
        "a: b\r\n",
        'a: "\\n"\n',
        "a: |\n  b\n",
        "\n",
        "a: null\n",
    ],
)
def test_all_else_is_left_to_yaml(block: str) -> None:
    assert plain_yaml.read(block) is None
