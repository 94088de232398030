"""Ideas as text: the ledger only grows, a decision is one line, none comes twice."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memcli.curation import idea_page, idea_text
from memcli.curation.idea_text import Idea
from memcli.entries import codec, layout
from memcli.entries.entry import Status
from memcli.errors import InvalidEntry, NotAllowed

DAY = "2026-11-21"
CACHE = Idea(
    title="Warm the index on login",
    summary="A login hook could bring the index up to date.\n  The first recall waits.",
    day=DAY,
    slug="warm-the-index-on-login",
    session="s1",
    record="r7",
    excerpt="what if we\nwarmed the [[index]]?",
)
LEDGER = layout.IDEA_LEDGER

anything = st.text()
prose = st.text(st.sampled_from("# \n\r~[]→>-:x2é`<|\\"), max_size=60)
made = st.builds(
    Idea,
    title=prose | anything,
    summary=prose | anything,
    day=st.dates().map(str),
    slug=st.just(""),
    session=st.none() | anything,
    record=st.none() | anything,
    excerpt=st.none() | prose | anything,
    at=st.none(),
    host=st.none() | anything,
    writer=st.just("hook"),
    # No process can be given a NUL.
    agent=st.none() | anything.filter(lambda name: "\0" not in name),
)
by_hand = st.lists(
    st.sampled_from(
        (
            "# Ideas",
            "## 2026-01-01: By hand",
            "## 2026-01-02 – another dash",
            "## ~~2026-01-03: Gone~~",
            "## ~~2026-01-03: No~~ — Dismissed 2026-01-04",
            "[[incubator/by-hand/_index.md]]",
            "## ~~2026-01-05: Done~~ — Promoted 2026-01-06 to a note",
            "## Not an idea",
            "some prose",
            "",
            "   ",
            "\ufeff",
            "```",
        )
    )
).flatmap(
    lambda lines: st.builds(
        lambda end, last: end.join(lines) + last,
        st.sampled_from(("\n", "\r\n")),
        st.sampled_from(("", "\n", "\r\n", "\n\n", "\n  ")),
    )
)


# --- adding -----------------------------------------------------------------------


def test_a_new_ledger_has_the_format() -> None:
    first = idea_text.append("", CACHE)
    assert first == (
        "# Ideas\n"
        "\n"
        "## 2026-11-21: Warm the index on login\n"
        "A login hook could bring the index up to date. The first recall waits.\n"
        "[[incubator/warm-the-index-on-login/_index.md]]\n"
    )
    other = CACHE._replace(title="Another", slug="another", summary="One. Two.")
    assert idea_text.append(first, other) == first + (
        "\n## 2026-11-21: Another\nOne. Two.\n[[incubator/another/_index.md]]\n"
    )


@given(by_hand | anything, made)
@example("\x0c", CACHE)
def test_adding_changes_no_byte_that_is_there_and_happens_once(
    ledger: str, idea: Idea
) -> None:
    taken = {section.slug for section in idea_text.parse(ledger)}
    idea = idea._replace(slug=idea_text.slug(idea.title, taken))
    after = idea_text.append(ledger, idea)
    assert after.startswith(ledger)
    before = idea_text.parse(ledger)
    sections = idea_text.parse(after)
    assert sections[: len(before)] == before
    assert len(sections) <= len(before) + 1
    if after != ledger:
        added = sections[-1]
        assert (added.day, added.slug, added.state) == (idea.day, idea.slug, "open")
        heading = after.split("\n")[added.line - 2 : added.line]
        assert not heading[0].strip("\r\ufeff \t")
    assert idea_text.append(after, idea) == after


@pytest.mark.parametrize(
    "summary",
    [
        "## 2026-01-01: A false idea",
        "[[incubator/elsewhere/_index.md]] → promoted 2026-01-01 to x",
        "→ promoted 2026-01-01 to nowhere",
        "one\n## 2026-01-01: A false idea",
        "one\r## 2026-01-01: A false idea\u2028[[incubator/x/_index]]",
        "```",
        "<!-- hidden",
    ],
)
def test_a_summary_cannot_pose_as_an_idea_or_a_decision(summary: str) -> None:
    ledger = idea_text.append("", CACHE._replace(summary=summary))
    (section,) = idea_text.parse(ledger)
    assert (section.slug, section.state) == (CACHE.slug, "open")
    assert not re.search(r"^(?:```|<!--)", ledger, re.MULTILINE)


# --- slugs ------------------------------------------------------------------------


@given(anything, st.integers(0, 12))
def test_a_slug_is_a_safe_name_of_at_most_40_characters(title: str, used: int) -> None:
    taken: set[str] = set()
    for _ in range(used + 1):
        name = idea_text.slug(title, taken)
        assert re.fullmatch("[a-z0-9-]{1,40}", name)
        assert name not in taken
        taken.add(name)
        assert idea_page.page_path(name) == f"ideas/incubator/{name}/_index.md"


# --- pages ------------------------------------------------------------------------


def test_a_page_says_what_it_is_and_where_it_came_from() -> None:
    data = idea_page.page_of(CACHE._replace(at="2026-11-21T09:30:00Z")).decode()
    assert data == (
        "---\n"
        "id: zgakfg1t894w9rfg\n"
        "kind: idea\n"
        "title: Warm the index on login\n"
        'created: "2026-11-21T09:30:00Z"\n'
        'updated: "2026-11-21T09:30:00Z"\n'
        "source:\n"
        "  writer: pipeline\n"
        "  session: s1\n"
        "  record: r7\n"
        '  excerpt: "what if we\\nwarmed the [[index]]?"\n'
        "status: incubating\n"
        "slug: warm-the-index-on-login\n"
        'surfaced_at: "2026-11-21T09:30:00Z"\n'
        "surfaced_in_session: s1\n"
        "---\n"
        "# Warm the index on login\n"
        "\n"
        "A login hook could bring the index up to date. The first recall waits.\n"
        "\n"
        "> what if we\n"
        "> warmed the \\[\\[index]]?\n"
        "\n"
        "Surfaced 2026-11-21 in session s1, record r7.\n"
    )


@given(made)
@example(CACHE._replace(record="[[", session="[[x]]"))
def test_the_page_of_any_idea_is_read_back(idea: Idea) -> None:
    idea = idea._replace(slug=idea_text.slug(idea.title))
    path = idea_page.page_path(idea.slug)
    decoded = codec.decode(idea_page.page_of(idea), path)
    assert decoded.problems == ()
    assert decoded.entry.status is Status.PENDING
    assert decoded.entry.kind == "idea"
    assert decoded.entry.created == idea.day
    assert not re.search(r"\[\[", decoded.entry.body)
    names = [name for name, _ in decoded.entry.extra]
    assert names[:2] == ["slug", "surfaced_at"]


def test_incubating_is_pending_on_an_ideas_page_only() -> None:
    data = idea_page.page_of(CACHE)
    for path, status in (
        (layout.idea_page("x"), Status.PENDING),
        ("archive/ideas/incubator/x/_index.zqh58dan3e1k64x4.md", Status.PENDING),
        ("memories/idea/x.md", Status.ACTIVE),
    ):
        assert codec.decode(data, path).entry.status is status


def test_a_rewrite_of_a_page_leaves_its_word() -> None:
    path = layout.idea_page(CACHE.slug)
    data = idea_page.page_of(CACHE)
    entry = codec.decode(data, path).entry
    tagged = codec.rewrite(data, entry.replace(tags=("cache",)))
    assert b"\nstatus: incubating\n" in tagged
    ended = codec.rewrite(data, entry.replace(status=Status.REJECTED))
    assert b"\nstatus: rejected\n" in ended
    assert b"incubating" not in ended


# --- the plan ---------------------------------------------------------------------


def test_a_known_idea_is_left_out_in_any_state() -> None:
    files = idea_page.plan({}, [CACHE])
    text = files[LEDGER].decode()
    other = idea_text.append(text, CACHE._replace(title="Other", slug="other"))
    for ledger in (
        text,
        idea_text.decided(text, CACHE.slug, "dismissed", DAY),
        idea_text.decided(text, CACHE.slug, "promoted", DAY, "[[memories/idea/x.md]]"),
        idea_text.decided(other, CACHE.slug, "merged", DAY, "other"),
    ):
        there = {LEDGER: ledger.encode()}
        assert idea_page.plan(there, [CACHE._replace(slug="")]) == {}
        assert idea_page.same(CACHE, idea_page.held(there))


def test_a_record_read_again_is_known_though_its_title_was_edited() -> None:
    files = idea_page.plan({}, [CACHE])
    long = "Warm the index on login, so that nobody ever has to wait"
    first = CACHE._replace(title=long, slug="")
    files = idea_page.plan({}, [first])
    files[LEDGER] = files[LEDGER].replace(long.encode(), b"Warm it")
    again = first._replace(title=long + " again")
    assert idea_page.plan(files, [again]) == {}
    elsewhere = again._replace(record="r8")
    assert len(idea_page.plan(files, [elsewhere])) == 2


def test_a_taken_folder_gives_another_name() -> None:
    there = {"ideas/incubator/warm-the-index-on-login/": b""}
    archived = "archive/ideas/incubator/warm-the-index-on-login-2/_index.x.md"
    files = idea_page.plan({**there, archived: b"---\nbroken: [\n---\n"}, [CACHE])
    assert layout.idea_page("warm-the-index-on-login-3") in files


def test_a_ledger_that_is_no_text_is_refused_with_its_line() -> None:
    for data, line in ((b"# Ideas\n\xff", 2), (b"a\nb\n<<<<<<< HEAD\n", 3)):
        with pytest.raises(InvalidEntry) as refused:
            idea_page.plan({LEDGER: data}, [CACHE])
        assert (refused.value.path, refused.value.line) == (LEDGER, line)


@given(by_hand, st.lists(made, max_size=4))
def test_a_plan_keeps_the_ledger_and_planning_again_writes_nothing(
    ledger: str, new: list[Idea]
) -> None:
    there = {LEDGER: ledger.encode()}
    files = idea_page.plan(there, new)
    assert files.get(LEDGER, there[LEDGER]).startswith(there[LEDGER])
    assert idea_page.plan({**there, **files}, new) == {}


# --- what a person writes ---------------------------------------------------------


def test_ideas_written_by_hand_are_read() -> None:
    sections = idea_text.parse(
        "\ufeff# Ideas\n\nA word first.\n\n"
        "## 2026-01-01: With: a colon\nWhy not.\n\n"
        "## 2026-01-02 – a dash\n[[ideas/incubator/My Idea/_index|see]]\n\n"
        "## Not one\n\n"
        "## ~~2026-01-03: struck out~~\n\n"
        "## ~~2026-01-04 with: a colon~~ - promoted 2026-02-02 to the roadmap\n"
    )
    assert [(one.title, one.slug, one.state, one.line) for one in sections] == [
        ("With: a colon", "with-a-colon", "open", 5),
        ("a dash", "My Idea", "open", 8),
        ("struck out", "struck-out", "dismissed", 13),
        ("with: a colon", "with-a-colon-2", "promoted", 15),
    ]
    assert sections[0].summary == "Why not."
    assert (sections[3].on, sections[3].where) == ("2026-02-02", "the roadmap")


# --- decisions --------------------------------------------------------------------


@pytest.fixture
def ledger() -> str:
    text = "# Ideas\r\n\r\n  by hand ~~x~~  \r\n"
    text = idea_text.append(text, CACHE)
    return idea_text.append(text, CACHE._replace(title="Other", slug="other"))


@pytest.mark.parametrize(
    ("state", "where", "said"),
    [
        ("promoted", "[[memories/a.md]]", "Promoted 2026-11-21 to [[memories/a.md]]"),
        ("dismissed", "", "Dismissed 2026-11-21"),
        ("merged", "warm", f"Merged 2026-11-21 into {CACHE.slug}"),
    ],
)
def test_a_decision_strikes_the_heading_out_and_says_what_became(
    ledger: str, state: str, where: str, said: str
) -> None:
    after = idea_text.decided(ledger, "other", state, DAY, where)
    heading = "## 2026-11-21: Other\r\n"
    assert after == ledger.replace(heading, f"## ~~2026-11-21: Other~~ — {said}\r\n")
    one = idea_text.parse(after)[1]
    assert (one.state, one.on) == (state, DAY)
    assert (one.where or "") == said.partition(DAY)[2].split(" ")[-1]
    with pytest.raises(NotAllowed, match=state):
        idea_text.decided(after, "other", "dismissed", DAY)


def test_an_idea_is_not_merged_into_itself_or_into_one_that_is_over(
    ledger: str,
) -> None:
    gone = idea_text.decided(ledger, "other", "dismissed", DAY)
    for text, name, other in ((ledger, "other", "other"), (gone, CACHE.slug, "other")):
        with pytest.raises(NotAllowed, match=r"itself|dismissed"):
            idea_text.decided(text, name, "merged", DAY, other)


@given(by_hand, made, st.integers(0, 20))
def test_a_decision_changes_one_line_and_no_other(
    text: str, idea: Idea, which: int
) -> None:
    taken = {section.slug for section in idea_text.parse(text)}
    text = idea_text.append(text, idea._replace(slug=idea_text.slug(idea.title, taken)))
    before = idea_text.parse(text)
    opened = [one for one in before if one.state == "open"]
    if not opened:
        return
    one = idea_text.find(opened, opened[which % len(opened)].slug)
    for state in ("promoted", "dismissed"):
        after = idea_text.decided(text, one.slug, state, DAY, "x")
        lines = zip(text.split("\n"), after.split("\n"), strict=True)
        assert sum(old != new for old, new in lines) == 1
        expected = [section.state for section in before]
        expected[before.index(one)] = state
        assert [section.state for section in idea_text.parse(after)] == expected
