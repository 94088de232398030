"""Saving: drafts that the vault does not hold yet become entries, in one commit; each
other one adds what it brings to the entry that holds its text.

Invariant: the same content is saved once. What was resolved or rejected is not let in
again by what mines sessions, but recorded as met again. All drafts of one call go into
one transaction and one commit, in their order, and each sees what those before it
brought.
"""

from __future__ import annotations

from memcli.entries import codec, dates, fields, layout
from memcli.entries.eligibility import View, facts
from memcli.entries.entry import MINERS, Entry, Layer, Status, is_unconfirmed
from memcli.entries.identity import fingerprint
from memcli.entries.ids import new_id, slug
from memcli.named_tuple import taken
from memcli.storage.transaction import subject
from memcli.storage.vault_paths import FreePaths
from memcli.vault import duplicates, likeness, lineage
from memcli.vault.saved import (
    Merged,
    Saved,
    brings,
    held_back,
    matched,
    merge,
    skill_name,
    why_not_shown,
    with_its_name,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.search.following import Unindexed
    from memcli.search.reader import Reader
    from memcli.storage.transaction import Transaction
    from memcli.vault.duplicates import Held, HeldTexts
    from memcli.vault.likeness import Similar
    from memcli.vault.vault import Vault

    _Looked = tuple[HeldTexts, tuple[Similar, ...], dict[int, Similar]]

_WRITTEN = ("created", "merged", "seen", "recurred")


def save(
    vault: Vault, draft: Entry, *, allow_secret: bool = False, register: bool = False
) -> Saved:
    """Save one draft; the same content again returns the entry that holds it.

    With `register`, those of its entities that are new are registered with its type.

    Raises:
        SecretFound: the text looks as if it held a secret.
        InvalidValue: an anchor names code that is not there.
        LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    if not allow_secret:
        from memcli.entries import no_secrets

        no_secrets.refuse(draft)  # names the field
    (saved,) = save_all(
        vault, [draft], allow_secret=allow_secret, similar=True, register=register
    )
    return saved


def save_all(
    vault: Vault,
    drafts: Sequence[Entry],
    *,
    allow_secret: bool = False,
    similar: bool = False,
    register: bool = False,
    origin: str | None = None,
) -> list[Saved]:
    """Save drafts in their order, in one transaction and one commit.

    Args:
        vault: where to.
        drafts: of `Vault.draft`.
        allow_secret: as for `save`.
        similar: name the entries that are nearest to the first draft.
        register: as for `save`.
        origin: of an import, the name of the file that they are from.

    Raises:
        As `save`.
    """
    # Before the lock: others must not wait for a look into this one's project.
    verb = "save" if origin is None else "import"
    drafts = _in_code(vault, drafts, verb)
    with vault.transaction() as change:
        change.action = verb
        change.allow_secret = allow_secret
        held_texts, near, solved = look_up(
            vault, drafts, similar=similar, resolved=True
        )
        saved = place(vault, change, drafts, held_texts, register=register)
        created = [item for item in saved if item.outcome == "created"]
        change.message = _message(verb, origin, saved)
    cited = [entry_id for item in created for entry_id in item.cited]
    if cited and verb == "save":
        vault.recorder.judged(cited, useful=True, by="citation")
    if created and similar:
        saved[0] = saved[0]._replace(similar=near)
    return [
        item._replace(like_resolved=solved.get(nth))
        if item.outcome == "created"
        else item
        for nth, item in enumerate(saved)
    ]


def _in_code(vault: Vault, drafts: Sequence[Entry], verb: str) -> Sequence[Entry]:
    """Drafts with what they say of the code of their project.

    Raises:
        InvalidValue: an anchor names what is not there.
    """
    if not any(draft.code for draft in drafts):
        return drafts
    from memcli.vault import anchoring

    strict = verb != "import"
    return [anchoring.anchored(vault, draft, strict=strict) for draft in drafts]


def plan(vault: Vault, drafts: Sequence[Entry], verb: str = "save") -> list[Saved]:
    """The outcome of `save_all` for these drafts; ids are empty, paths likely."""
    with vault.transaction() as change:
        change.action, change.dry_run = verb, True
        return place(vault, change, drafts, look_up(vault, drafts)[0])


# A file of more is compared with what is resolved up to here: some 3 ms a draft.
_MOST_COMPARED = 500


def look_up(
    vault: Vault,
    drafts: Sequence[Entry],
    *,
    similar: bool = False,
    resolved: bool = False,
) -> _Looked:
    """The entries of a vault that hold these drafts.

    With `similar` also the entries in force that are nearest to the first one; with
    `resolved`, by the place of a draft, the resolved entry that says nearly the same.
    """

    def look(reader: Reader, unindexed: Unindexed) -> _Looked:
        now = vault.now_ms() // 1000
        held_texts = duplicates.held_texts(reader, unindexed, drafts, now)
        near: tuple[Similar, ...] = ()
        if similar and not held_texts.match(drafts[0]):
            near = likeness.near(reader, unindexed, drafts[0], View(now))
        solved = {}
        for nth, draft in enumerate(drafts[:_MOST_COMPARED] if resolved else ()):
            if draft.status is Status.ACTIVE and not held_texts.match(draft):
                like = likeness.like_resolved(reader, draft, unindexed)
                solved.update({nth: like} if like else {})
        return held_texts, near, solved

    return vault.index.glance(look)


def _message(verb: str, origin: str | None, saved: Sequence[Saved]) -> str:
    """The first line of the commit."""
    written = [item for item in saved if item.outcome in _WRITTEN]
    if len(written) == 1 and not origin:
        again = "" if written[0].outcome == "created" else f"{written[0].outcome}: "
        return subject(verb, again + written[0].title)
    from memcli.entries.text.counted import counted

    source = f" from {origin}" if origin else ""
    return f"{verb}: {counted(len(written), 'entry')}{source}"


# --- each draft on its way ------------------------------------------------------------

# An entry in these states takes what the same text brings.
_MERGED_INTO = ("active", "pending")


def place(
    vault: Vault,
    change: Transaction,
    drafts: Sequence[Entry],
    held_texts: HeldTexts,
    *,
    register: bool = False,
) -> list[Saved]:
    """Give each draft an id, a path and its mentions, and put it into a transaction.

    Args:
        vault: where to.
        change: an open transaction.
        drafts: in their order.
        held_texts: of `look_up`; what is placed is added to it.
        register: whether those of their entities that are new are registered.
    """
    placing = _Placing(vault, change, held_texts, register=register)
    return [placing.place(number, draft) for number, draft in enumerate(drafts)]


class _Placing:
    """Drafts on their way into one transaction; the arguments are those of `place`."""

    def __init__(
        self,
        vault: Vault,
        change: Transaction,
        held_texts: HeldTexts,
        *,
        register: bool,
    ) -> None:
        self._vault = vault
        self._change = change
        self._held_texts = held_texts
        self._register = register
        self._names = vault.registry.names
        self._now_ms = vault.now_ms()
        self._now = dates.iso(self._now_ms // 1000)
        self._created = set[str]()
        # Where what waited was moved to.
        self._moved: dict[str, str] = {}
        self._paths = FreePaths(vault.root, vault.new_id if vault.agent else None)

    def place(self, number: int, draft: Entry) -> Saved:
        """Place a draft; `number` tells its id from those of the same moment."""
        if self._vault.agent is not None:
            from memcli.vault.agents import signed

            draft = signed(self._vault, self._vault.agent, draft)
        draft = with_its_name(draft)
        match = self._held_texts.match(draft)
        resolved_id = self._held_texts.settled_by(draft)
        if match is None:
            return self._replaced(draft) or self._create(number, draft, resolved_id)
        saved = held_back(self._join(match, draft), resolved_id)
        if saved.outcome != "recurred" or self._held_texts.says(match[0], draft):
            return saved
        note = f"a part of it says what {saved.id} does, so its text was not saved"
        return saved._replace(notes=(*saved.notes, note))

    def _replaced(self, draft: Entry) -> Saved | None:
        """The outcome of what an import would bring back; None for any other draft."""
        comes = self._change.action == "import" and draft.status is Status.ACTIVE
        # A version is in a chain; and a backup may have the same words twice.
        held = self._held_texts.replaced(draft) if comes else None
        if held is None or draft.supersedes or held.id in self._created:
            return None
        name = self._vault.read(lambda reader: lineage.current(reader, held.id))
        note = (
            f"{held.id} says this, and {name or 'another version'} replaced it, so it "
            "was left out; to have it back: memcli save TEXT"
        )
        return matched(held, "superseded")._replace(notes=(note,))

    def _create(self, number: int, draft: Entry, resolved_id: str | None) -> Saved:
        """Make an entry of a draft whose text no entry holds."""
        entry, unclear = self._prepared(draft)
        # An id that an agent brings may be that of an entry which it does not see.
        given_id = entry.id if self._vault.agent is None else ""
        entropy = self._vault.caller.entropy
        entry = entry.replace(id=given_id or new_id(self._now_ms + number, entropy))
        self._created.add(entry.id)
        self._change.put(entry.path, codec.encode(entry), expected=None)
        self._change.note(entry)
        registered = self._register_new(entry, draft.entities)
        notes = [
            f"an entry with the same text is {earlier.status}: {earlier.id}"
            for earlier in self._held_texts.earlier(draft)
        ]
        if resolved_id is not None:
            notes.append(f"it is not shown: {why_not_shown(resolved_id)}")
        held = self._held(entry)
        if entry.expires_at and held.status == Status.EXPIRED:
            notes.append(f"it is not shown: it has expired ({entry.expires_at})")
        notes += map(self._names.explained, unclear)
        self._held_texts.add(entry.body, held)
        return Saved(
            "" if self._change.dry_run else entry.id,
            entry.path,
            "created",
            entry.display_title,
            notes=tuple(notes),
            entities=entry.entities,
            registered=tuple(registered),
            cited=tuple(mark.partition(":")[0] for mark in entry.fingerprints),
            project=entry.project,
            settled_by=resolved_id,
            code=entry.code,
        )

    def _prepared(self, draft: Entry) -> tuple[Entry, list[str]]:
        """The entry that a draft becomes, still without an id; the ambiguous names."""
        from memcli.entries.text import mentions

        entry, unclear = mentions.linked(draft, self._names)
        created = entry.created or self._now
        if entry.layer is not Layer.FACT and entry.evidence:
            entry = lineage.settled_evidence(self._vault, entry, created)
        entry = entry.replace(created=created)
        folder, name = layout.folder_for(entry), slug(entry.display_title)
        path = self._paths.take(folder, name)
        return entry.replace(path=path), unclear

    def _register_new(self, entry: Entry, given: Sequence[str]) -> list[str]:
        """Put a registry file for each of these names that is new; their names.

        A skill is an entity itself, also where the others are not registered. A
        candidate registers nothing, since it is not decided on. Who may see the entry
        may see these entities, too.

        Raises:
            InvalidValue: one of them cannot be a name.
        """
        if not self._register:
            given = [name for name in given if name == skill_name(entry)]
        if not given or entry.status is Status.PENDING:
            return []
        from memcli.entries.text.mentions import Registered, fold
        from memcli.vault import registry

        vault, type_ = self._vault, str(entry.type)
        known = self._names.meant.keys() | self._names.ambiguous.keys()
        new = [registry.check_name(name) for name in given if fold(name) not in known]
        folder = layout.registry_folder(type_)
        for name in new:
            path = self._paths.take(folder, slug(name))
            values = {"type": type_, "path": path, "visibility": str(entry.visibility)}
            entity = taken(Registered, entry, name=name, aliases=(), **values)
            data = registry.encode_entity(entity, vault.new_id())
            self._change.put(path, data, expected=None)
        return new

    def _join(self, match: tuple[Held, str], draft: Entry) -> Saved:
        """Add to the entry that holds a draft's text what the draft brings.

        What a session taught is a sighting and adds nothing else; a person who says it
        again confirms it, an import does not.
        """
        from memcli.entries.text.mentions import fold

        vault = self._vault
        held, outcome = match
        # A file is nobody's word, whoever it names.
        imported = self._change.action == "import"
        outcome = "duplicate" if imported and outcome == "seen" else outcome
        held = held._replace(path=self._moved.get(held.path, held.path))
        met = outcome in ("seen", "recurred")
        in_use = held.status in _MERGED_INTO
        adds = brings(draft) and in_use and draft.source.writer not in MINERS
        by_id = draft.id == held.id
        said = not (imported or duplicates.is_extracted(draft))
        if not (met or adds or by_id or said):
            return matched(held, outcome)
        data = self._change.pending(held.path) or vault.stored(held.path).data
        before = codec.decode(data, held.path, kinds=vault.kinds).entry
        if by_id and fingerprint(draft.body) != fingerprint(before.body):
            note = f"{held.id} is there with another text, which stays as it is"
            return matched(held, outcome)._replace(notes=(note,))
        by_person = vault.by_person(draft.source)
        if in_use and before.subtype == "pinned" and not by_person:
            return matched(held, "duplicate")
        entry = before
        if met:
            sighted = duplicates.sighted(before, draft, self._now)
            # A session, and what is dated, is told once; a person each time.
            told = draft.source.session or draft.occurred_at or draft.created
            if sighted is None and (outcome == "seen" or told):
                outcome = "duplicate"
            entry = sighted or before
        elif said and is_unconfirmed(before):
            entry, outcome = before.replace(seen=(self._now,)), "seen"
        done = Merged(entry, (), ())
        given = draft.entities
        # Nor does a file act on sessions, nor an agent weigh a report anew.
        kept = before.enforce and (imported or not by_person)
        kept = kept or not (by_person or before.layer is Layer.FACT)
        if adds and not kept:
            spelled = tuple(self._names.meant.get(fold(name), name) for name in given)
            draft = draft.replace(entities=spelled)
            done = merge(entry, draft, vault.agent, vault.as_seen(entry))
        if done.taken and outcome == "duplicate":
            outcome = "merged"
        self._know_end(done.entry)
        registered: list[str] = []
        if done.entry != before:
            if done.taken:
                fields.refuse_wide(done.entry)
            held = self._rewrite(held, done.entry, data)
            self._change.note(draft.replace(id=held.id))
            if "entities" in done.taken:
                registered = self._register_new(done.entry, given)
        saved = matched(held, outcome)
        return saved._replace(
            merged=done.taken,
            not_taken=done.left,
            notes=(*saved.notes, *done.notes),
            registered=tuple(registered),
        )

    def _know_end(self, entry: Entry) -> None:
        """Count in for the next drafts what an entry settles, if it is resolved."""
        if entry.status is Status.RESOLVED:
            self._held_texts.add(entry.body, self._held(entry))

    def _held(self, entry: Entry) -> Held:
        return duplicates.held(entry, facts(entry), self._now_ms // 1000)

    def _rewrite(self, held: Held, entry: Entry, data: bytes) -> Held:
        """Write an entry that was there; one that waited in the inbox and is now active
        leaves it."""
        change, path = self._change, held.path
        leaves = entry.status is Status.ACTIVE and path.startswith(layout.INBOX + "/")
        if leaves:
            folder, name = layout.folder_for(entry), slug(entry.display_title)
            path = self._paths.take(folder, name)
        entry = entry.replace(path=path)
        fresh = codec.rewrite(data, entry, kinds=self._vault.kinds)
        if leaves:
            change.put(path, fresh, expected=None)
            change.put(held.path, None, expected=data)
            self._moved[held.path] = path
        elif change.pending(path) is None:
            change.put(path, fresh, expected=data)
        else:
            change.put(path, fresh)
        return held._replace(path=path, status=str(entry.status))
