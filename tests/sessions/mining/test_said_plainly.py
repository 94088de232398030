"""What is said plainly is found, in whoever's words; what only sounds like it is not.

None of these sentences is taken from a transcript.
"""

import pytest

from memcli.entries.entry import Confidence
from tests.sessions.mining.said import said as found

STANDING = [
    "Always quote variables in shell scripts.",
    "From now on name branches after the ticket.",
    "Never return null from a repository method.",
    "ok, never bypass the linter with noqa",
    "always cite the RFC section in parser comments",
    "please never rewrite published history",
    "from now on speak german with me",
    "Always round money half-even, never with floats.",
    "From now on no abbreviations in public names.",
    "Never disable certificate checks, not even in tests.",
    "going forward, annotate every public function",
    "From now on squash fixups yourself.",
    "Always reproduce a bug first with a failing test.",
]
EVERY = [
    "every PR needs a changelog entry",
    "Every migration must be reversible.",
    "All commits have to be signed.",
    "each new module needs a docstring and a test",
    "No PR without a linked issue.",
    "All public functions should have type hints.",
]
DECIDED = [
    "We decided with Mira that the importer stays on SQLite.",
    "Postgres it is, decision made.",
    "In yesterday's review we agreed to drop support for Python 3.9.",
    "Decision: retries live in the client and not in the caller.",
    "The team decided against a monorepo.",
    "Final decision: no ORM in the worker.",
]
CORRECTED = [
    "That's not how we do it. Controllers go through the service layer.",
    "No, that's not how we do things here: errors are values, nothing throws.",
    "You keep forgetting the changelog. Always add a line for what users see.",
    "You should have used the factory instead of a literal.",
]
REMEMBERED = [
    "Add this to CLAUDE.md: integration tests need Docker running.",
    "The staging database is reset every Sunday night. Please add that to AGENTS.md.",
    "put this in your memory: invoices are immutable once sent",
    "Remember that the billing team owns the webhook contract.",
    "Raw SQL is forbidden in this repo.",
    "We don't do snapshot tests here.",
]
PUT_OFF = [
    "park this: a dark theme for the printed report",
    "Parking lot: let customers import their own fonts",
    "put offline mode on the backlog",
    "Idea for later: cache the geocoder's answers",
]
PLAIN = STANDING + EVERY + DECIDED + CORRECTED + REMEMBERED + PUT_OFF

RHETORIC = [
    "we use way too many tabs to count",
    "always retry twice, says the CI log",
    "Never a dull moment with this build.",
    "I never knew that pytest could do this",
    "as always, great work",
    "the old service always returned XML, weird",
    "he told me to never touch the scheduler, funny",
    "every time I run the build it eats all my memory",
    "all tests need too long, why?",
    "Who decided that every page needs a footer?",
    "lol, never doing that again",
    "Have we always had two config files?",
    "park the cursor at the end of the line",
    "that's not how recursion works, is it?",
    "option 2 it is",
    "please always show the toolbar when the user hovers the card",
    "I'm never sure which branch is live",
    "never again will I trust this library, haha",
    "every PR takes two days to review these days",
    "no tests were run",
    "we decided it's time for a break",
    "they agreed to pay",
    "remember when we had ten tests?",
]


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_said_plainly_is_found_at_high(text: str) -> None:
    assert [one.confidence for one in found(text)] == [Confidence.HIGH]


@pytest.mark.parametrize("text", RHETORIC)
def test_what_only_sounds_like_a_rule_is_not_saved(text: str) -> None:
    assert Confidence.HIGH not in [one.confidence for one in found(text)]
