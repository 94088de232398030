"""Signals say what was written, recalled and of use, and nothing of what it says."""

import re
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault, Vaults
from memcli.curation import review
from memcli.curation.importing import import_lines
from memcli.entries import layout
from memcli.errors import AmbiguousId, EntryNotFound, UsageError
from memcli.vault import saving, signals
from memcli.vault.health import log
from memcli.vault.health.inspect import inspect
from tests.conftest import NOW, VaultMaker, state_of
from tests.saving import save
from tests.sessions.test_reflect_session import SEEDED, talk

DAY = 86_400


def noted(vault: Vault, kind: str = "recall") -> list[Any]:
    return [one for one in signals.read(vault.root).events if one["event"] == kind]


def said(vault: Vault) -> list[tuple[str, bool, str, bool]]:
    """Feedback as (id, useful, by, whether a recall is named)."""
    return [
        (one["id"], one["useful"], one["by"], one["recall"] is not None)
        for one in noted(vault, "feedback")
    ]


# --- what is noted ------------------------------------------------------------------


def test_a_recall_notes_its_rows_with_rank_channels_and_pieces(vault: Vault):
    mine = save(vault, "We deploy on Mondays", source={"writer": "skill"})
    rule = save(vault, "Never drop a table", kind="constraint")
    found = vault.recall("when do we deploy?")
    (one,) = noted(vault, "recall")
    assert (one["via"], one["agent"], one["at"]) == ("python", None, NOW)
    first, beside = one["rows"]
    (row,) = found.rows
    assert (first["id"], first["rank"], first["score"]) == (mine, 1, row.score)
    assert first["channels"] == row.channels
    assert first["features"]["lexical"] > 0
    assert first["features"]["writer:skill"] == 1.0
    assert (beside["id"], beside["rank"]) == (rule, None)
    assert beside["channels"] == ["constraint"]
    assert "parts" not in row.as_dict()
    assert "writer" not in row.as_dict()


@pytest.mark.parametrize("ask", ["recall", "reflect"])
def test_a_constraint_that_always_surfaces_is_no_hit(vault: Vault, ask: str):
    rule = save(vault, "Never drop a table", kind="constraint")
    for question in ("zebra", "how do we drop a table?"):
        getattr(vault, ask)(question)
    miss, hit = noted(vault, "recall")
    assert [row["id"] for row in miss["rows"]] == [row["id"] for row in hit["rows"]]
    assert [row["id"] for row in miss["rows"]] == [rule]
    counted = log.summary([miss, hit])
    both = {"questions": 2, "hits": 1}
    assert both.items() <= counted.items()
    assert counted["asked"] == [{"via": "python", **both}]


def test_each_of_several_vaults_notes_its_own_rows(make_vault: VaultMaker):
    own, team = make_vault("own"), make_vault("team")
    save(own, "We deploy on Mondays")
    save(team, "They deploy on Fridays, they deploy at night")
    found = Vaults.open(own.root, team.root).recall("deploy")
    ranks = {row.id: rank for rank, row in enumerate(found.rows, 1)}
    assert len(ranks) == 2
    for vault in (own, team):
        (one,) = noted(vault, "recall")
        (row,) = one["rows"]
        assert ranks.pop(row["id"]) == row["rank"]
    assert not ranks


def writes(vault: Vault) -> list[tuple[str, str, str]]:
    return [
        (one["action"], one["writer"], one["kind"]) for one in noted(vault, "write")
    ]


def test_every_command_that_writes_an_entry_notes_its_writer(
    vault: Vault, tmp_path: Path
):
    first = save(vault, "We deploy on Mondays", source={"writer": "skill"})
    assert writes(vault) == [("save", "skill", "note")]
    save(vault, "We deploy on Mondays", source={"writer": "skill"})  # a duplicate
    assert len(writes(vault)) == 1
    new = vault.evolve(first, "We deploy on Fridays").id
    vault.resolve(new)
    vault.reopen(new)
    import_lines(vault, b'{"text": "Imported", "kind": "fix"}\n', "a.jsonl")
    waiting = save(vault, "A candidate", status="pending")
    review.approve(vault, waiting)
    assert writes(vault)[1:] == [
        ("evolve", "manual", "note"),  # a new text has a source of its own
        ("resolve", "manual", "note"),
        ("resolve", "manual", "note"),
        ("import", "import", "fix"),
        ("save", "manual", "note"),
        ("review", "manual", "note"),
    ]
    before = len(writes(vault))
    done = vault.mine(talk(tmp_path, SEEDED))
    mined = writes(vault)[before:]
    assert mined
    assert {(action, writer) for action, writer, _ in mined} == {("save", "pipeline")}
    assert len(mined) == sum(fate.id is not None for fate in done.fates)


def test_an_import_of_many_does_not_wash_out_what_was_recalled(vault: Vault):
    vault.recall("deploy")
    drafts = [vault.draft({"text": f"Fact number {n}"}) for n in range(150)]
    skill = vault.draft({"text": "How to deploy", "kind": "skill"})
    saving.save_all(vault, [*drafts, skill], origin="")
    one, many = noted(vault, "write")
    assert (one["kind"], one.get("count")) == ("skill", None)
    assert (many["id"], many["count"]) == (None, 150)
    assert log.summary(noted(vault, "write"))["writes"] == {"manual": 151}


# --- never a word -------------------------------------------------------------------


