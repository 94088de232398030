"""Ideas in a vault: found when asked for, decided once, nothing leaves the vault."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.curation import evolve, idea_page, ideas, inbox, review, undo
from memcli.curation.idea_text import Idea
from memcli.entries import layout
from memcli.entries.entry import Status
from memcli.errors import (
    Conflict,
    EntryNotFound,
    InvalidEntry,
    InvalidValue,
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
    summary="A login hook could bring the index up to date. The first recall waits.",
    day="2026-11-01",
    session="s1",
    record="r7",
    excerpt="what if we warmed it?",
)
GRAPH = Idea(
    title="Draw the graph of entities",
    summary="Somebody asked for a picture. A page of SVG would do.",
    day="2026-11-11",
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


# --- surfacing --------------------------------------------------------------------


def test_new_ideas_are_written_in_one_commit_and_only_once(vault: Vault) -> None:
    before = git(vault, "rev-list", "--count", "HEAD")
    assert add(vault, WARM, GRAPH) == [layout.idea_page(name) for name in NAMES]
    assert int(git(vault, "rev-list", "--count", "HEAD")) == int(before) + 1
    files = tree(vault)
    assert add(vault, WARM, GRAPH._replace(title="draw the graph of entities!")) == []
    assert tree(vault) == files
    assert git(vault, "status", "--porcelain") == ""
    assert states(vault) == dict.fromkeys(NAMES, "open")


def test_ideas_are_no_candidates_of_the_inbox(two: Vault) -> None:
    assert inbox.pending(two) == []
    found = overview(two)
    assert found.inbox == (0, None)
    assert found.findings == []
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
    assert entry.source.excerpt == "what if we warmed it?"
    assert "The first recall waits." in entry.body
    assert entry.extra == ()
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
    text = text.replace("slug: w", "cost: 3 days # guess\nslug: w") + "\nBy hand.\n"
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
        found = idea_page.same(Idea(one, "", ""), [idea_page.Held(other)])
        assert (found is not None) == bool(is_same), (one, other)


def test_a_dismissed_idea_stays_in_its_folder_and_never_comes_back(two: Vault) -> None:
    (item,) = ideas.dismiss(two, [NAMES[0]], "too small").items
    assert item.path == layout.idea_page(NAMES[0])
    entry = two.get(item.id or "")
    assert (entry.status, entry.reason) == (Status.REJECTED, "too small")
    assert f"## ~~2026-11-01: {WARM.title}~~ — Dismissed {DAY}\n" in ledger(two)
    assert idea_page.same(WARM, idea_page.held(ideas.existing(two)))
    assert add(two, WARM, WARM._replace(session="s9", record="r9")) == []
    asked = Filters(kinds=("idea",))
    rows = two.recall("warm index login", filters=asked).rows
    assert item.id not in {row.id for row in rows}
    assert lint(two) == []


# --- merging ----------------------------------------------------------------------


def test_a_merged_idea_lives_on_in_the_other(two: Vault) -> None:
    (item,) = ideas.merge(two, NAMES[0], NAMES[1]).items
    target = two.stored(layout.idea_page(NAMES[1])).entry
    assert (item.id, item.path) == (target.id, target.path)
    assert target.status is Status.PENDING
    for words in (
        f"## {WARM.title}\n\nMerged {DAY}.\n",
        WARM.summary,
        "> what if we warmed it?",
        "Surfaced 2026-11-01 in session s1, record r7.\n",
    ):
        assert words in target.body
    page = two.stored(layout.idea_page(NAMES[0])).entry
    assert (page.status, page.superseded_by) == (Status.SUPERSEDED, target.id)
    assert states(two) == {NAMES[0]: "merged", NAMES[1]: "open"}
    struck = f"## ~~2026-11-01: {WARM.title}~~ — Merged {DAY} into {NAMES[1]}\n"
    assert struck in ledger(two)
    assert lint(two) == []
    promoted = ideas.promote(two, [NAMES[1]]).items[0]
    assert WARM.summary in two.get(promoted.id or "").body
    assert lint(two) == []


def test_a_merge_that_makes_no_sense_is_refused(
    two: Vault, snapshot: Callable[[str], Any]
) -> None:
    add(two, WARM._replace(title="Third", record="r3"))
    ideas.dismiss(two, ["third"])
    os.remove(Path(two.root, layout.idea_page(NAMES[1])))
    before = snapshot(two.root)
    for name, other in (
        (NAMES[0], NAMES[0]),
        (NAMES[0], "third"),
        ("third", NAMES[0]),
        (NAMES[0], NAMES[1]),  # which has no page
    ):
        with pytest.raises(NotAllowed):
            ideas.merge(two, name, other)
    assert snapshot(two.root) == before


# --- undo, and what must not happen ------------------------------------------------


@pytest.mark.parametrize(
    "act",
    [
        lambda vault: ideas.promote(vault, list(NAMES)),
        lambda vault: ideas.dismiss(vault, list(NAMES), "no"),
        lambda vault: ideas.merge(vault, NAMES[0], NAMES[1]),
    ],
    ids=["promote", "dismiss", "merge"],
)
def test_each_decision_is_one_commit_that_undo_takes_back_to_the_byte(
    two: Vault, act: Callable[[Vault], ideas.IdeaDecisions]
) -> None:
    # What a person wrote and never committed stays, too.
    folder = Path(two.root, "ideas/incubator")
    (folder / NAMES[0] / "research.md").write_text("by hand")
    for path in (*folder.glob("*/_index.md"), Path(two.root, layout.IDEA_LEDGER)):
        path.write_text(path.read_text() + "\nby hand\n")
    before = tree(two)
    done = act(two)
    assert git(two, "rev-parse", "HEAD").strip() == done.commit
    undo.undo_last(two, "review: ")
    assert tree(two) == before
    assert states(two) == dict.fromkeys(NAMES, "open")


def test_what_is_refused_commits_nothing_of_a_persons(
    two: Vault, snapshot: Callable[[str], Any]
) -> None:
    path = Path(two.root, layout.IDEA_LEDGER)
    path.write_text(path.read_text() + "\nby hand\n")
    before = snapshot(two.root)
    for act in (
        lambda: ideas.promote(two, list(NAMES), {"kind": "thought"}),
        lambda: ideas.dismiss(two, [NAMES[0], "nowhere"]),
        lambda: ideas.merge(two, NAMES[0], NAMES[0]),
    ):
        assert ideas.dismiss(two, []) == ([], None)
        with pytest.raises((InvalidValue, EntryNotFound, NotAllowed)):
            act()
    assert snapshot(two.root) == before


@pytest.mark.parametrize("name", ["..", "../../memories", "a/../../..", ".git"])
def test_a_slug_that_climbs_is_refused(
    two: Vault, name: str, snapshot: Callable[[str], Any]
) -> None:
    path = Path(two.root, layout.IDEA_LEDGER)
    text = path.read_text().replace(f"incubator/{NAMES[0]}/", f"incubator/{name}/")
    path.write_text(text)
    before = snapshot(two.root)
    (bad, good) = ideas.listed(two)
    assert (bad.slug, bad.path) == (name, None)
    for act in (
        lambda: ideas.promote(two, [name]),
        lambda: ideas.dismiss(two, [name]),
        lambda: ideas.merge(two, name, good.slug),
        lambda: ideas.merge(two, good.slug, name),
    ):
        with pytest.raises(UnsafePath):
            act()
    assert snapshot(two.root) == before


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
        lambda: ideas.merge(two, NAMES[0], NAMES[1]),
        lambda: ideas.merge(two, NAMES[1], NAMES[0]),
    ):
        with pytest.raises(UnsafePath):
            act()
    new = WARM._replace(title="New", record="r8", slug="")
    with pytest.raises(UnsafePath):
        add(two, new)
    assert {path: path.read_bytes() for path in outside.rglob("*.md")} == there


def test_a_ledger_with_conflict_markers_is_refused_and_left(two: Vault) -> None:
    path = Path(two.root, layout.IDEA_LEDGER)
    path.write_text(path.read_text() + "<<<<<<< HEAD\n")
    before = tree(two)
    for act in (
        lambda: ideas.listed(two),
        lambda: ideas.dismiss(two, [NAMES[0]]),
        lambda: add(two, WARM._replace(title="New", record="r8")),
    ):
        with pytest.raises(InvalidEntry, match=r"Ideas.md:\d+: git conflict"):
            act()
    assert tree(two) == before


def test_an_edit_in_between_is_a_conflict(two: Vault) -> None:
    path = Path(two.root, layout.IDEA_LEDGER)

    change = two.transaction()
    change.__enter__()
    ideas.add(two, change, [WARM._replace(title="New", record="r8")])
    path.write_text("# Ideas\n\nedited\n")
    with pytest.raises(Conflict):
        change.__exit__(None, None, None)
    assert path.read_text() == "# Ideas\n\nedited\n"


def test_a_broken_page_is_named_and_stops_only_its_own_idea(two: Vault) -> None:
    Path(two.root, layout.idea_page(NAMES[0])).write_bytes(b"\xff")
    broken, whole = ideas.listed(two)
    assert "_index.md:1: not UTF-8" in (broken.problem or "")
    assert (broken.id, whole.problem) == (None, None)
    with pytest.raises(InvalidEntry, match=r"_index\.md:1"):
        ideas.promote(two, [NAMES[0]])
    assert ideas.promote(two, [NAMES[1]]).commit
