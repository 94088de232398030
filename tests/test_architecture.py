"""Rules about the source that neither ruff, mypy nor import-linter can say."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from memcli.cli import commands
from tests.conftest import ROOT

MODULES = sorted((ROOT / "memcli").rglob("*.py"))
FORBIDDEN = {
    *("util", "utils", "helper", "helpers", "common", "constants", "types", "base"),
    *("core", "misc", "shared", "lib", "service", "services", "manager"),
    *("managers", "handler", "handlers", "factory", "factories", "plugins"),
}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_page_of_the_architecture_shows_every_room_and_no_other() -> None:
    rooms = {name(path.parent) for path in MODULES} - {"memcli"}
    page = (ROOT / "docs" / "internals" / "architecture.md").read_text("utf-8")
    drawn = set(re.findall(r"^(memcli/\S+)/  ", page.split("```")[1], re.MULTILINE))
    assert drawn == rooms


def test_a_module_that_a_page_names_is_there() -> None:
    tops = {path.stem for path in (ROOT / "memcli").iterdir()}
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    pages.remove(ROOT / "CHANGELOG.md")
    lost = [
        f"{name(page)}: {place}"
        for page in pages
        for place in re.findall(r"`(?:memcli/)?([a-z]+/[a-z0-9_/]+)", page.read_text())
        if place.partition("/")[0] in tops
        and not any(
            (ROOT / "memcli" / f"{place.rstrip('/')}{end}").exists()
            for end in ("", ".py")
        )
    ]
    assert lost == []


def test_a_word_that_the_page_of_the_architecture_names_is_a_module() -> None:
    page = (ROOT / "docs" / "internals" / "architecture.md").read_text("utf-8")
    words = re.findall(r"`([a-z_0-9]+)`", re.sub(r"```.*?```", "", page, flags=re.S))
    ours = {path.stem for path in MODULES} | {path.parent.name for path in MODULES}
    assert set(words) - ours - sys.stdlib_module_names <= {"yaml"}


def test_every_room_says_what_it_is_for_and_what_its_door_is():
    rooms = [path for path in MODULES if path.name == "__init__.py"]
    rooms.remove(ROOT / "memcli" / "__init__.py")
    told = {
        path: ast.get_docstring(ast.parse(path.read_bytes())) or "" for path in rooms
    }
    for words in ("Door: ", "Not in here: "):
        assert [name(path) for path in rooms if words not in told[path]] == []


def test_no_module_is_longer_than_450_lines():
    lengths = {name(path): len(path.read_bytes().splitlines()) for path in MODULES}
    assert {path: lines for path, lines in lengths.items() if lines > 450} == {}


def test_no_function_takes_more_than_six_parameters():
    """What belongs together is one value. A command's parameters are its flags."""
    ours = {commands.place(each) for each in commands.COMMANDS}
    many = {
        f"{name(path)}: {one.name}": len(parameters(one.args))
        for path in MODULES
        for one in functions(ast.parse(path.read_bytes()))
        if len(parameters(one.args)) > 6
        and not (path.parent.name == "cli" and (path.stem, one.name) in ours)
    }
    # For people who write Python: the fields of an entry go by name.
    assert many == {"memcli/api.py: evolve": 7}


def functions(node: ast.AST) -> Iterator[ast.FunctionDef]:
    """The functions below a statement; expressions are not looked into."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield child
        if isinstance(child, ast.stmt):
            yield from functions(child)


def parameters(given: ast.arguments) -> list[str]:
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    every += filter(None, (given.vararg, given.kwarg))
    return [one.arg for one in every if one.arg not in ("self", "cls")]


def test_every_module_is_named_after_what_it_is_about():
    named = {name(path): path.stem for path in MODULES}
    named |= {name(path.parent): path.parent.name for path in MODULES}
    assert [path for path, stem in named.items() if stem in FORBIDDEN] == []


def test_every_module_says_what_it_is():
    silent = [name(path) for path in MODULES if not path.read_text().startswith('"""')]
    assert silent == []
