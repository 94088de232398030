"""What is said plainly is found, in whoever's words; what only sounds like it is not.

None of these sentences is taken from a transcript.
"""

import pytest

from memcli.entries.entry import Confidence
from memcli.hosts.transcript import Step
from memcli.sessions.mining import Candidate, mine

STANDING = [
    "Always quote variables in shell scripts.",
    "Never log request bodies.",
    "From now on name branches after the ticket.",
    "Always escape user input before it reaches a template.",
    "Never return null from a repository method.",
    "from now on group imports by origin",
    "Always pass a context as the first argument.",
    "Never swallow exceptions silently.",
    "From now on, let's keep migrations reversible.",
    "Always sort translations alphabetically.",
    "ok, never bypass the linter with noqa",
    "Always pair a feature flag with a removal date.",
    "Never expose internal ids in the public API.",
    "From now on wrap every external call in a timeout.",
    "always cite the RFC section in parser comments",
    "never force push, thanks",
    "please never rewrite published history",
    "From now on we deploy only from release branches.",
    "Always state units in variable names",
    "Never trust timestamps from clients.",
    "from now on speak german with me",
    "Always seed random generators in tests.",
    "Never block the event loop.",
    "From now on log in JSON.",
    "Always round money half-even, never with floats.",
    "Never inline SQL in handlers.",
    "From now on no abbreviations in public names.",
    "Always close files with a context manager.",
    "Never disable certificate checks, not even in tests.",
    "You should always regenerate the client after a schema change.",
    "going forward, annotate every public function",
    "Don't ever delete a migration.",
    "Always prefix internal packages with an underscore.",
    "Never store timestamps in local time.",
    "From now on keep the README in sync with the flags.",
    "Always throttle calls to the geocoder.",
    "never catch bare Exception",
    "From now on pipe everything through jq.",
    "Always benchmark before optimizing.",
    "Never nest ternaries.",
    "from now on, indent yaml with two spaces",
    "Always mention the ticket number in the commit body.",
    "Never reuse a migration number.",
    "Always localise strings before merging.",
    "Never assume UTF-8 in filenames.",
    "From now on pick boring libraries.",
    "Always shut down the emulator after the tests.",
    "Never put business logic into serializers.",
    "From now on squash fixups yourself.",
    "Always back up the table before a bulk update.",
    "Never compare floats with ==.",
    'from now on call it "workspace", not "project"',
    "Always freeze the clock in tests.",
    "Never ship debug prints.",
    "Always default to dark mode in screenshots.",
    "Never downgrade node.",
    "Always reproduce a bug first with a failing test.",
    "never let an agent merge its own PR",
    "Always vendor the protobuf files.",
    "From now on treat warnings as errors.",
    "Never leak database models out of the repository layer.",
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
    "I talked to Priya, we settled on UUIDv7 for all keys.",
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
    "never change a running system, that is his motto",
    "always retry twice, says the CI log",
    "▎ Always ask before you deploy.",
    "Never a dull moment with this build.",
    "never say never",
    "I never knew that pytest could do this",
    "it never works on the first try",
    "always nice to see green tests",
    "You never know what the parser does next.",
    "as always, great work",
    "always the same error with this test",
    "never seen that before",
    "from now on it is all downhill",
    "the old service always returned XML, weird",
    "my colleague says always use spaces, no idea why",
    "he told me to never touch the scheduler, funny",
    "the readme claims you should always use docker",
    "every time I run the build it eats all my memory",
    "every test fails since the merge",
    "all tests need too long, why?",
    "we decided to have lunch first",
    "Who decided that every page needs a footer?",
    "I haven't decided on a name yet",
    "lol, never doing that again",
    "Did you always use this path?",
    "Have we always had two config files?",
    "you keep surprising me, great",
    "add CLAUDE.md to the gitignore",
    "write a parser for CLAUDE.md and AGENTS.md",
    "park the cursor at the end of the line",
    "the car park module has an off-by-one",
    "that's not how recursion works, is it?",
    "that is how we ended up with three loggers",
    "option 2 it is",
    "friday it is, see you then",
    "never mind, found it",
    "all good, no PR needed",
    "please always show the toolbar when the user hovers the card",
    "when a customer logs out, never keep the cart",
    "I'm never sure which branch is live",
    "always a pleasure working with you",
    "never thought I'd see green",
    "the cache is always stale on mondays",
    "never again will I trust this library, haha",
    "from now on things will get better I guess",
    "it always takes ages",
    "she always writes these long emails",
    "why does it always crash",
    "this will never work",
    "every PR takes two days to review these days",
    "every function in here is a mess",
    "no tests were run",
    "Always fun when prod goes down",
    "we decided it's time for a break",
    "the customer decided that they want blue",
    "they agreed to pay",
    "add this to the list of things that annoy me",
    "remember when we had ten tests?",
    "I always forget the flag for that",
]


def found(text: str) -> list[Candidate]:
    """What is found in a turn that answers the agent."""
    return mine(
        [
            Step("user", "have a look at the importer", 1, "u1"),
            Step("assistant", "I looked at it and changed two files.", 2, "a2"),
            Step("user", text, 3, "u3"),
        ]
    ).candidates


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_said_plainly_is_found_at_high(text: str) -> None:
    assert [one.confidence for one in found(text)] == [Confidence.HIGH]


@pytest.mark.parametrize("text", RHETORIC)
def test_what_only_sounds_like_a_rule_is_not_saved(text: str) -> None:
    assert Confidence.HIGH not in [one.confidence for one in found(text)]
