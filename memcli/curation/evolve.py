"""Evolve: a memory gets a new version, and the old one stays readable.

Invariant: the new version takes the place of the old one in one transaction, with
lineage in both directions. Everything that the caller did not change is carried over,
unknown keys and links included; what describes the old text alone (its source, its
confidence) starts anew with a new text. An entry is replaced only once: a caller that
names a replaced entry is told the current version.
"""

from __future__ import annotations

from memcli.curation import citing
from memcli.curation.changing import Changing, resting_on, retagged
from memcli.curation.citing import Cites
from memcli.entries import dates, layout
from memcli.entries.eligibility import Action, View, facts, is_pinned, settled_by
from memcli.entries.entry import Enforce, Entry, Layer, Source, Status
from memcli.entries.fields import refuse_wide
from memcli.entries.identity import claim_number, title_after
from memcli.entries.ids import is_adopted, number
from memcli.entries.text.mentions import linked
from memcli.errors import InvalidContent, NotAllowed, UsageError
from memcli.named_tuple import NamedTuple
from memcli.vault import anchoring, lineage
from memcli.vault.agents import refuse_other_groups, refuse_unless
from memcli.vault.saved import why_not_shown

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memcli.curation.changing import Resting
    from memcli.search.following import Unindexed
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
    words, which may need the same change; `cited` and `dropped` are of what it was to
    cite; `citations_checked` is None for a fact; `notes` say why it is not shown, if it
    is not, and what may be wrong with a citation; `stale_models` are the observations
    and models that may no longer hold now.
    Of a change that was only tried (`dry_run`) `id` is empty.
    """

    id: str
    path: str
    title: str
    supersedes: str
    replaced: list[Replaced]
    not_updated: Sequence[Similar]
    citations_checked: bool | None = None
    cited: Sequence[str] | None = None
    dropped: Sequence[str] | None = None
    dry_run: bool = False
    notes: tuple[str, ...] = ()
    stale_models: Sequence[Resting] = ()

    def as_dict(self) -> dict[str, Any]:
        """The `data` of the JSON envelope."""
        own = {name: it for name, it in self._asdict().items() if it is not None}
        del own["notes"]
        return {**own, "id": self.id or None}


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
        replaced = [at.in_use(name, Action.EVOLVE) for name in (entry_id, *how.also)]
        if len({item.entry.id for item in replaced}) < len(replaced):
            raise UsageError("an entry is named twice", hint="Name each entry once.")
        old, of = citing.joined([item.entry for item in replaced]), None
        rewritten = values.get("text") is not None
        is_report = old.layer is not Layer.FACT
        # By its words, tags and title a report is held against what is newer.
        concludes = is_report and vault.caller.is_agent
        if how.cites.ids or how.cites.research or concludes:
            of = citing.grant(vault, old.layer, how.cites)
            # The version before is past, and is not cited.
            of = of._replace(cited=[name for name in of.cited if name != old.id])
        about = how.untag or any(values.get(name) for name in _ABOUT)
        if concludes and about and not (rewritten and of and of.cited):
            raise NotAllowed(
                f"an agent changes what {old.id} is about only with its text",
                hint=f"memcli evolve {old.id} TEXT --cite ID --research NAME",
                code="must_search",
            )
        same = bool(how.also or of or how.enforce)
        fresh = successor(vault, old, values, how.untag, same)
        if is_report and not (of and of.cited) and not values.get("entities"):
            # What is newer is asked of the same entities: other words end no staleness.
            fresh = fresh.replace(entities=old.entities)
        fresh = enforced(old, fresh, how.enforce)
        vault.refuse_pinned(fresh)
        fresh = _passed_on(vault, fresh, replaced, values)
        if fresh.evidence != old.evidence:
            (fresh,) = citing.checked(vault, fresh.replace(research=None))
        fresh = citing.renewed(vault, old, fresh, of, rewritten=rewritten, now=at.now)
        at.change.allow_secret = allow_secret
        if not allow_secret:
            no_secrets.refuse(fresh)
        done = _replaced(at, replaced, fresh, how.reason, dry_run=dry_run)
        if of:
            notes = (*done.notes, *of.notes())
            done = done._replace(cited=of.cited, dropped=of.dropped, notes=notes)
    if dry_run:
        return done
    vault.recorder.acted([version.id for version in done.replaced], "evolve")
    if of:
        vault.recorder.judged(of.cited, useful=True, by="citation")
    if old.asked and not fresh.asked:
        note = (
            f"{len(old.asked)} phrases of `asked` were of the text before; give those "
            f"of the new one: memcli evolve {done.id} --asked PHRASE --asked PHRASE"
        )
        done = done._replace(notes=(note, *done.notes))
    return done


def revert(
    vault: Vault, entry_id: str, *, reason: str | None = None, dry_run: bool = False
) -> Evolved:
    """Make the version before the current one, as a new version.

    Reverting twice brings the later version back; with `dry_run` nothing changes.

    Raises:
        NotAllowed: nothing was replaced by this entry (code `no_version_before`), or an
            agent asks, and it is a report (code `must_search`).
        Others as `evolve`.
    """
    with Changing(vault) as at:
        old = at.in_use(entry_id, Action.EVOLVE)
        citing.refuse_unsearched(vault, old.entry.layer)
        earlier = vault.as_seen(old.entry).supersedes
        if not earlier:
            raise NotAllowed(
                f"{old.entry.id} is the first version; there is none before it",
                hint=f"To hide it: memcli resolve {old.entry.id}; to remove it for "
                f"good: memcli forget {old.entry.id}",
                code="no_version_before",
            )
        version = vault.stored(vault.path_of(earlier))
        at.change.carry(version.data)
        before = version.entry
        if vault.caller.is_agent:  # a person decides on both
            kept = old.entry.pinned, old.entry.enforce
            before = before.replace(pinned=kept[0], enforce=kept[1])
        fresh = before.replace(id=vault.new_id(), path=old.path)
        fresh = lineage.passed_on(vault, fresh, [before, old.entry], shared_anew=False)
        # An id as the reason would be told to all who see this version.
        why, verb = reason or "reverted", "evolve: revert"
        return _replaced(at, [old], fresh, why, verb, dry_run=dry_run)


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


def _replaced(
    at: Changing,
    old: Sequence[Stored],
    fresh: Entry,
    reason: str | None,
    verb: str = "evolve",
    *,
    dry_run: bool,
) -> Evolved:
    """Put the new version in the place of the first, and the others in the archive."""
    vault, change, now = at.vault, at.change, at.now
    first, *others = old
    citing.refuse_other_layer(vault, first.entry, fresh)
    around = _look_around(vault, fresh, [item.entry for item in old])
    places = [layout.archived(item.path, item.entry.id) for item in old]
    if not dry_run:
        places = [lineage.replace(vault, change, first, fresh, reason=reason, now=now)]
        places += [
            lineage.archive(vault, change, other, by=fresh.id, reason=reason, now=now)
            for other in others
        ]
        change.note(fresh, "evolve")
        at.say(verb, [fresh.display_title])
    versions = zip(old, places, strict=True)
    return Evolved(
        "" if dry_run else fresh.id,
        fresh.path,
        fresh.display_title,
        first.entry.id,
        [Replaced(i.entry.id, place, i.entry.display_title) for i, place in versions],
        around.siblings,
        None if fresh.layer is Layer.FACT else fresh.research is not None,
        dry_run=dry_run,
        notes=around.notes,
        stale_models=around.stale,
    )


# --- what a new version carries over, and what starts anew ---------------------------


# Fields that describe the old text, with the values that a new text starts with.
_OF_THE_TEXT: dict[str, Any] = {
    "source": Source(),
    "confidence": None,
    "rationale": None,
    "seen": (),
    "refreshed_at": None,
    "asked": (),
}
_LINKS = "links"
# By these it is told whether an observation or model may still hold.
_ABOUT = ("code", "entities", "evidence", "fingerprints", "refreshed_at", "tags")


def successor(
    vault: Vault,
    old: Entry,
    values: Mapping[str, Any],
    untag: Sequence[str],
    merging: bool,
) -> Entry:
    """The next version of an entry, with everything that it carries over.

    Args:
        vault: for its kinds and limits.
        old: the version before.
        values: what changes, `text` and any field of an entry; `tags` are added.
        untag: tags to drop.
        merging: whether the entry may stay as it is, since others are replaced, too.
    """
    given = {
        name: value
        for name, value in values.items()
        if value is not None and (value or name == "text")
    }
    text = given.pop("text", None)
    drawn = {"layer": str(old.layer)} if "subtype" in given else {}
    body = old.body if text is None else text
    checked = vault.draft({"text": body, **drawn, **given})
    fields = {name: getattr(checked, name) for name in given}
    fields["tags"] = retagged(old, checked.tags, untag)
    fields["entities"] = tuple(dict.fromkeys((*old.entities, *checked.entities)))
    if text is not None:
        title = title_after(old.title, old.body, checked.body)
        fields = {**_OF_THE_TEXT, "title": title, **fields, "body": checked.body}
        fields["extra"] = _with_links(old, checked.body)
    if old.expires_at and dates.to_epoch(old.expires_at) <= vault.now_ms() // 1000:
        fields.setdefault("expires_at", None)  # of today, it did not expire yesterday
    fresh = old.replace(**fields)
    if fresh == old and not merging:
        raise InvalidContent(
            f"nothing would change in {old.id}",
            hint="Give a new text, or a flag that changes a field.",
            code="nothing_to_change",
        )
    fresh = anchoring.of_next(vault, fresh, rewritten=text is not None)
    refuse_wide(fresh)
    fresh = linked(fresh, vault.registry.names)[0]
    return fresh.replace(id=vault.new_id())


def enforced(old: Entry, fresh: Entry, enforce: str | None) -> Entry:
    """The new version with what a person says of tools that it is about.

    The version becomes theirs: what an import or a session brought keeps no tool from
    running, and what a person enforces does. Of a note of another program it is left.
    """
    if enforce is None:
        return fresh.replace(enforce=None) if is_adopted(old.id) else fresh
    source = fresh.source._replace(writer="manual")
    value = None if enforce == "none" else Enforce(enforce)
    return fresh.replace(enforce=value, source=source)


def _with_links(old: Entry, body: str) -> tuple[tuple[str, str], ...]:
    """The unknown keys, with `links` for links that the new text does not repeat.

    A link is knowledge of its own: rewording a sentence must not lose it.
    """
    from memcli.entries.frontmatter import lines_of
    from memcli.entries.text.links import links, links_of

    extra = dict(old.extra)
    if _LINKS in extra and "[[" not in extra[_LINKS]:
        return old.extra  # a person's own key of that name
    lost = [link for link in links_of(old) if link not in links(body)]
    if not lost:
        return tuple(item for item in old.extra if item[0] != _LINKS)
    lines = lines_of(_LINKS, tuple(f"[[{link}]]" for link in lost))
    if _LINKS in extra:
        return tuple((k, lines if k == _LINKS else v) for k, v in old.extra)
    return (*old.extra, (_LINKS, lines))


# --- entries that a new version may concern -------------------------------------------


# So many of the best matches of each text are looked at.
_LOOKED_AT = 20
# What is in these states hides nothing, and makes nothing stale.
_PLAIN = (Status.ACTIVE, Status.SUPERSEDED)


class _Around(NamedTuple):
    """The surroundings of a new version: `notes` say by which resolved entry it is
    hidden, or which says nearly the same; `stale` are the observations and models that
    rest on what it replaces, and may no longer hold."""

    siblings: tuple[Similar, ...]
    notes: tuple[str, ...]
    stale: list[Resting]


def _look_around(vault: Vault, fresh: Entry, replaced: Sequence[Entry]) -> _Around:
    """The surroundings of the new version of some entries, before it is written.

    The siblings are the entries in force that are nearest to the old or the new text,
    at most three. They are of its layer, and hold where it does: what another project
    says is that project's. Entries that this one rests on, or that rest on it, are left
    out: a model repeats its facts, and must not replace them.

    Args:
        vault: where they are. Its files are looked at only where an answer rests on
            more than plain facts that are in force.
        fresh: the new version.
        replaced: what it replaces, the entry whose text it rewords first.
    """
    now = vault.now_ms() // 1000
    old = replaced[0]

    def glance(reader: Reader, later: Unindexed) -> _Around | None:
        ids = {entry.id for entry in replaced}
        plain = not (old.evidence or fresh.evidence) and all(
            entry.status in _PLAIN and not entry.evidence and entry.id not in ids
            for entry in later.entries(reader.agent)
        )
        return find(reader, later) if plain else None

    def find(reader: Reader, later: Unindexed | None = None) -> _Around:
        from memcli.vault.likeness import alike_now, like_resolved, nearest, similar

        layer = str(fresh.layer)
        within = set(reader.exact("layer", layer))
        rests_on = (*old.evidence, *fresh.evidence)
        kin = {lineage.current(reader, name) for name in rests_on}
        kin.update(entry.id for entry in replaced)
        view = View(now, here=number(fresh.project) if fresh.project else None)
        near = [
            similar(likeness, theirs, fresh.body, "9")
            for mine in (old, fresh)
            for likeness, theirs in alike_now(
                reader, later, mine, view, within, limit=_LOOKED_AT
            )
            if (theirs.status, theirs.layer) == (Status.ACTIVE, layer)
            and fresh.project in (None, theirs.project or fresh.project)
            and kin.isdisjoint((theirs.id, *theirs.evidence))
        ]
        near.sort(key=lambda one: one.likeness)
        found = {one.id: one for one in near}
        resolves = reader.claims.resolves(claim_number(fresh.body))
        hiding = facts(fresh)._replace(resolves=resolves)
        settled = settled_by(hiding, View(now, agent=vault.agent))
        notes = []
        if settled:
            notes.append(f"{fresh.id} is not shown: {why_not_shown(settled.id)}")
        elif fresh.body != old.body and (like := like_resolved(reader, fresh, later)):
            notes.append(like.solved)
        stale = resting_on(reader, [each.id for each in replaced], now, fresh.body)
        return _Around(nearest(found.values()), tuple(notes), stale)

    return vault.index.glance(glance) or vault.read(find)
