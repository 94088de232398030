"""Skills: the pages that teach an agent to use memcli, and their copies in folders.

A page is made when it is shown or installed: `page.md` around the skill's own text,
where `@{name}` stands for a file of `shared/` or for a fact of `skills.toml`. Its last
line has a checksum of what stands above.

Invariant: a copy is written over or removed only when its checksum holds (line ends
aside). A page that a person edited, or that is not memcli's, stays as it is, and is
named. Nothing is written through a link that leads out of a project.
"""

from __future__ import annotations

import hashlib
import os
import re

from memcli.entries import shipped
from memcli.errors import Unreadable, UnsafePath, UsageError
from memcli.hosts import table
from memcli.hosts.host import home, project_root
from memcli.hosts.install.step import SCOPES, Step, read
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.vault_paths import inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcli.hosts.host import Host


GENERIC = "generic"
PAGE = "SKILL.md"
# Twenty times the longest page; a larger file is not a page of memcli's.
_MOST_BYTES = 200_000
_LAST_LINE = re.compile(rb"<!-- (?:page: ([a-z-]+), )?checksum: ([0-9a-f]{16}) -->\s*")


class Skill(NamedTuple):
    """A skill that comes with memcli.

    `folder` is its name for hosts, and that of its folder there. `pages` has the
    facts of its page under "", or those of each variant under the variant's name.
    """

    name: str
    folder: str
    pages: Mapping[str, Mapping[str, str]]

    def variant(self, name: str) -> str:
        """The page for a host; "" of a skill that has one page for all."""
        if "" in self.pages:
            return ""
        return name if name in self.pages else GENERIC


class InstalledPage(NamedTuple):
    """A page in a host's folder.

    `state`: current, outdated, edited (a person changed it) or foreign (not memcli's).
    `variant` is known of the first two.
    """

    state: str
    variant: str | None = None


def catalog() -> dict[str, Skill]:
    """Every skill that comes with memcli, by name, in the order of names."""
    import tomllib

    found = {}
    for name, about in sorted(tomllib.loads(_source("skills.toml")).items()):
        variants = about.pop("variants", {"": {}})
        pages = {
            variant: {k: v.strip() for k, v in {"name": name, **about, **own}.items()}
            for variant, own in variants.items()
        }
        found[name] = Skill(name, about.get("name", name), pages)
    return found


def _source(name: str) -> str:
    path = os.path.join(shipped.our_folder("skills"), *name.split("/"))
    return _lf(files.read(path)).decode()


def page_of(skill: Skill, variant: str) -> bytes:
    """The bytes of a skill's page."""
    variant = skill.variant(variant)
    facts = skill.pages[variant]

    def filled(text: str) -> str:
        return re.sub(r"@\{(\w+)\}", lambda found: value(found[1]), text)

    def value(name: str) -> str:
        if name == "body":
            return filled(_source(f"{skill.name}.md")).strip()
        return facts.get(name) or filled(_source(f"shared/{name}.md")).strip()

    text = filled(_source("page.md")).strip().encode() + b"\n\n"
    named = f"page: {variant}, " if variant else ""
    return text + f"<!-- {named}checksum: {_checksum(text)} -->\n".encode()


def look(skill: Skill, folder: str) -> InstalledPage | None:
    """The page of a skill in a host's folder; None when there is none."""
    path = os.path.join(folder, skill.folder, PAGE)
    if not os.path.lexists(path):
        return None
    try:
        data = _lf(files.read(path, limit=_MOST_BYTES))
    except Unreadable:
        return InstalledPage("foreign")
    last = _LAST_LINE.search(data)
    if last is None or not data.startswith(f"---\nname: {skill.folder}\n".encode()):
        return InstalledPage("foreign")
    if data[last.end() :] or last[2].decode() != _checksum(data[: last.start()]):
        return InstalledPage("edited")
    variant = (last[1] or b"").decode()
    current = variant in skill.pages and data == page_of(skill, variant)
    return InstalledPage("current" if current else "outdated", variant)


