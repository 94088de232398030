"""What other tools remember is read in their own form, and never changed."""

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.errors import InvalidValue, UsageError
from memcli.hosts.memories import markdown, tools
from memcli.hosts.memories.memory import Memory, Problem

PAGE = """\
# Shop

Orders come in by mail.

<!-- a comment
## is no heading -->

## Testing

- Run `make test` before a commit.

```sh
# no heading either
```

### Fixtures

Fixtures live in `tests/data`.

<!-- memcli:begin -->
## From memcli

- Never deploy on Fridays.
<!-- memcli:end -->

## Imports

@docs/style.md
"""


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def found(
    name: str, *places: Path, folder: Path | None = None
) -> list[Memory | Problem]:
    project = str(folder) if folder else None
    return list(tools.found(tools.find(name), list(map(str, places)), project))


def memories(name: str, *places: Path, folder: Path | None = None) -> list[Memory]:
    items = found(name, *places, folder=folder)
    read = [item for item in items if isinstance(item, Memory)]
    assert len(read) == len(items), items
    return read


def test_a_section_is_what_stands_below_one_heading() -> None:
    read = [(part.title, part.line) for part in markdown.sections(PAGE)]
    assert read == [("Shop", 1), ("Testing", 8), ("Testing / Fixtures", 16)]


def test_a_bullet_keeps_the_lines_that_belong_to_it() -> None:
    text = "- one\n  more\n- two\n\nprose\n* three"
    assert list(markdown.bullets(text, 5)) == [
        (5, "one\nmore"),
        (7, "two"),
        (10, "three"),
    ]


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("claude-code", "CLAUDE.md"),
        ("agents-md", "AGENTS.md"),
        ("copilot", ".github/copilot-instructions.md"),
        ("gemini", "GEMINI.md"),
    ],
)
def test_each_section_of_a_page_is_a_convention_of_its_project(
    tmp_path: Path, tool: str, name: str
) -> None:
    page = write(tmp_path / name, PAGE)
    read = memories(tool, page, folder=tmp_path)
    assert [item.line for item in read] == [1, 8, 16]
    assert {item.fields["kind"] for item in read} == {"convention"}
    assert {item.folder for item in read} == {str(tmp_path)}
    assert "make test" in read[1].fields["text"]


def test_a_page_of_the_user_is_about_no_project(tmp_path: Path) -> None:
    page = write(tmp_path / "home" / ".claude" / "CLAUDE.md", "Use tabs.\n")
    (only,) = memories("claude-code", page, folder=tmp_path / "shop")
    assert (only.folder, only.fields["text"]) == (None, "Use tabs.")


def test_a_rule_of_cursor_says_which_paths_it_is_for(tmp_path: Path) -> None:
    rule = (
        "---\ndescription: How handlers fail\nglobs: src/**/*.ts,lib/*.ts\n"
        "alwaysApply: false\n---\nThrow a typed error.\n"
    )
    write(tmp_path / ".cursor" / "rules" / "api" / "errors.mdc", rule)
    (only,) = memories("cursor", tmp_path / ".cursor" / "rules", folder=tmp_path)
    assert only.fields["title"] == "How handlers fail"
    assert only.fields["text"].startswith("For `src/**/*.ts,lib/*.ts`:")
    assert only.line == 6


def test_what_gemini_was_told_to_remember_is_a_memory_a_bullet(tmp_path: Path) -> None:
    page = write(
        tmp_path / "GEMINI.md",
        "Be brief.\n\n## Gemini Added Memories\n- Ada prefers pnpm.\n- CI is slow.\n",
    )
    read = memories("gemini", page)
    assert [(item.line, item.fields["text"]) for item in read] == [
        (1, "Be brief."),
        (4, "Ada prefers pnpm."),
        (5, "CI is slow."),
    ]


@pytest.fixture
def claude(tmp_path: Path) -> Path:
    project = tmp_path / "projects" / "-code-shop"
    cwd = json.dumps({"type": "user", "cwd": "/code/shop", "sessionId": "s1"})
    write(project / "s1.jsonl", f"{cwd}\n{cwd}\n")
    topic = (
        "---\nname: {name}\ndescription: {title}\nmetadata:\n  type: {kind}\n"
        "  originSessionId: s1\n---\n{text}\n"
    )
    folder = project / "memory"
    for name, kind in (("deploys", "project"), ("style", "feedback")):
        text = topic.format(name=name, title=f"About {name}", kind=kind, text=name)
        write(folder / f"{name}.md", text)
    write(folder / "MEMORY.md", "- [deploys](deploys.md)\n- [style](style.md)\n")
    return folder


