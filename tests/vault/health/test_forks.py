"""A fork that git left where it merged two clones becomes one chain."""

import pytest

from memcli import Vault
from memcli.entries import codec
from memcli.entries.entry import Entry, Layer, Status
from memcli.vault.health import repair
from memcli.vault.health.lint import lint
from tests.conftest import NOW
from tests.saving import write


@pytest.mark.parametrize("pinned", [{}, {"subtype": "pinned"}])
def test_repair_makes_one_chain_of_a_fork(vault: Vault, pinned: dict[str, str]) -> None:
    fields = {"tags": ["a"], "layer": "model"}
    saved = vault.save(vault.draft({"text": "We deploy on Tuesdays", **fields}))
    # A fork is put in the order of its ids, which the clock makes.
    vault = Vault.open(vault.root, now_ms=lambda: NOW * 1000 + 1)
    first = vault.evolve(saved.id, "We deploy on Mondays", tags=["b"], **pinned)
    later = Entry(
        "1zzzzzzzzzzzzzzz",
        created="2030-01-01T00:00:00Z",
        body="We deploy on Fridays\n",
        layer=Layer.MODEL,
        tags=("a", "c"),
        supersedes=saved.id,
        path="memories/note/we-deploy-on-fridays.md",
    )
    write(vault, later.path, codec.encode(later))
    assert "lineage_fork" in {finding.code for finding in lint(vault)}

    done = repair.apply(vault, repair.plan(vault))
    assert "fork" in {step.code for step in done.steps}
    assert not {finding.code for finding in done.left} & {"lineage_fork"}
    two = [first.id, later.id][:: -1 if pinned else 1]
    chain = [vault.stored(vault.path_of(name)) for name in (saved.id, *two)]
    assert [each.entry.superseded_by for each in chain] == [*two, None]
    assert [each.entry.supersedes for each in chain] == [None, saved.id, two[0]]
    assert chain[1].path.startswith("archive/")
    assert chain[1].entry.reason == "merged from another clone"
    assert chain[2].entry.status is Status.ACTIVE
    assert {*chain[2].entry.tags} == {"a", "b", "c"}
    assert repair.plan(vault).steps == []
