"""What the lint keeps of each file says the same as reading the file again."""

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.entries.eligibility import View, standing
from memcli.storage import files, state_dirs
from memcli.vault.health import kept_findings
from memcli.vault.health import lint as linting
from memcli.vault.health.finding import Finding
from memcli.vault.health.inspect import brief
from memcli.vault.health.lint import lint
from memcli.vault.health.overview import overview
from tests.conftest import SEED

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
    lambda _: "item: invariant\nkey: 'invariant:other words'",
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


def kept_file(vault: Vault) -> str:
    folder = state_dirs.path(vault.root, layout.INDEX)
    return os.path.join(folder, layout.FINDINGS)


def fresh(vault: Vault) -> list[Finding]:
    """The findings of reading every file."""
    Path(kept_file(vault)).unlink(missing_ok=True)
    return lint(vault)


@pytest.fixture
def old(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """A vault whose files count as old enough to be kept at once."""
    monkeypatch.setattr(kept_findings, "_RACY_NS", 0)
    vault.recall("anything")
    return vault


def test_findings_are_those_of_reading_every_file(old: Vault) -> None:
    draw = random.Random(SEED)
    for _ in range(12):
        scramble(old, draw, draw.randrange(1, 25))
        old.recall("anything")
        kept = lint(old)
        assert kept == lint(old) == fresh(old), f"MEMCLI_SEED={SEED}"


def test_a_file_that_has_not_changed_is_not_read(
    old: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    scramble(old, random.Random(7), 30)
    before = lint(old)
    seen: list[str] = []
    monkeypatch.setattr(linting, "_read", lambda _, path, __: seen.append(path))
    assert lint(old) == before
    assert seen == []


def test_a_young_file_is_read_again(vault: Vault) -> None:
    vault.recall("anything")
    Path(vault.root, "a.md").write_text("---\nid: [\n---\n")
    lint(vault)
    assert b"a.md" not in files.read(kept_file(vault))


def test_another_kind_in_the_config_is_another_finding(old: Vault) -> None:
    Path(old.root, "a.md").write_text(f"---\nid: {IDS[0]}\nkind: rune\n---\nx\n")
    assert "unknown_kind" in {found.code for found in lint(old)}
    Path(old.root, layout.CONFIG).write_text('[vault]\nkinds = ["rune"]\n')
    assert "unknown_kind" not in {found.code for found in lint(old)}


@pytest.mark.parametrize("damage", [b"", b"junk", b"memcli cache 1\n\0\0\0\0{}\n"])
def test_damage_is_as_if_nothing_were_kept(old: Vault, damage: bytes) -> None:
    scramble(old, random.Random(3), 20)
    before = lint(old)
    Path(kept_file(old)).write_bytes(damage)
    assert lint(old) == before


def test_an_update_of_the_index_keeps_it_and_forget_removes_it(old: Vault) -> None:
    saved = old.save(old.draft({"text": "See [[nowhere]], a word to forget"}))
    old.recall("anything")
    lint(old)
    old.save(old.draft({"text": "Another"}))
    old.recall("anything")
    assert b"word to forget" in files.read(kept_file(old))
    old.forget(saved.id)
    left = Path(kept_file(old))
    assert not left.exists() or b"word to forget" not in left.read_bytes()


def test_the_overview_counts_as_every_row_does(old: Vault) -> None:
    draw = random.Random(SEED)
    view = View(old.now_ms() // 1000)
    for _ in range(6):
        scramble(old, draw, 25)
        found = overview(old)
        reader = old.reader()
        rows = [
            reader.row(doc)._replace(status=str(standing(reader.facts(doc), view)))
            for doc in reader.everything()
        ]
        rows.sort(key=lambda row: (row.created, row.id), reverse=True)
        assert found.by_kind == Counter(row.kind for row in rows)
        assert found.by_status == Counter(row.status for row in rows)
        assert found.pinned == [brief(row) for row in rows if row.pinned]
        active = [brief(row) for row in rows if row.status == "active"]
        assert found.newest == active[:5]
        waiting = sum(row.status == "pending" for row in rows)
        assert found.inbox.waiting == waiting


def test_without_the_folder_of_the_index_nothing_is_kept(old: Vault) -> None:
    before = lint(old)
    shutil.rmtree(state_dirs.path(old.root, layout.INDEX))
    assert lint(old) == before
