"""Saving: drafts that the vault does not hold yet become entries, in one commit.

Invariant: the same content is saved once. What was resolved or rejected is not let in
again by what mines sessions, but recorded as met again. All drafts of one call go into
one transaction and one commit.
"""

from __future__ import annotations

from memcli.entries.entry import Status
from memcli.storage.transaction import subject
from memcli.vault import duplicates, likeness
from memcli.vault.placing import place

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.entries.entry import Entry
    from memcli.search.following import Unindexed
    from memcli.search.reader import Reader
    from memcli.vault.duplicates import HeldTexts
    from memcli.vault.likeness import Similar
    from memcli.vault.saved import Saved
    from memcli.vault.vault import Vault

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
    if vault.cwd is None and not any(draft.code for draft in drafts):
        return drafts
    from memcli.vault import anchoring

    strict = verb != "import"
    drafts = [anchoring.anchored(vault, draft, strict=strict) for draft in drafts]
    return anchoring.named(vault, drafts)


def plan(vault: Vault, drafts: Sequence[Entry]) -> list[Saved]:
    """The outcome of `save_all` for these drafts; ids are empty, paths likely."""
    with vault.transaction() as change:
        change.dry_run = True
        return place(vault, change, drafts, look_up(vault, drafts)[0])


# A file of more is compared with what is resolved up to here: some 3 ms a draft.
_MOST_COMPARED = 500


def look_up(
    vault: Vault,
    drafts: Sequence[Entry],
    *,
    similar: bool = False,
    resolved: bool = False,
) -> tuple[HeldTexts, tuple[Similar, ...], dict[int, Similar]]:
    """The entries of a vault that hold these drafts.

    With `similar` also the entries in force that are nearest to the first one; with
    `resolved`, by the place of a draft, the resolved entry that says nearly the same.
    """

    def look(
        reader: Reader, unindexed: Unindexed
    ) -> tuple[HeldTexts, tuple[Similar, ...], dict[int, Similar]]:
        later = duplicates.Later(unindexed, vault.agent)
        now = vault.now_ms() // 1000
        held_texts = duplicates.held_texts(reader, later, drafts, now)
        near: tuple[Similar, ...] = ()
        if similar and not held_texts.match(drafts[0]):
            near = likeness.near(reader, later, drafts[0])
        solved = {}
        for nth, draft in enumerate(drafts[:_MOST_COMPARED] if resolved else ()):
            if draft.status is Status.ACTIVE and not held_texts.match(draft):
                like = likeness.like_resolved(reader, draft, later)
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
