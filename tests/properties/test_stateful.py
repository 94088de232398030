"""After any commands in any order, the files and the answers of a vault agree.

A machine saves, evolves, resolves, forgets, edits by hand, deletes the index, checks
out old files; after every step a naive reader of the files, which shares nothing with
memcli but its frontmatter parser, says what should be shown, and `list --all` of
recall must say the same.
"""

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from memcli import Vault
from memcli.curation import review
from memcli.entries import codec, layout
from memcli.entries.dates import to_epoch
from memcli.entries.eligibility import HISTORY_STATUSES, View
from memcli.entries.entry import Entry, Item, ResolutionScope, Status
from memcli.entries.identity import claim
from memcli.errors import AmbiguousId, EntryNotFound, NotAllowed
from memcli.recall.query import Query
from memcli.vault.caller import Caller
from memcli.vault.create import prepare
from tests.conftest import EVERYTHING, state_of
from tests.git_command import git
from tests.saving import every

pytestmark = pytest.mark.slow

START = 1_795_262_400
DAY = 86_400
WORDS = ("rerank", "deploy", "cache", "queue", "port", "disk", "lint", "token ring")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
picks = st.integers(0, 1_000)


class Seen(NamedTuple):
    """One file as the naive reader sees it."""

    path: str
    entry: Entry


