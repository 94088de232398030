"""A closer look at the code that an entry speaks of, for a person who waits for it.

Invariant: as `code_state`, and also: a file that was renamed is followed by git's own
detection, a symbol that left its file is looked for in the project, and what changed is
shown as a difference from the commit at which the entry was anchored, where the
checkout has it.
"""

from __future__ import annotations

from memcli.entries import anchors, code_lines
from memcli.entries.anchors import SYMBOL, Anchor, Name
from memcli.entries.code_lines import CHANGED, EXISTS, GONE, MOVED, NOT_CHECKED
from memcli.errors import InvalidValue
from memcli.named_tuple import NamedTuple
from memcli.storage import code_files
from memcli.storage.code_history import CodeHistory
from memcli.vault import anchoring, code_state
from memcli.vault.code_state import CodeState

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memcli.storage.projects import Project
    from memcli.vault.code_state import Anchored
    from memcli.vault.vault import Vault


class Looked(NamedTuple):
    """What became of one place, and how the entry would name it now.

    Attributes:
        state: as `code_state` has it, with renames.
        fresh: the place as of now, for a version that was confirmed; None: it is gone.
        diff: what changed in its lines; empty where nothing did.
        note: why there is no difference to show; else empty.
    """

    state: CodeState
    fresh: Anchor | Name | None
    diff: tuple[str, ...] = ()
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**self.state.as_dict(), "diff": list(self.diff), "diff_note": self.note}


class CloseLook:
    """A look at the code of the project that the caller of a vault stands in.

    Args:
        vault: asked from a folder of the project.

    Raises:
        InvalidConfig: as `Vault.here`.
    """

    def __init__(self, vault: Vault) -> None:
        self._watch = code_state.watch(vault, None)
        self._project = self._watch.project
        self._source = vault.source
        self._history: CodeHistory | None = None
        self._commit = ""
        if self._project is not None:
            self._history = CodeHistory.open(self._project.folder, vault.environ)
            commit = self._history.commit() if self._history else ""
            self._commit = commit[: anchors.COMMIT_DIGITS]

    def is_here(self, entry: Anchored) -> bool:
        """Whether an entry belongs to the project that the caller stands in."""
        return self._watch.is_here(entry, self._source)

    def looks(self, entry: Anchored, *, diffs: bool = False) -> Iterator[Looked]:
        """What became of each place that an entry names.

        Args:
            entry: any; of another project nothing is looked at.
            diffs: whether to compare what changed with the commit of the anchor.
        """
        states = self._watch.states(entry, self._source)
        places: list[Anchor | Name] = [*anchors.read_all(entry.code)]
        places += anchors.read_names(entry.code_names)
        for place, state in zip(places, states, strict=True):
            if self._project is None or state.state == NOT_CHECKED:
                yield Looked(state, place)
            elif isinstance(place, Anchor):
                yield self._of_anchor(self._project, place, state, diffs=diffs)
            else:
                yield self._of_name(place, state)

    def _of_anchor(
        self, project: Project, anchor: Anchor, state: CodeState, *, diffs: bool
    ) -> Looked:
        path = anchor.path
        if state.state == GONE and self._history:
            path = self._history.renamed(anchor.commit, path) or path
        look = code_files.read(project.folder, path)
        if look.data is None:
            return Looked(state, None if state.state == GONE else anchor)
        if path != anchor.path:
            state = code_state.found(anchor, path, look.data)
            if state.state == CHANGED:
                why = f"{state.why}, and the file is now {path}"
                state = state._replace(now=path, why=why)
        then = self._then(anchor) if state.state == CHANGED else None
        fresh = self._as_of_now(anchor, state, path, then, look.data)
        if state.state != CHANGED or not diffs:
            return Looked(state, fresh)
        if then is None:
            known = "is not in this checkout" if anchor.commit else "is not known"
            note = f"what it was is not shown: the commit of the anchor {known}"
            return Looked(state, fresh, note=note)
        found = code_lines.compare(anchor, then)
        if found.state == CHANGED:
            note = "what it was is not shown: it was anchored before it was committed"
            return Looked(state, fresh, note=note)
        lines = code_lines.diff(then, look.data, found.first, found.last)
        return Looked(state, fresh, tuple(lines))

    def _then(self, anchor: Anchor) -> bytes | None:
        if self._history is None:
            return None
        return self._history.was(anchor.commit, anchor.path, code_files.LARGEST)

    def _as_of_now(
        self,
        anchor: Anchor,
        state: CodeState,
        path: str,
        then: bytes | None,
        now: bytes,
    ) -> Anchor | None:
        """The anchor with the lines and the fingerprint of now.

        Lines that changed are those at which the anchored lines arrived; without the
        commit of the anchor, those of the same numbers.
        """
        if state.state == EXISTS and anchor.first > len(code_lines.lines_of(now)):
            return anchor  # a person typed it: wrong lines are theirs to correct
        fresh = anchor._replace(path=path, commit=self._commit)
        if state.state in (MOVED, code_lines.UNCHANGED) and anchor.first:
            found = code_lines.compare(anchor, now)
            fresh = fresh._replace(first=found.first, last=found.last)
        elif then is not None and anchor.first:
            was = code_lines.compare(anchor, then)
            place = code_lines.mapped(then, now, was.first, was.last)
            if place is not None:
                fresh = fresh._replace(first=place[0], last=place[1])
        try:
            mark = code_lines.fingerprint(now, fresh.first, fresh.last)
        except InvalidValue:  # the file is shorter by now
            return None
        return fresh._replace(fingerprint=mark)

    def _of_name(self, name: Name, state: CodeState) -> Looked:
        if state.state == EXISTS:
            return Looked(state, name)
        if name.kind != SYMBOL or self._history is None:
            return Looked(state, None)
        path = anchoring.homes(self._history, [name.word]).get(name.word)
        if path is None:
            return Looked(state, None)
        why = f"{name.word} is now in {path}"
        return Looked(
            CodeState(name.word, MOVED, path, why=why), name._replace(path=path)
        )
