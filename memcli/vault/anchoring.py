"""Anchoring: what an entry that is saved notes of its project's code.

Invariant: only an entry of the project that the caller stands in is anchored. Of the
code nothing is kept but paths, line numbers, fingerprints and the commit. What a caller
names must be there.
"""

from __future__ import annotations

from memcli.entries import anchors
from memcli.entries.anchors import COMMIT_DIGITS, Anchor
from memcli.errors import InvalidValue
from memcli.storage import checkout, projects
from memcli.vault import code_state

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.entries.entry import Entry
    from memcli.storage.projects import Project
    from memcli.vault.vault import Vault


def anchored(vault: Vault, draft: Entry, *, strict: bool = True) -> Entry:
    """A draft whose anchors say what their lines are now.

    Args:
        vault: asked from a folder of the project.
        draft: anchors of it that have a fingerprint stay as they are.
        strict: whether anchors of another project are refused; else they stay.

    Raises:
        InvalidValue: a file or line is not there, or the entry has another project.
    """
    fresh = [each for each in anchors.read_all(draft.code) if not each.fingerprint]
    if not fresh:
        return draft
    watch = code_state.Watch(vault.project)
    if watch.project is None or not watch.is_here(draft, vault.source):
        if not strict:
            return draft
        raise _not_here(draft, watch.project)
    return draft.replace(code=_now(vault, watch.project, draft.code))


def _now(
    vault: Vault,
    project: Project,
    code: Sequence[str],
    *,
    anew: bool = False,
    missing: str = "refuse",
) -> tuple[str, ...]:
    """Anchors with the fingerprints of their lines as they are now.

    Args:
        vault: asked from the project.
        project: where the lines are.
        code: the anchors; those with a fingerprint stay as they are.
        anew: those as well are looked at, where their lines are by now.
        missing: what becomes of one that leads nowhere: refuse, keep or drop.

    Raises:
        InvalidValue: a file or line is not there.
    """
    history = checkout.CodeHistory.open(project.folder, vault.environ)
    commit = history.commit()[:COMMIT_DIGITS] if history else ""
    made: list[Anchor] = []
    for anchor in anchors.read_all(code):
        try:
            looked = anew or not anchor.fingerprint
            made.append(_made_now(project, anchor, commit) if looked else anchor)
        except InvalidValue:
            if missing == "refuse":
                raise
            if missing == "keep":
                made.append(anchor)
    return tuple(dict.fromkeys(map(str, made)))


def of_next(vault: Vault, fresh: Entry, *, rewritten: bool) -> Entry:
    """The next version of an entry, as anchored as its author has looked.

    A new text is written by an author who knows the code as it is now, so its anchors
    say what their lines are now, where these are still there. Without one they stay.

    Args:
        vault: asked from any folder.
        fresh: the version, with the anchors that it shall have.
        rewritten: whether it has a text of its own.

    Raises:
        InvalidValue: as `anchored`.
    """
    fresh = anchored(vault, fresh)
    if not (rewritten and fresh.code):
        return fresh
    watch = code_state.Watch(vault.project)
    if watch.project is None or not watch.is_here(fresh, vault.source):
        return fresh
    code = _now(vault, watch.project, fresh.code, anew=True, missing="keep")
    return fresh.replace(code=code)


def there(vault: Vault, folder: str | None, code: Sequence[str]) -> tuple[str, ...]:
    """Those anchors that are in the project of a folder, as their lines are now.

    For what a judge names, who may be wrong: what is not there is left out.
    """
    project = projects.of(folder, vault.environ) if code else None
    return _now(vault, project, code, missing="drop") if project else ()


def _made_now(project: Project, anchor: Anchor, commit: str) -> Anchor:
    """An anchor as of now: at the place to which its lines moved, else at its own.

    Raises:
        InvalidValue: the file or the lines are not there, or may not be read.
    """
    look = checkout.read(project.folder, anchor.path)
    if look.data is None:
        reason = "there is no such file" if look.gone else look.reason
        raise InvalidValue(
            f"code: {anchor.path}: {reason}",
            hint=f"Give a path from {project.folder}, such as src/app.py:10-20.",
            code="invalid_code",
        )
    try:
        return code_state.as_of_now(anchor, look.data, commit)
    except InvalidValue as error:
        raise InvalidValue(
            f"code: {anchor.place}: {error.message}", code="invalid_code"
        ) from error


def _not_here(draft: Entry, project: Project | None) -> InvalidValue:
    whose = f"belongs to {draft.project}" if draft.project else "holds everywhere"
    here = f"this is {project.name}" if project else "this folder belongs to no project"
    return InvalidValue(
        f"code: the entry {whose}, and {here}",
        hint="Save it inside a checkout of its project, or without --code. A temporary "
        "folder is a project only if its repository has a remote.",
        code="invalid_code",
    )
