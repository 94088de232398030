"""What is said plainly is found, in whoever's words; what only sounds like it is not.

None of these sentences is taken from a transcript. Each stands for a form that the
examples beside the rules lack.
"""

import pytest

from memcli.entries.entry import Confidence
from tests.sessions.mining.said import said as found

STANDING = [
    "from now on speak german with me",
    "From now on no abbreviations in public names.",
    "going forward, annotate every public function",
    "stop adding emojis to commit messages, in future keep them plain",
    "ok, never bypass the linter with noqa",
    "Always round money half-even, never with floats.",
    "always cite the RFC section in parser comments",
    "ALWAYS use absolute imports!!",
    "I'd rather you never touch the generated files",
    "I want you to always ask before deleting files.",
    "Do not edit the files in gen, they are overwritten by the build.",
    "Don't commit without running the tests.",
    "every PR needs a changelog entry",
    "All commits have to be signed.",
    "No PR without a linked issue.",
]
DECIDED = [
    "We decided with Mira that the importer stays on SQLite.",
    "Postgres it is, decision made.",
    "In yesterday's review we agreed to drop support for Python 3.9.",
    "Final decision: no ORM in the worker.",
]
CORRECTED = [
    "That's not how we do it. Controllers go through the service layer.",
    "No, that's not how we do things here: errors are values, nothing throws.",
    "that is not correct, we don't store tokens in the database, they belong in the keychain",
    "You keep forgetting the changelog. Always add a line for what users see.",
]
REMEMBERED = [
    "Add this to CLAUDE.md: integration tests need Docker running.",
    "The staging database is reset every Sunday night. Please add that to AGENTS.md.",
    "put this in your memory: invoices are immutable once sent",
    "memorize that the API key rotates weekly",
    "Raw SQL is forbidden in this repo.",
    "We don't do snapshot tests here.",
]
PUT_OFF = [
    "Parking lot: let customers import their own fonts",
    "put offline mode on the backlog",
]
PLAIN = STANDING + DECIDED + CORRECTED + REMEMBERED + PUT_OFF

# Narration, requests of the moment, what the program shall do, answers, other languages.
RHETORIC = [
    "always retry twice, says the CI log",
    "please always show the toolbar when the user hovers the card",
    "when you open a folder it should never load all children",
    "Don't change the API for now",
    "the old service always returned XML, weird",
    "never again will I trust this library, haha",
    "every time I run the build it eats all my memory",
    "Who decided that every page needs a footer?",
    "that's not how recursion works, is it?",
    "no, that's the old one. the new one is called v2",
    "add an error message instead of panicking",
    "use sha256 instead of md5 for the content hash",
    "It should always exit with code 1 when the file is missing",
    'The docs say "always use the new API" somewhere',
    "I think the reviewer said to never use globals",
    "parse CLAUDE.md and add the result to the report",
    "remember that flag we added? remove it",
    "until the release is out do not merge anything",
    "C'est toujours la même erreur.",
    "いつも同じエラーが出る",
]


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_said_plainly_is_found_at_high(text: str) -> None:
    assert [one.confidence for one in found(text)] == [Confidence.HIGH]


@pytest.mark.parametrize("text", RHETORIC)
def test_what_only_sounds_like_a_rule_is_not_saved(text: str) -> None:
    assert Confidence.HIGH not in [one.confidence for one in found(text)]
