"""What projects do: what a prompt is told of another project, and what a recall finds.

With `--data FILE` (labelled turns of several repositories): a vault holds what people
said in all but one of them, each memory in its repository, unless its words say
everywhere. Every turn is a prompt in its own repository. It counts the prompts that are
told something, and those that are told something which was said in another repository;
what was said in the same session does not count, since the session knows it.

With `--locomo FILE`: all conversations in one vault, each a project. Each question is
asked in its own project and in the next one, for several factors of what holds
elsewhere.

    python -m tests.benchmarks.projects --data FILE [--told FILE]
    python -m tests.benchmarks.projects --locomo FILE
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.entries.eligibility import View
from memcli.entries.projects import number
from memcli.recall import recall
from memcli.recall.query import Query, checked
from memcli.search.ranking.weights import DEFAULTS
from memcli.sessions.briefing.prompt import for_prompt, question
from memcli.sessions.routing import says_everywhere
from tests.benchmarks import locomo, report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memcli import Vault

FACTORS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3)
JUDGED = Path(__file__).with_name("projects_judged.txt")
"""By hash of a prompt, whether a person found useful what it was told."""
_FIRST = (1, 5, 10)


class Turn(NamedTuple):
    """Something that a person typed, and what of it should be remembered."""

    repo: str
    session: str
    text: str
    spans: tuple[str, ...]


class Told(NamedTuple):
    """What a prompt was told: texts of its own repository, and of another one."""

    turn: Turn
    own: tuple[str, ...]
    foreign: tuple[str, ...]


def turns(path: str) -> list[Turn]:
    """The turns of a file, in its order."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        Turn(
            row["repo"],
            row["session"],
            row["text"],
            tuple(each["span"] for each in row["labels"] if each["category"] != "idea"),
        )
        for row in rows
    ]


def memories(
    said: Sequence[Turn], repos: Sequence[str], *, whole: bool, scoped: bool
) -> list[locomo.Unit]:
    """The memories of some repositories: what was labelled, or every turn."""
    units: list[locomo.Unit] = []
    for turn in said:
        if turn.repo not in repos:
            continue
        for span in (turn.text,) if whole else turn.spans:
            anywhere = says_everywhere(span, turn.text)
            entry = {
                "text": span,
                "project": f"github.com/{turn.repo}",
                # The place keeps the same words of two turns apart.
                "source": {
                    "session": turn.session,
                    "record": f"{turn.repo}/{len(units)}",
                },
            }
            if anywhere or not scoped:
                del entry["project"]
            units.append(locomo.Unit(str(len(units)), "", span, entry))
    return units


