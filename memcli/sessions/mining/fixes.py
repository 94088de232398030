"""What went wrong, why, and what helped.

Invariant: pure. A fix is worth keeping when a person met the error, or when the agent
met it again and again: what an agent breaks and mends while it writes is not news.
The cause is taken from the words that state it, and the proof from the records: an
error before, a change after.
"""

import re
from collections.abc import Sequence
from typing import Final

from memcli.entries.entry import Confidence
from memcli.hosts.transcript import Step
from memcli.sessions.mining.candidate import Reading
from memcli.sessions.mining.pasted import is_machine
from memcli.sessions.mining.sentences import Sentence

MEDIUM, LOW = Confidence.MEDIUM, Confidence.LOW

_TROUBLE: Final = (
    r"\b(?:(?:get(?:ting)?|got|see(?:ing)?|throws?|hit(?:ting)?|with an?|this|following|have an?|there(?:'s| is| was) an?) (?:\w+ ){0,3}errors?\b(?! handling)|errors? out\b|fail(?:s|ed|ing|ure)?\b|broken\b|crash\w*|doesn['\u2019]?t work|not working|does not work|didn['\u2019]?t work|(?:a|the|this|some|was a) problem\b|exception\b|"
    r"stuck\b|hang(?:s|ing)\b|denied\b|no matching\b|unexpected(?:ly)?\b|bug\b|regression\b|(?:fix|debug) (?:this|my|the)\b|not found\b|wrong result|red\b)"
)
_PRINTED: Final = (
    r"error|fail|exception|fatal|panic|denied|traceback|not found|no match"
)
_CAUSE: Final = (
    r"\b(?:the|real|actual|underlying|main|root|whole|core)\s+(?:issue|problem|bug|root cause|cause|culprit|reason|error|failure|mistake)\b[^.\n:]{0,50}?(?:\s|\*)(?:is|was|were|comes from|came from|lies in|seems to be)\b"
    r"|\broot cause\b|\b(?:is|was|were|are|being) caused by\b|\bit turns out\b|\bthis (?:fails|failed|happens|happened|is failing|broke) because\b|\bwas (?:failing|broken) because\b"
    r"|\bfound (?:the (?:issue|problem|bug|cause|culprit))\b"
)
_REMEDY: Final = (
    r"(?i)\b(?:the fix\b|fix(?:ed)? (?:it )?by\b|(?:re)?solved (?:it )?by\b|i (?:changed|replaced|switched|added|removed|moved|updated|fixed|set)\b|workaround\b|(?:fix|solution)(?: is|:)|"
    r"now (?:works|passes)|(?:use|using) .{3,60} instead|need(?:s)? to (?:be )?\w+)"
)
_TOLD: Final = (
    r"\b(?:(?:bug|issue|problem|error|failure|crash|cause)\b.{0,60}\bwas\b.{0,20}\b(?:caused by|due to|because|that|had)\b|"
    r"(?:fixed|resolved|solved) (?:it |this |that )?by\b|workaround(?: is|:| was| for .{2,40}:)|so the (?:issue|problem|bug) was\b|turn(?:s|ed) out (?:to be|that|the|it|my|we)|"
    r"\b(?:it|that|this|ci|the (?:build|test|hook|pipeline)s?) (?:was |is )?(?:failing|failed|broken|broke|crashing|red) because\b|"
    r"\b(?:problem|issue|bug|cause|culprit) was (?:an?|the|my|our|that|with) .{3,80}?\b(?:fix(?:ed|es)|solv(?:ed|es)|help(?:ed|s)|works?|resolved)\b|"
    r"\bfound (?:it|the (?:issue|problem|bug))\b[,.:]? .{0,10}\bwas\b|\b(?:it|everything) (?:works|passes) (?:again |now )?(?:after|since) \w+ing\b|\b(?:after|by) \w+ing .{2,60}?\b(?:it|everything) (?:works|worked|passes|is fixed)\b)"
)
# The environment, not the code: what helped once helps the next time.
_SETTING: Final = (
    r"command not found|no module named|modulenotfounderror|not recognized as|unknown (?:option|flag|command|argument)|unrecognized (?:option|argument)|"
    r"permission denied|no such file or directory: '?\w+'?$|enoent.*spawn|cannot find module|externally-managed|eacces|address already in use|not a git repository"
)


# A report of trouble says so within so many characters.
_READ: Final = 8_000


def is_trouble(text: str) -> bool:
    """Whether a person reports that something went wrong."""
    lines = text[:_READ].splitlines()
    if any(is_machine(line) and re.search(_PRINTED, line, re.I) for line in lines):
        return True
    plain = re.sub(r"(?i)\b(?:linear|github|jira|new|an?|this) issue\b", "", text)
    return bool(re.search(_TROUBLE, plain[:2_000], re.I))


