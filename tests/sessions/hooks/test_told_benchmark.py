"""The benchmark `told` says what was told, and its cases are what they claim to be."""

from collections import Counter
from pathlib import Path

from tests.benchmarks import told
from tests.benchmarks.told import HALVES, PROMPT, Beside, Sessions

DECISIONS, BESIDE = told.read()


def test_the_cases_are_halved_and_every_word_that_matters_was_said():
    halves = Counter(one.half for one in DECISIONS)
    assert halves == {"choose": 15, "report": 15}
    for one in DECISIONS:
        assert one.kept(one.said) == len(one.words) >= 5, one.name
        assert one.said not in one.task + one.text
    assert len(set(BESIDE.prompts)) == 200
    assert (len(set(BESIDE.memories)), len(BESIDE.edits)) == (150, 100)
    every = list(told.others(BESIDE, 1_000))
    assert len(set(every)) == 1_000
    assert every[:200] == list(told.others(BESIDE, 200))


def test_it_counts_what_is_told_and_what_is_told_for_nothing(tmp_path: Path):
    repeated = DECISIONS[0]._replace(task=DECISIONS[0].said)
    cases = [repeated, DECISIONS[1]._replace(task="Name a colour.", text="")]
    noise = [repeated.said, "Name a colour."]
    beside = Beside(BESIDE.frames, BESIDE.memories, noise, BESIDE.edits[:1])
    sessions = Sessions(tmp_path, cases, beside, 5)
    figures = told.measure(sessions, cases, beside)
    assert figures.cases[PROMPT, "choose"] == 1
    assert figures.cases[PROMPT, "report"] == 0
    assert figures.noise[PROMPT] == 0.5
    lines = list(told.table({5: figures}, HALVES))
    assert "| told at the prompt |  | 1 + 0 |" in lines
    assert "| prompts told for nothing | ≤ .08 | .500 |" in lines


def test_it_tells_what_rules_keep_of_a_decision():
    said = "Decision: we ship on Tuesdays. Nobody is paged on a Monday."
    one = DECISIONS[0]._replace(said=said, words=["Tuesdays", "nowhere"])
    assert told.mined(one) == ("HIGH", 1)
    assert told.mined(one._replace(said="Have a look at the log.")) == ("missed", 0)
