"""Sequences of commands that work: approved in words, or done again and again.

Invariant: pure. A workflow is two commands or more in their order; the name of a tool
and how often it was called is none ("Bash x4"), and looking around is no step of one.
"""

import re
from collections.abc import Sequence
from typing import Final

from memcli.entries.entry import Confidence
from memcli.hosts.transcript import Step
from memcli.sessions.mining.candidate import Reading
from memcli.sessions.mining.sentences import Sentence

HIGH, MEDIUM, LOW = Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW

_LOOKING: Final = re.compile(
    r"^(?:ls|cat|head|tail|less|grep|rg|find|fd|pwd|echo|printf|which|type|wc|tree|file|stat|env|date|sleep|true|cd|sed -n|awk|jq|diff|du|df|ps|"
    r"git (?:status|diff|log|show|branch|remote|rev-parse|ls-files|blame|config|fetch|stash list|merge-base|describe|worktree list)|gh (?:pr|issue|run|api) ?(?:view|list|status|diff|checks)?)\b"
)
_APPROVED: Final = (
    r"(?i)\b(?:(?:that|this|it|which) (?:works?|worked)\b(?! if| when| only| on| in)|exactly (?:like that|right|what i)|perfect\b|do it (?:this|that|the same|like (?:this|that)) way|"
    r"keep doing (?:it|that|this)|always do it (?:this|that|like)|the way you did)"
)
_KEEP: Final = (
    r"(?i)\b(?:(?:do|did|doing|keep|use|follow|repeat|remember) (?:it |this |that |the same |these )?(?:this|that|the same|like (?:this|that)|exactly)? ?(?:way|steps?|procedure|process|workflow|sequence|order)\b|"
    r"same (?:way|steps|procedure|process) (?:next time|from now on|every ?time|again)|keep doing (?:it|that|this)|next time (?:too|as well|also))"
)
_PROCEDURE: Final = (
    r"(?i)\b(?:(?:to|for (?:a|an|each|every|the|any)|when(?:ever)? (?:we|you|i)|every time (?:we|you)|before (?:we|you|each|every)|after (?:we|you|each|every)) .{3,80}?(?:,|:)? first\b.{3,}\bthen\b"
    r"|(?:our|the) (?:usual |normal |standard )?(?:workflow|process|procedure|release steps?|steps?) (?:is|are|here is)\b.{10,}|the way (?:we|i) (?:usually |normally |always )?(?:do|handle|release|deploy|ship) (?:this|that|it|these|\w+) is\b.{10,})"
)
_WHEN_DONE: Final = r"(?i)\b(?:make sure|and then|also|please)\b.{3,80}\bwhen (?:the|a|an|each|every|it|this)\b.{0,40}\b(?:is|are|'s) (?:complete[d]?|done|finished|merged|released|closed)\b"


def described(sentence: Sentence, before: Sequence[Step]) -> Reading | None:
    """A procedure that a person describes, or asks to keep.

    Args:
        sentence: of a turn.
        before: the steps of the exchange that this turn answers.
    """
    plain = sentence.plain
    if plain.endswith("?"):
        return None
    if re.search(_APPROVED, plain) or re.search(_KEEP, plain):
        steps = commands(before)
        if len(steps) >= 2:
            words = " → ".join(f"`{step}`" for step in steps[-6:])
            if re.search(_KEEP, plain):
                return Reading(
                    HIGH,
                    "approved-sequence",
                    "commands that worked, and the user wants it that way",
                    words,
                )
            return Reading(
                LOW,
                "approved-sequence",
                "commands that worked, and the user approved",
                words,
            )
    if re.search(_PROCEDURE, plain):
        return Reading(
            LOW, "procedure", "a procedure in the user's words", sentence.text
        )
    if re.search(_WHEN_DONE, plain):
        return Reading(
            LOW, "procedure", "what belongs to an end of a task", sentence.text
        )
    return None


def repeated(exchanges: Sequence[Sequence[Step]]) -> list[tuple[Step, Reading, int]]:
    """Sequences that worked in three exchanges or more: (last step, found, count)."""
    seen: dict[tuple[str, ...], list[Step]] = {}
    for steps in exchanges:
        done = _worked(steps)
        here: dict[tuple[str, ...], Step] = {}
        for size in (2, 3, 4):
            for start in range(len(done) - size + 1):
                run = done[start : start + size]
                shape = tuple(shaped for shaped, _ in run)
                if len(set(shape)) == size:
                    here[shape] = run[-1][1]
        for shape, step in here.items():
            seen.setdefault(shape, []).append(step)
    often = {shape: steps for shape, steps in seen.items() if len(steps) >= 3}
    found: list[tuple[tuple[str, ...], Step, int]] = []
    for shape, steps in sorted(
        often.items(), key=lambda item: (-len(item[0]), item[0])
    ):
        if any(_within(shape, other) for other, _, _ in found):
            continue
        found.append((shape, steps[-1], len(steps)))
    return [
        (
            step,
            Reading(
                MEDIUM,
                "repeated-sequence",
                f"the same commands in this order in {count} turns, each time with success",
                " → ".join(f"`{one}`" for one in shape),
            ),
            count,
        )
        for shape, step, count in found
    ]


def commands(steps: Sequence[Step]) -> list[str]:
    """The commands that worked, in their order, each once."""
    return list(dict.fromkeys(shape for shape, _ in _worked(steps)))


def _within(shape: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return any(other[i : i + len(shape)] == shape for i in range(len(other)))


def _worked(steps: Sequence[Step]) -> list[tuple[str, Step]]:
    results = {step.call: step for step in steps if step.role == "result" and step.call}
    found: list[tuple[str, Step]] = []
    for step in steps:
        if step.role != "call" or step.action != "run":
            continue
        result = results.get(step.call or "")
        if result is None or result.failed is not False:
            continue
        for shape in _shapes(step.text):
            if not found or found[-1][0] != shape:
                found.append((shape, step))
    return found


def _shapes(command: str) -> list[str]:
    """The commands of a line without what changes from time to time."""
    if "<<" in command or "\n" in command.strip():
        command = command.strip().splitlines()[0].partition("<<")[0]
    shapes = []
    for part in re.split(r"\s*(?:&&|\|\||;)\s*", command):
        plain = re.sub(r"\s*(?:\||\d?>).*$", "", part).strip()
        plain = re.sub(r"^(?:[A-Z_]+=\S+\s+)+", "", plain)
        if not plain or _LOOKING.match(plain):
            continue
        words = re.sub(r"(['\"]).*?(?:\1|$)", "…", plain).split()
        kept = [
            word
            for word in words[:6]
            if not re.search(r"/.*/|\.\w{1,5}$|^[0-9a-f]{7,}$|\d{3,}", word)
        ]
        if kept and len(" ".join(kept)) > 3:
            shapes.append(" ".join(kept))
    return shapes
