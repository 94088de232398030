"""What is solved is shown by no surface, whichever way its words come in again.

Each way is tried after the words were resolved, and every surface is asked for them.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli import Vault, Vaults
from memcli.curation import importing, inbox, review
from memcli.curation.entities import listing as page
from memcli.entries.eligibility import View
from memcli.hosts.transcript import Step
from memcli.recall import listing
from memcli.recall.query import Query, from_words
from memcli.sessions.briefing import prompt, select, start
from memcli.sessions.hooks import tell
from memcli.storage.known_vaults import KnownVault
from memcli.vault.health.inspect import inspect
from tests.conftest import NOW, VaultMaker
from tests.git_command import git
from tests.saving import every, taught, write

SOLVED = "Restart the Shibboleth cache after every deploy"
TWIN = "1m7y6wbehbqyv1kh"
VIEW = View(NOW)
SESSION = start.Session(VIEW)
ABOUT = {"text": "Shibboleth runs in Oslo", "entities": ["Shibboleth"]}


def by_hand(vault: Vault) -> None:
    write(vault, "hand.md", f"- {SOLVED}!\n")


def by_other_marks(vault: Vault) -> None:
    text = "# Restart, the **Shibboleth** `cache`; after “every” *deploy*…"
    write(vault, "marks.md", text)


def by_hand_with_fields(vault: Vault) -> None:
    fields = "kind: constraint\npinned: true\nitem: invariant\ntags: [cache]"
    text = f"---\nid: {TWIN}\n{fields}\n---\n{SOLVED.upper()}\n"
    write(vault, "fields.md", text)


def by_pull(vault: Vault) -> None:
    git(vault, "checkout", "--quiet", "-b", "other")
    write(vault, "pulled.md", f"{SOLVED}\n")
    git(vault, "add", "pulled.md")
    git(vault, "commit", "--quiet", "-m", "a colleague's")
    git(vault, "checkout", "--quiet", "-")
    git(vault, "merge", "--quiet", "other")


def by_save(vault: Vault) -> None:
    vault.save(SOLVED, kind="decision")


def by_title(vault: Vault) -> None:
    vault.save("Three of us saw it again", title=f"**{SOLVED}**!")


def by_item(vault: Vault) -> None:
    vault.save(SOLVED, item="derived")


def by_restored_line(vault: Vault) -> None:
    line = json.dumps({"id": TWIN, "text": SOLVED}).encode()
    importing.import_lines(vault, line, "lines.jsonl")


def by_line(vault: Vault) -> None:
    importing.import_lines(vault, json.dumps({"text": SOLVED}).encode(), "lines.jsonl")


def by_folder(vault: Vault) -> None:
    folder = Path(vault.root).parent / "notes"
    write(folder, "note.md", f"{SOLVED}\n")
    importing.import_folder(vault, str(folder))


def by_review(vault: Vault) -> None:
    text = f"---\nid: {TWIN}\nstatus: pending\n---\n{SOLVED}\n"
    write(vault, "inbox/one.md", text)
    review.approve(vault, TWIN)


def by_mining(vault: Vault) -> None:
    words = f"From now on, {SOLVED[0].lower()}{SOLVED[1:]}."
    steps = [Step("user", words, 1, "1", None)]
    taught(vault, "s", steps)


def by_evolve(vault: Vault) -> None:
    old = vault.save("Clear the shibboleth after a deploy").id
    vault.evolve(old, SOLVED)


def by_agent(vault: Vault) -> None:
    agent = vault.acting_as("ann")
    agent.save(SOLVED, visibility="shared")


WAYS_IN = [
    by_hand,
    by_other_marks,
    by_hand_with_fields,
    by_pull,
    by_save,
    by_title,
    by_item,
    by_restored_line,
    by_line,
    by_folder,
    by_review,
    by_mining,
    by_evolve,
    by_agent,
]


def shown(vault: Vault) -> dict[str, list[str]]:
    """The texts and titles that each surface shows when it is asked for the words."""
    found = vault.recall(Query(SOLVED, VIEW))
    history = vault.recall(from_words(SOLVED, NOW, history=True)).rows
    newest = listing.listed(vault, Query("", VIEW)).rows
    both = Vaults([vault])
    reflected = vault.reflect(Query(SOLVED, VIEW))
    told = vault.read(lambda reader: select.chosen(reader, vault.settings, VIEW))
    words = prompt.question(SOLVED)
    at_start = vault.read(lambda reader: start.standing(vault, reader, SESSION))
    fits = vault.read(lambda reader: prompt.fitting(vault, reader, words, VIEW, set()))
    (waiting,) = [one for one in inbox.pending(vault) if one.title == "It waits"]
    return {
        "recall": [row.text for row in (*found.rows, *found.constraints)],
        "recall --set history=true": [row.text for row in history],
        "list": [row.text for row in newest],
        "Vaults": [row.text for row in both.recall(Query(SOLVED, VIEW)).rows],
        "reflect": [row.text for row in reflected.facts],
        "reflect, left out": [repr(reflected.superseded_excluded)],
        "reflect of several": [row.text for row in both.reflect(SOLVED).facts],
        "synthesize": [vault.synthesize(Query(SOLVED, VIEW)).answer],
        "a session's start": [one.text for one in at_start.items],
        "a prompt": [one.text for one in fits],
        "injection": [one.text for one in told],
        "proposals": [one.title for one in inbox.proposals(vault, waiting.id)],
        "an entity": [one.text for one in page.page(vault, "Shibboleth").current],
    }


@pytest.fixture
def solved(make_vault: VaultMaker) -> tuple[Vault, str]:
    """A vault where the words are resolved, among others about the same thing."""
    vault = make_vault()
    vault.save(vault.draft(ABOUT))
    vault.save(vault.draft({"text": "It waits", "status": "pending"}))
    name = vault.save(vault.draft({"text": SOLVED, "entities": ["Shibboleth"]})).id
    assert all_of(vault, SOLVED)
    vault.resolve(name)
    return vault, name


def all_of(vault: Vault, words: str) -> list[str]:
    """The surfaces that show these words."""
    return [
        name
        for name, texts in shown(vault).items()
        if words.casefold() in "\n".join(texts).casefold()
    ]


@pytest.mark.parametrize("way", WAYS_IN)
def test_no_surface_shows_it_and_reopening_brings_it_back(
    solved: tuple[Vault, str], way: Callable[[Vault], None]
) -> None:
    vault, name = solved
    assert all_of(vault, SOLVED) == []
    way(vault)
    assert all_of(vault, SOLVED) == []
    assert name in [one.id for one in vault.entries(statuses=["resolved"])]
    vault.reopen(name)
    assert {"recall", "reflect", "Vaults"} <= set(all_of(vault, SOLVED))


@pytest.mark.parametrize("way", [by_hand, by_restored_line, by_pull, by_agent])
def test_what_came_in_before_is_solved_with_it(
    make_vault: VaultMaker, way: Callable[[Vault], None]
) -> None:
    vault = make_vault()
    vault.save(vault.draft(ABOUT))
    vault.save(vault.draft({"text": "It waits", "status": "pending"}))
    way(vault)
    (row, *_) = vault.recall(Query(SOLVED, VIEW)).rows
    vault.resolve(row.id)
    assert all_of(vault, SOLVED) == []


# --- several vaults -----------------------------------------------------------------


def test_what_the_user_resolved_hides_the_teams_twin_and_not_the_other_way_round(
    make_vault: VaultMaker,
) -> None:
    own, team = make_vault("own"), make_vault("team")
    team.source = "team:platform"
    mine = own.save(SOLVED).id
    theirs = team.save(f"- {SOLVED}!", kind="constraint").id
    both = Vaults([own, team])

    def rows() -> list[str]:
        found = both.recall(SOLVED)
        listed = [row.id for row in every(team, Query("", VIEW)).rows]
        facts = [row.id for row in both.reflect(SOLVED).facts]
        ids = {row.id for row in (*found.rows, *found.constraints)}
        assert set(facts) == ids
        assert (theirs in listed) is (theirs in ids)
        return sorted(ids)

    assert rows() == sorted([mine, theirs])
    own.resolve(mine)
    assert rows() == []
    assert (
        inspect(team, theirs).reason_not_eligible == f"its claim is resolved by {mine}"
    )
    own.reopen(mine)
    team.own = None
    team.resolve(theirs)
    assert rows() == [mine]


def test_hooks_tell_nothing_of_a_team_that_the_user_resolved(
    make_vault: VaultMaker,
) -> None:
    own, team = make_vault("own"), make_vault("team")
    mine = own.save(SOLVED).id
    team.save(SOLVED, kind="constraint")
    place = KnownVault("platform", team.root)

    def told() -> list[str]:
        # As in a hook, the own vault answers first.
        own.read(lambda reader: reader.size)
        answers, silent = tell.ask(
            [place],
            lambda vault, reader: start.standing(vault, reader, SESSION),
            own=own,
            until=time.monotonic() + 30,
        )
        assert not silent
        return [item.text for told in answers for item in told.items]

    team.recall("warm up its index")
    assert told() == [SOLVED]
    own.resolve(mine)
    assert told() == []
