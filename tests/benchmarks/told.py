"""Whether a decision reaches the session that would break it, and what it costs.

The decisions, tasks and edits of told.toml, in vaults of several sizes. A decision
comes into the vault in one of three ways: rules mined it; a judge gave it, a stub that
answers with every statement, so that only memcli's checks refuse one, and a real judge
finds less; or the agent saved it whole. Beside these is what an agent has without
memcli: a page with the title of each memory, of which its host loads the newest 200
lines as Claude Code does with MEMORY.md, and a grep, which is given the ten lines that
hold most words of the prompt. `reached` means that it was told, by title at least,
before the first write; `whole` that no word that matters is missing.

    python -m tests.benchmarks told [--sizes 30,200,1000,5000] [--half choose]
"""

from __future__ import annotations

import argparse
import json
import re
from typing import TYPE_CHECKING, NamedTuple

from memcli import Vault
from memcli.hosts.transcript import Session
from memcli.sessions import answers, digest, routing
from memcli.sessions.mining.candidate import title
from memcli.sessions.reflect_session import candidates
from memcli.vault import create
from tests.benchmarks import cases, report
from tests.benchmarks.actions import scratch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tests.benchmarks.cases import Beside, Decision, Sessions

SIZES = (30, 200, 1_000, 5_000)
_LOADED, _GREPPED = 200, 10


class Told(NamedTuple):
    """Of one way and one size: decisions that reached the session, and whole; the
    shares of ordinary prompts and edits that were told something; characters that a
    session costs."""

    reached: int
    whole: int
    prompts: float
    edits: float
    characters: float


def by_rules(decision: Decision, vault: Vault) -> tuple[str, str] | None:
    """The kind and the text that rules save of a decision: the best, if several."""
    routes = [
        routing.by_confidence(vault, candidate, {}, cases.PROJECT)
        for candidate in candidates(cases.session_of(decision)).candidates
    ]
    drafts = [route.draft for route in routes if route.action == "saved"]
    saved = [(draft.kind, draft.body.strip()) for draft in drafts if draft]
    return max(saved, key=lambda each: decision.kept(each[1]), default=None)


def by_judge(decision: Decision, _vault: Vault) -> tuple[str, str] | None:
    """The same of a judge that answers with the statement, cut as it is told to."""
    session = Session("told", "generic")
    turns = digest.turns_of(cases.session_of(decision))
    made = digest.compose(session, None, turns, [])
    said = {
        "turns": [turns[-1].number],
        "kind": "decision",
        "text": decision.said[: digest.LONGEST_TEXT],
        "why": "decided",
        "confidence": "HIGH",
    }
    kept, _ = answers.read(json.dumps(said).encode(), made)
    return (kept[0].kind or "", kept[0].text) if kept else None


def by_agent(decision: Decision, _vault: Vault) -> tuple[str, str] | None:
    """The same of an agent that saves what is decided."""
    return "decision", decision.said


WAYS = {
    "memcli, rules alone": by_rules,
    "memcli, an agent that saves": by_agent,
    "memcli, a judge": by_judge,
}


def of_memcli(
    sessions: Sessions, decisions: Sequence[Decision], beside: Beside
) -> Told:
    """Each task as one session: its start, its prompt and its write."""
    reached = whole = 0
    for one in decisions:
        rows: list[str] = []
        for event in cases.PLACES:
            found = sessions.at(event, one, f"told-{one.name}")
            rows += [found[id_] for id_ in [sessions.ids.get(one.name)] if id_ in found]
        reached += bool(rows)
        whole += max(map(one.kept, rows), default=0) == len(one.words)
    characters = sessions.characters / len(decisions)
    vain = cases.in_vain(sessions, beside)
    return Told(reached, whole, vain[cases.PROMPT], vain[cases.WRITE], characters)


def of_a_page(
    texts: Sequence[str], decisions: Sequence[Decision], beside: Beside
) -> Told:
    """A page of titles, and a grep over the memories with each prompt."""
    newest = texts[::-1]
    titles = [title(text) for text in newest[:_LOADED]]
    words = [_words(text) for text in newest]

    def grep(prompt: str) -> list[str]:
        asked = _words(prompt)
        shared = [(len(asked & held), place) for place, held in enumerate(words)]
        best = sorted((-count, place) for count, place in shared if count)[:_GREPPED]
        return [newest[place] for _, place in best]

    reached = whole = characters = 0
    for one in decisions:
        found = grep(one.task)
        place = newest.index(one.said)
        rows = [*titles[place : place + 1], *(row for row in found if row == one.said)]
        reached += bool(rows)
        whole += max(map(one.kept, rows), default=0) == len(one.words)
        characters += sum(map(len, [*titles, *found]))
    vain = sum(bool(grep(prompt)) for prompt in beside.prompts) / len(beside.prompts)
    return Told(reached, whole, vain, 0, characters / len(decisions))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{5,}", text.lower()))


def table(found: Mapping[str, Sequence[Told]], sizes: Sequence[int]) -> Iterator[str]:
    """The lines of the table, a column for each size."""
    head = ("", *(f"{size:,} memories" for size in sizes))
    yield f"| {' | '.join(head)} |"
    yield f"|---|{'---:|' * len(sizes)}"
    for measure, cell in (
        ("reached (whole)", lambda one: f"{one.reached} ({one.whole})"),
        ("told in vain, prompts", lambda one: f"{one.prompts:.0%}"),
        ("told in vain, edits", lambda one: f"{one.edits:.0%}"),
        ("characters a session", lambda one: f"{one.characters:,.0f}"),
    ):
        for way, figures in found.items():
            yield f"| {measure}: {way} | {' | '.join(map(cell, figures))} |"


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--half", choices=("choose", "report"), help="only these")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]
    decisions, beside = cases.read()
    # The other half lies beside all the same.
    asked = [one for one in decisions if arguments.half in (None, one.half)]
    found: dict[str, list[Told]] = {}
    before: dict[str, tuple[str, str]] = {}
    with scratch() as folder:
        create.prepare(str(folder / "empty"))
        empty = Vault(str(folder / "empty"))
        for number, (way, brought) in enumerate(WAYS.items()):
            texts = {one.name: brought(one, empty) for one in decisions}
            kept = {name: text for name, text in texts.items() if text}
            report.show(f"{way}: {len(kept)} of {len(decisions)} are in the vault")
            if kept == before:
                report.show("the same texts as those of the way before")
                continue
            before = kept
            place = folder / str(number)
            place.mkdir()
            for size in sizes:
                more = max(0, size - len(kept))
                sessions = cases.Sessions(place, decisions, beside, more, kept)
                found.setdefault(way, []).append(of_memcli(sessions, asked, beside))
                if brought is by_agent:
                    page = of_a_page(sessions.texts, asked, beside)
                    found.setdefault("a page of titles and grep", []).append(page)
    report.show("\n" + "\n".join(table(found, sizes)))
