"""What the parity seed asks to be validated, sentence by sentence.

Its words mean here: `memory_store` is `memcli save` and the tool memory_save,
`memory_search` is `memcli recall` and memory_recall; every sentence holds for both.
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memcli import Vault
from memcli.cli import commands as table
from memcli.cli import inspect as inspect_command
from memcli.cli import mcp as mcp_command
from memcli.cli.mcp import catalog, tools
from memcli.cli.mcp.catalog import Tool
from memcli.cli.run import run
from memcli.entries.entry import EntityType
from tests import processes
from tests.cli.mcp.test_server import Wire
from tests.conftest import VaultMaker
from tests.docs.test_skills import PAGES, demo, known_vault, placed, shown  # noqa: F401 fixtures

AGENT = "ada"


class Reply(NamedTuple):
    """What a call came to."""

    data: dict[str, Any] | None
    error: dict[str, Any] | None


Door = Callable[..., Reply]
"""Call a tool by its name, with its parameters, and as an agent if one is named."""


@pytest.fixture
def vault(make_vault: VaultMaker) -> Vault:
    """The vault of these tests, as the agent ada sees it."""
    return make_vault(agent=AGENT)


@pytest.fixture(params=["command line", "MCP server"])
def door(
    request: pytest.FixtureRequest,
    make_vault: VaultMaker,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Door]:
    """The two ways to memory, each a process of its own, on one vault."""
    owner = make_vault()
    servers: dict[str, Wire] = {}

    def by_command_line(name: str, agent: str = "", /, **values: Any) -> Reply:
        (tool,) = [one for one in catalog.TOOLS if one.name == name]
        if values == {"all": True}:
            tool = tool._replace(command="list")
        said = [tool.command, *flags(tool, values)]
        if said[:2] == ["inspect", "entity"]:
            said[:2] = ["entities", "show"]
        words = ["--json", "--vault", owner.root]
        words += ["--agent", agent] if agent else []
        done = processes.run(*said, *words)
        document = json.loads(done.stdout)
        error = document["error"]
        assert done.returncode in ((0,) if error is None else (1, 2)), done.stderr
        return Reply(document["data"], error)

    def by_server(name: str, agent: str = "", /, **values: Any) -> Reply:
        if agent not in servers:
            monkeypatch.setenv("MEMCLI_AGENT", agent)
            servers[agent] = Wire(owner, processes.command("mcp"))
            servers[agent].greet()
        (tool,) = [one for one in catalog.TOOLS if one.name == name]
        if tool.rare().keys() & values.keys():
            values = {"action": tool.command, "arguments": values}
            name = "memory_admin"
        told = servers[agent].request(1, "tools/call", name=name, arguments=values)
        found = told["result"]["structuredContent"]
        failed = told["result"].get("isError", False)
        return Reply(None, found["error"]) if failed else Reply(found, None)

    yield by_command_line if request.param == "command line" else by_server
    for one in servers.values():
        one.close()
        one.process.kill()
        one.process.wait()


def flags(tool: Tool, values: dict[str, Any]) -> list[str]:
    """A tool's arguments as the words of its command line."""
    known = table.of(tool.command)
    words: list[str] = []
    for name, value in values.items():
        own = tool.parameters()[name].name
        one = known.get(own) or known.get(f"{own}_") or known["what"]  # id, topic
        if one.is_argument:
            words += value if isinstance(value, list) else [value]
            continue
        for item in value if isinstance(value, list) else [value]:
            if one.word in table.fields(tool.command):
                words += ["--set", f"{one.word}={'true' if item is True else item}"]
            else:
                flag = one.names[0]
                words += [flag] if item is True else [flag, str(item)]
    return words


def ask(door: Door, tool: str, agent: str = "", /, **values: Any) -> dict[str, Any]:
    """The data of a call that succeeds."""
    reply = door(tool, agent, **values)
    assert reply.error is None, reply.error
    assert reply.data is not None
    return reply.data


def test_memory_stored_via_memory_store_produces_entity_mentions_in_memory_entity_mentions(  # noqa: E501
    door: Door, vault: Vault
) -> None:
    """Memory stored via `memory_store` produces entity mentions in
    `memory_entity_mentions`.

    A mention is a name in the frontmatter's `entities`; `inspect entity NAME` lists
    what mentions it. The first save names the entity, the second only says it.
    """
    given = ask(
        door,
        "memory_save",
        text="Ask her before a release",
        entities=["Ada Lovelace"],
        type="person",
    )
    said = ask(door, "memory_save", text="Ada Lovelace reviews parse_args")
    assert given["entities"] == given["registered"] == ["Ada Lovelace"]
    assert said["entities"] == ["Ada Lovelace", "parse_args"]
    for one in (given, said):
        text = Path(vault.root, one["path"]).read_text(encoding="utf-8")
        assert "Ada Lovelace" in text.split("\nentities:")[1].split("\n---\n")[0]
    page = {"topic": "entity", "name": "Ada Lovelace"}
    seen = ask(door, "memory_inspect", **page)
    assert seen["type"] == "person"
    ids = {row["id"] for rows in seen["current"].values() for row in rows}
    assert ids == {given["id"], said["id"]}


