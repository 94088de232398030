"""What the miner finds in a session, and above all what it does not."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.entry import Confidence
from memcli.hosts.transcript import Role, Step
from memcli.sessions.mining import Candidate, mine
from memcli.sessions.mining.candidate import excerpt, title
from memcli.sessions.mining.sentences import sentences

HIGH, MEDIUM, LOW = Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW

DIRECTIVES = [
    "Always run the linter before committing.",
    "Please always use pnpm in this repo.",
    "From now on, write commit messages in the imperative.",
    "never push directly to main",
    "Please don't add comments that restate the code.",
    "use uv instead of pip",
    "Use tabs, not spaces.",
    "You should never mock the database in integration tests.",
    "I want you to always ask before deleting files.",
    "We should not use any ever, use unknown wherever we can",
    "please remember to run make fmt after every change",
    "Remember: we deploy on Tuesdays only.",
    "note this also: the staging database is read-only",
    "memorize that the API key rotates weekly",
    "update CLAUDE.md that integration tests need docker",
    "Please add to AGENTS.md that we use squash merges",
    "going forward keep functions under 40 lines",
    "Don't commit without running the tests.",
    "don't use force push on shared branches, ever",
    "I prefer small commits over big ones.",
    "In the future, don't create summary documents unless I ask.",
    "that is not correct, we don't store tokens in the database, they belong in the keychain",
    "No, you should have used the existing helper instead of writing a new one.",
    "We've decided to use Postgres for everything.",
    "do not ever rebase published branches",
    "stop adding emojis to commit messages, in future keep them plain",
    "make sure we're using snake_case everywhere",
    "For all future PRs, add a changelog line",
    "Never use `any` in TypeScript.",
    "ALWAYS use absolute imports!!",
    "Can you please always use British spelling in docs?",
    "I'd rather you never touch the generated files",
    "Whenever you change the schema, always write a migration.",
    "As a rule, tests go next to the code, keep it that way everywhere",
    "Verwende immer pnpm statt npm.",
    "Bitte niemals direkt auf main pushen.",
    "Ab jetzt Commit-Nachrichten auf Englisch schreiben.",
    "Utilise toujours pnpm au lieu de npm.",
    "Ne pousse jamais sur main.",
    "À partir de maintenant, écris les tests en premier.",
    "Usa siempre pnpm en vez de npm.",
    "Nunca subas directamente a main.",
    "A partir de ahora escribe los commits en inglés.",
    "Use sempre pnpm em vez de npm.",
    "Nunca faça push direto na main.",
    "不要直接推送到 main 分支",
    "以后提交信息一律用英文写",
    "总是使用 pnpm 而不是 npm",
    "コミット前に必ずテストを実行してください",
    "常に pnpm を使ってください",
    "mainに直接プッシュしないでください、絶対に",
]
# Narration, requests of the moment, specifications, beliefs, permissions, answers.
NOTHING = [
    "It was never called during the test run.",
    "I need coffee",
    "I want to see the diff",
    "I like it",
    "I never got that error before, it always printed ok",
    "always seems to be slow in the morning",
    "there should always be a commit matching the session",
    "the server should always return 404 here",
    "but don't commit it",
    "dont implement yet",
    "I allow you to commit with --no-verify",
    "no, then it's good",
    "no, write the plan",
    "I need you to fix the build",
    'The docs say "always use the new API" somewhere',
    "It never worked for me",
    "Please correct me if I am wrong here",
    "does it always do that?",
    "why do you always create new files?",
    "can work instead of claude",
    "don't worry about the tests",
    "you can use either instead of both",
    "Don't change the API for now",
    "please don't touch this file until I'm back",
    "we never got an answer from them",
    "The cache is always cold after a deploy",
    "add an error message instead of panicking",
    "use a map instead of a list here",
    "make sure the tests pass",
    "please use the second option",
    "Should we always validate input?",
    "I don't think we need suffixes",
    "when the user logs in, always show the banner",
    "the button should never be disabled",
    "It should always exit with code 1 when the file is missing",
    "if the token is expired, never retry",
    "I think the reviewer said to never use globals",
    "Let's not do this now",
    "do not run it yet",
    "this is always wrong on windows",
    "is this the right way to always get the newest?",
    "Das war schon immer so.",
    "Ich habe das noch nie gesehen.",
    "Das passiert immer wieder hier.",
    "C'est toujours la même erreur.",
    "Je n'ai jamais vu ça.",
    "Siempre pasa lo mismo.",
    "Nunca he visto ese error.",
    "Sempre acontece isso.",
    "这个错误总是出现",
    "いつも同じエラーが出る",
    "fix the failing test please",
    "thanks, works now",
    "okay commit and push",
    "Use this token: abc",
    "don't forget to push",
    "Remember when we had that bug?",
    "do you remember the name of the file?",
    "never mind",
    "Never mind, I found it.",
    "always nice to see green tests",
    "please run the tests again",
]


def user(text: str, line: int) -> Step:
    return Step("user", text, line, f"u{line}", "2026-11-20T10:00:00Z")


def agent(text: str, line: int) -> Step:
    return Step("assistant", text, line, f"a{line}")


def run(command: str, line: int, failed: bool = False, output: str = "") -> list[Step]:
    name = f"c{line}"
    return [
        Step("call", command, line, name, None, name, "Bash", "run"),
        Step("result", output, line + 1, f"r{line}", None, name, failed=failed),
    ]


def edit(path: str, line: int) -> list[Step]:
    name = f"c{line}"
    return [
        Step("call", path, line, name, None, name, "Edit", "edit"),
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


@pytest.mark.parametrize("text", DIRECTIVES)
def test_a_directive_that_outlives_its_task_is_found_as_high(text: str) -> None:
    (found,) = said(text)
    assert (found.confidence, found.line, found.record) == (HIGH, 3, "u3")


@pytest.mark.parametrize("text", NOTHING)
def test_what_only_sounds_like_a_directive_is_nothing(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("please make sure we're using US English everywhere please", "We're using"),
        ("Bitte niemals direkt auf main pushen.", "Niemals direkt auf main pushen"),
        ("use `uv` instead of `pip`", "Use uv instead of pip"),
        ("- never push to main!", "Never push to main"),
    ],
)
def test_a_title_is_the_directive_without_courtesies(text: str, wanted: str) -> None:
    assert title(text).startswith(wanted)


@given(st.text(min_size=1, max_size=400))
def test_a_title_is_one_line_of_eighty_characters(text: str) -> None:
    found = title(text)
    assert len(found) <= 80
    assert "\n" not in found


@given(st.text(max_size=2_000), st.text(max_size=600))
def test_an_excerpt_is_one_line_of_three_hundred_characters(a: str, b: str) -> None:
    found = excerpt(a + b, b)
    assert len(found) <= 300
    assert "\n" not in found


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["user", "assistant", "call", "result"]),
            st.text(max_size=300),
        ),
        max_size=12,
    )
)
def test_whatever_is_said_the_miner_answers_and_twice_the_same(
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


@pytest.mark.parametrize(
    "text",
    [
        'the label should read "Always use the new API from now on"',
        "```\nnever push to main\n```",
        "> always squash your commits\n\nwhat does that mean?",
        "you wrote:\nAlways use absolute imports.\nNever use globals.",
        "the reviewer left this comment:\nplease don't use globals, ever",
        "Comment on lines +12 to +15\nYou should never mock the database.",
        "# Plan\n## Goal\nAlways exit with 1\n## Steps\n- never retry\n## Notes\nuse a instead of b",
        "ERROR: always run migrations first\nfatal: never mix versions",
        "what I want to achieve:\n1. if error is silent, do not print anything\n2. if there is error, always exit with os.Exit(1)",
    ],
)
def test_words_that_are_not_the_persons_own_are_not_mined(text: str) -> None:
    assert [one for one in said(text) if one.confidence is HIGH] == []


def test_words_of_the_agent_that_are_quoted_back_are_not_the_persons() -> None:
    reply = "From now on always write the tests before the code in this project."
    found = candidates(user("hello", 1), agent(reply, 2), user(f"{reply}\n\nwhy?", 3))
    assert found == []


def test_a_long_text_is_not_trusted_in_its_middle() -> None:
    filler = "The page shows the list of the orders that were made. " * 40
    for rule in ("Always use tabs in this.", "Verwende immer pnpm statt npm."):
        (found,) = said(f"{filler}{rule} {filler}")
        assert found.confidence is LOW


def test_a_prompt_that_was_sent_twice_counts_once() -> None:
    text = "Always run the linter before committing."
    (found,) = candidates(user(text, 1), user(text, 2), agent("ok", 3))
    assert found.occurrences == 1


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
    assert found.title == "You should have used uv instead of pip"
    assert "that's wrong" in found.text


def test_a_correction_that_the_agent_contradicts_is_low() -> None:
    text = "that is not correct, we never store tokens there"
    (found,) = said(text, "I checked and it is already correct.")
    assert found.confidence is LOW


def test_the_first_turn_corrects_nobody() -> None:
    found = candidates(user("that is not correct, we should use uv", 1), agent("ok", 2))
    assert [one for one in found if one.category == "correction"] == []


def test_a_mild_correction_counts_when_the_agent_takes_it_up() -> None:
    text = "fix the test, the code is right"
    (found,) = said(text, "You're right, let me fix the test.")
    assert (found.category, found.confidence) == ("correction", MEDIUM)
    assert said(text, "The weather is nice.") == []


def test_an_error_the_user_met_with_its_cause_and_a_change_is_a_fix() -> None:
    cause = "The issue is that the cache key leaves out the locale. I added it."
    (found,) = candidates(
        user("I'm getting this error:\nKeyError: 'de'", 1),
        run("pytest -q", 2, failed=True, output="KeyError: 'de'"),
        agent(cause, 4),
        edit("src/cache.py", 5),
        run("pytest -q", 7),
    )
    assert (found.category, found.confidence, found.line) == ("fix", MEDIUM, 4)
    assert found.text == cause


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


def test_a_cause_without_a_change_is_talk() -> None:
    found = candidates(
        user("why does it fail with this error?", 1),
        agent("The issue is that the token is too old.", 2),
    )
    assert found == []


def test_a_command_that_is_not_there_and_the_one_that_is_make_a_workaround() -> None:
    (found,) = candidates(
        user("run the tests", 1),
        run(
            "python -m pytest -q",
            2,
            failed=True,
            output="bash: python: command not found",
        ),
        run("python3 -m pytest -q", 4),
    )
    assert (found.category, found.confidence, found.pattern) == (
        "fix",
        LOW,
        "workaround",
    )
    assert "`python3 -m pytest -q` works" in found.text


def test_the_same_commands_in_three_turns_are_a_workflow() -> None:
    steps: list[Step] = []
    for n in (1, 11, 21):
        steps += [
            user(f"change number {n}", n),
            *run("make fmt", n + 1),
            *run("make lint", n + 3),
            agent("done", n + 5),
        ]
    (found,) = mine(steps).candidates
    assert (found.category, found.confidence, found.occurrences) == (
        "workflow",
        MEDIUM,
        3,
    )
    assert found.text == "`make fmt` → `make lint`"


def test_a_tool_that_was_used_four_times_is_no_workflow() -> None:
    steps = [user("look around", 1)]
    for n in range(4):
        steps += run(f"ls -la folder{n}", 2 + 2 * n)
    steps += [step for n in range(4) for step in run("pytest -q", 20 + 2 * n)]
    assert mine(steps).candidates == []


def test_commands_that_worked_and_shall_be_done_so_again_are_a_workflow() -> None:
    (found,) = candidates(
        user("release it", 1),
        run("make build", 2),
        run("make publish", 4),
        agent("Released.", 6),
        user("great, do it the same way next time too", 7),
    )
    assert (found.category, found.confidence) == ("workflow", HIGH)
    assert found.text == "`make build` → `make publish`"


@pytest.mark.parametrize(
    "text",
    [
        "we should also add a --json flag later; this could be its own project",
        "at some future point we may want to cache the relationships",
        "let's create a new linear issue for this to handle later",
        "we could build that eventually, but not in this one",
        "as a follow-up we could split the parser",
        "idea: a view that shows the lineage as a tree",
    ],
)
def test_what_is_put_off_is_one_idea(text: str) -> None:
    (found,) = said(text)
    assert (found.category, found.confidence) == ("idea", MEDIUM)


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


def test_remember_this_means_what_stands_before_it() -> None:
    (found,) = said(
        "Tests of the api need a running redis. Please add this to CLAUDE.md."
    )
    assert found.confidence is HIGH
    assert "running redis" in found.text
    assert found.title.startswith("Tests of the api need")


def test_remember_that_means_the_lesson_that_the_agent_then_notes() -> None:
    found = candidates(
        user("please memorize the setup so that this never repeats", 1),
        edit("MEMORY.md", 2),
        agent(
            "Memory updated. Key rule: **every new table must have a migration**.", 4
        ),
    )
    asked, lesson = found
    assert (lesson.category, lesson.confidence) == ("fix", HIGH)
    assert lesson.text == "every new table must have a migration."
    assert asked.refers == lesson.record


def test_three_turns_that_say_the_same_are_a_pattern() -> None:
    steps: list[Step] = []
    for n, name in ((1, "users"), (4, "orders"), (7, "items")):
        steps += [
            user(
                f"please replace all assertions in {name} with literal strings instead of contains",
                n,
            ),
            agent("done", n + 1),
        ]
    (found,) = mine(steps).candidates
    assert (found.confidence, found.occurrences) == (MEDIUM, 3)


def test_two_patterns_in_one_sentence_are_one_candidate() -> None:
    assert len(said("Always run `pytest -q` before you commit, never skip it.")) == 1


@given(st.text(max_size=600))
def test_the_mask_keeps_every_character_in_its_place(text: str) -> None:
    for one in sentences(text):
        assert len(one.plain) == len(one.text)
