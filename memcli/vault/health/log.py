"""The history of a vault: its use, by its log of signals, and its changes, by the
commits of its git.

Invariant: reads only. memcli's commits are told by the first word of their subjects;
the entries of a commit are read from the files that it changed.
"""

from __future__ import annotations

from collections import Counter

from memcli.entries import layout
from memcli.entries.entry import one_line
from memcli.errors import HistoryError, MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import state_dirs
from memcli.vault import signals
from memcli.vault.signals import is_hit

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from memcli.entries.entry import Entry
    from memcli.search.reader import Reader
    from memcli.storage.git.history import Step
    from memcli.storage.git.repository import Blob, Repository
    from memcli.vault.signals import Event as Signal
    from memcli.vault.vault import Vault


def usage(vault: Vault) -> dict[str, Any]:
    """The log of signals: whether it is kept, where, its size, what it says in numbers,
    and how often each skill was used, with None for the title of one that is gone.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the log of signals")
    log = signals.read(vault.root)
    counts = log.uses

    def titles(reader: Reader) -> dict[str, str]:
        return {
            name: reader.row(docs[0]).title
            for name in counts
            if len(docs := reader.exact("id", name))
        }

    known = vault.read(titles) if counts else {}
    return {
        "on": vault.recorder.on,
        "path": state_dirs.path(vault.root, layout.EVENTS),
        "bytes": signals.size(vault.root),
        "uses": [
            {"id": name, "title": known.get(name), "uses": count}
            for name, count in sorted(counts.items(), key=lambda one: (-one[1], one))
        ],
        **summary(log.events),
    }


def pairs(vault: Vault) -> list[dict[str, Any]]:
    """The pairs that a scorer learns from; see `training_pairs`.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the log of signals")
    return list(training_pairs(signals.read(vault.root).events))


def uses(vault: Vault, entry: Entry) -> int | None:
    """How often a skill was stored or recalled; None for an entry that is no skill.

    For an agent: None, since the log holds what others did.
    """
    if vault.agent or not signals.is_skill(entry.kind, str(entry.type)):
        return None
    return signals.read(vault.root).uses.get(entry.id, 0)


# --- counted ------------------------------------------------------------------------


def summary(events: Sequence[Signal]) -> dict[str, Any]:
    """A log in numbers.

    `since` is the oldest event in epoch seconds; a hit is a question that brought more
    than the constraints that always surface; `asked` are the questions by the way they
    came, `feedback` the judgements of rows by who or what made them.
    """
    writes = Counter[str]()
    questions, hits = Counter[str](), Counter[str]()
    useful, judged = Counter[str](), Counter[str]()
    for one in events:
        if one["event"] == "write":
            writes[one["writer"]] += one.get("count", 1)
        elif one["event"] == "feedback":
            judged[one["by"]] += 1
            useful[one["by"]] += bool(one["useful"])
        elif one["question"] is not None:
            questions[one["via"]] += 1
            hits[one["via"]] += is_hit(one["rows"])
    return {
        "since": min((one["at"] for one in events), default=None),
        "events": len(events),
        "writes": dict(sorted(writes.items())),
        "questions": questions.total(),
        "hits": hits.total(),
        "asked": [
            {"via": via, "questions": questions[via], "hits": hits[via]}
            for via in sorted(questions)
        ],
        "feedback": [
            {"by": by, "useful": useful[by], "not_useful": judged[by] - useful[by]}
            for by in sorted(judged)
        ],
        "pairs": sum(1 for _ in training_pairs(events)),
    }


def training_pairs(events: Iterable[Signal]) -> Iterator[dict[str, Any]]:
    """The training pairs of a log: each useful row against all others of its recall.

    Rows of a recall where nothing proved useful make no pair, since no row should have
    been first. Neither do rows that were not ranked, such as those of `reflect`, or
    that a hook put into a prompt.

    Returns:
        The pairs, in the order of the recalls and of their rows: the `question` and
        its `recall`, and the `better` and the `worse` row.
    """
    recalls: dict[str, Signal] = {}
    verdicts: dict[str, dict[str, bool]] = {}
    for one in events:
        if one["event"] == "recall":
            recalls[one["recall"]] = one
        elif one["event"] == "feedback" and one["recall"] is not None:
            # The last word on a row counts.
            verdicts.setdefault(one["recall"], {})[one["id"]] = one["useful"]
    for name, recall in recalls.items():
        useful = {row for row, good in verdicts.get(name, {}).items() if good}
        question = recall["question"]
        # A prompt's rows are ranked by words alone, and shown all at once.
        if not useful or question is None or recall["via"] == "hook":
            continue
        sides = [row for row in recall["rows"] if row["rank"] is not None]
        for better in sides:
            for worse in sides if better["id"] in useful else ():
                if worse["id"] not in useful:
                    yield {
                        "question": question,
                        "recall": name,
                        "better": better,
                        "worse": worse,
                    }


