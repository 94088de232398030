"""Rules about the source that neither ruff, mypy nor import-linter can say."""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "memcli").rglob("*.py"))
FORBIDDEN = {
    *("util", "utils", "helper", "helpers", "common", "constants", "types", "base"),
    *("core", "misc", "shared", "lib", "service", "services", "repository", "manager"),
    *("managers", "handler", "handlers", "factory", "factories", "plugins", "models"),
}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_every_layer_stands_on_the_page_of_the_architecture() -> None:
    (layers,) = [
        one["layers"]
        for one in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"][
            "importlinter"
        ]["contracts"]
        if one["type"] == "layers"
    ]
    named = {name for layer in layers for name in re.split(r" [|:] ", layer)}
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    told = set(re.findall(r"\w+", page.split("```")[1]))
    assert named - told == set()


def test_no_module_is_longer_than_500_lines():
    lengths = {name(path): len(path.read_bytes().splitlines()) for path in MODULES}
    assert {path: lines for path, lines in lengths.items() if lines > 500} == {}


def test_every_module_is_named_after_what_it_is_about():
    named = {name(path): path.stem for path in MODULES}
    named |= {name(path.parent): path.parent.name for path in MODULES}
    assert [path for path, stem in named.items() if stem in FORBIDDEN] == []


def test_every_module_says_what_it_keeps_true():
    trees = {name(path): ast.parse(path.read_bytes()) for path in MODULES}
    assert [path for path, tree in trees.items() if not ast.get_docstring(tree)] == []
