"""`memcli resolve`: ids act, questions plan, and everything can be listed."""

from collections.abc import Callable
from typing import Any

import pytest

from memcli import Vault
from memcli.entries.entry import Status
from tests.cli.conftest import Run
from tests.saving import save, write


@pytest.fixture
def lessons(vault: Vault) -> list[str]:
    texts = ("Rerank answers 401", "Retry rerank later", "Watch rerank latency")
    drafts = [vault.draft({"text": text, "item": "derived"}) for text in texts]
    return [saved.id for saved in vault.save_all(drafts)]


def test_it_returns_resolved_n_items(
    memcli: Run, vault: Vault, lessons: list[str]
) -> None:
    done = memcli("resolve", *lessons[:2], "--by", "erin", "--note", "fixed")
    assert done.out.splitlines()[0] == "resolved 2 items"
    assert vault.get(lessons[0]).resolution_note == "fixed"
    one = memcli("resolve", lessons[2], "--json").json["data"]
    assert (one["applied"], one["count"]) == (True, 1)
    (item,) = one["items"]
    assert (item["id"], item["status"]) == (lessons[2], "resolved")
    assert memcli("resolve", lessons[2]).out.startswith("resolved 0 items")
    assert memcli("recall", "rerank").out == ""
    name = vault.save("Restart it").id
    write(vault, "twin.md", "- restart it.\n")
    assert memcli("resolve", name, "--only-this").out.startswith("resolved 1 item\n")


def test_a_query_plans_first_and_acts_when_told(
    memcli: Run, vault: Vault, lessons: list[str], snapshot: Callable[[str], Any]
) -> None:
    before = snapshot(vault.root)
    plan = memcli("resolve", "--query", "watch rerank latency", "--json").json["data"]
    assert (plan["applied"], plan["count"]) == (False, 0)
    assert {t["id"] for t in plan["plan"]["targets"]} == {lessons[2]}
    assert all(t["score"] > 0 for t in plan["plan"]["targets"])
    shown = memcli("resolve", "--query", "watch rerank latency").out
    assert "Nothing changed. Give the ids to apply, or add --yes." in shown
    dry = memcli("resolve", "--query", "rerank", "--dry-run", "--yes", "--json").json
    assert len(dry["data"]["plan"]["targets"]) == 3
    assert snapshot(vault.root) == before
    words = ("resolve", "--query", "rerank latency", "--yes", "--note", "works")
    assert memcli(*words).out.splitlines()[0] == "resolved 1 item"
    done = memcli("resolve", *lessons)
    assert done.out.splitlines()[0] == "resolved 2 items"
    assert {vault.get(name).status for name in lessons} == {Status.RESOLVED}


def test_an_ambiguous_query_is_refused_with_the_ids(memcli: Run, vault: Vault) -> None:
    texts = [f"the build breaks on host{number}" for number in range(25)]
    drafts = [vault.draft({"text": text, "kind": "blocker"}) for text in texts]
    vault.save_all(drafts)
    for flag in ("--yes", "--by=me"):
        done = memcli("resolve", "--query", "build breaks", flag, "--json")
    assert len(done.json["error"]["details"]["plan"]["targets"]) == 25
    error = done.json["error"]
    assert (done.code, error["code"]) == (1, "ambiguous_query")
    said = memcli("resolve", "--query", "build breaks", "--dry-run").out.splitlines()
    assert said[0].startswith("matches")
    assert said[-1] == f"Nothing changed. {error['hint']}"
    assert "25 entries match" in error["message"]
    assert memcli("list", "--all", "--json").json["data"]["rows"].__len__() == 25
    ids = [target["id"] for target in error["details"]["plan"]["targets"]]
    assert error["hint"].split("memcli resolve ")[1].split() == ids[:10]
    right = memcli("resolve", *ids, "--json")
    assert right.json["data"]["count"] == 25
    again = memcli("resolve", ids[0], "--dry-run").out
    assert again == f"resolved 0 items\n  {ids[0]} is resolved already\n"


def test_undo_and_the_list(memcli: Run, vault: Vault, lessons: list[str]) -> None:
    listed = ("list", "--status", "resolved")
    memcli("resolve", lessons[0], "--by", "erin", "--note", "fixed")
    memcli("save", "--set", "item=derived", "rerank answers 401")
    (row,) = memcli(*listed, "--json").json["data"]["rows"]
    shown = memcli("inspect", row["id"], "--json").json["data"]
    assert (bool(shown["recurred_at"]), shown["resolved_by"]) == (True, "erin")
    done = memcli("resolve", "--undo")
    assert done.out.splitlines()[0] == "reopened 1 item"
    assert vault.get(lessons[0]).status is Status.ACTIVE


def test_what_is_stale_by_it_is_named(memcli: Run, vault: Vault) -> None:
    fact = vault.save("Deploys hang at noon").id
    name = save(vault, "Noon is bad", layer="observation", evidence=[fact])
    lines = [f"  {name} (observation) Noon is bad"]
    lines.append("  why, and what they cite: memcli inspect models --stale")
    head = "what is {} and may be out of date:"
    resolve, forget = ("resolve", fact), ("forget", fact)
    planned = memcli(*resolve, "--dry-run").out.splitlines()
    at = planned.index("These would cite " + head.format("resolved"))
    assert planned[at + 1 : at + 3] == lines
    told = ["These cite " + head.format("resolved"), *lines]
    assert memcli(*resolve).out.splitlines()[-3:] == told
    undone = memcli("resolve", "--undo", "--json").json["data"]
    assert (undone["count"], undone["stale_models"]) == (1, [])
    done = memcli(*resolve, "--json").json["data"]
    named = [{"id": name, "title": "Noon is bad", "layer": "observation"}]
    assert done["stale_models"] == named
    planned = memcli(*forget, "--dry-run").out.splitlines()
    at = planned.index("These would cite " + head.format("forgotten"))
    assert planned[at + 1 : at + 3] == lines
    assert memcli(*forget, "--yes", "--json").json["data"]["stale_models"] == named


def test_what_is_approved_or_evolved_into_a_resolved_claim_is_told(
    memcli: Run, vault: Vault, lessons: list[str]
) -> None:
    memcli("resolve", lessons[0])
    text = "---\nid: 1m7y6wbehbqyv1kh\nstatus: pending\n---\nrerank answers 401\n"
    write(vault, "inbox/one.md", text)
    again = f"its claim is resolved by {lessons[0]}; to bring it back: "
    again += f"memcli resolve --undo {lessons[0]}"
    told = f"1m7y6wbehbqyv1kh is not shown: {again}"
    assert memcli("review", "--list", "--json").json["warnings"] == [told]
    text = text.replace("status", "kind: idea\nstatus")
    write(vault, "idea.md", text.replace("qyv1kh", "qyv1kj"))
    assert memcli("ideas").err == f"warning: {told.replace('qyv1kh', 'qyv1kj')}\n"
    done = memcli("review", "1m7y6wbehbqyv1kh", "--approve", "--json")
    assert done.json["warnings"] == [told]
    new = memcli("evolve", lessons[1], "Rerank answers 401!", "--json").json
    assert new["warnings"] == [f"{new['data']['id']} is not shown: {again}"]
    saved = memcli("save", "rerank answers 401", "--json").json
    assert saved["data"]["settled_by"] == lessons[0]
    assert again in saved["warnings"][0]
    assert memcli("recall", "rerank 401").out.count("401") == 0
