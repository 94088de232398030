"""What the miner finds in a session, and above all what it does not."""

import time
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.entry import Confidence
from memcli.hosts.transcript import Role, Step
from memcli.sessions.mining import Candidate, foreign, mine
from memcli.sessions.mining.candidate import title

HIGH, MEDIUM = Confidence.HIGH, Confidence.MEDIUM


def user(text: str, line: int) -> Step:
    return Step("user", text, line, f"u{line}", "2026-11-20T10:00:00Z")


def agent(text: str, line: int) -> Step:
    return Step("assistant", text, line, f"a{line}")


def run(command: str, line: int, failed: bool = False, output: str = "") -> list[Step]:
    name = f"c{line}"
    return [
        Step("call", command, line, name, None, name, "run"),
        Step("result", output, line + 1, f"r{line}", None, name, failed=failed),
    ]


def edit(path: str, line: int) -> list[Step]:
    name = f"c{line}"
    return [
        Step("call", path, line, name, None, name, "edit"),
        Step("result", "updated", line + 1, f"r{line}", None, name, failed=False),
    ]


def candidates(*steps: Step | Iterable[Step]) -> list[Candidate]:
    flat: list[Step] = []
    for step in steps:
        flat += [step] if isinstance(step, Step) else step
    return mine(flat).candidates


def said(text: str, reply: str = "You're right, let me fix that.") -> list[Candidate]:
    """What is found in a turn that answers the agent."""
    return candidates(
        user("have a look at the parser", 1),
        agent("I did something for you.", 2),
        user(text, 3),
        agent(reply, 4),
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("please make sure we're using US English everywhere please", "We're using"),
        ("use `uv` instead of `pip`", "Use uv instead of pip"),
        ("- never push to main!", "Never push to main"),
    ],
)
def test_a_title_is_the_directive_without_courtesies(text: str, wanted: str) -> None:
    assert title(text).startswith(wanted)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["user", "assistant", "call", "result"]),
            st.text(max_size=300),
        ),
        max_size=12,
    )
)
def test_the_miner_answers_any_text_and_twice_the_same(
    rows: list[tuple[Role, str]],
) -> None:
    steps = [
        Step(role, text, n, str(n), call="x", failed=n % 2 == 0)
        for n, (role, text) in enumerate(rows, 1)
    ]
    found = mine(steps)
    assert found == mine(steps)
    lines = {step.line for step in steps}
    assert all(one.line in lines and one.title for one in found.candidates)


def test_words_of_the_agent_that_are_quoted_back_are_not_the_persons() -> None:
    reply = "From now on always write the tests before the code in this project."
    found = candidates(user("hello", 1), agent(reply, 2), user(f"{reply}\n\nwhy?", 3))
    assert found == []


def test_a_long_text_is_not_trusted_in_its_middle() -> None:
    filler = "The page shows the list of the orders that were made. " * 40
    (found,) = said(f"{filler}Always use tabs in all files. {filler}")
    assert found.confidence is MEDIUM


def test_a_draft_of_a_prompt_counts_once_and_where_it_was_finished() -> None:
    (found,) = candidates(
        user("never push to main", 1),
        user("never push to main, not even once, without asking", 2),
        agent("ok", 3),
    )
    assert found.line == 2


def test_a_correction_says_what_is_wrong_and_what_is_right() -> None:
    (found,) = said("No, that's wrong. You should have used uv instead of pip.")
    assert (found.category, found.confidence) == ("correction", HIGH)
    assert found.text == "You should have used uv instead of pip."


def test_a_turn_brings_three_candidates_at_most() -> None:
    rules = ("use tabs", "run the linter", "sign the commits", "squash the fixups")
    assert len(said("\n".join(f"- Always {rule} in this repo." for rule in rules))) == 3


def test_the_first_turn_corrects_nobody() -> None:
    found = candidates(user("that is not correct, we should use uv", 1), agent("ok", 2))
    assert [one for one in found if one.category == "correction"] == []


FAILING = ("pytest -q", "tests/test_cache.py: KeyError: 'de'")


def test_a_command_that_failed_a_change_and_the_command_passing_are_a_fix() -> None:
    cause = "The issue is that the cache key leaves out the locale. I added it."
    (found,) = candidates(
        user("I'm getting this error:\nKeyError: 'de'", 1)._replace(program=True),
        run(FAILING[0], 2, failed=True, output=FAILING[1]),
        agent(cause, 4),
        edit("/home/kim/shop/src/cache.py", 5),
        run(FAILING[0], 7),
    )
    assert (found.category, found.confidence, found.line) == ("fix", MEDIUM, 4)
    assert found.doubtful, "a program asked for it"
    assert found.text == (
        f"{cause}\n\nThe error was `{FAILING[1]}`; `pytest -q` passes since the change "
        "of `src/cache.py`."
    )