def told(vault: Vault, said: Sequence[Turn], *, scoped: bool) -> Iterator[Told]:
    """What the prompt hook tells each turn, in its repository."""
    for turn in said:
        here = number(f"github.com/{turn.repo.lower()}") if scoped else None
        view = View(vault.now_ms() // 1000, here=here)

        def own_session(reader: Any, session: str = turn.session) -> set[str]:
            return {reader.row(doc).id for doc in reader.of_session(session)}

        shown = vault.read(own_session)
        found = for_prompt(vault, question(turn.text), view, shown)
        own: list[str] = []
        foreign: list[str] = []
        for item, _ in found:
            entry = vault.get(item.id)
            repo = (entry.source.record or "").rpartition("/")[0]
            (own if repo == turn.repo else foreign).append(item.text)
        yield Told(turn, tuple(own), tuple(foreign))


def prompts(path: str, listed: str | None) -> None:
    """Print how many prompts are told something, and something of another project."""
    said = turns(path)
    largest = [repo for repo, _ in Counter(turn.repo for turn in said).most_common(3)]
    report.show(
        "\n| the vault holds | projects | prompts | told something | of another "
        "project |\n|---|---|---:|---:|---:|"
    )
    for whole in (False, True):
        for scoped in (False, True):
            units = memories(said, largest, whole=whole, scoped=scoped)
            with locomo.vault_of(units) as vault:
                answers = list(told(vault, said, scoped=scoped))
            some = [each for each in answers if each.own or each.foreign]
            wrong = [each for each in answers if each.foreign]
            what = f"{'every turn' if whole else 'what was labelled'} ({len(units):,})"
            report.show(
                f"| {what} | {'yes' if scoped else 'no'} | {len(answers):,} | "
                f"{len(some):,} | {len(wrong):,} ({len(wrong) / len(answers):.3f}) |"
            )
            if scoped and not whole:
                judged = _judged(some)
                if listed:
                    _list(some, listed)
    report.show(
        f"\nOf {len(judged)} that were judged by hand, {sum(judged)} were told "
        "something useful."
    )


def _judged(answers: Sequence[Told]) -> list[bool]:
    """Whether what a prompt was told is useful, for those that were judged by hand."""
    rows = (line.split() for line in JUDGED.read_text(encoding="utf-8").splitlines())
    verdicts = {mark: verdict == "useful" for mark, verdict in rows}
    marks = []
    for each in answers:
        repo, session, text, _ = each.turn
        words = f"{repo}\0{session}\0{text}".encode()
        marks.append(hashlib.sha256(words).hexdigest()[:16])
    return [verdicts[mark] for mark in marks if mark in verdicts]


def _list(answers: Sequence[Told], path: str) -> None:
    """Write the prompts that were told something, to be judged by hand."""
    with Path(path).open("w", encoding="utf-8") as file:
        for each in answers:
            file.write(json.dumps({**each.turn._asdict(), "told": each.own}) + "\n")


def factors(path: str) -> None:
    """Print what recall finds for several factors of what holds elsewhere."""
    conversations = locomo.read(path)
    names = [f"talks/{place}" for place, _ in enumerate(conversations)]
    units = []
    for name, conversation in zip(names, conversations, strict=True):
        for unit in locomo.turn_units(conversation):
            record = f"{name}/{unit.entry['source']['record']}"
            source = {
                **unit.entry["source"],
                "session": f"{name}/{unit.entry['source'].get('session')}",
                "record": record,
            }
            units.append(
                unit._replace(entry={**unit.entry, "project": name, "source": source})
            )
    report.show(
        "\n| factor | "
        + " | ".join(f"here R@{k}" for k in _FIRST)
        + " | "
        + " | ".join(f"elsewhere R@{k}" for k in _FIRST)
        + " |\n|---:|"
        + "---:|" * (2 * len(_FIRST))
    )
    with locomo.vault_of(units) as vault:
        for factor in FACTORS:
            cells = []
            for step in (0, 1):
                found: list[list[float]] = []
                for place, conversation in enumerate(conversations):
                    here = names[(place + step) % len(names)]
                    for question in conversation.questions[::2]:
                        wanted = {f"{names[place]}/{key}" for key in question.evidence}
                        if wanted:
                            found.append(
                                _shares(vault, question.text, here, wanted, factor)
                            )
                cells += [f"{mean(column):.3f}" for column in zip(*found, strict=True)]
            mark = "**" if factor == DEFAULTS.elsewhere else ""
            report.show(f"| {mark}{factor}{mark} | {' | '.join(cells)} |")


def _shares(
    vault: Vault, text: str, here: str, wanted: set[str], factor: float
) -> list[float]:
    view = View(vault.now_ms() // 1000)
    query = checked(Query(text, view, limit=max(_FIRST), here=here), vault)
    weights = recall.weights_of(query)._replace(elsewhere=factor)
    answer = vault.read(lambda reader: recall.look(reader, query, weights=weights))
    records = [row.record for row in answer.rows]
    return [len(wanted.intersection(records[:k])) / len(wanted) for k in _FIRST]


def main() -> None:
    """Print the tables for the files that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="labelled turns, one JSON object a line")
    parser.add_argument("--told", help="write what is told there, to be judged")
    parser.add_argument("--locomo", help="LoCoMo's JSON file")
    arguments = parser.parse_args()
    if not (arguments.data or arguments.locomo):
        raise SystemExit("name a file: --data FILE or --locomo FILE")
    if arguments.data:
        prompts(arguments.data, arguments.told)
    if arguments.locomo:
        factors(arguments.locomo)


if __name__ == "__main__":
    main()
