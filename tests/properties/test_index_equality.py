"""An index shows no trace of its past: of updates, of their order, of damage."""

import contextlib
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli import Vault
from memcli.entries import layout
from memcli.recall.listing import Listed
from memcli.recall.query import from_words
from memcli.recall.results import Recalled
from memcli.storage.lock import Lock
from tests.conftest import state_of
from tests.saving import every, texts, write

NOW = 1_795_262_400
# Words that inflect, that stop, and that only an index keeps apart.
WORDS = ("deploy", "deployed", "friday", "parseArgs", "café", "东京都", "the", "queue")
QUESTIONS = (
    "deploying friday",
    "parse queue",
    "cafe",
    "京都 deploy",
    "when the friday",
    "deplyo on fridya",  # misspelled: what is read instead depends on the terms held
    "kafka rollout",  # near words of queue and deploy
)


def page(text: str, number: int | None = None, **fields: Any) -> str:
    """A file of memcli's own, or without a number a plain note."""
    if number is None:
        return text
    source = {k: fields.pop(k) for k in ("session", "seq") if k in fields}
    lines = [f"id: '{number:016d}'"]
    lines += [f"{name}: {value}" for name, value in fields.items()]
    if source:
        lines += ["source:", *(f"  {name}: {value}" for name, value in source.items())]
    return "---\n" + "\n".join(lines) + f"\n---\n{text}"


def folder_vault(root: Path) -> Vault:
    """A vault for reading alone: an index asks nothing of git."""
    (root / ".memcli").mkdir(parents=True, exist_ok=True)
    return Vault.open(str(root), now_ms=lambda: NOW * 1000)


def everything(vault: Vault) -> Listed:
    return every(vault, from_words("", NOW))


def answers(vault: Vault) -> list[Recalled | Listed]:
    """Full rows, with scores and their pieces, of ranked and unranked questions."""
    ranked = [vault.recall(text, explain=True, budget="high") for text in QUESTIONS]
    past: Any = {"history": True, "statuses": ["resolved", "expired"], "limit": 3}
    return [
        *ranked,
        vault.recall(from_words("deploy friday queue", NOW, explain=True, **past)),
        everything(vault),
    ]


# --- after any changes ----------------------------------------------------------

_NAMES = st.sampled_from(["a.md", "b.md", "n/a.md", "n/b.md", "n/c.md", "ü/d.md"])
_TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
_FIELDS = {
    "kind": ["note", "constraint", "fix"],
    "status": ["active", "resolved", "superseded"],
    "title": ["Friday rules", "Café"],
    "created": ["2026-11-20T10:00:00Z", "2025-01-02T03:04:05Z"],
    "occurred_at": ["2023", "2023-05", "2023-05-08", "2026-11-20T09:00:00Z"],
    "tags": ["[deploy]", "[x, queue]"],
    "entities": ["[Deploy Bot]", "[Friday]"],
    "expires_at": ["2026-01-01", "2027-01-01"],
    "pinned": ["true"],
    "session": ["s1", "s2"],
    "seq": ["0", "1", "2", "3"],
}


@st.composite
def _files(draw: st.DrawFn) -> str:
    text = draw(_TEXT) + draw(st.sampled_from(["", "\n", "?\n", " [[a]]\n"]))
    number = draw(st.none() | st.integers(0, 9))
    if number is None:
        return draw(st.sampled_from(["", "---\ntags: [x]\n---\n"])) + text
    chosen = draw(st.lists(st.sampled_from(sorted(_FIELDS)), unique=True))
    fields = {name: draw(st.sampled_from(_FIELDS[name])) for name in chosen}
    if draw(st.integers(0, 15)) == 0:
        fields["tags"] = "[broken"
    return page(text, number, **fields)


_CHANGES = st.one_of(
    st.tuples(st.just("write"), _NAMES, _files()),
    st.tuples(st.just("write"), _NAMES, _files()),
    st.tuples(st.sampled_from(["rename", "copy"]), _NAMES, _NAMES),
    st.tuples(st.just("delete"), _NAMES, st.just("")),
)


