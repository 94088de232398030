"""What the scorer promises: learned from use, tested on other questions, and small."""

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Vault
from memcli.entries import layout
from memcli.recall import scorer
from memcli.recall.scorer import Scorer
from memcli.vault import signals
from memcli.vault.health import log as summary
from tests.conftest import VaultMaker, sample, state_of
from tests.saving import save

Features = Mapping[str, float]


def world(
    seed: int,
    questions: int,
    worth: Callable[[Features], float],
    *,
    eta: float = 1.0,
    shown_by: Scorer | None = None,
) -> list[Any]:
    """A log in which a row is used by its worth, and looked at by its place."""
    draw = random.Random(seed)
    events: list[dict[str, Any]] = []
    for number in range(questions):
        rows: list[tuple[float, dict[str, float]]] = []
        for _ in range(10):
            writer = "hook" if draw.random() < 0.3 else "skill"
            parts = {
                "lexical": draw.uniform(2, 6),
                "session": draw.uniform(0, 2),
                "recency": draw.uniform(0.9, 1.1),
            }
            score = (parts["lexical"] + parts["session"]) * parts["recency"]
            seen = signals.features(parts, writer)
            if shown_by is not None:
                seen["scorer"] = shown_by.adjust(seen)
                score *= seen["scorer"]
            rows.append((score, seen))
        rows.sort(key=lambda row: -row[0])
        chances = [worth(seen) * rank**-eta for rank, (_, seen) in enumerate(rows, 1)]
        (used,) = draw.choices(range(10), chances)
        events.append(recall(f"q{number}", f"r{number}", rows))
        events.append(feedback(f"r{number}", f"e{used}"))
    return events


_LINE = {"v": 1, "at": 1}


def recall(
    question: str, name: str, rows: list[tuple[float, dict[str, float]]]
) -> dict[str, Any]:
    shown = [
        {"id": f"e{i}", "rank": i + 1, "score": score, "channels": [], "features": seen}
        for i, (score, seen) in enumerate(rows)
    ]
    about = {"event": "recall", "recall": name, "question": question, "via": "recall"}
    return {**_LINE, **about, "agent": None, "hit": True, "rows": shown}


def feedback(name: str | None, entry: str, useful: bool = True) -> dict[str, Any]:
    about = {"event": "feedback", "recall": name, "id": entry, "useful": useful}
    return {**_LINE, **about, "by": "user"}


def learned(weights: dict[str, float], offset: float = 0.0) -> Scorer:
    return Scorer(True, "", 1, 1, weights=weights, offset=offset)


def learn(events: list[Any]) -> Scorer:
    return scorer.train(summary.training_pairs(events))


def by_writer(seen: Features) -> float:
    return 4 if "writer:skill" in seen else 1


def nothing(_: Features) -> float:
    return 1


FOUR = [(4.0, {"lexical": 4.0}), (3.0, {}), (2.0, {}), (1.0, {})]


def named(events: list[Any]) -> list[tuple[str, str]]:
    return [
        (p["better"]["id"], p["worse"]["id"]) for p in summary.training_pairs(events)
    ]


# --- pairs ------------------------------------------------------------------------


def test_a_useful_row_is_held_against_every_other_above_and_below() -> None:
    events: list[Any] = [
        recall("q", "r", FOUR),
        feedback("r", "e1"),
        feedback("r", "e3"),
    ]
    assert named(events) == [("e1", "e0"), ("e1", "e2"), ("e3", "e0"), ("e3", "e2")]
    first = next(summary.training_pairs(events))
    best, second, *_ = events[0]["rows"]
    assert first == {"question": "q", "recall": "r", "better": second, "worse": best}


def test_the_last_word_on_a_row_counts_and_no_useful_row_makes_no_pair() -> None:
    shown = recall("q", "r", FOUR)
    taken_back = [shown, feedback("r", "e1"), feedback("r", "e1", False)]
    assert named(taken_back) == []
    assert named([shown, feedback("r", "e0", False), feedback("r", "e9")]) == []
    assert len(named([*taken_back, feedback("r", "e1")])) == 3
    assert named([shown, feedback(None, "e1"), feedback("other", "e1")]) == []


# --- the factor -------------------------------------------------------------------

NUMBERS = st.floats(0, 50, allow_subnormal=False)
NAMES = st.sampled_from(["lexical", "graph", "recency", "writer:hook", "unheard"])
ROW = st.dictionaries(NAMES, NUMBERS)


@given(ROW, st.lists(st.floats(-100, 100), min_size=4, max_size=4))
def test_the_factor_is_small_and_unknown_features_are_zero(
    seen: dict[str, float], weights: list[float]
) -> None:
    names = ("lexical", "recency", "writer:hook", "writer:gone")
    model = learned(
        {name: 2 * weight for name, weight in zip(names, weights, strict=True)}
    )
    factor = model.adjust(seen)
    assert 0.9 <= factor <= 1.1
    assert model.adjust({**seen, "writer:new": 1.0}) == factor
    assert model.adjust({**seen, "scorer": 1.09}) == factor
    assert model.adjust(dict(reversed(seen.items()))) == factor


def test_the_factor_does_not_depend_on_how_high_the_scores_of_a_question_are() -> None:
    model = learned({"lexical": 4.0, "session": -8.0}, -2.0)
    small = model.adjust({"lexical": 1.0, "session": 3.0, "recency": 1.05})
    large = model.adjust({"lexical": 10.0, "session": 30.0, "recency": 1.05})
    assert small == large != 1


# --- training ---------------------------------------------------------------------


