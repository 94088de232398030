"""What anchors find between two versions of a public project, against a naive diff.

pip brings two sdists of each project. At the old version 30 memories are saved, each
anchored in a function or class: all of those of 4 to 80 lines in the package, by path
and line, every n-th of them, so that nobody chooses. Then the files become those of the
new version, are committed, and `memcli verify` is asked.

Whether a memory may no longer hold is judged without memcli: the definition of that
name in the new version has another syntax tree (a docstring counts, a comment and the
layout do not), or there is none in the package. The naive diff calls every memory stale
whose file differs in any byte.

    python -m tests.benchmarks.anchors [--cache FOLDER]
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memcli import Vault
from memcli.curation.verify import STALE_ENTRY, verify
from memcli.vault.create import prepare

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROJECTS = (
    ("click", "8.0.4", "8.1.7", "src/click"),
    ("requests", "2.27.1", "2.32.3", "requests"),
    ("jinja2", "3.0.3", "3.1.4", "src/jinja2"),
)
"""A project, two of its versions a year or more apart, and the package's folder."""

MEMORIES = 30
_SHORTEST, _LONGEST = 4, 80


class Definition(NamedTuple):
    """A function or class of a module's top level, or a method."""

    path: str
    name: str
    first: int
    last: int
    tree: str


def main() -> None:
    """Print a table for each project."""
    parser = argparse.ArgumentParser(prog="tests/benchmarks anchors")
    parser.add_argument("--cache", help="Where the sdists lie, or are put")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        cache = Path(given.cache or scratch, "sdists")
        rows: list[tuple[str, ...]] = []
        for project in PROJECTS:
            folder = Path(scratch, project[0])
            folder.mkdir()
            rows += measured(project, cache, folder)
        header = ("project", "stale in truth", "way", "found", "missed", "false alarms")
        table = (header, ("---",) * 3 + ("---:",) * 3, *rows)
        for cells in table:
            print("|", " | ".join(cells), "|")


def measured(
    project: tuple[str, str, str, str], cache: Path, folder: Path
) -> Iterator[tuple[str, ...]]:
    """The rows of one project."""
    name, old_version, new_version, package = project
    old = sdist(name, old_version, cache, folder / "old")
    new = sdist(name, new_version, cache, folder / "new")
    new_package = package if (new / package).is_dir() else f"src/{package}"
    before = chosen(definitions(old, package))
    trees: dict[tuple[str, str], set[str]] = defaultdict(set)
    for each in definitions(new, new_package):
        trees[each.path, each.name].add(each.tree)
        trees["", each.name].add(each.tree)
    truth = []
    for each in before:
        path = each.path.replace(package, new_package, 1)
        now = trees.get((path, each.name)) or trees["", each.name]
        # Overloads of one name: it is still there if any of them is as it was.
        truth.append(each.tree not in now)
    checkout, vault = saved(name, old, before, folder)
    replace(checkout, new)
    began = time.perf_counter()
    states = {each.title: each.state for each in verify(vault)}
    spent = time.perf_counter() - began
    anchored = [states[title(each)] == STALE_ENTRY for each in before]
    naive = [differs(old / each.path, checkout / each.path) for each in before]
    label = f"{name} {old_version} → {new_version}"
    for way, found in (("any change of the file", naive), ("anchors", anchored)):
        yield (label, f"{sum(truth)} of {len(before)}", way, *counted(truth, found))
    print(f"{label}: verified {len(before)} memories in {spent * 1000:.0f} ms")
    for each, is_stale, is_found in zip(before, truth, anchored, strict=True):
        if is_stale != is_found:
            print(
                f"  {'missed' if is_stale else 'false alarm'}: {each.path} {each.name}"
            )


def counted(truth: Sequence[bool], found: Sequence[bool]) -> tuple[str, str, str]:
    """How many were found, missed, and wrongly named."""
    pairs = list(zip(truth, found, strict=True))
    return (
        str(pairs.count((True, True))),
        str(pairs.count((True, False))),
        str(pairs.count((False, True))),
    )


def sdist(name: str, version: str, cache: Path, folder: Path) -> Path:
    """The unpacked sdist of a version."""
    cache.mkdir(parents=True, exist_ok=True)
    wanted = f"{name}-{version}".lower()
    kept = [path for path in cache.iterdir() if path.name.lower().startswith(wanted)]
    if not kept:
        command = [
            sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
            "--no-binary", ":all:", "--dest", str(cache), f"{name}=={version}",
        ]  # fmt: skip
        subprocess.run(command, check=True)
        kept = [
            path for path in cache.iterdir() if path.name.lower().startswith(wanted)
        ]
    with tarfile.open(kept[0]) as archive:
        archive.extractall(folder, filter="data")
    (top,) = folder.iterdir()
    return top


def definitions(top: Path, package: str) -> list[Definition]:
    """The functions, classes and methods of a package, by path and line."""
    found = []
    for path in sorted((top / package).rglob("*.py")):
        tree = ast.parse(path.read_bytes())
        where = path.relative_to(top).as_posix()
        for node in tree.body:
            found += _definition(node, where, "")
            if isinstance(node, ast.ClassDef):
                for inner in node.body:
                    found += _definition(inner, where, f"{node.name}.")
    return found


def _definition(node: ast.stmt, path: str, prefix: str) -> list[Definition]:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return []
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    last = node.end_lineno or node.lineno
    return [Definition(path, prefix + node.name, first, last, ast.dump(node))]


def chosen(found: Sequence[Definition]) -> list[Definition]:
    """Every n-th definition of a fitting length."""
    fitting = [
        each for each in found if _SHORTEST <= each.last - each.first + 1 <= _LONGEST
    ]
    return [fitting[place * len(fitting) // MEMORIES] for place in range(MEMORIES)]


def title(each: Definition) -> str:
    """What a memory of a definition is called."""
    return f"{each.path} {each.name} at line {each.first}"


def saved(
    name: str, old: Path, memories: Sequence[Definition], folder: Path
) -> tuple[Path, Vault]:
    """A checkout of the old version, and a vault with a memory of each definition."""
    checkout = folder / "checkout"
    shutil.copytree(old, checkout)
    git(checkout, "init", "-q", "-b", "main")
    git(checkout, "remote", "add", "origin", f"https://example.org/{name}/{name}")
    commit(checkout)
    prepare(str(folder / "vault"))
    vault = Vault.open(str(folder / "vault"), cwd=str(checkout))
    drafts = [
        vault.draft(
            {
                "text": f"Definition {number} of {name} was looked up once.",
                "title": title(each),
                "code": [f"{each.path}:{each.first}-{each.last}"],
            }
        )
        for number, each in enumerate(memories)
    ]
    vault.save_all(drafts)
    return checkout, vault


def replace(checkout: Path, new: Path) -> None:
    """Make the checkout the new version, and commit it."""
    for path in checkout.iterdir():
        if path.name != ".git":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(new, checkout, dirs_exist_ok=True)
    commit(checkout)


def commit(checkout: Path) -> None:
    """Commit everything."""
    git(checkout, "add", "-A", "-f")
    who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    git(checkout, *who, "commit", "-q", "-m", "version")


def git(folder: Path, *words: str) -> None:
    """Run git."""
    subprocess.run(["git", "-C", str(folder), *words], check=True, env=os.environ)


def differs(old: Path, new: Path) -> bool:
    """Whether a file differs in any byte, or is gone."""
    return not new.is_file() or old.read_bytes() != new.read_bytes()


if __name__ == "__main__":
    main()
