"""What other tools remember is read in their own form, and never changed."""

import json
import os
from pathlib import Path

import pytest

from memcli.errors import InvalidValue, UsageError
from memcli.hosts import memories as tools
from memcli.hosts import pages
from memcli.hosts.pages import Memory, Problem
from tests.saving import write

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


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        ("Use tabs.\n\nRun tests.\n", ["Use tabs.\n\nRun tests."]),
        ("- one\n  more\n- two\n\nprose\n* three", "one\nmore|two|prose|three"),
        ("# Shop\n\n- Use tabs\n", "Shop: Use tabs"),
        ("# Shop\n## Never\n- push to main\n", "Never: push to main"),
        ("# Shop\n## Rules\n- Use tabs\n### Go\n- Lint", "Use tabs|Go: Lint"),
        ("# A\n## B\nOne\nline.\n### C\nTwo.", "B: One\nline.|B / C: Two."),
        (
            "## Git\n\nNever do these:\n\n- push\n- rebase\n\nAsk first.\n",
            "Git: Never do these: push|Git: Never do these: rebase|Git: Ask first.",
        ),
        ("## Git\nSee below:\n## Tests\n- run\n", "Git: See below:|Tests: run"),
        ("- a\n  - b\n    c\n\n  d\n- e\n", ["a\n- b\n  c\n\nd", "e"]),
        (
            "## Run\n\nBefore:\n```sh\n- x\n\n# y\n```\nLater.\n",
            ["Run: Before:\n```sh\n- x\n\n# y\n```\nLater."],
        ),
        ("  - one\n    - two\n  - three\n", "one\n- two|three"),
        ("## Release\n1. Tag\n2. Push\n", "Release:\n\n1. Tag\n2. Push"),
        (
            "Steps:\n\n1. Tag\n   it\n\n2. Push\n\n- x",
            "Steps:\n\n1. Tag\n   it\n\n2. Push|x",
        ),
        ("- **Bold**: yes\n**Not** a bullet\n", "**Bold**: yes\n**Not** a bullet"),
        ("## T\n| a |\n|---|\n| 1 |\n", ["T:\n\n| a |\n|---|\n| 1 |"]),
        ("## T\n\n---\n\n@docs/style.md\n\n<!-- x -->\n", []),
        ("## T\r\n\r\n- a\r\n- b\r\n", "T: a|T: b"),
    ],
)
def test_a_page_is_a_rule_an_item_or_paragraph_behind_its_headings(
    page: str, texts: str | list[str]
) -> None:
    expected = texts.split("|") if isinstance(texts, str) else texts
    assert [rule.text() for rule in pages.rules(page)] == expected


def test_code_keeps_its_margins_and_a_page_that_nobody_wrote_is_a_problem(
    tmp_path: Path,
) -> None:
    (rule,) = pages.rules(
        "## T\n\n- Do so:\n\n  ```py\n  def f():\n      pass\n  ```\n"
    )
    assert rule.words == "Do so:\n\n```py\ndef f():\n    pass\n```"
    page = write(tmp_path, "AGENTS.md", "- a\n" * 60_000)
    (problem,) = found("agents-md", page)
    assert isinstance(problem, Problem)
    assert "no page of rules" in problem.reason


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("## Release\n1. Tag\n2. Push\n", "Release: Tag"),
        ("## Commands\n```sh\nmake test  # all\n```\n", "Commands: make test  # all"),
        ("## Hosts\n| env | url |\n|---|---|\n", "Hosts: env | url"),
        ("## Style\n- Use tabs\n", ""),
    ],
)
def test_a_heading_alone_is_no_title(page: str, title: str) -> None:
    (rule,) = pages.rules(page)
    assert rule.title() == title


def test_each_rule_of_a_page_is_a_convention_of_its_project(tmp_path: Path) -> None:
    read = memories("agents-md", write(tmp_path, "AGENTS.md", PAGE), folder=tmp_path)
    assert [item.line for item in read] == [3, 10, 18]
    assert {item.fields["kind"] for item in read} == {"convention"}
    assert {item.folder for item in read} == {str(tmp_path)}
    assert "make test" in read[1].fields["text"]


def test_a_rule_of_cursor_says_which_paths_it_is_for(tmp_path: Path) -> None:
    rule = (
        "---\ndescription: How handlers fail\nglobs: src/**/*.ts,lib/*.ts\n"
        "alwaysApply: false\n---\nThrow a typed error.\n"
    )
    write(tmp_path, ".cursor/rules/api/errors.mdc", rule)
    (only,) = memories("cursor", tmp_path / ".cursor" / "rules", folder=tmp_path)
    about = "How handlers fail (`src/**/*.ts,lib/*.ts`)"
    assert only.fields["text"] == f"{about}: Throw a typed error."
    assert only.line == 6


