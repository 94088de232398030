"""How a row is drawn: its title once, and ids that fit a terminal."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memcli import Vault
from memcli.cli.rows import below, short_ids
from memcli.entries.entry import Entry
from memcli.entries.ids import ID_LENGTH
from tests.cli.conftest import Run
from tests.cli.test_reflect_session import Screen
from tests.conftest import VaultMaker


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("We deploy on Tuesdays", []),
        ("We deploy on Tuesdays.", []),
        ("We deploy on Tuesdays. Bob asked for it.", ["Bob asked for it."]),
        (
            "- **We deploy on Tuesdays**. Bob asked.\n- And more",
            ["Bob asked.", "- And more"],
        ),
        ("# Deploys\n\nOn Tuesdays.\n", ["On Tuesdays."]),
        (
            "Intro: see below\n\n# Deploys\n\nOn Tuesdays.",
            ["Intro: see below", "On Tuesdays."],
        ),
    ],
)
def test_a_title_is_not_repeated_below_itself(body: str, shown: list[str]) -> None:
    title = Entry(id="x", body=body).display_title
    assert title
    assert list(below(title, body)) == shown


def test_what_only_begins_like_a_title_stays_whole() -> None:
    for title, body in (
        ("Deploy", "Deployments wait for Bob"),
        ("Deploys", "They are on Tuesdays"),
        ("Redis", "Redis, the cache, restarts at night"),
    ):
        assert list(below(title, body)) == [body]


def test_a_title_that_was_cut_says_so_and_its_text_stays_whole() -> None:
    body = "the quick brown fox " * 9
    title = Entry(id="x", body=body).display_title
    assert title.endswith("fox…")
    assert len(title) <= 80
    assert list(below(title, body)) == [body]


def test_a_terminal_shows_the_shortest_beginning_that_means_one_entry(
    vault: Vault,
) -> None:
    drafts = [vault.draft({"text": f"entry {n}"}) for n in range(20)]
    names = [saved.id for saved in vault.save_all(drafts)]
    short = short_ids(Screen(), vault)
    for name in names:
        shown = short(name)
        assert name.startswith(shown)
        assert [other for other in names if other.startswith(shown)] == [name]
        assert len(shown) == 4 or any(
            other != name and other.startswith(shown[:-1]) for other in names
        )
        assert vault.path_of(shown) == vault.path_of(name)


def test_what_an_agent_may_not_see_lengthens_no_id(vault: Vault) -> None:
    fields = {"visibility": "private"}
    mine = vault.save("one").id
    for number in range(9):
        vault.save(vault.draft({"text": f"hidden {number}", **fields}))
    Path(vault.root, ".memcli").mkdir(exist_ok=True)
    seen = vault.acting_as("bot")
    assert len(short_ids(Screen(), seen)(mine)) in (4, ID_LENGTH)


def test_of_several_vaults_no_two_entries_are_shown_by_one_beginning(
    vault: Vault, make_vault: VaultMaker
) -> None:
    other = make_vault("other", now_ms=vault.now_ms)
    mine, theirs = (each.save("one").id for each in (vault, other))
    both: Any = SimpleNamespace(vaults=(vault, other))
    short = short_ids(Screen(), both)
    assert (short(mine), short(theirs)) == (mine, theirs)


def test_an_explained_score_is_its_sum_times_its_factors(
    memcli: Run, vault: Vault
) -> None:
    drafts: list[dict[str, Any]] = [
        {"text": f"The ledger's queue {n} is slow"} for n in "abc"
    ]
    drafts[0] |= {"entities": ["ledger"], "project": "example.org/other"}
    vault.save_all([vault.draft(each) for each in drafts])
    said = memcli("recall", "why is the ledger's queue slow?", "--explain").out
    lines = re.findall(r"why: score (\S+) = (.*?);", said)
    assert len(lines) == 3
    for score, reckoned in lines:
        times = re.sub(r"[a-z_]+ ", "", reckoned).replace("×", "*")
        assert eval(times) == pytest.approx(float(score), rel=1e-3)


def test_a_list_has_paths_where_they_are_asked_for(memcli: Run, vault: Vault) -> None:
    path = vault.save("We deploy on Tuesdays").path
    assert path not in memcli("list").out
    head, row = memcli("list", "--long", "--header").out.splitlines()
    assert (head.split("\t")[-1], row.split("\t")[-1]) == ("path", path)