@pytest.mark.parametrize("missing", ["failing", "change", "passing", "cause"])
def test_a_fix_that_lacks_a_part_of_its_proof_is_none(missing: str) -> None:
    cause = "Done." if missing == "cause" else "The root cause was the stale lock."
    assert not candidates(
        user("why does it crash?", 1),
        run(FAILING[0], 2, failed=missing != "failing", output=FAILING[1]),
        agent(cause, 4),
        [] if missing == "change" else edit("src/cache.py", 5),
        run(FAILING[0], 7, failed=missing == "passing", output=FAILING[1]),
    )


def test_neither_runs_that_fail_nor_marks_take_the_square_of_their_number() -> None:
    runs = [run("make a", 1, True, "error: x"), run("make b", 2)] * 4_000
    began = time.monotonic()
    assert candidates(user("it fails", 1), *runs) == []
    assert foreign.own("Please: " + "<<!! a " * 120_000)
    assert time.monotonic() - began < 5


def test_what_the_agent_breaks_and_mends_while_it_writes_is_no_news() -> None:
    found = candidates(
        user("add a parser for dates", 1),
        edit("src/dates.py", 2),
        run("pytest -q", 4, failed=True, output="NameError: x"),
        agent("The issue is a missing import.", 6),
        edit("src/dates.py", 7),
        run("pytest -q", 9),
    )
    assert found == []


def test_the_same_commands_in_three_turns_are_a_workflow() -> None:
    steps: list[Step] = []
    for n in (1, 11, 21):
        steps += [
            user(f"change number {n}", n),
            *run("make schema-dump all", n + 1),
            *run(f"REGION=eu ./bin/seed.sh small --day 2025010{n % 7}", n + 3),
            agent("done", n + 5),
        ]
    (found,) = mine(steps).candidates
    assert (found.category, found.confidence, found.occurrences) == (
        "workflow",
        MEDIUM,
        3,
    )
    assert found.text == (
        "`make schema-dump all` → `REGION=eu ./bin/seed.sh small --day 20250100`"
    )


def test_what_every_project_does_is_no_workflow() -> None:
    steps: list[Step] = []
    for n in (1, 11, 21):
        steps += [
            user(f"change number {n}", n),
            *run("pnpm install", n + 1),
            *run("pnpm test", n + 3),
            *run("git add -A && git commit -m x && git push", n + 5),
        ]
    assert mine(steps).candidates == []


@pytest.mark.parametrize(
    "text",
    [
        "we should also add a --json flag later; this could be its own project",
        "at some future point we may want to cache the relationships",
        "let's create a new linear issue to handle the stale cache later",
        "we could build a plugin API eventually, but not in this one",
        "as a follow-up we could split the parser",
        "idea: a view that shows the lineage as a tree",
    ],
)
def test_what_is_put_off_is_one_idea(text: str) -> None:
    (found,) = said(text)
    assert found.category == "idea"


@pytest.mark.parametrize(
    "text",
    [
        "I'll do it later",
        "sooner or later it crashes",
        "let's do that in a separate branch",
        "one follow up: what happens with the stash?",
        "a minute later it failed",
        "push it and we will check it later",
    ],
)
def test_what_is_only_later_is_no_idea(text: str) -> None:
    assert [one for one in said(text) if one.category == "idea"] == []


def test_a_sentence_that_rests_on_the_one_before_it_takes_it_along() -> None:
    (found,) = said("The redis of the api was wiped. Never do that again without me.")
    assert found.confidence is HIGH
    assert found.text.startswith("The redis of the api was wiped.")


@pytest.mark.parametrize(
    "text",
    [
        "Never do that again without me.",
        "from now on use this",
        "this could be its own project",
        "definitely more of a future consideration, we should add it later",
        "B) I want to add it as a separate feature later on, we could wait",
        "Never put it there. Never do that again without me.",
    ],
)
def test_a_sentence_that_rests_on_what_nobody_typed_is_not_kept(text: str) -> None:
    assert said(text) == []


def test_what_a_line_announces_comes_with_it() -> None:
    (found,) = said("for future reference this is the command:\n\npnpm -F app dev")
    assert found.text == "for future reference this is the command: pnpm -F app dev"
