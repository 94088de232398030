"""Mining: which sentences of a session are worth keeping.

Door: `mine`. It is pure: the same steps give the same candidates. Only a person's own
words make preferences, corrections and ideas; fixes and workflows rest on what the
session proves. Each candidate says which rule found it and why.
Not in here: the vault; `reflect_session` decides what becomes of a candidate.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memcli.entries.entry import Confidence
from memcli.hosts.transcript import Step
from memcli.sessions.mining import corrections, directives, fixes, ideas, workflows
from memcli.sessions.mining.candidate import (
    Candidate,
    Category,
    Reading,
    core,
    excerpt,
    title,
)
from memcli.sessions.mining.repeats import counted
from memcli.sessions.mining.sentences import Sentence, normal, said_by, sentences

__all__ = ["Candidate", "Mined", "mine"]

HIGH, MEDIUM, LOW = Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW
# More than so many from one turn is a document, whatever it looks like.
_PER_TURN = 4


class Mined(NamedTuple):
    """What a session gives: how many turns a person took, and the candidates."""

    turns: int
    candidates: list[Candidate]


class _Exchange(NamedTuple):
    """A turn of a person, and what the agent said and did until the next one."""

    turn: Step | None
    sentences: list[Sentence]
    steps: list[Step]


def mine(steps: Iterable[Step]) -> Mined:
    """Find what is worth keeping in a session, in the order of the transcript."""
    exchanges = _exchanges(steps)
    found: list[Candidate] = []
    before: _Exchange | None = None
    answers = False
    for place, exchange in enumerate(exchanges):
        found += _of_turn(exchange, before, answers=answers)
        found += _of_agent(exchanges, place)
        before = exchange
        answers = answers or any(step.role == "assistant" for step in exchange.steps)
    found += [
        _candidate("workflow", one, step, one.words, count)
        for step, one, count in workflows.repeated([one.steps for one in exchanges])
    ]
    turns = sum(exchange.turn is not None for exchange in exchanges)
    return Mined(turns, counted(sorted(found, key=lambda one: one.line)))


def _exchanges(steps: Iterable[Step]) -> list[_Exchange]:
    """Split a session; a turn that was sent again counts once, where it was last."""
    rows: list[tuple[Step | None, list[Step]]] = [(None, [])]
    for step in steps:
        if step.role == "user":
            rows.append((step, []))
        else:
            rows[-1][1].append(step)
    kept: list[_Exchange] = []
    seen: set[str] = set()
    said: set[str] = set()
    for place, (turn, after) in enumerate(rows):
        own: list[Sentence] = []
        if turn is not None:
            words = normal(turn.text)
            later = rows[place + 1][0] if place + 1 < len(rows) else None
            worked = any(step.role == "call" for step in after)
            draft = (
                later is not None
                and not worked
                and normal(later.text).startswith(words)
            )
            if words not in seen and not draft:
                own = sentences(turn.text, said)
                seen.add(words)
        kept.append(_Exchange(turn, own, after))
        for step in after:
            if step.role == "assistant":
                said |= said_by(step.text)
    return kept


def _of_turn(
    exchange: _Exchange, before: _Exchange | None, *, answers: bool
) -> list[Candidate]:
    """What a turn gives; `answers`: whether an agent has said anything before."""
    turn = exchange.turn
    if turn is None:
        return []
    reaction = _reaction(exchange.steps)
    found: list[Candidate] = []
    used = -1
    for place, sentence in enumerate(exchange.sentences):
        if place <= used or len(found) >= _PER_TURN:
            continue
        following = exchange.sentences[place + 1 :]
        rest = following[0].text if following else ""
        category, one = _of_sentence(sentence, rest, before, reaction, answers)
        if one is None:
            continue
        if (
            one.pattern in ("remember", "memory-file")
            and one.confidence is HIGH
            and _points_back(one.words)
        ):
            found = _remembered(exchange, place, one, found)
            continue
        used = place + (rest != "" and one.words.endswith(rest))
        candidate = _candidate(category, one, turn, turn.text, 1)
        if category == "idea":
            candidate = candidate._replace(text=_summary(exchange, place, before))
        found.append(candidate)
    return found


def _summary(exchange: _Exchange, place: int, before: _Exchange | None) -> str:
    """An idea in two sentences: itself, and what was said with it."""
    own = exchange.sentences
    words = own[place].text.strip()
    beside = own[place + 1 : place + 2] or own[max(0, place - 1) : place]
    if beside:
        second = beside[0].text.strip()
    else:
        subject = before.sentences[0].text if before and before.sentences else ""
        second = f"It came up after: {subject}" if subject else ""
    return " ".join(_ended(each[:300]) for each in (words, second) if each)


def _ended(words: str) -> str:
    return words if words.endswith((".", "!", "?", "。", "！", "？")) else f"{words}."


def _of_sentence(
    sentence: Sentence,
    rest: str,
    before: _Exchange | None,
    reaction: corrections.Reaction,
    answers: bool,
) -> tuple[Category, Reading | None]:
    """The first of its readings that is explicit, else the first that is any."""
    readings: list[tuple[Category, Reading | None]] = [
        (
            "correction",
            corrections.correction(sentence, rest, reaction) if answers else None,
        ),
        ("preference", directives.directive(sentence)),
        ("fix", fixes.told(sentence, rest)),
        ("workflow", workflows.described(sentence, before.steps if before else [])),
        ("idea", ideas.idea(sentence)),
    ]
    for wanted in (HIGH, MEDIUM, LOW):
        for category, found in readings:
            if found is not None and found.confidence is wanted:
                return category, found
    return "preference", None


def _points_back(words: str) -> bool:
    """Whether what is to be remembered stands before: "add this to CLAUDE.md"."""
    return bool(
        re.search(
            r"(?i)\b(?:add|put|note|remember|memori[sz]e|document|mention|record|log|save|write) (?:this|that|it|these|the \w+)\b|\bthis never\b",
            words,
        )
    ) and not re.search(
        r"(?i)\b(?:this|that|it)\b.{0,12}[:;]|\bthat (?:we|you|the|all|every|claude|it)\b",
        words,
    )


def _remembered(
    exchange: _Exchange, place: int, one: Reading, found: list[Candidate]
) -> list[Candidate]:
    """What "remember this" means: the turn before it, or what the agent noted then."""
    turn = exchange.turn
    if turn is None:
        return found
    asked = _candidate("preference", one, turn, turn.text, 1)
    if found:
        last = found[-1]
        why = f"{last.rationale}; {one.rationale}"
        return [*found[:-1], last._replace(confidence=HIGH, rationale=why)]
    before = " ".join(
        each.text for each in exchange.sentences[max(0, place - 3) : place]
    )
    if before:
        return [asked._replace(text=f"{before} {one.words}", title=title(before))]
    lesson = _lesson(exchange.steps)
    if lesson is None:
        return [asked]
    step, words = lesson
    noted = Reading(
        HIGH,
        "noted-lesson",
        "the lesson that the agent noted when the user asked for it",
        words,
    )
    kept = _candidate("fix", noted, step, step.text, 1)
    return [asked._replace(refers=step.record, text=f"{one.words}\n\n{words}"), kept]


def _lesson(steps: Sequence[Step]) -> tuple[Step, str] | None:
    """The rule that the agent says it has stored."""
    for step in reversed(steps):
        if step.role != "assistant":
            continue
        if not re.search(
            r"(?i)\b(?:memory|learnings?|CLAUDE\.md|AGENTS\.md|rules?|lesson)\b",
            step.text,
        ):
            continue
        for part in re.split(r"(?<=[.!?])\s+|\n+", step.text):
            plain = " ".join(part.replace("**", "").split())
            if (
                re.search(
                    r"(?i)\b(?:must|never|always|every new|do not|don't)\b", plain
                )
                and len(plain.split()) >= 5
            ):
                return step, re.sub(
                    r"(?i)^.{0,30}(?:key )?(?:rule|lesson|takeaway):\s*", "", plain
                )[:600]
    return None


def _of_agent(exchanges: Sequence[_Exchange], place: int) -> list[Candidate]:
    exchange = exchanges[place]
    reports = [
        one.turn is not None and fixes.is_trouble(one.turn.text)
        for one in exchanges[max(0, place - 2) : place + 1]
    ]
    found = []
    best = fixes.explained(exchange.steps, reports[-1], any(reports[:-1]))
    if best is not None:
        step, one = best
        found.append(_candidate("fix", one, step, step.text, 1))
    for step, one in fixes.workarounds(exchange.steps):
        found.append(_candidate("fix", one, step, one.words, 1))
    return found


def _reaction(steps: Sequence[Step]) -> corrections.Reaction:
    words = next((step.text for step in steps if step.role == "assistant"), "")
    acted = any(step.role == "call" and step.action == "edit" for step in steps)
    return corrections.Reaction(words, acted)


def _candidate(
    category: Category, found: Reading, step: Step, around: str, count: int
) -> Candidate:
    return Candidate(
        category=category,
        confidence=found.confidence,
        pattern=found.pattern,
        rationale=found.rationale,
        title=title(core(category, found.words), category),
        text=found.words,
        excerpt=excerpt(around, found.words),
        line=step.line,
        record=step.record,
        at=step.at,
        occurrences=count,
    )
