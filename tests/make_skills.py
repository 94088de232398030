"""Writes skills/ anew from its templates: `make skills`.

Invariant: the same templates and catalog give the same bytes, and no text changes
under a version that it had before: the catalog remembers the hash of each version, by
which `memcli skills install` tells what it wrote itself from what a person edited.

A skill's page is `_templates/page.md` around its own template; `@{name}` stands for a
file of `_templates/shared/` or for a fact of `facts.toml`. Standard library only.
"""

import hashlib
import json
import sys
import tomllib
from pathlib import Path
from string import Template
from typing import Any

SKILLS = Path(__file__).resolve().parent.parent / "skills"
CATALOG = "catalog.json"


class Page(Template):
    """A template whose sign is `@`, which shell commands do without."""

    delimiter = "@"


class VersionNotRaised(Exception):
    """A text changed, and its version did not."""


def generate(skills: Path) -> dict[str, bytes]:
    """Every generated file below `skills`, by its path there, the catalog included.

    Args:
        skills: the folder with `_templates/`, and the catalog as it is, if any.

    Raises:
        VersionNotRaised: naming every skill whose version must be raised.
        KeyError, ValueError: a template names what is not there, or is wrong.
    """
    templates = skills / "_templates"
    facts = tomllib.loads(read(templates / "facts.toml"))
    known = json.loads(read(skills / CATALOG)) if (skills / CATALOG).exists() else {}
    files: dict[str, bytes] = {}
    catalog: dict[str, Any] = {}
    unraised = []
    for skill, about in sorted(facts.items()):
        pages = pages_of(skill, about, templates)
        before = known.get(skill, {"version": 0, "files": {}})
        listed = {}
        for path, page in sorted(pages.items()):
            files[path] = page
            sha256 = hashlib.sha256(page).hexdigest()
            old = before["files"].get(path, {"sha256": None, "earlier": []})
            earlier = list(old["earlier"])
            if old["sha256"] not in (None, sha256):
                if about["version"] <= before["version"]:
                    unraised.append(skill)
                earlier.append(old["sha256"])
            listed[path] = {"earlier": earlier, "sha256": sha256}
        catalog[skill] = {
            "description": about["description"].strip(),
            "files": listed,
            "name": about.get("name", skill),
            "version": about["version"],
        }
    if unraised:
        raise VersionNotRaised(", ".join(sorted(set(unraised))))
    text = json.dumps(catalog, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    return {**files, CATALOG: text.encode()}


def pages_of(skill: str, about: dict[str, Any], templates: Path) -> dict[str, bytes]:
    """The SKILL.md files of one skill: one, or one a variant, by path."""
    variants = about.get("variants")
    if variants is None:
        return {f"{skill}/SKILL.md": page(skill, about, templates)}
    return {
        f"{skill}/{variant}/SKILL.md": page(skill, {**about, **own}, templates)
        for variant, own in variants.items()
    }


def page(skill: str, about: dict[str, Any], templates: Path) -> bytes:
    """One SKILL.md."""
    facts = {k: str(v).strip() for k, v in about.items() if k != "variants"}
    facts = {"name": skill, **facts}
    if '"' in facts["description"] or "\\" in facts["description"]:
        raise ValueError(f"{skill}: a description holds no double quote or backslash")
    shared: dict[str, str] = {}
    for path in sorted((templates / "shared").glob("*.md")):
        shared[path.stem] = Page(read(path)).substitute(facts).strip()
    body = Page(read(templates / f"{skill}.md")).substitute(shared, **facts).strip()
    text = Page(read(templates / "page.md")).substitute(facts, body=body)
    return text.encode()


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def main() -> int:
    """Write what has changed, and remove pages that nothing generates any more."""
    try:
        files = generate(SKILLS)
    except VersionNotRaised as problem:
        print(
            f"changed, so raise the version in skills/_templates/facts.toml: {problem}"
        )
        return 1
    for path, data in files.items():
        target = SKILLS / path
        if not target.exists() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            print(f"wrote skills/{path}")
    for target in SKILLS.rglob("SKILL.md"):
        if target.relative_to(SKILLS).as_posix() not in files:
            target.unlink()
            print(f"removed skills/{target.relative_to(SKILLS).as_posix()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
