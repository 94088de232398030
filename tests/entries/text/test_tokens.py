"""What is a word, and which words meet each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.text import tokens
from memcli.entries.text.tokens import NUMBER, PLACE, TIME, asked, held


def terms(text: str) -> set[str]:
    return set(tokens.terms(text, tokens.stemmer()))


def meet(asked: str, held: str) -> bool:
    """Whether a question of these words finds a text of those."""
    return bool(terms(asked)) and terms(asked) <= terms(held)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("add", "added"),
        ("commit", "committed"),
        ("debugged", "debugging"),
        ("run", "running"),
        ("deploy", "deployment's deploys"),
        ("test", "testing tested tests"),
        ("cache", "caching cached caches"),
        ("policy", "policies"),
    ],
)
def test_inflections_of_a_word_meet_in_both_directions(one: str, other: str) -> None:
    for word in other.split():
        assert terms(one) & terms(word)
        if "'" not in word:
            assert meet(word.lower(), one) == meet(one, word.lower())


@pytest.mark.parametrize(
    ("asked", "held"),
    [
        ("parse_config_file", "call parse_config_file() first"),
        ("config", "call parse_config_file() first"),
        ("HTTPServer", "class HTTPServer:"),
        ("parseArgs", "parseArgs is slow"),
        ("src/app.py", "see src/app.py:12"),
        ("app", "see src/app.py"),
        ("PR", "PRs need two reviews"),
        ("JWTs", "the JWTs' keys"),
        ("id", "parseUserIDs is slow"),
        ("v1.10.2", "upgraded to v1.10.2"),
        ("589106", "ticket OPS-589106 is done"),
        ("user@example.com", "mail user@example.com about it"),
        ("kebab", "the kebab-case-name flag"),
        ("--no-verify", "never use --no-verify"),
        ("std::vector", "a std::vector of int"),
    ],
)
def test_an_identifier_is_found_whole_and_by_its_parts(asked: str, held: str) -> None:
    assert meet(asked, held)


def test_a_version_is_not_found_by_another_version() -> None:
    assert not meet("v1.10", "v1.1 is out")


@pytest.mark.parametrize(
    ("asked", "held"),
    [
        ("数据库", "我们使用数据库迁移"),
        ("データ", "このデータベースは遅い"),
        ("데이터", "데이터베이스는 느리다"),
        ("ฐานข้อมูล", "ใช้ฐานข้อมูล"),
        ("数据库", "postgres数据库is fast"),
        ("猫", "猫"),
    ],
)
def test_text_without_spaces_is_found_by_a_part_of_it(asked: str, held: str) -> None:
    assert meet(asked, held)


@pytest.mark.parametrize(
    ("asked", "held"),
    [
        ("cafe", "the café on the corner"),
        ("cafe\u0301", "café"),
        ("ﬁle", "file"),
        ("ｆｕｌｌ", "full"),
        ("МОСКВА", "москва"),
        ("strasse", "Straße"),
        ("masse", "MAẞE"),
        ("οδοσ", "ΟΔΟΣ"),
        ("Caroline", "Caroline’s birthday, and Caroline's"),
    ],
)
def test_accents_width_and_case_do_not_separate_words(asked: str, held: str) -> None:
    assert meet(asked, held)


def test_different_hindi_vowels_stay_different_words() -> None:
    assert terms("कि") != terms("के")


@pytest.mark.parametrize(
    "text", ["", "   ", "?!", "the of and", "what is it about", "🎉"]
)
def test_text_without_content_gives_no_terms(text: str) -> None:
    assert tokens.terms(text, tokens.stemmer()) == []


def test_a_question_names_each_term_by_the_word_that_was_asked() -> None:
    assert tokens.question("Who was debugging?", tokens.stemmer()) == [
        ("debug", "debugging")
    ]


@given(st.text(max_size=200))
def test_a_text_and_the_same_text_asked_give_the_same_terms(text: str) -> None:
    stem = tokens.stemmer()
    assert [term for term, _ in tokens.question(text, stem)] == tokens.terms(text, stem)


def test_a_long_run_of_characters_takes_linear_time() -> None:
    # A pattern that backtracks would not come back from these in a lifetime.
    for text in ("a_" * 50_000, "A" * 100_000, "a." * 50_000, "'" * 100_000):
        tokens.terms(text, tokens.stemmer())


# --- what a question asks for, and what a text holds: a time, a number, a place -------


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("When did we ship?", TIME),
        ("In which month do we rotate keys?", TIME),
        ("How many retries are there?", NUMBER),
        ("Where is the cluster?", PLACE),
        ("which city is the data centre in", PLACE),
        ("When and where do we meet?", TIME | PLACE),
        ("How do we deploy?", 0),
        ("the whereabouts of whenever", 0),
        ("", 0),
    ],
)
def test_a_question_asks_for_kinds_of_answer(question: str, kinds: int) -> None:
    assert asked(question) == kinds


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("We shipped it yesterday.", TIME),
        ("It broke in 2024.", TIME | NUMBER),
        ("On the 3rd we paid.", TIME | NUMBER),
        ("The queue retries twice.", NUMBER),
        ("The cluster runs in Frankfurt.", PLACE),
        ("It moved from the Hague to an island.", PLACE),
        ("It is in production.", 0),
        ("", 0),
    ],
)
def test_a_text_holds_kinds_of_answer(text: str, kinds: int) -> None:
    assert held(text) == kinds
