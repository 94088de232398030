"""Mining: which sentences of a session are worth keeping, without a model.

Door: `mine`. It is pure: the same steps give the same candidates. It keeps only what a
person would not mind finding saved, since words alone say little: rather nothing than
noise ([decision 7](../../../docs/internals/decisions.md)). `rules` has the
table, `foreign` and `hands`, by `signs`, tell the person's words from others',
`statements` says whether they can be read alone, `proof` what commands prove.
Not in here: the vault; `sessions.bringing` decides what becomes of a candidate.
"""

from __future__ import annotations

from memcli.entries.entry import Confidence
from memcli.entries.text.differences import says_again
from memcli.named_tuple import NamedTuple
from memcli.sessions.mining import hands, proof, rules, signs, statements
from memcli.sessions.mining.candidate import Candidate, Category, Reading, excerpt
from memcli.sessions.mining.candidate import title as titled
from memcli.sessions.mining.proof import Exchange
from memcli.sessions.mining.statements import Sentence, normal, said_by, sentences

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.hosts.transcript import Step

__all__ = ["Candidate", "Mined", "mine", "say_again"]

HIGH, MEDIUM, LOW = Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW
# More than so many from one turn is a document, also when it looks typed.
_PER_TURN = 3


class Mined(NamedTuple):
    """The yield of a session.

    Attributes:
        turns: how many a person took.
        candidates: what was found.
        whole: whether that is all that the rules find in the session.
    """

    turns: int
    candidates: list[Candidate]
    whole: bool = False


def mine(steps: Iterable[Step]) -> Mined:
    """Find what is worth keeping in a session, in the order of the transcript."""
    exchanges: list[Exchange] = []
    found: list[Candidate] = []
    answered = in_doubt = program = False
    told = _told(steps)
    around = hands.around([exchange for exchange, _ in told])
    for (exchange, own), near in zip(told, around, strict=True):
        if exchange.turn is not None:
            near = near._replace(in_doubt=in_doubt or exchange.turn.program)
            of_turn = _of_turn(exchange.turn, own, near, answered=answered)
            found += of_turn
            # A list that is dictated goes on in the next turn.
            in_doubt = any(one.doubtful for one in of_turn)
        program |= bool(exchange.turn and exchange.turn.program)
        proved = proof.fix(exchange, exchanges[-2:])
        if proved is not None:
            one = _candidate("fix", proved[1], proved[0], proved[0].text)
            found.append(one._replace(doubtful=program))
        answered = answered or any(one.role == "assistant" for one in exchange.steps)
        exchanges.append(exchange)
    for step, reading, count in proof.workflows(exchanges):
        one = _candidate("workflow", reading, step, reading.words)
        found.append(one._replace(occurrences=count, doubtful=program))
    turns = sum(exchange.turn is not None for exchange in exchanges)
    return Mined(turns, _once(sorted(found, key=lambda one: one.line)), whole=True)


def say_again(text: str, turns: Sequence[Step], place: int, asked: str) -> bool:
    """Whether a turn says a text again, in the person's own words and without a doubt.

    Args:
        text: what was said before.
        turns: all turns of the session.
        place: that of the turn among them.
        asked: what the agent had said before it.
    """
    words = turns[place].text
    own = sentences(words)
    ruled = [_rule(sentence, answered=True) for sentence in own]
    first = max(0, place - hands.BEFORE)
    nearby = [Exchange(one, []) for one in turns[first : place + 1 + hands.BEHIND]]
    near = hands.around(nearby)[place - first]
    if hands.in_doubt(words, own, ruled, near._replace(asked=asked)):
        return False
    said = [
        one.text
        for one, rule in zip(own, ruled, strict=True)
        if not signs.QUESTION.search(one.plain)
        and (rule is not None or not hands.is_anothers(one.plain))
    ]
    return any(says_again(each, text) for each in (*said, " ".join(said)))


