"""The entries of a vault that act unasked, and what a sync changes of them: a person is
told, also when the sync was ended before it could tell anybody.

Invariant: the rules before a merge are kept in a file from before the merge until
somebody has been told, so that a kill in between costs no news.
"""

from __future__ import annotations

from contextlib import suppress

from memcli.entries import layout
from memcli.entries.eligibility import View
from memcli.entries.entry import Item, Status, Visibility
from memcli.entries.file_checks import reworded
from memcli.entries.identity import blake2b, claim
from memcli.entries.text.counted import counted
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.search.stored_row import enforced
from memcli.storage import detached, files, state_dirs
from memcli.storage.lock import Lock
from memcli.vault import lineage

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.storage.git.repository import Repository
    from memcli.vault.vault import Vault

# Of a rule so many characters decide whether it is told, and what it refuses.
_READ = 50_000


class Acting(NamedTuple):
    """An entry in force that acts unasked: whether it is pinned, whether it has
    `enforce`, a digest of when, where, for whom and with which words it acts; its
    versions, by id; and its file."""

    id: str
    how: str
    pinned: bool
    enforced: bool
    versions: frozenset[str]
    path: str


class Rules(NamedTuple):
    """The rules of a vault at a commit.

    Attributes:
        commit: that commit.
        known: the entries that act unasked, each with how it acts.
        reworded: the paths of those whose words changed after they were resolved.
        hidden: the ids of those that not every agent may see, each with every group
            and agent that may, and with "", which stands for nobody.
        acting: the entries that act unasked; empty if another process looked.
    """

    commit: str
    known: frozenset[tuple[str, str]] = frozenset()
    reworded: frozenset[str] = frozenset()
    hidden: frozenset[tuple[str, str]] = frozenset()
    acting: Sequence[Acting] = ()


class Force(NamedTuple):
    """The entries that act unasked since a sync: the pinned ones, which go into every
    session, those with `enforce`, which may stop a tool, and other constraints.

    `paths` are those of all, `by` names who wrote them, but for the user. `weakened`
    has the ids of those that acted before and act no more, or for others. `reworded`
    counts those whose words were changed after they were resolved, `opened` those that
    more agents may see than before.
    """

    pinned: int = 0
    enforced: int = 0
    constraints: int = 0
    paths: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    weakened: tuple[str, ...] = ()
    reworded: int = 0
    opened: int = 0

    @property
    def said(self) -> list[str]:
        """A line each for what a person should look at: how many, whose, and how."""
        by = f" by {', '.join(self.by)}" if self.by else ""
        acts = f"{self.pinned:,} pinned, {self.enforced:,} with `enforce`"
        if self.constraints:
            acts += f", {counted(self.constraints, 'other rule')}"
        seen = counted(self.opened, "private entry")
        gone = f"{counted(len(self.weakened), 'rule')} no longer in force as before{by}"
        other = counted(self.reworded, "resolved entry")
        lines = {
            f"{acts}{by}: see memcli inspect": self.paths,
            f"{seen} that more agents may see now: see memcli log": self.opened,
            f"{gone}: see memcli log": self.weakened,
            f"{other} with new words since: see memcli inspect lint": self.reworded,
        }
        return [line for line, given in lines.items() if given]


