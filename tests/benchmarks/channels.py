"""What each channel of recall adds on LoCoMo: the same questions with it left out.

Twice: once with the turns as they are, where the speakers are the only entities; and
once with every name registered that `memcli entities waiting` proposes for them, as
a person would do who presses "yes" each time. Deterministic.

    python -m tests.benchmarks.channels --data FILE
"""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, NamedTuple

from tests.benchmarks import locomo, report, timing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcli import Vault
    from memcli.search.ranking.weights import Weights
    from memcli.search.reader import Reader

MULTI_HOP = 1


class Left(NamedTuple):
    """A row of the table: what was left out, and the weights that leave it out."""

    what: str
    weights: Weights


def rows() -> list[Left]:
    """Every way of asking, the default first."""
    from memcli.search.ranking.weights import Weights

    return [
        Left("nothing", Weights()),
        Left("neighbours in the session", Weights(after=(), before=())),
        Left("the session as a whole", Weights(session=0.0)),
        Left("feedback", Weights(feedback=0.0)),
        Left("entities that the question names", Weights(entity=0.0)),
        Left("graph", Weights(depth=0)),
        Left("graph, two hops instead of one", Weights(depth=2)),
        Left("that questions answer nothing", Weights(asks=0.0)),
        Left(
            "that an answer follows its question",
            Weights(after_question=1.0, reply=0.0),
        ),
        Left("the kind of answer that is asked for", Weights(answers=0.0)),
        Left("the window that the question names", Weights(temporal=0.0)),
        Left("recency", Weights(recency=0.0)),
        Left(
            "all but the words (`--no-graph`)",
            Weights(after=(), before=(), session=0.0, entity=0.0, depth=0),
        ),
    ]


def asked(
    vaults: list[tuple[locomo.Conversation, Vault]], weights: Weights
) -> dict[str, float]:
    """The means over all questions, asked with these weights."""
    from memcli.recall import recall
    from memcli.recall.query import Query, view_of

    view = view_of(2_000_000_000)
    found: list[tuple[int, set[str], list[str], int]] = []
    for conversation, vault in vaults:

        def answer(
            reader: Reader, conversation: locomo.Conversation = conversation
        ) -> None:
            for question in conversation.questions:
                query = Query(question.text, view, limit=locomo.ROWS_RETURNED)
                given = recall.look(reader, query, weights=weights)
                keys = [row.record or "" for row in given.rows]
                tied = sum("graph" in row.channels for row in given.rows)
                wanted = set(question.evidence)
                found.append((question.category, wanted, keys, tied))

        vault.read(answer)

    def share(cut: int, category: int | None = None) -> float:
        return mean(
            len(wanted & set(keys[:cut])) / len(wanted)
            for kind, wanted, keys, _ in found
            if category in (None, kind)
        )

    return {
        "R@5": share(5),
        "R@10": share(10),
        "multi-hop R@10": share(10, MULTI_HOP),
        "multi-hop all@5": mean(
            wanted <= set(keys[:5])
            for kind, wanted, keys, _ in found
            if kind == MULTI_HOP
        ),
        "rows by graph": mean(tied for *_, tied in found),
    }


@contextmanager
def vault_with_names(units: list[locomo.Unit]) -> Iterator[Vault]:
    """As `locomo.vault_of`, with every proposed name registered beforehand."""
    from memcli import Vault
    from memcli.curation.entities.waiting import candidates

    with tempfile.TemporaryDirectory() as scratch, locomo.vault_of(units) as plain:
        vault, lines = Path(scratch, "vault"), Path(scratch, "units.jsonl")
        with lines.open("w", encoding="utf-8") as file:
            for unit in units:
                file.write(json.dumps(unit.entry, ensure_ascii=False) + "\n")
        memcli = timing.memcli_command()
        names = [one.name for one in candidates(plain)[0]]
        env = timing.clean_env(scratch, MEMCLI_VAULT=str(vault))
        command = [*memcli, "init", str(vault)]
        timing.must(timing.run(command, env=env), command)
        folder = vault / "entities" / "unknown"
        folder.mkdir(parents=True)
        for place, name in enumerate(names):
            page = f"---\ntitle: {json.dumps(name, ensure_ascii=False)}\n---\n"
            (folder / f"name-{place}.md").write_text(page, encoding="utf-8")
        command = [*memcli, "import", str(lines)]
        timing.must(timing.run(command, env=env), command)
        report.talk(f"{len(names)} names registered")
        yield Vault.open(str(vault))


def main() -> None:
    """Print one table for the turns as they are, one with names registered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="LoCoMo's JSON file")
    arguments = parser.parse_args()
    conversations = locomo.read(arguments.data)
    for title, vault_of in (
        ("speakers alone are entities", locomo.vault_of),
        ("every proposed name registered", vault_with_names),
    ):
        with ExitStack() as stack:
            vaults = [
                (one, stack.enter_context(vault_of(locomo.turn_units(one))))
                for one in conversations
            ]
            report.show(f"\n### {title}\n")
            for place, left in enumerate(rows()):
                figures = asked(vaults, left.weights)
                if not place:
                    names = " | ".join(figures)
                    rule = "---:|" * len(figures)
                    report.show(f"| left out | {names} |\n|---|{rule}")
                cells = " | ".join(f"{value:.3f}" for value in figures.values())
                report.show(f"| {left.what} | {cells} |")


if __name__ == "__main__":
    main()