def test_no_word_of_a_memory_or_question_stands_in_the_log(
    vault: Vault, tmp_path: Path
):
    """After a busy session every word of four letters and more is looked for."""
    texts = [
        "Quokkas deploy the billing harness from Ljubljana",
        "Wombat migrations precede every Zanzibar release",
        "Perennial flamingos guard the staging cluster",
    ]
    made = [
        save(
            vault,
            text,
            title=f"Heading {text[::-1]}",
            tags=["marsupial"],
            entities=["Ljubljana"],
            source={"session": "sessionname", "excerpt": "Excerpted verbatim"},
        )
        for text in texts
    ]
    for question in ("who guards flamingos?", "Ljubljana harness", "nonexistent yak"):
        vault.recall(question)
        vault.reflect(question)
    vault.feedback(useful=[made[0]], not_useful=[made[1]])
    new = vault.evolve(made[0], "Quokkas ship nothing", reason="reconsidered").id
    vault.resolve(new, by="gardener", note="tidied")
    vault.mine(talk(tmp_path, SEEDED))
    said = " ".join(
        [
            *texts,
            *(text[::-1] for text in texts),
            *(text for _, text in SEEDED),
            "Heading marsupial sessionname Excerpted verbatim guards flamingos",
            "nonexistent yak Quokkas ship nothing reconsidered gardener tidied",
        ]
    )
    words = {one.lower() for one in re.findall(r"\w{4,}", said)}
    folder = state_of(vault.root, layout.EVENTS).parent
    found = b"".join(path.read_bytes() for path in folder.glob("signals*"))
    assert found.count(b'"event":') > 10
    text = found.decode("latin-1").lower()
    # The names of fields and values, which are nobody's secret.
    own = {"session", "skill", "import", "save", "manual"}
    assert [one for one in sorted(words - own) if re.search(rf"\b{one}\b", text)] == []


# --- feedback -----------------------------------------------------------------------


def test_feedback_is_on_the_newest_recall_that_returned_the_entry(vault: Vault):
    good = save(vault, "We deploy on Mondays")
    vault.recall("deploy")
    vault.recall("mondays")
    vault.recall("zebra")
    (one,) = vault.feedback(useful=[good])
    assert one.recall == noted(vault, "recall")[1]["recall"]


def test_an_unknown_id_notes_nothing_at_all(vault: Vault):
    good = save(vault, "We deploy on Mondays")
    with pytest.raises(EntryNotFound):
        vault.feedback(useful=[good, "0" * 16])
    save(vault, "We deploy on Fridays")
    with pytest.raises(AmbiguousId):
        vault.feedback(useful=[good[:4]])
    with pytest.raises(UsageError):
        vault.feedback(useful=[good], not_useful=[good[:15]])
    assert said(vault) == []


def test_an_agent_judges_its_own_recall_the_owner_anybodys(make_vault: VaultMaker):
    owner, ada = make_vault(), make_vault(agent="ada")
    mine = save(ada, "We deploy on Mondays")
    owner.recall("deploy")
    (one,) = ada.feedback(useful=[mine])
    assert one.recall is None
    ada.recall("deploy")
    (one,) = ada.feedback(useful=[mine])
    (other,) = owner.feedback(useful=[mine])
    names = [each["recall"] for each in noted(owner, "recall")]
    assert one.recall == other.recall == names[1]


def test_a_citation_is_feedback(vault: Vault):
    one, other = save(vault, "We deploy on Mondays"), save(vault, "Mondays are calm")
    vault.recall("deploy")
    model = save(
        vault, "Deploys are calm", layer="model", evidence=[one, other, "a-session"]
    )
    assert said(vault) == [
        (one, True, "citation", True),
        (other, True, "citation", False),
    ]
    save(vault, "Deploys are calm", layer="model", evidence=[one])  # there already
    assert len(said(vault)) == 2
    vault.evolve(model, "Deploys are very calm", cite=[one])
    assert said(vault)[2:] == [(one, True, "citation", True)]


@pytest.mark.parametrize(("after", "counts"), [(DAY, True), (DAY + 1, False)])
@pytest.mark.parametrize("deed", ["evolve", "resolve"])
def test_acting_upon_what_a_recall_brought_within_a_day_is_feedback(
    moving: Vault, clock: list[int], deed: str, after: int, counts: bool
):
    vault = moving
    one, other = save(vault, "We deploy on Mondays"), save(vault, "Zebras are striped")
    vault.recall("deploy")
    clock[0] += after
    for name in (one, other):
        if deed == "evolve":
            vault.evolve(name, f"Changed {name}")
        else:
            vault.resolve(name)
    assert said(vault) == ([(one, True, deed, True)] if counts else [])


def test_what_goes_along_for_its_words_is_no_feedback(vault: Vault):
    mine = save(vault, "We deploy on Mondays", source={"session": "a", "record": "1"})
    save(vault, "We deploy on Mondays", source={"session": "b", "record": "2"})
    vault.recall("deploy")
    assert len(vault.resolve(mine)) == 2
    assert said(vault) == [(mine, True, "resolve", True)]


# --- what is said of it -------------------------------------------------------------


@pytest.mark.parametrize("fields", [{"kind": "skill"}, {"type": "skill"}])
def test_uses_of_a_skill_increment_when_stored_or_recalled(
    vault: Vault, fields: dict[str, str]
):
    skill = save(vault, "How to deploy the harness", **fields)
    plain = save(vault, "We deploy on Mondays")
    assert inspect(vault, skill).uses == 1
    head = vault.recall("deploy").rows
    vault.recall("harness")
    vault.recall("zebra")
    assert {row.id for row in head} == {skill, plain}
    assert inspect(vault, skill).uses == 3
    assert inspect(vault, skill).as_dict()["uses"] == 3
    assert inspect(vault, plain).uses is None
    uses = {"id": skill, "title": "How to deploy the harness", "uses": 3}
    assert log.usage(vault)["uses"] == [uses]
