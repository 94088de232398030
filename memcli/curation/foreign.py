"""Importing what other tools remember.

Invariant: the tools' files are only read. A memory keeps where it came from, loses what
looks like a secret, and holds where the tool had it: in the project of the folder that
it is about, or everywhere. Importing the same again adds nothing.
"""

from __future__ import annotations

import os

from memcli.entries.projects import check_project
from memcli.entries.text import redaction
from memcli.errors import InvalidValue, MemcliError
from memcli.hosts import host
from memcli.hosts.memories.memory import Memory, Problem, Tool, line_of
from memcli.named_tuple import NamedTuple
from memcli.storage import projects

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from memcli.entries.entry import Entry
    from memcli.vault.vault import Vault


class Drafts(NamedTuple):
    """What memories become.

    Attributes:
        entries: (place, line, draft) of each memory that can be saved.
        refused: (place, line, error) of each that cannot.
        redacted: the places where a secret was taken out.
    """

    entries: list[tuple[str, int, Entry]]
    refused: list[tuple[str, int, MemcliError]]
    redacted: list[str]


class At(NamedTuple):
    """Where an import is called: the environment, and the project at hand."""

    environ: Mapping[str, str]
    project: projects.Project | None


def drafts(
    vault: Vault, tool: Tool, found: Iterable[Memory | Problem], at: At
) -> Drafts:
    """Turn the memories of a tool into drafts of entries.

    Args:
        vault: where they will go.
        tool: whose they are.
        found: of `tools.found`.
        at: where the import is called.
    """
    made = Drafts([], [], [])
    known: dict[str, str | None] = {}
    for item in found:
        place = _shown(item.place, at)
        if isinstance(item, Problem):
            error = InvalidValue(item.reason, code="unreadable")
            made.refused.append((place, item.line, error))
            continue
        fields = dict(item.fields)
        for name in ("text", "title"):
            clean = redaction.masked(fields.get(name) or "")
            if clean != (fields.get(name) or ""):
                made.redacted.append(place)
            fields[name] = clean
        fields["project"] = _project(item, at, known)
        try:
            made.entries.append((place, item.line, _draft(vault, tool, place, fields)))
        except MemcliError as error:
            made.refused.append((place, item.line, error))
    return made


def _draft(vault: Vault, tool: Tool, place: str, fields: dict[str, Any]) -> Entry:
    source = {
        "writer": "import",
        "host": line_of(fields.pop("host", None)) or tool.name,
        "session": line_of(fields.pop("session", None)),
        "record": place,
    }
    fields.pop("named_project", None)
    if fields.get("kind") not in vault.kinds:
        fields["kind"] = None
    fields["title"] = line_of(fields["title"])[:500]
    return vault.draft({**fields, "source": source})


def _project(item: Memory, at: At, known: dict[str, str | None]) -> str | None:
    """The project that a memory holds in; None when it holds everywhere."""
    here = at.project
    remote = line_of(item.fields.get("project"))
    if remote:
        return projects.of_remote(remote) or _as_name(remote)
    if item.folder is not None:
        if here and item.folder == here.folder:
            return here.name
        if item.folder not in known:
            project = projects.of(item.folder, at.environ)
            known[item.folder] = project.name if project else None
        return known[item.folder]
    name = line_of(item.fields.get("named_project"))
    if not name:
        return None
    if here and os.path.basename(here.folder).lower() == name.lower():
        return here.name
    return _as_name(name)


def _as_name(text: str) -> str | None:
    """A tool's own name of a project as memcli may have one; None if it may not.

    Without the folder the project's remote is unknown. Under its own name it is at
    least told in no other project.
    """
    try:
        return check_project("-".join(text.split()))
    except InvalidValue:
        return None


def _shown(place: str, at: At) -> str:
    """A place without the name of the user's home folder."""
    home = host.home(at.environ)
    whole = os.path.abspath(place)
    below = whole.startswith(os.path.join(home, ""))
    return "~" + whole[len(home.rstrip(os.sep)) :] if below else whole
