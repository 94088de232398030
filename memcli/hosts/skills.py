"""Skills: the pages that teach an agent to use memcli, and their copies in folders.

Invariant: a copy is written over or removed only when its bytes are those that some
version of the catalog wrote (line ends aside). A page that a person edited, that a
newer memcli wrote or that is not memcli's stays as it is, and is named.
"""

from __future__ import annotations

import hashlib
import os
import re

from memcli.errors import MemcliError, SkillNotFound, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.storage import files, package_data

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

GENERIC = "generic"
PAGE = "SKILL.md"
# Twenty times the longest page; a larger file is not a page of memcli's.
_MOST_BYTES = 200_000


class PageFile(NamedTuple):
    """A page of a skill: its path below skills/, its hash, those it had before."""

    path: str
    sha256: str
    earlier: tuple[str, ...]


class Skill(NamedTuple):
    """A skill of the catalog.

    `folder` is its name for hosts, and that of its folder there; `files` has its page
    under "", or its pages by variant.
    """

    name: str
    folder: str
    version: int
    description: str
    files: Mapping[str, PageFile]

    def file(self, variant: str) -> PageFile:
        """The page for a variant; of a skill without variants, its page."""
        return self.files.get("") or self.files.get(variant) or self.files[GENERIC]


class InstalledPage(NamedTuple):
    """A page in a host's folder.

    `state`: current, outdated, edited (a person changed it), newer (than this
    memcli) or foreign (not memcli's). `variant` is known of the first two.
    """

    path: str
    state: str
    version: int | None
    variant: str | None


class PageChange(NamedTuple):
    """The change of one page.

    Attributes:
        name: the skill's.
        path: the page's file.
        outcome: installed, updated, unchanged, kept or removed.
        version, version_before: of the page; None for no page before.
        variant: the page's; empty for a skill without variants.
        reason: why the page is kept, or is another than the host's own.
    """

    name: str
    path: str
    outcome: str
    version: int
    version_before: int | None
    variant: str
    reason: str | None


def catalog() -> dict[str, Skill]:
    """Every skill that comes with memcli, by name, in the order of names.

    Raises:
        MemcliError: the installation lacks the catalog, or it is damaged.
    """
    import json

    path = os.path.join(package_data.folder("skills"), "catalog.json")
    try:
        listed = json.loads(files.read(path))
        return {name: _skill(name, about) for name, about in sorted(listed.items())}
    except (Unreadable, ValueError, KeyError, TypeError, AttributeError) as error:
        raise MemcliError(
            f"{path} is damaged: {error}", hint="Install memcli again."
        ) from error


def _skill(name: str, about: dict[str, Any]) -> Skill:
    pages = {}
    for path, file in about["files"].items():
        variant = path.removeprefix(name).removesuffix(PAGE).strip("/")
        pages[variant] = PageFile(path, file["sha256"], tuple(file["earlier"]))
    return Skill(name, about["name"], about["version"], about["description"], pages)


def pick(names: Iterable[str]) -> list[Skill]:
    """The skills of these names, each once.

    Raises:
        SkillNotFound: naming the skills that there are.
    """
    known = catalog()
    by_folder = {skill.folder: skill for skill in known.values()}
    picked = {}
    for name in names:
        skill = known.get(name) or by_folder.get(name)
        if skill is None:
            raise SkillNotFound(
                f"there is no skill {name!r}", hint=f"There are: {', '.join(known)}."
            )
        picked[skill.name] = skill
    return list(picked.values())


def page(skill: Skill, variant: str) -> bytes:
    """The bytes of a skill's page, checked against the catalog.

    Raises:
        MemcliError: the installation is damaged.
    """
    file = skill.file(variant)
    path = os.path.join(package_data.folder("skills"), *file.path.split("/"))
    data = _lf(files.read(path))
    if _hash(data) != file.sha256:
        raise MemcliError(
            f"{path} is not what the catalog says", hint="Install memcli again."
        )
    return data


