"""Proofs by the commands of a session: a fix, and a sequence worth repeating.

Invariant: pure. A fix is three things in this order: a command that failed, a change,
and the same command passing; and an error that the user met or that came three times,
since what an agent breaks and mends while it writes is not news. A workflow is made of
commands that are this project's own: everybody adds, commits, installs and tests.
"""

from __future__ import annotations

import re
from collections import Counter

from memcli.entries.entry import Confidence
from memcli.named_tuple import NamedTuple
from memcli.sessions.mining.candidate import Reading

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Final

    from memcli.hosts.transcript import Step

MEDIUM = Confidence.MEDIUM

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
# Words of a command that change from time to time: paths, files, hashes, numbers.
_CHANGING: Final = re.compile(r"/.*/|\.\w{1,5}$|^[0-9a-f]{7,}$|\d{3,}")
_OFTEN: Final = 3
# Of an exchange, the last so many runs are held against each other.
_MOST_RUNS: Final = 200
_LONGEST: Final = 4


class Exchange(NamedTuple):
    """A turn of a person, and what the agent said and did until the next one."""

    turn: Step | None
    steps: Sequence[Step]


class _Run(NamedTuple):
    """A line that was run: its commands, each without what changes from time to time
    and as it was typed, and how it ended."""

    place: int
    step: Step
    commands: list[tuple[str, str]]
    failed: bool
    error: str

    @property
    def shapes(self) -> list[str]:
        return [shape for shape, _ in self.commands]


def fix(exchange: Exchange, before: Sequence[Exchange]) -> tuple[Step, Reading] | None:
    """The fix that an exchange proves, with its error and its cause.

    Args:
        exchange: where it is looked for.
        before: the two exchanges before it, which may report the error.
    """
    runs = _runs(exchange.steps)[-_MOST_RUNS:]
    errors = Counter(run.error for run in runs if run.error)
    told = any(
        one.turn is not None and _TROUBLE.search(one.turn.text[:2_000])
        for one in (*before, exchange)
    )
    if not errors or not (told or max(errors.values()) >= _OFTEN):
        return None
    said = [(n, one) for n, one in enumerate(exchange.steps) if one.role == "assistant"]
    causes = [(n, one, words) for n, one in said if (words := _cause(one.text))]
    for failed in (run for run in runs if run.error):
        later = (run for run in runs if run.place > failed.place and not run.failed)
        end = next((run.place for run in later if run.shapes == failed.shapes), 0)
        between = exchange.steps[failed.place : end]
        changed = any(one.role == "call" and one.action == "edit" for one in between)
        for place, step, words in causes:
            if changed and failed.place < place < end:
                shape = " ".join(failed.step.text.split())[:120]
                files = {_short(o.text): 0 for o in between if o.action == "edit"}
                names = ", ".join(f"`{name}`" for name in list(files)[:3])
                text = (
                    f"{words}\n\nThe error was `{failed.error[:160]}`; "
                    f"`{shape}` passes since the change of {names}."
                )
                why = "a command that failed, a change, and the command passing"
                return step, Reading(MEDIUM, "proved-fix", why, text)
    return None


def workflows(exchanges: Sequence[Exchange]) -> Iterator[tuple[Step, Reading, int]]:
    """Sequences that worked in three exchanges, the longest of each: with the count."""
    seen: dict[tuple[str, ...], list[tuple[Step, str]]] = {}
    for exchange in exchanges:
        worked = [run for run in _runs(exchange.steps) if not run.failed]
        done = [(*one, run.step) for run in worked for one in run.commands]
        here: dict[tuple[str, ...], tuple[Step, str]] = {}
        for size in range(2, _LONGEST + 1):
            for start in range(len(done) - size + 1):
                part = done[start : start + size]
                words = " \u2192 ".join(f"`{typed}`" for _, typed, _ in part)
                here[tuple(shape for shape, _, _ in part)] = (part[-1][2], words)
        for shape, last in here.items():
            own = [one for one in shape if not _UNIVERSAL.match(one)]
            if len(own) >= 2 and len(set(shape)) == len(shape):
                seen.setdefault(shape, []).append(last)
    kept: list[tuple[str, ...]] = []
    for shape, met in sorted(seen.items(), key=lambda one: (-len(one[0]), one[0])):
        alike = any(len({*shape} & {*other}) > 1 for other in kept)
        if len(met) < _OFTEN or alike:
            continue
        kept.append(shape)
        why = f"the same commands in this order in {len(met)} turns, each time with success"
        step, words = met[-1]
        yield step, Reading(MEDIUM, "repeated-sequence", why, words), len(met)


def _runs(steps: Sequence[Step]) -> list[_Run]:
    results = {step.call: step for step in steps if step.role == "result" and step.call}
    found = []
    for place, step in enumerate(steps):
        result = results.get(step.call or "") if step.action == "run" else None
        if step.role == "call" and result is not None and result.failed is not None:
            lines = result.text.splitlines() if result.failed else []
            printed = (line for line in lines if _PRINTED.search(line[:400]))
            error = " ".join(next(printed, "").split())
            commands = _commands(step.text)
            found.append(_Run(place, step, commands, result.failed, error))
    return found


def _short(path: str) -> str:
    """The end of a path, which says enough and names no home."""
    return "/".join(path.replace("\\", "/").split("/")[-2:])


def _cause(text: str) -> str:
    """The sentence that states a cause, and the one after it."""
    match = _CAUSE.search(text)
    if match is None or _HEDGED.search(text[max(0, match.start() - 60) :][:240]):
        return ""
    start = max(text.rfind(mark, 0, match.start()) for mark in (". ", "\n")) + 1
    parts = re.split(r"(?<=[.!?])\s+|\n+", text[start:].strip())
    told = [part for part in parts[:2] if not part.endswith(":")]
    return " ".join(" ".join(told).replace("**", "").split())[:500]


def _commands(line: str) -> list[tuple[str, str]]:
    """The commands of a line, each without what changes and as it was typed."""
    found = []
    for part in re.split(r"\s*(?:&&|\|\||;|\n)\s*", line.partition("<<")[0]):
        typed = re.sub(r"\s*(?:\||\d?>).*$", "", part).strip()
        plain = re.sub(r"^(?:[A-Z_]+=\S+\s+)+", "", typed)
        if not plain or _LOOKING.match(plain):
            continue
        first, *words = re.sub(r"(['\"]).*?(?:\1|$)", "\u2026", plain).split()[:6]
        kept = (word for word in words if not _CHANGING.search(word))
        shape = " ".join([first.rpartition("/")[2], *kept])
        if len(shape) > 3:
            found.append((shape, typed[:200]))
    return found
