"""What a session is told: at its start what matters, at a prompt what fits it.

Invariant: everything goes through the one eligibility function; what looks like an
instruction to the model is left out; nothing is told that does not fit, since a hook
speaks without being asked. The same vault and prompt give the same items.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memcli import event, screening
from memcli.framing import Item

if TYPE_CHECKING:
    from memcli.eligibility import View
    from memcli.injection import Candidate
    from memcli.reader import Reader
    from memcli.vault import Vault

_MOST_PREFERENCES = 12
_MOST_CONSTRAINTS = 8
# What is more than this is a document; its title says that it is there.
_LONGEST = 1_200

# Of a prompt: how many entries, and how well they must fit. An entry fits when it
# shares three words with the prompt, a name as two, and these are so much of the
# smaller of both, by weight (docs/benchmarks.md has how this was chosen).
_MOST = 4
_FIT = 0.4
_SHARED = 3
# Words of a prompt that are looked at: the rarest say what it is about.
_WORDS = 24
_HEAD, _TAIL = 2_000, 600
# A word's weight is its idf and this, so that a small vault's words count as well.
_FLOOR = 1.0


def at_start(vault: "Vault", view: "View") -> list[Item]:
    """Pinned entries, constraints, preferences, inherited rules, and recent focus."""
    from memcli.injection import injection

    chosen = injection(vault, view=view)
    told = {one.id for one in chosen.pinned}

    def standing(reader: "Reader") -> list[Item]:
        found = [_chosen(reader, one, "Pinned", "pinned") for one in chosen.pinned]
        for kind, part, most in (
            ("constraint", "Constraints", _MOST_CONSTRAINTS),
            ("preference", "What the user wants", _MOST_PREFERENCES),
        ):
            rows = [
                row for row in _of_kind(reader, kind, view) if row["id"] not in told
            ]
            found += [
                Item(row["id"], _short(row), part, event.row(row, channels=[kind]))
                for row in rows[:most]
            ]
        found += [_chosen(reader, one, "Rules", "rule") for one in chosen.rules]
        found += [_chosen(reader, one, "Recently", "recent") for one in chosen.focus]
        return found

    return vault.read(standing)


def note(
    vault: "Vault", prompt: str | None, items: Sequence[Item], shown: Collection[str]
) -> None:
    """Let the log of signals say what a session was told.

    Args:
        vault: where it is from.
        prompt: what was asked; None at a start.
        items: what there was to tell, the best first.
        shown: the ids of those that were told.
    """
    told = [item.signal for item in items if item.signal and item.id in shown]
    if prompt is not None:
        told = [{**row, "rank": rank} for rank, row in enumerate(told, 1)]
    vault.recorder.recalled(prompt, told)


def _chosen(reader: "Reader", one: "Candidate", part: str, channel: str) -> Item:
    docs = reader.exact("id", one.id)
    row = event.row(reader.row(docs[0]), channels=[channel]) if docs else None
    return Item(one.id, one.text, part, row)


def for_prompt(
    vault: "Vault", prompt: str, view: "View", shown: Collection[str]
) -> list[Item]:
    """Entries that fit a prompt, the best first; none that was shown already."""
    words = (
        prompt
        if len(prompt) <= _HEAD + _TAIL
        else f"{prompt[:_HEAD]}\n{prompt[-_TAIL:]}"
    )
    return vault.read(lambda reader: _fitting(reader, words, view, shown))


def _fitting(
    reader: "Reader", prompt: str, view: "View", shown: Collection[str]
) -> list[Item]:
    from memcli import analysis, ranking
    from memcli.reader import stemmer

    question = list(dict.fromkeys(analysis.question(prompt, stemmer())))
    held = [(reader.frequency(term), term, word) for term, word in question]
    held = sorted(one for one in held if one[0])[:_WORDS]
    if sum(map(_counts, (word for _, _, word in held))) < _SHARED:
        return []
    kept = {term for _, term, _ in held}
    asked = [(term, word) for term, word in question if term in kept]

    def admit(doc: int) -> bool:
        return reader.verdict(doc, view) is None

    ranked = ranking.rank(
        asked,
        reader,
        limit=3 * _MOST,
        now=view.now,
        admit=admit,
        weights=ranking.LEXICAL,
    )
    weights = {term.word: _FLOOR + term.idf for term in ranked.terms}
    whole = sum(weights.values())
    items: list[Item] = []
    for hit in ranked.hits:
        row = reader.row(hit.doc)
        if row["id"] in shown or screening.suspicious(row["text"]):
            continue
        if _fits(hit.matched, weights, whole, len(row["terms"])):
            channels = [name for name in event.CHANNELS if hit.parts.get(name)]
            signal = event.row(row, score=hit.score, channels=channels, parts=hit.parts)
            part = "What may fit this prompt"
            items.append(Item(row["id"], _short(row), part, signal))
        if len(items) == _MOST:
            break
    return items


def _fits(
    matched: Collection[str], weights: Mapping[str, float], whole: float, terms: int
) -> bool:
    if sum(map(_counts, matched)) < _SHARED:
        return False
    shared = sum(weights[word] for word in matched)
    # A row's words weigh what the prompt's weigh on average.
    theirs = terms * whole / len(weights)
    return shared >= _FIT * min(whole, theirs)


def _counts(word: str) -> int:
    """As how many words a word counts: a name (`rate_limit`, 9077, ci.yml) as two."""
    return 1 if word.isalpha() else 2


def _of_kind(reader: "Reader", kind: str, view: "View") -> list[Mapping[str, Any]]:
    """Entries of a kind in force: most often met first, then the newest."""
    docs = [
        doc for doc in reader.exact("kind", kind) if reader.verdict(doc, view) is None
    ]
    rows = [reader.row(doc) for doc in docs]
    rows = [row for row in rows if not (row["pinned"] or row["item"])]
    rows = [row for row in rows if not screening.suspicious(row["text"])]
    rows.sort(key=lambda row: (row["created"], row["id"]), reverse=True)
    return sorted(rows, key=lambda row: -len(row["seen"]))


def _short(row: Mapping[str, Any]) -> str:
    text: str = row["text"]
    if len(text) <= _LONGEST:
        return text
    return f"{row['title']} ({len(text):,} characters: memcli inspect {row['id']})"
