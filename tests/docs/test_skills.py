"""The skills say what is so: every command that a page shows runs."""

import itertools
import json
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.cli import commands as known
from memcli.cli.inspect import TOPICS
from memcli.cli.mcp import catalog, tools
from memcli.cli.render import as_json
from memcli.cli.run import run
from memcli.errors import MemcliError
from memcli.hosts import skills
from memcli.hosts.install.step import apply
from tests.conftest import ROOT as TOP
from tests.conftest import isolated_environment
from tests.contexts import context_of
from tests.hosts.writing import Claude, write

ROOT = TOP / "skills"
VARIANTS = {
    *("claude-code", "cursor", "codex", "chatgpt", "claude-desktop", "copilot-cli"),
    *("gemini-cli", "windsurf", "generic"),
}
RECIPES = {"recap", "decisions", "blockers", "actionables", "prep"}
NAMES = {*RECIPES, "remember", "recall", "reflect", "core"}

# The text of every page by its skill, and of the core skill by its variant as well.
PAGES = {
    f"{name}/{variant}".removesuffix("/"): skills.page_of(skill, variant).decode()
    for name, skill in skills.catalog().items()
    for variant in skill.pages
}

every_page = pytest.mark.parametrize("page", PAGES)
# The variants of the core page show the same commands: one of them is run.
each_skill = pytest.mark.parametrize(
    "page", [name for name in PAGES if not name.startswith("core/")] + ["core/generic"]
)


def code(text: str) -> list[str]:
    """The lines of every `sh` block, and every span of code outside of blocks."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    rest = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", rest)]
    return [line for block in blocks for line in block.splitlines()] + spans


def commands(text: str) -> list[list[str]]:
    """The words of every memcli command that a page shows."""
    return [shlex.split(one) for one in code(text) if one.startswith("memcli")]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of skills/, to be changed; memcli takes it for its own."""
    folder = Path(shutil.copytree(ROOT, tmp_path / "skills"))
    monkeypatch.setattr("memcli.entries.shipped.our_folder", lambda name: str(folder))
    return folder


def test_the_nine_skills_and_the_nine_variants_are_there() -> None:
    listed = skills.catalog()
    assert set(listed) == NAMES
    assert set(listed["core"].pages) == VARIANTS
    assert {skills.record(host)[0] for host in skills.HOSTS} == VARIANTS


# --- pages that every host loads ---------------------------------------------------


@every_page
def test_every_host_can_read_the_page(page: str) -> None:
    text = PAGES[page]
    assert "\r" not in text
    front = re.match(r"---\n((?:[a-z]+: .+\n)+)---\n\n# ", text)
    assert front
    fields = dict(line.split(": ", 1) for line in front[1].splitlines())
    assert all(re.fullmatch(r'"[^"\\]+"', v) for k, v in fields.items() if k != "name")
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", fields["name"])
    _, _, variant = page.partition("/")
    assert fields["name"] == ("memcli" if variant else page)
    description = fields["description"].strip('"')
    web = variant in ("chatgpt", "claude-desktop")
    assert 100 < len(description) <= (200 if web else 1024)
    assert not (web and re.search("claude|anthropic", description, re.IGNORECASE))
    assert len(fields["compatibility"]) <= 500


@every_page
def test_it_has_every_part(page: str) -> None:
    text = PAGES[page]
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    wanted = ["When this fires", "Mission", "How to recall", "Output contract"]
    wanted += ["When nothing is found", "Example"]
    if page.startswith("core/"):
        wanted += ["When to save", "When something has changed: evolve"]
        wanted += ["When something is solved: resolve"]
    assert set(wanted) <= set(headings)
    assert len(headings) == len(set(headings))
    empty = text.partition("## When nothing is found\n")[2].partition("## ")[0]
    assert re.search(r'say: "[A-Z][^"]+\."', empty, re.IGNORECASE)
    assert any(words[1] in ("recall", "reflect") for words in shown(text))
    assert "@{" not in text
    assert re.search(r"record\s+of\s+the\s+past,\s+not\s+an\s+instruction", text)


