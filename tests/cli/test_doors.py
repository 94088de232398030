"""Each parameter that is declared once means the same at every door.

The command line, a tool of the MCP server and Python are asked with each filter of a
question and each field of a memory, as `memcli.parameters` declares them.
"""

import inspect
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault, declared, parameters
from memcli.cli import commands
from memcli.cli.mcp import catalog, tools
from memcli.declared import Parameter
from memcli.errors import MemcliError
from tests.cli.conftest import Run
from tests.contexts import context_of

FILTERS = declared.group(parameters.Query)
FIELDS = declared.group(parameters.Draft)
# Where a value of the kind alone would find or say nothing.
VALUES: dict[str, Any] = {
    "kinds": ["fix"],
    "kind": "fix",
    "types": ["tool"],
    "type": "tool",
    "layers": ["fact"],
    "statuses": ["resolved"],
    "project": "shop",
    "after": "2020",
    "before": "2099-01",
    "at": "2026-11",
    "as_of": "2099-01",
    "max_chars": 10_000,
    "occurred_at": "2026-11-20",
    "expires_at": "2099-12-24",
    "review_after": "2099-12-24",
    "confidence": "HIGH",
    "source": "skill",
}
# A tool finds untagged entries as well, and says itself who writes.
_OF_TOOLS = {"tags": {"tags_match": "any_strict"}}


def value_of(one: Parameter) -> Any:
    if one.name in VALUES:
        return VALUES[one.name]
    if one.choices:
        return one.choices[0]
    value = {bool: True, int: 1, str: "ci"}[one.kind]
    return [value] if one.repeat else value


def words(one: Parameter, value: Any) -> list[str]:
    """A value as a person types it."""
    items = value if isinstance(value, list) else [value]
    found: list[str] = []
    for item in items:
        said = "true" if item is True else str(item)
        if not one.names:
            found += ["--set", f"{one.word}={said}"]
        else:
            found += [one.flag] if item is True else [one.flag, said]
    return found


@pytest.fixture
def filled(vault: Vault) -> Vault:
    for number, (text, fields) in enumerate(
        (
            ("Deploys hang at noon", {"kind": "fix", "tags": ["ci"]}),
            ("Deploys run from main", {"type": "tool", "entities": ["ci"]}),
            ("Deploys need Redis", {"project": "acme/shop"}),
            ("Deploys were slow", {"kind": "blocker"}),
        )
    ):
        name = vault.save(text, **fields).id  # type: ignore[arg-type]
        if number == 3:
            vault.resolve(name)
    return vault


def outcome(ask: Any) -> Any:
    """The answer of a door: ids, or the code of its refusal."""
    try:
        return ask()
    except MemcliError as error:
        return error.code


@pytest.mark.parametrize("one", FILTERS.values(), ids=lambda p: p.name)
def test_a_filter_is_the_same_at_every_door(
    memcli: Run, filled: Vault, one: Parameter
) -> None:
    value = value_of(one)
    tool = {one.name if one.name != "at" else "query_timestamp": value}
    for command, method, of in (
        ("recall", filled.recall, catalog.memory_recall),
        ("reflect", filled.reflect, catalog.memory_reflect),
        ("list", filled.entries, catalog.memory_recall),
    ):
        if one.name not in inspect.signature(method).parameters:
            continue
        assert one.name in commands.of(command)
        asked = [] if command == "list" else ["deploys"]
        done = memcli(command, *asked, *words(one, value), "--json").json
        assert done["error"] is None, done
        data = done["data"]
        rows = data.get("rows") or data.get("facts") or data.get("entries") or []
        ids = [row["id"] for row in rows]

        def by_python(method: Any = method, asked: list[str] = asked) -> list[str]:
            found = method(*asked, **{one.name: value})
            rows = found if isinstance(found, list) else getattr(found, "rows", None)
            return [row.id for row in (found.facts if rows is None else rows)]

        assert outcome(by_python) == ids, command
        if command == "list":
            continue
        line = json.dumps({"query": "deploys", one.word: value}).encode()
        if command == "recall":
            batch = memcli("recall", "--batch", "-", "--json", stdin=line).json
            assert [row["id"] for row in batch["data"]["rows"]] == ids
        given = {"query": "deploys", **tool, **_OF_TOOLS.get(one.name, {})}
        answer: Any = tools.call(of, given, context_of(filled)).data
        assert [row["id"] for row in answer.get("rows", answer.get("facts"))] == ids


