"""Ideas in a vault: those that the ledger lists, and new ones.

Invariant: an idea that is known, in any state, is not added again, and adding one
changes nothing that is there.
"""

from __future__ import annotations

import os

from memcli.curation.ideas import ledger
from memcli.curation.ideas import page as ideas
from memcli.entries import layout
from memcli.errors import (
    InvalidEntry,
    InvalidValue,
    Unreadable,
    UnsafePath,
)
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.vault_paths import inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.curation.ideas.page import Idea
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault

_DAY = 86_400


class ListedIdea(NamedTuple):
    """An idea of the ledger with its page; `id` and `path` are None without one.

    `state` is open, promoted, dismissed or merged; `line` is the line of its heading;
    `problem` says why the page cannot be used.
    """

    slug: str
    title: str
    day: str
    age_days: int
    state: str
    summary: str
    on: str | None
    where: str | None
    line: int
    id: str | None = None
    path: str | None = None
    session: str | None = None
    record: str | None = None
    excerpt: str | None = None
    problem: str | None = None


# --- reading ----------------------------------------------------------------------


def listed(vault: Vault, *, only_open: bool = False) -> list[ListedIdea]:
    """The ideas of the ledger, in its order.

    Raises:
        InvalidEntry: the ledger is not UTF-8 text.
        Unreadable, UnsafePath: the ledger is not a file of the vault.
    """
    vault.owner_only("the ledger of ideas")
    from memcli.entries import dates

    today = vault.now_ms() // 1000
    vault.read(lambda _: None)  # finishes what a killed command began
    ideas_listed = []
    for section in ledger.parse(ledger.text_of(ledger_of(vault) or b"")):
        if only_open and section.state != ledger.OPEN:
            continue
        page, problem = None, None
        try:
            page = page_of(vault, section.slug)
        except (InvalidEntry, Unreadable, UnsafePath) as error:
            problem = error.message
        try:
            age = (today - dates.to_epoch(section.day)) // _DAY
        except InvalidValue:
            age = 0  # the 31st of February, by hand
        fields: dict[str, Any] = section._asdict()
        del fields["link"]
        if page is not None:
            source = page.entry.source
            fields |= {"id": page.entry.id, "path": page.path}
            fields |= {"session": source.session, "record": source.record}
            fields["excerpt"] = source.excerpt
        ideas_listed.append(ListedIdea(**fields, age_days=max(0, age), problem=problem))
    return ideas_listed


def named(vault: Vault, words: Sequence[str]) -> list[str]:
    """The slugs of the ideas that slugs, beginnings of them, or pages' ids name.

    Raises:
        NotAllowed: an agent asks: the ledger names the ideas of all.
        EntryNotFound: there is none, or several begin so (`idea_not_found`).
    """
    from memcli.errors import AmbiguousId, EntryNotFound

    vault.owner_only("deciding on ideas")
    sections = ledger.parse(ledger.text_of(ledger_of(vault) or b""))
    slugs = []
    for word in words:
        try:
            slugs.append(ledger.find(sections, word).slug)
        except EntryNotFound as refusal:
            try:
                path = vault.path_of(word)
            except (EntryNotFound, AmbiguousId):
                raise refusal from None
            if not path.startswith(layout.INCUBATOR):
                raise EntryNotFound(
                    f"{word} is no idea, but {path}",
                    hint="A candidate takes --approve or --reject.",
                    code="idea_not_found",
                ) from None
            slugs.append(path.split("/")[2])
    return list(dict.fromkeys(slugs))


def existing(vault: Vault) -> dict[str, bytes]:
    """The files that `page.plan` and `page.known` take: path -> bytes.

    Raises:
        UnsafePath: a symbolic link leads out of the vault; Unreadable.
    """
    contents: dict[str, bytes] = {}
    data = ledger_of(vault)
    if data is not None:
        contents[layout.IDEA_LEDGER] = data
    for above in (layout.INCUBATOR, f"{layout.ARCHIVE}/{layout.INCUBATOR}"):
        folder = inside(vault.root, above)
        try:
            names = sorted(os.listdir(folder))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise Unreadable(f"{above}: {error.strerror}") from error
        for name in names:
            inner = os.path.join(folder, name)
            if not os.path.isdir(inner):
                continue
            contents[f"{above}{name}/"] = b""  # a folder that may hold no page
            for file in sorted(os.listdir(inner)):
                path = f"{above}{name}/{file}"
                if layout.is_idea(path):
                    contents[path] = files.read(inside(vault.root, path))
    return contents


def ledger_of(vault: Vault) -> bytes | None:
    """The ledger's bytes; None when there is no ledger."""
    path = inside(vault.root, layout.IDEA_LEDGER)
    return files.read(path) if os.path.lexists(path) else None


def page_of(vault: Vault, name: str) -> Stored | None:
    """The page of an idea in the incubator; None when it has none."""
    path = ideas.page_path(name)
    place = inside(vault.root, path)
    real = os.path.realpath(vault.root)
    if os.path.realpath(place) != os.path.join(real, *path.split("/")):
        raise UnsafePath(
            f"{path}: a symbolic link is on the way",
            hint="Put the idea's own folder there.",
        )
    return vault.stored(path) if os.path.exists(place) else None


# --- writing ----------------------------------------------------------------------


def add(vault: Vault, change: Transaction, new: Sequence[Idea]) -> list[str]:
    """Put new ideas into an open transaction; ideas that are known are left out.

    Returns:
        The paths of the new ideas' pages.

    Raises:
        InvalidEntry, InvalidValue: as `ideas.plan`; UnsafePath, Unreadable: as
            `existing`.
    """
    if not new:
        return []
    there = existing(vault)
    planned = ideas.plan(there, new, vault.agent)
    for path, data in planned.items():
        change.put(path, data, expected=there.get(path))
    return [path for path in planned if layout.is_idea(path)]
