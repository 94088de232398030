"""Evolve: a memory gets a new version, and the old one stays readable.

Invariant: the new version takes the place of the old one in one transaction, with
lineage in both directions, and with what `successor` carries over. An entry is replaced
only once: a caller that names a replaced entry is told the current version.
"""

from __future__ import annotations

from memcli.curation import citing
from memcli.curation.changing import Changing
from memcli.curation.citing import Cites
from memcli.curation.models import on_replaced
from memcli.curation.successor import enforced, successor
from memcli.entries import layout
from memcli.entries.eligibility import Action, View, is_pinned
from memcli.entries.identity import claim_number
from memcli.entries.ids import new_id, number
from memcli.errors import EntryNotFound, MemcliError, NotAllowed, UsageError
from memcli.named_tuple import NamedTuple
from memcli.vault import lineage
from memcli.vault.agents import refuse_other_groups, refuse_unless
from memcli.vault.free_paths import next_path
from memcli.vault.saved import not_shown

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memcli.curation.models import Resting
    from memcli.entries.entry import Entry
    from memcli.search.reader import Reader
    from memcli.vault.likeness import Similar
    from memcli.vault.vault import Stored, Vault


class Replaced(NamedTuple):
    """A version that was replaced, and its path in the archive."""

    id: str
    path: str
    title: str


class Evolved(NamedTuple):
    """The new version, the entries that it replaced, and those nearest to it by their
    words, which may need the same change; `of` is what it cites, if it was to cite
    anything; `citations_checked` is None for a fact; `notes` say why it is not shown,
    if it is not; `stale` are the observations and models that may no longer hold now.
    Of a change that was only tried `id` is empty, and `diff` shows the lines of the
    file that would change.
    """

    id: str
    path: str
    title: str
    replaced: list[Replaced]
    siblings: Sequence[Similar]
    citations_checked: bool | None = None
    of: citing.Granted | None = None
    diff: str | None = None
    notes: tuple[str, ...] = ()
    stale: Sequence[Resting] = ()

    def as_dict(self) -> dict[str, Any]:
        """The `data` of the JSON envelope."""
        about: dict[str, Any] = {}
        if self.citations_checked is not None:
            about["citations_checked"] = self.citations_checked
        if self.of is not None:
            about |= {"cited": self.of.cited, "dropped": self.of.dropped}
        if self.diff is not None:
            about["diff"] = self.diff
        return {
            "id": self.id or None,
            "dry_run": self.diff is not None,
            "path": self.path,
            "title": self.title,
            "supersedes": self.replaced[0].id,
            "replaced": self.replaced,
            "not_updated": self.siblings,
            "stale_models": self.stale,
            **about,
        }


class Succession(NamedTuple):
    """The parts of a new version besides the values of its fields.

    `reason` says why, and is kept with the old version. `also` are ids of further
    entries that the new version replaces; `untag` are tags that it does not carry over.
    `cites` is what the new version of an observation or model rests on, which makes it
    fresh (`citing.renewed`). `enforce` is ask, deny or none; a person gives it, which
    the caller has checked.
    """

    reason: str | None = None
    also: Sequence[str] = ()
    untag: Sequence[str] = ()
    cites: Cites = Cites()
    enforce: str | None = None