def _told(steps: Iterable[Step]) -> list[tuple[Exchange, list[Sentence]]]:
    """A session's exchanges, each with the sentences that are the person's own.

    A turn that was sent again, and the draft of the next one, have none.
    """
    rows: list[tuple[Step | None, list[Step]]] = [(None, [])]
    for step in steps:
        if step.role == "user":
            rows.append((step, []))
        else:
            rows[-1][1].append(step)
    found = []
    seen: set[str] = set()
    said: set[str] = set()
    for (turn, after), (later, _) in zip(rows, [*rows[1:], (None, [])], strict=True):
        own: list[Sentence] = []
        if turn is not None:
            words = normal(turn.text)
            draft = (
                later is not None
                and not any(step.role == "call" for step in after)
                and normal(later.text).startswith(words)
            )
            if words not in seen and not draft:
                own = sentences(turn.text, said)
                seen.add(words)
        for step in after:
            if step.role == "assistant":
                said |= said_by(step.text)
        found.append((Exchange(turn, after), own))
    return found


def _of_turn(
    turn: Step, own: Sequence[Sentence], session: hands.Around, *, answered: bool
) -> list[Candidate]:
    """The candidates of a turn; `answered`: whether an agent has said anything before."""
    found: list[Candidate] = []
    by_sentence = [_rule(sentence, answered=answered) for sentence in own]
    if not any(by_sentence):
        return []
    unsure = hands.in_doubt(turn.text, own, by_sentence, session)
    last = -1
    for place, rule in enumerate(by_sentence):
        if rule is None or place <= last:
            continue
        end = place
        if rule.confidence is not LOW:
            goes_on = [_goes_on(rule, later) for later in by_sentence]
            end = statements.end(own, place, goes_on)
        words = statements.told(own, place, end, rule.category)
        if not words:
            continue
        doubtful = unsure and rule.category != "idea"
        if rule.confidence is HIGH and doubtful:
            rule = rule._replace(confidence=MEDIUM)
        if found and words.startswith(found[-1].text):
            found.pop()
        last = end
        reading = Reading(rule.confidence, rule.name, rule.finds, words)
        one = _candidate(rule.category, reading, turn, words)
        found.append(one._replace(doubtful=doubtful))
    found.sort(key=lambda one: one.confidence is LOW)
    # For these alone the whole turn is read again.
    kept = found[:_PER_TURN]
    return [one._replace(excerpt=excerpt(turn.text, one.text)) for one in kept]


def _goes_on(rule: rules.Rule, later: rules.Rule | None) -> bool:
    """Whether a sentence that the later rule finds may belong to a statement before it.

    What is decided holds whole; else what is plain by itself is a statement by itself.
    """
    if later is None or later.confidence is LOW:
        return True
    if rule.name == "decided":
        return later.category != "idea"
    return later.confidence is not HIGH and later.category == rule.category


def _rule(sentence: Sentence, *, answered: bool) -> rules.Rule | None:
    """The first explicit rule that finds something in a sentence, else the first.

    What no rule finds, but one would if it were not for a veto, is LOW.
    """
    plain = sentence.plain
    if len(plain.split()) < 3:
        return None
    levels: tuple[Confidence, ...] = (HIGH, MEDIUM, LOW)
    if plain.rstrip(" )").endswith("?"):
        levels = (HIGH,) if signs.POLITE.search(plain) else ()
    found = (rules.first(plain, level, answered=answered) for level in levels)
    return next(filter(None, found), None)


def _candidate(
    category: Category, found: Reading, step: Step, around: str
) -> Candidate:
    return Candidate(
        category=category,
        confidence=found.confidence,
        pattern=found.pattern,
        rationale=found.rationale,
        title=titled(found.words, category),
        text=found.words,
        excerpt=excerpt(around, found.words),
        line=step.line,
        record=step.record,
        at=step.at,
    )


def _once(found: Sequence[Candidate]) -> list[Candidate]:
    """Those that say the same as one, the surest of them, with how often it came."""
    kept: dict[tuple[str, str], Candidate] = {}
    for one in found:
        key = (one.category, normal(one.text))
        other = kept.setdefault(key, one)
        if other is not one and other.line != one.line:
            sure = min(other, one, key=lambda each: each.confidence is not HIGH)
            count = other.occurrences + one.occurrences
            kept[key] = sure._replace(occurrences=count)
    return list(kept.values())