STALE = (
    "ask a question, get a direct answer",
    "cites its sources",
    "get synthesi[sz]ed answer",
    "requires synthesis",
    "present directly",
    "complete response",
    "resolves contradictions",
    "if reflect fails",
    "harmony",
    r"response[-_]schema",
    r"(?<!not a )finished answer",
    r"reflect\W+(writes|synthesi[sz]es|answers) ",
)


@pytest.mark.parametrize("stale", STALE)
def test_no_skill_says_that_reflect_writes_the_answer(stale: str) -> None:
    said = {
        page: found[0]
        for page, text in PAGES.items()
        if (found := re.search(stale, " ".join(text.split()), re.IGNORECASE))
    }
    assert said == {}


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_the_recall_recipes_recall(name: str) -> None:
    text = PAGES[name]
    assert "reflect" not in text
    assert {words[1] for words in shown(text)} <= {"list", "recall", "resolve"}


# --- commands that run -------------------------------------------------------------

# An agent of the tests may use all of them.
SHARED = {"agent": "ada"}
FACTS: list[dict[str, Any]] = [
    {"text": "PostgreSQL for the database of the ledger", "kind": "decision"},
    {"text": "Deploy the checkout service on Tuesdays", "kind": "convention"},
    {"text": "The checkout service hangs in tests: set REDIS_URL", "kind": "fix"},
    {"text": "The checkout service went to staging", "kind": "event"},
    {"text": "The checkout release waits for the legal department", "kind": "blocker"},
    {"text": "Write the runbook of the checkout service", "kind": "action"},
    {"text": "No personal data in logs", "kind": "constraint"},
    {"text": "The checkout service needs 3 minutes to start", "entities": ["checkout"]},
    {"text": "The checkout service needs 9 minutes to start", "entities": ["checkout"]},
    # What disagrees, and what the commands of the pages nearly repeat.
    {"text": "I prefer code reviews of 200 lines in Go", "kind": "preference"},
    {"text": "I prefer code reviews of 400 lines in Go", "kind": "preference"},
    {"text": "Prefers small commits with tests, always", "kind": "preference"},
    {"text": "Prefers tabs over spaces in all code", "kind": "preference"},
    {"text": "Prefers spaces over tabs in Go code", "kind": "preference"},
    {"text": "We use SQLite for the ledger", "kind": "decision"},
]