def evolve(
    vault: Vault,
    entry_id: str,
    values: Mapping[str, Any],
    how: Succession = Succession(),  # noqa: B008 a value that cannot change
    *,
    allow_secret: bool = False,
    dry_run: bool = False,
) -> Evolved:
    """Replace an entry by its next version.

    Args:
        vault: where it is.
        entry_id: the entry, or a unique prefix of its id.
        values: what changes: `text` and any field of an entry; `tags` are added.
        how: why, and what else changes with it.
        allow_secret: whether text that looks like a secret may be saved.
        dry_run: check everything, and change nothing.

    Raises:
        EntryNotFound, AmbiguousId: an id leads to no entry, or to several.
        NotAllowed: an entry is superseded, resolved, or waits for review, or is another
            agent's and pinned.
        InvalidValue, SecretFound: a change is not valid, or there is none.
        Others as `citing.grant`.
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    from memcli.entries import no_secrets

    with Changing(vault) as at:
        change = at.change
        replaced = _named(at, (entry_id, *how.also))
        old = replaced[0]
        of = None
        if how.cites.ids or how.cites.research:
            of = citing.grant(vault, old.entry.layer, how.cites).without(old.entry.id)
        same = bool(how.also or of or how.enforce)
        fresh = successor(vault, old.entry, values, how.untag, at.now_ms, same)
        fresh = enforced(fresh, how.enforce)
        fresh = _passed_on(vault, fresh, replaced, values)
        if fresh.evidence != old.entry.evidence:
            fresh = citing.checked(vault, fresh.replace(research=None))
        fresh = citing.renewed(
            vault,
            old.entry,
            fresh,
            of,
            rewritten=values.get("text") is not None,
            now=at.now,
        )
        change.allow_secret = allow_secret
        if not allow_secret:
            no_secrets.refuse(fresh)
        fresh = _placed(vault, old, fresh)
        if dry_run:
            tried = _tried(vault, replaced, fresh)
            return tried._replace(of=of, citations_checked=citing.were_checked(fresh))
        done = _replace(at, replaced, fresh, how.reason)
        around = look_around(vault, fresh, [item.entry for item in replaced])
        change.note(fresh, "evolve")
        at.say("evolve", [fresh.display_title])
        done = done._replace(
            of=of,
            citations_checked=citing.were_checked(fresh),
            notes=_unasked(old.entry, fresh),
        )
    vault.recorder.acted([version.id for version in done.replaced], "evolve")
    if of:
        vault.recorder.judged(of.cited, useful=True, by="citation")
    done = done._replace(siblings=around.siblings, stale=around.stale)
    return _explained(vault, done) if around.is_resolved else done


def _unasked(old: Entry, fresh: Entry) -> tuple[str, ...]:
    """A note where the phrases of the text before are gone and none came instead."""
    if fresh.asked or not old.asked:
        return ()
    return (
        f"{len(old.asked)} phrases of `asked` were of the text before; give those of "
        f"the new one: memcli evolve {fresh.id} --asked PHRASE --asked PHRASE",
    )


def _explained(vault: Vault, done: Evolved) -> Evolved:
    """The outcome, with a note where the new version is not shown."""
    try:
        return done._replace(notes=(*done.notes, *not_shown(vault, [done.id])))
    except MemcliError as error:
        # The new version is committed, also when the disk or the index fails now.
        vault.tell(f"it is not known whether {done.id} is shown: {error.message}")
        return done


def revert(
    vault: Vault, entry_id: str, *, reason: str | None = None, dry_run: bool = False
) -> Evolved:
    """Make the version before the current one, as a new version.

    Reverting twice brings the later version back; with `dry_run` nothing changes.

    Raises:
        NotAllowed: nothing was replaced by this entry (code `no_version_before`).
        Others as `evolve`.
    """
    with Changing(vault) as at:
        (old,) = _named(at, (entry_id,))
        earlier = vault.as_seen(old.entry).supersedes
        if not earlier:
            raise NotAllowed(
                f"{old.entry.id} is the first version; there is none before it",
                hint=f"To hide it: memcli resolve {old.entry.id}; to remove it for "
                f"good: memcli forget {old.entry.id}",
                code="no_version_before",
            )
        version = _before(vault, earlier)
        at.change.carry(version.data)
        before = version.entry
        fresh = before.replace(id=new_id(at.now_ms, vault.entropy), path=old.path)
        fresh = lineage.passed_on(vault, fresh, [before, old.entry], shared_anew=False)
        fresh = _placed(vault, old, fresh)
        if dry_run:
            return _tried(vault, [old], fresh)
        if not reason:
            reason = "reverted"  # an id would be told to all who see this version
        done = _replace(at, [old], fresh, reason)
        stale = made_stale(vault, fresh, [old.entry])
        at.change.note(fresh, "evolve")
        at.say("evolve: revert", [fresh.display_title])
    checked = citing.were_checked(fresh)
    return _explained(vault, done._replace(citations_checked=checked, stale=stale))


def _before(vault: Vault, entry_id: str) -> Stored:
    try:
        return vault.stored(vault.path_of(entry_id))
    except EntryNotFound as error:
        from shlex import quote

        git = f"git -C {quote(vault.root)}"
        raise EntryNotFound(
            f"the version before, {entry_id}, is not in the vault any more",
            hint=f"git may have it: {git} log --all -- '*{entry_id}.md'",
        ) from error


def _named(at: Changing, entry_ids: Sequence[str]) -> list[Stored]:
    """The entries that the ids name, each once and in force."""
    stored = [at.in_use(entry_id, Action.EVOLVE) for entry_id in entry_ids]
    if len({item.entry.id for item in stored}) < len(stored):
        raise UsageError("an entry is named twice", hint="Name each entry once.")
    return stored


def _passed_on(
    vault: Vault, fresh: Entry, old: Sequence[Stored], values: Mapping[str, Any]
) -> Entry:
    """The new version as its writer's, who must have the right to share and to pin."""
    shared_anew = bool(values.get("visibility") or values.get("groups"))
    pins = is_pinned(fresh) and not any(is_pinned(item.entry) for item in old)
    for item in old:
        if shared_anew:
            refuse_unless(vault, Action.SHARE, item.entry)
            refuse_other_groups(vault, fresh.groups)
        if pins:
            refuse_unless(vault, Action.PIN, item.entry)
    entries = [item.entry for item in old]
    return lineage.passed_on(vault, fresh, entries, shared_anew=shared_anew)


