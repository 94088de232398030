"""Ideas as text: the ledger only grows, a decision is one line, none comes twice."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memcli.curation.ideas import ledger as book
from memcli.curation.ideas import page
from memcli.curation.ideas.page import Idea
from memcli.entries import codec, layout
from memcli.entries.entry import Status
from memcli.errors import (
    EntryNotFound,
    InvalidEntry,
    InvalidValue,
    NotAllowed,
    UnsafePath,
)

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
            "→ promoted 2026-01-05 to a note",
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
    first = page.append("", CACHE)
    assert first == (
        "# Ideas\n"
        "\n"
        "## 2026-11-21: Warm the index on login\n"
        "A login hook could bring the index up to date. The first recall waits.\n"
        "[[incubator/warm-the-index-on-login/_index.md]]\n"
    )
    other = CACHE._replace(title="Another", slug="another", summary="One. Two.")
    assert page.append(first, other) == first + (
        "\n## 2026-11-21: Another\nOne. Two.\n[[incubator/another/_index.md]]\n"
    )


@given(by_hand | anything, made)
@example("\x0c", CACHE)
def test_adding_changes_no_byte_that_is_there_and_happens_once(
    ledger: str, idea: Idea
) -> None:
    taken = {section.slug for section in book.parse(ledger)}
    idea = idea._replace(slug=book.slug(idea.title, taken))
    after = page.append(ledger, idea)
    assert after.startswith(ledger)
    before = book.parse(ledger)
    sections = book.parse(after)
    assert sections[: len(before)] == before
    assert len(sections) <= len(before) + 1
    if after != ledger:
        added = sections[-1]
        assert (added.day, added.slug, added.state) == (idea.day, idea.slug, "open")
        heading = after.split("\n")[added.line - 2 : added.line]
        assert not heading[0].strip("\r\ufeff \t")
    assert page.append(after, idea) == after


def test_windows_line_ends_and_a_missing_last_one_are_kept() -> None:
    ledger = "# Ideas\r\n\r\nmine, by hand"
    after = page.append(ledger, CACHE)
    assert after.startswith(ledger + "\r\n\r\n## 2026-11-21: Warm")
    assert "\n" not in after.replace("\r\n", "")


@pytest.mark.parametrize(
    ("ledger", "gap"),
    [("x", "\n\n"), ("x\n", "\n"), ("x\n\n", ""), ("x\n  ", "\n"), ("\n", "")],
)
def test_one_blank_line_stands_between_ideas(ledger: str, gap: str) -> None:
    added = page.append(ledger, CACHE)[len(ledger) :]
    assert added.partition("## ")[0] in (gap, gap + "# Ideas\n\n")


@pytest.mark.parametrize(
    "title",
    [
        "warm the index on login",
        "“Warm the index on login”".strip("“”"),
        "Warm  the index on login.",
    ],
)
def test_the_same_title_is_not_added_again(title: str) -> None:
    ledger = page.append("", CACHE)
    assert page.append(ledger, CACHE._replace(title=title, slug="other")) == ledger


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
    ledger = page.append("", CACHE._replace(summary=summary))
    (section,) = book.parse(ledger)
    assert (section.slug, section.state) == (CACHE.slug, "open")
    assert not re.search(r"^(?:```|<!--)", ledger, re.MULTILINE)


def test_a_day_that_is_none_is_refused() -> None:
    for day in ("2026-11", "yesterday", "2026-02-31"):
        with pytest.raises(InvalidValue):
            page.append("", CACHE._replace(day=day))


# --- slugs ------------------------------------------------------------------------


def test_a_slug_is_cut_at_a_word_and_never_taken_twice() -> None:
    long = "A dashboard that shows which memories are never recalled by anyone"
    name = book.slug(long)
    assert name == "a-dashboard-that-shows-which-memories"
    again = book.slug(long, {name})
    assert again == "a-dashboard-that-shows-which-memories-2"
    assert book.slug(long, {name, again.upper()}).endswith("-3")


@given(anything, st.integers(0, 12))
def test_a_slug_is_a_safe_name_of_at_most_40_characters(title: str, used: int) -> None:
    taken: set[str] = set()
    for _ in range(used + 1):
        name = book.slug(title, taken)
        assert re.fullmatch("[a-z0-9-]{1,40}", name)
        assert name not in taken
        taken.add(name)
        assert page.page_path(name) == f"ideas/incubator/{name}/_index.md"


def test_titles_of_other_scripts_do_not_share_a_slug() -> None:
    assert book.slug("向量索引") != book.slug("缓存预热")


@pytest.mark.parametrize("name", ["..", "../x", "a/b", "", ".git", "a\\b", "a\0", "/x"])
def test_a_slug_that_is_no_folder_name_is_refused(name: str) -> None:
    with pytest.raises(UnsafePath):
        page.page_path(name)


# --- pages ------------------------------------------------------------------------


def test_a_page_says_what_it_is_and_where_it_came_from() -> None:
    data = page.page_of(CACHE._replace(at="2026-11-21T09:30:00Z")).decode()
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
    idea = idea._replace(slug=book.slug(idea.title))
    path = page.page_path(idea.slug)
    decoded = codec.decode(page.page_of(idea), path)
    assert decoded.problems == ()
    assert decoded.entry.status is Status.PENDING
    assert decoded.entry.kind == "idea"
    assert decoded.entry.created == idea.day
    assert not re.search(r"\[\[", decoded.entry.body)
    names = [name for name, _ in decoded.entry.extra]
    assert names[:2] == ["slug", "surfaced_at"]


def test_incubating_is_pending_on_an_ideas_page_only() -> None:
    data = page.page_of(CACHE)
    for path, status in (
        (layout.idea_page("x"), Status.PENDING),
        ("archive/ideas/incubator/x/_index.zqh58dan3e1k64x4.md", Status.PENDING),
        ("memories/idea/x.md", Status.ACTIVE),
    ):
        assert codec.decode(data, path).entry.status is status


def test_a_rewrite_of_a_page_leaves_its_word() -> None:
    path = layout.idea_page(CACHE.slug)
    data = page.page_of(CACHE)
    entry = codec.decode(data, path).entry
    tagged = codec.rewrite(data, entry.replace(tags=("cache",)))
    assert b"\nstatus: incubating\n" in tagged
    ended = codec.rewrite(data, entry.replace(status=Status.REJECTED))
    assert b"\nstatus: rejected\n" in ended
    assert b"incubating" not in ended


# --- the plan ---------------------------------------------------------------------


def test_several_ideas_are_planned_at_once() -> None:
    new = [
        CACHE._replace(slug=""),
        CACHE._replace(title="Warm the index on login?!", slug="", record="r8"),
        CACHE._replace(title="Another", slug="", record="r9"),
    ]
    files = page.plan({}, new)
    assert sorted(files) == [
        LEDGER,
        "ideas/incubator/another/_index.md",
        "ideas/incubator/warm-the-index-on-login/_index.md",
    ]
    sections = book.parse(files[LEDGER].decode())
    assert [one.slug for one in sections] == ["warm-the-index-on-login", "another"]
    assert page.plan(files, new) == {}


def test_a_known_idea_is_left_out_in_any_state() -> None:
    files = page.plan({}, [CACHE])
    text = files[LEDGER].decode()
    other = page.append(text, CACHE._replace(title="Other", slug="other"))
    for ledger in (
        text,
        book.dismiss(text, CACHE.slug, DAY),
        book.promote(text, CACHE.slug, DAY, "[[memories/idea/x.md]]"),
        book.merge(other, CACHE.slug, "other", DAY),
    ):
        assert page.plan({LEDGER: ledger.encode()}, [CACHE._replace(slug="")]) == {}
        assert page.keys(CACHE) & page.known({LEDGER: ledger.encode()})


def test_a_record_read_again_is_known_though_its_title_was_edited() -> None:
    files = page.plan({}, [CACHE])
    long = "Warm the index on login, so that nobody ever has to wait"
    first = CACHE._replace(title=long, slug="")
    files = page.plan({}, [first])
    files[LEDGER] = files[LEDGER].replace(long.encode(), b"Warm it")
    again = first._replace(title=long + " again")
    assert page.plan(files, [again]) == {}
    elsewhere = again._replace(record="r8")
    assert len(page.plan(files, [elsewhere])) == 2


def test_a_taken_folder_gives_another_name() -> None:
    there = {"ideas/incubator/warm-the-index-on-login/": b""}
    archived = "archive/ideas/incubator/warm-the-index-on-login-2/_index.x.md"
    files = page.plan({**there, archived: b"---\nbroken: [\n---\n"}, [CACHE])
    assert layout.idea_page("warm-the-index-on-login-3") in files


def test_a_ledger_that_is_no_text_is_refused_with_its_line() -> None:
    for data, line in ((b"# Ideas\n\xff", 2), (b"a\nb\n<<<<<<< HEAD\n", 3)):
        with pytest.raises(InvalidEntry) as refused:
            page.plan({LEDGER: data}, [CACHE])
        assert (refused.value.path, refused.value.line) == (LEDGER, line)


@given(by_hand, st.lists(made, max_size=4))
def test_a_plan_keeps_the_ledger_and_planning_again_writes_nothing(
    ledger: str, new: list[Idea]
) -> None:
    there = {LEDGER: ledger.encode()}
    files = page.plan(there, new)
    assert files.get(LEDGER, there[LEDGER]).startswith(there[LEDGER])
    assert page.plan({**there, **files}, new) == {}


# --- what a person writes ---------------------------------------------------------


def test_ideas_written_by_hand_are_read() -> None:
    sections = book.parse(
        "\ufeff# Ideas\n\nA word first.\n\n"
        "## 2026-01-01: With: a colon\nWhy not.\n\n"
        "## 2026-01-02 – a dash\n[[ideas/incubator/My Idea/_index|see]]\n\n"
        "## Not one\n\n"
        "## ~~2026-01-03: struck out~~\n\n"
        "## 2026-01-04 with: a colon\n→ promoted 2026-02-02 to the roadmap\n"
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


def changed(before: str, after: str) -> list[str]:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    assert len(old) == len(new)
    return [two for one, two in zip(old, new, strict=True) if one != two]


@pytest.fixture
def ledger() -> str:
    text = "# Ideas\r\n\r\n  by hand ~~x~~  \r\n"
    text = page.append(text, CACHE)
    return page.append(text, CACHE._replace(title="Other", slug="other"))


def test_a_promotion_is_noted_behind_the_link(ledger: str) -> None:
    after = book.promote(ledger, CACHE.slug, DAY, "[[memories/idea/warm.md]]")
    assert changed(ledger, after) == [
        "[[incubator/warm-the-index-on-login/_index.md]] "
        "→ promoted 2026-11-21 to [[memories/idea/warm.md]]\r\n"
    ]
    one = book.parse(after)[0]
    assert (one.state, one.on) == ("promoted", DAY)
    assert one.where == "[[memories/idea/warm.md]]"


def test_a_dismissal_strikes_the_heading_out(ledger: str) -> None:
    after = book.dismiss(ledger, "other", DAY)
    assert changed(ledger, after) == [
        "## ~~2026-11-21: Other~~ — Dismissed 2026-11-21\r\n"
    ]
    assert [one.state for one in book.parse(after)] == ["open", "dismissed"]


def test_a_merge_strikes_the_heading_out_and_says_into_what(ledger: str) -> None:
    after = book.merge(ledger, "other", CACHE.slug, DAY)
    assert changed(ledger, after) == [
        "## ~~2026-11-21: Other~~ — Merged 2026-11-21 into warm-the-index-on-login\r\n"
    ]
    one = book.parse(after)[1]
    assert (one.state, one.on, one.where) == ("merged", DAY, CACHE.slug)


def test_an_idea_by_hand_without_a_link_gets_a_line_of_its_own() -> None:
    for end in ("", "\r\n", "\r\nmore"):
        text = f"# Ideas\r\n\r\n## 2026-01-01: By hand{end}"
        after = book.promote(text, "by-hand", DAY, "the roadmap")
        assert book.parse(after)[0].state == "promoted"
        assert after.replace("\r\n→ promoted 2026-11-21 to the roadmap", "") == text


@given(by_hand, made, st.integers(0, 20))
def test_a_decision_changes_one_line_and_no_other(
    text: str, idea: Idea, which: int
) -> None:
    taken = {section.slug for section in book.parse(text)}
    idea = idea._replace(slug=book.slug(idea.title, taken))
    text = page.append(text, idea)
    opened = [one for one in book.parse(text) if one.state == "open"]
    if not opened:
        return
    one = book.find(opened, opened[which % len(opened)].slug)
    for after, state in (
        (book.promote(text, one.slug, DAY, "x"), "promoted"),
        (book.dismiss(text, one.slug, DAY), "dismissed"),
    ):
        old, new = text.split("\n"), after.split("\n")
        if len(old) < len(new):  # it has no link, so its mark has a line
            del new[one.line]
            assert [line.strip() for line in new] == [line.strip() for line in old]
        else:
            assert sum(a != b for a, b in zip(old, new, strict=True)) == 1
        states = [section.state for section in book.parse(after)]
        expected = [section.state for section in book.parse(text)]
        expected[book.parse(text).index(one)] = state
        assert states == expected


def test_what_is_decided_is_not_decided_again(ledger: str) -> None:
    gone = book.dismiss(ledger, "other", DAY)
    for act in (
        lambda: book.dismiss(gone, "other", DAY),
        lambda: book.promote(gone, "other", DAY, "x"),
        lambda: book.merge(gone, CACHE.slug, "other", DAY),
        lambda: book.merge(ledger, "other", "other", DAY),
    ):
        with pytest.raises(NotAllowed, match=r"dismissed|itself"):
            act()


def test_a_wrong_name_gets_the_nearest_one(ledger: str) -> None:
    sections = book.parse(ledger)
    assert book.find(sections, "warm").slug == CACHE.slug
    with pytest.raises(EntryNotFound) as refused:
        book.find(sections, "wram-the-index-on-login")
    assert refused.value.hint == "Did you mean 'warm-the-index-on-login'?"
    assert refused.value.error_code == "idea_not_found"
    with pytest.raises(EntryNotFound, match="no idea ''"):
        book.find(sections, "")


def test_the_module_touches_no_disk_and_no_clock() -> None:
    for module in (page, book):
        source = Path(str(module.__file__)).read_text(encoding="utf-8")
        assert not re.search(r"^ *(?:import|from) (?:os|time|datetime)", source, re.M)
