"""A judge that knows all brings all; one that talks noise brings nothing wrong.

The benchmark `judge` measures the same on labelled turns; these are made here.
"""

from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from tests.benchmarks import judge
from tests.benchmarks.judge import Talk

SAID = (
    (
        ("preference", "HIGH", "always rebuild the checkout index before a release"),
        ("correction", "HIGH", "no, invoices read their token from vault, not a file"),
        ("decision", "MEDIUM", "the ledger stays on postgres, sqlite locks with two"),
        ("idea", "HIGH", "some day the gateway could stream large exports"),
    ),
    (
        ("fact", "MEDIUM", "the dashboard of the mailer stands at grafana.example/m"),
        ("fix", "HIGH", "fixtures hung because of a stale socket, deleting it helped"),
        ("workflow", "MEDIUM", "to upgrade kafka first drain, then migrate brokers"),
    ),
    (
        ("preference", "HIGH", "never squash commits of translators"),
        ("decision", "HIGH", "we support python 3.11 until the autumn conference"),
    ),
)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """Three sessions of labelled turns."""
    found = []
    for number, labels in enumerate(SAID):
        for place, (category, confidence, span) in enumerate(labels):
            label = {"category": category, "confidence": confidence, "span": span}
            row: dict[str, Any] = {"repo": "acme/shop", "session": f"s{number}"}
            row |= {"before": "", "text": f"have a look at step {place}", "labels": []}
            found.append(row)
            said = f"hm, {span}\n\nSee below:\n{judge.INJECTED}"
            before = "I changed both files, as you said. Shall I go on?"
            found.append({**row, "text": said, "before": before, "labels": [label]})
    return found


@pytest.fixture
def talks(rows: list[dict[str, Any]], tmp_path: Path) -> list[Talk]:
    return judge.talks(rows, tmp_path)


def test_each_label_arrives_once_as_its_kind_and_from_its_session(
    vault: Vault, talks: list[Talk]
) -> None:
    found = judge.oracle(vault, talks)
    assert found == (sum(map(len, SAID)),) * 3


@pytest.mark.parametrize("name", judge.NOISE)
def test_noise_brings_nothing_that_its_session_does_not_say(
    vault: Vault, talks: list[Talk], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(judge, "NOISE", {name: judge.NOISE[name]})
    found = judge.noise(vault, talks[:3])[name]
    assert found.stored == found.right
    pages = Path(vault.root).rglob("*.md")
    assert not [page for page in pages if judge.PASSWORD in page.read_text("utf-8")]
