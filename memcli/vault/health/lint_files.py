"""What is wrong in the files of a vault, by reading all of them.

Invariant: needs no index, and says what `lint_index` says of the same files.
"""

from __future__ import annotations

import os

from memcli.entries import file_checks, layout
from memcli.entries.entry import Status
from memcli.entries.finding import ERROR, Finding, Text
from memcli.entries.text.links import link_names
from memcli.errors import InvalidEntry, MemcliError
from memcli.storage import files
from memcli.storage.listing import Listing, paths_of
from memcli.vault.health import lint_lifecycle, usage
from memcli.vault.health.link_meanings import Names, dangling

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Sequence

    from memcli.vault.vault import Vault


def judged(
    vault: Vault, listing: Listing, names: Names, now: int
) -> tuple[list[Finding], Container[str]]:
    """What is wrong in and between the entries of a vault; and their ids.

    Args:
        vault: whose files.
        listing: all of them.
        names: what links may mean besides entries; those of entries are added.
        now: epoch seconds.
    """
    found, texts = read(vault.root, sorted(paths_of(listing)), vault.kinds)
    for text in texts:
        names.add(link_names(text.entry), text.entry.path)
    for text in texts:
        lines = file_checks.link_lines(text)
        found += dangling(text.entry.path, lines, names)
    found += lint_lifecycle.about_ids(texts)
    found += lint_lifecycle.about_lives(texts, now)
    found += _about_inbox(texts, now)
    entries = [text.entry for text in texts]
    found += usage.findings(vault, lambda: usage.material_of(vault.root, entries))
    return found, {entry.id for entry in entries}


def read(
    root: str, paths: Iterable[str], kinds: Collection[str]
) -> tuple[list[Finding], list[Text]]:
    """What is wrong in each of these files, and the texts of those that are entries."""
    found: list[Finding] = []
    texts: list[Text] = []
    for path in paths:
        if not layout.is_entry(path):
            continue
        try:
            findings, text = _read(root, path, kinds)
        except MemcliError as error:
            found.append(Finding(path, 1, "unreadable", ERROR, error.message))
            continue
        found += findings
        texts += [text] if text else []
    return found, texts


def _read(
    root: str, path: str, kinds: Collection[str]
) -> tuple[list[Finding], Text | None]:
    """Read one file of the vault; raises what says that it cannot be read."""
    from memcli.entries import codec
    from memcli.entries.merging import marked

    data = files.read(os.path.join(root, *path.split("/")), follow=False)
    both = marked.shown(data, path, kinds)
    if both is not None:
        return file_checks.in_conflict(data, path), file_checks.text_of(data, both)
    try:
        decoded = codec.decode(data, path, kinds=tuple(kinds))
    except InvalidEntry as error:
        why = Finding(path, error.line, "broken", ERROR, error.reason, error.hint)
        return [why], None
    text = file_checks.text_of(data, decoded.entry)
    return file_checks.findings(text, len(data), decoded, kinds), text


def _about_inbox(texts: Sequence[Text], now: int) -> Iterator[Finding]:
    waiting = [
        text
        for text in texts
        if text.entry.status is Status.PENDING
        and text.entry.created
        and not layout.is_idea(text.entry.path)
    ]
    if waiting:
        oldest = min(waiting, key=lambda text: (text.entry.created, text.entry.path))
        yield from lint_lifecycle.about_inbox(oldest, len(waiting), now)
