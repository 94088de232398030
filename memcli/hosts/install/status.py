"""Where memcli is installed, and whether it would work there.

Codex skips a hook that its user has not trusted, and does not say so.

Invariant: it only looks. A problem is a sentence that says what is wrong and what to
do; an installation without problems has hooks that run.
"""

from __future__ import annotations

import os
import re

from memcli.errors import InvalidConfig, MemcliError, UnsafePath, UsageError
from memcli.hosts import table
from memcli.hosts.install import plans
from memcli.hosts.install.command_line import Program, calls
from memcli.hosts.install.plans import COMMANDS, HOOKS, SERVER
from memcli.hosts.install.step import SCOPES, Machine, read
from memcli.named_tuple import NamedTuple
from memcli.storage import files, known_vaults

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from memcli.hosts.host import Host


class Installation(NamedTuple):
    """The hooks of a host at one scope, or memcli among its MCP servers.

    Attributes:
        what, host, scope, path: hooks or MCP server; whose; and the file.
        found: whether the host seems to be on this machine.
        state: yes, no or unreadable.
        problems: what keeps it from working.
        notes: what is good to know.
        mend: the step that mends the first problem.
    """

    what: str
    host: str
    scope: str
    path: str
    found: bool
    state: str = "no"
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    mend: str = ""

    @property
    def again(self) -> str:
        """The command that installs it anew."""
        more = " --mcp" if self.what == SERVER else ""
        return f"memcli install {self.host} --scope {self.scope}{more}"


def survey(
    machine: Machine, which: Callable[[str], str | None]
) -> Iterator[Installation]:
    """Every host at every scope.

    Args:
        machine: the machine, with the memcli that runs now.
        which: the path of a program by its name, None when there is none.
    """
    for host in table.with_hooks():
        folder = host.folder(machine.environ)
        found = os.path.isdir(folder) or any(map(which, host.binaries))
        for what in (HOOKS, SERVER):
            for scope in SCOPES:
                try:
                    path, _ = plans.locate(what, host, scope, machine)
                except (UsageError, UnsafePath):  # a home; a link out of a project
                    continue
                one = Installation(what, host.name, scope, path, found)
                yield _looked_at(one, host, machine)


def _looked_at(one: Installation, host: Host, machine: Machine) -> Installation:
    """An installation, with what its file says and what is wrong with it."""
    try:
        data = read(one.path) or b""
        looks = one.what == HOOKS or plans.NAME.encode() in data
        found = plans.calls_in(one.what, host, one.path, data) if looks else []
        if not found:
            return one
        words, vault = _words(one.what, found, windows=machine.program.windows)
        own = Program(tuple(words), machine.program.windows)
        at = machine._replace(program=own, vault=vault)
        try:
            changes = not words or plans.plan(one.what, host, one.scope, at).changes
        except InvalidConfig:  # it has comments
            changes = True
    except MemcliError as error:
        return one._replace(state="unreadable", problems=(error.message,))
    shown = " ".join(words) or "the program"
    wrong: list[tuple[str, str]] = []
    notes = []
    if not words or not os.access(words[0], os.X_OK):
        wrong.append((f"{shown} cannot be started", one.again))
    elif _same(words) != _same(machine.program.words):
        notes.append(f"starts {shown}, not the memcli that runs now")
    if changes:
        wrong.append((f"{one.what} not as memcli writes them", one.again))
    if host.needs_trust and one.what == HOOKS:
        wrong += _distrust(one, host, machine)
    try:
        known_vaults.place_of(vault, machine.environ)
    except MemcliError as error:
        mend = f"{one.again} --vault PATH"
        why = f"{one.what} can do nothing: {error.message}"
        wrong.append((why, mend if vault else error.hint or mend))
    return one._replace(
        state="yes",
        problems=tuple(f"{problem}: {step}" for problem, step in wrong),
        notes=tuple(notes),
        mend=wrong[0][1] if wrong else "",
    )


def _words(
    what: str, found: Sequence[dict[str, Any]], *, windows: bool
) -> tuple[list[str], str | None]:
    """The words that start memcli in these entries, and the vault that is pinned."""
    first = found[0]
    if "words" in first:
        return first["words"], first["vault"]
    words: list[str] = []
    if what == SERVER:
        for part in (first.get("command"), first.get("args")):
            words += map(str, part) if isinstance(part, list) else [str(part)]
    else:
        # PowerShell's line is for another system than this one.
        names = [each for each in COMMANDS if each != "powershell" or windows]
        lines = (str(hook.get(name, "")) for hook in found for name in names)
        words = next(filter(None, map(calls, lines)), [])
    command = "mcp" if what == SERVER else "hook"
    program = words[: words.index(command)] if command in words else []
    pinned = "--vault" in words[:-1]
    return program, words[words.index("--vault") + 1] if pinned else None


def _distrust(
    one: Installation, host: Host, machine: Machine
) -> Iterator[tuple[str, str]]:
    """Why Codex does not run the hooks, and what to do; nothing when its config names
    their file and each event among what its user trusts."""
    try:
        said = files.read(host.path("config.toml", machine.environ))
    except MemcliError:
        said = b""
    names = (one.path, os.path.realpath(one.path))
    refused = []
    for event, _ in host.events:
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event).lower()
        if not any(os.fsencode(f"{name}:{snake}:") in said for name in names):
            refused.append(event)
    if refused:
        why = f"Codex does not trust {', '.join(refused)} and runs nothing there"
        yield why, "start codex, type /hooks, and allow those of memcli"


def _same(words: Sequence[str]) -> list[str]:
    """Words with one kind of slash: bash has another than Windows."""
    return [os.path.normcase(word) for word in words]