def test_a_topic_of_claude_code_is_one_memory_and_its_index_none(claude: Path) -> None:
    deploys, style = memories("claude-code", claude)
    assert (deploys.fields["kind"], deploys.folder) == ("note", "/code/shop")
    assert deploys.fields["session"] == "s1"
    assert (style.fields["kind"], style.folder) == ("convention", None)


def test_an_index_of_claude_code_without_topics_is_read(claude: Path) -> None:
    for name in ("deploys.md", "style.md"):
        (claude / name).unlink()
    write(claude / "MEMORY.md", "# Notes\n\nThe build needs Node 20.\n")
    (only,) = memories("claude-code", claude)
    assert (only.fields["text"], only.folder) == (
        "The build needs Node 20.",
        "/code/shop",
    )


def test_a_task_group_of_codex_is_about_its_folder(tmp_path: Path) -> None:
    summary = "## User Profile\n\nAda ships daily.\n\n## What's in Memory\n\n- x: y\n"
    write(tmp_path / "memories" / "memory_summary.md", summary)
    group = (
        "# Task Group: Nightly export\n\n## Task 1\n"
        "- rollout_summaries/a.md (cwd=/code/etl, updated_at=2026-08-02T10:00:00Z, "
        "thread_id=8e81973e-0bec-47b0-b898-d190f9ebdacc)\n- Run `make export`.\n"
    )
    write(tmp_path / "memories" / "MEMORY.md", group + "\n" + group)
    profile, first, second = memories("codex", tmp_path / "memories")
    assert profile.fields["text"] == "Ada ships daily."
    assert (first.folder, first.fields["created"]) == (
        "/code/etl",
        "2026-08-02T10:00:00Z",
    )
    assert (first.line, second.line) == (1, 7)


def test_an_export_of_mem0_is_read_as_a_list_or_below_results(tmp_path: Path) -> None:
    row = {
        "id": "m1",
        "memory": "Ada is allergic to nuts",
        "created_at": "2026-05-01T10:00:00.123-07:00",
        "expiration_date": "2030-01-01",
        "categories": ["Health", "food & drink"],
        "metadata": None,
    }
    for number, value in enumerate(([row], {"results": [row]})):
        path = write(tmp_path / f"{number}.json", json.dumps(value))
        (only,) = memories("mem0", path)
        assert only.fields["created"] == "2026-05-01T17:00:00Z"
        assert only.fields["tags"] == ["health", "food-drink"]
        assert only.fields["expires_at"] == "2030-01-01"


def test_the_blocks_of_a_letta_agent_are_read_where_they_hold_text(
    tmp_path: Path,
) -> None:
    blocks = [
        {"id": "b1", "label": "human", "value": "Ada, likes short answers"},
        {"id": "b2", "label": "persona", "value": ""},
    ]
    path = write(tmp_path / "agent.af", json.dumps({"agents": [], "blocks": blocks}))
    (only,) = memories("letta", path)
    assert (only.fields["kind"], only.fields["title"]) == ("preference", "Letta: human")


def test_the_graph_of_the_mcp_memory_server_keeps_its_names(tmp_path: Path) -> None:
    lines = [
        {
            "type": "entity",
            "name": "Ada",
            "entityType": "person",
            "observations": ["prefers tabs", "Ada lives in Turin"],
        },
        {"type": "relation", "from": "Ada", "to": "Shop", "relationType": "works_on"},
    ]
    path = write(tmp_path / "memory.jsonl", "\n".join(map(json.dumps, lines)))
    read = memories("memory-server", path)
    assert [item.fields["text"] for item in read] == [
        "Ada: prefers tabs",
        "Ada lives in Turin",
        "Ada works on Shop",
    ]
    assert read[2].fields["entities"] == ["Ada", "Shop"]


