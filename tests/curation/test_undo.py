"""The last change is taken back, of any kind, and nothing later is lost."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation import importing, review, sync_report, undo
from memcli.curation.changing import pin, tag
from memcli.curation.entities import decide
from memcli.curation.entities.decide import EntityRequest
from memcli.errors import Conflict, NotAllowed
from memcli.storage.git.repository import Repository
from memcli.vault.health import repair
from tests import clones
from tests.git_command import git
from tests.saving import pages


def steps(vault: Vault) -> Iterator[str]:
    """One change after the other; each is done when its name is given."""
    saved = vault.save("We deploy kv on Tuesdays").id
    yield "save"
    tag(vault, saved, "deploy")
    yield "tag"
    pin(vault, saved)
    yield "pin"
    second = vault.evolve(saved, "We deploy kv on Mondays").id
    yield "evolve"
    vault.resolve(second)
    yield "resolve"
    vault.reopen(second)
    yield "reopen"
    lines = b"".join(b'{"text": "line %d"}\n' % number for number in range(30))
    importing.import_lines(vault, lines, "lines.jsonl")
    yield "import"
    waiting = vault.save(vault.draft({"text": "A guess", "status": "pending"})).id
    yield "inbox"
    review.approve(vault, waiting, text="A guess that holds")
    yield "approve"
    drafts = [{"text": text, "status": "pending"} for text in ("Not so", "At noon")]
    both = vault.save_all([vault.draft(draft) for draft in drafts])
    refused, newer = (saved.id for saved in both)
    yield "more of the inbox"
    review.reject(vault, refused)
    yield "reject"
    review.supersede(vault, newer, waiting)
    yield "supersede"
    for request in (
        EntityRequest("register", "Redis", aliases=("kv",)),
        EntityRequest("merge", "Redis", "Valkey"),
        EntityRequest("register", "Etcd"),
        EntityRequest("merge", "Etcd", "Valkey"),
    ):
        decide.apply(vault, request)
        yield request.verb
    vault.forget(second)
    yield "forget"


def test_each_undo_goes_one_change_further_back_to_the_byte(vault: Vault) -> None:
    before = [pages(vault)]
    names = []
    for name in steps(vault):
        names.append(name)
        before.append(pages(vault))
    for name, wanted in zip(reversed(names), reversed(before[:-1]), strict=True):
        undo.undo(vault)
        assert pages(vault) == wanted, name
    with pytest.raises(NotAllowed, match="nothing to undo"):
        undo.undo(vault)
    assert vault.recall("deploy").rows == []


def test_a_dry_run_says_what_an_undo_would_do(
    vault: Vault, snapshot: Callable[[str], dict[str, str]]
) -> None:
    saved = vault.save("x")
    before = snapshot(vault.root)
    found = undo.undo(vault, dry_run=True)
    assert (found.subject, found.paths) == ("save: x", [saved.path])
    assert snapshot(vault.root) == before
    vault.evolve(saved.id, "y")  # its copy in the archive is the first path
    Path(vault.root, saved.path).write_text("by hand")
    before = snapshot(vault.root)
    for dry_run in (True, False):
        with pytest.raises(Conflict, match="was changed since"):
            undo.undo(vault, dry_run=dry_run)
    assert snapshot(vault.root) == before


def test_commits_of_others_and_by_hand_are_passed_over(vault: Vault) -> None:
    Path(vault.root, "HEAD").write_text("A file with the name of a revision\n")
    git(vault.root, "add", "HEAD")
    vault.save("mine")
    for author, subject in (("Eve <eve@example.com>", "save: hers"), (None, "wip: x")):
        Path(vault.root, "notes.md").write_text(subject)
        git(vault, "add", "notes.md")
        signed = [f"--author={author}"] if author else []
        git(vault, "commit", "-qm", subject, *signed)
    assert undo.undo(vault).subject == "save: mine"
    assert Path(vault.root, "notes.md").read_text() == "wip: x"


@pytest.mark.parametrize("kept_by", ["sync", "repair"])
def test_what_a_person_wrote_is_never_undone_and_an_undo_is_by_its_name(
    vault: Vault, kept_by: str
) -> None:
    saved = vault.save("x")
    path, note = Path(vault.root, saved.path), Path(vault.root, "note.md")
    note.write_text("My own")
    if kept_by == "sync":
        repository = Repository.open(vault.root, environ=vault.environ)
        sync_report.commit(vault, repository, sync_report.plan(vault, repository))
    else:
        repair.apply(vault, repair.plan(vault))
    tip = git(vault, "rev-parse", "HEAD").strip()[:10]
    with pytest.raises(NotAllowed, match=f"{tip} is no change .* by hand") as refused:
        undo.undo(vault, tip)
    assert f"revert {tip}" in (refused.value.hint or "")
    assert undo.undo(vault).deleted == [saved.path]
    assert undo.undo(vault, git(vault, "rev-parse", "HEAD").strip()).deleted == []
    path.unlink()
    with pytest.raises(Conflict, match="was deleted by hand"):
        undo.undo(vault)
    git(vault, "restore", saved.path)
    tag(vault, saved.id, "x")
    undo.undo(vault)
    path.write_text("z")
    git(vault, "commit", "-qam", "wip")
    tip = git(vault, "rev-parse", "HEAD").strip()[:10]
    with pytest.raises(Conflict, match=f"changed since save: x \\(by {tip}, wip"):
        undo.undo(vault)
    assert note.read_text() == "My own"


def test_what_came_from_another_clone_is_undone_only_by_its_name(
    two: clones.Clones,
) -> None:
    clones.say(two.vault("desk"), "of the desk")
    two.sync("desk")
    two.sync("laptop")  # goes forward to the very commit of the desk
    laptop = two.vault("laptop")
    with pytest.raises(NotAllowed, match="in this clone"):
        undo.undo(laptop)
    theirs = two.tip()
    clones.say(laptop, "of the laptop")
    two.sync("laptop")
    two.sync("desk")
    clones.say(two.vault("desk"), "again of the desk")
    two.sync("desk")
    two.sync("laptop")
    done = undo.undo(laptop)
    assert done.subject == "save: of the laptop"
    assert undo.undo(laptop, theirs[:10].upper()).commit == theirs
    assert clones.texts(two.roots["laptop"]) == {"again of the desk"}
    for word in (theirs[:10], theirs[:3], "", "HEAD", "--all", "f" * 40):
        with pytest.raises(NotAllowed, match="no one change of memcli's that can"):
            undo.undo(laptop, word)
