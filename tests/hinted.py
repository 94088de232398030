"""The commands that hints propose are typed: one that is a mistake fails the test.

Each kind of command line (its words without ids, paths and numbers) is typed once by a
process of the tests, in a copy of the vault, so that nothing of the test changes. What
reaches beyond the vault, or asks a person, is only parsed.
"""

import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from memcli.cli import commands, render
from memcli.cli.commands import COMMANDS
from tests import processes

_WORD = r"(?:'[^']*'|\"[^\"]*\"|[^\s;,()'\"]*[^\s;,.:?()'\"])"
_PROPOSED = re.compile(
    rf"(?:(?<=: )|(?<=\()|^\s*|(?<=, or ))memcli((?: --vault {_WORD})?"
    rf" (?:{'|'.join(sorted(COMMANDS))})\b(?: {_WORD})*)"
)
_READ_ONLY = {"doctor", "inspect", "list", "log", "recall", "reflect", "show", "verify"}
_TYPED = {*_READ_ONLY, "entities", "evolve", "forget", "ideas", "pin", "resolve"}
_TYPED |= {"review", "save", "tag", "undo"}
# Words in whose place a person puts others; and commands that a sentence names bare.
_OPEN = re.compile(r"[A-Z_=]+|-?\.\.\.|.*=[A-Z]*")
_BARE = [[one] for one in ("recall", "reflect", "save", "resolve", "evolve", "forget")]
_VARIES = re.compile(r"[0-9a-z]{16}|/[^\s']*|(?<==)\S+|\b\d+\b")
_MISTAKE = re.compile("memcli: no (?:entry has|vault|topic|such)")
_known: set[str] = set()


def said_by(patch: pytest.MonkeyPatch) -> list[str]:
    """A list that grows by every hint and warning that is printed from now."""
    said: list[str] = []
    typed = render.Screen._typed

    def hinted(self: render.Screen, text: str) -> str:
        said.append(typed(self, text))
        return said[-1]

    patch.setattr(render.Screen, "_typed", hinted)
    return said


def try_all(said: list[str], root: str, environ: Mapping[str, str], cwd: Path) -> None:
    """Type the commands of hints that were not typed before."""
    for words in _new(said):
        problem = _problem(words, root, environ, cwd)
        assert not problem, f"a hint says: memcli {shlex.join(words)}\n{problem}"


def _new(said: list[str]) -> Iterator[list[str]]:
    for found in (each for text in said for each in _PROPOSED.finditer(text)):
        words, shape = shlex.split(found[1]), _VARIES.sub("*", found[1])
        if words not in _BARE and shape not in _known:
            _known.add(shape)
            yield words


def _problem(
    words: list[str], root: str, environ: Mapping[str, str], cwd: Path
) -> str | None:
    """What the command says of a mistake in it; None where there is none."""
    name, *rest = commands.in_order(words)
    vault = rest[rest.index("--vault") + 1] if "--vault" in rest else root
    if name not in _TYPED or any(map(_OPEN.fullmatch, rest)):
        parsed = "--help" in rest or commands.parse(name, rest) is not None
        return None if parsed else "it is no command line"
    if vault != root and name not in _READ_ONLY:  # of a vault that is not copied
        name, rest = "list", ["--vault", vault]
    with tempfile.TemporaryDirectory(dir=cwd.parent) as folder:
        copy = os.path.join(folder, os.path.basename(root))
        if os.path.isdir(root):
            shutil.copytree(root, copy, symlinks=True)
        done = processes.run(
            name,
            *(copy if word == root else word for word in rest),
            stdin=b"a question" if "-" in rest else b"",
            environ={**os.environ, **environ, "MEMCLI_VAULT": copy},
            cwd=cwd,
        )
    said = done.stderr.decode()
    mistake = done.returncode == 2 or _MISTAKE.match(said)
    return said if mistake and "Add --yes" not in said else None
