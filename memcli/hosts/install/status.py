"""Where memcli is installed, and whether it would work there.

Codex skips a hook that its user has not trusted, and does not say so. It keeps a hash
of each trusted hook by place: a hook that was changed or moved is not trusted any more.
How the hash is made is not documented, so a hash means only that the hook was trusted
once.

Invariant: it only looks. A problem is a sentence that says what is wrong and what to
do; an installation without problems has hooks that run.
"""

from __future__ import annotations

import os
import re

from memcli.errors import InvalidConfig, MemcliError
from memcli.hosts import table
from memcli.hosts.install import command_line, settings
from memcli.hosts.install.command_line import Program, calls
from memcli.hosts.install.settings import SCOPES, SettingsFile
from memcli.named_tuple import NamedTuple
from memcli.storage import files, known_vaults

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any


class Installation(NamedTuple):
    """A host at one scope.

    Attributes:
        host, scope, path: whose settings, and the file.
        found: whether the host seems to be on this machine.
        state: yes, no or unreadable.
        program: what starts memcli there.
        vault: the vault that is pinned.
        problems: what keeps hooks from working.
        notes: what is good to know.
        mend: the step that mends the first problem.
    """

    host: str
    scope: str
    path: str
    found: bool
    state: str = "no"
    program: str | None = None
    vault: str | None = None
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    mend: str = ""

    @property
    def again(self) -> str:
        """The command that installs it anew."""
        return f"memcli install {self.host} --scope {self.scope}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return self._asdict()


def survey(
    environ: Mapping[str, str],
    cwd: str,
    program: Program,
    which: Callable[[str], str | None],
) -> list[Installation]:
    """Every host at every scope.

    Args:
        environ: HOME, and the variables that move a host's folder.
        cwd: the current folder, which the project is found from.
        program: the memcli that runs now.
        which: the path of a program by its name, None when there is none.
    """
    installations: list[Installation] = []
    for host in table.with_hooks():
        folder = host.folder(environ)
        found = os.path.isdir(folder) or any(map(which, host.binaries))
        user = None
        for scope in SCOPES:
            try:
                file = settings.locate(host, scope, environ, cwd)
            except MemcliError:  # a home folder, or a link that leads out of a project
                continue
            one = Installation(host.name, scope, file.path, found)
            one = _looked_at(one, file, environ, program)
            if user and user.state == one.state == "yes":
                note = f"hooks stand at scope user, too: memcli uninstall {host.name}"
                one = one._replace(notes=(*one.notes, f"{note} --scope {scope}"))
            user = one
            installations.append(one)
    return installations


class _Hooks(NamedTuple):
    """The hooks in a file: the words and the vault of their calls, whether they are as
    memcli writes them, whether the host has them switched off, and their places."""

    words: list[str]
    vault: str | None
    current: bool
    off: bool = False
    places: Sequence[settings.Path] = ()


def _looked_at(
    one: Installation,
    file: SettingsFile,
    environ: Mapping[str, str],
    program: Program,
) -> Installation:
    """An installation, with what its file says and what is wrong with it."""
    try:
        data = settings.read(file.path)
        read = _plugin if file.host.is_plugin else _settings
        hooks = None if data is None else read(file, data, windows=program.windows)
    except MemcliError as error:
        return one._replace(state="unreadable", problems=(error.message,))
    if hooks is None:
        return one
    shown = " ".join(hooks.words) or "the program"
    wrong: list[tuple[str, str]] = []
    notes = []
    if not hooks.words or not os.access(hooks.words[0], os.X_OK):
        wrong.append((f"{shown} cannot be started", one.again))
    elif _same(hooks.words) != _same(program.words):
        notes.append(f"starts {shown}, not the memcli that runs now")
    if not hooks.current:
        wrong.append(("the hooks are not as memcli writes them", one.again))
    if hooks.off:
        wrong.append(("all hooks are switched off in this file", "switch them on"))
    if file.host.needs_trust:
        wrong += _distrust(file, file.host.folder(environ), hooks.places)
    pinned = hooks.vault
    mend = f"{one.again} --vault PATH"
    try:
        known_vaults.place_of(pinned, environ)
    except MemcliError as error:
        why = f"the hooks do nothing: {error.message}"
        wrong.append((why, mend if pinned else error.hint or mend))
    else:
        if not pinned and not known_vaults.default_vault(environ):
            notes.append(
                "there is no default vault, and MEMCLI_VAULT reaches only hosts that "
                f"are started from a shell that sets it: {mend}"
            )
    return one._replace(
        state="yes",
        program=shown,
        vault=pinned,
        problems=tuple(f"{problem}: {step}" for problem, step in wrong),
        notes=tuple(notes),
        mend=wrong[0][1] if wrong else "",
    )


