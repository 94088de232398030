"""Which entities a text mentions, and which it does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.entry import Entry
from memcli.entries.text.identifiers import identifiers
from memcli.entries.text.mentions import (
    Compiled,
    Registered,
    compiled,
    fold,
    linked,
    mentions,
)

NOBODY = compiled(())
REGISTRY = compiled(
    [
        Registered("Redis", "tool", ("redis-server", "kv")),
        Registered("Redis Cluster", "system"),
        Registered("Ada Lovelace", "person", ("Ada",)),
        Registered("Go", "tool"),
        Registered("Flask", "tool"),
        Registered("Will", "person"),
        Registered("Node.js", "tool"),
        Registered("C++", "tool"),
        Registered("東京タワー", "concept"),
        Registered("上海", "concept"),
        Registered("Zoë", "person"),
    ]
)


def found(text: str, names: Compiled = REGISTRY) -> list[str]:
    return mentions(text, names)[0]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("we moved to redis last week", ["Redis"]),
        ("a kv store", ["Redis"]),
        ("the Redis Cluster is slow, Redis is not", ["Redis Cluster", "Redis"]),
        ("Ada\n  Lovelace's note", ["Ada Lovelace"]),
        ("a Redis-backed queue (Redis/Memcached)", ["Redis"]),
        ("node.js and C++", ["Node.js", "C++"]),
        ("Zoe\u0308 said so", ["Zoë"]),
        ("`redis` in code", ["Redis"]),
        ("我们在上海使用Redis缓存", ["上海", "Redis"]),
        # Ordinary words, and parts of words.
        ("let it go, it will be fine, a flask of tea, GO", []),
        ("predis and rediscover", []),
        ("an Adage, a C compiler, adalovelace", []),
        ("https://redis.io/kv and mail@redis.io", []),
        ("Lovelace alone", []),
        ("[[Ada]] knows [[Grace Hopper|her]] and [[Grace Hopper#youth]]",
         ["Ada Lovelace", "Grace Hopper"]),
        ("[[entities/person/ada.md]]", ["Ada Lovelace"]),
        # Links to files and entries name no entity.
        ("see [[memories/fix/a.md]] and `[[memories/fix/a.md]]`", []),
        ("see ![[plan.png]], [[1m7xvn68xtqp489w]], [[2026-11-21]]", []),
    ],
)  # fmt: skip
def test_registered_names_are_found_as_whole_words(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("call `parse_args()` first", ["parse_args"]),
        ("parseArgs fails", ["parseArgs"]),
        ("edit pyproject.toml.", ["pyproject.toml"]),
        ("memcli.cli.render prints", ["memcli.cli.render"]),
        ("pin `typer>=0.20,<0.29`", ["typer"]),
        ("use @scope/pkg", ["@scope/pkg"]),
        ("import `os.path`", ["os.path"]),
        # Capitalised words and prose.
        ("Alice met Bob in Paris on Tuesday", []),
        ("API and CI, two APIs, a PhD, e.g. this", []),
        ("and/or, he/she/they, read/write/execute, TCP/IP", []),
        ("21/11/2026 at 10:30, 1_000_000, v1.10.2, 3.5", []),
        ("mail me at ann@example.com or https://example.com/a_b/c.py", []),
        ("the end.Next sentence", []),
        ("token aGVsbG8Wb3JsZAx9Kq", []),
        ("```\nsome_code(in_a_fence)\n```", []),
    ],
)
def test_identifiers_are_linked_and_prose_is_not(text: str, names: list[str]) -> None:
    assert found(text, NOBODY) == names


@pytest.mark.parametrize(
    "text",
    ["in src/app.py:12, line 3", "below /etc/nginx", "run `redis-cli`", "./cmd/x/"],
)
def test_paths_and_commands_are_linked_when_they_are_registered_alone(
    text: str,
) -> None:
    assert found(text, NOBODY) == []
    one = compiled([Registered("redis-cli"), Registered("/etc/nginx")])
    known = [name for name in ("redis-cli", "/etc/nginx") if name in text]
    assert found(text, one) == known


def test_an_alias_of_two_entities_is_named_and_not_linked() -> None:
    names = compiled(
        [
            Registered("Phoenix Web", "project", ("phoenix",)),
            Registered("Phoenix Arizona", "concept", ("Phoenix",)),
        ]
    )
    assert mentions("the Phoenix release, [[Phoenix]]", names) == ([], ["phoenix"])
    entry, unclear = linked(Entry("", body="x", entities=("phoenix",)), names)
    assert (entry.entities, unclear) == (("phoenix",), ["phoenix"])
    assert "Phoenix Arizona, Phoenix Web" in names.explained("phoenix")


# --- properties -------------------------------------------------------------------

WORDS = ["Redis", "redis", "cluster", "Ada", "Lovelace", "go", "Go", "parse_args"]
WORDS += ["src/app.py", "the", "[[Ada]]", "[[New Thing]]", "`os.path`", "Node.js"]
WORDS += ["東京", "タワー", "上海", "C++", ".", ",", "\n", "Zoë", "İ", "ß", "kv"]
texts = st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join) | st.text(
    max_size=80
)
PLAIN = ["Redis", "Ada", "Go", "the", "kv", "上海", "New Thing", "Node.js", "İ", "x-y"]
entities = st.lists(
    st.builds(
        Registered,
        st.sampled_from(PLAIN),
        st.sampled_from(["tool", "person"]),
        st.lists(st.sampled_from(PLAIN), max_size=2).map(tuple),
        path=st.sampled_from(["a", "b", "c"]),
    ),
    max_size=5,
)


@given(texts, entities)
def test_mentions_are_registered_names_or_stand_in_the_text(
    text: str, registry: list[Registered]
) -> None:
    import unicodedata

    names = compiled(registry)
    known = {one.name for one in registry}
    plain = " ".join(text.split())
    composed = " ".join(unicodedata.normalize("NFC", text).split())
    for name in found(text, names):
        assert name in known or name in plain or name in composed


@given(texts, entities)
def test_linking_is_idempotent(text: str, registry: list[Registered]) -> None:
    names = compiled(registry)
    once, _ = linked(Entry("", body=text), names)
    assert linked(once, names)[0] == once
    folded = [fold(name) for name in once.entities]
    assert len(folded) == len(set(folded))


def test_a_long_text_takes_time_in_proportion() -> None:
    """A megabyte of joiners, humps and marks ends; a slow pattern would not."""
    for piece in ("a.", "aB", "_a", "/a", "[[a", "`a", "a-", "@a/", "1:", "上"):
        text = piece * (200_000 // len(piece))
        assert len(list(identifiers(text))) <= len(text)
        assert mentions(text, REGISTRY)[1] == []
