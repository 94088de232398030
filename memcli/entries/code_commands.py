"""Commands that a project defines for itself: `make deploy`, `npm run build`.

Invariant: pure, and linear in the file; nothing is run. A command is one when a file
of the project defines its word: a Makefile's target, a script of package.json, a recipe
of a justfile, a task of a Taskfile.
"""

from __future__ import annotations

import re

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Runner(NamedTuple):
    """A program that runs a project's own commands.

    Attributes:
        files: where the commands may be defined, in the project's folder.
        defines: whether such a file's text defines a word.
    """

    files: tuple[str, ...]
    defines: Callable[[str, str], bool]


def in_text(text: str) -> Iterator[str]:
    """What may be a project's command in a text, as `make deploy`."""
    for match in re.finditer(_CALL, text):
        runner = " ".join(match[1].split())
        yield f"{runner} {match[2].rstrip('.:-')}"


def parted(command: str) -> tuple[Runner, str] | None:
    """The runner and the word of a command; None where the runner is not known."""
    name, _, word = command.rpartition(" ")
    runner = _RUNNERS.get(name.removesuffix(" run"))
    return (runner, word) if runner and word else None


def _is_target(text: str, word: str) -> bool:
    """Whether a Makefile has the target; `deploy := x` is a variable.

    Line by line, since a pattern would take time in the square of a long line.
    """
    for line in text.splitlines():
        head, colon, rest = line.partition(":")
        if not colon or line[:1].isspace() or rest.lstrip(":").startswith("="):
            continue
        if not set("#=").intersection(head) and word in head.split():
            return True
    return False


def _is_recipe(text: str, word: str) -> bool:
    line = rf"^@?{re.escape(word)}(?:[ \t][^:\n]*)?:(?!=)"
    return re.search(line, text, re.MULTILINE) is not None


def _is_task(text: str, word: str) -> bool:
    return re.search(rf"^[ \t]+{re.escape(word)}:", text, re.MULTILINE) is not None


def _is_script(text: str, word: str) -> bool:
    import json

    try:
        scripts = json.loads(text).get("scripts")
    except (ValueError, RecursionError, AttributeError):
        return False
    return isinstance(scripts, dict) and word in scripts


_PACKAGE = Runner(("package.json",), _is_script)
_RUNNERS = {
    "make": Runner(("GNUmakefile", "makefile", "Makefile"), _is_target),
    "just": Runner(("justfile", "Justfile", ".justfile"), _is_recipe),
    "task": Runner(("Taskfile.yml", "Taskfile.yaml"), _is_task),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), _PACKAGE),
}
_CALL = r"(?<![\w./-])((?:npm|pnpm|yarn|bun)(?: +run)?|make|just|task) +([\w][\w.:/-]*)"
