"""One function says what may be shown; every surface says the same.

A vault with an entry of every status, end, age and visibility is asked through every
surface, as its owner and as agents; each must show exactly what the function admits.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memcli import Vault
from memcli.curation import inbox
from memcli.curation.resolve_query import plan_query
from memcli.entries.eligibility import Agent, ReadPolicy, View, facts, verdict
from memcli.entries.entry import Status
from memcli.recall import listing
from memcli.recall.query import Query
from memcli.search.following import NOTHING, Unindexed
from memcli.sessions.briefing import prompt as prompts
from memcli.sessions.briefing import select, start
from memcli.vault import likeness
from memcli.vault.caller import Caller
from memcli.vault.health.inspect import inspect
from tests.conftest import NOW
from tests.saving import every
from tests.sessions.briefing.test_select import days_ago as ago

DAY = 86_400
WORD = "shibboleth"


class Case(NamedTuple):
    """One entry: its fields, and a number that makes its text its own."""

    number: int
    fields: dict[str, Any]


def cases() -> Iterator[Case]:
    number = 0
    ends: list[dict[str, Any]] = [{}, {"expires_at": ago(1)}, {"expires_at": ago(-1)}]
    ages: list[dict[str, Any]] = [
        {},
        {"item": "invariant", "created": ago(44.9)},
        {"item": "invariant", "created": ago(45.1)},
        {"item": "derived", "created": ago(13.9)},
        {"item": "derived", "created": ago(14.1)},
        {"item": "derived", "created": ago(40), "seen": [ago(13)]},
    ]
    for status in Status:
        for end in ends:
            for age in ages:
                number += 1
                yield Case(number, {"status": str(status), **end, **age})
    for visibility in ("private", "shared", "group"):
        for agent in ("ann", "bob", None):
            for groups in ([], ["web"], ["ops", "web"]):
                number += 1
                fields = {"visibility": visibility, "agent": agent, "groups": groups}
                yield Case(number, fields)


VIEWS = {
    "the owner": View(NOW),
    "history": View(NOW, frozenset({Status.ACTIVE, Status.SUPERSEDED})),
    "as of yesterday": View(NOW, as_of=NOW - DAY),
    "as of a month ago": View(NOW, as_of=NOW - 30 * DAY),
    "every status": View(NOW, statuses=frozenset(Status)),
    "an isolated agent": View(NOW, agent=Agent("ann")),
    "an agent nobody knows": View(NOW, agent=Agent("eve")),
    "a shared agent": View(NOW, agent=Agent("ann", ReadPolicy.SHARED)),
    "a group agent": View(NOW, agent=Agent("bob", ReadPolicy.GROUP, ("web",))),
    "a group agent of another group": View(
        NOW, agent=Agent("eve", ReadPolicy.GROUP, ("hr",))
    ),
}


@pytest.fixture(scope="module")
def asked(ready_vault: Path, tmp_path_factory: pytest.TempPathFactory) -> Vault:
    import shutil

    root = tmp_path_factory.mktemp("eligibility") / "vault"
    shutil.copytree(ready_vault, root)
    vault = Vault(str(root), Caller(now_ms=lambda: NOW * 1000))
    drafts = []
    for case in cases():
        # Constraints surface by a way of their own, so half of them are some.
        kind = "constraint" if case.number % 2 else "note"
        text = f"{WORD} number{case.number} word{case.number}a word{case.number}b"
        drafts.append(vault.draft({"text": text, "kind": kind, **case.fields}))
    vault.save_all(drafts)
    return vault


def admitted(vault: Vault, view: View) -> set[str]:
    """What the one function admits, asked of each file."""
    found = set()
    for path in Path(vault.root).rglob("*.md"):
        relative = path.relative_to(vault.root).as_posix()
        if relative != "README.md":
            entry = vault.stored(relative).entry
            if verdict(facts(entry), view) is None:
                found.add(entry.id)
    return found


def rows(vault: Vault, view: View) -> set[str]:
    return {row.id for row in vault.recall(Query(WORD, view, limit=10_000)).rows}


def everything(vault: Vault, view: View) -> set[str]:
    return {row.id for row in every(vault, Query("", view)).rows}


def newest(vault: Vault, view: View) -> set[str]:
    query = Query("", view, limit=10_000)
    return {row.id for row in listing.listed(vault, query).rows}


def reflected(vault: Vault, view: View) -> set[str]:
    found = vault.reflect(Query(WORD, view, limit=10_000))
    shown = {row.id for row in found.facts}
    assert {one.id for one in found.citations} == shown
    assert {name for pair in found.similar for name in pair[:2]} <= shown
    assert set(found.stale) <= shown
    # What is left out has ended, and the one who asks may know of it.
    known = admitted(vault, view._replace(statuses=frozenset(Status)))
    assert {one.id for one in found.superseded_excluded} <= known - shown
    return shown


def shown(vault: Vault, view: View) -> set[str]:
    return vault.read(
        lambda index: {
            index.row(doc).id
            for doc in index.everything()
            if index.verdict(doc, view) is None
        }
    )


SURFACES: dict[str, Callable[[Vault, View], set[str]]] = {
    "recall": rows,
    "every entry": everything,
    "list": newest,
    "reflect": reflected,
    "Reader.shown": shown,
}


@pytest.mark.parametrize("view", list(VIEWS))
@pytest.mark.parametrize("surface", list(SURFACES))
def test_recall_shows_exactly_what_the_function_admits(
    asked: Vault, surface: str, view: str
) -> None:
    asks = VIEWS[view]
    if surface == "reflect":  # what waits for a decision is no fact
        asks = asks._replace(statuses=asks.statuses - {Status.PENDING})
    assert SURFACES[surface](asked, VIEWS[view]) == admitted(asked, asks)


@pytest.mark.parametrize("view", list(VIEWS))
def test_constraints_and_injection_show_nothing_else(asked: Vault, view: str) -> None:
    allowed = admitted(asked, VIEWS[view])
    constraints = asked.recall(Query("nothing of this", VIEWS[view])).constraints
    assert {row.id for row in constraints} <= allowed
    settings = asked.settings
    settings = settings._replace(injection=settings.injection._replace(chars=1_000_000))
    found = asked.read(lambda reader: select.chosen(reader, settings, VIEWS[view]))
    injected = {one.id for one in found}
    assert injected <= allowed
    # What is left out and could be shown has another reason: faded, or no room.
    every = select.reflections(asked, VIEWS[view])
    for one in (item for item in every if not item.injected):
        words = ("faded", "are in already", "no room")
        assert (one.id in allowed) == one.reason.startswith(
            ("6 ", *words)
        ) or one.reason.startswith("6 ")


@pytest.mark.parametrize("view", list(VIEWS))
def test_hooks_tell_nothing_else(asked: Vault, view: str) -> None:
    allowed = admitted(asked, VIEWS[view])
    entries = [asked.get(name) for name in allowed]
    session = start.Session(VIEWS[view])
    found = asked.read(lambda reader: start.standing(asked, reader, session))
    told = [one.id for one in found.items]
    assert set(told) <= allowed
    assert len(told) == len(set(told))
    for number in range(1, len(list(cases())) + 1, 19):
        prompt = f"{WORD} number{number} word{number}a word{number}b"
        words_of = prompts.question(prompt)
        fits = asked.read(
            lambda reader: prompts.fitting(asked, reader, words_of, VIEWS[view], ())  # noqa: B023
        )
        assert {one.id for one in fits} <= allowed
        # It is not silence that makes this true.
        words = f"number{number} "
        # What fades is not brought.
        held = any(words in one.body and one.item != "derived" for one in entries)
        assert any(words in one.text for one in fits) is held


@pytest.mark.slow
def test_inspect_says_the_same_and_why(asked: Vault) -> None:
    allowed = admitted(asked, View(NOW))
    for row in every(asked, Query("", VIEWS["every status"])).rows:
        found = inspect(asked, row.id)
        assert found.eligible == (row.id in allowed)
        assert (found.reason_not_eligible is None) == found.eligible


def test_resolve_and_review_offer_only_what_is_in_force(asked: Vault) -> None:
    allowed = admitted(asked, View(NOW))
    found = plan_query(asked, WORD, kinds=["note", "constraint"])
    assert {target.id for target in found.targets} == allowed
    for candidate in inbox.pending(asked)[:5]:
        assert {one.id for one in inbox.proposals(asked, candidate.id)} <= allowed


def test_what_is_like_a_text_is_in_force(asked: Vault) -> None:
    allowed = admitted(asked, View(NOW))
    for row in every(asked, Query("", VIEWS["every status"])).rows[::17]:
        draft = asked.draft({"text": f"{row.text} more"})

        def similar(reader: Any, draft: Any = draft) -> set[str]:
            later = Unindexed(asked.root, asked.opened._state or NOTHING)
            return {one.id for one in likeness.near(reader, later, draft, View(NOW))}

        assert asked.read(similar) <= allowed
