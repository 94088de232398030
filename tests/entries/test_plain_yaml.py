"""Simple frontmatters are read without YAML, as YAML reads them."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.entries import frontmatter

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
BLOCKS = st.one_of(PAIRS, PAIRS, PAIRS, BELOW, ODD).map("{}\n".format)


@settings(max_examples=300)
@given(BLOCKS)
@example("a: b\n  c: d\n")
@example("a:\n  b: c\n    d: e\n")
@example('a: "b" c\n')
@example("a: [b, c] d\n")
@example("a: b: c\n")
@example("a: b:\n")
@example("a: b #c\n")
@example("a: [b, 'c, d']\n")
def test_what_is_read_without_yaml_is_what_yaml_reads(block: str) -> None:
    rows = block.splitlines(keepends=True)
    found = frontmatter.simple_value(rows) if rows else 0
    if found != 0:
        part = frontmatter._by_yaml(rows, 0, "")
        assert (part.value, part.end, part.comment) == (found, len(rows), "")
        assert part.name == block.partition(":")[0]
