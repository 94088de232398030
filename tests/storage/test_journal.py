"""The journal says what will be, whole; what is no journal of ours is not obeyed."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Vault
from memcli.entries import layout
from memcli.errors import Unreadable
from memcli.storage import files, journal
from memcli.storage.git.merging import Move
from memcli.storage.journal import FileChange
from memcli.vault.caller import Caller
from memcli.vault.health.lint import lint
from tests.conftest import state_of
from tests.git_command import git

bytes_or_none = st.none() | st.binary(max_size=40)


@given(
    st.dictionaries(
        st.sampled_from(["a.md", "b/c d.md", "ü/\u4e2d.md"]),
        st.tuples(bytes_or_none, bytes_or_none),
        min_size=1,
    )
)
def test_every_byte_comes_back(
    tmp_path_factory: pytest.TempPathFactory,
    changes: dict[str, tuple[bytes | None, bytes | None]],
) -> None:
    root = str(tmp_path_factory.mktemp("journal"))
    written = {path: FileChange(*two) for path, two in changes.items()}
    move = Move("main", "1" * 40, "2" * 40) if len(changes) % 2 else None
    journal.write(root, written, "m é", move)
    entries, message, read = journal.load(root)
    assert message == "m é"
    assert read == move
    assert entries.keys() == changes.keys()
    for path, (before, _) in changes.items():
        if before is not None:
            Path(root, path).parent.mkdir(parents=True, exist_ok=True)
            Path(root, path).write_bytes(before)
    _, conflicts = journal.put_rest(root, journal.load(root))
    assert conflicts == []
    for path, (_, after) in changes.items():
        assert files.current(os.path.join(root, path)) == after
    journal.clear(root)
    journal.clear(root)
    assert not journal.exists(root)


def _journal(files: object, **more: object) -> str:
    return json.dumps({"journal": 3, "message": "m", "files": files, **more})


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        '{"journal": 4, "message": "m", "files": {}}',
        '{"journal": 2, "whole": true, "message": "m", "files": {}}',
        '{"journal": 3, "files": {}}',
        _journal([]),
        _journal({"a.md": {"before": 5, "after": 5}}),
        _journal({"a.md": {"before": None}}),
        _journal({}, move=["main"]),
        _journal({"../../evil.md": {"before": None, "after": "x"}}),
        _journal({".git/config": {"before": None, "after": "x"}}),
    ],
)
def test_what_is_no_journal_of_ours_is_named_and_stops_no_reader(
    vault: Vault, tmp_path: Path, text: str
) -> None:
    vault.save("some words")
    path = state_of(vault.root, layout.JOURNAL)
    path.write_text(text, encoding="utf-8")
    told: list[str] = []
    reader = Vault(vault.root, Caller(tell=told.append))
    assert [row.text for row in reader.recall("words").rows] == ["some words"]
    assert "is not a journal" in told[0]
    with pytest.raises(Unreadable, match="is not a journal") as refusal:
        vault.save("more")
    assert "delete that file" in (refusal.value.hint or "")
    assert [finding.code for finding in lint(vault)] == ["journal"]
    assert not (tmp_path.parent / "evil.md").exists()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 40,
        b'{"journal": 3, "message": "save: x", "fi' + b"\0" * 40,
    ],
)
def test_a_journal_that_a_power_cut_took_away_says_that_nothing_happened(
    vault: Vault, data: bytes
) -> None:
    """That of one file is not synced: its name may be there before its bytes."""
    vault.save("some words")
    commits = git(vault, "rev-list", "--count", "HEAD")
    path = state_of(vault.root, layout.JOURNAL)
    path.write_bytes(data)
    assert [finding.code for finding in lint(vault)] == []
    told: list[str] = []
    reader = Vault(vault.root, Caller(tell=told.append))
    assert [row.text for row in reader.recall("words").rows] == ["some words"]
    assert (told, path.exists()) == ([], False)
    assert git(vault, "rev-list", "--count", "HEAD") == commits
    path.write_bytes(data)
    assert vault.save("more").outcome == "created"
    assert not path.exists()


@pytest.mark.parametrize("end", ["", " has not happened", " is left to the next sync"])
def test_what_was_begun_is_finished_and_an_edit_before_the_first_file_stops_it(
    vault: Vault, end: str
) -> None:
    root, begun = Path(vault.root), "happened" not in end
    move = Move("main", "1" * 40, "2" * 40) if "sync" in end else None
    (root / "done.md").write_bytes(b"new\n" if begun else b"older\n")
    (root / "old.md").write_bytes(b"old\n")
    (root / "theirs.md").write_bytes(b"edited since\n")
    changes = {
        "done.md": FileChange(b"older\n", b"new\n"),
        "old.md": FileChange(b"old\n", b"newer\n"),
        "theirs.md": FileChange(b"old\n", b"newer\n"),
    }
    journal.write(vault.root, changes, "save: three", move)
    told: list[str] = []
    Vault(vault.root, Caller(tell=told.append)).recall("anything")
    assert told == [
        f"{'' if end else 'finishing '}what a killed command began{end}: save: three",
        "  theirs.md was edited meanwhile and is left as it is",
    ]
    now = {path: (root / path).read_bytes() for path in changes}
    assert now == {
        "done.md": b"new\n" if begun else b"older\n",
        "old.md": b"newer\n" if not end else b"old\n",
        "theirs.md": b"edited since\n",
    }
    listed = git(vault, "show", "--name-only", "--format=%s", "HEAD").split("\n")
    assert (listed[0] == "save: three") == (not end)
    assert not journal.exists(vault.root)
