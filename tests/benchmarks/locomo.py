"""Evidence recall on LoCoMo: is what answers a question among the memories returned?

One vault per conversation, filled through `memcli import`: each turn one memory (or,
with `--unit session`, each whole session). Each question is one recall with default
flags through the public use case. Question categories: 1 multi-hop, 2 temporal, 3 open
domain, 4 single hop, 5 adversarial (the evidence is what the trick rests on). Questions
without a valid evidence id are left out and counted. Deterministic.

    python -m tests.benchmarks locomo --data FILE [--unit session] [--compare]

The data set (LoCoMo, CC BY-NC 4.0) is a list of objects with `sample_id`,
`conversation` and `qa`; it is read where it lies and never copied.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.benchmarks import fts5, report, timing
from tests.benchmarks.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from memcli import Vault

CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open domain",
    4: "single hop",
    5: "adversarial",
}
CUTS = (1, 5, 10, 20)
DEPTH = max(CUTS)
ROWS_RETURNED = 10
# English prose in the usual tokenizers; good enough to compare one run with another.
CHARACTERS_PER_TOKEN = 4
TURN_R10 = report.Target(0.84, at_least=True)
TURN_R5 = report.Target(0.76, at_least=True)
SESSION_ANY5 = report.Target(0.948, at_least=True)
EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


class Turn(NamedTuple):
    """One utterance: `key` is `D<session>:<turn>`, `text` what is stored of it."""

    key: str
    session: int
    seq: int
    speaker: str
    text: str


class Conversation(NamedTuple):
    """The turns of two people over many sessions, with the questions about them."""

    name: str
    turns: list[Turn]
    dates: dict[int, datetime]
    questions: list[Question]
    left_out: int


class Question(NamedTuple):
    """A question and the keys of the turns that hold its answer."""

    text: str
    category: int
    evidence: tuple[str, ...]


class Unit(NamedTuple):
    """What is stored as one memory."""

    key: str
    title: str
    text: str
    entry: dict[str, Any]


class Outcome(NamedTuple):
    """A question asked: the evidence, what came back in order, and its cost."""

    category: int
    evidence: tuple[str, ...]
    found: tuple[str, ...]
    characters: int
    cpu: float
    wall: float


def read(path: str) -> list[Conversation]:
    """Read a LoCoMo file.

    Raises:
        SystemExit: The file does not look like LoCoMo's JSON.
    """
    try:
        samples = json.loads(Path(path).read_text(encoding="utf-8"))
        return [_conversation(place, sample) for place, sample in enumerate(samples)]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise SystemExit(f"{path} is no LoCoMo file: {error!r}") from error


def _conversation(place: int, sample: dict[str, Any]) -> Conversation:
    told = sample["conversation"]
    turns: list[Turn] = []
    dates: dict[int, datetime] = {}
    numbers = sorted(
        int(found[1]) for key in told if (found := re.fullmatch(r"session_(\d+)", key))
    )
    for number in numbers:
        # Local time without a zone; stored as if it were UTC, like every zoneless date.
        dates[number] = datetime.strptime(  # noqa: DTZ007
            told[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y"
        )
        for seq, turn in enumerate(told[f"session_{number}"], 1):
            text = f"{turn['speaker']}: {turn['text']}"
            if turn.get("blip_caption"):
                text += f" [shares a photo: {turn['blip_caption']}]"
            turns.append(Turn(turn["dia_id"], number, seq, turn["speaker"], text))
    known = {turn.key for turn in turns}
    questions = []
    for asked in sample["qa"]:
        ids = evidence_ids(asked.get("evidence") or [])
        valid = tuple(key for key in ids if key in known)
        if valid:
            questions.append(Question(asked["question"], asked["category"], valid))
    name = sample.get("sample_id", f"conversation-{place + 1}")
    left_out = len(sample["qa"]) - len(questions)
    return Conversation(name, turns, dates, questions, left_out)


def evidence_ids(given: Iterable[str]) -> list[str]:
    """Return the different turn ids in LoCoMo's evidence, which is not always clean.

    >>> evidence_ids(["D8:6; D9:17", "D:11:26", "D30:05", "D"])
    ['D8:6', 'D9:17', 'D11:26', 'D30:5']
    """
    found = EVIDENCE.findall(" ".join(given))
    return list(dict.fromkeys(f"D{int(one)}:{int(two)}" for one, two in found))


def turn_units(conversation: Conversation) -> list[Unit]:
    """Return each turn as one memory."""
    return [
        Unit(
            turn.key,
            "",
            turn.text,
            {
                "text": turn.text,
                "entities": [turn.speaker],
                "occurred_at": _utc(conversation.dates[turn.session]),
                "source": {
                    "session": f"{conversation.name}/session_{turn.session}",
                    "seq": turn.seq,
                    "record": turn.key,
                },
            },
        )
        for turn in conversation.turns
    ]


def session_units(conversation: Conversation) -> list[Unit]:
    """Return each session as one memory, titled with its number and day."""
    units = []
    for number, date in conversation.dates.items():
        turns = [turn for turn in conversation.turns if turn.session == number]
        if not turns:
            continue
        speakers = sorted({turn.speaker for turn in turns})
        title = f"Session {number}, {date.day} {date:%B %Y}"
        text = "\n".join(turn.text for turn in turns) + "\n"
        key = f"session_{number}"
        source = {"session": f"{conversation.name}/{key}", "record": key}
        entry = {
            "text": text,
            "title": title,
            "entities": speakers,
            "occurred_at": _utc(date),
            "source": source,
        }
        units.append(Unit(key, title, text, entry))
    return units


def _utc(date: datetime) -> str:
    return date.strftime("%Y-%m-%dT%H:%M:%SZ")


def session_evidence(evidence: Iterable[str]) -> tuple[str, ...]:
    """Return the sessions that hold the turns."""
    sessions = (f"session_{key[1:].split(':')[0]}" for key in evidence)
    return tuple(dict.fromkeys(sessions))


@contextmanager
def vault_of(units: Sequence[Unit]) -> Iterator[Vault]:
    """Store the units in a vault of their own and open it; gone at the end."""
    from memcli import Vault

    with tempfile.TemporaryDirectory() as scratch:
        vault = Path(scratch, "vault")
        lines = Path(scratch, "units.jsonl")
        with lines.open("w", encoding="utf-8") as file:
            for unit in units:
                file.write(json.dumps(unit.entry, ensure_ascii=False) + "\n")
        env = timing.clean_env(scratch, MEMCLI_VAULT=str(vault))
        memcli = timing.memcli_command()
        for command in ([*memcli, "init", str(vault)], [*memcli, "import", str(lines)]):
            timing.must(timing.run(command, env=env), command)
        stored = sum(1 for _ in (vault / "memories").rglob("*.md"))
        if stored != len(units):
            report.talk(f"{len(units) - stored} of {len(units)} were duplicates")
        yield Vault.open(str(vault))


def ask_memcli(units: Sequence[Unit], questions: Sequence[Question]) -> list[Outcome]:
    """Store the units in a vault of their own and ask each question by one recall."""
    with vault_of(units) as opened:

        def search(question: str) -> list[tuple[str, int]]:
            answer = opened.recall(question, limit=DEPTH)
            return [(row.record or "", len(row.text)) for row in answer.rows]

        return _ask(search, questions)


def ask_fts5(
    units: Sequence[Unit], questions: Sequence[Question], *, stop_words: bool
) -> list[Outcome]:
    """Ask SQLite FTS5 the same questions of the same titles and texts.

    Args:
        units: What is stored.
        questions: What is asked.
        stop_words: Whether stop and question words are part of the query.
    """
    dropped = frozenset() if stop_words else frozenset(FUNCTION_WORDS)
    with tempfile.TemporaryDirectory() as scratch:
        table = fts5.Fts5(str(Path(scratch, "fts5.sqlite")))
        table.add((unit.title, unit.text) for unit in units)

        def search(question: str) -> list[tuple[str, int]]:
            words = [word for word in fts5.words(question) if word not in dropped]
            rows = table.search(words, DEPTH)
            return [(units[row - 1].key, len(units[row - 1].text)) for row in rows]

        outcomes = _ask(search, questions)
        table.close()
        return outcomes


def _ask(
    search: Callable[[str], list[tuple[str, int]]], questions: Sequence[Question]
) -> list[Outcome]:
    # One search outside the clock: the first pays for the index and the imports.
    if questions:
        search(questions[0].text)
    outcomes = []
    for question in questions:
        cpu, wall = timing.cpu_seconds(), time.perf_counter()
        rows = search(question.text)
        cpu, wall = timing.cpu_seconds() - cpu, time.perf_counter() - wall
        outcomes.append(
            Outcome(
                question.category,
                question.evidence,
                tuple(key for key, _ in rows),
                sum(length for _, length in rows[:ROWS_RETURNED]),
                cpu,
                wall,
            )
        )
    return outcomes


def scores(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return the means over the questions, keyed as the table's columns are."""
    shares: dict[str, list[float]] = {f"R@{cut}": [] for cut in CUTS}
    shares |= {"any@5": [], "all@5": [], "MRR": []}
    for outcome in outcomes:
        wanted = set(outcome.evidence)
        for cut in CUTS:
            hits = len(wanted & set(outcome.found[:cut]))
            shares[f"R@{cut}"].append(hits / len(wanted))
        hits = len(wanted & set(outcome.found[:5]))
        shares["any@5"].append(float(hits > 0))
        shares["all@5"].append(float(hits == len(wanted)))
        places = (i for i, key in enumerate(outcome.found, 1) if key in wanted)
        shares["MRR"].append(1 / next(places, float("inf")))
    figures = {name: mean(values) for name, values in shares.items()}
    figures["characters"] = mean(outcome.characters for outcome in outcomes)
    figures["tokens"] = figures["characters"] / CHARACTERS_PER_TOKEN
    figures["empty"] = mean(not outcome.found for outcome in outcomes)
    figures["ms"] = median(outcome.wall for outcome in outcomes) * 1000
    figures["ms_cpu"] = median(outcome.cpu for outcome in outcomes) * 1000
    return figures


