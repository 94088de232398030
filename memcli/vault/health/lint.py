"""The lint: every promise of the format checked, in every file of a vault.

Invariant: reads only, and reports rather than guesses. An `error` is something that
memcli cannot use as it stands; a `warning` is something that a person would want to
know. Findings come in the order of paths and lines. What is wrong in one file was found
when it was indexed (`entries/file_checks`): a file is opened for the line of a finding,
or when it is not, or not whole, in the index.
"""

from __future__ import annotations

import os
import re
import shlex

from memcli.entries import dates, layout
from memcli.entries.eligibility import View, standing
from memcli.entries.entry import Layer, Status
from memcli.entries.file_checks import ERROR, WARNING, Finding, Text
from memcli.entries.ids import is_id
from memcli.entries.text.counted import counted
from memcli.entries.text.links import composed, link_readings
from memcli.errors import (
    HistoryError,
    InvalidConfig,
    InvalidEntry,
    LockBusy,
    MemcliError,
    NotAVault,
    WriteFailed,
)
from memcli.search.columns import FINDING, LARGE, LINKS, REVIEW
from memcli.storage import files, state_dirs
from memcli.vault import registry as store
from memcli.vault.health import git_state, lint_lifecycle, lint_tree
from memcli.vault.health.lint_lifecycle import Problem
from memcli.vault.health.working_tree import working_tree

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault

# Days after which a candidate in the inbox is worth a reminder.
_OLD_CANDIDATE = 30
_DAY = 86_400


def lint(
    vault: Vault,
    *,
    listed: bool = False,
    status: Sequence[tuple[str, str]] | MemcliError | None = None,
) -> list[Finding]:
    """Everything that is wrong in a vault.

    Args:
        vault: whose files.
        listed: its index was brought up to date a moment ago, for the same answer.
        status: what git's status said a moment ago, or why it could not; None to ask.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the lint")
    vault.refuse_published("checked file by file")
    try:
        vault.kinds  # noqa: B018 a look at the config
    except InvalidConfig as error:
        # Nothing else can be judged without the config; every command refuses.
        path, reason = layout.CONFIG, error.reason
        return [Finding(path, error.line, "bad_config", ERROR, reason, error.hint)]
    tree = lint_tree.walked(vault.root)
    found = []
    ask = vault.index.again if listed else vault.read
    try:
        found += ask(lambda reader: list(_about_entries(vault, tree.others, reader)))
        index = vault.index.opened
        found += lint_tree.replaced_folders(vault, index.symlinks, tree.others)
        for path in index.symlinks:
            if not layout.is_own_folder(path, vault.kinds):
                message = "a symbolic link; not followed, not searched"
                found.append(Finding(path, 1, "symlink", WARNING, message))
        for path in index.unreadable:
            why = "the folder cannot be listed"
            found.append(Finding(path, 1, "unreadable", ERROR, why))
    except (LockBusy, WriteFailed) as error:
        found.append(Finding(".", 1, "no_index", ERROR, error.message, error.hint))
    found += lint_tree.left_beside(vault)
    found += lint_tree.about_registry(vault.root)
    found += _about_repository(vault, tree, status)
    git = f"git -C {shlex.quote(vault.root)} "
    found = [
        each._replace(hint=_GIT.sub(lambda _: git, each.hint)) if each.hint else each
        for each in found
    ]
    return sorted(found, key=lambda f: (f.path, f.line, f.code, f.message))


# What a hint tells to do with git is meant for the vault, wherever it is typed.
_GIT = re.compile(
    r"\bgit (?=(?:cherry-pick|commit|log|restore|revert|rm|sparse-checkout)\b)"
)


class Names:
    """The files that a link may mean, by every name that it may use.

    A lint that did not know aliases was wrong in three findings of four.
    """

    def __init__(self) -> None:
        self._by_name: dict[str, str] = {}

    def add(self, names: Iterable[str], path: str) -> None:
        """Let these names mean a file, unless they have a meaning already."""
        for name in names:
            self._by_name.setdefault(composed(name), path)

    def add_files(self, paths: Iterable[str]) -> None:
        """Let links mean files that are not entries: pictures, the vault's README."""
        for path in paths:
            plain = path.removesuffix(".md").casefold()
            self.add((plain, plain.rpartition("/")[2]), path)

    def find(self, target: str, path: str) -> str | None:
        """The meaning of a link in the file at `path`; None when it dangles."""
        for name in link_readings(target, path):
            if name in self._by_name:
                return self._by_name[name]
        return None


# --- entries ------------------------------------------------------------------------


def _about_entries(
    vault: Vault, others: Sequence[str], reader: Reader
) -> Iterator[Finding]:
    """Findings in and between the entries; `others` are files that are none."""
    # What is broken is in no document; what is large was not read whole.
    unread = {file.path for file in reader.broken}
    unread.update(reader.row(doc).path for doc in reader.exact("check", LARGE))
    for path in sorted(unread):
        yield from _read(vault, path)[0]
    for doc in reader.exact("check", FINDING):
        row = reader.row(doc)
        yield from (Finding(row.path, *values) for values in row.findings)
    yield from _about_links(vault, others, reader)
    now = vault.now_ms() // 1000
    problems = [
        *lint_lifecycle.problems(reader, now),
        *_due(reader, now),
        *_about_inbox(reader, now),
        *_about_research(vault, reader),
    ]
    texts: dict[int, Text | None] = {}
    for problem in problems:
        path = reader.row(problem.doc).path
        if problem.doc not in texts:
            texts[problem.doc] = _read(vault, path)[1]
        text = texts[problem.doc]
        if problem.code == "dangling_lineage" and text and text.entry.other_vault:
            continue
        line = text.field_line(problem.field) if text else 1
        code, level = problem.code, problem.level
        yield Finding(path, line, code, level, problem.message, problem.hint)


