"""What the commands of a session prove: a fix, and a sequence that is worth repeating.

Invariant: pure. A fix is three things in this order: a command that failed, a change,
and the same command passing; and an error that the user met or that came three times,
since what an agent breaks and mends while it writes is not news. A workflow is made of
commands that are this project's own: everybody adds, commits, installs and tests.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from memcli.entries.entry import Confidence
from memcli.hosts.transcript import Step
from memcli.sessions.mining.candidate import Reading

HIGH, MEDIUM = Confidence.HIGH, Confidence.MEDIUM

_TROUBLE: Final = re.compile(
    r"\b(?:errors?|fail(?:s|ed|ing|ure)?|broken|crash\w*|(?:does|did|is)(?: not|n['\u2019]t) work\w*|not working|exception"
    r"|stuck|hang(?:s|ing)|denied|unexpected(?:ly)?|bug|regression|not found)\b",
    re.IGNORECASE,
)
_PRINTED: Final = re.compile(
    r"error|fail|exception|fatal|panic|denied|traceback|not found|no match", re.I
)
_CAUSE: Final = re.compile(
    r"\b(?:the|real|actual|underlying|main|root) (?:issue|problem|bug|root cause|cause|culprit|reason)\b[^.\n:]{0,50}?(?:\s|\*)(?:is|was|were|comes from|came from)\b"
    r"|\broot cause\b|\b(?:is|was|were) caused by\b|\bit turns out\b|\b(?:fails|failed|broke) because\b",
    re.IGNORECASE,
)
_HEDGED: Final = re.compile(
    r"\b(?:might|may|could|perhaps|possibly|probably|maybe|likely|let me|not sure|if the)\b|\?",
    re.IGNORECASE,
)
_LOOKING: Final = re.compile(
    r"^(?:ls|cat|head|tail|less|grep|rg|find|fd|pwd|echo|printf|which|type|wc|tree|file|stat|env|date|sleep|true|cd|sed|awk|jq|diff|du|df|ps|kill|mkdir|cp|mv|rm|touch|chmod|curl)\b"
)
# What every project does; a sequence of these is no knowledge.
_UNIVERSAL: Final = re.compile(
    r"^(?:git|gh|pytest|jest|vitest|tox|tsc|eslint|ruff|black|prettier|mypy|gofmt|python3? -[cm]|node -e)\b"
    r"|^(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|cargo|go|bundle|brew|apt(?:-get)?|mvn|gradle|make|just|mise|docker)(?: run)?(?: \S+)? ?(?:i|ci|install|add|sync|test\S*|build|lint|fmt|vet|dev|start|tidy|ps|logs|up|down)?$",
    re.IGNORECASE,
)
_SAME_WAY: Final = re.compile(
    r"\b(?:do|keep|use|follow|repeat|remember) (?:it |this |that |the |these )*(?:this|that|same|like (?:this|that))? ?(?:way|steps?|procedure|process|workflow|sequence|order)\b"
    r".{0,30}\b(?:next time|from now on|every ?time|in (?:the )?future|always)\b",
    re.IGNORECASE,
)
_OFTEN: Final = 3
_LONGEST: Final = 4


class Exchange(NamedTuple):
    """A turn of a person, and what the agent said and did until the next one."""

    turn: Step | None
    steps: Sequence[Step]


class _Run(NamedTuple):
    """A command that was run, and how it ended."""

    place: int
    step: Step
    failed: bool
    output: str


def fix(
    exchange: Exchange, before: Sequence[Exchange]
) -> Iterator[tuple[Step, Reading]]:
    """The fix that an exchange proves, with its error and its cause.

    Args:
        exchange: where it is looked for.
        before: the two exchanges before it, which may report the error.
    """
    steps = exchange.steps
    runs = list(_runs(steps))
    errors = [line for run in runs if run.failed and (line := _error(run.output))]
    told = any(
        one.turn is not None and _TROUBLE.search(one.turn.text[:2_000])
        for one in (*before, exchange)
    )
    if not errors or not (told or max(Counter(errors).values()) >= _OFTEN):
        return
    for failed in runs:
        line = _error(failed.output) if failed.failed else ""
        passed = next(
            (r for r in runs if r.place > failed.place and _again(failed, r)), None
        )
        if not line or passed is None:
            continue
        between = steps[failed.place : passed.place]
        if not any(one.role == "call" and one.action == "edit" for one in between):
            continue
        for step in between:
            words = _cause(step.text) if step.role == "assistant" else ""
            if words:
                shape = " ".join(failed.step.text.split())[:120]
                text = f"{words}\n\nThe error was `{line[:160]}`; `{shape}` passes since the change."
                why = "a command that failed, a change, and the command passing"
                yield step, Reading(MEDIUM, "proved-fix", why, text)
                return


def workflows(exchanges: Sequence[Exchange]) -> Iterator[tuple[Step, Reading, int]]:
    """Sequences that worked in three exchanges, the longest of each: with the count."""
    seen: dict[tuple[str, ...], list[Step]] = {}
    for exchange in exchanges:
        done = _worked(exchange.steps)
        here: dict[tuple[str, ...], Step] = {}
        for size in range(2, _LONGEST + 1):
            for start in range(len(done) - size + 1):
                run = done[start : start + size]
                here[tuple(shape for shape, _ in run)] = run[-1][1]
        for shape, step in here.items():
            if _is_own(shape):
                seen.setdefault(shape, []).append(step)
    often = [shape for shape, steps in seen.items() if len(steps) >= _OFTEN]
    kept: list[tuple[str, ...]] = []
    for shape in sorted(often, key=lambda one: (-len(one), one)):
        if any(_within(shape, other) for other in kept):
            continue
        kept.append(shape)
        why = f"the same commands in this order in {len(seen[shape])} turns, each time with success"
        reading = Reading(MEDIUM, "repeated-sequence", why, _arrows(shape))
        yield seen[shape][-1], reading, len(seen[shape])


def approved(words: str, steps: Sequence[Step]) -> Reading | None:
    """The commands of the exchange before, which the user wants done so again."""
    if words.endswith("?") or not _SAME_WAY.search(words):
        return None
    shapes = tuple(dict.fromkeys(shape for shape, _ in _worked(steps)))[-6:]
    if len(shapes) < 2 or not _is_own(shapes):
        return None
    why = "commands that worked, and the user wants it that way"
    return Reading(HIGH, "approved-sequence", why, _arrows(shapes))


def _runs(steps: Sequence[Step]) -> Iterator[_Run]:
    results = {step.call: step for step in steps if step.role == "result" and step.call}
    for place, step in enumerate(steps):
        if step.role == "call" and step.action == "run":
            result = results.get(step.call or "")
            if result is not None and result.failed is not None:
                yield _Run(place, step, result.failed, result.text)


def _error(output: str) -> str:
    for line in output.splitlines():
        if _PRINTED.search(line[:400]):
            return " ".join(line.split())
    return ""


def _again(failed: _Run, later: _Run) -> bool:
    """Whether it is the same command, and passes."""
    return not later.failed and _shapes(later.step.text) == _shapes(failed.step.text)


def _cause(text: str) -> str:
    """The sentence that states a cause, and the one after it."""
    match = _CAUSE.search(text)
    if match is None or _HEDGED.search(text[max(0, match.start() - 60) :][:240]):
        return ""
    start = max(text.rfind(mark, 0, match.start()) for mark in (". ", "\n")) + 1
    parts = re.split(r"(?<=[.!?])\s+|\n+", text[start:].strip())
    told = [part for part in parts[:2] if not part.endswith(":")]
    return " ".join(" ".join(told).replace("**", "").split())[:500]


def _is_own(shape: Sequence[str]) -> bool:
    """Whether two of its commands, all different, are this project's own."""
    own = [one for one in shape if not _UNIVERSAL.match(one)]
    return len(own) >= 2 and len(set(shape)) == len(shape)


