"""An agent's vault is, by every door, the vault that never held what it may not see.

One vault is used by its owner and by another agent; its twin never was. Then an agent
does the same in both, command by command, tool by tool, hook by hook. Every word of
every answer must be the same: data, what is printed, warnings, errors and their hints,
names of files, counts.
"""

import difflib
import json
import operator
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.cli import commands
from memcli.cli.context import Context
from memcli.cli.inspect import TOPICS
from memcli.cli.mcp import catalog, tools
from memcli.curation import review
from memcli.curation.entities import decide as entities
from memcli.entries import layout
from memcli.errors import MemcliError
from memcli.named_tuple import encoded
from memcli.sessions import markers
from memcli.sessions.hooks import call as hook
from memcli.sessions.hooks import pipe
from tests.conftest import NOW, VaultMaker
from tests.contexts import context_of
from tests.sessions.hooks.calling import session

pytestmark = pytest.mark.slow

CONFIG = """
[agents.mate]
policy = "shared"
[agents.member]
policy = "group"
groups = ["blue"]
[agents.alpha]
policy = "group"
groups = ["red"]
"""
# `stranger` is not in the config: isolated.
AGENTS = ("stranger", "mate", "member")
HIDDEN, HIDDEN_TOO = "1h1dden000000001", "1h1dden000000002"
SAID = (
    "Always run the linter before committing.",
    "Maybe later we should cache the index in Redis.",
    "From now on, never deploy the billing service on a Friday.",
)
HELD: list[dict[str, Any]] = [
    # What is hidden has the words, titles, tags and names that the agents will use.
    {"text": "We deploy the billing service on Tuesdays", "id": HIDDEN},
    {"text": "We deploy the billing service on Tuesdays", "kind": "preference"},
    {
        "text": "The port of Zeppelin is 8080",
        "entities": ["Zeppelin"],
        "id": HIDDEN_TOO,
    },
    {"text": "Zeppelin has a cache that is cold on Mondays", "tags": ["zeppelin"]},
    {"text": "Zeppelin asks Ada Lovelace for the token twice", "pinned": True},
    {"text": "Never restart Zeppelin by hand", "kind": "constraint"},
    {"text": "Never touch the billing tables", "item": "invariant"},
    {"text": "A guess about the billing service", "status": "pending"},
    {"text": "Use the skill of deploying", "kind": "skill"},
    {"text": "The build is broken on main", "kind": "blocker"},
    {
        "text": "Billing deploys are slow",
        "layer": "model",
        "evidence": [HIDDEN],
        "entities": ["Zeppelin"],
    },
]


class Door:
    """One agent's way into one vault; the clock goes on by a second with each step."""

    def __init__(self, vault: Vault, agent: str) -> None:
        self.vault, self.root, self.agent = vault, vault.root, agent
        self.step = 0
        self.drawn: dict[int, int] = {}
        self.said: list[str] = []

    def now_ms(self) -> int:
        return (NOW + 3_600 + self.step) * 1000

    def entropy(self, count: int) -> bytes:
        number = self.drawn[count] = self.drawn.get(count, 0) + 1
        return (number * 1_000_003 + self.step).to_bytes(count, "big")

    def context(self, via: str = "recall") -> Context:
        self.step += 1
        self.said = []
        return context_of(
            self.vault,
            now_ms=self.now_ms,
            entropy=self.entropy,
            tell=self.said.append,
            agent=self.agent,
            via=via,
        )

    def run(self, *words: str) -> tuple[str, Any]:
        """A command line, and its answer: data and text, or the error."""
        name, *rest = commands.in_order(list(words))
        values = commands.parse(name, rest)
        assert values is not None, words
        context = self.context()
        try:
            result = commands.answer(name, context, commands.with_fields(name, values))
        except MemcliError as error:
            failed = [error.code, error.message, error.hint, *self.said]
            return " ".join(words), failed
        lines = tools._Lines()
        result.text(lines)
        answer = [result.data, lines.lines, result.warnings, result.ok, *self.said]
        return " ".join(words), answer

    def tool(self, name: str, **arguments: Any) -> tuple[str, Any]:
        """A call of a tool of the MCP server, and its answer."""
        (tool,) = [one for one in catalog.TOOLS if one.name == name]
        answer = tools.call(tool, arguments, self.context(via="mcp"))
        return f"{name} {arguments}", [answer, *self.said]

    def hook(self, event: str, payload: dict[str, Any]) -> str:
        """What a hook tells the agent's session."""
        words = [event, "--host", "claude-code", "--vault", self.root]
        one = hook.Call([*words, "--agent", self.agent])
        hook.answer(one, lambda: payload)
        hook.note(one)
        assert "error" not in one.line, one.line
        return one.answer

    def python(self, ask: Callable[[Vault], Any]) -> Any:
        """What the library answers."""
        self.step += 1
        vault = Vault.open(
            self.root, agent=self.agent, now_ms=self.now_ms, entropy=self.entropy
        )
        try:
            return ask(vault)
        except MemcliError as error:
            return [error.code, error.message, error.hint]


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_AGENT", "")
    monkeypatch.setattr(pipe, "start", lambda *_: "started")


