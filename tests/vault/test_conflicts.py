"""A text in which git left a conflict is not told as knowledge by any way."""

from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries.eligibility import View
from memcli.entries.text import conflict
from memcli.sessions.briefing import compose
from memcli.vault.health.inspect import inspect
from memcli.vault.health.lint import lint

BOTH = (
    "Deploys\n<<<<<<< HEAD\nrun on Mondays\n=======\nrun on Fridays\n>>>>>>> theirs\n"
)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (BOTH, 8),
        (BOTH.replace("\n", "\r\n"), 9),
        (BOTH.replace("<<<<<<<", " <<<<<<<"), -1),
        ("Title\n=======\nnothing else", -1),
        ("<<<<<<< HEAD\nno end", -1),
        ("", -1),
    ],
)
def test_a_conflict_is_all_three_marks_at_the_start_of_lines(
    text: str, place: int
) -> None:
    assert conflict.begins(text) == place


def test_no_way_of_asking_shows_it_and_lint_and_inspect_name_it(vault: Vault) -> None:
    saved = vault.save(vault.draft({"text": "Deploys run on Mondays", "pinned": True}))
    path = Path(vault.root, saved.path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("Deploys run on Mondays\n", BOTH), encoding="utf-8")

    assert vault.recall("deploys on Mondays").rows == []
    assert vault.reflect("when do deploys run?").facts == []
    reader = vault.reader()
    (doc,) = reader.exact("id", saved.id)
    assert reader.verdict(doc, View(0, as_of=2**40)) is not None
    assert compose.at_start(vault, View(vault.now_ms() // 1000)).items == []

    seen = inspect(vault, saved.id)
    assert seen.reason == "a merge conflict stands in it"
    (problem,) = seen.problems
    assert path.read_text(encoding="utf-8").splitlines()[problem.line - 1] == (
        "<<<<<<< HEAD"
    )
    (found,) = [each for each in lint(vault) if each.code == "conflict"]
    assert (found.path, found.level) == (saved.path, "error")

    path.write_text(text, encoding="utf-8")
    assert [row.id for row in vault.recall("deploys on Mondays").rows] == [saved.id]


def test_a_save_of_such_a_text_says_that_nothing_shows_it(vault: Vault) -> None:
    saved = vault.save(vault.draft({"text": BOTH}))
    assert any("a merge conflict stands in it" in note for note in saved.notes)
