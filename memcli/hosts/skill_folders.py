"""The folders where hosts look for skills, of the user and of a project.

Invariant: reads only. A folder of a project lies in the project, also through links.
"""

from __future__ import annotations

import os

from memcli.errors import UsageError
from memcli.hosts import project_folder, table
from memcli.hosts.skills import GENERIC, PAGE
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcli.hosts.skills import Skill

# Agents without a command line: memcli has a page for them, and nothing else.
_PAGE_ONLY = ("chatgpt", "claude-desktop")
HOSTS = (
    *(name for name in table.NAMES if name != GENERIC),
    *(*_PAGE_ONLY, GENERIC),
)
"""The hosts that skills are written for."""
SCOPES = ("user", "project")


class SkillFolder(NamedTuple):
    """A folder of skills, and the hosts that memcli writes there for."""

    path: str
    scope: str
    hosts: tuple[str, ...]


def variant_of(host: str | None) -> str:
    """The variant of the core skill for a host; generic when none is named.

    Raises:
        UsageError: memcli does not know this host.
    """
    if not host:
        return GENERIC
    record = table.get(_known(host))
    return record.skill_page if record else host


def _known(name: str) -> str:
    """A host's name; a page of the core skill that is its own names it as well."""
    if name not in HOSTS:
        name = next((h.name for h in table.hosts() if h.skill_page == name), name)
    if name not in HOSTS:
        raise UsageError(f"unknown host {name!r}", hint=f"Known: {', '.join(HOSTS)}.")
    return name


def places(environ: Mapping[str, str], cwd: str) -> list[SkillFolder]:
    """Every folder that memcli installs skills into, for the user and the project."""
    by_path: dict[tuple[str, str], list[str]] = {}
    for scope in SCOPES:
        root = _root(scope, environ, cwd)
        for host in table.hosts():
            if host.skill_folder:
                path = _below(root, host.skill_folder, environ, scope)
                by_path.setdefault((path, scope), []).append(host.name)
    folders: dict[str, SkillFolder] = {}
    for (path, scope), names in by_path.items():
        folders.setdefault(path, SkillFolder(path, scope, tuple(names)))
    return list(folders.values())


def place(host: str, scope: str, environ: Mapping[str, str], cwd: str) -> SkillFolder:
    """The folder that a host's skills go into.

    Args:
        host: one of HOSTS, or its page of the core skill.
        scope: user or project; the project is the repository that `cwd` lies in,
            else `cwd`.
        environ: HOME (or USERPROFILE), CLAUDE_CONFIG_DIR.
        cwd: the current folder.

    Raises:
        UsageError: the host is unknown, or has no folder that is known.
        UnsafePath: the project's leads out of the project through a link.
    """
    name = _known(host)
    record = table.get(name)
    if record is None or record.skill_folder is None:
        raise UsageError(
            f"memcli knows no folder of skills for {name}",
            hint=f"Name one with --dir, or print a skill: memcli skills show core "
            f"--host {name}",
        )
    root = _root(scope, environ, cwd)
    path = _below(root, record.skill_folder, environ, scope)
    if scope == "project":
        project_folder.refuse_outside(root, record.skill_folder)
    sharing = tuple(
        other.name
        for other in table.hosts()
        if other.skill_folder == record.skill_folder
    )
    return SkillFolder(path, scope, sharing)


def _root(scope: str, environ: Mapping[str, str], cwd: str) -> str:
    home = environ.get("HOME") or environ.get("USERPROFILE") or os.path.expanduser("~")
    if scope == "user":
        return home
    return project_folder.root(cwd, home=home)


def _below(root: str, folder: str, environ: Mapping[str, str], scope: str) -> str:
    moved = environ.get("CLAUDE_CONFIG_DIR")
    if moved and scope == "user" and folder == ".claude/skills":
        return os.path.join(os.path.abspath(os.path.expanduser(moved)), "skills")
    return os.path.join(root, *folder.split("/"))


def doubles(
    skills: Sequence[Skill], host: str, scope: str, environ: Mapping[str, str], cwd: str
) -> list[str]:
    """Paths of skills of the same names in other folders that the host reads."""
    record = table.get(_known(host))
    if record is None:
        return []
    root = _root(scope, environ, cwd)
    others = record.more_skills_in_project
    if scope == "user":
        others = record.more_skills_at_home
    paths = [
        os.path.join(_below(root, other, environ, scope), skill.folder, PAGE)
        for other in others
        for skill in skills
    ]
    return [path for path in paths if os.path.exists(path)]