def _read(vault: Vault, path: str) -> tuple[list[Finding], Text | None]:
    """The findings in one file, and its text when it is an entry's."""
    from memcli.entries import codec, file_checks
    from memcli.entries.merging import one_file

    kinds = vault.kinds
    try:
        data = files.read(os.path.join(vault.root, *path.split("/")), follow=False)
        both = one_file.shown(data, path, kinds)
        if both is not None:
            return file_checks.in_conflict(data, path), file_checks.text_of(data, both)
        decoded = codec.decode(data, path, kinds=kinds)
    except InvalidEntry as error:
        why = Finding(path, error.line, "broken", ERROR, error.reason, error.hint)
        return [why], None
    except MemcliError as error:
        return [Finding(path, 1, "unreadable", ERROR, error.message)], None
    text = file_checks.text_of(data, decoded.entry)
    return file_checks.findings(text, len(data), decoded, kinds), text


def _about_links(
    vault: Vault, others: Sequence[str], reader: Reader
) -> Iterator[Finding]:
    docs = reader.exact("check", LINKS)
    if not len(docs):
        return
    names = Names()
    names.add_files(others)
    for called, path in store.link_names(vault.root):
        names.add(called, path)
    for name in reader.values("name"):
        names.add((name,), name)
    for doc in docs:
        row = reader.row(doc)
        for target, line in row.links:
            if names.find(target, row.path) is None:
                message = f"links to nothing: {target}"
                yield Finding(row.path, line, "dangling_link", WARNING, message)


def _due(reader: Reader, now: int) -> Iterator[Problem]:
    """The entries that a person wanted to see again by now."""
    for doc in reader.exact("check", REVIEW):
        row = reader.row(doc)
        is_due = row.review_after and dates.to_epoch(row.review_after) <= now
        if is_due and standing(reader.facts(doc), View(now)) is Status.ACTIVE:
            message = f"due for review since {row.review_after}"
            hint = f"memcli evolve {row.id}, or resolve it."
            yield Problem(doc, "review_after", "review_due", message, hint)


def _about_inbox(reader: Reader, now: int) -> Iterator[Problem]:
    """The oldest candidate of an inbox that is not looked at."""
    docs = reader.exact("status", str(Status.PENDING))
    rows = {doc: reader.row(doc) for doc in docs}
    waiting = [
        (row.created, row.path, doc)
        for doc, row in rows.items()
        if row.created and not layout.is_idea(row.path)
    ]
    if not waiting:
        return
    created, _, doc = min(waiting)
    days = (now - dates.to_epoch(created)) // _DAY
    if days > _OLD_CANDIDATE:
        message = f"waits for review for {counted(days, 'day')}, "
        message += f"the oldest of {len(waiting)}"
        yield Problem(doc, "created", "old_inbox", message, "memcli review")


def _about_research(vault: Vault, reader: Reader) -> Iterator[Problem]:
    """Entries in the name of a research run of this machine that cite what it never
    found: nobody but a hand writes them.

    What the version before cited may be carried over from an earlier run.
    """
    found = _found_by_research(vault)
    layers = (Layer.OBSERVATION, Layer.MODEL) if found else ()
    for doc in (doc for layer in layers for doc in reader.exact("layer", str(layer))):
        row = reader.row(doc)
        if row.research not in found:
            continue
        earlier = reader.exact("id", row.supersedes) if row.supersedes else ()
        known = found[row.research].union(
            *(reader.row(old).evidence for old in earlier)
        )
        cited = [one for one in row.evidence if is_id(one) and one not in known]
        if cited:
            message = f"cites what research '{row.research}' never found: "
            message += ", ".join(cited)
            hint = "Cite what it found, or take `research` out: it says that a search "
            hint += f"has found the evidence. memcli inspect research {row.research}"
            yield Problem(doc, "evidence", "not_retrieved", message, hint)


def _found_by_research(vault: Vault) -> dict[str | None, set[str]]:
    """The ids that each research run of this machine found, by the run's name; of a
    file that is not as `curation.research` writes it, none."""
    import json
    from glob import escape, glob

    top = state_dirs.path(vault.root, layout.RESEARCH)
    found: dict[str | None, set[str]] = {}
    for path in glob(os.path.join(escape(top), "*", "*.json")):
        try:
            run = json.loads(files.read(path))
            ids = {row[0] for search in run["searches"] for row in search["found"]}
        except (MemcliError, ValueError, TypeError, KeyError, IndexError):
            continue
        found.setdefault(run["name"], set()).update(ids)
    return found


# --- the repository -----------------------------------------------------------------


def _about_repository(
    vault: Vault,
    tree: lint_tree.Tree,
    status: Sequence[tuple[str, str]] | MemcliError | None,
) -> Iterator[Finding]:
    from memcli.storage.git.repository import Repository

    try:
        repository = Repository.open(vault.root, environ=vault.environ)
    except NotAVault as error:
        yield from lint_tree.findings(vault.root, tree, None)
        yield Finding(".", 1, "no_history", ERROR, error.message, error.hint)
        return
    yield from lint_tree.findings(vault.root, tree, repository)
    yield from git_state.findings(repository)
    try:
        if isinstance(status, HistoryError):  # nor would it answer the next question
            raise status
        status = None if isinstance(status, MemcliError) else status
        yield from working_tree(vault, repository, status=status).findings
        yield from git_state.dropped(vault, repository)
        yield from git_state.half_merges(vault, repository)
    except HistoryError as error:
        code = "git_stuck" if error.error_code == "git_stuck" else "git_failed"
        yield Finding(".git", 1, code, ERROR, error.message, error.hint)
