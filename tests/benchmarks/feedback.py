"""Does a scorer learned from use help where it was not trained? On LoCoMo's questions.

Every other conversation trains: each question is a recall of ten rows, and what holds
its answer is what its reader finds useful. A careful reader looks at every row, a hasty
one at the row of rank r with a chance of 1/r (drawn from the question, so that each run
draws the same). The others test: their questions with the scorer and without. Its
figures are given for what `memcli signals --train` decides, and for the scorer
put to use for every decision.

    python -m tests.benchmarks.feedback --data FILE
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memcli.recall import scorer_store, scorer_training
from memcli.vault.signals import event, summary
from tests.benchmarks import locomo, report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcli.recall.scorer import Scorer
    from tests.benchmarks.locomo import Conversation, Outcome

READERS = ("careful", "hasty")


def recalls(conversation: Conversation) -> list[tuple[set[str], dict[str, Any]]]:
    """(records that hold the answer, recall as the log has it) of each question."""
    found = []
    with locomo.vault_of(locomo.turn_units(conversation)) as vault:
        for asked in conversation.questions:
            answer = vault.recall(asked.text, limit=10, explain=True)
            rows = []
            for rank, row in enumerate(answer.rows, 1):
                parts = {k: v for k, v in (row.explain or {}).items() if k != "matched"}
                rows.append(
                    {
                        "id": row.record,
                        "rank": rank,
                        "score": row.score,
                        "features": event.features(parts, "import"),
                    }
                )
            name = f"{conversation.name}: {asked.text}"
            one = {"event": "recall", "recall": name, "question": name, "rows": rows}
            found.append((set(asked.evidence), one))
    return found


def log(
    found: list[tuple[set[str], dict[str, Any]]], reader: str
) -> Iterator[dict[str, Any]]:
    """The log that a reader would leave."""
    for evidence, one in found:
        yield one
        draw = random.Random(one["recall"])
        for row in one["rows"]:
            seen = reader == "careful" or draw.random() < 1 / row["rank"]
            if seen and row["id"] in evidence:
                name = one["recall"]
                yield {
                    "event": "feedback",
                    "recall": name,
                    "id": row["id"],
                    "useful": True,
                }


def asked(
    conversation: Conversation, scorers: dict[str, Scorer | None]
) -> dict[str, list[Outcome]]:
    """What each scorer brings for the questions of a conversation."""
    outcomes: dict[str, list[Outcome]] = {}
    with locomo.vault_of(locomo.turn_units(conversation)) as vault:

        def search(question: str) -> list[tuple[str, int]]:
            answer = vault.recall(question, limit=locomo.DEPTH)
            return [(row.record or "", len(row.text)) for row in answer.rows]

        path = Path(scorer_store.path_of(vault.root))
        path.parent.mkdir(parents=True, exist_ok=True)
        for name, model in scorers.items():
            path.unlink(missing_ok=True)
            if model is not None:
                kept = model._replace(takes_part=True).as_dict()
                path.write_text(json.dumps(kept), encoding="utf-8")
            outcomes[name] = locomo._ask(search, conversation.questions)
    return outcomes


def main() -> None:
    """Train on every other conversation, test on the rest, both ways round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="LoCoMo's JSON file")
    conversations = locomo.read(parser.parse_args().data)
    report.show(f"## A scorer learned from use\n\n{report.machine()}\n")
    report.show(
        "| trained on | reader | pairs | questions | held out: default | scorer | p "
        "| takes part | R@5 | R@10 | MRR | R@5, forced | R@10, forced | MRR, forced |\n"
        "|---|---|" + "---:|" * 5 + "---|" + "---:|" * 6
    )
    for first in (0, 1):
        training, testing = conversations[first::2], conversations[1 - first :: 2]
        found = [one for each in training for one in recalls(each)]
        models: dict[str, Scorer | None] = {"": None}
        models |= {
            reader: scorer_training.train(summary.pairs(log(found, reader)))
            for reader in READERS
        }
        outcomes: dict[str, list[Outcome]] = {name: [] for name in models}
        for each in testing:
            for name, some in asked(each, models).items():
                outcomes[name] += some
        before = locomo.scores(outcomes[""])
        for reader in READERS:
            model = models[reader]
            assert model is not None
            forced = locomo.scores(outcomes[reader])
            used = forced if model.takes_part else before
            held = model.held_out
            figures = (held.default, held.scorer, held.p) if held else (0.0, 0.0, 1.0)
            names = ("R@5", "R@10", "MRR")
            cells = [
                ", ".join(one.name for one in training),
                *(reader, f"{model.pairs:,}", f"{model.questions:,}"),
                *(f"{figure:.3g}" for figure in figures),
                "yes" if model.takes_part else "no",
                *(f"{used[n]:.4f} ({used[n] - before[n]:+.4f})" for n in names),
                *(f"{forced[n]:.4f} ({forced[n] - before[n]:+.4f})" for n in names),
            ]
            report.show("| " + " | ".join(cells) + " |")
            report.talk(f"{reader}: {model.reason}; place {model.position:+.2f}; ")
            weighed = zip(model.features, model.weights, strict=True)
            report.talk(", ".join(f"{name} {weight:+.2f}" for name, weight in weighed))


if __name__ == "__main__":
    main()
