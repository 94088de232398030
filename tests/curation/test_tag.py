"""Tags, pin and project change in place: the entry stays the version that it is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation.changing import pin, tag
from memcli.curation.evolve import evolve
from memcli.entries import layout
from memcli.errors import InvalidContent, InvalidValue, NotAllowed, SecretFound
from tests.conftest import VaultMaker
from tests.git_command import git

CONFIG = '[agents.bob]\npolicy = "shared"\n'


def commits(vault: Vault) -> list[str]:
    return git(vault, "log", "--format=%s").splitlines()


def test_a_tag_is_one_commit_and_no_other_byte_changes(vault: Vault) -> None:
    text = {"text": "We deploy on Tuesdays\n\nand  never later", "tags": ["a", "b"]}
    saved = vault.save(vault.draft(text))
    path = Path(vault.root, saved.path)
    path.write_text(path.read_text().replace("---\nWe", "mine: 'x'  # kept\n---\nWe"))
    before, count = path.read_text(), len(commits(vault))
    done = tag(vault, saved.id[:12], "C", "b", untag=["a"])
    assert (done.tags, done.changed) == (("b", "c"), True)
    assert path.read_text() == before.replace("[a, b]", "[b, c]")
    # The edit by hand was not committed yet, and is kept by a commit of its own.
    assert len(commits(vault)) == count + 2
    assert commits(vault)[0] == "tag: We deploy on Tuesdays"
    again = vault.recall("Tuesdays").rows[0]
    assert (again.id, again.tags, again.supersedes) == (saved.id, ["b", "c"], None)


def test_what_changes_nothing_writes_nothing(
    vault: Vault, snapshot: Callable[[str], dict[str, str]]
) -> None:
    saved = vault.save("x", tags=["a"])
    before = snapshot(vault.root)
    assert not tag(vault, saved.id, "A").changed
    assert [one.changed for one in pin(vault, saved.id, off=True)] == [False]
    with pytest.raises(InvalidContent, match="has no tag 'b'"):
        tag(vault, saved.id, "c", untag=["b"])
    with pytest.raises(InvalidValue):
        tag(vault, saved.id, "two words")
    for key in ("AIza" + "aB3" * 12, "AKIA" + "Z9" * 8, "akia" + "z9" * 8):
        with pytest.raises(SecretFound):
            tag(vault, saved.id, key)
        with pytest.raises(SecretFound):
            evolve(vault, saved.id, {"tags": [key]})
    assert snapshot(vault.root) == before
    Path(vault.root, "many.md").write_text("---\ntags: {a: 1}\n---\nx\n", "utf-8")
    with pytest.raises(InvalidValue, match="cannot be read, and would be replaced"):
        tag(vault, "many.md", "extra")


def test_a_project_is_set_and_taken_away(vault: Vault) -> None:
    saved = vault.save("x", tags=["a"])
    assert tag(vault, saved.id, project="Shop").project == "shop"
    assert tag(vault, saved.id, "b").project == "shop"
    assert tag(vault, saved.id, project="none").project is None
    assert vault.get(saved.id).tags == ("a", "b")


def test_pins_of_several_entries_are_one_commit(vault: Vault) -> None:
    ids = [vault.save(text).id for text in ("x", "y", "z")]
    count = len(commits(vault))
    pin(vault, *ids[:2], ids[0])
    assert [vault.get(name).pinned for name in ids] == [True, True, False]
    assert commits(vault)[0] == "pin: 2 entries"
    assert len(commits(vault)) == count + 1
    pin(vault, *ids, off=True)
    assert not any(vault.get(name).pinned for name in ids)


def test_an_agent_tags_what_it_sees_and_pins_only_its_own(
    vault: Vault, make_vault: VaultMaker
) -> None:
    Path(vault.root, layout.CONFIG).write_text(CONFIG, encoding="utf-8")
    bob = make_vault(agent="bob")
    shared = vault.save("of the owner").id
    own = bob.save("of bob").id
    assert tag(bob, shared, "a").tags == ("a",)
    with pytest.raises(NotAllowed, match="may not pin"):
        pin(bob, own, shared)
    assert not vault.get(own).pinned
    pin(bob, own)
    pin(vault, shared)
    for off in (True, False):
        with pytest.raises(NotAllowed, match="may not"):
            pin(bob, shared, off=off)
    with pytest.raises(NotAllowed, match="may not evolve"):
        tag(bob, shared, "b")
