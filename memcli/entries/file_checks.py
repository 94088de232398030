"""The findings in one file of a vault, as far as the file alone tells.

Invariant: pure; the same bytes at the same path give the same findings on any day and
beside any other files. So they are found when a file is indexed, and the index holds
them: a change here raises `ROW_VERSION` of `search/index`. A finding names a file and a
line in it, frontmatter included.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from memcli.entries import layout
from memcli.entries.entry import Entry, Status
from memcli.entries.identity import fingerprint
from memcli.entries.ids import is_adopted
from memcli.entries.text import code_terms, differences, secrets
from memcli.entries.text.links import link_places, links_of
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from memcli.entries.codec import Decoded


ERROR, WARNING = "error", "warning"


class Finding(NamedTuple):
    """Something wrong in a file; `line` counts from 1, `level` is error or warning."""

    path: str
    line: int
    code: str
    level: str
    message: str
    hint: str | None = None


class Text(NamedTuple):
    """An entry with the text of its file, which tells the lines of what is wrong.

    `head` is the file up to the body, `text` all of it.
    """

    entry: Entry
    head: str
    text: str

    def line_of(self, position: int) -> int:
        """The line of the file in which a position of the body lies."""
        before = self.entry.body.count("\n", 0, max(0, position))
        return self.head.count("\n") + before + 1

    def field_line(self, name: str) -> int:
        """The line of a frontmatter key; 1 when it has none."""
        key = re.search(rf"""^[ ]*["']?{name}["']?[ ]*:""", self.head, re.MULTILINE)
        return self.head.count("\n", 0, key.start()) + 1 if key else 1


INDEXED = 1_000_000
"""So many bytes of a file are searched."""


def text_of(data: bytes, entry: Entry) -> Text:
    """The text of a file, parted into what stands before the body and all of it."""
    text, body = data.decode("utf-8", "replace"), entry.body
    return Text(entry, text[: len(text) - len(body)], text)


def findings(
    text: Text, size: int, decoded: Decoded, kinds: Collection[str]
) -> list[Finding]:
    """The findings in a file.

    Args:
        text: of the file.
        size: its bytes.
        decoded: its entry, with what could not be read of it.
        kinds: those that the vault knows.
    """
    entry = text.entry
    path, found = entry.path, list[Finding]()
    if size > INDEXED:
        message = f"{size:,} bytes; only the first {INDEXED:,} are searched"
        found.append(Finding(path, 1, "large", WARNING, message, "Split it."))
    marks = differences.begins(entry.body)
    if marks >= 0:
        found.append(_conflict(path, text.line_of(marks)))
    found += _secrets(path, text.text)
    for problem in decoded.problems:
        found.append(Finding(path, problem.line, "bad_field", ERROR, problem.message))
    if entry.kind not in kinds:
        hint = f"Use a known kind, or add it to kinds in {layout.CONFIG}."
        line, message = text.field_line("kind"), f"unknown kind '{entry.kind}'"
        found.append(Finding(path, line, "unknown_kind", ERROR, message, hint))
    for field, code, message, hint in _states(text):
        line = text.field_line(field)
        found.append(Finding(path, line, code, WARNING, message, hint))
    return found


def link_lines(text: Text) -> tuple[tuple[str, int], ...]:
    """The targets of an entry's links, each with the line where it first stands.

    A file in which git left two sides has none: what is shown of it has other lines.
    """
    targets, body = links_of(text.entry), text.entry.body
    if not (targets and text.text.endswith(body)):
        return ()
    places = link_places(body)
    breaks = [match.start() for match in re.finditer("\n", body)]
    first = text.line_of(0)
    return tuple(
        (target, first + bisect_left(breaks, places.get(target, 0)))
        for target in targets
    )


def in_conflict(data: bytes, path: str) -> list[Finding]:
    """The findings in a file in which git left two sides, which are shown both."""
    text = data.decode("utf-8", "replace")
    line = text.count("\n", 0, text.find("<<<<<<< ")) + 1
    return [_conflict(path, line), *_secrets(path, text)]


def _conflict(path: str, line: int) -> Finding:
    hint = (
        "memcli doctor --fix merges the two sides; until then both are shown. Marks "
        "that are quoted are indented."
    )
    return Finding(path, line, "conflict", ERROR, "a merge conflict", hint)


def _secrets(path: str, text: str) -> Iterator[Finding]:
    for secret in secrets.find(text):
        message = f"looks like a secret ({secret.kind})"
        hint = "git keeps it for good: change the secret, then take it out."
        yield Finding(path, secret.line, "secret", WARNING, message, hint)


def idle(entry: Entry) -> str:
    """Why an entry that a person marked refuses nothing; empty when it does."""
    if entry.enforce is None or entry.status is not Status.ACTIVE:
        return ""
    if entry.source.writer not in (None, "manual"):
        return f"it was written by {entry.source.writer}, and no person"
    if is_adopted(entry.id):
        return "the note has no id of memcli's"
    found = code_terms.triggers(entry.body.strip()).found
    if not found:
        return "its text names no code, command or path"
    reasons = [code_terms.broad(each) for each in found]
    if all(reasons):
        return f"'{found[0].text}' is too broad: {reasons[0]}"
    return ""


def _states(text: Text) -> Iterator[tuple[str, str, str, str]]:
    """The contradictions of an entry's status: field, code, message and hint."""
    entry = text.entry
    status = entry.status
    if why := idle(entry):
        message = f"enforce keeps nothing from running: {why}"
        hint = "Let its text name the command, the path or the name in code; "
        hint += "memcli evolve ID --enforce sets it anew."
        yield "enforce", "broad_enforce", message, hint
    # In the archive it is history, whose newer version was forgotten.
    followed = entry.superseded_by or layout.is_archived(entry.path)
    if status is Status.SUPERSEDED and not followed:
        message = "superseded, but it does not say by what"
        hint = "Add superseded_by, or set status: active."
        yield "status", "superseded_by_nobody", message, hint
    if status is Status.RESOLVED and not entry.resolved_at:
        hint = "Add resolved_at; until then no --as-of shows it. If it is not: "
        hint += f"memcli resolve --undo {entry.id}"
        message = "resolved, but it does not say when"
        yield "status", "resolved_when", message, hint
    if reworded(entry):
        message = "its words were changed after it was resolved: what says the old "
        message += "ones is shown again"
        hint = "git log -p has the old words. If the new ones are solved: "
        hint += f"memcli resolve --undo {entry.id}, then memcli resolve {entry.id}"
        yield "resolved_text", "resolved_reworded", message, hint
    # What says when it was resolved, be it no date, or a key of another program.
    dated = {"resolved_at": entry.resolved_at, **dict(entry.extra)}
    said = next(filter(dated.get, ("resolved_at", "resolvedAt")), "")
    if status is Status.ACTIVE and said:
        message = f"{said} is set, but the entry counts as active"
        hint = f"Set status: resolved and resolved_at, or remove {said}."
        yield said, "resolved_but_active", message, hint


def reworded(entry: Entry) -> bool:
    """Whether a resolved entry says something else than when it was resolved."""
    said = entry.resolved_text if entry.status is Status.RESOLVED else None
    return bool(said) and said != fingerprint(entry.body)
