"""The log of signals: a table in the user's state folder, bounded by its bytes.

Invariant: nothing here raises; a log that cannot be written is not written. Events and
the uses of skills are written in one transaction, so each use is counted once, also
when its event has made room for newer ones. SQLite keeps processes apart, and what a
kill has cut is rolled back by the next. A damaged file is begun anew.

An event is a JSON object, and holds ids, times, names and numbers, never a word of a
memory or a question. Each has `v` (the version), `at` (epoch seconds) and `event`:

- `recall`, a question and the rows that answered it: `recall` names the answer;
  `question` is a keyed hash, None where a session's start brought the rows; `via` says
  which way the question came, `agent` who asked, `rows` are as `row` makes them.
- `write`, an entry that a commit wrote: `id`, `action`, `writer`, `kind`, `type`;
  without an id it is `count` entries of one writer.
- `feedback`, whether an entry that a recall returned proved useful, and who says so:
  `recall`, `id`, `useful`, `by`.
"""

from __future__ import annotations

import os
import stat
from collections import Counter

from memcli.entries import identity, layout
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import known_vaults, settings, state_dirs
from memcli.storage.files import NOFOLLOW, remove_quietly

TYPE_CHECKING = False

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from memcli.storage.transaction import Note
    from memcli.vault.caller import Caller

    Event = Mapping[str, Any]
    EventRow = dict[str, Any]  # see `row`

# Bytes: about 1,600 recalls of ten rows, a person's last weeks.
_MOST = 4_000_000
# Seconds to wait for another process; its transaction takes a few milliseconds, and
# while SQLite waits no alarm of a hook rings.
_WAIT = 0.5
# The key of an event is how many bytes all events up to it have had, so that the
# oldest ones are found by subtraction.
_TABLES = (
    "CREATE TABLE IF NOT EXISTS events(upto INTEGER PRIMARY KEY, line TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS uses(id TEXT PRIMARY KEY, count INTEGER NOT NULL)",
)


class Log(NamedTuple):
    """The events, the newest last, and how often each skill was used, by its id."""

    events: list[Event]
    uses: dict[str, int]


def append(root: str, lines: Sequence[Mapping[str, Any]], *, most: int = _MOST) -> bool:
    """Add events; returns whether all of them are in the log now.

    Args:
        root: the vault's folder.
        lines: the events, in their order.
        most: bytes of the newest events that are kept.
    """
    import json

    def add(db: sqlite3.Connection) -> None:
        upto = db.execute("SELECT coalesce(max(upto), 0) FROM events").fetchone()[0]
        for line in encoded:
            upto += len(line)
            db.execute("INSERT INTO events VALUES (?, ?)", (upto, line))
        db.execute("DELETE FROM events WHERE upto <= ?", (upto - most,))
        counts: Any = uses(lines)
        db.executemany(
            "INSERT INTO uses VALUES (?, ?) "
            "ON CONFLICT(id) DO UPDATE SET count = count + excluded.count",
            counts.items(),
        )

    try:
        encoded = [
            json.dumps(line, separators=(",", ":"), allow_nan=False) for line in lines
        ]
    except (ValueError, TypeError):
        return False
    return _change(root, add)


def read(root: str) -> Log:
    """Everything that the log holds now; one that cannot be read counts as empty."""
    return Log([*newest(root)][::-1], dict(_rows(root, "SELECT id, count FROM uses")))


def newest(root: str, *holding: str) -> Iterator[Event]:
    """The events, the newest first; with texts only those that hold one of them."""
    import json

    wanted = " OR ".join(["instr(line, ?)"] * len(holding)) or "1"
    query = f"SELECT line FROM events WHERE {wanted} ORDER BY upto DESC"  # noqa: S608
    for (line,) in _rows(root, query, holding):
        yield json.loads(line)


def size(root: str) -> int:
    """The bytes of its file."""
    try:
        return os.lstat(_path(root)).st_size
    except (OSError, MemcliError):
        return 0


def hashed(root: str, question: str) -> str:
    """A question as its hash, keyed by the name of the log's folder, which says where
    and when the vault was made; case and space make no difference."""
    key = os.path.basename(os.path.dirname(_path(root))).encode()[-64:]
    words = " ".join(question.casefold().split()).encode("utf-8", "surrogatepass")
    return identity.blake2b(words, 12, key=key).hex()


# --- the file -----------------------------------------------------------------------