@pytest.fixture
def transcript(tmp_path: Path) -> str:
    return session(tmp_path, "s1", *SAID)


def hide(vault: Vault, agent: str, transcript: str) -> None:
    """Use a vault as its owner and as another agent; `agent` may see nothing of it."""
    other = vault.acting_as("alpha")
    visible = {} if agent == "stranger" else {"visibility": "private"}
    blue = {"visibility": "group", "groups": ["red"]} if agent == "member" else visible
    for who, how in ((vault, visible), (other, blue)):
        for values in HELD:
            # The other agent sees none of the owner's, so it cannot conclude from them.
            left = () if who is vault else ("id", "evidence", "layer")
            given = {k: v for k, v in values.items() if k not in left}
            who.save(who.draft({**given, **how}), register=True)
    first = other.save(other.draft({"text": "It was Monday", **visible})).id
    other.evolve(first, "It was Tuesday", reason="the freeze moved")
    done = other.save(other.draft({"text": "The build was red", **visible})).id
    other.resolve(done, note="a new runner")
    guess = {"text": "A guess about the billing tables", "status": "pending"}
    review.reject(other, other.save(other.draft({**guess, **visible})).id, reason="no")
    for name in ("Zeppelin Cluster", "Redis"):
        request = entities.EntityRequest("register", name, type="system")
        entities.apply(vault, request)
    for file in Path(vault.root, layout.ENTITIES).rglob("*.md"):
        text = file.read_text("utf-8")
        if "visibility" not in text:
            file.write_text(text.replace("---\n", "---\nvisibility: private\n", 1))
    for who in (vault, other):
        who.mine(transcript)
        who.recall("billing Zeppelin skill", budget="high")
        who.feedback(useful=[who.recall("deploying skill").rows[0].id])
    for name in ("s2", "s3"):
        markers.begin(vault.root, name, "claude-code", transcript, agent="alpha")
        markers.note(vault.root, name, markers.TOLD, [HIDDEN], "alpha")
    door = Door(vault, "alpha")
    door.run("recall", "billing service", "--research", "slow-billing")
    door.hook("session-start", {"session_id": "s3", "source": "startup"})
    # What sessions teach is shared, and no group's; here it is the other agents' own.
    if agent != "stranger":
        for folder in ("memories", "inbox", "reflections", "ideas"):
            for file in Path(vault.root, folder).rglob("*.md"):
                text = file.read_text("utf-8")
                if "visibility" not in text:
                    text = text.replace("---\n", "---\nvisibility: private\n", 1)
                    file.write_text(text, encoding="utf-8")


def looks(door: Door) -> Iterator[tuple[str, Any]]:
    """Every way to look at a vault."""
    run, tool = door.run, door.tool
    for topic in TOPICS:
        yield run("inspect", topic)
        yield tool("memory_inspect", topic=topic)
    yield run("inspect")
    yield run("inspect", "entity", "Zeppelin")
    yield run("inspect", "entity", "Zepelin")
    yield run("inspect", "research", "slow-billing")
    yield run("inspect", "mining", "s1")
    yield run("recall", "billing service deploy", "--budget", "high", "--explain")
    yield run("recall", "before the freeze", "--set", "history=true")
    yield run("recall", "Zepelin", "--tag", "zepelin", "--entity", "Zepelin")
    yield run("export")
    yield run("list", "--all")
    yield run("list", "--all", "--status", "superseded")
    for more in ([], ["--by", "tag"], ["--status", "pending"], ["--project", "x"]):
        yield run("list", "--all", *more)
    yield tool("memory_recall", query="Zeppelin token", explain=True)
    yield tool("memory_reflect", query="when do we deploy the billing service?")
    yield run("reflect", "is Zeppelin cold on Mondays?")
    yield run("list", "--status", "resolved")
    yield run("review", "--list")
    yield run("ideas")
    yield run("entities")
    yield run("signals")
    yield run("log")
    yield run("verify")
    yield run("doctor")
    for names in ("tag", "kind", "project"):
        yield run("list", "--by", names)
    yield run("config")
    yield run("config", "get", "limits.body")
    yield run("config", "set", "limits.body", "5")
    yield run("undo", "--dry-run")
    yield run("undo")
    yield run("doctor", "--fix")
    yield run("sync")
    yield run("sync", "--dry-run")
    yield run("sync", "--auto", "--all")


