"""Words that say that something holds everywhere."""

import pytest

from memcli.sessions.routing import says_everywhere


@pytest.mark.parametrize(
    "text",
    [
        "In all my projects, use pnpm",
        "always use conventional commits in every repo",
        "use tabs in each of my projects",
        "Generally, prefer small functions",
        "I want US English everywhere.",
        "Write the test first, and in general keep commits small",
    ],
)
def test_these_words_say_everywhere(text: str):
    assert says_everywhere(text)


@pytest.mark.parametrize(
    "text",
    [
        "always use pnpm",
        "Use US English everywhere in the docs",
        "Rename it everywhere it is used",
        "in this repo, generally prefer small functions",
        "add the header to all pages",
        "general-purpose helpers go to lib",
        "commit.gpgsign is globally configured, so set it to false in tests",
    ],
)
def test_these_words_say_nothing_of_other_projects(text: str):
    assert not says_everywhere(text)


def test_the_sentence_counts_and_no_other_one():
    mined = "always use pnpm."
    assert says_everywhere(mined, "Hello. In all my projects, always use pnpm. Done.")
    assert not says_everywhere(mined, "I like it in general. Now always use pnpm.")
    assert not says_everywhere(mined, "Hm, always use pnpm. We need it everywhere.")
