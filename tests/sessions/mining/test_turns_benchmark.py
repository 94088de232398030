"""The benchmark of turns counts what it says it counts."""

from typing import Any

from tests.benchmarks import turns


def turn(repo: str, text: str, *labels: tuple[str, str]) -> dict[str, Any]:
    named = [{"category": one, "confidence": level} for one, level in labels]
    return {"repo": repo, "session": repo, "text": text, "before": "", "labels": named}


def test_a_repository_is_in_one_fold_and_there_are_five_at_most():
    given = [turn(f"r{n}", "hello there", *[]) for n in range(7) for _ in range(n + 1)]
    dealt = turns.folds(turns.mined(given))
    assert sorted(repo for fold in dealt for repo in fold) == [
        f"r{n}" for n in range(7)
    ]
    assert len(dealt) == 5
    assert turns.folds(turns.mined(given[:3])) == [["r1"], ["r0"]]


def test_the_tables_of_turns_count_by_fold_label_category_and_rule():
    told = turns.mined(
        [
            turn("a", "Always run the tests before you push.", ("preference", "HIGH")),
            turn("b", "Never push to main.", ("decision", "MEDIUM"), ("idea", "LOW")),
            turn("b", "Never commit generated files."),
            turn("b", "we use a queue for that", ("fact", "MEDIUM")),
        ]
    )
    assert turns.by_fold(told)[2:] == [
        "| b | 3 | 2 | 1 | 0 | 0 | 2 | 1 |",
        "| a | 1 | 1 | 1 | 1 | 1 | 1 | 1 |",
    ]
    assert turns.confusion(told)[2:] == [
        "| HIGH | 1 | 0 | 0 | 0 |",
        "| MEDIUM | 1 | 0 | 0 | 1 |",
        "| LOW | 0 | 0 | 0 | 0 |",
        "| none | 1 | 0 | 0 | 0 |",
    ]
    assert turns.by_category(told)[2:] == [
        "| decision | 1 | 0 | 0 | 0 | 0 | 0 |",
        "| fact | 0 | 0 | 0 | 0 | 0 | 1 |",
        "| preference | 1 | 0 | 0 | 0 | 0 | 0 |",
    ]
    assert turns.by_rule(told)[2:] == ["| `standing` | HIGH | 3 | 2 | 2 |"]
