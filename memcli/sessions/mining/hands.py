"""Whether a person says a turn to the agent and means it, or hands over others' words.

Invariant: pure. A pasted text needs no mark to be one, so a statement has to earn its
place. It is sure only in a turn of one line, as it is typed, in which every sentence is
a whole one in English or an answer. No sentence, and no turn around, may speak of a
text, of another person or of a game, or take back. All else is a doubt and no proof:
what is in doubt waits for the person, and what is saved is told as unconfirmed.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memcli.entries.entry import Confidence
from memcli.entries.text.tokens import STOP_WORDS
from memcli.named_tuple import NamedTuple
from memcli.sessions.mining import signs
from memcli.sessions.mining.statements import QUOTE, leans, masked

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

    from memcli.sessions.mining.proof import Exchange
    from memcli.sessions.mining.rules import Rule
    from memcli.sessions.mining.statements import Sentence

# A longer line is dictated or pasted.
_LONG: Final = 800
# A turn around is read whole if it has no more words, else the sentence that is next to
# the statement; and words of a turn that may begin a game.
_SHORT, _TYPED = 25, 80
_BARE = 3  # of what is no sentence: "from the RFC"
# Turns before, in which a row of texts may have been announced, or a game begun; and
# turns behind, in which a statement may be given up.
BEFORE, _PLAYED, BEHIND = 12, 4, 50
# Of a turn around, and of the agent's reply, so many characters are read.
_READ: Final = 2_000


class Around(NamedTuple):
    """The session around a turn: the person's turns before it, the last one first; the
    agent's last sentence before it; its reply; the person's next turn; and the short
    ones behind it. `in_doubt`: whether the turn before said a rule, and was
    in doubt."""

    before: Sequence[str]
    asked: str
    reply: str
    after: str
    later: Sequence[str]
    in_doubt: bool = False


def around(exchanges: Sequence[Exchange]) -> list[Around]:
    """The session around each of its turns."""
    texts = [one.turn.text[:_READ] if one.turn else "" for one in exchanges]
    short = [text if _words(text) <= _SHORT else "" for text in texts]
    found, last = [], ""
    for place, each in enumerate(exchanges):
        said = [one.text for one in each.steps if one.role == "assistant"]
        before = texts[max(0, place - BEFORE) : place][::-1]
        after = texts[place + 1] if place + 1 < len(texts) else ""
        later = [*filter(None, short[place + 1 : place + 1 + BEHIND])]
        asked = signs.SENTENCE.split(last.rstrip(" *_`\n"))[-1]
        found.append(Around(before, asked, "".join(said[:1])[:_READ], after, later))
        last = said[-1][-_READ:] if said else ""
    return found


def in_doubt(
    text: str, own: Sequence[Sentence], rules: Sequence[Rule | None], near: Around
) -> bool:
    """Whether the statements of a turn may be another's, or not be meant.

    Args:
        text: the turn.
        own: the sentences of it that may be the person's.
        rules: which rule finds something in each of them.
        near: the session around the turn.
    """
    if near.in_doubt or signs.PRAISES.match(text) or not _is_one_line(text):
        return True
    answers = signs.ASKS_FOR.fullmatch(near.asked) and not signs.REPLIES.match(text)
    if answers or _is_announced(near):
        return True
    if any(_gives_up(later, text) for later in near.later):
        return True
    explained = [_is_explained(*each) for each in zip(own, rules, strict=True)]
    behind = ""
    for place, (one, rule) in enumerate(zip(own, rules, strict=True)):
        plain = one.plain
        sure = rule is not None and rule.confidence is not Confidence.LOW
        if rule is not None and sure and behind != "explained":
            taken_back = behind and signs.TAKES_BACK.search(plain)
            mocked = signs.MOCKED.search(plain) or signs.PLAY.search(plain)
            aside = signs.ASIDE.search(plain) or signs.SAID_BY.search(plain)
            passing = aside or _is_passing(plain, rule)
            if taken_back or mocked or passing or not _is_introduced(plain, rule):
                return True
            behind = "explained" if explained[place] else "ruled"
            continue
        rests = place + 1 < len(own) and leans(own[place + 1].text)
        replies = any(explained) and signs.REPLIES.match(plain)
        if not behind and (rests or replies):
            said = not _is_about(plain)
        else:
            said = _is_said(plain, behind)
        if not said:
            return True
    return False


def is_anothers(plain: str) -> bool:
    """Whether a sentence that no rule finds may be a question or another's words."""
    aside = signs.ASIDE.search(plain) or signs.SAID_BY.search(plain)
    return bool(aside) or QUOTE in plain