def told(sentence: Sentence, rest: str) -> Reading | None:
    """A fix that a person tells of: the cause, and what helped."""
    if sentence.plain.endswith("?") or not re.search(_TOLD, sentence.plain, re.I):
        return None
    words = sentence.text
    if rest and re.search(
        r"(?i)^(?:fixed|resolved|solved|so |the fix|workaround|now )", rest
    ):
        words = f"{words} {rest}"
    return Reading(
        MEDIUM, "told-fix", "a cause that the user states, after the fact", words
    )


def explained(
    steps: Sequence[Step], asked: bool, carried: bool
) -> tuple[Step, Reading] | None:
    """The best explanation of a failure among the agent's steps of one exchange.

    Args:
        steps: what the agent said and did after a turn.
        asked: whether that turn reports an error.
        carried: whether one of the two turns before did.
    """
    failed = [step for step in steps if step.role == "result" and step.failed]
    again = _recurring(failed)
    if not (asked or carried or again):
        return None
    best: tuple[int, Step, str] | None = None
    for place, step in enumerate(steps):
        if step.role != "assistant":
            continue
        match = re.search(_CAUSE, step.text, re.I)
        if match is None or _hedged(step.text, match):
            continue
        changes = any(
            later.role == "call" and later.action == "edit" for later in steps[place:]
        )
        remedy = bool(re.search(_REMEDY, step.text))
        if not changes and not (
            remedy and any(one.action == "edit" for one in steps[:place])
        ):
            continue
        weight = 2 * remedy + changes + ("root cause" in step.text.lower()) + asked
        if best is None or weight > best[0]:
            best = (weight, step, _essence(step.text, match))
    if best is None:
        return None
    _, step, words = best
    proof = (
        "an error that the user met" if asked or carried else "an error that came again"
    )
    confidence = MEDIUM if asked or again else LOW
    return step, Reading(
        confidence, "explained-fix", f"{proof}, its cause, and a change after it", words
    )


def workarounds(steps: Sequence[Step]) -> list[tuple[Step, Reading]]:
    """Commands that failed because of the environment, and what worked instead."""
    found = []
    results = {step.call: step for step in steps if step.role == "result" and step.call}
    calls = [step for step in steps if step.role == "call" and step.action == "run"]
    for place, call in enumerate(calls):
        result = results.get(call.call or "")
        if result is None or not result.failed:
            continue
        error = next(
            (
                line
                for line in result.text.splitlines()
                if re.search(_SETTING, line, re.I)
            ),
            None,
        )
        if error is None:
            continue
        for later in calls[place + 1 : place + 4]:
            done = results.get(later.call or "")
            if (
                done is None
                or done.failed is not False
                or not _alike(call.text, later.text)
            ):
                continue
            words = f"`{_one_line(call.text)}` fails here ({error.strip()[:120]}); `{_one_line(later.text)}` works."
            found.append(
                (
                    later,
                    Reading(
                        LOW,
                        "workaround",
                        "a command that failed, and the next like it that worked",
                        words,
                    ),
                )
            )
            break
    return found


def _recurring(failed: Sequence[Step]) -> bool:
    """Whether the same error came three times."""
    counts: dict[str, int] = {}
    for step in failed:
        line = next(
            (one for one in step.text.splitlines() if re.search(_PRINTED, one, re.I)),
            "",
        )
        sign = re.sub(r"[\d'\"`/\\.:\-]+", "", line.lower()).strip()[:80]
        if len(sign) > 12:
            counts[sign] = counts.get(sign, 0) + 1
    return max(counts.values(), default=0) >= 3


def _hedged(text: str, match: "re.Match[str]") -> bool:
    """Whether it is a guess or a question."""
    around = text[max(0, match.start() - 60) : match.end() + 120]
    return bool(
        re.search(
            r"(?i)\b(?:might|may|could|perhaps|possibly|probably|maybe|likely|let me (?:check|see)|not sure|if the)\b|\?",
            around,
        )
    )


def _essence(text: str, match: "re.Match[str]") -> str:
    """The sentence of the cause and the one or two after it."""
    parts = re.split(r"(?<=[.!?])\s+|\n{2,}", text)
    position = 0
    chosen: list[str] = []
    for part in parts:
        end = text.find(part, position) + len(part)
        position = end
        if end >= match.start() + 1 and len(chosen) < 3:
            if chosen and (
                part.rstrip().endswith(":")
                or part.startswith(("Let me", "Now ", "I'll ", "```"))
            ):
                break
            chosen.append(part.strip())
    plain = " ".join(chosen).replace("**", "")
    return " ".join(plain.split())[:600]


def _alike(first: str, second: str) -> bool:
    """Whether two command lines want the same: they share most of their words."""
    one, two = re.findall(r"[\w./-]+", first), re.findall(r"[\w./-]+", second)
    if not one or not two or one == two or abs(len(one) - len(two)) > 6:
        return False
    # `python` and `python3`, or the same program: another program did something else.
    if one[0] != two[0] and not (one[0] in two[0] or two[0] in one[0]):
        return False
    return len(set(one) & set(two)) >= 0.5 * min(len(set(one)), len(set(two)))


def _one_line(command: str) -> str:
    return " ".join(command.split())[:120]
