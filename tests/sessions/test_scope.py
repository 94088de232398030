"""Words that say that something holds everywhere."""

import pytest

from memcli.sessions.routing import says_everywhere


@pytest.mark.parametrize(
    "text",
    [
        "In all my projects, use pnpm",
        "Use pnpm across all of our repositories",
        "always use conventional commits in every repo",
        "Use uv for all Python projects, wherever you are",
        "use tabs in each of my projects",
        "No matter which project, never push to main",
        "Generally, prefer small functions",
        "As a general rule, write tests first",
        "I want US English everywhere.",
        "use pnpm everywhere, always",
        "Write the test first, and in general keep commits small",
    ],
)
def test_these_words_say_everywhere(text: str):
    assert says_everywhere(text)


@pytest.mark.parametrize(
    "text",
    [
        "always use pnpm",
        "always use pnpm in this repository",
        "Use US English everywhere in the docs",
        "use the new logger everywhere we call the old one",
        "Rename it everywhere it is used",
        "everywhere in this project we use tabs",
        "in this repo, generally prefer small functions",
        "Use pnpm in our project, in general",
        "add the header to all pages",
        "run all tests for every change",
        "general-purpose helpers go to lib",
        "it is generally affected by the state machine",
        "commit.gpgsign is globally configured, so set it to false in tests",
        "is the new logger used everywhere?",
    ],
)
def test_these_words_say_nothing_of_other_projects(text: str):
    assert not says_everywhere(text)


def test_the_sentence_counts_and_no_other_one():
    mined = "always use pnpm."
    assert says_everywhere(mined, "Hello. In all my projects, always use pnpm. Done.")
    assert not says_everywhere(mined, "I like it in general. Now always use pnpm.")
    assert not says_everywhere(mined, "Hm, always use pnpm. We need it everywhere.")