def _within(shape: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return any(other[i : i + len(shape)] == shape for i in range(len(other)))


def _arrows(shapes: Sequence[str]) -> str:
    return " \u2192 ".join(f"`{one}`" for one in shapes)


def _worked(steps: Sequence[Step]) -> list[tuple[str, Step]]:
    found: list[tuple[str, Step]] = []
    for run in _runs(steps):
        if not run.failed:
            for shape in _shapes(run.step.text):
                if not found or found[-1][0] != shape:
                    found.append((shape, run.step))
    return found


def _shapes(command: str) -> list[str]:
    """The commands of a line without what changes from time to time."""
    shapes = []
    for part in re.split(r"\s*(?:&&|\|\||;|\n)\s*", command.partition("<<")[0]):
        plain = re.sub(r"\s*(?:\||\d?>).*$", "", part).strip()
        plain = re.sub(r"^(?:[A-Z_]+=\S+\s+)+", "", plain)
        if not plain or _LOOKING.match(plain):
            continue
        words = re.sub(r"(['\"]).*?(?:\1|$)", "\u2026", plain).split()[:6]
        kept = [
            word
            for word in words
            if not re.search(r"/.*/|\.\w{1,5}$|^[0-9a-f]{7,}$|\d{3,}", word)
        ]
        if len(" ".join(kept)) > 3:
            shapes.append(" ".join(kept))
    return shapes