def _is_explained(one: Sentence, rule: Rule | None) -> bool:
    """Whether a sentence begins what others explain: a decision, or what is right."""
    if rule is None:
        return False
    return bool(signs.DECIDED.match(one.plain) or signs.DENIES.fullmatch(one.plain))


def _is_announced(near: Around) -> bool:
    """Whether the turns around a turn, or the agent, may take it for a text or a game."""
    for place, text in enumerate(near.before):
        plays = place < _PLAYED and signs.PLAY.search(text)
        if _words(text) <= _TYPED and (plays or signs.SERIES.search(text)):
            return True
    said = (text for text in near.before if not signs.ANSWER.fullmatch(text))
    last, after = next(said, ""), near.after
    begun = signs.ANSWER.sub("", near.reply, count=1)
    spoken = [near.asked, *signs.SENTENCE.split(begun, maxsplit=2)[:2]]
    if (
        signs.HANDS_OVER.search(near.asked)
        or any(_is_of_document(one) or signs.PEOPLE.search(one) for one in spoken)
        or signs.BUT.match(after)
        or signs.TAKEN.search(near.reply)
        or (not near.asked and introduces(last))
    ):
        return True
    if after and near.reply.rstrip().endswith("?") and _words(after) <= 3:
        return True  # the agent doubted it too
    return not (_is_of_work(last, -1) and _is_of_work(after, 0))


def introduces(text: str) -> bool:
    """Whether a turn ends by announcing a text, as the next one may be if it follows at
    once: with a verb or a noun for it, or as no sentence at all."""
    plain = masked(text).strip()
    task = signs.TASK.match(plain) or signs.DO.match(plain) or signs.OWN.search(plain)
    bare = 0 < _words(plain) <= _BARE and not task and not signs.ANSWER.fullmatch(plain)
    return bare or bool(signs.ANNOUNCES.search(plain))


def denies(said: str, claim: str) -> bool:
    """Whether a sentence denies or asks what a claim says as it is, or has a sign of
    another's words, a text or a game that the claim leaves out."""
    claim = masked(claim)
    doubts = (is_anothers, _is_about, _is_named, signs.ODD.search)
    if any(doubt(said) and not doubt(claim) for doubt in doubts):
        return True
    if signs.QUESTION.search(said) and not signs.POLITE.search(said):
        return not signs.QUESTION.search(claim)
    if signs.UNDENIED.search(said) or signs.UNDENIED.search(claim):
        return False
    return bool(signs.DENIED.search(said)) and not signs.DENIED.search(claim)


def _is_one_line(text: str) -> bool:
    """Whether a turn has one line, as it is typed, below answers and no greeting."""
    lines = [line for line in masked(text).split("\n") if line.strip()]
    typed = [line for line in lines if not signs.ANSWER.fullmatch(line)]
    odd = (not signs.BEGINS.match(one) or signs.ODD.search(one) for one in typed)
    first = lines[0] if lines[1:] else ""
    above = typed in ([], lines[-1:]) and not signs.GREETS.fullmatch(first)
    return above and len(text) <= _LONG and not any(odd)


def _gives_up(later: str, text: str) -> bool:
    """Whether a later turn gives up what a turn says: it allows it, does what it forbids,
    or does another thing in its place."""
    if _turns_back(later):
        return True
    shared = len(_stems(text) & _stems(later))
    if not shared or signs.GIVES_UP.search(later):
        return bool(shared)
    if not signs.DENIED.search(text):
        # More words may be a rule of their own.
        stops = _words(later) < 6 and signs.STOPS.match(later)
        return bool(stops or signs.USES.match(later))
    allows = shared > 1 and not signs.DENIED.search(later)
    return allows and not signs.UNLESS.search(text)


# A turn is asked again by each of the fifty before it.
_turns_back = lru_cache(maxsize=128)(signs.TURNS_BACK.search)