def unknown(door: Door) -> Iterator[tuple[str, Any]]:
    """Ids of what is hidden, whole and cut, wherever an id may stand."""
    run, tool = door.run, door.tool
    path = "memories/note/2026/11/we-deploy-the-billing-service-on-tuesdays.md"
    for name in (HIDDEN, HIDDEN[:9], path):
        yield run("inspect", name)
        yield run("show", name)
        yield run("evolve", name, "other words")
        yield run("undo", name)
        yield run("resolve", name)
        yield run("tag", name, "+x")
        yield run("edit", name)
        yield run("pin", name)
        yield run("verify", "--confirm", name)
        yield run("pin", "--off", name)
        yield run("resolve", name, "--undo")
        yield run("forget", name, "--yes")
        yield run("review", name, "--approve")
        yield run("review", name, "--supersede", HIDDEN_TOO)
        yield run("recall", "--useful", name)
        yield run("save", "A model", "--layer", "model", "--cite", name)
        yield tool("memory_inspect", id=name)
        yield tool("memory_evolve", id=name, text="other words", also=[HIDDEN_TOO])
        yield tool("memory_resolve", id=name)
        yield tool("memory_save", text="A model", layer="model", cite=[name])
        yield f"get {name}", door.python(operator.methodcaller("get", name))


def script(door: Door, transcript: str) -> Iterator[tuple[str, Any]]:
    """Everything that an agent may try, in an order that builds on itself."""
    run, tool = door.run, door.tool
    yield from looks(door)
    yield from unknown(door)
    yield run("resolve", "--query", "build broken main", "--yes")
    yield tool("memory_resolve", query="Zeppelin token twice")
    yield run("undo")
    yield run("entities", "register", "Zeppelin")
    yield run("entities", "merge", "Zepelin", "Other")
    saved = {}
    for number, values in enumerate(HELD):
        text = str(values["text"])
        flags = [f"--tag=mine{number % 2}"]
        if "entities" in values:
            flags += ["--entity=Zeppelin", "--type=system"]
        if values.get("kind"):
            flags += [f"--kind={values['kind']}"]
        answer = run("save", text, *flags)
        saved[number] = answer[1][0]["id"]
        yield answer
        yield run("save", text, *flags)
        yield run("save", f"{text}, they say")
    lines = Path(transcript).with_name("lines.jsonl")
    rows = [{"text": f"{values['text']} again"} for values in HELD]
    lines.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for command in (["import", "--dry-run"], ["import"]):
        yield run(*command, str(lines))
    yield tool("memory_save", text="Zeppelin is down", entities=["Zeppelin", "Redis"])
    rests = saved[0]
    yield run("recall", "billing service", "--research", "slow-billing")
    research = ("--layer", "model", "--research", "slow-billing")
    cited = run("save", "A model", *research, "--cite", rests)
    yield cited
    yield run(
        "save", "Other", "--layer=model", f"--set=evidence={HIDDEN}", f"--cite={rests}"
    )
    yield run("save", "B model", *research, "--cite", HIDDEN, "--cite", rests)
    yield run("tag", rests, "+mine", "+zeppelin", "--project", "shop")
    yield run("pin", rests)
    yield run("pin", "--off", rests)
    yield run("evolve", rests, "We deploy the billing service on Fridays")
    yield run("inspect", cited[1][0]["id"])
    yield run("inspect", rests)
    yield run("show", rests, cited[1][0]["id"])
    yield run("resolve", saved[9])
    yield run("resolve", saved[9], "--undo")
    yield run("forget", rests, "--yes")
    for flags in (["--dry-run"], [], []):
        yield run("reflect", "--session", transcript, *flags)
    start = {"session_id": "s9", "source": "startup"}
    yield "start", door.hook("session-start", start)
    prompt = "When do we deploy the billing service of Zeppelin on Tuesdays?"
    yield "prompt", door.hook("prompt-submit", {"session_id": "s9", "prompt": prompt})
    yield from looks(door)
    # A session belongs to the agent that named it first; what it was told is its own.
    yield "prompt", door.hook("prompt-submit", {"session_id": "s3", "prompt": prompt})
    for number in (0, 2, 8):
        yield run("inspect", saved[number])
        yield tool("memory_inspect", id=saved[number][:13])
    yield "registry", door.python(lambda vault: vault.registry.entities)
    yield "get", door.python(lambda vault: vault.get(cited[1][0]["id"]))


# What differs between any two runs: moments, durations, hashes of commits.
_MOMENTS = {"modified", "at", "idle_minutes", "started"}
_OF_THE_RUN = {"commit", "ms", "p50", "p95", *_MOMENTS}


