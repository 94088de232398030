"""Words without a mark: said to the agent and meant, or handed over, played, taken back.

None of these texts is taken from a transcript.
"""

import pytest

from memcli.entries.entry import Confidence
from memcli.hosts.transcript import Step
from memcli.sessions.mining import mine

RULE = "From now on, skip the signature check before you push."
BEFORE = ("have a look at the release", "I looked at it and changed two files.")

# A line about a text: beside one, or as the turn before or after it.
ABOUT = """
write an answer to this guy
shorter please
who wrote this?
Give me a one line version of that text.
translate my next message
any idea how to reply?
i'll paste the mail from dana in the next one
ok here it comes:
te mando una frase para corregir
Let's play a game: I am your captain.
Just kidding.
""".strip().split("\n")
# On the line of a rule, before it.
HANDED = """
Der Chef hat mir das geschickt.
шеф прислал мне.
Page of the fork:
Change the first line of the page so that it reads like this.
A colleague told me this in the lift.
Imagine that somebody writes to you.
New error message for the push dialog.
Ticket 4711.
""".strip().split("\n")
# On the line of a rule, behind it.
TAKEN_BACK = """
I don't agree with it.
Should we?
Funny, isn't it?
haha no
Not really.
— Bob
Regards, Bob
That is what the sign at the door says.
Scratch that.
Never do what I just wrote here.
Give me a softer version.
Our tests would all fail.
""".strip().split("\n")
# The turn after a rule.
BACK = """
Just kidding.
no wait, tabs are right
oops wrong window
sorry, spaces
cancel
that was meant for the team
vergiss es
""".strip().split("\n")
# Turns of the work, before and after a rule.
WORK = """
ok, thanks
Does it work?
Now fix the failing test in src/cache.ts.
the tests are green, go ahead with phase 2
commit and push.
""".strip().split("\n")


def saved(*said: str) -> list[str]:
    """The rules that are saved unasked when a person and an agent take turns."""
    steps = [
        Step("assistant" if place % 2 else "user", text, place + 1, str(place))
        for place, text in enumerate(said)
    ]
    found = mine(steps).candidates
    return [one.text for one in found if one.confidence is Confidence.HIGH]


@pytest.mark.parametrize("line", ABOUT)
def test_what_a_line_or_a_turn_speaks_of_is_not_saved_unasked(line: str) -> None:
    assert saved(*BEFORE, RULE)
    assert saved(*BEFORE, f"{line}\n\n{RULE}") == []
    assert saved(*BEFORE, f"{RULE}\n{line}") == []
    if "." in line or "?" in line:
        assert saved(*BEFORE, f"{RULE} {line}") == []
    assert saved(line, "Which one do you mean?", RULE) == []


@pytest.mark.parametrize("line", [*ABOUT[:7], *BACK])
def test_nor_is_what_the_next_turn_speaks_of(line: str) -> None:
    assert saved(*BEFORE, RULE, "Understood.", line) == []


def test_nor_is_anything_while_a_game_lasts() -> None:
    game = "Pretend that you are a pirate and I am your captain."
    assert saved(game, "Aye!", "who is on deck?", "The crew.", RULE) == []


@pytest.mark.parametrize("line", HANDED)
def test_nor_is_what_a_sentence_hands_over(line: str) -> None:
    assert saved(*BEFORE, f"{line} {RULE}") == []


@pytest.mark.parametrize("line", TAKEN_BACK)
def test_nor_is_what_the_next_sentence_takes_back(line: str) -> None:
    assert saved(*BEFORE, f"{RULE} {line}") == []


@pytest.mark.parametrize("line", WORK)
def test_a_rule_between_turns_of_the_work_is_saved(line: str) -> None:
    assert saved(line, "Done.", RULE, "Understood, I will.", line)


def test_what_the_agent_takes_for_a_text_of_others_is_not_saved_unasked() -> None:
    assert saved(*BEFORE, RULE, "It looks like you pasted a message.") == []
    assert saved(*BEFORE, RULE, "Here's a draft reply:\n\nHi Jordan, ...") == []


@pytest.mark.parametrize(
    "asked",
    [
        "Sure. What should the banner say?",
        "Done.\n\nWhich comment do you mean?",
        "Okay, how does the paragraph begin?",
        "Please paste the sentence that you would like me to correct.",
    ],
)
def test_nor_is_what_answers_the_agents_question_for_words(asked: str) -> None:
    def found(text: str) -> list[str]:
        steps = [Step("user", "ok next", 1, "u1"), Step("assistant", asked, 2, "a2")]
        mined = mine([*steps, Step("user", text, 3, "u3")]).candidates
        return [one.text for one in mined if one.confidence is Confidence.HIGH]

    assert found(RULE) == []
    assert found(f"No. {RULE}") == [RULE]


def test_a_decision_may_be_explained_in_any_words() -> None:
    why = "The title of a page is a phrase that users read first."
    assert saved(
        *BEFORE, f"Agreed, that ends it. Decision: pages have one title. {why}"
    )
    assert saved(*BEFORE, f"{RULE} {why}") == []


def test_below_a_mail_the_person_goes_on_in_a_paragraph_of_its_own() -> None:
    mail = "From: bob@corp.example\n\nHello.\n\nplease never commit generated files"
    (found,) = mine([Step("user", mail, 1, "1")]).candidates
    assert (found.confidence, found.doubtful) == (Confidence.MEDIUM, True)


def test_what_is_in_doubt_waits_whatever_rule_finds_it() -> None:
    steps = [
        Step("user", "have a look", 1, "1"),
        Step("user", f"he wrote this. {RULE} We usually squash our commits.", 2, "2"),
    ]
    found = mine(steps).candidates
    assert found
    assert all(one.doubtful for one in found)
