"""Evolve: a memory gets a new version, and the old one stays readable.

Invariant: the new version takes the place of the old one in one transaction, with
lineage in both directions; everything that the caller did not change is carried over,
unknown keys and links included. An entry is replaced only once: a caller that names a
replaced entry is told the current version.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memcli.curation import citing
from memcli.curation.citing import Cites
from memcli.curation.siblings import Sibling, look_around
from memcli.entries import layout
from memcli.entries.entry import Enforce, Entry, Source
from memcli.entries.identity import strict_key
from memcli.entries.ids import new_id
from memcli.entries.rights import Action, is_pinned
from memcli.errors import (
    EntryNotFound,
    InvalidContent,
    MemcliError,
    NotAllowed,
    UsageError,
)
from memcli.named_tuple import NamedTuple
from memcli.vault import anchoring, lineage, not_shown
from memcli.vault.agents import refuse_unless
from memcli.vault.next_path import next_path

if TYPE_CHECKING:
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault

# Fields that describe the old text, with the values that a new text starts with.
_OF_THE_TEXT: dict[str, Any] = {
    "source": Source(),
    "confidence": None,
    "rationale": None,
    "seen": (),
    "refreshed_at": None,
    "code_names": (),
}
_LINKS = "links"


class Replaced(NamedTuple):
    """A version that was replaced, and its path in the archive."""

    id: str
    path: str
    title: str


class Evolved(NamedTuple):
    """The new version, the entries that it replaced, and entries that may need the same
    change; `of` is what it cites, if it was to cite anything; `citations_checked` is
    None for a fact; `notes` say why it is not shown, if it is not. Of a change that was
    only tried `id` is empty, and `diff` shows the lines of the file that would change.
    """

    id: str
    path: str
    title: str
    replaced: list[Replaced]
    siblings: list[Sibling]
    citations_checked: bool | None = None
    of: citing.Granted | None = None
    diff: str | None = None
    notes: tuple[str, ...] = ()

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
            "replaced": [item._asdict() for item in self.replaced],
            "not_updated": [item._asdict() for item in self.siblings],
            **about,
        }


def evolve(
    vault: "Vault",
    entry_id: str,
    values: Mapping[str, Any],
    *,
    reason: str | None = None,
    also: Sequence[str] = (),
    untag: Sequence[str] = (),
    cites: Cites = Cites(),  # noqa: B008 a value that cannot change
    enforce: str | None = None,
    allow_secret: bool = False,
    dry_run: bool = False,
) -> Evolved:
    """Replace an entry by its next version.

    Args:
        vault: where it is.
        entry_id: the entry, or a unique prefix of its id.
        values: what changes: `text` and any field of an entry; `tags` are added.
        reason: why; kept with the old version.
        also: ids of further entries that the new version replaces.
        untag: tags that the new version does not carry over.
        cites: what the new version of an observation or model rests on, which makes
            it fresh (`citing.renewed`).
        enforce: ask, deny, or none; given by a person, which the caller has checked.
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
    from memcli.entries import dates, no_secrets
    from memcli.storage.transaction import subject

    with vault.transaction() as change:
        old, others = _named(vault, entry_id, also)
        now_ms = vault.now_ms()
        of = None
        if cites.ids or cites.research:
            of = citing.grant(vault, old.entry.layer, cites).without(old.entry.id)
        same = bool(others or of or enforce)
        fresh = successor(vault, old.entry, values, untag, now_ms, same)
        fresh = _enforced(fresh, enforce)
        fresh = _passed_on(vault, fresh, [old, *others], values)
        if fresh.evidence != old.entry.evidence:
            fresh = citing.checked(vault, fresh.replace(research=None))
        fresh = citing.renewed(
            vault,
            old.entry,
            fresh,
            of,
            rewritten=values.get("text") is not None,
            now=dates.iso(now_ms // 1000),
        )
        change.allow_secret = allow_secret
        if not allow_secret:
            no_secrets.refuse(fresh)
        fresh = _placed(vault, old, fresh)
        if dry_run:
            tried = _tried(vault, [old, *others], fresh)
            return tried._replace(of=of, citations_checked=citing.were_checked(fresh))
        done = _replace(vault, change, old, others, fresh, reason, now_ms)
        around = look_around(vault, fresh, [old.entry, *(o.entry for o in others)])
        change.note(fresh, "evolve")
        change.message = subject("evolve", fresh.display_title)
        done = done._replace(of=of, citations_checked=citing.were_checked(fresh))
    vault.recorder.acted([version.id for version in done.replaced], "evolve")
    if of:
        citing.conclude(vault, done.id, of)
        vault.recorder.judged(of.cited, useful=True, by="citation")
    done = done._replace(siblings=around.siblings)
    return _explained(vault, done) if around.is_resolved else done


def _explained(vault: "Vault", done: Evolved) -> Evolved:
    """What was done, with a note where the new version is not shown."""
    try:
        return done._replace(notes=tuple(not_shown.notes(vault, [done.id])))
    except MemcliError as error:
        # The new version is committed, whatever the disk or the index say now.
        vault.tell(f"whether {done.id} is shown is unknown: {error.message}")
        return done


def revert(
    vault: "Vault",
    entry_id: str,
    *,
    reason: str | None = None,
    dry_run: bool = False,
) -> Evolved:
    """Make the version before the current one, as a new version.

    Reverting twice brings the later version back; with `dry_run` nothing changes.

    Raises:
        NotAllowed: nothing was replaced by this entry (code `no_version_before`).
        Others as `evolve`.
    """
    from memcli.entries import dates
    from memcli.storage.transaction import subject

    with vault.transaction() as change:
        old, _ = _named(vault, entry_id, ())
        earlier = vault.as_seen(old.entry).supersedes
        if not earlier:
            raise NotAllowed(
                f"{old.entry.id} is the first version; there is none before it",
                code="no_version_before",
            )
        version = _before(vault, earlier)
        change.carry(version.data)
        before = version.entry
        now_ms = vault.now_ms()
        now = dates.iso(now_ms // 1000)
        fresh = before.replace(id=new_id(now_ms, vault.entropy), path=old.path)
        fresh = lineage.passed_on(vault, fresh, [before, old.entry], shared_anew=False)
        fresh = _placed(vault, old, fresh)
        if dry_run:
            return _tried(vault, [old], fresh)
        if not reason:
            reason = "reverted"  # an id would be told to all who see this version
        place = lineage.replace(vault, change, old, fresh, reason=reason, now=now)
        change.note(fresh, "evolve")
        change.message = subject("evolve: revert", fresh.display_title)
    replaced = Replaced(old.entry.id, place, old.entry.display_title)
    done = Evolved(
        fresh.id,
        fresh.path,
        fresh.display_title,
        [replaced],
        [],
        citing.were_checked(fresh),
    )
    return _explained(vault, done)


def _before(vault: "Vault", entry_id: str) -> "Stored":
    try:
        return vault.stored(vault.path_of(entry_id))
    except EntryNotFound as error:
        from shlex import quote

        git = f"git -C {quote(vault.root)}"
        raise EntryNotFound(
            f"the version before, {entry_id}, is not in the vault any more",
            hint=f"git may have it: {git} log --all -- '*{entry_id}.md'",
        ) from error


def _named(
    vault: "Vault", entry_id: str, also: Sequence[str]
) -> "tuple[Stored, list[Stored]]":
    """The entries that the ids name, each once and in force; the lock is held."""
    stored = [vault.stored(path) for path in vault.paths_of((entry_id, *also))]
    for item in stored:
        refuse_unless(vault, Action.EVOLVE, item.entry)
        lineage.refuse_ended(vault, item.entry)
    if len({item.entry.id for item in stored}) < len(stored):
        raise UsageError("an entry is named twice", hint="Name each entry once.")
    return stored[0], stored[1:]


def _passed_on(
    vault: "Vault", fresh: Entry, old: "Sequence[Stored]", values: Mapping[str, Any]
) -> Entry:
    """The new version as its writer's, who must have the right to share and to pin."""
    shared_anew = bool(values.get("visibility") or values.get("groups"))
    pins = is_pinned(fresh) and not any(is_pinned(item.entry) for item in old)
    for item in old:
        if shared_anew:
            refuse_unless(vault, Action.SHARE, item.entry)
        if pins:
            refuse_unless(vault, Action.PIN, item.entry)
    entries = [item.entry for item in old]
    return lineage.passed_on(vault, fresh, entries, shared_anew=shared_anew)


def successor(
    vault: "Vault",
    old: Entry,
    values: Mapping[str, Any],
    untag: Sequence[str],
    now_ms: int,
    merging: bool,
) -> Entry:
    """The next version of an entry, with everything that it carries over.

    Args:
        vault: for its kinds and limits.
        old: the version before.
        values: what changes, as `evolve` takes it.
        untag: tags to drop.
        now_ms: the moment.
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
    dropped = {tag.strip().lower() for tag in untag}
    unknown = dropped - set(old.tags)
    if unknown:
        raise InvalidContent(
            f"{old.id} has no tag '{min(unknown)}'",
            hint=f"It has: {', '.join(old.tags) or 'none'}.",
            code="invalid_tag",
        )
    tags = [tag for tag in old.tags if tag not in dropped]
    fields["tags"] = tuple(dict.fromkeys((*tags, *checked.tags)))
    fields["entities"] = tuple(dict.fromkeys((*old.entities, *checked.entities)))
    if text is not None:
        fields = {**_OF_THE_TEXT, **fields, "body": checked.body}
        fields["extra"] = _with_links(old, checked.body)
    if old.expires_at and "expires_at" not in fields and _is_past(old, now_ms):
        fields["expires_at"] = None  # a version of today did not expire yesterday
    fresh = old.replace(**fields)
    if fresh == old and not merging:
        raise InvalidContent(
            f"nothing would change in {old.id}",
            hint="Give a new text, or a flag that changes a field.",
            code="nothing_to_change",
        )
    fresh = anchoring.of_next(vault, fresh, rewritten=text is not None)
    if fresh.item is not None:
        fresh = fresh.replace(key=strict_key(fresh.item, fresh.body))
    return vault.link(fresh).replace(id=new_id(now_ms, vault.entropy))


def _enforced(fresh: Entry, enforce: str | None) -> Entry:
    """The new version with what a person says of tools that it is about.

    The version becomes theirs: what an import or a session brought keeps no tool from
    running, and what a person enforces does.
    """
    if enforce is None:
        return fresh
    source = fresh.source._replace(writer="manual")
    value = None if enforce == "none" else Enforce(enforce)
    return fresh.replace(enforce=value, source=source)


def _replace(
    vault: "Vault",
    change: "Transaction",
    old: "Stored",
    others: "list[Stored]",
    fresh: Entry,
    reason: str | None,
    now_ms: int,
) -> Evolved:
    from memcli.entries import dates

    now = dates.iso(now_ms // 1000)
    place = lineage.replace(vault, change, old, fresh, reason=reason, now=now)
    replaced = [Replaced(old.entry.id, place, old.entry.display_title)]
    for other in others:
        place = lineage.archive(
            vault, change, other, by=fresh.id, reason=reason, now=now
        )
        replaced.append(Replaced(other.entry.id, place, other.entry.display_title))
    return Evolved(fresh.id, fresh.path, fresh.display_title, replaced, [])


def _placed(vault: "Vault", old: "Stored", fresh: Entry) -> Entry:
    """The new version at its path."""
    path = next_path(vault, old.entry, fresh.display_title)
    return fresh.replace(path=path)


def _tried(vault: "Vault", old: "Sequence[Stored]", fresh: Entry) -> Evolved:
    """What a change would come to: the lines that differ, but for ids and dates."""
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
    replaced = [
        Replaced(
            item.entry.id,
            layout.archived(item.path, item.entry.id),
            item.entry.display_title,
        )
        for item in old
    ]
    around = look_around(vault, fresh, [item.entry for item in old])
    return Evolved(
        "",
        fresh.path,
        fresh.display_title,
        replaced,
        around.siblings,
        diff="\n".join(lines),
    )


def _is_past(entry: Entry, now_ms: int) -> bool:
    from memcli.entries import dates

    return dates.to_epoch(entry.expires_at or "") <= now_ms // 1000


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
