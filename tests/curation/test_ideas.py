"""Ideas: found when asked for, decided once; the ledger only grows, and a decision is
one line; nothing leaves the vault."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memcli import Vault
from memcli.curation import evolve, idea_text, ideas, inbox, review
from memcli.curation.ideas import Idea
from memcli.entries import codec, layout
from memcli.entries.entry import Status
from memcli.errors import (
    InvalidEntry,
    NotAllowed,
    UnsafePath,
)
from memcli.recall.query import Filters
from memcli.vault.health.lint import lint
from memcli.vault.health.overview import overview
from tests.git_command import git

DAY = "2026-11-21"
WARM = Idea(
    title="Warm the index on login",
    summary="A login hook could bring the index up to date.\n  The first recall waits.",
    at="2026-11-01T09:30:00Z",
    session="s1",
    record="r7",
    excerpt="what if we\nwarmed the [[index]]?",
)
GRAPH = Idea(
    title="Draw the graph of entities",
    summary="Somebody asked for a picture. A page of SVG would do.",
    at="2026-11-11",
    session="s2",
    record="r2",
)
NAMES = ("warm-the-index-on-login", "draw-the-graph-of-entities")


def tree(vault: Vault) -> dict[str, bytes]:
    return {
        path.relative_to(vault.root).as_posix(): path.read_bytes()
        for path in Path(vault.root).rglob("*")
        if path.is_file() and not {".git", ".memcli"} & set(path.parts)
    }


def ledger(vault: Vault) -> str:
    return Path(vault.root, layout.IDEA_LEDGER).read_bytes().decode()


def states(vault: Vault) -> dict[str, str]:
    return {one.slug: one.state for one in ideas.listed(vault)}


def add(vault: Vault, *new: Idea) -> list[str]:
    with vault.transaction() as change:
        paths = ideas.add(vault, change, new)
        change.message = "reflect: ideas"
    return paths


@pytest.fixture
def two(vault: Vault) -> Vault:
    add(vault, WARM, GRAPH)
    return vault


# --- the ledger as text -----------------------------------------------------------

anything = st.text()
prose = st.text(st.sampled_from("# \n\r~[]→>-:x2é`<|\\"), max_size=60)
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


@given(by_hand | anything, prose | anything, prose | anything)
@example("\x0c", "t", "s")
def test_adding_changes_no_byte_that_is_there(
    text: str, title: str, summary: str
) -> None:
    title = idea_text.line_of(title) or "x"
    after = idea_text.append(text, title, DAY, summary, "a-name")
    assert after.startswith(text)
    before = idea_text.parse(text)
    *sections, added = idea_text.parse(after)
    assert sections == before
    assert (added.day, added.slug, added.state) == (DAY, "a-name", "open")
    heading = after.split("\n")[added.line - 2 : added.line]
    assert not heading[0].strip("\r\ufeff \t")


@pytest.mark.parametrize(
    "summary",
    [
        "## 2026-01-01: A false idea",
        "[[incubator/elsewhere/_index.md]] → promoted 2026-01-01 to x",
        "one\n## 2026-01-01: A false idea",
        "one\r## 2026-01-01: A false idea\u2028[[incubator/x/_index]]",
        "```",
        "<!-- hidden",
    ],
)
def test_a_summary_cannot_pose_as_an_idea_or_a_decision(summary: str) -> None:
    text = idea_text.append("", "Warm it", DAY, summary, "warm-it")
    (section,) = idea_text.parse(text)
    assert (section.slug, section.state) == ("warm-it", "open")
    assert not re.search(r"^(?:```|<!--)", text, re.MULTILINE)


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


@given(by_hand, st.integers(0, 20))
def test_a_decision_changes_one_line_and_no_other(text: str, which: int) -> None:
    text = idea_text.append(text, "Warm it", DAY, "", "warm-it")
    before = idea_text.parse(text)
    opened = [one for one in before if one.state == "open"]
    one = idea_text.find(opened, opened[which % len(opened)].slug)
    after = idea_text.decided(text, one, f"Promoted {DAY} to x")
    lines = zip(text.split("\n"), after.split("\n"), strict=True)
    assert sum(old != new for old, new in lines) == 1
    expected = [section.state for section in before]
    expected[before.index(one)] = "promoted"
    assert [section.state for section in idea_text.parse(after)] == expected
    with pytest.raises(NotAllowed, match="promoted"):
        idea_text.open_one(idea_text.append("", "x", DAY, "", "y") + after, one.slug)


# --- surfacing --------------------------------------------------------------------


def test_new_ideas_are_written_in_one_commit(vault: Vault) -> None:
    before = git(vault, "rev-list", "--count", "HEAD")
    assert add(vault, WARM, GRAPH) == [layout.idea_page(name) for name in NAMES]
    assert int(git(vault, "rev-list", "--count", "HEAD")) == int(before) + 1
    assert git(vault, "status", "--porcelain") == ""
    assert states(vault) == dict.fromkeys(NAMES, "open")
    assert ledger(vault).startswith(
        "# Ideas\n"
        "\n"
        "## 2026-11-01: Warm the index on login\n"
        "A login hook could bring the index up to date. The first recall waits.\n"
        "[[incubator/warm-the-index-on-login/_index.md]]\n"
        "\n"
        "## 2026-11-11: Draw"
    )
    page = tree(vault)[layout.idea_page(NAMES[0])].decode()
    assert re.sub(r"^id: .*\n", "", page, flags=re.MULTILINE) == (
        "---\n"
        "kind: idea\n"
        "status: pending\n"
        "title: Warm the index on login\n"
        'created: "2026-11-01T09:30:00Z"\n'
        'updated: "2026-11-01T09:30:00Z"\n'
        "source:\n"
        "  writer: pipeline\n"
        "  session: s1\n"
        "  record: r7\n"
        '  excerpt: "what if we\\nwarmed the [[index]]?"\n'
        "---\n"
        "# Warm the index on login\n"
        "\n"
        "A login hook could bring the index up to date. The first recall waits.\n"
        "\n"
        "> what if we\n"
        "> warmed the \\[\\[index]]?\n"
        "\n"
        "Surfaced 2026-11-01 in session s1, record r7.\n"
    )


def test_any_words_make_a_page_that_is_read_back(vault: Vault) -> None:
    words = ["[[x]] # \n~~", "\ud800\x00\x1b[31m", "```\r\n## 2026-01-01: No", "  "]
    paths = add(vault, *(Idea(w, w, DAY, w, w, w, w) for w in words))
    for path in paths:
        decoded = codec.decode(Path(vault.root, path).read_bytes(), path)
        assert (decoded.problems, decoded.entry.status) == ((), Status.PENDING)
        assert "[[" not in decoded.entry.body
        assert re.fullmatch("[a-z0-9-]{1,40}", path.split("/")[2])
    assert list(states(vault).values()) == ["open"] * 4


def test_a_taken_folder_gives_another_name(vault: Vault) -> None:
    Path(vault.root, "ideas/incubator", NAMES[0]).mkdir(parents=True)
    Path(vault.root, layout.IDEA_LEDGER).write_text(
        f"## 2026-01-01: Other\n[[incubator/{NAMES[0]}-2/_index.md]]\n"
    )
    assert add(vault, WARM) == [layout.idea_page(f"{NAMES[0]}-3")]


def test_ideas_are_no_candidates_of_the_inbox(two: Vault) -> None:
    assert inbox.pending(two) == []
    found = overview(two)
    assert found["inbox"] == {"count": 0, "oldest_days": None}
    assert found["findings"] == []
    one = ideas.listed(two)[0]
    for act in (review.approve, review.reject):
        with pytest.raises(NotAllowed) as refused:
            act(two, [one.id or ""])
        assert "memcli ideas promote" in (refused.value.hint or "")
    with pytest.raises(NotAllowed, match="not decided on yet"):
        evolve.evolve(two, one.id or "", {"text": "x"})


# --- promoting --------------------------------------------------------------------


def test_a_promoted_idea_is_a_memory_with_its_source(two: Vault) -> None:
    done = ideas.promote(two, [NAMES[0]], {"tags": ("cache",)})
    (item,) = done.items
    assert item.path == "memories/idea/2026/11/warm-the-index-on-login.md"
    entry = two.get(item.id or "")
    assert (entry.status, entry.kind, entry.tags) == (Status.ACTIVE, "idea", ("cache",))
    assert (entry.source.session, entry.source.record) == ("s1", "r7")
    assert entry.source.excerpt == WARM.excerpt
    assert "The first recall waits." in entry.body
    page = two.stored(layout.idea_page(NAMES[0])).entry
    assert (page.status, page.superseded_by) == (Status.SUPERSEDED, entry.id)
    assert page.reason == f"promoted to {item.path}"
    assert entry.supersedes == page.id
    struck = f"## ~~2026-11-01: {WARM.title}~~ — Promoted {DAY} to [[{item.path}]]\n"
    assert struck in ledger(two)
    assert states(two)[NAMES[0]] == "promoted"
    assert two.recall("warm index login").rows[0].id == entry.id
    assert lint(two) == []
    assert git(two, "status", "--porcelain") == ""
    assert git(two, "log", "-1", "--format=%s").startswith("review: promoted Warm")


def test_what_a_person_wrote_into_a_page_goes_along(two: Vault) -> None:
    path = Path(two.root, layout.idea_page(NAMES[0]))
    text = path.read_text().replace("kind: idea\n", "kind: idea\ntags: [a]\n")
    text = text.replace("source:", "cost: 3 days # guess\nsource:") + "\nBy hand.\n"
    path.write_text(text)
    (item,) = ideas.promote(two, [NAMES[0]]).items
    entry = two.get(item.id or "")
    assert entry.body.endswith("\nBy hand.\n")
    assert entry.tags == ("a",)
    assert entry.extra == (("cost", "cost: 3 days # guess\n"),)
    assert "cost: 3 days # guess\n" in path.read_text()


def test_an_idea_by_hand_without_a_page_can_be_promoted(vault: Vault) -> None:
    Path(vault.root, "ideas/Ideas.md").write_text("## 2026-11-01: By hand\nWhy not.")
    (item,) = ideas.promote(vault, ["by-hand"]).items
    assert vault.get(item.id or "").body == "# By hand\n\nWhy not.\n"
    assert ledger(vault) == (
        "## ~~2026-11-01: By hand~~ — Promoted 2026-11-21 to "
        "[[memories/idea/2026/11/by-hand.md]]\nWhy not."
    )


# --- dismissing -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("known", "new", "is_same"),
    [
        ("Add a dark mode to the board", "Build a dark mode for the board one day", 1),
        ("Add a dark mode to the board", "We could get a dark mode in the board", 1),
        ("Write a migration linter", "It would be nice to have a migration linter", 1),
        ("Support SSO with Okta", "Maybe provide SSO through Okta", 1),
        ("x", "**X!**", 1),
        ("Add a dark mode to the board", "Add a light mode to the board", 0),
        ("Send a weekly digest by mail", "Send a daily digest by mail", 0),
        ("Add tests for the parser", "Add docs for the parser", 0),
        ("Cache the search results", "Cache the login pages", 0),
    ],
)
def test_an_idea_is_known_in_other_words_of_proposing(
    known: str, new: str, is_same: int
) -> None:
    for one, other in ((known, new), (new, known)):
        found = ideas.same(one, [(other, "")])
        assert (found is not None) == bool(is_same), (one, other)


def test_a_dismissed_idea_stays_in_its_folder_and_is_known(two: Vault) -> None:
    (item,) = ideas.dismiss(two, [NAMES[0]], "too small").items
    assert item.path == layout.idea_page(NAMES[0])
    entry = two.get(item.id or "")
    assert (entry.status, entry.reason) == (Status.REJECTED, "too small")
    assert f"## ~~2026-11-01: {WARM.title}~~ — Dismissed {DAY}\n" in ledger(two)
    assert ideas.same(WARM.title, ideas.known(two)) == (WARM.title, item.path)
    asked = Filters(kinds=("idea",))
    rows = two.recall("warm index login", filters=asked).rows
    assert item.id not in {row.id for row in rows}
    assert lint(two) == []


# --- undo, and what must not happen ------------------------------------------------


@pytest.mark.parametrize("name", ["..", "../../memories", "a/../../..", ".git"])
def test_a_link_that_climbs_is_no_link_to_a_page(two: Vault, name: str) -> None:
    path = Path(two.root, layout.IDEA_LEDGER)
    text = path.read_text().replace(f"incubator/{NAMES[0]}/", f"incubator/{name}/")
    path.write_text(text)
    assert list(states(two)) == list(NAMES)


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need rights on Windows")
@pytest.mark.parametrize(
    "place", ["ideas", "ideas/incubator", f"ideas/incubator/{NAMES[0]}"]
)
def test_nothing_is_written_through_a_link_that_leaves_the_vault(
    two: Vault, place: str, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    inner = Path(two.root, place)
    inner.rename(outside)
    inner.symlink_to(outside, target_is_directory=True)
    there = {path: path.read_bytes() for path in outside.rglob("*.md")}
    for act in (
        lambda: ideas.promote(two, [NAMES[0]]),
        lambda: ideas.dismiss(two, [NAMES[0]]),
        lambda: add(two, WARM._replace(title="New")),
    ):
        with pytest.raises(UnsafePath):
            act()
        if place.endswith(NAMES[0]):
            break  # the other pages are no links
    assert {path: path.read_bytes() for path in outside.rglob("*.md")} == there


@pytest.mark.parametrize(
    ("more", "line", "reason"),
    [(b"<<<<<<< HEAD\n", 10, "git conflict"), (b"\xff", 10, "not UTF-8")],
)
def test_a_ledger_that_is_no_text_is_refused_with_its_line_and_left(
    two: Vault, more: bytes, line: int, reason: str
) -> None:
    path = Path(two.root, layout.IDEA_LEDGER)
    path.write_bytes(path.read_bytes() + more)
    before = tree(two)
    for act in (
        lambda: ideas.listed(two),
        lambda: ideas.dismiss(two, [NAMES[0]]),
        lambda: add(two, WARM),
    ):
        with pytest.raises(InvalidEntry, match=f"Ideas.md:{line}: {reason}"):
            act()
    assert tree(two) == before


def test_a_broken_page_is_named_and_stops_only_its_own_idea(two: Vault) -> None:
    Path(two.root, layout.idea_page(NAMES[0])).write_bytes(b"\xff")
    broken, whole = ideas.listed(two)
    assert "_index.md:1: not UTF-8" in (broken.problem or "")
    assert (broken.id, whole.problem) == (None, None)
    with pytest.raises(InvalidEntry, match=r"_index\.md:1"):
        ideas.promote(two, [NAMES[0]])
    assert ideas.promote(two, [NAMES[1]]).commit
