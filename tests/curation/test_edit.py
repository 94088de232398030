"""An edited file is taken when it is still this entry, and else changes nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation.changing import edit, opened
from memcli.errors import Conflict, MemcliError, NotAllowed
from memcli.vault.health.lint import lint
from tests.git_command import git

Change = Callable[[str], str]


REFUSED: dict[str, list[Change]] = {
    "id_changed": [
        lambda text: text.replace("id: 1", "id: 2"),
        lambda text: "\n".join(text.split("\n")[5:]),
        lambda _: "",
    ],
    "invalid_entry": [
        lambda text: text.replace("tags: [a]", "tags: [a"),
        lambda text: text.replace("tags: [a]", "tags: *x"),
        lambda text: text.replace("tags: [a]", "type: dragon"),
        lambda text: text.replace("tags: [a]", "expires_at: soon"),
        lambda text: f"<<<<<<< ours\n{text}",
    ],
    "secret_found": [lambda text: text + "key AKIA" + "ABCDEFGHIJKLMNOP"],
}


def saved(vault: Vault, **values: object) -> str:
    fields = {"text": "We deploy on Tuesdays", "tags": ["a"], **values}
    return vault.save(vault.draft(fields)).id


def test_fields_and_text_are_taken_as_they_were_written(vault: Vault) -> None:
    old = opened(vault, saved(vault))
    text = old.data.decode()
    text = text.replace("[a]", "[a,   b] # two").replace("Tuesdays", "Mondays")
    done = edit(vault, old, text)
    written = Path(vault.root, old.path).read_text()
    assert "tags: [a,   b] # two\n" in written
    assert written.endswith("We deploy on Mondays\n")
    entry = vault.get(done.id)
    assert (entry.tags, entry.updated) == (("a", "b"), "2026-11-21T12:00:00Z")
    assert git(vault, "log", "-1", "--format=%s") == "edit: We deploy on Mondays\n"
    assert git(vault, "status", "--porcelain") == ""


def test_what_is_no_longer_this_entry_is_refused_and_what_is_the_same_not_written(
    vault: Vault, snapshot: Callable[[str], dict[str, str]]
) -> None:
    old = opened(vault, saved(vault))
    before = snapshot(vault.root)
    for code, changes in REFUSED.items():
        for number, change in enumerate(changes):
            with pytest.raises(MemcliError) as refusal:
                edit(vault, old, change(old.data.decode()))
            assert refusal.value.code == code, number
    assert not edit(vault, old, old.data.decode()).changed
    assert snapshot(vault.root) == before


def test_the_words_of_a_resolved_entry_stay_and_its_fields_may_change(
    vault: Vault,
) -> None:
    name = saved(vault, kind="blocker")
    vault.resolve(name)
    old = opened(vault, name)
    text = old.data.decode()
    with pytest.raises(NotAllowed) as refused:
        edit(vault, old, text.replace("Tuesdays", "Mondays"))
    assert refused.value.code == "resolved"
    assert edit(vault, old, text.replace("tags: [a]", "tags: [b]")).changed


def test_a_file_that_was_changed_meanwhile_is_not_overwritten(vault: Vault) -> None:
    old = opened(vault, saved(vault))
    path = Path(vault.root, old.path)
    path.write_text(path.read_text() + "by another\n")
    with pytest.raises(Conflict):
        edit(vault, old, old.data.decode() + "by me\n")
    assert path.read_text().endswith("by another\n")


def test_the_key_of_a_reflection_item_follows_its_text(vault: Vault) -> None:
    old = opened(vault, saved(vault, item="invariant"))
    edit(vault, old, old.data.decode().replace("Tuesdays", "Mondays"))
    assert [one.code for one in lint(vault)] == []
