"""The next version of an entry: what it carries over, and what starts anew.

Invariant: everything that the caller did not change is carried over, unknown keys and
links included; what describes the old text alone (its source, its confidence) starts
anew with a new text.
"""

from __future__ import annotations

from memcli.curation.in_place import retagged
from memcli.entries import dates
from memcli.entries.entry import Enforce, Entry, Source
from memcli.entries.fields import refuse_wide
from memcli.entries.ids import new_id
from memcli.errors import InvalidContent
from memcli.vault import anchoring

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memcli.vault.vault import Vault

# Fields that describe the old text, with the values that a new text starts with.
_OF_THE_TEXT: dict[str, Any] = {
    "source": Source(),
    "confidence": None,
    "rationale": None,
    "seen": (),
    "refreshed_at": None,
    "code_names": (),
    "asked": (),
}
_LINKS = "links"


def successor(
    vault: Vault,
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
        values: what changes, `text` and any field of an entry; `tags` are added.
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
    fields["tags"] = retagged(old, checked.tags, untag)
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
    refuse_wide(fresh)
    return vault.link(fresh).replace(id=new_id(now_ms, vault.entropy))


def enforced(fresh: Entry, enforce: str | None) -> Entry:
    """The new version with what a person says of tools that it is about.

    The version becomes theirs: what an import or a session brought keeps no tool from
    running, and what a person enforces does.
    """
    if enforce is None:
        return fresh
    source = fresh.source._replace(writer="manual")
    value = None if enforce == "none" else Enforce(enforce)
    return fresh.replace(enforce=value, source=source)


def _is_past(entry: Entry, now_ms: int) -> bool:
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