def _replace(
    at: Changing, old: Sequence[Stored], fresh: Entry, reason: str | None
) -> Evolved:
    """Put the new version in the place of the first, and the others in the archive."""
    first, *others = old
    vault, change, now = at.vault, at.change, at.now
    places = [lineage.replace(vault, change, first, fresh, reason=reason, now=now)]
    places += [
        lineage.archive(vault, change, other, by=fresh.id, reason=reason, now=now)
        for other in others
    ]
    replaced = _versions(old, places)
    return Evolved(fresh.id, fresh.path, fresh.display_title, replaced, [])


def _versions(old: Sequence[Stored], places: Sequence[str]) -> list[Replaced]:
    return [
        Replaced(item.entry.id, place, item.entry.display_title)
        for item, place in zip(old, places, strict=True)
    ]


def _placed(vault: Vault, old: Stored, fresh: Entry) -> Entry:
    """The new version at its path."""
    path = next_path(vault, old.entry, fresh.display_title)
    return fresh.replace(path=path)


def _tried(vault: Vault, old: Sequence[Stored], fresh: Entry) -> Evolved:
    """A trial of a change: the lines that differ, but for ids and dates."""
    from difflib import unified_diff

    from memcli.entries import codec

    first, path = old[0].entry, old[0].path
    kept = {
        name: getattr(first, name)
        for name in ("id", "created", "updated", "supersedes", "refreshed_at")
    }
    # As the asking agent sees them: no line names an entry that is hidden from it.
    seen = [vault.as_seen(each) for each in (first, fresh.replace(**kept))]
    before, after = (codec.encode(each).decode().splitlines() for each in seen)
    lines = unified_diff(before, after, path, fresh.path, lineterm="", n=1)
    places = [layout.archived(item.path, item.entry.id) for item in old]
    around = look_around(vault, fresh, [item.entry for item in old])
    return Evolved(
        "",
        fresh.path,
        fresh.display_title,
        _versions(old, places),
        around.siblings,
        diff="\n".join(lines),
        stale=around.stale,
    )


# --- entries that a new version may concern -------------------------------------------


# So many of the best matches of each text are looked at.
_LOOKED_AT = 20


class Around(NamedTuple):
    """The surroundings of a new version: `is_resolved` says that a resolved entry makes
    its claim, so that it may not be shown; `stale` are the observations and models that
    rest on what it replaces, and may no longer hold."""

    siblings: tuple[Similar, ...]
    is_resolved: bool
    stale: list[Resting]


def look_around(vault: Vault, fresh: Entry, replaced: Sequence[Entry]) -> Around:
    """The surroundings of the new version of some entries, before it is written.

    The siblings are the entries in force that are nearest to the old or the new text,
    at most three. They are of its layer, and hold where it does: what another project
    says is that project's. Entries that this one rests on, or that rest on it, are left
    out: a model repeats its facts, and must not replace them.

    Args:
        vault: its index is asked as the last question found it.
        fresh: the new version.
        replaced: what it replaces, the entry whose text it rewords first.
    """
    now = vault.now_ms() // 1000
    old = replaced[0]

    def find(reader: Reader) -> Around:
        from memcli.entries.text.tokens import stemmer
        from memcli.search.document import document
        from memcli.vault.likeness import alike, nearest, similar

        row = document(fresh, stemmer()).row
        within = set(reader.exact("layer", row.layer))
        own = {fresh.id}
        for entry in replaced:
            within.difference_update(reader.exact("id", entry.id))
            own.update(version.id for version in lineage.versions(reader, entry.id))
        rests_on = {
            lineage.current(reader, name) for name in (*old.evidence, *row.evidence)
        }

        here = number(row.project) if row.project else None

        def in_force(doc: int) -> bool:
            return reader.verdict(doc, View(now, here=here)) is None

        found: dict[str, Similar] = {}
        for terms in (document(old, stemmer()).row.terms, row.terms):
            for likeness, theirs in alike(
                reader, terms, in_force, limit=_LOOKED_AT, within=within
            ):
                if theirs.id in rests_on or own.intersection(theirs.evidence):
                    continue
                known = found.get(theirs.id)
                if known is None or known.likeness < likeness:
                    found[theirs.id] = similar(likeness, theirs, fresh.body, "9")
        is_resolved = claim_number(fresh.body) in reader.claims.resolved
        stale = on_replaced(reader, replaced, fresh.body, now)
        return Around(nearest(found.values()), is_resolved, stale)

    return vault.index.again(find)


def made_stale(vault: Vault, fresh: Entry, replaced: Sequence[Entry]) -> list[Resting]:
    """As `Around.stale`, where nothing else around the new version is wanted."""
    now = vault.now_ms() // 1000
    return vault.index.again(
        lambda reader: on_replaced(reader, replaced, fresh.body, now)
    )
