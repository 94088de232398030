"""The table of triggers, made with the index: the half that writes it.

Invariant: the entries are rows of the index, written in its transaction, each with the
words that bring it. A hook looks at each edit, and has no time to open a database: for
it they are put into a file by the first hook that asks the index after a change, which
takes the old file away. The number of the last change stands in both.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from itertools import islice

from memcli.entries import anchors
from memcli.entries.entry import Status
from memcli.entries.text import code_terms
from memcli.entries.text.code_terms import COMMAND, PATH, Trigger
from memcli.entries.text.tokens import STOP_WORDS, stemmer
from memcli.named_tuple import NamedTuple
from memcli.search import trigger_table
from memcli.search.ranking import evidence
from memcli.search.trigger_table import LEAST, NAME, words_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memcli.search.following import State
    from memcli.search.stored_row import StoredRow
    from memcli.search.trigger_table import Actions

KINDS = (
    *("constraint", "convention", "preference", "decision", "lesson", "workflow"),
    "fix",
)
"""The kinds that say how something is to be done, and so are told when it is, in the
order in which they are told."""

# What passes by: told of no file.
_PASSING = ("action", "blocker", "event", "idea")
# A vault beyond this tells of the entries whose paths come first.
_MOST = 20_000
# Of an entry's text so much is compared with an edit: what is longer shares words with
# everything.
_COMPARED = 1_000
# Of so many entries, one that alone holds a word holds a rare one.
_MANY = 1_000_000


class Told(NamedTuple):
    """An entry in the table.

    Attributes:
        id, path, kind: the entry's.
        enforce: ask or deny, if a person set it; the vault decides whether it counts.
        triggers: what makes hooks tell it.
        spared: the paths at which it is not.
        words: of each word that an edit may share, what it counts at most.
        evident: whether it shares enough of them with the edit that is looked at.
    """

    id: str
    path: str
    kind: str
    enforce: str | None
    triggers: tuple[Trigger, ...]
    spared: tuple[str, ...]
    words: tuple[tuple[bytes, float], ...] = ()
    evident: bool = False

    def packed(self) -> bytes:
        """The entry as the index holds it: its JSON (`told_of`), and on further lines
        those that bring it (`trigger_table`), without its number."""
        import json

        row = json.dumps(self[:6], separators=(",", ":")).encode("ascii")
        every = [_line(words) for each in self.triggers for words in _words(each)]
        every += [b"~%s\t%d" % (word, 100 * most) for word, most in self.words]
        return b"\n".join(dict.fromkeys((row, *every)))


def _line(words: set[bytes]) -> bytes:
    longest = min(words, key=lambda word: (-len(word), word))
    return longest + b"\t" + b" ".join(sorted(words))


def told_of(data: bytes) -> Told:
    """The entry of a line of the table."""
    import json

    entry_id, path, kind, enforce, triggers, spared = json.loads(data)
    found = tuple(Trigger(*each) for each in triggers)
    return Told(entry_id, path, kind, enforce, found, tuple(spared))


def of_row(row: StoredRow) -> Told | None:
    """An entry with what it is told at; None when it is told at nothing."""
    passes = row.kind in _PASSING and not row.enforce
    if row.status != Status.ACTIVE or passes:
        return None
    # An entry that is anchored in a file is told when the file changes.
    found = [Trigger(PATH, each.path) for each in anchors.read_all(row.code)]
    spared: tuple[str, ...] = ()
    words: tuple[tuple[bytes, float], ...] = ()
    if row.kind in KINDS or row.enforce:
        named = code_terms.triggers(row.text)
        found += named.found
        spared = named.spared
        # Code that has the other words of "use httpx, never requests" keeps to it.
        if row.kind in KINDS and not named.forbids:
            words = _shared(row.text[:_COMPARED])
    chosen = tuple(dict.fromkeys(found))[: code_terms.MOST]
    if not chosen and not words:
        return None
    return Told(row.id, row.path, row.kind, row.enforce, chosen, spared, words)


def _shared(text: str) -> tuple[tuple[bytes, float], ...]:
    """The words of an entry that an edit may share, with what each counts at most.

    One that can never matter is left out.
    """
    most: dict[bytes, float] = {}
    for word in trigger_table.parts(text):
        part, counts = _weighed(word)
        most[part] = min(counts, most.get(part, trigger_table.MOST))
    return tuple(sorted(each for each in most.items() if each[1] >= LEAST))


@lru_cache(maxsize=1 << 14)
def _weighed(word: str) -> tuple[bytes, float]:
    """The stem of a word, and the most that it counts: less where everybody uses it."""
    part = trigger_table.stem_of(word)
    if word in STOP_WORDS or word.isdigit():
        return part, 0.0
    stem = stemmer()(word) if word.isascii() else word
    return part, evidence.weight(stem, 0, _MANY)


def load(table: trigger_table.Table, found: Actions | None = None) -> list[Told]:
    """The entries of a table.

    Args:
        table: it.
        found: what a tool is about to do, to leave out what does not touch it.
    """
    rows = table.rows()
    if found is None:
        return [*map(told_of, rows)]
    evident = table.evident(found)
    named = set(table.triggered(found)).difference(evident)
    return [
        *(told_of(rows[number])._replace(evident=True) for number in evident),
        *(told_of(rows[number]) for number in sorted(named)),
    ]


def settled(
    folder: str,
    root: str,
    state: State,
    rows: Callable[[], Iterable[bytes]],
    *,
    keep: bool,
) -> trigger_table.Table:
    """The table, made anew where it is not there, or older than the index.

    Args:
        folder: the index's.
        root: the vault.
        state: of the index.
        rows: gives the entries as `Told.packed` has them.
        keep: whether a new one is written into the folder.
    """
    path, change = os.path.join(folder, NAME), state.told
    places = b"\0".join(
        b"%s\0%d" % (os.fsencode(name), at)
        for name, (at, _) in sorted(state.folders.items())
    )
    table = trigger_table.read(path)
    if table is not None and table.told == change:
        if table.is_fresh(root):
            return table
        table = table.at(places)
    else:
        lines: dict[bytes, list[bytes]] = {}
        told = []
        for number, entry in enumerate(islice(rows(), _MOST)):
            row, *words = entry.split(b"\n")
            told.append(row)
            for each in words:
                lines.setdefault(each, []).append(b"%d" % number)
        texts = sorted(b"%s\t%s" % (head, b" ".join(lines[head])) for head in lines)
        table = trigger_table.Table(change, places, b"\n".join(texts), b"\n".join(told))
    if keep:
        from memcli.storage import files

        try:
            files.write_derived(path, table.packed())
        except OSError:
            files.remove_quietly(path)
    return table


def _words(trigger: Trigger) -> Iterator[set[bytes]]:
    """The words of what fires a trigger, once for each way to write it (`match`)."""
    text = trigger.text
    if trigger.form == PATH:
        # What stands beside a star is a part of a word; the slash is always there.
        whole = words_of(re.sub(r"\w*\*+\w*", " ", text))
        yield {b"/" + word for word in whole} | {b"/"}
    elif trigger.form == COMMAND:
        # Options have short forms.
        plain = [word for word in text.split() if not word.startswith("-")]
        yield {b"$" + word for word in words_of(" ".join(plain)) or words_of(text)}
    else:
        yield words_of(text)
        last = re.search(r"\.(\w+)$", text)
        for ending in ("f", "ln") if last else ():
            yield words_of(text + ending)