@lru_cache(maxsize=128)
def _stems(text: str) -> set[str]:
    words = re.findall(r"[^\W\d_]{4,}", text.lower())
    return {word[:4] for word in words if word not in STOP_WORDS}


def _is_of_work(text: str, next_to: int) -> bool:
    """Whether a turn around a statement is of the work alone; one without words is.

    Args:
        text: the turn.
        next_to: which of its sentences stands next to the statement.
    """
    plain = masked(text).strip()
    if signs.ANSWER.fullmatch(plain) or not plain:
        return True
    if next_to and plain.endswith(":"):
        return False
    if _words(plain) > _SHORT:
        # Of several lines it is a specification.
        return "\n" in plain or not _is_about(signs.SENTENCE.split(plain)[next_to])
    if _is_about(plain) or signs.HANDS_ON.search(plain):
        return False
    words = _words(plain)
    return bool(
        signs.ENGLISH.search(plain) if words > 3 else words > 1 or signs.DO.match(plain)
    )


def _is_passing(plain: str, rule: Rule) -> bool:
    """Whether a rule goes on with what is so now; who sets right says what is so."""
    match = rule.pattern.search(plain.lower())
    if match is None or rule.category == "correction":
        return False
    return bool(signs.PASSES.search(plain) or signs.BESIDES.search(plain, match.end()))


def _is_introduced(plain: str, rule: Rule) -> bool:
    """Whether a statement begins its sentence, or what stands before it introduces it.

    Anything else may be the name of its author, or of the text that it stands in.
    """
    calls = signs.CALLS.match(plain) and not signs.ANSWER.match(plain)
    if calls or _is_named(plain):
        return False
    match = rule.pattern.search(plain.lower())
    lead = plain[: match.start()] if match else plain
    answer = signs.ANSWER.match(lead)
    if answer and not signs.PLAY.search(lead):
        lead = lead[answer.end() :]
    lead = lead.strip()
    if not lead or signs.LABEL.fullmatch(lead) or signs.DENIES.fullmatch(lead):
        return True
    task = signs.TASK.match(lead) and not lead.rstrip().endswith(" that")
    own = signs.DIRECTS.search(lead) or task
    return bool(own) and not _is_about(lead)


def _is_named(plain: str) -> bool:
    """Whether a name stands before a sentence, of a person, a text or a field."""
    named = signs.NAMES.match(plain)
    name = named[1] if named else ""
    return bool(name) and (_is_of_document(name) or not signs.HEADS.match(name))


def _is_said(plain: str, behind: str) -> bool:
    """Whether a sentence of a turn is said to the agent, and meant.

    Args:
        plain: the sentence, as `Sentence.plain` has it.
        behind: what stands before it: "", a statement, or one that is "explained".
    """
    if not behind:
        plain = signs.DENIES.sub("", plain, count=1)
    if not plain or signs.ANSWER.fullmatch(plain):
        return True
    explains = behind == "explained"
    if _is_about(plain, explains=explains):
        return False
    if explains:
        words = plain.split()
        return len(words) > 2 and sum(word[:1].islower() for word in words) > 1
    if signs.SAID_BY.search(plain):
        return False
    points = bool(signs.POINTS.search(plain))
    if plain.rstrip(" )").endswith("?"):
        return bool(signs.ASKS.match(plain)) and not points
    if signs.DIRECTS.search(plain) or (signs.TASK.match(plain) and not points):
        return True
    own = bool(signs.OWN.search(plain))
    english = own or bool(signs.ENGLISH.search(plain))
    return _words(plain) > 3 and english and (own or not points)


def _is_about(plain: str, *, explains: bool = False) -> bool:
    """Whether words are about a person, a text or a game, or take something back.

    An explanation may be about a text, and who says "we" speaks of the work.
    """
    if (
        signs.PEOPLE.search(plain)
        or signs.PLAY.search(plain)
        or signs.TAKES_BACK.search(plain)
    ):
        return True
    ours = explains or (signs.OURS.search(plain) and not signs.POINTS.search(plain))
    return bool(not ours and signs.TEXT.search(plain)) or _is_of_document(plain)


def _is_of_document(text: str) -> bool:
    """Whether a sentence names a document, and not as something to work on."""
    return any(signs.DOCUMENT.search(part) for part in signs.SENTENCE.split(text))


def _words(text: str) -> int:
    return len(text.split())