def plan(
    skills: Sequence[Skill],
    folder: SkillFolder,
    host: str | None = None,
    *,
    force: bool = False,
    removal: bool = False,
) -> list[Step]:
    """Plan to install or to remove skills, a page a step.

    Where other hosts read the folder, and another host's page is there, the generic
    one takes its place, which suits both. Of a folder without the page, a removal says
    nothing.

    Args:
        skills: of the catalog.
        folder: the host's folder of skills; need not exist.
        host: whose pages; None for the generic ones.
        force: also what was edited; never what is foreign.
        removal: take the pages out that are there.
    """
    steps = []
    for skill in skills:
        copy = look(skill, folder.path)
        if copy is None and removal:
            continue
        path = os.path.join(folder.path, skill.folder, PAGE)
        step = Step(f"skill {skill.name}", host or "", folder.scope, path, "kept")
        step = step._replace(root=folder.path)
        state = copy.state if copy else ""
        if state == "foreign" or (state == "edited" and not force):
            verb = "removes" if removal else "writes over"
            steps.append(step._replace(why=_KEPT[state].format(verb)))
            continue
        page, why = skill.variant(record(host)[0] if host else GENERIC), ""
        if copy and len(folder.hosts) > 1 and copy.variant not in (None, page):
            page, why = GENERIC, "other hosts read this folder too"
        done = "updated" if copy else "installed"
        before = after = read(path)
        if removal:
            done, after, why = "removed", None, ""
        elif copy == ("current", page):
            done = "unchanged"
        else:
            after = page_of(skill, page)
        steps.append(step._replace(outcome=done, before=before, after=after, why=why))
    return steps


_KEPT = {
    "foreign": "it is not memcli's; move it away first",
    "edited": "it was edited; --force {} it",
}


def _lf(data: bytes) -> bytes:
    # A repository of dotfiles may turn line ends; that is no edit.
    return data.replace(b"\r\n", b"\n")


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


# Agents without a command line: memcli has a page for them, and nothing else.
_PAGE_ONLY = ("chatgpt", "claude-desktop")
HOSTS = (*(name for name in table.NAMES if name != GENERIC), *(*_PAGE_ONLY, GENERIC))
"""The hosts that skills are written for."""


class SkillFolder(NamedTuple):
    """A folder of skills, and the hosts that memcli writes there for."""

    path: str
    scope: str
    hosts: tuple[str, ...]


def record(name: str) -> tuple[str, Host | None]:
    """The page of the core skill for a host, and its row: a page that is a host's own
    names it as well.

    Raises:
        UsageError: memcli does not know this host.
    """
    for host in table.hosts():
        page = host.skill_page or host.name
        if name != GENERIC and name in (host.name, page):
            return page, host
    if name not in HOSTS:
        raise UsageError(f"unknown host {name!r}", hint=f"Known: {', '.join(HOSTS)}.")
    return name, None


def places(environ: Mapping[str, str], cwd: str) -> list[SkillFolder]:
    """Every folder that memcli installs skills into, for the user and the project."""
    folders: dict[str, SkillFolder] = {}
    for scope in SCOPES:
        for host in table.hosts():
            if host.skill_folder:
                try:
                    folder = place(host.name, scope, environ, cwd)
                except UnsafePath:
                    continue  # it leads out of the project
                folders.setdefault(folder.path, folder)
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
    row = record(host)[1]
    if row is None or row.skill_folder is None:
        raise UsageError(
            f"memcli knows no folder of skills for {host}",
            hint=f"Name one: memcli install {host} --skills --dir PATH",
        )
    own = home(environ)
    root = own if scope == "user" else project_root(cwd, home=own)
    path = os.path.join(root, *row.skill_folder.split("/"))
    moved = environ.get("CLAUDE_CONFIG_DIR")
    if scope == "project":
        inside(root, row.skill_folder)
    elif moved and row.skill_folder == ".claude/skills":
        path = os.path.join(os.path.abspath(os.path.expanduser(moved)), "skills")
    sharing = tuple(
        other.name for other in table.hosts() if other.skill_folder == row.skill_folder
    )
    return SkillFolder(path, scope, sharing)
