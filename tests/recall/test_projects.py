"""Where a memory holds, as recall and reflect show it."""

from pathlib import Path
from typing import Any

import pytest

from memcli.api import Vault
from memcli.errors import InvalidValue, UsageError
from memcli.recall.filters import named_project
from memcli.recall.query import from_words

SHOP, BLOG = "github.com/acme/shop", "github.com/acme/blog"


def save(vault: Vault, text: str, project: str | None, **fields: Any) -> str:
    values = {"text": text, "project": project, **fields}
    return vault.save(vault.draft(values)).id


def asked(vault: Vault, text: str, project: str = "", here: str | None = None) -> Any:
    query = from_words(text, vault.now_ms() // 1000, project=project)
    return vault.recall(query._replace(here=here))


@pytest.fixture
def three(vault: Vault) -> dict[str, str]:
    """The same rule in two projects, and one that holds everywhere; by id."""
    return {
        save(vault, "deploy the release on Monday", SHOP): "shop",
        save(vault, "deploy the release on Tuesday", BLOG): "blog",
        save(vault, "deploy the release after review", None): "all",
    }


@pytest.mark.parametrize(
    ("word", "here", "shown"),
    [
        ("", SHOP, {"shop", "all", "blog"}),
        ("here", SHOP, {"shop", "all"}),
        ("here", None, {"all"}),
        (SHOP, BLOG, {"shop"}),
        ("GitHub.com/Acme/Shop", None, {"shop"}),
        ("none", SHOP, {"all"}),
        ("any", SHOP, {"shop", "all", "blog"}),
    ],
)
def test_a_project_narrows_an_answer(
    word: str, here: str | None, shown: set[str], vault: Vault, three: dict[str, str]
):
    rows = asked(vault, "deploy the release", word, here).rows
    assert {three[row.id] for row in rows} == shown


def test_what_holds_elsewhere_ranks_last_and_says_where(
    vault: Vault, three: dict[str, str]
):
    for here, last in ((SHOP, "blog"), (BLOG, "shop")):
        rows = asked(vault, "deploy the release", here=here).rows
        assert three[rows[-1].id] == last
        assert rows[-1].project == {"blog": BLOG, "shop": SHOP}[last]
    explained = vault.recall("deploy the release", explain=True).rows
    assert not any("elsewhere" in (row.explain or {}) for row in explained)


def test_constraints_are_those_in_scope(vault: Vault):
    ids = {
        name: save(
            vault, f"never touch the table of {name}", project, kind="constraint"
        )
        for name, project in (("shop", SHOP), ("blog", BLOG), ("all", None))
    }
    save(vault, "the header is blue", None)

    def shown(word: str, here: str | None) -> set[str]:
        answer = asked(vault, "header", word, here)
        return {
            name for row in answer.constraints for name in ids if ids[name] == row.id
        }

    assert shown("", SHOP) == {"shop", "all"}
    assert shown("", None) == {"all"}
    assert shown(BLOG, SHOP) == {"blog", "all"}
    assert shown("none", SHOP) == {"all"}
    assert shown("any", SHOP) == {"shop", "blog", "all"}


def test_a_project_without_an_entry_is_refused_with_the_list(
    vault: Vault, three: dict[str, str]
):
    with pytest.raises(UsageError, match="No entries in project 'zzz'") as no:
        named_project((vault,), "zzz")
    assert "memcli list --by project" in (no.value.hint or "")
    save(vault, "deploy later", "github.com/other/shop")
    with pytest.raises(UsageError, match="Several projects are called 'shop'"):
        named_project((vault,), "shop")
    with pytest.raises(InvalidValue, match="not a project's name"):
        named_project((vault,), "a b")


def test_the_same_text_in_two_projects_is_two_entries(vault: Vault):
    drafts = [
        vault.draft({"text": "always use pnpm", "project": project})
        for project in (SHOP, BLOG, SHOP, None, BLOG)
    ]
    first, second, again, everywhere, covered = vault.save_all(drafts)
    assert [s.outcome for s in (first, second, everywhere)] == ["created"] * 3
    assert (again.outcome, again.id) == ("duplicate", first.id)
    assert covered.outcome == "duplicate"
    assert (first.project, second.project) == (SHOP, BLOG)


def test_a_mined_text_that_another_project_rejected_is_new_here(vault: Vault):
    mined = {"text": "always use pnpm", "source": {"writer": "hook", "session": "s"}}
    save(vault, "always use pnpm", SHOP, status="rejected")
    assert vault.save(vault.draft({**mined, "project": SHOP})).outcome == "rejected"
    assert vault.save(vault.draft({**mined, "project": BLOG})).outcome == "created"


def test_a_vault_is_asked_from_the_folder_of_the_process(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, shop: Path
):
    monkeypatch.chdir(shop)
    standing = Vault.open(vault.root)
    assert standing.here == SHOP
    assert standing.save("use pnpm").project == SHOP
    nowhere = standing.draft({"text": "x", "project": "none"})
    assert nowhere.project is None
    assert Vault.open(vault.root, cwd=None).here is None
    monkeypatch.chdir(vault.root)
    assert Vault.open(vault.root).here is None


def test_another_project_is_not_offered_to_be_replaced(vault: Vault):
    here = save(vault, "deploy the shop release on Monday morning", SHOP)
    there = save(vault, "deploy the shop release on Monday morning early", BLOG)
    anywhere = save(vault, "deploy the shop release on Monday morning late", None)
    evolved = vault.evolve(here, "deploy the shop release on Friday morning")
    assert {sibling.id for sibling in evolved.not_updated} == {anywhere}
    text = "deploy the shop release on Monday morning now"
    saved = vault.save(text, project=BLOG)
    assert {item.id for item in saved.similar} == {there, anywhere}
