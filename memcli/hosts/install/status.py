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

from memcli.errors import MemcliError
from memcli.hosts import table
from memcli.hosts.install import command_line, merge, settings_files
from memcli.hosts.install.command_line import Program, calls
from memcli.hosts.install.settings_files import SCOPES, SettingsFile
from memcli.named_tuple import NamedTuple
from memcli.storage import files, known_vaults

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from memcli.hosts.host import Host
    from memcli.hosts.install.merge import Path


class Installation(NamedTuple):
    """A host at one scope.

    Attributes:
        host, scope, path: whose settings, and the file.
        found: whether the host seems to be on this machine.
        state: yes, no, partly or unreadable.
        events: the host's names of the events that have a hook.
        program: what starts memcli there.
        runs: whether it can be started.
        vault: the vault that is pinned.
        timeouts: whether they are as they should be; None where there are none.
        trusted: whether the host trusts the hooks; None where it does not ask.
        problems: what keeps hooks from working.
        notes: what is good to know.
    """

    host: str
    scope: str
    path: str
    found: bool
    state: str
    events: tuple[str, ...] = ()
    program: str | None = None
    runs: bool | None = None
    vault: str | None = None
    timeouts: bool | None = None
    trusted: bool | None = None
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            **self._asdict(),
            "events": list(self.events),
            "problems": list(self.problems),
            "notes": list(self.notes),
        }


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
    installations = []
    for host in table.with_hooks():
        folder = host.folder(environ)
        found = os.path.isdir(folder) or any(map(which, host.binaries))
        for scope in SCOPES:
            try:
                file = settings_files.locate(host, scope, environ, cwd)
            except MemcliError:  # a home folder, or a link that leads out of a project
                continue
            empty = Installation(host.name, scope, file.path, found, "no")
            looked_at = _looked_at(empty, file, folder, program)
            installations.append(_with_vault(looked_at, environ))
    places = {
        (each.host, each.scope): each
        for each in installations
        if each.state in ("yes", "partly")
    }
    return [_doubled(each, places) for each in installations]


