"""Whether the code that an entry speaks of is still what it was.

Invariant: nothing is marked and nothing is stored: the answer follows from the files of
the checkout that the caller stands in. An entry of another project is not looked at,
and what could not be looked at is "not checked", never fine. A look is cheap: the files
that the entry names and no others, and none after the time is up.
"""

from __future__ import annotations

import time

from memcli.entries import anchors
from memcli.entries.anchors import (
    CHANGED,
    EXISTS,
    GONE,
    MOVED,
    NOT_CHECKED,
    STALE,
    Anchor,
)
from memcli.errors import InvalidValue
from memcli.named_tuple import NamedTuple
from memcli.storage import checkout, known_vaults
from memcli.storage.checkout import CodeHistory

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Protocol

    from memcli.storage.projects import Project

    class Anchored(Protocol):
        """An entry, or its row in the index, as far as its code is concerned."""

        @property
        def code(self) -> tuple[str, ...]: ...
        @property
        def project(self) -> str | None: ...


OF_A_HOOK = (0.02, 200_000)
"""Seconds that a hook may spend on all entries that it tells, and bytes of a file that
it has time for: to look through 1 MB takes longer."""

SECONDS = 0.25
"""Seconds that an answer may spend on all of its rows: a person waits for it."""


class CodeState(NamedTuple):
    """The state of one place that an entry names.

    Attributes:
        place: as the entry names it, without its fingerprint.
        state: unchanged, exists, moved, changed, gone or not_checked.
        now: where it is now, if it moved.
        since: the commit at which the entry was anchored, in seven digits; empty
            where it is not known.
        why: the state in a sentence; empty for what is unchanged.
    """

    place: str
    state: str
    now: str = ""
    since: str = ""
    why: str = ""


class Watch:
    """A look at the code of one project, for a caller who stands in it.

    Args:
        project: of the folder that the caller stands in; None: nothing can be looked
            at.
        seconds: when the looks took so long together, the rest is not checked; None:
            no such limit.
        largest: bytes of a file that is looked at.
    """

    def __init__(
        self, project: Project | None, seconds: float | None = SECONDS, largest: int = 0
    ) -> None:
        self.project = project
        self._largest = largest or checkout.LARGEST
        self._left = seconds

    def is_here(self, entry: Anchored, source: str) -> bool:
        """Whether an entry belongs to the project that the caller stands in.

        What a repository's own vault says holds in the repository.
        """
        if self.project is None:
            return False
        if not entry.project:
            return source == known_vaults.REPO
        return entry.project == self.project.name

    def states(self, entry: Anchored, source: str) -> list[CodeState]:
        """The state of each place that an entry names; none for most entries."""
        here = bool(entry.code) and self.is_here(entry, source)
        return [self._state(place, here=here) for place in anchors.read_all(entry.code)]

    def _state(self, place: Anchor, *, here: bool) -> CodeState:
        if not here or self.project is None:
            return _not_checked(place, "you are not in a checkout of its project")
        if self._left is not None and self._left <= 0:
            return _not_checked(place, "the time was up")
        began = time.monotonic()
        state = _look_at(self.project.folder, place, self._largest)
        if self._left is not None:
            self._left -= time.monotonic() - began
        return state


def is_stale(states: Sequence[CodeState]) -> bool:
    """Whether an entry may no longer hold because of what became of its code."""
    return any(state.state in STALE for state in states)


def _not_checked(anchor: Anchor, reason: str) -> CodeState:
    """The state of a place that was not looked at, and why."""
    why = f"{anchor.place} was not checked: {reason}"
    return CodeState(anchor.place, NOT_CHECKED, since=anchor.since, why=why)


def _look_at(folder: str, anchor: Anchor, largest: int) -> CodeState:
    """The state of an anchor in a checkout: whether its lines are where they were."""
    if not anchor.fingerprint:  # a folder counts, and no line is compared
        look = checkout.has(folder, anchor.path)
    else:
        look = checkout.read(folder, anchor.path, limit=largest)
    if look.gone:
        return _ended(anchor, GONE)
    if look.reason:
        return _not_checked(anchor, look.reason)
    if look.data is None:
        return CodeState(anchor.place, EXISTS)
    seen = anchors.compare(anchor, look.data)
    if seen.state == NOT_CHECKED:
        return _not_checked(anchor, "too many lines are like its first one")
    if seen.state == CHANGED:
        return _ended(anchor, CHANGED)
    place, since = anchor.place, anchor.since
    if seen.state != MOVED:
        return CodeState(place, seen.state, since=since)
    now = anchor._replace(first=seen.first, last=seen.last).place
    return CodeState(place, MOVED, now, since, f"{place} is now {now}")


