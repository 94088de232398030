"""What list promises: everything that the filters admit, the newest first."""

from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.errors import EntryNotFound
from memcli.recall.listing import Listed, listed, show
from memcli.recall.query import Filters, Query, from_words
from memcli.vault.vaults import Vaults
from tests.conftest import NOW, VaultMaker

DAY = 86_400


def ask(**options: Any) -> Query:
    filters: Filters = options.pop("filters", Filters())
    return from_words("", NOW + 9 * DAY, **options)._replace(filters=filters)


def titles(answer: Listed) -> list[str]:
    return [row.title for row in answer.rows]


@pytest.fixture
def days(make_vault: VaultMaker) -> Vault:
    """A vault with an entry of each of four days, and a fifth of the same second."""
    now = [NOW]
    vault = make_vault(now_ms=lambda: now[0] * 1000)
    for number, kind, tags, project in (
        (0, "fix", ["a", "b"], None),
        (1, "note", ["b"], "shop"),
        (2, "fix", [], None),
        (3, "note", ["b"], None),
    ):
        now[0] = NOW + number * DAY
        values = {"text": f"day {number}", "kind": kind, "tags": tags}
        vault.save(vault.draft({**values, "project": project or "none"}))
    return vault


def test_the_entry_that_was_written_last_comes_first(days: Vault) -> None:
    assert titles(listed(days, ask())) == ["day 3", "day 2", "day 1", "day 0"]
    assert titles(listed(days, ask(limit=2))) == ["day 3", "day 2"]
    assert listed(days, ask(limit=2)).total == 4


def test_of_one_second_the_last_id_comes_first_at_every_limit(vault: Vault) -> None:
    ids = [vault.save(f"entry {n}").id for n in range(9)]
    newest = sorted(ids, reverse=True)
    for most in range(1, 10):
        rows = listed(vault, ask(limit=most)).rows
        assert [row.id for row in rows] == newest[:most]


def test_since_counts_when_an_entry_was_written(days: Vault) -> None:
    old = {"text": "an old event", "occurred_at": "2019", "project": "none"}
    days.save(days.draft(old))
    found = listed(days, ask(), NOW + 3 * DAY)
    assert set(titles(found)) == {"an old event", "day 3"}


def test_several_vaults_are_one_list(days: Vault, make_vault: VaultMaker) -> None:
    team = make_vault("team", now_ms=lambda: (NOW + DAY + 9) * 1000)
    team.save("of the team", tags=["b"], project="none")
    both = Vaults([days, team])
    answer = listed(both, ask())
    assert titles(answer) == ["day 3", "day 2", "of the team", "day 1", "day 0"]
    assert (answer.total, len(listed(both, ask(limit=2)).rows)) == (5, 2)


def test_a_file_that_says_no_date_stands_last_in_a_list_of_several_vaults(
    days: Vault, make_vault: VaultMaker
) -> None:
    team = make_vault("team")
    Path(team.root, "notes.md").write_text("by hand\n")
    assert titles(listed(Vaults([days, team]), ask()))[-1] == "by hand"


def test_show_says_why_recall_does_not_show_an_entry(days: Vault) -> None:
    first, second = (row.id for row in listed(days, ask(limit=2)).rows)
    days.resolve(first, note="it rained")
    shown = show([days], [second, first])
    assert [one.reason for one in shown] == [None, "resolved"]
    assert [one.row.id for one in shown] == [second, first]
    assert [one.resolution_note for one in shown] == [None, "it rained"]


def test_show_finds_an_entry_in_whichever_vault_has_it(
    days: Vault, make_vault: VaultMaker
) -> None:
    team = make_vault("team")
    saved = team.save("of the team")
    (shown,) = show([days, team], [saved.id])
    assert shown.row.title == "of the team"
    with pytest.raises(EntryNotFound):
        show([days, team.acting_as("eve")], [saved.id])