def _change(root: str, write: Callable[[sqlite3.Connection], object]) -> bool:
    """Write in one transaction; returns whether the log has it."""
    import _sqlite3 as sqlite3

    for _ in range(2):
        db = None
        try:
            db = _connected(root, make=True)
            db.execute("BEGIN IMMEDIATE")
            for table in _TABLES:
                db.execute(table)
            write(db)
            db.execute("COMMIT")
        except (OSError, MemcliError, sqlite3.OperationalError):
            return False  # full, locked, or it may only be read
        except sqlite3.DatabaseError:
            # Damaged; first its journal, which SQLite would put into the next.
            for end in ("-journal", ""):
                remove_quietly(_path(root) + end)
        else:
            return True
        finally:
            if db is not None:
                db.close()
    return False


def _rows(root: str, query: str, values: Sequence[str] = ()) -> Iterator[Any]:
    """The rows of a query; none where the log cannot be read."""
    import _sqlite3 as sqlite3

    db = None
    try:
        db = _connected(root, make=False)
        yield from db.execute(query, values)
    except (OSError, MemcliError, sqlite3.Error):
        return
    finally:
        if db is not None:
            db.close()


def _connected(root: str, *, make: bool) -> sqlite3.Connection:
    """A connection to the log; OSError where its file is none of ours, or missing."""
    # Without `sqlite3`, which imports `datetime` for its adapters: a recall does not.
    import _sqlite3 as sqlite3

    path = _path(root)
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise OSError("not a file of the log")
    except FileNotFoundError:
        if not make:
            raise
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | NOFOLLOW, 0o600))
    db = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
    # A log need not survive that the power fails; a kill it does survive.
    db.execute("PRAGMA synchronous = OFF")
    return db


def _path(root: str) -> str:
    return state_dirs.path(root, layout.EVENTS)


# --- the events ------------------------------------------------------------------

VERSION = 1


CHANNELS = (
    "lexical", "neighbours", "session", "feedback", "entity", "graph", "temporal",
    "constraint",
)  # fmt: skip
"""The channels that find rows; a session's start has names of its own besides."""

_STORED = ("save", "import", "evolve")


def is_skill(kind: str, about: str) -> bool:
    """Whether the uses of an entry of this kind and type are counted."""
    return "skill" in (kind, about)


def channels(parts: Mapping[str, float]) -> list[str]:
    """The channels that gave a row its score, in the order of `CHANNELS`."""
    return [name for name in CHANNELS if parts.get(name)]


def is_hit(rows: Iterable[EventRow]) -> bool:
    """Whether these rows of a question answer it: a constraint that no channel but its
    own has brought is shown with every question."""
    return any(row["channels"] != ["constraint"] for row in rows)


def row(
    entry: Any,
    *,
    rank: int | None = None,
    score: float = 0.0,
    channels: Sequence[str] = (),
    parts: Mapping[str, float] | None = None,
) -> EventRow:
    """A row of a recall as its event has it.

    Args:
        entry: the row of the index, or of the answer.
        rank: its place among the rows from 1; None when it was not ranked.
        score: what it was ranked by.
        channels: those that found it.
        parts: the named pieces of its score; zeros are left out.
    """
    made: EventRow = {
        "id": entry.id,
        "rank": rank,
        "score": round(score, 4),
        "channels": list(channels),
        "features": features(parts or {}, entry.writer),
    }
    if is_skill(entry.kind, entry.type):
        made["skill"] = True
    return made


def features(parts: Mapping[str, float], writer: str | None) -> dict[str, float]:
    """The features that a scorer learns from: the pieces of a score, and the writer.

    Never the rank, which would teach a scorer to agree with itself.

    Args:
        parts: as `ranking.Hit` holds them; zeros are left out.
        writer: `source.writer` of the entry; without one a person wrote it.

    >>> features({"lexical": 2.0, "session": 0.0}, None)
    {'lexical': 2.0, 'writer:manual': 1.0}
    """
    held = {name: round(part, 4) for name, part in parts.items() if part}
    return {**held, f"writer:{writer or 'manual'}": 1.0}


def uses(events: Iterable[Event]) -> Counter[str]:
    """How often each skill was stored or recalled, by its id."""
    counts = Counter[str]()
    for event in events:
        if event["event"] == "recall":
            counts.update(row["id"] for row in event["rows"] if row.get("skill"))
        elif event["event"] == "write" and event["id"] and event["action"] in _STORED:
            counts[event["id"]] += is_skill(event["kind"], event["type"])
    return +counts