def rules(vault: Vault, repository: Repository) -> Rules:
    """The rules of a vault as they are now."""
    # Only an escape hides a name from the search; a value may have any case.
    keys = r"pinned|enforce|resolved_text|constraint|invariant|visibility|\\"
    words = ("grep", "--no-color", "-l", "-i", "-z", "-E", "-e", keys, "HEAD", "--")
    there = repository.answer(*words, "*.md").decode("utf-8", "surrogateescape")
    paths = [name.partition(":")[2] for name in there.split("\0")]

    def look(reader: Reader) -> Rules:
        view = View(vault.now_ms() // 1000)
        found, resolved, hidden = [], [], set[tuple[str, str]]()
        for doc in (doc for path in paths for doc in reader.exact("path", path)):
            row, enforce = reader.row(doc), enforced(reader.row(doc))
            if row.visibility != Visibility.SHARED:
                hidden.update((row.id, who) for who in _audience(row))
            rule = row.kind == "constraint" or row.item == Item.INVARIANT
            acts = row.pinned or enforce or rule
            if row.status == Status.RESOLVED:
                resolved.append(row.path)
            elif acts and reader.verdict(doc, view) is None:
                versions = lineage.versions(reader, row.id)
                ids = frozenset(version.id for version in versions)
                how, has = _how(row, enforce), enforce is not None
                found.append(Acting(row.id, how, row.pinned, has, ids, row.path))
        changed = (path for path in resolved if reworded(vault.stored(path).entry))
        return Rules(
            repository.commit_of("HEAD") or "",
            frozenset((each.id, each.how) for each in found),
            frozenset(changed),
            frozenset(hidden),
            found,
        )

    return vault.read(look)


def note_rules(vault: Vault, repository: Repository, theirs: str) -> Rules:
    """The rules before a merge with a commit, kept until somebody is told what that
    changed."""
    found = rules(vault, repository)
    kept = [theirs, found.commit, *(sorted(each) for each in found[1:4])]
    with suppress(OSError):
        files.store_value(_noted_at(vault), kept)
    return found


def noted_rules(vault: Vault) -> tuple[str, Rules] | None:
    """The commit to merge, and the rules before, of a sync that was ended before it
    could tell anybody."""

    def parsed(kept: list[Any]) -> tuple[str, Rules]:
        theirs, commit, known, changed, hidden = kept
        acts, seen = (
            frozenset((str(name), str(what)) for name, what in pairs)
            for pairs in (known, hidden)
        )
        return str(theirs), Rules(str(commit), acts, frozenset(changed), seen)

    return files.load_value(_noted_at(vault), parsed)


def forget_rules(vault: Vault) -> None:
    """Forget the rules before a merge: what that changed is told."""
    files.remove_quietly(_noted_at(vault))


def told(vault: Vault) -> None:
    """Forget the rules before a merge, for a caller that has shown what that changed
    and holds no lock; a sync that works meanwhile tells it once more."""
    with suppress(MemcliError), Lock(state_dirs.path(vault.root, layout.SYNC_LOCK), 0):
        forget_rules(vault)


def _noted_at(vault: Vault) -> str:
    return state_dirs.path(vault.root, layout.SYNC_RULES, vault.environ)


def _audience(row: StoredRow) -> list[str]:
    """The agent and the groups that may see an entry which is not shared, and ""."""
    groups = row.groups if row.visibility == Visibility.GROUP else ()
    agents = [f"agent {row.agent}"] if row.agent else []
    return ["", *agents, *(f"group {name}" for name in groups)]


def _how(row: StoredRow, enforce: str | None) -> str:
    """A digest of when, where and for whom an entry acts, and with which words."""
    from memcli.entries.text import code_terms, prompt_injection

    told = prompt_injection.of_entry(row.title, row.text[:_READ]) is None
    refuses = code_terms.triggers(row.text[:_READ]).found if row.enforce else ()
    who = row.project, row.visibility, row.agent, row.expires_at, row.item
    words = row.title, claim(row.text), told, refuses, row.code
    how = (row.pinned, enforce, row.kind, row.layer, *who, *words)
    return blake2b(repr(how).encode("utf-8", "surrogatepass"), 16).hex()


def force_of(before: Rules, after: Rules, there: Collection[str] = ()) -> Force:
    """The rules that a sync brought, changed, or put out of force; `there` are those of
    the hidden entries before that are there still."""
    known = before.known
    new = [each for each in after.acting if (each.id, each.how) not in known]
    # Neither itself as before nor its next version.
    still = {(name, each.how) for each in after.acting for name in each.versions}
    gone = {name for name, how in known if (name, how) not in still}
    hidden = {name for name, _ in before.hidden}
    shared = hidden.intersection(there) - {name for name, _ in after.hidden}
    wider = hidden & {name for name, _ in after.hidden - before.hidden}
    return Force(
        pinned=sum(each.pinned for each in new),
        enforced=sum(each.enforced for each in new),
        constraints=sum(not (each.pinned or each.enforced) for each in new),
        opened=len(shared | wider),
        paths=tuple(each.path for each in new),
        weakened=tuple(sorted(gone)),
        reworded=len(after.reworded - before.reworded),
    )


def news_of(vault: str, force: Force, config: Sequence[str]) -> str:
    """The news of a sync that nobody saw, for a person; empty for none: rules that act
    unasked, and who may see what."""
    said = force.said
    if config:
        said.append(f"{counted(len(config), 'setting')} changed: see memcli config")
    return f"a sync of {vault}: {'; '.join(said)}" if said else ""


def tell_news(
    vault: Vault, force: Force, config: Sequence[str], *, by_itself: bool
) -> None:
    """Keep the news of a sync for a person, if nobody sees what it prints.

    They go into sessions, so no name that the remote has given is in them.
    """
    unnamed = force._replace(by=("others",) if force.by else ())
    news = news_of(vault.named, unnamed, config)
    if by_itself and news:
        detached.note_news(vault.root, news, vault.environ)
    forget_rules(vault)