def test_what_gemini_was_told_to_remember_is_a_memory_a_bullet(tmp_path: Path) -> None:
    page = write(
        tmp_path,
        "GEMINI.md",
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
    write(project, "s1.jsonl", f"{cwd}\n{cwd}\n")
    topic = (
        "---\nname: {name}\ndescription: {title}\nmetadata:\n  type: {kind}\n"
        "---\n{text}\n"
    )
    folder = project / "memory"
    for name, kind in (("deploys", "project"), ("style", "feedback")):
        text = topic.format(name=name, title=f"About {name}", kind=kind, text=name)
        write(folder, f"{name}.md", text)
    write(folder, "MEMORY.md", "- [deploys](deploys.md)\n- [style](style.md)\n")
    return folder


def test_a_topic_of_claude_code_is_one_memory_and_its_index_none(claude: Path) -> None:
    deploys, style = memories("claude-code", claude)
    assert (deploys.fields["kind"], deploys.folder) == ("note", "/code/shop")
    assert (style.fields["kind"], style.folder) == ("convention", None)


def test_a_task_group_of_codex_is_about_its_folder(tmp_path: Path) -> None:
    group = (
        "# Task Group: Nightly export\n\n## Task 1\n"
        "- rollout_summaries/a.md (cwd=/code/etl, updated_at=2026-08-02T10:00:00Z, "
        "thread_id=8e81973e-0bec-47b0-b898-d190f9ebdacc)\n- Run `make export`.\n"
    )
    write(tmp_path, "memories/MEMORY.md", group + "\n" + group)
    first, second = memories("codex", tmp_path / "memories")
    about = (first.folder, first.fields["occurred_at"])
    assert about == ("/code/etl", "2026-08-02T10:00:00Z")
    assert (first.line, second.line) == (1, 7)


def test_an_export_of_mem0_is_read_as_a_list_or_below_results(tmp_path: Path) -> None:
    row: dict[str, object] = {
        "id": "m1",
        "memory": "Ada is allergic to nuts",
        "metadata": None,
    }
    row |= {"created_at": "2026-05-01T10:00:00.123-07:00"}
    row |= {"expiration_date": "2030-01-01", "categories": ["Health", "food & drink"]}
    for number, value in enumerate(([row], {"results": [row]})):
        path = write(tmp_path, f"{number}.json", json.dumps(value))
        (only,) = memories("mem0", path)
        assert only.fields["occurred_at"] == "2026-05-01T17:00:00Z"
        assert only.fields["tags"] == ("health", "food-drink")
        assert only.fields["expires_at"] == "2030-01-01"


def test_a_note_of_basic_memory_keeps_its_observations_and_links(
    tmp_path: Path,
) -> None:
    body = "# Coffee\n- [method] Pour over #brewing\n- relates_to [[Beans]]\n"
    head = "---\ntitle: Coffee\ntype: note\npermalink: coffee\ntags:\n- brew\n---\n"
    write(tmp_path, "Coffee.md", head + body)
    (only,) = memories("basic-memory", tmp_path)
    assert only.fields["text"] == body.strip("\n")
    assert (only.fields["tags"], only.fields["kind"]) == (("brew",), "note")


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
    secret = write(tmp_path, "secret.md", "the key to the door\n")
    folder = tmp_path / "rules"
    folder.mkdir()
    os.symlink(secret, folder / "a.md")
    os.symlink(tmp_path, folder / "b")
    os.mkfifo(folder / "c.md")
    assert found("claude-code", folder) == []
    assert found("basic-memory", folder) == []
    os.symlink(secret, folder / "CLAUDE.md")
    os.symlink(tmp_path, tmp_path / "linked")
    for place in (folder / "CLAUDE.md", tmp_path / "linked"):
        (problem,) = found("claude-code", place)
        assert isinstance(problem, Problem)


def test_a_tool_that_is_not_there_is_named_with_where_it_was_looked_for(
    tmp_path: Path,
) -> None:
    environ = {"HOME": str(tmp_path)}
    with pytest.raises(UsageError) as error:
        tools.default_places(tools.find("basic-memory"), environ, None)
    hint = error.value.hint or ""
    assert hint.endswith("memcli import PATH --from basic-memory")
    with pytest.raises(UsageError, match="nothing of mem0 is here"):
        tools.default_places(tools.find("mem0"), environ, None)
    with pytest.raises(InvalidValue, match="claude-code, codex"):
        tools.find("claudecode")


def test_no_place_that_is_a_link_or_lies_behind_one_in_a_project_is_read(
    tmp_path: Path,
) -> None:
    project, away = tmp_path / "shop", tmp_path / "away"
    write(away, "rules/a.md", "Deploy on Mondays.\n")
    write(away, "AGENTS.md", "# Rules\n\nDeploy on Mondays.\n")
    project.mkdir()
    (project / ".cursor").symlink_to(away)
    for name in ("AGENTS.md", ".cursorrules", "db"):
        (project / name).symlink_to(away / "AGENTS.md")
    why = "is a symbolic link, which memcli does not follow"
    for tool, name in (
        ("agents-md", "AGENTS.md"), ("cursor", ".cursor/rules"),
        ("cursor", ".cursorrules"), ("mem0", "db"),
    ):  # fmt: skip
        place = project / name
        assert found(tool, place, folder=project) == [Problem(str(place), 1, why)]
        if name != ".cursor/rules":
            assert found(tool, place) == [Problem(str(place), 1, why)]
    linked = tmp_path / "linked"
    linked.symlink_to(project)  # the person's own
    write(project, ".claude/rules/b.md", "Deploy on Fridays.\n")
    place = linked / ".claude" / "rules"
    assert isinstance(found("claude-code", place, folder=linked)[0], Memory)
    os.mkfifo(tmp_path / "pipe")
    assert found("agents-md", tmp_path / "pipe") == [
        Problem(str(tmp_path / "pipe"), 1, "is not a file")
    ]
