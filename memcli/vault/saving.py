"""Saving: what the vault holds already of a draft, and where a new entry goes.

Invariant: the same content is saved once. What was resolved or rejected is not let in
again by what mines sessions, but recorded as met again. All drafts of one call go into
one transaction and one commit.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memcli.entries import codec, dates, layout
from memcli.entries.entry import Entry, Status, Visibility
from memcli.entries.identity import fingerprint, strict_key
from memcli.entries.ids import new_id, slug
from memcli.entries.text import conflict
from memcli.named_tuple import NamedTuple
from memcli.storage.transaction import subject
from memcli.vault import duplicates, evidence, free_paths, likeness, merging, not_shown
from memcli.vault.duplicates import Held, HeldTexts
from memcli.vault.likeness import Similar
from memcli.vault.merging import NotTaken

if TYPE_CHECKING:
    from memcli.entries.text.mentions import Compiled
    from memcli.search.reader import Reader
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Vault

# An entry in these states takes what the same text brings.
_MERGED_INTO = ("active", "pending")
_WRITTEN = ("created", "merged", "seen", "recurred")


class Saved(NamedTuple):
    """What became of one draft.

    `outcome` is one of: created; duplicate (an entry holds the same text); merged (it
    does, and the draft's tags or the like were added to it); seen (a reflection item
    was met again); recurred (a resolved entry was met again); rejected
    (a review has rejected this text). `id` is that of the entry which holds the text.
    For a created entry, `entities` are its mentions, `registered` the entities that are
    new in the registry, and `cited` the entries that an observation or model rests on;
    `research` is the research run that retrieved them, and `dropped` what it did not.
    Of an entry that was there, `merged` names the fields that the draft added to, and
    `not_taken` those that contradict it.
    `project` is where it holds; None is everywhere. `code` and `code_names` are the
    places in the project's code that a created entry speaks of.
    `settled_by` is the resolved entry because of which it is not shown; `like_resolved`
    one that says nearly the same.
    """

    id: str
    path: str
    outcome: str
    title: str
    similar: tuple[Similar, ...] = ()
    notes: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    registered: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    not_taken: tuple[NotTaken, ...] = ()
    project: str | None = None
    dropped: tuple[str, ...] = ()
    research: str | None = None
    settled_by: str | None = None
    like_resolved: Similar | None = None
    code: tuple[str, ...] = ()
    code_names: tuple[str, ...] = ()


def save(
    vault: "Vault", draft: Entry, *, allow_secret: bool = False, register: bool = False
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

        no_secrets.refuse(draft)
    (saved,) = save_all(
        vault, [draft], allow_secret=allow_secret, similar=True, register=register
    )
    return saved


def save_all(
    vault: "Vault",
    drafts: Sequence[Entry],
    *,
    allow_secret: bool = False,
    similar: bool = False,
    register: bool = False,
    verb: str = "save",
    origin: str = "",
) -> list[Saved]:
    """Save drafts in their order, in one transaction and one commit.

    Args:
        vault: where to.
        drafts: of `Vault.draft`.
        allow_secret: save what looks like a secret, too.
        similar: name entries that say nearly the same as the first draft.
        register: as for `save`.
        verb: what the commit and the log of signals call it.
        origin: where the drafts are from, for the commit's message.

    Raises:
        As `save`.
    """
    # Before the lock: others must not wait for a look into this one's project.
    drafts = _in_code(vault, drafts, verb)
    with vault.transaction() as change:
        change.action = verb
        change.allow_secret = allow_secret
        held_texts, alike, solved = look_up(vault, drafts, similar=similar)
        saved = place(vault, change, drafts, held_texts, register=register)
        created = [item for item in saved if item.outcome == "created"]
        change.message = _message(verb, saved, origin)
    cited = [entry_id for item in created for entry_id in item.cited]
    if cited and verb == "save":
        vault.recorder.judged(cited, useful=True, by="citation")
    if created and similar:
        saved[0] = saved[0]._replace(similar=tuple(alike), like_resolved=solved)
    return saved


def _in_code(vault: "Vault", drafts: Sequence[Entry], verb: str) -> Sequence[Entry]:
    """Drafts with what they say of the code of their project.

    Raises:
        InvalidValue: an anchor names what is not there.
    """
    if vault.cwd is None and not any(draft.code for draft in drafts):
        return drafts
    from memcli.vault import anchoring

    strict = verb != "import"
    drafts = [anchoring.anchored(vault, draft, strict=strict) for draft in drafts]
    return anchoring.named(vault, drafts)


def plan(vault: "Vault", drafts: Sequence[Entry]) -> list[Saved]:
    """What `save_all` would do with these drafts; ids are empty, paths likely."""
    held_texts = look_up(vault, drafts)[0]
    return place(vault, None, drafts, held_texts)


def look_up(
    vault: "Vault", drafts: Sequence[Entry], *, similar: bool = False
) -> tuple[HeldTexts, list[Similar], Similar | None]:
    """What the vault holds of these drafts.

    With `similar` also the entries that say nearly the same as the first one: those in
    force, and one that is resolved.
    """

    def look(
        reader: "Reader", changed: list[str], removed: list[str]
    ) -> tuple[HeldTexts, list[Similar], Similar | None]:
        later = duplicates.Later(vault.root, changed, removed, vault.agent)
        now = vault.now_ms() // 1000
        held_texts = duplicates.held_texts(reader, later, drafts, now)
        if not similar or held_texts.match(drafts[0]):
            return held_texts, [], None
        near = likeness.similar(reader, later, drafts[0])
        solved = likeness.like_resolved(reader, drafts[0], later)
        return held_texts, near, solved

    return vault.index.glance(look)


def place(
    vault: "Vault",
    change: "Transaction | None",
    drafts: Sequence[Entry],
    held_texts: HeldTexts,
    *,
    register: bool = False,
) -> list[Saved]:
    """Give each draft an id, a path and its mentions, and put it into a transaction.

    Args:
        vault: where to.
        change: an open transaction; None only says what would be done.
        drafts: in their order.
        held_texts: of `look_up`; what is placed is added to it.
        register: as for `save`.
    """
    names = vault.registry.names
    now_ms = vault.now_ms()
    now = dates.iso(now_ms // 1000)
    folders: dict[str, set[str]] = {}
    saved = []
    for number, draft in enumerate(drafts):
        draft = _signed(vault, draft)
        match = held_texts.match(draft)
        resolved_id = held_texts.settled_by(draft)
        if match is not None:
            again, entry = _again(vault, change, match, draft, names)
            if change is not None and register and "entities" in again.merged:
                given = draft.entities
                new = _register(vault, change, entry, given, names, folders)
                again = again._replace(registered=tuple(new))
            saved.append(_settled(again, resolved_id))
            continue
        entry, unclear = _prepared(vault, draft, names, now, folders)
        registered: list[str] = []
        if change is not None:
            # An id that an agent brings may be that of an entry which it does not see.
            given_id = entry.id if vault.agent is None else ""
            entry_id = given_id or new_id(now_ms + number, vault.entropy)
            entry = entry.replace(id=entry_id)
            change.put(entry.path, codec.encode(entry), expected=None)
            change.note(entry)
            if register and draft.entities:
                given = draft.entities
                registered = _register(vault, change, entry, given, names, folders)
        notes = [
            f"an entry with the same text is {held.status}: {held.id}"
            for held in held_texts.earlier(draft)
        ]
        if resolved_id is not None:
            notes.append(f"it is not shown: {not_shown.note(resolved_id)}")
        notes += map(names.explained, unclear)
        if conflict.begins(entry.body) >= 0:
            notes.append(
                "git's marks of a merge stand in it, so it is shown as two versions "
                f"until one is kept: {entry.path}"
            )
        held = duplicates.held(entry, now_ms // 1000)
        if entry.expires_at and held.status == str(Status.EXPIRED):
            notes.append(
                f"it expired on {entry.expires_at}, so nothing shows it; what has: "
                "memcli recall --status expired"
            )
        notes += (
            f"{held.project} has the same text: {held.id}; to make it one that holds "
            f"everywhere: memcli evolve {entry.id} --also {held.id} --project none"
            for held in held_texts.elsewhere(draft)
        )
        saved.append(
            Saved(
                entry.id,
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
                code_names=entry.code_names,
            )
        )
        held_texts.add(entry.body, held)
    return saved


def settled(vault: "Vault", draft: Entry, now: str) -> Entry:
    """An observation or model with its evidence, as `evidence.settled` gives it."""
    agent = vault.agent_name
    return vault.read(
        lambda reader: evidence.settled(reader, draft, agent=agent, now=now)
    )


def _signed(vault: "Vault", draft: Entry) -> Entry:
    """The draft with the agent that writes it; it is shared with that agent's groups
    where it names none."""
    if vault.agent is None:
        return draft
    if draft.visibility is Visibility.GROUP and not draft.groups:
        draft = draft.replace(groups=vault.agent.groups)
    return draft.replace(agent=vault.agent.name)


def _prepared(
    vault: "Vault",
    draft: Entry,
    names: "Compiled",
    now: str,
    folders: dict[str, set[str]],
) -> tuple[Entry, list[str]]:
    """The entry that a draft becomes, still without an id; and the ambiguous names."""
    from memcli.entries.text import mentions

    entry, unclear = mentions.linked(draft, names)
    created = entry.created or now
    if evidence.is_drawn(entry):
        entry = settled(vault, entry, created)
    entry = entry.replace(created=created)
    folder = layout.folder_for(entry)
    path = free_paths.free_path(vault, folder, slug(entry.display_title), folders)
    entry = entry.replace(path=path)
    if entry.item is not None:
        entry = entry.replace(key=strict_key(entry.item, entry.body))
    return entry, unclear


def _register(
    vault: "Vault",
    change: "Transaction",
    entry: Entry,
    given: Sequence[str],
    names: "Compiled",
    folders: dict[str, set[str]],
) -> list[str]:
    """Put a registry file for each of these names that is new; their names."""
    from functools import partial

    from memcli.vault.registry.page import new_entities

    free_path = partial(free_paths.free_path, vault, folders=folders)
    entities = new_entities(entry, given, names, free_path, vault.new_id)
    for entity, data in entities:
        change.put(entity.path, data, expected=None)
    return [entity.name for entity, _ in entities]


def _again(
    vault: "Vault",
    change: "Transaction | None",
    match: tuple[Held, str],
    draft: Entry,
    names: "Compiled",
) -> tuple[Saved, Entry]:
    """Add to an entry what a draft with its text brings: a sighting, tags, ...

    Returns:
        What became of the draft, and the entry as it is now. What a session taught is
        a sighting and adds nothing else.
    """
    from memcli.entries.text.mentions import fold

    held, outcome = match
    met = outcome in ("seen", "recurred") and change is not None
    adds = merging.brings(draft) and held.status in _MERGED_INTO
    adds = adds and draft.source.writer not in ("hook", "pipeline")
    by_id = draft.id == held.id
    data = _data_of(vault, change, held.path) if met or adds or by_id else None
    if data is None:
        return _matched(held, outcome), draft
    before = codec.decode(data, held.path, kinds=vault.kinds).entry
    if by_id and fingerprint(draft.body) != fingerprint(before.body):
        note = f"{held.id} is there with another text, which stays as it is"
        return _matched(held, outcome)._replace(notes=(note,)), before
    entry = before
    if met:
        now = dates.iso(vault.now_ms() // 1000)
        sighted = duplicates.sighted(before, draft, now)
        entry, outcome = (sighted, outcome) if sighted else (before, "duplicate")
    done = merging.Merged(entry, (), ())
    if adds:
        spelled = tuple(names.meant.get(fold(name), name) for name in draft.entities)
        draft = draft.replace(entities=spelled)
        done = merging.merge(entry, draft, vault.agent, vault.as_seen(entry))
    if done.taken and outcome == "duplicate":
        outcome = "merged"
    if change is not None and done.entry != before:
        fresh = codec.rewrite(data, done.entry, kinds=vault.kinds)
        if change.pending(held.path) is None:
            change.put(held.path, fresh, expected=data)
        else:
            change.put(held.path, fresh)
        change.note(draft.replace(id=held.id))
    saved = _matched(held, outcome)
    notes = [merging.sentence(held.id, left) for left in done.left]
    saved = saved._replace(
        merged=done.taken, not_taken=done.left, notes=(*saved.notes, *notes)
    )
    return saved, done.entry


def _data_of(vault: "Vault", change: "Transaction | None", path: str) -> bytes | None:
    """A file's bytes as they will be; None where a plan has not written it."""
    pending = change.pending(path) if change is not None else None
    if pending is not None:
        return pending
    if change is None and not os.path.exists(os.path.join(vault.root, path)):
        return None
    return vault.stored(path).data