def _apply(root: Path, change: tuple[str, str, str]) -> None:
    verb, name, value = change
    if verb == "write":
        write(root, name, value)
        return
    with contextlib.suppress(FileNotFoundError, shutil.SameFileError):
        if verb == "delete":
            (root / name).unlink()
            return
        source, target = root / name, root / value
        target.parent.mkdir(exist_ok=True)
        if verb == "rename":
            source.replace(target)
        else:
            shutil.copyfile(source, target)


@settings(max_examples=12)
@given(
    steps=st.lists(st.lists(_CHANGES, min_size=1, max_size=3), min_size=1, max_size=10),
    reopened=st.booleans(),
)
def test_updated_index_answers_byte_for_byte_like_a_fresh_one(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[list[tuple[str, str, str]]],
    reopened: bool,
) -> None:
    root = tmp_path_factory.mktemp("vault")
    vault = folder_vault(root)
    told: list[str] = []
    for step in steps:
        for change in step:
            _apply(root, change)
        if reopened:
            vault = Vault.open(str(root), now_ms=lambda: NOW * 1000, tell=told.append)
        vault.recall("deploy")
    updated = answers(vault)
    shutil.rmtree(state_of(root, layout.INDEX))
    assert answers(folder_vault(root)) == updated
    assert told == [], "a change of files is no reason to rebuild"


# --- whenever the files changed ---------------------------------------------------


def test_recall_beside_a_busy_indexer_says_that_its_answer_is_older(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a.md", "A heron.\n")
    assert len(texts(folder_vault(tmp_path), "heron")) == 1
    write(tmp_path, "b.md", "A heron again.\n")
    later = folder_vault(tmp_path)
    monkeypatch.setattr(later.opened, "patience", 0.05)
    with Lock(str(state_of(tmp_path, layout.INDEX_LOCK)), 0):
        found = later.recall("heron")
    assert len(found.rows) == 1
    assert any("older answers" in warning for warning in found.warnings)
    again = later.recall("heron")
    assert len(again.rows) == 2
    assert again.warnings == []


# --- damage -----------------------------------------------------------------------


def _grown(root: Path) -> list[Recalled | Listed]:
    """Index six files in two updates; return the right answers."""
    for i in range(6):
        write(root, f"n/{i}.md", page(f"deploy {WORDS[i]}", i, session="s", seq=i))
        if i % 3 == 2:
            folder_vault(root).recall("deploy")
    return answers(folder_vault(root))


def test_index_of_another_version_is_rebuilt_and_that_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = _grown(tmp_path)
    monkeypatch.setattr("memcli.search.index.ANALYSIS_VERSION", 4711)
    told: list[str] = []
    later = Vault.open(str(tmp_path), now_ms=lambda: NOW * 1000, tell=told.append)
    assert answers(later) == right
    assert len(told) == 1


def test_a_link_to_two_files_of_one_id_means_the_same_one_in_any_order(
    vault: Vault,
) -> None:
    twin = "01aaaa0000000001"
    folder = Path(vault.root, "memories", "note")
    folder.mkdir(parents=True, exist_ok=True)

    def put(name: str, own: str, text: str) -> None:
        page = f'---\nid: {own}\ncreated: "2026-01-01T00:00:00Z"\n---\n{text}\n'
        (folder / f"{name}.md").write_text(page, encoding="utf-8")

    def rows() -> list[str]:
        found = Vault.open(vault.root).recall("quokka")
        return [row.path for row in found.rows]

    put("asks", "01aaaa0000000002", f"The quokka is [[{twin}]]")
    for number in range(8):
        put(f"filler{number}", f"01aaaa000000001{number}", "banana")
    put("b", twin, "wombat of b")
    rows()
    put("a", twin, "wombat of a")
    bit_by_bit = rows()
    shutil.rmtree(state_of(vault.root, layout.INDEX))
    assert rows() == bit_by_bit == ["memories/note/asks.md", "memories/note/a.md"]