def look(skill: Skill, folder: str) -> InstalledPage | None:
    """The page of a skill in a host's folder; None when there is none."""
    path = os.path.join(folder, skill.folder, PAGE)
    if not os.path.lexists(path):
        return None
    try:
        data = _lf(files.read(path, limit=_MOST_BYTES))
    except Unreadable:
        return InstalledPage(path, "foreign", None, None)
    sha256 = _hash(data)
    footer = re.search(rb"<!-- version: (\d{1,6}) -->\s*\Z", data)
    version = int(footer[1]) if footer else None
    for variant, file in skill.files.items():
        if sha256 == file.sha256:
            return InstalledPage(path, "current", version, variant)
        if sha256 in file.earlier:
            return InstalledPage(path, "outdated", version, variant)
    named = re.match(rb"---\nname: (\S+)\n", data)
    if version is None or named is None or named[1].decode() != skill.folder:
        return InstalledPage(path, "foreign", None, None)
    state = "newer" if version > skill.version else "edited"
    return InstalledPage(path, state, version, None)


def plan(
    skills: Sequence[Skill], folder: str, variant: str, *, shared: bool, force: bool
) -> list[PageChange]:
    """The change to each page that installing these skills into a folder would make.

    Args:
        skills: as `pick` gives them.
        folder: the host's folder of skills; need not exist.
        variant: the page of a skill that has variants.
        shared: whether other hosts read this folder: where another host's page is,
            the generic one takes its place, which suits both.
        force: write over what was edited; never over what is foreign.
    """
    return [
        _step(skill, folder, variant, shared=shared, force=force) for skill in skills
    ]


def _step(
    skill: Skill, folder: str, variant: str, *, shared: bool, force: bool
) -> PageChange:
    copy = look(skill, folder)
    variant = "" if "" in skill.files else variant
    reason = None
    if copy and copy.variant not in (None, variant) and shared:
        variant, reason = GENERIC, "other hosts read this folder too"
    if copy is None:
        path = os.path.join(folder, skill.folder, PAGE)
        before, outcome = None, "installed"
    else:
        path, before = copy.path, copy.version
        same = copy.state == "current" and copy.variant == variant
        outcome = "unchanged" if same else "updated"
        if copy.state == "foreign":
            outcome, reason = "kept", "it is not memcli's; move it away first"
        elif copy.state in ("edited", "newer") and not force:
            why = "edited" if copy.state == "edited" else "written by a newer memcli"
            outcome, reason = "kept", f"it was {why}; --force writes over it"
    return PageChange(skill.name, path, outcome, skill.version, before, variant, reason)


def plan_removal(
    skills: Sequence[Skill], folder: str, *, force: bool
) -> list[PageChange]:
    """The change to each page of these skills that is in a folder, to take it out.

    Args:
        skills: as `pick` gives them.
        folder: the host's folder of skills.
        force: remove what was edited as well; never what is foreign.
    """
    steps = []
    for skill in skills:
        copy = look(skill, folder)
        if copy is None:
            continue
        outcome, reason = "removed", None
        if copy.state == "foreign":
            outcome, reason = "kept", "it is not memcli's"
        elif copy.state in ("edited", "newer") and not force:
            why = "edited" if copy.state == "edited" else "written by a newer memcli"
            outcome, reason = "kept", f"it was {why}; --force removes it"
        variant = copy.variant or ""
        steps.append(
            PageChange(
                skill.name,
                copy.path,
                outcome,
                skill.version,
                copy.version,
                variant,
                reason,
            )
        )
    return steps


def apply(steps: Sequence[PageChange]) -> None:
    """Write and remove what a plan says; what it keeps or leaves unchanged is not
    touched. The folder of a page that is removed goes when nothing else is in it.

    Raises:
        WriteFailed: the disk refused.
    """
    for step in steps:
        if step.outcome == "removed":
            files.remove(step.path)
            try:
                os.rmdir(os.path.dirname(step.path))
            except OSError:
                continue  # something else lies there
    known = catalog()
    files.write_several(
        [
            (step.path, page(known[step.name], step.variant))
            for step in steps
            if step.outcome in ("installed", "updated")
        ]
    )


def _lf(data: bytes) -> bytes:
    # A repository of dotfiles may turn line ends; that is no edit.
    return data.replace(b"\r\n", b"\n")


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
