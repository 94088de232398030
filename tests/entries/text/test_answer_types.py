"""What a question asks for, and what a text holds: a time, a number, a place."""

import pytest

from memcli.entries.text.answer_types import NUMBER, PLACE, TIME, asked, held


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("When did we ship?", TIME),
        ("what day is the release", TIME),
        ("In which month do we rotate keys?", TIME),
        ("How many retries are there?", NUMBER),
        ("how often does it run", NUMBER),
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
        ("Port 9077 is taken.", NUMBER),
        ("The cluster runs in Frankfurt.", PLACE),
        ("It moved from the Hague to an island.", PLACE),
        ("It is in production.", 0),
        ("", 0),
    ],
)
def test_a_text_holds_kinds_of_answer(text: str, kinds: int) -> None:
    assert held(text) == kinds
