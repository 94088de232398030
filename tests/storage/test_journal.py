"""The journal says what will be, whole; what is no journal of ours is not obeyed."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Vault
from memcli.entries import layout
from memcli.errors import MemcliError, Unreadable
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
    journal.write(root, written, "m é", whole=True, move=move)
    whole, entries, message, read = journal.load(root)
    assert whole
    assert message == "m é"
    assert read == move
    assert entries.keys() == changes.keys()
    for path, (before, _) in changes.items():
        if before is not None:
            Path(root, path).parent.mkdir(parents=True, exist_ok=True)
            Path(root, path).write_bytes(before)
    done = journal.recover(root, lambda _: None)
    assert done.conflicts == []
    for path, (_, after) in changes.items():
        assert files.current(os.path.join(root, path)) == after
    journal.clear(root)
    journal.clear(root)
    assert not journal.exists(root)


@pytest.mark.parametrize(
    "text",
    [
        "{bad",
        "[]",
        "{}",
        '{"journal": 3, "message": "m", "files": {}}',
        '{"journal": 1, "whole": true, "message": "m", "files": {}}',
        '{"journal": 2, "message": "m", "files": {}}',
        '{"journal": 2, "whole": true, "message": "m", "files": []}',
        *(
            json.dumps(
                {"journal": 2, "whole": True, "message": "m", "files": {"a.md": item}}
            )
            for item in ({"before": 5, "after": 5}, {"before": None})
        ),
        json.dumps(
            {
                "journal": 2,
                "whole": True,
                "message": "m",
                "files": {"../../evil.md": {"before": None, "after": "x"}},
            }
        ),
        json.dumps(
            {
                "journal": 2,
                "whole": True,
                "message": "m",
                "files": {".git/config": {"before": None, "after": "x"}},
            }
        ),
    ],
)
def test_what_is_no_journal_of_ours_is_named_and_stops_no_reader(
    vault: Vault, tmp_path: Path, text: str
) -> None:
    vault.save(vault.draft({"text": "some words"}))
    path = state_of(vault.root, layout.JOURNAL)
    path.write_text(text, encoding="utf-8")
    told: list[str] = []
    reader = Vault(vault.root, Caller(tell=told.append))
    assert [row.text for row in reader.recall("words").rows] == ["some words"]
    assert "is not a journal" in told[0]
    with pytest.raises(Unreadable, match="is not a journal") as refusal:
        vault.save(vault.draft({"text": "more"}))
    assert "delete that file" in (refusal.value.hint or "")
    assert [finding.code for finding in lint(vault)] == ["journal"]
    assert not (tmp_path.parent / "evil.md").exists()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 40,
        b'{"journal": 2, "wh',
        b'{"journal": 2, "whole": false, "message": "save: x", "files": {"a.md"',
        b'{"journal": 2, "whole": false, "message": "save: x", "fi' + b"\0" * 40,
    ],
)
def test_a_note_that_a_power_cut_took_away_says_that_nothing_happened(
    vault: Vault, data: bytes
) -> None:
    """It is not synced: its name may be on the disk before its bytes are."""
    vault.save(vault.draft({"text": "some words"}))
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
    assert vault.save(vault.draft({"text": "more"})).outcome == "created"
    assert not path.exists()


def test_a_note_tells_what_has_happened_from_what_has_not(vault: Vault) -> None:
    root = Path(vault.root)
    (root / "done.md").write_bytes(b"new\n")
    (root / "old.md").write_bytes(b"old\n")
    (root / "theirs.md").write_bytes(b"edited since\n")
    changes = {
        "done.md": FileChange(None, b"new\n"),
        "old.md": FileChange(b"old\n", b"newer\n"),
        "theirs.md": FileChange(b"old\n", b"newer\n"),
    }
    journal.write(vault.root, changes, "save: three", whole=False)
    done = journal.recover(vault.root, lambda _: None)
    assert done == (["done.md"], ["theirs.md"], "save: three", None)
    assert (root / "old.md").read_bytes() == b"old\n"
    assert (root / "theirs.md").read_bytes() == b"edited since\n"


def test_a_note_that_names_a_path_outside_commits_nothing(vault: Vault) -> None:
    changes = {
        "../../evil.md": FileChange(None, b"x"),
        ".git/config": FileChange(None, b"x"),
    }
    journal.write(vault.root, changes, "m", whole=False)
    assert journal.recover(vault.root, lambda _: None).paths == []


def test_a_journal_on_a_disk_that_refuses_says_so(vault: Vault) -> None:
    state_of(vault.root, layout.JOURNAL).mkdir(parents=True)
    with pytest.raises(MemcliError):
        journal.write(vault.root, {"a.md": FileChange(None, b"x")}, "m", whole=True)


def test_a_note_is_not_written_through_a_link(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"mine")
    path = state_of(vault.root, layout.JOURNAL)
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(tmp_path / "mine")
    journal.write(vault.root, {"a.md": FileChange(None, b"x")}, "m", whole=False)
    assert (tmp_path / "mine").read_bytes() == b"mine"
