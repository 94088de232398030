"""The entries that a question means to resolve, as a plan that is then carried out.

Invariant: what should stay is never resolved by chance. A question concerns what can
be solved (reflection items, blockers, actions, fixes) unless kinds are named; a word
that stands nowhere counts against every match; the plan covers all matches, never a
list that a limit has cut; what matches of other kinds is named; and unless one claim
clearly holds more of the question than every other, the plan says that it is not clear.
Nor is it clear when only a rule matches: a rule is not solved.
"""

from __future__ import annotations

from memcli.curation.resolve import ResolvePlan, Target, gather, target_of
from memcli.entries.eligibility import View
from memcli.entries.entry import Item, Status, check_kind
from memcli.entries.ids import number
from memcli.entries.text.counted import counted
from memcli.errors import EntryNotFound, UsageError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Vault

KINDS = ("blocker", "action", "fix")
"""The kinds that a question concerns besides reflection items."""

# An entry is meant when it holds this share of the question's words, and of their
# weight; another claim that holds nearly as much makes the question unclear.
_COVERAGE = 0.6
_MARGIN = 0.2
_MOST_NEAR = 10


class _Match(NamedTuple):
    """An entry that holds words of the question.

    `held` is the share of the question's weight that it holds, `meant` whether that is
    enough, `claim` the number of what it says.
    """

    doc: int
    row: StoredRow
    claim: int
    score: float
    held: float
    meant: bool


def plan_query(
    vault: Vault, query: str, *, kinds: Sequence[str] = (), same_key: bool = True
) -> ResolvePlan:
    """Plan to resolve what a question means, of what holds where its caller stands.

    Args:
        vault: where to look.
        query: words of what was solved.
        kinds: only entries of these kinds; none means reflection items and `KINDS`.
        same_key: whether entries of the same claim are resolved with it.

    Raises:
        UsageError: the question holds no word to search for.
        InvalidValue: there is no such kind.
        EntryNotFound: nothing in force matches it.
    """
    kinds = [check_kind(kind, vault.kinds) for kind in kinds]
    here = number(vault.here) if vault.here else None
    view = View(vault.now_ms() // 1000, here=here)

    def find(reader: Reader) -> ResolvePlan:
        concerned = _concerned(reader, kinds)
        missing, every = _matches(reader, query, view)
        matches = [one for one in every if one.doc in concerned]
        others = [one for one in every if one.doc not in concerned and one.meant]
        beside = [target_of(reader, one.doc, one.score) for one in others[:_MOST_NEAR]]
        if not matches:
            _, every = _matches(reader, query, view._replace(here=None))
            away = [m.row for m in every if m.meant and m.doc in concerned]
            raise _nothing(query, kinds, beside, away[:_MOST_NEAR])
        best = matches[0].held
        meant = [one for one in matches if one.meant and one.held > best - _MARGIN]
        less = [one for one in matches if one not in meant]
        # A rule is not solved: beside what can be it is named alone.
        rules = [one for one in meant if one.row.item == Item.INVARIANT and not kinds]
        only_rules = bool(rules) and len(rules) == len(meant)
        rules = [] if only_rules else rules
        meant = [one for one in meant if one not in rules]
        unclear = "only a rule matches" if only_rules else _unclear(meant, less, best)
        if unclear and beside:
            unclear = f"{unclear}; {named_others(beside)}"
        scored = [(one.row.id, one.score) for one in meant]
        return gather(reader, scored, Status.RESOLVED, same_key=same_key)._replace(
            near=[
                target_of(reader, one.doc, one.score)
                for one in [*rules, *less][:_MOST_NEAR]
            ],
            missing_terms=missing,
            ambiguous=unclear,
            other_kinds=beside,
        )

    return vault.read(find)


def _unclear(
    meant: Sequence[_Match], others: Sequence[_Match], best: float
) -> str | None:
    """Why the question may mean something else; None when it is clear."""
    if not meant:
        return f"no entry holds {_COVERAGE:.0%} of the question's words"
    projects = sorted({one.row.project for one in meant if one.row.project})
    if len(projects) > 1:
        return f"it is said of several projects: {', '.join(projects)}"
    claims = {one.claim or one.row.id for one in meant}
    if len(claims) > 1:
        found = sorted({one.row.kind for one in meant})
        of = f" of several kinds ({', '.join(found)})" if len(found) > 1 else ""
        return f"{counted(len(meant), 'entry')}{of} match about as well"
    if others and others[0].held > best - _MARGIN:
        return "other entries match nearly as well"
    return None


def _concerned(reader: Reader, kinds: Sequence[str]) -> set[int]:
    """The documents that a question is about."""
    docs = {doc for kind in kinds or KINDS for doc in reader.exact("kind", kind)}
    if not kinds:
        docs.update(doc for item in Item for doc in reader.exact("item", str(item)))
    return docs


def _matches(reader: Reader, query: str, view: View) -> tuple[list[str], list[_Match]]:
    """The words of a question that no entry holds; and how much of it each entry in
    force holds, the most first."""
    from memcli.entries.text import tokens
    from memcli.search.ranking import rank
    from memcli.search.ranking.corpus import LEXICAL, Question, Scope

    question = tokens.question(query, tokens.stemmer())
    if not question:
        raise UsageError(
            "the question holds no word to search for",
            hint="Name what was solved, or give ids.",
        )
    most = max(1, reader.size)
    ranking = rank.rank(
        Question(question),
        reader,
        limit=most,
        scope=Scope(lambda docs: reader.shown(docs, view)),
        weights=LEXICAL._replace(pool=most),
    )
    weights: dict[str, list[float]] = {}
    for term in ranking.terms:
        weights.setdefault(term.word, []).append(term.idf)
    whole = sum(map(sum, weights.values())) or 1.0
    matches = []
    for hit in ranking.hits:
        # A word of several parts (`rate_limit`) is held by as many as the entry holds.
        parts = {
            word: hit.matched.count(word) / len(weights[word])
            for word in dict.fromkeys(hit.matched)
        }
        held = sum(share * sum(weights[word]) for word, share in parts.items()) / whole
        words = sum(parts.values()) / len(weights)
        row, claim = reader.row(hit.doc), reader.columns.claims[hit.doc]
        meant = min(words, held) >= _COVERAGE
        matches.append(_Match(hit.doc, row, claim, hit.score, held, meant))
    matches.sort(key=lambda one: (-one.held, -one.score, one.row.id))
    return list(dict.fromkeys(ranking.missing)), matches


def named_others(others: Sequence[Target]) -> str:
    """The entries of other kinds that a question may mean, and how to choose them."""
    named = ", ".join(f"{one.id} ({one.kind}: {one.title})" for one in others)
    flags = " ".join(f"--kind {kind}" for kind in sorted({one.kind for one in others}))
    return f"entries of other kinds match: {named}; if you mean them, add {flags}"


def _nothing(
    query: str,
    kinds: Sequence[str],
    others: Sequence[Target],
    away: Sequence[StoredRow],
) -> EntryNotFound:
    """The refusal of a question that nothing matches among what it concerns; `away` is
    what matches in other projects."""
    message = f"nothing in force matches '{query}'"
    if others:
        looked = ", ".join(kinds) or "reflection items, blockers, actions and fixes"
        message += f" among {looked}; {named_others(others)}"
    hint = "To see what is resolved: memcli list --status resolved"
    if away:
        named = ", ".join(f"{row.id} (in {row.project}: {row.title})" for row in away)
        message += f" here; in other projects do: {named}"
        hint = f"To resolve one of them: memcli resolve {away[0].id}"
    return EntryNotFound(message, hint=hint)