class VaultMachine(RuleBasedStateMachine):
    """Random lives of a vault."""

    template: Path

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="memcli-stateful-"))
        self.now = START
        self.count = 0

    @initialize()
    def make(self) -> None:
        root = self.folder / "vault"
        prepare(str(root))
        self.vault = Vault(
            str(root),
            Caller(now_ms=lambda: self.now * 1000 + self.count, entropy=self._entropy),
        )
        self.root = root

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _entropy(self, count: int) -> bytes:
        self.count += 1
        return self.count.to_bytes(count, "big")

    # --- the naive reader ---------------------------------------------------------

    def files(self) -> list[Seen]:
        found = []
        for path in sorted(self.root.rglob("*.md")):
            relative = path.relative_to(self.root)
            if str(relative) != "README.md" and ".git" not in relative.parts:
                entry = codec.decode(path.read_bytes(), relative.as_posix()).entry
                found.append(Seen(relative.as_posix(), entry))
        return found

    def ends(self, entry: Entry) -> float:
        """When an entry is over by itself; in the words of the documentation."""
        ends = [float("inf")]
        if entry.expires_at:
            ends.append(to_epoch(entry.expires_at))
        if entry.item and entry.created:
            days = 45 if entry.item is Item.INVARIANT else 14
            last = max(to_epoch(when) for when in (entry.created, *entry.seen))
            ends.append(last + days * DAY)
        return min(ends)

    def is_solved(self, entry: Entry, moment: int | None = None) -> bool:
        """Whether a resolved entry says the same; until a moment, or ever."""
        if entry.status is Status.RESOLVED or not claim(entry.body):
            return False
        return any(
            other.status is Status.RESOLVED
            and other.resolution_scope is ResolutionScope.CLAIM
            and claim(other.body) == claim(entry.body)
            and (moment is None or self.over(other) <= moment)
            for other in (seen.entry for seen in self.files())
        )

    def over(self, entry: Entry) -> int:
        """When a resolved entry ended; 0 when it does not say."""
        when = entry.resolved_at or entry.updated
        return to_epoch(when) if when else 0

    def shown(self, entry: Entry) -> bool:
        active = entry.status is Status.ACTIVE and self.ends(entry) > self.now
        return active and not self.is_solved(entry)

    def shown_at(self, entry: Entry, moment: int) -> bool:
        if entry.created and to_epoch(entry.created) > moment:
            return False
        if entry.status in (Status.PENDING, Status.REJECTED):
            return False
        over = entry.resolved_at if entry.status is Status.RESOLVED else entry.updated
        if entry.status is not Status.ACTIVE and (not over or to_epoch(over) <= moment):
            return False
        return self.ends(entry) > moment and not self.is_solved(entry, moment)

    def pick(self, number: int, *statuses: Status) -> str | None:
        """The id of some entry in one of these states."""
        ids = sorted({s.entry.id for s in self.files() if s.entry.status in statuses})
        return ids[number % len(ids)] if ids else None

    # --- what is done ---------------------------------------------------------------

    @rule(text=texts, item=st.sampled_from([None, "invariant", "derived"]))
    def save(self, text: str, item: str | None) -> None:
        self.vault.save(text, item=item)

    @rule(text=texts)
    def propose(self, text: str) -> None:
        self.vault.save(self.vault.draft({"text": text, "status": "pending"}))

    @rule(number=picks, text=texts)
    def evolve(self, number: int, text: str) -> None:
        name = self.pick(number, Status.ACTIVE)
        if name is None:
            return
        self.count += 1
        try:
            done = self.vault.evolve(name, f"{text} v{self.count}")
        except AmbiguousId:
            return  # a checkout has brought an old file back beside its archive
        assert done.replaced[0].id == name

    @rule(number=picks)
    def revert(self, number: int) -> None:
        # A first version, or its predecessor is forgotten.
        with suppress(NotAllowed, EntryNotFound, AmbiguousId):
            if name := self.pick(number, Status.ACTIVE):
                self.vault.revert(name)

    @rule(number=picks, alone=st.booleans())
    def resolve(self, number: int, alone: bool) -> None:
        with suppress(AmbiguousId):
            if name := self.pick(number, Status.ACTIVE):
                self.vault.resolve(name, note="done", same_key=not alone)

    @rule(number=picks)
    def reopen(self, number: int) -> None:
        with suppress(AmbiguousId):
            if name := self.pick(number, Status.RESOLVED):
                self.vault.reopen(name)

    @rule(number=picks, yes=st.booleans())
    def decide(self, number: int, yes: bool) -> None:
        # A checkout may have brought an old file back beside its archive.
        with suppress(AmbiguousId, NotAllowed):
            if name := self.pick(number, Status.PENDING):
                (review.approve if yes else review.reject)(self.vault, name)

    @rule(number=picks)
    def forget(self, number: int) -> None:
        with suppress(AmbiguousId):
            if name := self.pick(number, *Status):
                self.vault.forget(name)

    @rule(number=picks, text=texts)
    def edit_by_hand(self, number: int, text: str) -> None:
        files = self.files()
        if files:
            path = self.root / files[number % len(files)].path
            path.write_text(path.read_text("utf-8") + f"and {text}\n", "utf-8")

    @rule(number=picks)
    def rename_by_hand(self, number: int) -> None:
        files = self.files()
        if files:
            path = self.root / files[number % len(files)].path
            self.count += 1
            path.rename(path.with_name(f"renamed-{self.count}.md"))

    @rule(number=picks)
    def delete_by_hand(self, number: int) -> None:
        files = self.files()
        if files:
            (self.root / files[number % len(files)].path).unlink()

    @rule(text=texts)
    def write_a_note(self, text: str) -> None:
        self.count += 1
        folder = self.root / "notes"
        folder.mkdir(exist_ok=True)
        (folder / f"n{self.count}.md").write_text(f"# {text}\n\nby hand\n", "utf-8")

    @rule()
    def delete_the_index(self) -> None:
        shutil.rmtree(state_of(self.root, layout.INDEX), ignore_errors=True)

    @rule(days=st.integers(0, 20))
    def wait(self, days: int) -> None:
        self.now += days * DAY + 7

    @rule()
    def the_clock_jumps_back(self) -> None:
        self.now -= 3_600

    @rule()
    def commit_by_hand(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "by hand")

    @precondition(lambda self: hasattr(self, "root"))
    @rule(number=picks)
    def check_out_an_old_state(self, number: int) -> None:
        commits = self.git("rev-list", "HEAD").split()
        commit = commits[number % len(commits)]
        self.git("checkout", "-q", commit, "--", ".")

    @rule()
    def open_anew(self) -> None:
        self.vault = Vault(
            str(self.root), Caller(now_ms=self.vault.now_ms, entropy=self._entropy)
        )

    def git(self, *words: str) -> str:
        return git(self.root, *words)

    # --- what must hold ---------------------------------------------------------------

    def listed(self, **view: Any) -> list[tuple[str, str, str]]:
        found = every(self.vault, Query("", View(self.now, **view)))
        assert found.warnings == []
        return sorted((row.id, row.path, row.text) for row in found.rows)

    @invariant()
    def files_and_answers_agree(self) -> None:
        if not hasattr(self, "root"):
            return
        files = self.files()

        def those(wanted: list[Seen]) -> list[tuple[str, str, str]]:
            return sorted((s.entry.id, s.path, s.entry.body.strip()) for s in wanted)

        assert self.listed() == those([s for s in files if self.shown(s.entry)])
        over = [s for s in files if s.entry.status is Status.SUPERSEDED]
        history = [s for s in files if self.shown(s.entry)]
        history += [s for s in over if not self.is_solved(s.entry)]
        assert self.listed(statuses=HISTORY_STATUSES) == those(history)
        moment = self.now - 5 * DAY
        then = [s for s in files if self.shown_at(s.entry, moment)]
        assert self.listed(as_of=moment) == those(then)

    @invariant()
    def lineage_is_a_chain(self) -> None:
        if not hasattr(self, "root"):
            return
        after = {s.entry.id: s.entry.superseded_by for s in self.files()}
        for start in after:
            way = {start}
            name = after[start]
            while name is not None and name in after:
                assert name not in way, "a circle"
                way.add(name)
                name = after[name]


VaultMachine.TestCase.settings = settings(
    max_examples=30 if EVERYTHING else 6, stateful_step_count=25
)
TestVault = VaultMachine.TestCase
