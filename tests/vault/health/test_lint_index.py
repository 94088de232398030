"""What the lint says by the index is what it says of the files."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.errors import WriteFailed
from memcli.search import document
from memcli.storage import files, state_dirs
from memcli.vault.health.lint import lint
from tests.conftest import SEED
from tests.saving import write

IDS = [f"1m7xvn68xtqp48{a}{b}" for a in "abcd" for b in "abcd"]
FIELDS: list[Callable[[random.Random], str]] = [
    lambda draw: f"kind: {draw.choice(['note', 'fix', 'rune', '[x]', 'event'])}",
    lambda draw: f"status: {draw.choice(['active', 'superseded', 'resolved', 'odd'])}",
    lambda draw: f"status: {draw.choice(['pending', 'rejected', 'done', 'expired'])}",
    lambda draw: f"supersedes: {draw.choice(IDS)}",
    lambda draw: f"superseded_by: {draw.choice(IDS)}",
    lambda _: "resolved_at: 2025-01-01T00:00:00Z",
    lambda draw: f"created: {draw.choice(['2024', '2026-05', '2025-01-01', 'soon'])}",
    lambda _: "updated: 2001-01-01T00:00:00Z",
    lambda _: "expires_at: 2002-01-01T00:00:00Z",
    lambda _: "review_after: 2025-01-01",
    lambda _: "type: extracted",
    lambda _: "visibility: private\nagent: helper",
    lambda _: "item: invariant",
    lambda _: "pinned: true\ntags: [a, 'b c', ü]",
    lambda _: "aliases: [Alias, 'Other: name']\nlinks: ['[[alias]]', '[[nowhere]]']",
    lambda _: "source: {session: s, seq: 3}\nentities: [Redis, redis]",
    lambda _: "kind: note\nkind: fix",
    lambda _: 'title: "two\\nlines"\ncolour: [blue, {deep: 1}]',
]
BODIES = [
    "See [[alias]], [[nowhere|x]] and `[[code]]`\n[m](a0.md) [n](gone.md)\n",
    "Rerank is broken\n",
    "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n",
    "password = 'hunter2hunter2XY9'\n",
    "\r\nRedis [x]\r\n",
    "",
    "# A heading\n\n[[1m7xvn68xtqp48aa]]\n",
]


def page(draw: random.Random) -> bytes:
    lines = [f"id: {draw.choice(IDS)}"] if draw.random() < 0.8 else []
    lines += [field(draw) for field in draw.sample(FIELDS, draw.randrange(5))]
    newline = draw.choice(["\n", "\n", "\r\n"])
    head = "\n".join(["---", *lines, "---"]) + "\n" if lines else ""
    data = (head + draw.choice(BODIES)).replace("\n", newline).encode()
    spoilt = [data, data, data, data, data[:30], b"\xff" + data, b"\xef\xbb\xbf" + data]
    return draw.choice(spoilt)


def scramble(vault: Vault, draw: random.Random, count: int) -> None:
    """Write, change and remove some files."""
    folders = ["", "memories/note", "inbox", "archive/memories/note", "models"]
    for _ in range(count):
        folder = Path(vault.root, draw.choice(folders))
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"a{draw.randrange(12)}.md"
        if draw.random() < 0.2:
            file.unlink(missing_ok=True)
        else:
            file.write_bytes(page(draw))


@pytest.fixture
def old(vault: Vault) -> Vault:
    vault.recall("anything")
    return vault


def test_findings_by_an_index_that_grew_are_those_by_one_built_at_once(
    old: Vault,
) -> None:
    draw = random.Random(SEED)
    for _ in range(5):
        scramble(old, draw, draw.randrange(1, 25))
        found = lint(old)
        shutil.rmtree(state_dirs.path(old.root, layout.INDEX))
        again = Vault.open(old.root, now_ms=old.now_ms)
        assert found == lint(again), f"MEMCLI_SEED={SEED}"


def test_an_index_that_cannot_be_written_is_a_finding_and_hides_no_other(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(vault, "inner/.git", "gitdir: /elsewhere\n")

    def refused(*_: object) -> None:
        raise WriteFailed("no space left")

    monkeypatch.setattr(vault, "read", refused)
    codes = [finding.code for finding in lint(vault)]
    assert codes == ["no_index", "nested_repository"]


def test_a_file_of_which_nothing_is_said_is_not_read(
    old: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = (f"id: {entry_id}\n" for entry_id in IDS[:2])
    Path(old.root, "plain.md").write_text(f"---\nid: {IDS[2]}\n---\nSee [[old]]\n")
    now = f"{b}supersedes: {IDS[0]}\n---\nIt is blue.\n"
    past = f"{a}status: superseded\nsuperseded_by: {IDS[1]}\n---\nIt is red.\n"
    Path(old.root, "new.md").write_text(f"---\n{now}")
    Path(old.root, "old.md").write_text(f"---\n{past}")
    # A young file is compared by its content.
    monkeypatch.setattr("memcli.search.following._RACY_NS", 0)
    old.recall("anything")
    seen: list[str] = []
    read = files.read

    def noted(path: str, **options: Any) -> bytes:
        seen.append(os.path.basename(path))
        return read(path, **options)

    monkeypatch.setattr(files, "read", noted)
    assert "dangling_link" not in {found.code for found in lint(old)}
    assert not seen_entries(seen)
    Path(old.root, "old.md").unlink()
    assert "dangling_lineage" in {found.code for found in lint(old)}
    assert seen_entries(seen) == ["new.md"]


def seen_entries(seen: list[str]) -> list[str]:
    return [name for name in seen if name in ("plain.md", "new.md", "old.md")]


def test_a_file_that_is_too_large_for_the_index_is_read_whole(old: Vault) -> None:
    write(old, "large.md", "a word " * 150_000 + "\npassword = 'hunter2hunter2XY9'\n")
    codes = {found.code for found in lint(old) if found.path == "large.md"}
    assert codes == {"large", "secret"}


def test_an_entry_of_more_words_than_are_searched_is_named(
    old: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document, "MOST_TERMS", 50)
    words = [str(number) for number in range(100, 155)]
    wide = old.draft({"text": " ".join(words), "tags": ["archived"]})
    saved, fewer = old.save_all([wide, old.draft({"text": " ".join(words[:50])})])
    named = {found.path: found for found in lint(old) if found.code == "large"}
    assert named.keys() == {saved.path}
    said = "55 different words; only the first 50 are searched"
    assert (named[saved.path].level, named[saved.path].message) == ("warning", said)
    for word, ids in (
        (words[49], {saved.id, fewer.id}),
        ("archived", {saved.id}),
        (words[50], set()),
    ):
        assert {row.id for row in old.recall(word).rows} == ids