def _ended(anchor: Anchor, state: str) -> CodeState:
    """The state of an anchor that no longer holds."""
    verb, since = "is gone" if state == GONE else "changed", anchor.since
    why = f"{anchor.place} {verb} since {since or 'the entry was saved'}"
    return CodeState(anchor.place, state, since=since, why=why)


class Looked(NamedTuple):
    """The state of one place, and how the entry would name it now.

    Attributes:
        state: as `code_state` has it.
        fresh: the place as of now, for a version that was confirmed; None: it is gone.
        diff: what changed in its lines; empty where nothing did.
        note: why there is no difference to show; else empty.
    """

    state: CodeState
    fresh: Anchor | None
    diff: tuple[str, ...] = ()
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**self.state._asdict(), "diff": self.diff, "diff_note": self.note}


class CloseLook(Watch):
    """A look at the code of a project with its history, and as long as it takes.

    Args:
        project: as of `Watch`.
        source: the name of the vault whose entries are looked at.
        environ: of git.
    """

    def __init__(
        self, project: Project | None, source: str, environ: Mapping[str, str]
    ) -> None:
        super().__init__(project, None)
        self._source = source
        self._history: CodeHistory | None = None
        if project is not None:
            self._history = CodeHistory.open(project.folder, environ)
        commit = self._history.commit() if self._history else ""
        self._commit = commit[: anchors.COMMIT_DIGITS]

    def looks(self, entry: Anchored, *, diffs: bool = False) -> Iterator[Looked]:
        """A look at each place that an entry names.

        Args:
            entry: any; of another project nothing is looked at.
            diffs: whether to compare what changed with the commit of the anchor.
        """
        here = self.is_here(entry, self._source)
        for place in anchors.read_all(entry.code):
            state = self._state(place, here=here)
            if self.project is None or state.state == NOT_CHECKED:
                yield Looked(state, place)
            else:
                yield self._of_anchor(self.project, place, state, diffs=diffs)

    def _of_anchor(
        self, project: Project, anchor: Anchor, state: CodeState, *, diffs: bool
    ) -> Looked:
        look = checkout.read(project.folder, anchor.path)
        if look.data is None:
            return Looked(state, None if state.state == GONE else anchor)
        then = None
        if self._history and state.state == CHANGED:
            then = self._history.was(anchor.commit, anchor.path, checkout.LARGEST)
        try:
            fresh: Anchor | None = as_of_now(anchor, look.data, self._commit, then)
        except InvalidValue:  # it is shorter by now, or a person typed wrong lines
            fresh = None if anchor.fingerprint else anchor
        if state.state != CHANGED or not diffs:
            return Looked(state, fresh)
        found = anchors.compare(anchor, then) if then is not None else None
        if then is None or found is None or found.state == CHANGED:
            note = "what it was is not shown: no commit of this checkout has it"
            return Looked(state, fresh, note=note)
        lines = anchors.diff(then, look.data, found.first, found.last)
        return Looked(state, fresh, tuple(lines))


def as_of_now(
    anchor: Anchor, data: bytes, commit: str, then: bytes | None = None
) -> Anchor:
    """An anchor with the lines and the fingerprint of now.

    Lines that changed are those at which the anchored lines arrived; without the file
    as it was, those of the same numbers.

    Args:
        anchor: one with a fingerprint, or as a person typed it.
        data: the file.
        commit: the project's.
        then: the file as of the anchor's commit.

    Raises:
        InvalidValue: the file has no such lines.
    """
    if anchor.fingerprint and anchor.first:
        found = anchors.compare(anchor, data)
        place = found.first, found.last
        if found.state == CHANGED and then is not None:
            was = anchors.compare(anchor, then)
            place = anchors.mapped(then, data, was.first, was.last) or place
        anchor = anchor._replace(first=place[0], last=place[1])
    mark = anchors.fingerprint(data, anchor.first, anchor.last)
    return anchor._replace(fingerprint=mark, commit=commit)
