"""What is said twice confirms what was said first, and saves what waited."""

from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation import inbox
from memcli.entries.entry import Status
from memcli.entries.text.differences import says_again
from memcli.hosts.formats.records import Transcript
from memcli.hosts.transcript import Session, Step
from memcli.sessions import mining, reflect_session, routing
from memcli.sessions.bringing import Reflected
from memcli.sessions.mining import Mined
from tests.sessions.test_reflect_session import say

FIRST = "Always run the linter before committing."
AGAIN = "From now on run the linter before every commit!"
UNSURE = "please dont squash the commits of the release branch"
UNSURE_AGAIN = "dont squash the commits on the release branch, please!"


def brought(vault: Vault, tmp_path: Path, text: str, name: str) -> Reflected:
    return vault.mine(say(tmp_path, text, name=name))


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
    assert vault.mine(more).commit is None


def test_a_candidate_that_names_what_it_confirms_confirms_it(
    vault: Vault, tmp_path: Path
) -> None:
    (first,) = brought(vault, tmp_path, UNSURE, "one").fates
    (found,) = mining.mine(
        [Step("user", "Never flatten history there.", 1, "r1")]
    ).candidates
    judged = Mined(1, [found._replace(confirms=first.id)])
    transcript = Transcript("")
    transcript.session = Session("two", "claude-code")
    reflect_session.reflect(vault, transcript, judged)
    entry = vault.get(first.id or "")
    assert (entry.status, len(entry.seen)) == (Status.ACTIVE, 0)


SAID_AGAIN = [
    (AGAIN, FIRST),
    (UNSURE_AGAIN, UNSURE),
    ("never ever push to main", "Never push to main."),
    ("Before you commit, run the linter.", "Always run the linter before committing."),
]
ANOTHER = [
    ("never ever push to main", "Never push to main directly."),
    ("Ask Anna before you deploy", "Ask Anna before you deploy on Fridays"),
    ("Write the tests before you commit.", "Run the tests before you commit"),
    ("Always run the tests before committing.", FIRST),
    ("Never run the linter before committing.", FIRST),
    ("Run the linter and the tests before committing.", FIRST),
    ("Use tabs in Go files.", "Use tabs in makefiles."),
    ("Never log bodies in the login service.", "Never log bodies in the cart service."),
    ("Keep functions below 20 lines.", "Keep functions below 40 lines."),
    ("We never deploy without a review.", "We never deploy with a review."),
    ("Never compare with == in tests.", "Never compare with === in tests."),
    ("Never merge without a review.", "Always merge without a review."),
    ("Copy the files from staging.", "Copy the files to staging."),
    ("Push my branch first, always.", "Push your branch first, always."),
    ("Read the .env file first.", "Read the env file first."),
    ("Deploy without reviewing.", "Review without deploying."),
    ("Merge only reviewed branches.", "Review only merged branches."),
    ("Test the commits.", "Commit the tests."),
    ("Delete tmp/ before each build.", "Delete /tmp before each build."),
    ("Use git branch -d for old ones.", "Use git branch -D for old ones."),
    ("Tests first.", "Always write the tests before the code, in pairs."),
]


@pytest.mark.parametrize(("text", "other"), [*SAID_AGAIN, *ANOTHER])
def test_what_is_said_again_has_no_word_that_narrows_or_widens_it(
    text: str, other: str
) -> None:
    same = (text, other) in SAID_AGAIN
    assert says_again(text, other) is same
    assert says_again(other, text) is same