def test_recall_via_memory_search_returns_graph_traversal_results_when_entities_are_present(  # noqa: E501
    door: Door, make_vault: VaultMaker
) -> None:
    """Recall via `memory_search` returns graph-traversal results when entities are
    present.

    An entry that shares no word with the question, but mentions what a row of words
    mentions, is a row of the channel `graph`, without being asked for; not with
    `--set depth=0`, not where no entity connects them, and not over an entry of another
    agent.
    """
    question = "where do checkout sessions live?"
    start = {"text": "Checkout keeps sessions in Redis", "entities": ["Redis"]}
    first = ask(door, "memory_save", AGENT, **start)["id"]
    far = {"text": "Two replicas in Frankfurt, failover by hand", "entities": ["Redis"]}
    second = ask(door, "memory_save", AGENT, **far)["id"]
    alone = {"text": "Lunch is at noon", "entities": ["Grace Hopper"]}
    third = ask(door, "memory_save", AGENT, **alone)["id"]
    by_bob = {"text": "Three spare machines in Paris", "entities": ["Redis"]}
    ask(door, "memory_save", "bob", **by_bob)
    found = ask(door, "memory_recall", AGENT, query=question, explain=True)
    channels = {row["id"]: row["channels"] for row in found["rows"]}
    assert set(channels) == {first, second}
    assert found["rows"][0]["id"] == first
    assert "graph" in channels[second]
    assert "lexical" not in channels[second]
    assert third not in channels
    words = ["recall", question, "--json", "--set", "depth=0"]
    done = processes.run(*words, "--agent", AGENT, "--vault", make_vault().root)
    rows = json.loads(done.stdout)["data"]["rows"]
    assert [row["id"] for row in rows] == [first]


# What a call of each tool needs to succeed; `ID` is an entry of the agent's own.
CALLS: dict[str, dict[str, Any]] = {
    "save": {"text": "Ask on the phone", "entities": ["Grace"]},
    "evolve": {"id": "ID", "text": "Deploy on Mondays"},
    "recall": {"query": "deploy", "research": "run"},
    "reflect": {"query": "deploy", "research": "run"},
    "resolve": {"ids": ["ID"]},
    "inspect": {"id": "ID"},
    "review": {},
}