class _Contents:
    """What one file holds of memcli."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.hooks: list[tuple[Path, dict[str, Any]]] = []
        self.words: list[str] = []
        self.vault: str | None = None
        self.timeouts: bool | None = None
        self.problems: list[str] = []


def _looked_at(
    empty: Installation, file: SettingsFile, folder: str, program: Program
) -> Installation:
    host = file.host
    try:
        data = settings_files.read(file.path)
        if data is None:
            return empty
        if host.is_plugin:
            contents = _plugin(host, data)
        else:
            contents = _settings(
                host, settings_files.decoded(data, file.path), file, program
            )
    except MemcliError as error:
        return empty._replace(state="unreadable", problems=(error.message,))
    if not contents.events:
        return empty
    again = f"memcli install {host.name} --scope {file.scope}"
    lacking = [native for native, _ in host.events if native not in contents.events]
    problems = contents.problems
    if lacking:
        problems.append(f"no hook for {', '.join(lacking)}: {again}")
    runs = _runs(contents.words)
    if not runs:
        problems.append(f"{_shown(contents.words)} cannot be started: {again}")
    if contents.timeouts is False:
        problems.append(f"a timeout is not as it should be: {again}")
    trusted = None
    if host.needs_trust:
        distrust = _distrust(file, folder, contents)
        trusted = not distrust
        problems += distrust
    notes = []
    if runs and _same(contents.words) != _same(program.words):
        notes.append(f"starts {_shown(contents.words)}, not the memcli that runs now")
    return empty._replace(
        state="partly" if lacking else "yes",
        events=tuple(contents.events),
        program=_shown(contents.words),
        runs=runs,
        vault=contents.vault,
        timeouts=contents.timeouts,
        trusted=trusted,
        problems=tuple(problems),
        notes=tuple(notes),
    )


def _plugin(host: Host, data: bytes) -> _Contents:
    contents = _Contents()
    if not command_line.is_ours(data):
        return contents
    contents.events = [native for native, _ in host.events]
    contents.words, contents.vault = command_line.constants(data)
    current = command_line.plugin(Program(tuple(contents.words)), contents.vault)
    if not command_line.is_untouched(data):
        contents.problems.append("the plugin has been changed by hand")
    elif current.encode() != data:
        contents.problems.append("the plugin is of another version of memcli")
    return contents


def _settings(host: Host, text: str, file: SettingsFile, program: Program) -> _Contents:
    contents = _Contents()
    root = merge.load(text, file.path)
    contents.hooks = list(merge.entries(root, host))
    wanted = {want.native: want for want in settings_files.wanted(host, program, None)}
    for place, hook in contents.hooks:
        native = str(place[1])
        if native not in wanted:
            contents.problems.append(f"{native}: memcli has nothing to do there")
            continue
        if native in contents.events:
            contents.problems.append(f"{native}: stands there twice")
            continue
        contents.events.append(native)
        if host.timeout is not None:
            field = host.timeout[0]
            right = hook.get(field) == wanted[native].hook[field]
            contents.timeouts = right and contents.timeouts is not False
        for name in merge.COMMANDS:
            words = calls(str(hook.get(name, "")))
            # PowerShell's line is for another system than this one.
            if words and (name != "powershell" or program.windows):
                contents.words = contents.words or words[: words.index("hook")]
                if "--vault" in words[:-1]:
                    contents.vault = words[words.index("--vault") + 1]
    config = root.get("hooksConfig")  # Gemini's
    off = root.get("disableAllHooks") is True
    off = off or (isinstance(config, dict) and config.get("enabled") is False)
    if contents.events and off:
        contents.problems.append("all hooks are switched off in this file")
    return contents


_UNTRUSTED = "Codex does not trust "
_NO_VAULT = "the hooks do nothing: "


def mend_of(installation: Installation) -> str:
    """The step that mends an installation with problems: of the first one."""
    first = installation.problems[0]
    again = f"memcli install {installation.host} --scope {installation.scope}"
    if first.startswith(_UNTRUSTED):
        return "start codex, type /hooks, and allow those of memcli"
    if first.startswith(_NO_VAULT):
        name = f"{again} --vault PATH"
        return name if installation.vault else "name or make the vault, as said above"
    return again


def _distrust(file: SettingsFile, folder: str, contents: _Contents) -> list[str]:
    """Why Codex does not run the hooks; empty when it does."""
    config = os.path.join(folder, "config.toml")
    refused = untrusted(config, file.path, [place for place, _ in contents.hooks])
    problems = []
    if refused:
        problems.append(
            f"{_UNTRUSTED}{', '.join(refused)} and runs nothing there: "
            "start codex and type /hooks"
        )
    project = file.root
    if file.scope == "project" and not trusts_project(config, project):
        problems.append(
            f"{_UNTRUSTED}the project {project}: start codex in it and say yes"
        )
    if switched_off(config):
        problems.append(f"hooks are switched off in {config}")
    return problems


def _with_vault(installation: Installation, environ: Mapping[str, str]) -> Installation:
    """An installation, with what is wrong with the vault that its hooks would use."""
    if installation.state not in ("yes", "partly"):
        return installation
    pinned = installation.vault
    again = f"memcli install {installation.host} --scope {installation.scope}"
    try:
        known_vaults.place_of(pinned, environ)
    except MemcliError as error:
        way = f"{again} --vault PATH" if pinned else error.hint
        problem = f"{_NO_VAULT}{error.message}: {way}"
        return installation._replace(problems=(*installation.problems, problem))
    if pinned or known_vaults.default_vault(environ):
        return installation
    note = (
        "there is no default vault, and MEMCLI_VAULT reaches only hosts that are "
        f"started from a shell that sets it: {again} --vault PATH"
    )
    return installation._replace(notes=(*installation.notes, note))


def _doubled(
    installation: Installation, places: Mapping[tuple[str, str], Installation]
) -> Installation:
    """An installation, with what follows from the others: by host and scope."""
    name, scope = installation.host, installation.scope
    if (name, scope) not in places:
        return installation
    problems, notes = list(installation.problems), list(installation.notes)
    user = places.get((name, "user"))
    if scope == "project" and user is not None:
        one = f"memcli uninstall {name} --scope project"
        if (user.program, user.vault) == (installation.program, installation.vault):
            notes.append(f"the same stands at scope user, and one is enough: {one}")
        else:
            problems.append(
                "installed at both scopes with different commands, so each event is "
                f"told twice: {one}"
            )
    host = table.find(name)
    other = table.get(host.also_runs_project_of)
    if other is not None and (other.name, "project") in places:
        notes.append(settings_files.runs_also(host, other))
    return installation._replace(problems=tuple(problems), notes=tuple(notes))


def _runs(words: list[str]) -> bool:
    return bool(words) and os.path.isfile(words[0]) and os.access(words[0], os.X_OK)


def _same(words: Sequence[str]) -> list[str]:
    """Words with one kind of slash: bash has another than Windows."""
    return [os.path.normcase(word) for word in words]


def _shown(words: list[str]) -> str:
    return " ".join(words) or "the program"


def untrusted(config: str, path: str, hooks: Iterable[Path]) -> list[str]:
    """Names of the events whose hooks Codex does not run.

    Args:
        config: the path of Codex's config.toml.
        path: the file of the hooks.
        hooks: where they stand in it, as ("hooks", event, group, "hooks", number).
    """
    state = _table(_table(_codex_settings(config), "hooks"), "state")
    names = {path, os.path.realpath(path)}
    events = []
    for _, event, group, _, number in hooks:
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(event)).lower()
        known = [
            _table(state, f"{name}:{snake}:{group}:{number}") for name in sorted(names)
        ]
        if not any(
            each.get("trusted_hash") and each.get("enabled") is not False
            for each in known
        ):
            events.append(str(event))
    return events


def trusts_project(config: str, root: str) -> bool:
    """Whether Codex reads the settings of this project."""
    projects = _table(_codex_settings(config), "projects")
    return any(
        _table(projects, name).get("trust_level") == "trusted"
        for name in (root, os.path.realpath(root))
    )


def switched_off(config: str) -> bool:
    """Whether hooks are off altogether."""
    features = _table(_codex_settings(config), "features")
    return features.get("hooks", features.get("codex_hooks")) is False


def _codex_settings(config: str) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(files.read(config).decode())
    except (MemcliError, ValueError):
        return {}


def _table(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = settings.get(name)
    return value if isinstance(value, dict) else {}