# --- the recorder ------------------------------------------------------------------

DAY = 86_400
"""Acting upon an entry so many seconds after a recall returned it says that the recall
was good."""
# Each entry gets a line of its own, up to so many in one commit; an import must not
# push what was recalled out of the log.
_EACH = 100
_NAME = 6


class Verdict(NamedTuple):
    """A judgement of an entry: the recall that returned it last, and whether the log
    has it now; `recall` is None when no recall returned the entry to the caller."""

    id: str
    recall: str | None
    noted: bool


class Recorder:
    """Notes events of one vault.

    Args:
        root: the vault's folder.
        caller: who asks and writes.
    """

    def __init__(self, root: str, caller: Caller) -> None:
        self._root = root
        self._caller = caller

    @property
    def on(self) -> bool:
        """Whether anything may be noted here."""
        root, environ = self._root, self._caller.environ
        try:
            is_on = settings.logs_signals(root)
            return is_on and not known_vaults.read_only(root, environ)
        except MemcliError:
            return False

    def recalled(self, question: str | None, rows: Sequence[EventRow]) -> None:
        """Note what a question brought.

        Args:
            question: its words, of which the hash is kept; None for a session's start.
            rows: those that were shown and no others.
        """
        if not self.on:
            return
        self._note(
            {
                "event": "recall",
                "recall": self._caller.entropy(_NAME).hex(),
                "question": hashed(self._root, question) if question else None,
                "via": self._caller.via,
                "agent": self._caller.agent,
                "rows": list(rows),
            }
        )

    def wrote(self, notes: Sequence[Note]) -> bool:
        """Note the entries that a commit has written; False when the disk refused."""
        if not notes or not self.on:
            return True
        return self._note(*({"event": "write", **note} for note in _fewer(notes)))

    def acted(self, ids: Iterable[str], by: str) -> None:
        """Note that entries were acted upon, of those that a recall returned lately."""
        self.judged(ids, useful=True, by=by, within=DAY)

    def judged(
        self, ids: Iterable[str], *, useful: bool, by: str, within: int | None = None
    ) -> list[Verdict]:
        """Note that entries proved useful, or not.

        Args:
            ids: whole ids.
            useful: which of the two.
            by: user, citation, evolve or resolve.
            within: seconds; what no recall returned since is not noted, and left out.
        """
        ids = list(dict.fromkeys(ids))
        if not self.on:
            return [Verdict(name, None, False) for name in ids if within is None]
        since = None if within is None else self._now() - within
        recalls = self._newest(ids, since)
        names = [name for name in ids if name in recalls or within is None]
        said = {"event": "feedback", "useful": useful, "by": by}
        lines = ({**said, "id": name, "recall": recalls.get(name)} for name in names)
        noted = self._note(*lines)
        return [Verdict(name, recalls.get(name), noted) for name in names]

    def _newest(self, ids: Sequence[str], since: int | None) -> dict[str, str]:
        """By id the newest recall that returned an entry to who judges it now.

        The owner sees, and may judge, what was returned to anybody.
        """
        found: dict[str, str] = {}
        me = self._caller.agent
        marks = [f'"id":"{name}"' for name in ids]
        for line in newest(self._root, *marks) if marks else ():
            if since is not None and line["at"] < since:
                break
            if line["event"] != "recall" or me not in (None, line["agent"]):
                continue
            for row in line["rows"]:
                if row["id"] in ids:
                    found.setdefault(row["id"], line["recall"])
            if len(found) == len(ids):
                break
        return found

    def _now(self) -> int:
        return self._caller.now_ms() // 1000

    def _note(self, *lines: Mapping[str, Any]) -> bool:
        head = {"v": VERSION, "at": self._now()}
        return append(self._root, [{**head, **line} for line in lines])


def _fewer(notes: Sequence[Note]) -> Sequence[Mapping[str, Any]]:
    """Many notes as one line with their `count` for each writer; skills keep theirs."""
    if len(notes) <= _EACH:
        return notes
    skills = [note for note in notes if is_skill(note["kind"], note["type"])]
    counts = Counter(note["writer"] for note in notes)
    counts.subtract(note["writer"] for note in skills)
    return skills + [
        {"id": None, "writer": writer, "count": count}
        for writer, count in (+counts).items()
    ]