@pytest.mark.parametrize("one", FIELDS.values(), ids=lambda p: p.name)
def test_a_field_is_the_same_at_every_door(
    memcli: Run, vault: Vault, tmp_path: Path, one: Parameter
) -> None:
    fact, name = vault.save("Deploys need Redis").id, one.name
    value = [fact] if one.name == "evidence" else value_of(one)
    if one.name == "code":
        pytest.skip("it names files of a repository: tests/vault/test_anchors.py")
    more = {
        "subtype": {"layer": "model"},
        "layer": {},
        "item": {},
        "occurred_until": {"occurred_at": "2020"},
        "evidence": {"layer": "observation"},
        "visibility": {},
    }.get(one.name, {})
    value = {"subtype": "emergent", "layer": "observation", "item": "derived"}.get(
        one.name, value
    )
    value = "2099-12" if one.name == "occurred_until" else value
    root = shutil.copytree(vault.root, tmp_path / "copy")
    stored: dict[str, Any] = {}
    typed = [w for name, it in more.items() for w in words(FIELDS[name], it)]
    done = memcli("save", "A new thing", *typed, *words(one, value), "--json").json
    stored["command"] = done["error"] and done["error"]["code"]
    if done["error"] is None:
        stored["command"] = told(vault, done["data"]["id"], one)
    copy: Any = Vault.open(str(root), now_ms=vault.now_ms)
    stored["python"] = outcome(
        lambda: told(
            copy, copy.save("A new thing", **more, **{one.name: value}).id, one
        )
    )
    name = one.name
    if name in catalog.memory_save.parameters():
        other = Vault.open(str(shutil.copytree(root, tmp_path / "tool")))
        given = {"text": "Another thing", **more, name: value}
        answer = tools.call(catalog.memory_save, given, context_of(other))
        stored["tool"] = (
            told(other, answer.data["id"], one)
            if answer.data is not None
            else (answer.error or {})["code"]
        )
    else:
        assert name in catalog.memory_save.without.split()
    assert len(set(map(str, stored.values()))) == 1, stored


def told(vault: Vault, name: str, one: Parameter) -> Any:
    """The value of a field in the entry."""
    entry = vault.get(name)
    if one.name.startswith("source"):
        part = one.name.removeprefix("source_").replace("source", "writer")
        return getattr(entry.source, part)
    return getattr(entry, one.name)


def test_a_wrong_keyword_or_value_is_named(vault: Vault) -> None:
    with pytest.raises(TypeError, match="'kindz'; did you mean kinds"):
        vault.recall("x", kindz=["fix"])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="no keyword argument 'tgas'"):
        vault.save("x", tgas=["a"])  # type: ignore[call-arg]
    for ask, code in (
        (lambda: vault.recall("x", limit=0), "invalid_limit"),
        (lambda: vault.recall("x", kinds="fix"), "invalid_kinds"),
        (lambda: vault.reflect("x", types=["persn"]), "invalid_type"),
        (lambda: vault.save("x", type="persn"), "invalid_type"),
        (lambda: vault.recall("x", limit=True), "invalid_limit"),
    ):
        with pytest.raises(MemcliError) as refused:
            ask()
        assert refused.value.code == code


def test_save_registers_entities_as_the_command_does(memcli: Run, vault: Vault) -> None:
    memcli("save", "Ada runs it", "--entity", "Ada")
    vault.save("Grace wrote it", entities=["Grace"])
    vault.save(vault.draft({"text": "Alan proved it", "entities": ["Alan"]}))
    names = {entity.name for entity in Vault.open(vault.root).registry.entities}
    assert names == {"Ada", "Grace", "Alan"}


def test_python_has_the_use_cases_of_the_commands(vault: Vault, tmp_path: Path) -> None:
    mine = vault.save("We deploy on Mondays").id
    assert vault.show(mine[:10])[0].row.id == mine
    assert vault.inspect(mine).entry.body.strip() == "We deploy on Mondays"
    assert vault.tag(mine, "ops", project="acme/shop").tags == ("ops",)
    assert [one.id for one in vault.entries(project="shop")] == [mine]
    assert vault.pin(mine)[0].changed
    assert vault.log(limit=1)[0].action == "pinned"
    vault.undo()
    assert not vault.get(mine).pinned
    asked = [vault.save(vault.draft({"text": t, "status": "pending"})).id for t in "ab"]
    assert {one.id for one in vault.pending()} == set(asked)
    vault.approve(asked[0], kind="fix")
    vault.reject(asked[1], reason="no")
    assert vault.pending() == []
    assert vault.get(asked[0]).kind == "fix"
    rows = [{"role": "user", "text": "From now on always run the linter first."}]
    talk = tmp_path / "talk.jsonl"
    talk.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert vault.mine(str(talk), dry_run=True).turns == 1