@pytest.mark.slow
def test_what_decides_is_learned_and_helps_where_it_was_not_trained() -> None:
    model = learn(world(1, 1_000, by_writer, eta=0.5))
    assert model.takes_part, model.reason
    held = model.held_out
    assert held is not None
    assert held["scorer"] > held["default"]
    assert held["p"] < 0.01
    assert model.weights["writer:skill"] > 2 * abs(model.weights["lexical"])
    hook, skill = ({"lexical": 4.0, f"writer:{one}": 1.0} for one in ("hook", "skill"))
    assert model.adjust(skill) > model.adjust(hook)


@pytest.mark.slow
@pytest.mark.parametrize("eta", [0.0, 1.0, 2.0])
def test_what_no_feature_decides_takes_no_part(eta: float) -> None:
    taken = [
        learn(world(seed, 300, nothing, eta=eta)).takes_part
        for seed in sample(range(20), 3)
    ]
    assert sum(taken) <= 1  # of a hundred one does, by luck


@pytest.mark.slow
@pytest.mark.parametrize("eta", [0.0, 1.0, 1.5])
def test_a_scorer_does_not_prove_itself_by_what_it_has_put_on_top(eta: float) -> None:
    old = learned({"writer:hook": -3.0}, -1.5)
    for seed in sample(range(5), 2):
        model = learn(world(seed, 400, nothing, eta=eta, shown_by=old))
        assert not model.takes_part, model.reason


def test_the_order_and_repetition_of_pairs_change_no_byte() -> None:
    pairs = list(summary.training_pairs(world(3, 100, by_writer)))
    once = json.dumps(scorer.train(pairs).as_dict())
    random.Random(5).shuffle(pairs)
    assert json.dumps(scorer.train(pairs + pairs[:50]).as_dict()) == once
    assert '"writer:skill": 1.' in once


def test_no_question_is_on_both_sides_and_a_third_is_held_out() -> None:
    share = sum(scorer.held_out(f"q{n}") for n in range(3_000)) / 3_000
    assert 0.30 < share < 0.37
    model = learn(world(4, 200, by_writer))
    held = model.held_out
    assert held is not None
    assert held["questions"] == sum(scorer.held_out(f"q{n}") for n in range(200))
    assert (model.pairs, held["pairs"]) == (1_800, 9 * held["questions"])


def test_too_few_pairs_or_questions_take_no_part_and_say_how_many() -> None:
    few = learn(world(1, 7, by_writer))
    assert (few.takes_part, few.reason) == (False, "7 questions of 60 needed")
    again = world(1, 60, by_writer)
    for one in again:
        one.update({"question": "q"} if one["event"] == "recall" else {})
    assert learn(again).reason == "1 question of 60 needed"
    assert learn([]).reason == "0 questions of 60 needed"


# --- in a vault -------------------------------------------------------------------

HOOKS_DOWN = learned({"writer:hook": -90.0}, -45.0)


def keep(vault: Vault, value: Any) -> None:
    path = Path(scorer.path_of(vault.root))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())


def two(vault: Vault) -> tuple[str, str]:
    """Entries that a question finds nearly equally, the first of a hook."""
    hook = save(vault, "deploy rollback plan too", source={"writer": "hook"})
    return hook, save(vault, "deploy rollback plan", source={"writer": "skill"})


def test_a_scorer_that_takes_part_orders_rows_and_says_so(vault: Vault) -> None:
    hook, skill = two(vault)
    before = vault.recall("deploy rollback", explain=True)
    assert [row.id for row in before.rows] == [hook, skill]
    keep(vault, HOOKS_DOWN.as_dict())
    after = vault.recall("deploy rollback", explain=True)
    assert [row.id for row in after.rows] == [skill, hook]
    factors = {row.id: (row.explain or {}).get("scorer") for row in after.rows}
    assert factors == {skill: 1.1, hook: 0.9}
    scores = {row.id: row.score for row in before.rows}
    assert after.rows[0].score == pytest.approx(1.1 * scores[skill], abs=1e-3)
    assert after.rows[0].channels == before.rows[1].channels
    keep(vault, HOOKS_DOWN._replace(takes_part=False).as_dict())
    assert vault.recall("deploy rollback", explain=True) == before


def broken(**fields: Any) -> dict[str, Any]:
    return {**HOOKS_DOWN.as_dict(), **fields}


BROKEN = [
    *(b"", b"{", b"\xff", b"[" * 100_000, b"5", b"[]", b"null", b"{}"),
    broken(schema=1),
    broken(weights=[]),
    *(broken(weights={"lexical": w}) for w in ("x", [1], float("nan"), 1e308, 10**400)),
    broken(pairs=None),
    broken(offset=10**400),
    broken(held_out=7),
]


def test_a_broken_file_is_a_warning_and_no_more(vault: Vault) -> None:
    two(vault)
    before = vault.recall("deploy rollback", explain=True)
    for value in BROKEN:
        keep(vault, value)
        after = vault.recall("deploy rollback", explain=True)
        assert after.rows == before.rows
        (warning,) = after.warnings
        assert str(state_of(vault.root, layout.SCORER)) in warning
        assert "signals --train" in warning


def test_of_several_vaults_the_first_one_s_counts_for_all(
    make_vault: VaultMaker,
) -> None:
    """Else the scores of two vaults would not compare."""
    from memcli import Vaults

    first, second = make_vault("first"), make_vault("second")
    hook, skill = two(first)
    other_hook, other_skill = two(second)
    keep(second, HOOKS_DOWN.as_dict())
    for roots, learned_of in (
        ((first.root, second.root), None),
        ((second.root, first.root), (0.9, 1.1)),
    ):
        rows = Vaults.open(*roots).recall("deploy rollback", explain=True).rows
        factors = {row.id: (row.explain or {}).get("scorer") for row in rows}
        for down, up in ((hook, skill), (other_hook, other_skill)):
            assert (factors[down], factors[up]) == (learned_of or (None, None))