def session(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session of Claude Code that runs here, and a judge's answers to it."""
    said = Claude()
    said.user("the release notes go out on Mondays, never on Fridays")
    name = said.records[0]["sessionId"]
    place = Path.home() / ".claude" / "projects" / "-work"
    place.mkdir(parents=True, exist_ok=True)
    write(place / f"{name}.jsonl", said.records)
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", name)
    rows = [
        {"turns": [1], "kind": "convention", "why": "a rule", "confidence": "HIGH"},
        {"turns": [9], "kind": "note", "why": "", "confidence": "HIGH"},
    ]
    text = "Release notes go out on Mondays, never on Fridays."
    lines = [json.dumps({**row, "text": text}) for row in rows]
    (folder / "answers.jsonl").write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def known_vault(
    ready_vault: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str, str]:
    """A small vault, and the ids of a model and of an observation in it."""
    folder = tmp_path_factory.mktemp("skills")
    root = folder / "vault"
    shutil.copytree(ready_vault, root)
    # The commands ask for the last days, so it is of today.
    environ = isolated_environment(folder)
    vault = Vault.open(str(root), environ=environ, cwd=str(folder))
    saved = vault.save_all([vault.draft({**fact, **SHARED}) for fact in FACTS])
    ids = [one.id for one in saved]
    model = {"text": "The checkout service", "layer": "model", "evidence": ids[:2]}
    report = vault.save(vault.draft({**model, **SHARED})).id
    seen = {"text": "The checkout service rollout", "layer": "observation", **SHARED}
    found = vault.save(vault.draft({**seen, "evidence": [ids[3], ids[0]]})).id
    vault.evolve(ids[0], "PostgreSQL 17 for the database of the ledger")
    vault.evolve(ids[3], "The checkout service went to production")
    return root, report, found


@pytest.fixture
def placed(
    known_vault: tuple[Path, str, str],
    vault: Vault,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[list[str]], list[str]]:
    """The words of a command with ids of a small vault.

    ID and OLD_ID stand for another active entry each time.
    """
    made, report, found = known_vault
    agent = vault.agent.name if vault.agent else None
    shutil.rmtree(vault.root)
    shutil.copytree(made, vault.root)
    vault = Vault.open(vault.root, agent=agent)
    others = (
        vault.save(f"Deploy the gateway on host {number}").id
        for number in itertools.count()
    )
    next(others)  # the first has none beside it that may say the same
    monkeypatch.setenv("MEMCLI_VAULT", vault.root)
    monkeypatch.chdir(tmp_path)
    for name in ("note.md", "report.md"):
        Path(name).write_text(f"# From {name}\nWith 'quotes' and \"quotes\".\n")
    session(tmp_path, monkeypatch)

    def place(words: list[str]) -> list[str]:
        # What is cited must be what the searches of the page bring.
        cited = {n + 1 for n, word in enumerate(words) if word == "--cite"}
        placed = [
            word
            if word not in ("ID", "OLD_ID")
            else found
            if n in cited
            else next(others)
            for n, word in enumerate(words)
        ]
        if "--cite" in placed and "evolve" in placed:
            placed[placed.index("evolve") + 1] = report
        if "review" in placed and "--list" not in placed:
            about = " ".join(words[3:])
            guess = {"text": f"A guess about {about}", "status": "pending"}
            placed[2] = vault.save(vault.draft(guess)).id
        if "--undo" in placed:
            vault.resolve(placed[-2])
        if placed[1] == "undo":
            placed[-2] = vault.evolve(placed[-2], "Something else").id
        return placed

    return place


@pytest.fixture
def demo(
    placed: Callable[[list[str]], list[str]],
) -> Callable[[list[str]], dict[str, Any]]:
    """Run the words of a command on the small vault: its answer, when it succeeds."""
    return lambda words: execute(placed(words))


def execute(words: list[str]) -> dict[str, Any]:
    values = known.parse(words[1], words[2:])
    assert values is not None, f"not understood: {shlex.join(words)}"
    assert values.get("json"), f"without --json: {shlex.join(words)}"
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:

        def keep(_screen: Any, *parts: Any, ok: bool) -> None:
            said.append(as_json([ok, *parts]))

        patch.setattr("memcli.cli.render.Screen._document", keep)
        assert run(words[1], values) == 0, (shlex.join(words), said)
    (one,) = said
    ok, data, _, error = json.loads(one)
    assert (ok, error) == (True, None)
    assert isinstance(data, dict)
    return data


def shown(text: str) -> Iterator[list[str]]:
    """The commands of a page that are more than the name of one."""
    for words in commands(text):
        assert words[:1] == ["memcli"]
        if len(words) > 1:
            assert words[1] in known.COMMANDS, words
        if len(words) > 2 and words[2:] != ["--help"]:
            yield words


def test_every_variant_of_the_core_page_shows_the_same_commands() -> None:
    shown_by = {
        tuple(
            " ".join(words).replace(f"--set source-host={host} ", "")
            for words in shown(PAGES[f"core/{variant}"])
        )
        for variant, facts in skills.catalog()["core"].pages.items()
        for host in [facts["host"]]
    }
    assert len(shown_by) == 1


@each_skill
def test_every_command_it_shows_runs_and_gives_the_fields_it_names(
    page: str, demo: Callable[[list[str]], dict[str, Any]]
) -> None:
    text = PAGES[page]
    answers = [demo(words) for words in shown(text)]
    assert len(answers) >= 5
    named = {one for one in code(text) if re.fullmatch(r"data(\.\w+(\[\])?)+", one)}
    assert named
    missing = {one for one in named if not any(has(a, one) for a in answers)}
    assert missing == set()


def has(data: dict[str, Any], name: str) -> bool:
    """Whether an answer has a field, in one item at least of each list on the way."""
    found: list[Any] = [data]
    for part in name.split(".")[1:]:
        key = part.removesuffix("[]")
        found = [one[key] for one in found if isinstance(one, dict) and key in one]
        if part != key:
            found = [item for one in found if isinstance(one, list) for item in one]
    return bool(found)


@every_page
def test_every_flag_and_kind_it_names_exists(page: str, vault: Vault) -> None:
    text = PAGES[page]
    loaded = ("recall", "save", "evolve", "resolve", "reflect", "review")
    flags = {flag for name in loaded for flag in known.flags(name)}
    named = {one.split()[0] for one in code(text) if one.startswith("--")}
    assert named <= flags
    listed = re.search(r"Kinds: ((?:`\w+`[,.]\s+)+)", text)
    if listed:
        assert set(re.findall(r"\w+", listed[1])) <= set(vault.kinds)


@each_skill
def test_every_command_it_shows_is_a_call_by_the_rule_for_hosts_without_a_shell(
    page: str, placed: Callable[[list[str]], list[str]]
) -> None:
    for words in shown(PAGES[page]):
        name, arguments = as_call(placed(words))
        (tool,) = [one for one in catalog.TOOLS if one.name == name]
        vault = Vault.open(os.environ["MEMCLI_VAULT"])
        context = context_of(vault)._replace(environ=dict(os.environ), via="mcp")
        reply = tools.call(tool, arguments, context)
        assert reply.error is None, (shlex.join(words), arguments, reply.error)


def as_call(words: list[str]) -> tuple[str, dict[str, Any]]:
    """The tool and the arguments that the rule "Without a shell" makes of a command."""
    command = words[1]
    given, arguments = by_parameter(command, words[2:])
    if "file" in arguments:
        arguments["text"] = Path(arguments.pop("file")).read_text("utf-8")
    if arguments.pop("digest", None):
        return "memory_judge", arguments
    if "judged" in arguments:
        answers = Path(arguments["judged"]).read_text("utf-8")
        return "memory_judge", {"answers": answers}
    names = {"save": ["text"], "evolve": ["id", "text"], "inspect": ["id"]}
    if command == "inspect" and given[0] in TOPICS:
        names = {"inspect": ["topic"]}
    if command == "undo":
        return "memory_evolve", {"id": given[0], "revert": True}
    if command == "list":
        return "memory_recall", {"all": True, **arguments}
    if command in ("resolve", "review"):
        arguments |= {"ids": given} if given else {}
    else:
        arguments |= zip(names.get(command, ["query"]), given, strict=False)
    return f"memory_{command}", arguments


def by_parameter(command: str, words: list[str]) -> tuple[list[str], dict[str, Any]]:
    """The words that are no flags, and the flags as parameters of the tool."""
    arguments: dict[str, Any] = {}
    given: list[str] = []
    rest = iter(words)
    for word in rest:
        if not word.startswith("--"):
            given.append(word)
            continue
        if word == "--set":
            field, _, said = next(rest).partition("=")
            word = f"--{field}"
            one = known.fields(command)[field]
            value = True if one.kind is bool else one.kind(said)
        else:
            one = known.flags(command)[word]
            value = True if one.kind is bool else one.kind(next(rest))
        if word in ("--json", "--list") or word.startswith("--source"):
            continue
        key, repeats = word.removeprefix("--").replace("-", "_"), one.repeat
        if repeats and key not in ("asked", "also", "cite"):
            key = re.sub("ys$", "ies", re.sub("uss$", "uses", f"{key}s"))
        arguments[key] = [*arguments.get(key, []), value] if repeats else value
    return given, arguments


def test_the_windows_it_names_are_understood(
    demo: Callable[[list[str]], dict[str, Any]],
) -> None:
    text = PAGES["recap"]
    section = text.partition("## Time windows")[2].partition("\n## ")[0]
    named = re.findall(r"`(yesterday|\d+[dwm]|'[a-z ]+'|\d{4}-[\d-]+)`", section)
    assert len(named) == 7
    for when in named:
        words = ["memcli", "recall", "x", "--after", when.strip("'"), "--json"]
        assert demo(words)["window"]["after"]


@pytest.mark.parametrize(
    "about", ["decisions stand", "names mean one person", "saved in vain", "reviews"]
)
def test_reflect_says_what_an_agent_may_note_for_its_own_work(about: str) -> None:
    text = " ".join(PAGES["reflect"].split())
    _, _, own = text.partition("**For your own next work**")
    assert about in own.partition("memcli recall")[0]


def test_reflect_searches_as_often_as_its_budgets_allow() -> None:
    text = PAGES["reflect"]
    rows = re.findall(r"^\| (low|mid|high) \| (\d+) \|", text, re.MULTILINE)
    assert dict(rows) == {"low": "2", "mid": "5", "high": "10"}
    layers = re.findall(r"recall .*--set layer=(\w+)", text)
    assert layers[:3] == ["model", "observation", "fact"]


# --- copies in hosts ---------------------------------------------------------------


def install(folder: Path, host: str = "generic", **how: bool) -> dict[str, str]:
    """Install every skill; outcome by name."""
    chosen = list(skills.catalog().values())
    place = skills.SkillFolder(str(folder), "user", (host,))
    steps = [apply(step) for step in skills.plan(chosen, place, host, **how)]
    return {step.what.removeprefix("skill "): step.outcome for step in steps}


def everything(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_what_is_not_ours_stays_with_every_flag(tmp_path: Path) -> None:
    foreign = tmp_path / "recap" / "SKILL.md"
    foreign.parent.mkdir()
    foreign.write_text("---\nname: recap\ndescription: mine\n---\nMine.\n")
    (tmp_path / "recall" / "SKILL.md").mkdir(parents=True)
    (tmp_path / "prep").mkdir()
    (tmp_path / "prep" / "SKILL.md").symlink_to(tmp_path / "nowhere")
    (tmp_path / "decisions").mkdir()
    (tmp_path / "decisions" / "notes.md").write_text("mine too")
    before = everything(tmp_path)
    done = install(tmp_path, force=True)
    assert {n for n, o in done.items() if o == "kept"} == {"recap", "recall", "prep"}
    assert before.items() <= everything(tmp_path).items()
    assert not (tmp_path / "nowhere").exists()


def test_what_an_earlier_version_wrote_is_brought_up_to_date(
    tmp_path: Path, copy: Path
) -> None:
    install(tmp_path / "host", "codex")
    for path in copy.glob("*.md"):
        path.write_text(path.read_text("utf-8") + "\nMore.\n", "utf-8")
    found = skills.look(skills.catalog()["recap"], str(tmp_path / "host"))
    assert found == ("outdated", "")
    assert set(install(tmp_path / "host", "codex").values()) == {"updated"}
    assert set(install(tmp_path / "host", "codex").values()) == {"unchanged"}


def test_each_host_has_its_folder(tmp_path: Path) -> None:
    work = tmp_path / "app" / "src"
    work.mkdir(parents=True)
    moved = {"CLAUDE_CONFIG_DIR": str(tmp_path / "c")}

    def where(host: str, scope: str, **more: str) -> str:
        place = skills.place(host, scope, {"HOME": str(tmp_path), **more}, str(work))
        return Path(place.path).relative_to(tmp_path).as_posix()

    (tmp_path / ".git").mkdir()  # a home under git is no project
    assert where("codex", "project") == "app/src/.agents/skills"
    (tmp_path / "app" / ".git").mkdir()
    shared = ("codex", "gemini", "gemini-cli", "copilot", "copilot-cli", "opencode")
    folders = dict.fromkeys(shared, ".agents") | {"cursor": ".cursor"}
    for host, folder in {**folders, "claude-code": ".claude"}.items():
        assert where(host, "user") == f"{folder}/skills"
        assert where(host, "project", **moved) == f"app/{folder}/skills"
    assert where("claude-code", "user", **moved) == "c/skills"
    for host in ("windsurf", "chatgpt", "claude-desktop", "generic", "nosuch"):
        with pytest.raises(MemcliError):
            where(host, "user")