def _matched(held: Held, outcome: str) -> Saved:
    """What became of a draft whose text an entry holds already."""
    notes: tuple[str, ...] = ()
    if outcome == "rejected":
        notes = (f"{held.id} says this, and a review rejected it",)
    return Saved(
        held.id, held.path, outcome, held.title, notes=notes, project=held.project
    )


def _settled(saved: Saved, resolved_id: str | None) -> Saved:
    """What became of a draft, with what keeps it from being shown."""
    if resolved_id is None and saved.outcome == "recurred":
        resolved_id = saved.id  # what was mined: an entry that was resolved alone
    if resolved_id is None:
        return saved
    note = f"it came up again and is not shown: {not_shown.note(resolved_id)}"
    return saved._replace(settled_by=resolved_id, notes=(note, *saved.notes))


def _message(verb: str, saved: Sequence[Saved], origin: str) -> str:
    """The first line of the commit; `origin` says where the drafts are from."""
    written = [item for item in saved if item.outcome in _WRITTEN]
    if len(written) == 1 and not origin:
        again = "" if written[0].outcome == "created" else f"{written[0].outcome}: "
        return subject(verb, again + written[0].title)
    from memcli.entries.text.counted import counted

    source = f" from {origin}" if origin else ""
    return f"{verb}: {counted(len(written), 'entry')}{source}"
