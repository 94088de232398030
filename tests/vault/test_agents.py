"""An agent's vault is the vault without what it may not see, for every question."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli import Vault
from memcli.curation import inbox, models, resolve, resolve_query, review
from memcli.curation.entities import page as entity_pages
from memcli.curation.entities.listing import candidates, listed
from memcli.entries import codec
from memcli.entries.eligibility import (
    Agent,
    ReadPolicy,
    View,
    alternatives,
    facts,
    visible,
)
from memcli.entries.entry import Entry, Visibility
from memcli.errors import (
    AmbiguousId,
    EntryNotFound,
    InvalidConfig,
    MemcliError,
    NotAllowed,
)
from memcli.recall import recall
from memcli.recall.query import Query, view_of
from memcli.sessions.briefing import prompt, select, start
from memcli.vault import agents, saving
from memcli.vault import vault as vaults
from memcli.vault.caller import Caller
from memcli.vault.health import inspect
from tests.conftest import NOW, VaultMaker

WORDS = ("deploy", "tests", "redis", "cache", "Tuesday", "release", "index", "login")
NAMES = ("Redis", "Ada Lovelace", "parse_args", "Redis Cluster", "kv")
AGENTS = ("ada", "bob", "eve", None)
GROUPS = ("red", "blue", "green")

entries = st.lists(
    st.fixed_dictionaries(
        {
            "words": st.lists(st.sampled_from(WORDS), min_size=2, max_size=5),
            "agent": st.sampled_from(AGENTS),
            "visibility": st.sampled_from([str(v) for v in Visibility]),
            "groups": st.lists(st.sampled_from(GROUPS), max_size=2, unique=True),
            "kind": st.sampled_from(["note", "preference", "constraint"]),
            "status": st.sampled_from(["active", "active", "active", "pending"]),
            "item": st.sampled_from([None, None, "invariant"]),
            "after": st.booleans(),
            "layer": st.sampled_from(["fact", "fact", "observation", "model"]),
            "names": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
            "rests": st.lists(st.integers(0, 11), max_size=3, unique=True),
            "late": st.booleans(),
        }
    ),
    min_size=1,
    max_size=12,
)
askers = st.builds(
    Agent,
    st.sampled_from([*(name for name in AGENTS if name), "nobody"]),
    st.sampled_from(list(ReadPolicy)),
    st.lists(st.sampled_from(GROUPS), max_size=2, unique=True).map(tuple),
)


def config(root: str, agent: Agent) -> None:
    groups = ", ".join(f'"{name}"' for name in agent.groups)
    text = f'[agents.{agent.name}]\npolicy = "{agent.policy}"\ngroups = [{groups}]\n'
    Path(root, ".memcli", "config.toml").write_text(text, encoding="utf-8")


def identity(number: int) -> str:
    return f"1{number:015d}"


def fill(vault: Vault, rows: list[dict[str, Any]]) -> list[Entry]:
    drafts = []
    before = None
    for number, row in enumerate(rows):
        values = {
            "id": identity(number),
            "text": f"{' '.join(row['words'])} in {' and '.join(row['names'])} {number}",
            "agent": row["agent"],
            "visibility": row["visibility"],
            "groups": row["groups"],
            "kind": row["kind"],
            "status": row["status"] if row["item"] is None else "active",
            "item": row["item"],
            "source": {"session": f"s{number % 3}", "seq": number},
            "layer": row["layer"],
            "entities": row["names"],
            "evidence": [identity(one) for one in row["rests"] if one != number],
            "created": "2026-11-21T11:00:00Z" if row["late"] else None,
            "refreshed_at": "2026-11-21T10:00:00Z",
        }
        if row["after"] and before:
            values["supersedes"] = before
        before = values["id"]
        drafts.append(vault.draft(values))
    # Names that several use are registered several times, for each who may know.
    # As files from elsewhere have it: what is cited may be gone.
    saving.save_all(vault, drafts, register=True)
    by = rows[0]["agent"]
    file = Path(vault.root, "entities/system/store.md")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        "---\nid: 1st0re00000000ab\ntitle: Store\naliases: [kv, Redis]\n"
        f"visibility: private\n{f'agent: {by}' if by else ''}\n---\n".replace(
            "\n\n", "\n"
        ),
        encoding="utf-8",
    )
    found = []
    for folder, _, names in os.walk(vault.root):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), vault.root)
            if name.endswith(".md") and name != "README.md" and ".git" not in path:
                data = Path(vault.root, path).read_bytes()
                found.append(codec.decode(data, path.replace(os.sep, "/")).entry)
    return found


def lookups(vault: Vault, name: str) -> list[Callable[[], object]]:
    """Whatever takes an id."""
    return [
        lambda: vault.get(name),
        lambda: vault.evolve(name, "other words"),
        lambda: vault.revert(name),
        lambda: resolve.plan(vault, [name]),
        lambda: review.approve(vault, [name]),
        lambda: vault.feedback(useful=[name]),
        lambda: inspect.inspect(vault, name),
    ]


def refused(act: Callable[[], object]) -> tuple[str, str, str | None]:
    """The refusal of a call, in full."""
    with pytest.raises((EntryNotFound, AmbiguousId)) as error:
        act()
    return error.value.error_code, error.value.message, error.value.hint


def surfaces(vault: Vault, query: str, texts: list[str]) -> dict[str, Any]:
    """What every surface says, as data; `texts` are those of all entries."""
    view = View(NOW)
    seen: dict[str, Any] = {
        "recall": vault.recall(query).as_dict(),
        "high": vault.recall(query, budget="high", explain=True).as_dict(),
        "history": recall.recall(
            vault, Query(query, view_of(NOW, history=True))
        ).as_dict(),
        "all": recall.enumerate_all(vault, Query("", view)).as_dict(),
        "reflect": vault.reflect(query).as_dict(),
        "pending": [one._asdict() for one in inbox.pending(vault)],
        "items": [one._asdict() for one in select.reflections(vault, view)],
        "start": start.at_start(vault, start.Session(view)).items,
        "prompt": prompt.for_prompt(vault, prompt.question(query), view, ()),
        "models": [one._asdict() for one in models.models(vault, view)],
        "tags": vault.read(lambda reader: reader.starting("kind", "")),
        "entities": [one._asdict() for one in listed(vault).rows],
        "names": [one._asdict() for one in candidates(vault)[0]],
        "registry": vault.registry.entities,
    }
    for name in (*NAMES, "Store", "Redi"):
        try:
            seen[name] = entity_pages.page(vault, name).as_dict()
        except MemcliError as error:
            seen[name] = (error.message, error.hint)
    ids = [row["id"] for row in seen["all"]["rows"]]
    active = {row["id"] for row in seen["all"]["rows"] if row["status"] == "active"}
    for name in ids:
        whole = inspect.inspect(vault, name).as_dict()
        # The history is the owner's; the file's size is that of all that it says.
        of_file = ("file", "history", "history_note")
        seen[name] = {k: v for k, v in whole.items() if k not in of_file}
        seen[name]["entry"] = vault.get(name)
        seen[name]["plan"] = resolve.plan(vault, [name]) if name in active else None
    held = vault.read(lambda reader: [reader.row(d).id for d in reader.everything()])
    for name in map(identity, range(12)):
        if name not in held:
            seen[name] = [refused(act) for act in lookups(vault, name)]
    if len(held) > 1:
        seen["many"] = refused(lambda: vault.get("1"))
    drafts = [vault.draft({"text": text, "item": "derived"}) for text in texts]
    drafts += [vault.draft({"text": text}) for text in texts]
    seen["again"] = [
        (one.id, one.outcome, one.notes, one.entities, one.merged)
        for one in saving.plan(vault, drafts)
    ]
    seen["alike"] = [saving.look_up(vault, [one], similar=True)[1] for one in drafts]
    seen["standings"] = resolve_query.standings(vault)
    seen["waiting"] = [inbox.proposals(vault, one) for one in inbox.pending(vault)]
    return seen


@pytest.mark.slow
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    entries,
    askers,
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
)
def test_no_surface_shows_what_a_naive_filter_would_not(
    tmp_path_factory: pytest.TempPathFactory,
    ready_vault: Path,
    rows: list[dict[str, Any]],
    agent: Agent,
    words: list[str],
) -> None:
    """The answers are those of a vault that never held the rest."""
    folder = tmp_path_factory.mktemp("agents")
    whole, naive = folder / "whole", folder / "naive"
    shutil.copytree(ready_vault, whole)
    found = fill(Vault(str(whole), Caller(now_ms=lambda: NOW * 1000)), rows)
    config(str(whole), agent)
    shutil.copytree(whole, naive)
    kept = {entry.id for entry in found if visible(facts(entry), agent)}
    for entry in found:
        if entry.id not in kept:
            (naive / entry.path).unlink()
        else:
            path = naive / entry.path
            before = entry.supersedes if entry.supersedes in kept else None
            prints = [one for one in entry.fingerprints if one[:16] in kept]
            plain = entry.replace(
                supersedes=before,
                evidence=tuple(one for one in entry.evidence if one in kept),
                fingerprints=tuple(prints),
            )
            path.write_bytes(codec.rewrite(path.read_bytes(), plain))
    asked = Vault(str(whole), Caller(now_ms=lambda: NOW * 1000, agent=agent.name))
    answer = Vault(str(naive), Caller(now_ms=lambda: NOW * 1000))
    query = " ".join(words)
    texts = [entry.body for entry in found if entry.body.strip()]
    assert surfaces(asked, query, texts) == surfaces(answer, query, texts)
    shutil.rmtree(folder)


@given(entries, askers)
def test_the_index_and_the_one_function_say_the_same(
    rows: list[dict[str, Any]], agent: Agent
) -> None:
    for row in rows:
        entry = Entry(
            "x",
            agent=row["agent"],
            visibility=Visibility(row["visibility"]),
            groups=tuple(row["groups"]),
        )
        terms = {
            ("agent", entry.agent),
            ("visibility", str(entry.visibility)),
            *(("group", g) for g in entry.groups),
        }
        by_index = any(
            all(one in terms for one in needs) for needs in alternatives(agent)
        )
        assert by_index is visible(facts(entry), agent)


def test_what_an_agent_writes_names_that_agent_and_not_the_drafts(
    make_vault: VaultMaker,
) -> None:
    vault = make_vault(agent="ada")
    saved = vault.save(vault.draft({"text": "x", "agent": "bob"}))
    assert vault.get(saved.id).agent == "ada"


@pytest.mark.parametrize("stale", [True, False])
def test_a_text_that_only_others_may_see_is_no_duplicate(
    make_vault: VaultMaker, stale: bool
) -> None:
    """Also when the index does not know of it yet."""
    ada, bob = make_vault(agent="ada"), make_vault(agent="bob")
    bob.recall("anything")
    ada.save(ada.draft({"text": "the cache is cold", "visibility": "private"}))
    if not stale:
        bob.recall("anything")
    assert bob.save(bob.draft({"text": "the cache is cold"})).outcome == "created"


def test_an_agent_shares_with_its_own_groups_only(make_vault: VaultMaker) -> None:
    config(make_vault().root, Agent("ada", ReadPolicy.GROUP, ("red",)))
    ada = make_vault(agent="ada")
    text = {"text": "the cache is cold", "visibility": "group"}
    saved = ada.save(ada.draft(text))
    assert ada.get(saved.id).groups == ("red",)
    for groups in (["blue"], ["blue", "red"]):
        with pytest.raises(NotAllowed, match="not in group 'blue'"):
            ada.save(ada.draft({**text, "text": "another one", "groups": groups}))
        with pytest.raises(NotAllowed, match="not in group 'blue'"):
            ada.evolve(saved.id, visibility="group", groups=groups)
    assert ada.evolve(saved.id, "the cache is warm").id


def test_an_unnamed_mcp_client_is_no_owner_where_there_are_agents(
    make_vault: VaultMaker,
) -> None:
    root = make_vault().root
    client = Caller(via="mcp")
    assert vaults.Vault.open(root, client).agent is None
    config(root, Agent("ada"))
    with pytest.raises(NotAllowed, match="without the name") as refused:
        vaults.Vault.open(root, client)
    assert "MEMCLI_AGENT=NAME" in (refused.value.hint or "")
    assert vaults.Vault.open(root, client._replace(agent="ada")).agent == Agent("ada")


def test_an_agent_hears_neither_names_nor_how_to_ask_as_the_owner(
    make_vault: VaultMaker,
) -> None:
    config(make_vault().root, Agent("ada"))
    eve = make_vault(agent="eve")
    said = agents.unknown(eve) or ""
    assert "'eve'" in said
    assert "ada" not in said
    with pytest.raises(NotAllowed) as refused:
        eve.owner_only("the lint")
    assert "--agent" not in (refused.value.hint or "")


def test_what_shows_more_than_single_entries_is_for_the_owner(
    make_vault: VaultMaker,
) -> None:
    from memcli.curation import undo
    from memcli.sessions import reports
    from memcli.vault.health import lint, overview, repair

    vault = make_vault(agent="ada")
    for ask in (
        lint.lint,
        overview.overview,
        overview.index_facts,
        repair.plan,
        reports.mining,
    ):
        with pytest.raises(NotAllowed, match="for the owner"):
            ask(vault)
    with pytest.raises(NotAllowed, match="for the owner"):
        undo.undo_last(vault, "review: ")


@pytest.mark.parametrize(
    "text",
    [
        '[agents.ada]\npolicy = "all"',
        "[agents]\nada = 1",
        '[agents.ada]\ngroups = "red"',
    ],
)
def test_a_config_of_agents_that_cannot_be_understood_is_refused(
    make_vault: VaultMaker, text: str
) -> None:
    vault = make_vault()
    Path(vault.root, ".memcli", "config.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidConfig, match="agents"):
        make_vault(agent="ada")


def test_inspect_agents_counts_what_each_wrote_and_sees(make_vault: VaultMaker) -> None:
    from memcli.vault.agents import agents

    ada = make_vault(agent="ada")
    config(ada.root, Agent("bob", ReadPolicy.SHARED))
    ada.save(ada.draft({"text": "for all"}))
    ada.save(ada.draft({"text": "for me", "visibility": "private"}))
    found = {one.name: one for one in agents(make_vault())}
    assert (found["ada"].policy, found["ada"].wrote, found["ada"].sees) == (
        "isolated",
        2,
        2,
    )
    assert (found["bob"].policy, found["bob"].wrote, found["bob"].sees) == (
        "shared",
        0,
        1,
    )
    assert not found["ada"].configured


def test_a_link_to_what_an_agent_may_not_see_leads_to_nothing(vault: Vault) -> None:
    """The name of a registry file told which entities there are."""
    page = Path(vault.root, "entities", "project", "zeppelin.md")
    page.parent.mkdir()
    lines = ["---", "title: Zeppelin", "agent: ada", "visibility: private", "---", ""]
    page.write_text("\n".join(lines), encoding="utf-8")
    bob = Vault.open(vault.root, agent="bob")
    text = "See [[Zeppelin]], [[ideas/Ideas]] and [[config.toml]]"
    mine = bob.save(bob.draft({"text": text}))
    found = {one.target: one.file for one in inspect.inspect(bob, mine.id).links}
    assert set(found.values()) == {None}
    of_all = inspect.inspect(vault, mine.id).links
    assert "entities/project/zeppelin.md" in [one.file for one in of_all]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_what_a_killed_command_left_is_finished_and_not_told_to_an_agent(
    make_vault: VaultMaker,
) -> None:
    def killed(step: str) -> None:
        if step == "wrote":
            os._exit(9)

    child = os.fork()
    if child == 0:
        owner = make_vault(fault=killed)
        owner.save(owner.draft({"text": "the merger is secret"}))
        os._exit(0)
    os.waitpid(child, 0)
    told: list[str] = []
    bob = make_vault(agent="bob", tell=told.append)
    assert bob.recall("merger").rows == []
    bob.save(bob.draft({"text": "hello"}))
    assert told == []
    assert [row.text for row in make_vault().recall("merger").rows] == [
        "the merger is secret"
    ]


def test_an_agent_s_draft_cannot_take_the_id_of_what_it_does_not_see(
    make_vault: VaultMaker,
) -> None:
    ada, bob = make_vault(agent="ada"), make_vault(agent="bob")
    theirs = ada.save(ada.draft({"text": "x", "visibility": "private"})).id
    for text in ("mine", "mine too"):
        assert bob.save(bob.draft({"text": text, "id": theirs})).outcome == "created"
    with pytest.raises(EntryNotFound):
        bob.get(theirs)
    assert make_vault().get(theirs).agent == "ada"
