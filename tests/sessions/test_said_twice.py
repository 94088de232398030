"""What is said twice confirms what was said first, and saves what waited."""

from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation import inbox, review
from memcli.entries.entry import Status
from memcli.entries.text.differences import says_again
from memcli.hosts.transcript import Session, Step
from memcli.hosts.transcripts import Transcript
from memcli.sessions import mining, reflect_session, routing
from memcli.sessions.bringing import Reflected
from memcli.sessions.mining import Mined
from memcli.sessions.reflect_session import reflect_file
from tests.sessions.test_reflect_session import say

FIRST = "Always run the linter before committing."
AGAIN = "From now on run the linter before every commit!"
UNSURE = "please dont squash the commits of the release branch"
UNSURE_AGAIN = "dont squash the commits on the release branch, please!"


def brought(vault: Vault, tmp_path: Path, text: str, name: str) -> Reflected:
    return reflect_file(vault, say(tmp_path, text, name=name))


@pytest.mark.parametrize(
    ("known", "new", "is_same"),
    [
        ("Add a dark mode to the board", "Build a dark mode for the board one day", 1),
        ("Add a dark mode to the board", "We could get a dark mode in the board", 1),
        ("Write a migration linter", "It would be nice to have a migration linter", 1),
        ("Support SSO with Okta", "Maybe provide SSO through Okta", 1),
        ("Add a dark mode to the board", "Add a light mode to the board", 0),
        ("Send a weekly digest by mail", "Send a daily digest by mail", 0),
        ("Add tests for the parser", "Add docs for the parser", 0),
        ("Cache the search results", "Cache the login pages", 0),
    ],
)
def test_an_idea_is_known_in_other_words_of_proposing(
    known: str, new: str, is_same: int
) -> None:
    assert routing.same_idea(known, new) == routing.same_idea(new, known) == is_same


def test_an_idea_that_was_rejected_does_not_come_back_reworded(
    vault: Vault, tmp_path: Path
) -> None:
    brought(vault, tmp_path, "we should also add a json export later", "one")
    (idea,) = inbox.pending(vault, ideas=True)
    review.reject(vault, [idea.id])
    for number, again in enumerate(
        [
            "later we could add an export as json",
            "someday we should add a json export to the billing report",
        ]
    ):
        done = brought(vault, tmp_path, again, f"again-{number}")
        assert done.counts == {"rejected": 1}
    assert inbox.pending(vault, ideas=True) == []


def test_an_idea_says_where_it_came_from_and_when_it_was_met_again(
    vault: Vault, tmp_path: Path
) -> None:
    said = "we should also add a json export later"
    brought(vault, tmp_path, said, "one")
    again = "later we could add an export as json"
    done = brought(vault, tmp_path, again, "two")
    assert (done.counts, bool(done.commit)) == ({"seen": 1}, True)
    (idea,) = inbox.pending(vault, ideas=True)
    entry = vault.get(idea.id)
    assert (entry.source.session, entry.source.excerpt) == ("one", said)
    assert (len(entry.seen), entry.evidence) == (1, ("two",))
    more = say(tmp_path, again, "thanks, that is all", name="two")
    assert reflect_file(vault, more).commit is None


def test_a_candidate_that_names_what_it_confirms_confirms_it(
    vault: Vault, tmp_path: Path
) -> None:
    (first,) = brought(vault, tmp_path, UNSURE, "one").fates
    (found,) = mining.mine(
        [Step("user", "Never flatten history there.", 1, "r1")]
    ).candidates
    judged = Mined(1, [found._replace(confirms=first.id)])
    transcript = Transcript("", Session("two", "claude-code"))
    reflect_session.reflect(vault, transcript, judged)
    entry = vault.get(first.id or "")
    assert (entry.status, len(entry.seen)) == (Status.ACTIVE, 1)


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        (AGAIN, FIRST, True),
        (UNSURE_AGAIN, UNSURE, True),
        ("never ever push to main", "Never push to main.", True),
        ("never ever push to main", "Never push to main directly.", False),
        ("Ask Anna before you deploy", "Ask Anna before you deploy on Fridays", False),
        (
            "Write the tests before you commit.",
            "Run the tests before you commit",
            False,
        ),
        ("Always run the tests before committing.", FIRST, False),
        ("Never run the linter before committing.", FIRST, False),
        ("Run the linter and the tests before committing.", FIRST, False),
        ("Use tabs in Go files.", "Use tabs in makefiles.", False),
        (
            "Never log bodies in the login service.",
            "Never log bodies in the payment service.",
            False,
        ),
        ("Keep functions below 20 lines.", "Keep functions below 40 lines.", False),
        ("Tests first.", "Always write the tests before the code, in pairs.", False),
    ],
)
def test_what_is_said_again_has_no_word_that_narrows_or_widens_it(
    text: str, other: str, same: bool
) -> None:
    assert says_again(text, other) is same
    assert says_again(other, text) is same


def test_what_narrows_or_widens_an_entry_is_saved_beside_it(
    vault: Vault, tmp_path: Path
) -> None:
    narrow = "Always ask Anna before you deploy on Fridays."
    wide = "Always ask Anna before you deploy."
    assert brought(vault, tmp_path, narrow, "one").counts == {"saved": 1}
    assert brought(vault, tmp_path, wide, "two").counts == {"saved": 1}
    assert brought(vault, tmp_path, wide, "three").counts == {"seen": 1}
    assert brought(vault, tmp_path, narrow, "four").counts == {"seen": 1}