@pytest.mark.slow
def test_agent_id_is_present_on_every_daemon_api_call_from_skill_handlers(
    request: pytest.FixtureRequest,
    vault: Vault,
    opened: list[str | None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Agent_id is present on every daemon API call from skill handlers.

    A skill's handler is a command that a page of skills/ shows, or a tool. The agent
    of --agent, or of MEMCLI_AGENT, opens every vault that any of them opens.
    """
    answer = request.getfixturevalue("demo")
    lines = [words for page in PAGES.values() for words in shown(page)]
    lines = [list(words) for words in dict.fromkeys(map(tuple, lines))]
    # An undo is an evolve of memory_evolve, a list a recall of memory_recall.
    assert {words[1] for words in lines} - {"undo", "list"} == set(CALLS)
    for number, words in enumerate(lines):
        opened.clear()
        named = number % 2 == 0  # the others have it of MEMCLI_AGENT
        monkeypatch.setenv("MEMCLI_AGENT", "" if named else AGENT)
        at = 3 if words[1] in ("evolve", "review") else 2  # where `demo` puts no id
        given = [f"--agent={AGENT}"] if named else []
        answer([*words[:at], *given, *words[at:]])
        assert opened, words
        assert set(opened) == {AGENT}, words
    monkeypatch.chdir(Path(vault.root).parent)
    serve = server(vault.root, AGENT, monkeypatch)
    called = [tool for tool in catalog.TOOLS if tool.name != "memory_judge"]
    assert {tool.command for tool in called} == set(CALLS)
    for tool in called:
        topics = inspect_command.TOPICS if tool.command == "inspect" else ()
        for arguments in (CALLS[tool.command], *({"topic": one} for one in topics)):
            text = f"Deploy the gateway to region {len(opened)} of {arguments}"
            mine = vault.save(text).id
            filled = json.loads(json.dumps(arguments).replace("ID", mine))
            opened.clear()
            reply = serve(tool, filled)
            silent = filled.get("topic") in ("vaults", "entity")  # which wants a name
            assert set(opened) == {AGENT} or (silent and not opened), filled
            code = None if reply.error is None else reply.error["code"]
            # `entity` wants a name; what is the owner's alone is refused to an agent.
            refusals = ("owner_only", "usage") if "topic" in filled else ()
            assert code in (None, *refusals), (tool.name, reply)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Whom each vault is opened for, from now on."""
    from memcli.vault import vault as module

    found: list[str | None] = []
    build = module.Vault.__init__

    def noting(self: Any, root: str, *given: Any, **options: Any) -> None:
        build(self, root, *given, **options)
        found.append(self.agent.name if self.agent else None)

    monkeypatch.setattr(module.Vault, "__init__", noting)
    return found


def server(
    root: str, agent: str | None, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Tool, dict[str, Any]], tools.Answer]:
    """What `memcli mcp` gives its client, without the wire."""
    kept: list[Any] = []

    class Serving:
        serve = staticmethod(kept.append)

    monkeypatch.setattr(mcp_command, "server", Serving, raising=False)
    values = {"vault": root, "json": False, "agent": agent}
    assert run("mcp", values) == 0
    return lambda tool, given: tools.call(tool, given, *kept)


def test_invalid_memory_type_returns_400_with_valid_options_listed(
    door: Door, vault: Vault
) -> None:
    """Invalid memory type returns 400 with valid options listed.

    There is no HTTP: it is an error with the code invalid_type (and an exit code that
    is not 0), whose message lists every type. Nothing is written.
    """
    mine = ask(door, "memory_save", AGENT, text="Deploy on Tuesdays")["id"]
    before = os.listdir(Path(vault.root, "memories"))
    for name, values in (
        ("memory_save", {"text": "x", "type": "persn"}),
        ("memory_evolve", {"id": mine, "text": "x", "type": "persn"}),
        ("memory_recall", {"query": "x", "types": ["persn"]}),
        ("memory_reflect", {"query": "x", "types": ["persn"]}),
    ):
        reply = door(name, AGENT, **values)
        assert reply.data is None
        assert reply.error is not None
        assert reply.error["code"] == "invalid_type"
        assert ", ".join(EntityType) in reply.error["message"]
        assert reply.error["hint"] == "Did you mean 'person'?"
    assert os.listdir(Path(vault.root, "memories")) == before
    taking = {
        tool.name
        for tool in catalog.TOOLS
        if {"type", "types"} & tool.parameters().keys()
    }
    assert taking == {"memory_save", "memory_evolve", "memory_recall", "memory_reflect"}


def test_constraint_memories_surface_in_recall_results_regardless_of_score(
    door: Door, make_vault: VaultMaker
) -> None:
    """Constraint memories surface in recall results regardless of score.

    One that shares no word with the question, and ranks nowhere, is in `constraints`,
    however few rows are asked for.
    """
    owner = make_vault()
    many = [f"The checkout service has {n} replicas" for n in range(30)]
    owner.save_all([owner.draft({"text": text}) for text in many])
    limit = ask(
        door, "memory_save", text="No personal data in logs", kind="constraint"
    )["id"]
    for values in ({}, {"limit": 1}, {"budget": "low"}, {"kinds": ["note"]}):
        found = ask(door, "memory_recall", query="checkout replicas", **values)
        assert found["rows"]
        assert limit not in [row["id"] for row in found["rows"]]
        assert [row["id"] for row in found["constraints"]] == [limit]
    nothing = ask(door, "memory_recall", query="elephants")
    assert nothing["rows"] == []
    assert [row["id"] for row in nothing["constraints"]] == [limit]


def test_multi_agent_isolation_agent_a_s_skill_stored_memory_is_not_visible_to_isolated_agent_b(  # noqa: E501
    door: Door, make_vault: VaultMaker
) -> None:
    """Multi-agent isolation: agent A's skill-stored memory is not visible to isolated
    agent B.

    Not as a row, a constraint or a mention, not by its id, and not to be changed; what
    B is told is what it is told of an id that nobody has.
    """
    by_skill: dict[str, Any] = {"entities": ["Redis"], "kind": "constraint"}
    stored = ask(door, "memory_save", "ada", text="Redis has two replicas", **by_skill)[
        "id"
    ]
    ask(door, "memory_save", "bob", text="Redis is in Frankfurt")
    own = make_vault().get(stored)
    assert (own.agent, str(own.visibility)) == ("ada", "shared")
    shows: list[tuple[str, dict[str, Any]]] = [
        ("memory_recall", {"query": "Redis replicas"}),
        ("memory_recall", {"all": True}),
        ("memory_reflect", {"query": "Redis replicas"}),
    ]
    for name, values in shows:
        assert stored in json.dumps(ask(door, name, "ada", **values))
        told = json.dumps(ask(door, name, "bob", **values))
        assert stored not in told
        assert "two replicas" not in told
    nobody = "1zzzzzzzzzzzzzzz"
    acts: list[tuple[str, dict[str, Any]]] = [
        ("memory_inspect", {"id": stored}),
        ("memory_evolve", {"id": stored, "text": "Redis is gone"}),
        ("memory_resolve", {"ids": [stored]}),
    ]
    for name, values in acts:
        text = json.dumps(values)
        hidden = door(name, "bob", **values)
        unknown = door(name, "bob", **json.loads(text.replace(stored, nobody)))
        assert hidden.error is not None
        assert unknown.error is not None
        assert json.dumps(hidden.error).replace(stored, nobody) == json.dumps(
            unknown.error
        )
    assert make_vault().get(stored) == own
