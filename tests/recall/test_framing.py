"""A question is about what stands behind its frame."""

import pytest

from memcli import Vault
from memcli.recall.question import unframed


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("What do we know about the ledger?", "the ledger?"),
        ("what did you remember of Ann", "Ann"),
        ("do you remember anything about Ann?", "Ann?"),
        ("Tell me everything you know about the carrier", "the carrier"),
        ("everything we know about the carrier", "the carrier"),
        ("What is known about Redis", "Redis"),
        ("What should I know before I change the mail?", "before I change the mail?"),
        ("What kind of cache do we run?", "cache do we run?"),
        ("Which other types of keys expire?", "keys expire?"),
        ("Is this kind of key safe?", "Is this kind of key safe?"),
        ("Who knows Redis?", "Who knows Redis?"),
        ("What do we have", "What do we have"),
        ("what do we know about", "what do we know about"),
        ("Everything hangs", "Everything hangs"),
        ("How do we have fun on Fridays?", "How do we have fun on Fridays?"),
        ("", ""),
    ],
)
def test_the_frame_of_a_question_is_left_out(question: str, about: str) -> None:
    assert unframed(question).strip() == about


def test_words_of_the_frame_find_nothing(vault: Vault) -> None:
    vault.save(vault.draft({"text": "Redis holds the queue, because ops knows Redis"}))
    mine = vault.save(vault.draft({"text": "The ledger is dumped at three"})).id
    found = vault.reflect("what do we know about the ledger?")
    assert [row.id for row in found.facts] == [mine]
    assert vault.reflect("what do we know about llamas?").facts == []
    assert vault.reflect("what do we know about llamas?").missing_terms == ["llamas"]