def _plugin(_: SettingsFile, data: bytes, **_windows: bool) -> _Hooks | None:
    if not command_line.is_ours(data):
        return None
    words, vault = command_line.constants(data)
    return _Hooks(words, vault, command_line.is_untouched(data))


def _settings(file: SettingsFile, data: bytes, *, windows: bool) -> _Hooks | None:
    text = settings.decoded(data, file.path)
    root = settings.load(text, file.path)
    entries = list(settings.entries(root, file.host))
    if not entries:
        return None
    # PowerShell's line is for another system than this one.
    lines = [
        calls(str(hook.get(name, "")))
        for _, hook in entries
        for name in settings.COMMANDS
        if name != "powershell" or windows
    ]
    called = next(filter(None, lines), [])
    words = called[: called.index("hook")] if called else []
    vault = None
    if "--vault" in called[:-1]:
        vault = called[called.index("--vault") + 1]
    wanted = settings.wanted(file.host, Program(tuple(words), windows), vault)
    try:
        merged = settings.merged(text, file.path, file.host, wanted)
    except InvalidConfig:  # it has comments
        merged = ""
    config = root.get("hooksConfig")  # Gemini's
    off = root.get("disableAllHooks") is True
    off = off or (isinstance(config, dict) and config.get("enabled") is False)
    return _Hooks(words, vault, merged == text, off, [place for place, _ in entries])


def _distrust(
    file: SettingsFile, folder: str, places: Sequence[settings.Path]
) -> Iterator[tuple[str, str]]:
    """Why Codex does not run the hooks, and what to do; nothing when it does."""
    import tomllib

    config = os.path.join(folder, "config.toml")
    said: Mapping[str, Any] = {}
    try:
        said = tomllib.loads(files.read(config).decode())
    except (MemcliError, ValueError):
        pass
    state = _table(_table(said, "hooks"), "state")
    names = {file.path, os.path.realpath(file.path)}
    refused = []
    for _, event, group, _, number in places:
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(event)).lower()
        known = [_table(state, f"{name}:{snake}:{group}:{number}") for name in names]
        if not any(
            each.get("trusted_hash") and each.get("enabled") is not False
            for each in known
        ):
            refused.append(str(event))
    if refused:
        why = f"Codex does not trust {', '.join(refused)} and runs nothing there"
        yield why, "start codex, type /hooks, and allow those of memcli"
    roots = {file.root, os.path.realpath(file.root)}
    projects = _table(said, "projects")
    if file.scope == "project" and not any(
        _table(projects, root).get("trust_level") == "trusted" for root in roots
    ):
        why = f"Codex does not trust the project {file.root}"
        yield why, "start codex in it and say yes"
    features = _table(said, "features")
    if features.get("hooks", features.get("codex_hooks")) is False:
        yield f"hooks are switched off in {config}", "switch them on"


def _table(toml: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = toml.get(name)
    return value if isinstance(value, dict) else {}


def _same(words: Sequence[str]) -> list[str]:
    """Words with one kind of slash: bash has another than Windows."""
    return [os.path.normcase(word) for word in words]
