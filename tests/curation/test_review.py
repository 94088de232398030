"""Candidates wait, and a decision loses nothing."""

from typing import Any

import pytest

from memcli import Vault
from memcli.curation import inbox, review
from memcli.errors import NotAllowed
from tests.git_command import git
from tests.saving import edit, pages, save
from tests.sessions.hooks.calling import texts


def candidate(vault: Vault, text: str, **fields: Any) -> str:
    return save(vault, text, status="pending", **fields)


def test_approve_may_change_text_title_kind_and_tags(vault: Vault) -> None:
    name = candidate(vault, "use pnmp", tags=["web"])
    changes: Any = {"text": "Use pnpm", "kind": "preference", "tags": ("tools",)}
    review.approve(vault, name, **changes)
    entry = vault.get(name)
    assert (entry.body, entry.kind) == ("Use pnpm\n", "preference")
    assert entry.tags == ("web", "tools")
    assert entry.path == "memories/preference/2026/11/use-pnpm.md"


def test_an_approval_takes_no_pin_and_no_enforce_that_nobody_has_read(
    vault: Vault,
) -> None:
    name = candidate(vault, "Never run make deploy")
    edit(vault, name, "created:", "pinned: true\nenforce: deny\ncreated:")
    told: list[str] = []
    vault.caller = vault.caller._replace(tell=told.append)
    review.approve(vault, name)
    entry = vault.get(name)
    assert (entry.status, entry.pinned, entry.enforce) == ("active", False, None)
    assert told == [
        f"{name}: its pin and its `enforce` are left out; to set them: "
        f"memcli pin {name}, memcli evolve {name} --enforce deny"
    ]


def test_a_rejected_candidate_is_remembered_and_not_proposed_again(
    vault: Vault,
) -> None:
    name = candidate(vault, "Use emacs")
    review.reject(vault, name)
    again = vault.save(vault.draft({"text": "- use emacs.", "status": "pending"}))
    assert (again.outcome, again.id) == ("rejected", name)
    hook = {"text": "Use Emacs", "source": {"writer": "hook"}}
    assert vault.save(vault.draft(hook)).outcome == "rejected"
    assert inbox.pending(vault) == []
    # Who states it himself is heard.
    assert vault.save("Use emacs").outcome == "created"


def test_supersede_makes_it_the_next_version_of_an_entry(vault: Vault) -> None:
    path = vault.save("Deploy on Tuesdays, see [[runbook]]", tags=["deploy"]).path
    file = edit(vault, path, "tags:", "rating: 5 # mine\ntags:")
    old = vault.stored(path).entry.id
    name = candidate(
        vault,
        "Deploy on Mondays",
        tags=["new"],
        confidence="MEDIUM",
        source={"session": "s1"},
    )
    done = review.supersede(vault, name, old)
    assert done.items[0] == review.DecidedEntry(
        name, "Deploy on Mondays", path, "superseded"
    )
    entry = vault.get(name)
    assert entry.supersedes == old
    assert entry.tags == ("deploy", "new")
    assert entry.source.session == "s1"
    assert "rating: 5 # mine" in file.read_text()
    assert "[[runbook]]" in file.read_text()
    assert vault.get(old).superseded_by == name
    assert texts(vault) == ["Deploy on Mondays"]
    assert git(vault, "status", "--porcelain") == ""


def test_a_target_that_is_history_is_refused_with_the_current_version(
    vault: Vault,
) -> None:
    old = save(vault, "Deploy on Tuesdays")
    new = vault.evolve(old, "Deploy on Mondays").id
    name = candidate(vault, "Deploy on Sundays")
    before = pages(vault)
    for act in (lambda: review.supersede(vault, name, old), lambda: vault.evolve(old)):
        with pytest.raises(NotAllowed) as refused:
            act()
        assert refused.value.hint == f"Name the current version: {new}"
    assert pages(vault) == before