# --- the changes, by commits --------------------------------------------------------


CHANGES = {
    "save": "saved",
    "import": "imported",
    "evolve": "evolved",
    "edit": "edited",
    "resolve": "resolved",
    "tag": "tagged",
    "pin": "pinned",
    "unpin": "unpinned",
    "review": "reviewed",
    "reflect": "mined",
    "promote": "promoted",
    "verify": "confirmed",
    "forget": "forgotten",
    "repair": "repaired",
    "config": "configured",
}
"""First word of memcli's commits -> what was done; each of them can be undone."""

# What is kept a person wrote by hand.
_OTHERS = {"undo": "undone", "keep": "kept", "init": "created", "sync": "synced"}
_PARTS = {
    "resolve: undo": "reopened",
    "evolve: revert": "reverted",
    "save: merged": "merged",
    "save: sighted": "seen again",
}
# Entries of one commit that are read and named; an import may have thousands.
_MOST_NAMED = 50
# Files larger than this, in bytes, are named by their path alone.
_LARGEST = 1_000_000


class Named(NamedTuple):
    """An entry that a commit changed: `how` is added, changed or removed.

    `id` is None for a file that is no entry.
    """

    id: str | None
    title: str
    path: str
    how: str


class Event(NamedTuple):
    """One commit: what it did, and to which entries; `files` is how many files."""

    commit: str
    when: str
    author: str
    action: str
    subject: str
    files: int
    entries: list[Named]


def verb_of(subject: str) -> str:
    """The first word of a commit of memcli's; "" of any other commit.

    >>> verb_of("save: We deploy on Tuesdays"), verb_of("Merge branch 'main'")
    ('save', '')
    """
    verb, colon, _ = subject.partition(": ")
    return verb if colon and (verb in CHANGES or verb in _OTHERS) else ""


def action_of(subject: str) -> str:
    """The action of a commit in a word; "commit" of one that is not memcli's."""
    for start, action in _PARTS.items():
        if subject.startswith(f"{start}: "):
            return action
    verb = verb_of(subject)
    return CHANGES.get(verb) or _OTHERS.get(verb, "commit")


def log(vault: Vault, limit: int = 20, *, since: int | None = None) -> list[Event]:
    """The events of the vault, the last commit first.

    Args:
        vault: which one.
        limit: how many commits at most.
        since: only what was committed at this moment or later, epoch seconds.

    Raises:
        NotAllowed: an agent asks: the history names the memories of others.
        NotAVault: the vault is not under git.
        HistoryError: git refused.
    """
    from memcli.storage.git.history import steps

    vault.owner_only("the log")
    vault.refuse_published("asked for its history")
    repository = vault.repository()
    return [_event(repository, step) for step in steps(repository, limit, since)]


def _event(repository: Repository, step: Step) -> Event:
    groups = {"added": step.added, "changed": step.changed, "removed": step.removed}
    blobs = [(how, blob) for how, group in groups.items() for blob in group]
    # Notes before the pages and settings that go with them.
    blobs.sort(key=lambda pair: not pair[1].path.endswith(".md"))
    named = blobs[:_MOST_NAMED]
    try:
        contents = repository.contents([blob for _, blob in named], largest=_LARGEST)
    except HistoryError:  # a blob that a partial clone does not have
        contents = [b""] * len(named)
    entries = [
        _named(how, blob, data)
        for (how, blob), data in zip(named, contents, strict=True)
    ]
    # One that has another path now is named once.
    there = {entry.id for entry in entries if entry.how != "removed"} - {None}
    commit = step.commit
    return Event(
        commit=commit.id,
        when=commit.when,
        author=one_line(commit.author),
        action=action_of(commit.subject),
        subject=one_line(commit.subject),
        files=len(blobs),
        entries=[e for e in entries if e.how != "removed" or e.id not in there],
    )


def _named(how: str, blob: Blob, data: bytes) -> Named:
    from memcli.entries import codec

    path = blob.path
    if path.endswith(".md") and 0 < len(data) <= _LARGEST:
        try:
            entry = codec.decode(data, path).entry
            return Named(entry.id, entry.display_title, path, how)
        except MemcliError:
            pass
    return Named(None, path.rpartition("/")[2], path, how)
