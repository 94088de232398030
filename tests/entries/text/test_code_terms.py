"""What a lesson is told at, read off its words."""

import time

import pytest

from memcli.entries.text.code_terms import (
    COMMAND,
    NAME,
    PATH,
    WORD,
    Trigger,
    broad,
    triggers,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Go through store.Open, never sql.Open", [(NAME, "sql.Open")]),
        ("Do not call `getRawBody()` in handlers", [(NAME, "getRawBody()")]),
        ("The loop mustn't use eval", [(WORD, "eval")]),
        ("Use lodash-es instead of lodash.", [(WORD, "lodash")]),
        ("axios is deprecated here, take fetchJson", [(WORD, "axios")]),
        ("Prices are Decimal, never double", [(WORD, "double")]),
        ("Nobody calls helm upgrade on prod", [(COMMAND, "helm upgrade")]),
        ("git reset --hard is not allowed", [(COMMAND, "git reset --hard")]),
        ("Don't pass --no-cache to the build", [(COMMAND, "--no-cache")]),
        ("Never push to main directly", [(COMMAND, "* push main")]),
        ("We never deploy straight to production", [(COMMAND, "* deploy production")]),
        ("Files in gen/api/ are generated", [(PATH, "gen/api/")]),
        ("Never edit poetry.lock by hand", [(PATH, "poetry.lock")]),
        ("Avoid SELECT * in reports", [(NAME, "SELECT *")]),
        ("retryPolicy needs a jitter or it stampedes", [(NAME, "retryPolicy")]),
    ],
)
def test_what_a_lesson_forbids_or_is_about_is_what_it_is_told_at(
    text: str, expected: list[tuple[str, str]]
):
    assert list(triggers(text).found) == [Trigger(*each) for each in expected]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Never delete anything without asking",
        "Never add comments to generated code",
        "Ask Ana before a release; she has the keys, e.g. of the store",
        "Use `ruff format` for everything",
        "requests has no timeout by default",
        "yaml.safe_load it is",
    ],
)
def test_a_lesson_that_forbids_no_code_is_told_at_nothing(text: str):
    assert triggers(text).found == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use httpx, never requests", True),
        ("Never edit poetry.lock by hand", False),
        ("retryPolicy needs a jitter", False),
    ],
)
def test_a_lesson_forbids_names_but_not_paths(text: str, expected: bool):
    assert triggers(text).forbids is expected


def test_a_lesson_about_new_dependencies_is_told_at_the_commands_that_add_one():
    found = triggers("Ask me before you add a new dependency").found
    assert Trigger(COMMAND, "cargo add *") in found
    assert triggers("A dependency of the scorer is missing").found == ()


def test_a_word_that_a_sentence_only_mentions_is_not_what_it_condemns():
    text = "session.commit() in a request handler broke the rollback"
    assert triggers(text).found == (Trigger(NAME, "session.commit()"),)


def test_where_a_lesson_allows_what_it_forbids_elsewhere():
    only = triggers("Only src/db may import psycopg2.connect")
    assert only.spared == ("src/db",)
    outside = triggers("No naked malloc outside src/alloc")
    assert (outside.found, outside.spared) == (
        (Trigger(WORD, "malloc"),),
        ("src/alloc",),
    )


def test_one_lesson_brings_twelve_triggers_at_most():
    names = ", ".join(f"`pkg.fn{n}`" for n in range(100))
    assert len(triggers(f"Never use {names}").found) == 12


@pytest.mark.parametrize(
    "text",
    ["`" * 200_000, "a." * 100_000, "never " * 50_000, "/*" * 90_000, "\x00" * 99],
)
def test_no_text_takes_long(text: str):
    started = time.process_time()
    triggers(text)
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize(
    ("form", "text"),
    [(PATH, "*.py"), (PATH, "src/"), (WORD, "return"), (COMMAND, "git"), (NAME, "a=")],
)
def test_a_trigger_of_everyday_words_is_too_broad_to_refuse_anything(
    form: str, text: str
):
    assert broad(Trigger(form, text))


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (PATH, "gen/*.py"),
        (WORD, "moment"),
        (COMMAND, "git push"),
        (NAME, "http.Client"),
    ],
)
def test_a_trigger_that_names_one_thing_is_not(form: str, text: str):
    assert broad(Trigger(form, text)) == ""
