"""The last entries are found without reading all that an import wrote at once."""

import random

import pytest

from memcli import Vault
from memcli.search import last_written as module
from memcli.search.last_written import last_written
from tests.conftest import SEED


def test_those_of_one_second_come_by_their_ids(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(SEED)
    days = ["2026-01-01", "2026-01-02", "2026-01-02", "2026-01-03"]
    for number in range(60):
        name = f"1m7xvn68xtq{number:05}"
        head = f"id: {name}\ncreated: {draw.choice(days)}\n"
        path = f"{vault.root}/{draw.randrange(10**6):06}.md"
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"---\n{head}---\nNote {number}\n")
    reader = vault.index.reader()
    every = [*reader.everything()]
    created = reader.columns.created
    right = sorted(every, key=lambda d: (created[d], reader.row(d).id), reverse=True)
    monkeypatch.setattr(module, "_FEW", 0)
    for most in (0, 1, 5, 20, 45, 60, 99):
        assert last_written(reader, every, most) == right[:most], f"{SEED=}"
        some = draw.sample(every, 25)
        expected = [doc for doc in right if doc in some][:most]
        assert last_written(reader, some, most) == expected, f"{SEED=}"