@pytest.fixture
def claude_mem(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "claude-mem.db"
    database = sqlite3.connect(path)
    database.executescript(
        """
        CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT,
          project TEXT, text TEXT, type TEXT, title TEXT, subtitle TEXT, facts TEXT,
          narrative TEXT, concepts TEXT, merged_into_project TEXT, created_at TEXT);
        CREATE TABLE directives (id INTEGER PRIMARY KEY, project TEXT, content TEXT,
          status TEXT, created_at TEXT);
        INSERT INTO observations VALUES (1, 's9', 'shop', NULL, 'bugfix',
          'Retry on 503', NULL, '["The client retries twice"]', 'The upstream drops.',
          '["gotcha"]', NULL, '2026-03-04T05:06:07.000Z');
        INSERT INTO observations (id, type) VALUES (2, 'change');
        INSERT INTO directives VALUES (1, NULL, 'Never force-push', 'active', '2026');
        INSERT INTO directives VALUES (2, NULL, 'Old rule', 'archived', '2026');
        """
    )
    yield path
    database.close()


def test_an_observation_of_claude_mem_is_its_story_and_its_facts(
    claude_mem: Path,
) -> None:
    first, empty, rule = found("claude-mem", claude_mem)
    assert isinstance(first, Memory)
    assert first.fields["text"] == "The upstream drops.\n\n- The client retries twice"
    assert (first.fields["kind"], first.fields["tags"]) == ("fix", ["gotcha"])
    assert isinstance(empty, Problem)
    assert isinstance(rule, Memory)
    assert rule.fields["kind"] == "constraint"


@pytest.mark.slow
def test_what_the_schema_of_a_database_would_compute_is_not_computed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "claude-mem.db"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(
            """
            CREATE TABLE observations (id INTEGER, title TEXT, narrative TEXT
              GENERATED ALWAYS AS (hex(zeroblob(400000000))));
            INSERT INTO observations VALUES (1, 'Deploys are on Tuesday');
            CREATE VIEW directives AS WITH RECURSIVE r(id) AS
              (SELECT 1 UNION ALL SELECT id + 1 FROM r) SELECT id FROM r;
            """
        )
    (only,) = memories("claude-mem", path)
    assert only.fields["text"] == "Deploys are on Tuesday"


def test_a_small_database_that_gives_gigabytes_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "claude-mem.db"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE observations (id INTEGER PRIMARY KEY)")
        rows = ((number,) for number in range(1, 5_001))
        database.executemany("INSERT INTO observations VALUES (?)", rows)
        much = "x" * 1_000_000
        database.execute(f"ALTER TABLE observations ADD title TEXT DEFAULT '{much}'")
        database.commit()
    *some, last = found("claude-mem", path)
    assert len(some) < 5
    assert isinstance(last, Problem)
    assert "observations gives more than the file holds" in last.reason


def test_a_memory_of_agent_memory_git_holds_where_it_was_learned(
    tmp_path: Path,
) -> None:
    text = (
        "---\nid: 20260820-x\nname: x\ntype: project\nscope: {scope}\n"
        "description: Exports end at six\ncreated: 2026-08-20T09:05:00+08:00\n"
        "source:\n  tool: codex\n  git_remote: git.example.com/etl\n"
        "  git_root: /code/etl\n---\nThe export ends at six.\n"
    )
    write(tmp_path / "2026" / "a.md", text.format(scope="here"))
    write(tmp_path / "2026" / "b.md", text.format(scope="global"))
    here, everywhere = memories("agent-memory-git", tmp_path)
    assert here.fields["project"] == "git.example.com/etl"
    assert (everywhere.folder, everywhere.fields.get("project")) == (None, None)


def test_a_note_of_basic_memory_keeps_its_observations_and_links(
    tmp_path: Path,
) -> None:
    body = "# Coffee\n- [method] Pour over #brewing\n- relates_to [[Beans]]\n"
    head = "---\ntitle: Coffee\ntype: note\npermalink: coffee\ntags:\n- brew\n---\n"
    write(tmp_path / "Coffee.md", head + body)
    (only,) = memories("basic-memory", tmp_path)
    assert only.fields["text"] == body.strip("\n")
    assert (only.fields["tags"], only.fields["kind"]) == (["brew"], "note")


@pytest.mark.parametrize("name", [tool.name for tool in tools.TOOLS])
@pytest.mark.parametrize(
    "data",
    [b"", b"\0\xff\xfe", b"[[[", b"{}", b"---\n: :\n---\n", b"[" * 100_000],
    ids=["empty", "bytes", "cut", "object", "yaml", "deep"],
)
def test_what_is_no_file_of_a_tool_is_a_problem_and_never_a_crash(
    tmp_path: Path, name: str, data: bytes
) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    found(name, path)
    found(name, tmp_path)
    assert path.read_bytes() == data


def test_no_link_or_pipe_in_a_folder_is_followed(tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.md", "the key to the door\n")
    folder = tmp_path / "rules"
    folder.mkdir()
    os.symlink(secret, folder / "a.md")
    os.symlink(tmp_path, folder / "b")
    os.mkfifo(folder / "c.md")
    assert found("claude-code", folder) == []
    assert found("basic-memory", folder) == []
    os.symlink(secret, folder / "CLAUDE.md")
    (problem,) = found("claude-code", folder / "CLAUDE.md")
    assert isinstance(problem, Problem)


def test_a_tool_that_is_not_there_is_named_with_where_it_was_looked_for(
    tmp_path: Path,
) -> None:
    environ = {"HOME": str(tmp_path)}
    with pytest.raises(UsageError) as error:
        tools.default_places(tools.find("claude-mem"), environ, None)
    assert "claude-mem.db" in (error.value.hint or "")
    with pytest.raises(UsageError, match="no place of its own"):
        tools.default_places(tools.find("mem0"), environ, None)
    with pytest.raises(InvalidValue) as unknown:
        tools.find("claudecode")
    assert "Did you mean claude-code?" in (unknown.value.hint or "")


def test_no_place_that_is_a_link_or_lies_behind_one_in_a_project_is_read(
    tmp_path: Path,
) -> None:
    project, away = tmp_path / "shop", tmp_path / "away"
    write(away / "rules" / "a.md", "Deploy on Mondays.\n")
    write(away / "AGENTS.md", "# Rules\n\nDeploy on Mondays.\n")
    project.mkdir()
    for name, target in (
        ("AGENTS.md", away / "AGENTS.md"),
        (".cursor", away),
        (".cursorrules", away / "AGENTS.md"),
        ("db", away / "AGENTS.md"),
    ):
        (project / name).symlink_to(target)
    rules = project / ".cursor" / "rules"
    for tool, place in (
        ("agents-md", project / "AGENTS.md"),
        ("cursor", rules),
        ("cursor", project / ".cursorrules"),
        ("mem0", project / "db"),
        ("claude-mem", project / "db"),
    ):
        why = "is a symbolic link, which memcli does not follow"
        assert found(tool, place, folder=project) == [Problem(str(place), 1, why)]
        if place is not rules:
            assert found(tool, place) == [Problem(str(place), 1, why)]
    linked = tmp_path / "linked"
    linked.symlink_to(project)  # the person's own
    write(project / ".claude" / "rules" / "b.md", "Deploy on Fridays.\n")
    place = linked / ".claude" / "rules"
    assert isinstance(found("claude-code", place, folder=linked)[0], Memory)


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
@pytest.mark.parametrize("end", ["", "-wal", "-journal"])
def test_a_pipe_in_the_place_of_a_database_is_a_problem_at_once(
    tmp_path: Path, end: str
) -> None:
    place = tmp_path / "claude-mem.db"
    with contextlib.closing(sqlite3.connect(place)) as database:
        database.execute("CREATE TABLE observations (id, text)")
    if not end:
        place.unlink()
    os.mkfifo(f"{place}{end}")
    (problem,) = found("claude-mem", place)
    assert isinstance(problem, Problem)
    assert problem.place == f"{place}{end}"


def test_a_damaged_database_is_a_problem_in_words(tmp_path: Path) -> None:
    place = tmp_path / "claude-mem.db"
    with contextlib.closing(sqlite3.connect(place)) as database:
        database.execute("CREATE TABLE observations (id, text)")
        rows = [(number, "a long story " * 9) for number in range(500)]
        database.executemany("INSERT INTO observations VALUES (?, ?)", rows)
        database.commit()
    data = place.read_bytes()
    place.write_bytes(data[: len(data) // 2])
    *_, problem = found("claude-mem", place)
    assert isinstance(problem, Problem)
    assert problem.reason.startswith("not a database of claude-mem: ")