def table(outcomes: Sequence[Outcome]) -> tuple[list[str], dict[str, dict[str, float]]]:
    """Return the Markdown rows per category and over all, and the same as values."""
    names = [*(f"R@{cut}" for cut in CUTS), "any@5", "all@5", "MRR"]
    lines = [
        f"| questions | n | {' | '.join(names)} | empty | tokens in 10 rows | ms |",
        "|---|---:|" + "---:|" * (len(names) + 3),
    ]
    values: dict[str, dict[str, float]] = {}
    groups: list[tuple[str, list[Outcome]]] = [
        (f"{number} {name}", [o for o in outcomes if o.category == number])
        for number, name in CATEGORIES.items()
    ]
    groups.append(("1–4", [o for o in outcomes if o.category != 5]))
    groups.append(("**all**", list(outcomes)))
    for group, chosen in groups:
        if not chosen:
            continue
        figures = scores(chosen)
        values[group.strip("*")] = {"n": float(len(chosen)), **figures}
        cells = [f"{figures[name]:.3f}" for name in names]
        lines.append(
            f"| {group} | {len(chosen)} | {' | '.join(cells)} | {figures['empty']:.3f} "
            f"| {figures['tokens']:.0f} | {figures['ms']:.1f} |"
        )
    return lines, values


