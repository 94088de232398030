"""However sessions are cut, ordered and repeated, the same is kept.

Sessions are made of a small grammar of turns. What holds in any case: nothing is there
twice, a repetition writes nothing, and the claims of the whole are there. Which
confidence an inference has and which words stand for a claim depends on what came
first (docs/use/lifecycle.md), so that is not compared across orders.
"""

import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli import Vault
from memcli.entries import layout
from memcli.entries.identity import claim
from memcli.hosts.transcript import Step
from memcli.sessions.mining import mine
from memcli.vault.caller import Caller
from tests.conftest import EVERYTHING, NOW, state_of
from tests.saving import taught

SAID = (
    "Always run the linter before committing.",
    "always run the linter before committing",
    "Never push to the main branch. Always use tabs in makefiles.",
    "No, that's wrong. You should have used uv instead of pip.",
    "The bug was caused by a stale cache. Fixed by deleting .cache/",
    "remember also you have LSP tool access",
    "we should also add a --json flag later; this could be its own project",
    "Use pip instead of uv in the scripts",
    "hello",
)
ANSWERS = ("You're right, let me fix that.", "Good.")

Turns = list[tuple[str, str]]
turns = st.lists(st.tuples(st.sampled_from(SAID), st.sampled_from(ANSWERS)), max_size=7)


def steps(said: Sequence[tuple[str, str]]) -> list[Step]:
    found = []
    for number, (text, answer) in enumerate(said):
        found.append(Step("user", text, 2 * number + 1, f"u{number}"))
        found.append(Step("assistant", answer, 2 * number + 2, f"a{number}"))
    return found


def opened(ready: Path, folder: Path) -> Vault:
    root = folder / "vault"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(ready, root)
    shutil.rmtree(state_of(root, layout.SESSIONS).parent)  # of the vault before
    return Vault(str(root), Caller(now_ms=lambda: NOW * 1000))


def bring(vault: Vault, name: str, said: Sequence[tuple[str, str]]) -> str | None:
    return taught(vault, name, steps(said)).commit


def rows(vault: Vault) -> list[tuple[str, str, str]]:
    """(claim, status, kind) of every entry."""
    found = vault.read(lambda reader: [*map(reader.row, reader.everything())])
    return sorted(
        (
            claim(row.text),
            str(row.status),
            str(row.kind),
        )
        for row in found
    )


def claims(vault: Vault) -> set[str]:
    return {one for one, _, _ in rows(vault)}


@settings(
    max_examples=100 if EVERYTHING else 8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(said=turns, cut=st.integers(0, 7))
def test_a_session_in_two_parts_is_the_session(
    ready_vault: Path, tmp_path: Path, said: Turns, cut: int
) -> None:
    vault = opened(ready_vault, tmp_path)
    bring(vault, "s", said)
    whole = rows(vault)
    assert bring(vault, "s", said) is None
    vault = opened(ready_vault, tmp_path)
    bring(vault, "s", said[:cut])
    early = rows(vault)
    bring(vault, "s", said)
    parts = rows(vault)
    assert bring(vault, "s", said) is None
    assert rows(vault) == parts
    # What was mined early stays, be it to wait; nothing is there twice or missing.
    assert not Counter(map(unsure, early)) - Counter(map(unsure, parts))
    assert max(Counter(one for one, _, _ in parts).values(), default=1) == 1
    if same_from_the_start(said, cut):
        assert parts == whole
    assert {one for one, _, _ in whole} <= {one for one, _, _ in parts}


def unsure(row: tuple[str, str, str]) -> tuple[str, str]:
    """A row as it is when it no longer counts whether it waits."""
    said, status, _ = row
    return said, "" if status in ("active", "pending") else status


def same_from_the_start(said: Turns, cut: int) -> bool:
    """Whether the part gives of its turns what the whole gives of them."""
    part = mine(steps(said[:cut])).candidates
    whole = [one for one in mine(steps(said)).candidates if one.line <= 2 * cut]
    return [(one.text, one.confidence) for one in part] == [
        (one.text, one.confidence) for one in whole
    ]


@pytest.mark.slow
@settings(
    max_examples=100 if EVERYTHING else 8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(one=turns, other=turns, again=st.lists(st.sampled_from("ab"), max_size=4))
def test_two_sessions_in_any_order_and_again_keep_the_same_claims(
    ready_vault: Path, tmp_path: Path, one: Turns, other: Turns, again: list[str]
) -> None:
    said = {"a": one, "b": other}
    found = []
    for order in ("ab", "ba"):
        vault = opened(ready_vault, tmp_path)
        for name in order:
            bring(vault, name, said[name])
        before = rows(vault)
        assert [bring(vault, name, said[name]) for name in again] == [None] * len(again)
        assert rows(vault) == before
        assert max(Counter(key for key, _, _ in before).values(), default=1) == 1
        found.append(claims(vault))
    assert found[0] == found[1]