def tie(vault: Vault) -> None:
    """Tie what is shared to what is private, in every way that memcli knows.

    Every text that is private holds the word `xyzzy`.
    """

    def saved(text: str, **values: Any) -> str:
        return vault.save(vault.draft({"text": text, **values})).id

    private: dict[str, Any] = {"visibility": "private", "entities": ["Gateway"]}
    private["source"] = {"session": "s7", "seq": 2}
    shared: dict[str, Any] = {
        "entities": ["Gateway"],
        "source": {"session": "s7", "seq": 1},
    }
    one = saved("The gateway restarts at night", **shared)
    vault.evolve(one, "The gateway xyzzy restarts", visibility="private")
    # Its file keeps its name when it is shared.
    two = saved("It is xyzzy old", title="The age of the gateway", **private)
    two = vault.evolve(two, "The gateway is old", visibility="shared").id
    two = vault.evolve(two, "The gateway is quite old").id
    vault.revert(vault.revert(two).id)
    three = saved("The gateway has a queue", **shared)
    guess = saved("The gateway has a xyzzy queue", status="pending", **private)
    review.supersede(vault, guess, three)
    four = saved("The gateway logs to a file", **shared)
    five = saved("The gateway logs to xyzzy", **private)
    vault.evolve(four, "The gateway logs xyzzy to a file", also=[five])
    six = saved("The gateway xyzzy is slow", **private)
    saved("The gateway may be slow", layer="model", evidence=[six], **shared)
    private["entities"] = ["Gateway", "Xyzzy Cluster"]
    seven = saved("Why the gateway xyzzy is slow", kind="skill", **private)
    vault.resolve(seven, note="xyzzy", by="xyzzy")
    idea = {"kind": "idea", "status": "pending"}
    saved("Warm the gateway", **shared, **idea)
    cool = saved("Cool the xyzzy gateway", **private, **idea)
    review.reject(vault, cool, reason="xyzzy")
    vault.recall("gateway xyzzy slow", budget="high")


def test_nothing_private_stands_in_what_a_mate_is_told_of_shared_memories(
    make_vault: VaultMaker,
) -> None:
    vault = make_vault()
    Path(vault.root, layout.CONFIG).write_text(CONFIG, encoding="utf-8")
    tie(vault)
    mate = make_vault(agent="mate")

    def ids(asker: Vault) -> set[str]:
        return asker.read(lambda r: {r.row(doc).id for doc in r.everything()})

    hidden = ids(vault) - ids(mate)
    assert len(hidden) > 6
    door = Door(vault, "mate")
    steps = [
        *looks(door),
        door.run("recall", "gateway", "--set", "history=true", "--explain"),
    ]
    for name in sorted(ids(mate)):
        steps += [door.run("inspect", name), door.run("undo", name)]
        steps += [("get", door.python(operator.methodcaller("get", name)))]
        steps += [door.run("evolve", name, "other words"), door.run("resolve", name)]
    for what, answer in steps:
        said = json.dumps(_without(encoded(answer)), ensure_ascii=False).replace(
            what, ""
        )
        assert "xyzzy" not in said.lower(), what
        assert not [one for one in hidden if one in said], what


def plainly(door: Door, value: Any) -> str:
    """A step's answer as text, without what tells one twin from the other."""
    text = json.dumps(_without(encoded(value)), indent=1, ensure_ascii=False)
    text = text.replace(door.root, "ROOT").replace(str(Path(door.root).name), "NAME")
    text = re.sub(r"\bcommit [0-9a-f]{7,40}\b", "commit ...", text)
    return re.sub(r"\d+\\t\d+\\t\d+\\t\d+|\d\d-\d\d \d\d:\d\d:\d\d[^\"]*", "", text)


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        rest = {k: v for k, v in value.items() if k not in _OF_THE_RUN}
        return {name: _without(item) for name, item in rest.items()}
    if isinstance(value, list | tuple):
        return [_without(item) for item in value]
    return value if value is None or isinstance(value, int | float) else str(value)


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_in_a_vault_of_others_is_told_what_it_is_told_alone(
    agent: str, make_vault: VaultMaker, transcript: str
) -> None:
    whole, twin = make_vault("whole"), make_vault("twin")
    for vault in (whole, twin):
        Path(vault.root, layout.CONFIG).write_text(CONFIG, encoding="utf-8")
    hide(whole, agent, transcript)
    doors = [Door(vault, agent) for vault in (whole, twin)]
    both = zip(*(script(door, transcript) for door in doors), strict=True)
    for (what, among), (_, alone) in both:
        one, two = plainly(doors[0], among), plainly(doors[1], alone)
        differ = difflib.unified_diff(one.splitlines(), two.splitlines(), n=2)
        assert one == two, "\n".join([what, *differ])