def main() -> None:
    """Run every conversation and print one table per method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="LoCoMo's JSON file")
    parser.add_argument("--unit", choices=("turn", "session"), default="turn")
    parser.add_argument("--compare", action="store_true", help="SQLite FTS5 as well")
    parser.add_argument("--only", help="only the conversation of this name")
    parser.add_argument("--json", help="write the figures to this file as well")
    arguments = parser.parse_args()
    conversations = [
        one for one in read(arguments.data) if arguments.only in (None, one.name)
    ]
    turns = arguments.unit == "turn"
    methods = ["memcli"]
    if arguments.compare:
        methods += ["FTS5 porter, OR", "FTS5 porter, OR, no stop words"]
    outcomes: dict[str, list[Outcome]] = {method: [] for method in methods}
    stored = 0
    for one in conversations:
        report.talk(f"{one.name}: {len(one.questions)} questions")
        units = turn_units(one) if turns else session_units(one)
        stored += len(units)
        questions = one.questions
        if not turns:
            questions = [
                asked._replace(evidence=session_evidence(asked.evidence))
                for asked in questions
            ]
        for method in methods:
            if method == "memcli":
                outcomes[method] += ask_memcli(units, questions)
            else:
                every_word = method.endswith("OR")
                outcomes[method] += ask_fts5(units, questions, stop_words=every_word)
    left_out = sum(one.left_out for one in conversations)
    asked = len(outcomes[methods[0]])
    report.show(
        f"## LoCoMo, {arguments.unit} by {arguments.unit}\n\n{report.machine()}\n\n"
        f"{len(conversations)} conversations, {stored:,} memories, {asked:,} "
        f"questions, {left_out} left out for want of valid evidence."
    )
    written: dict[str, dict[str, dict[str, float]]] = {}
    for method in methods:
        lines, written[method] = table(outcomes[method])
        report.show(f"\n### {method}\n\n" + "\n".join(lines))
    overall = written["memcli"]["all"]
    rows = (
        [
            report.Row("R@10, every turn a memory", "", overall["R@10"], "", TURN_R10),
            report.Row("R@5, every turn a memory", "", overall["R@5"], "", TURN_R5),
        ]
        if turns
        else [
            report.Row(
                "any@5, every session a memory", "", overall["any@5"], "", SESSION_ANY5
            )
        ]
    )
    report.show("\n".join(["", report.heading(), *map(report.line, rows)]))
    if arguments.json:
        summary = {
            "unit": arguments.unit,
            "memories": stored,
            "questions": asked,
            "left_out": left_out,
            "methods": written,
        }
        Path(arguments.json).write_text(
            json.dumps(summary, indent=2) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
