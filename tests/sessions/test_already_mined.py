"""What a session has brought is not brought again, and what was forgotten stays so."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation import forget, inbox, review, undo
from memcli.entries import layout
from memcli.entries.entry import Status
from memcli.errors import Unreadable
from memcli.hosts.transcripts import open_transcript
from memcli.sessions import reflect_session, reports
from memcli.sessions.bringing import Reflected
from memcli.sessions.reflect_session import reflect_file
from memcli.vault import session_records
from memcli.vault.caller import Caller
from tests.conftest import state_of
from tests.hosts.writing import NOON, write
from tests.sessions.test_reflect_session import (
    ALWAYS,
    SEEDED,
    UNSURE,
    actions,
    commits,
    say,
    talk,
    texts,
)

Snapshot = Callable[[str], dict[str, str]]

TWO = "Always use tabs in makefiles. Always run the unit tests before pushing."


def records(vault: Vault) -> str:
    folder = state_of(vault.root, layout.SESSIONS)
    return "".join(path.read_text("utf-8") for path in sorted(folder.glob("*.json")))


def without_records(vault: Vault) -> None:
    for path in state_of(vault.root, layout.SESSIONS).iterdir():
        path.unlink()


def one_id(done: Reflected, pattern: str = "standing") -> str:
    (found,) = [fate.id for fate in done.fates if fate.candidate.pattern == pattern]
    return found or ""


def ids_of(done: Reflected) -> list[str]:
    return [fate.id or "" for fate in done.fates]


# --- forgotten ------------------------------------------------------------------


def test_the_words_of_what_was_forgotten_are_in_no_record_of_a_session(
    vault: Vault, tmp_path: Path
) -> None:
    words = "Always call the customer Zebedee in the reports."
    first = say(tmp_path, words, name="one")
    second = say(tmp_path, words, name="two")
    done = reflect_file(vault, first)
    assert actions(reflect_file(vault, second)) == {"standing": "seen"}
    assert records(vault).count("Zebedee") >= 4
    vault.forget(one_id(done))
    assert "zebedee" not in records(vault).lower()
    for path in (first, second):
        assert actions(reflect_file(vault, path)) == {"standing": "forgotten"}
        assert "zebedee" not in records(vault).lower()
    (one,) = reports.current(vault, reports.session(vault, "one"))
    assert (one["action"], one["title"], one["pattern"]) == (
        "forgotten",
        None,
        "standing",
    )


def test_an_idea_that_was_forgotten_leaves_the_record_too(
    vault: Vault, tmp_path: Path
) -> None:
    path = say(tmp_path, "we should also do the Zebedee export later")
    (fate,) = reflect_file(vault, path).fates
    assert "Zebedee" in records(vault)
    page = vault.stored(fate.path or "").entry
    forget.forget(vault, page.id)
    assert "zebedee" not in records(vault).lower()


# --- met again ------------------------------------------------------------------


def test_the_same_id_at_another_host_is_another_session(
    vault: Vault, tmp_path: Path
) -> None:
    def codex(text: str) -> str:
        head = {"id": "talk", "cwd": "/x", "cli_version": "1"}
        said = {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": text}],
        }
        return write(
            tmp_path / "rollout-1.jsonl",
            [
                {"timestamp": NOON, "type": "session_meta", "payload": head},
                {"timestamp": NOON, "type": "response_item", "payload": said},
            ],
        )

    plain = [{"role": "user", "text": "Always use tabs here", "session": "talk"}] * 2
    reflect_file(vault, write(tmp_path / "talk.jsonl", plain))
    path = codex("Always use spaces in python files")
    assert open_transcript(path).session.id == "talk"
    done = reflect_file(vault, path)
    assert [fate.candidate.record for fate in done.fates] == ["line-2"]
    assert actions(done) == {"standing": "saved"}


def test_the_record_keeps_what_became_of_a_candidate_the_first_time(
    vault: Vault, tmp_path: Path
) -> None:
    path = talk(tmp_path, SEEDED)
    reflect_file(vault, path)
    before = reports.session(vault, "talk").candidates
    reflect_file(vault, path)
    again = reports.session(vault, "talk").candidates
    kept = [one for one in again if one["category"] != "idea"]
    assert kept == [one for one in before if one["category"] != "idea"]
    assert {one["action"] for one in kept} == {"saved", "review"}


@pytest.mark.slow
def test_more_sessions_than_are_listed_as_evidence_are_each_counted_once(
    vault: Vault, tmp_path: Path, snapshot: Snapshot
) -> None:
    first = reflect_file(vault, say(tmp_path, ALWAYS, name="first"))
    paths = []
    for n in range(60):
        rows = [
            {
                "role": "user",
                "text": ALWAYS,
                "at": f"2026-11-21T12:{n:02}:00Z",
                "session": f"s{n}",
            }
        ]
        paths.append(write(tmp_path / f"s{n}.jsonl", rows))
        assert actions(reflect_file(vault, paths[-1])) == {"standing": "seen"}
    entry = vault.get(one_id(first))
    assert len(entry.seen) == len(entry.evidence) == 50
    without_records(vault)
    before = snapshot(vault.root)
    for path in reversed(paths):
        assert actions(reflect_file(vault, path)) == {"standing": "duplicate"}
    assert snapshot(vault.root) == before


def test_a_failure_does_not_lose_what_is_known_of_the_session(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    path = talk(tmp_path, SEEDED)
    done = reflect_file(vault, path)
    vault.forget(one_id(done))

    def broken(steps: object) -> None:
        raise Unreadable("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(reflect_session, "mine", broken)
        (failed,) = reflect_session.reflect_all(
            vault, [("generic", talk(tmp_path, [*SEEDED, ("user", "thanks")]))]
        )
    assert failed.outcome == "failed"
    record = reports.session(vault, "talk")
    assert (record.reflected, len(record.candidates)) == (False, len(done.fates))
    assert actions(reflect_file(vault, path))["standing"] == "forgotten"


def test_a_record_that_cannot_be_written_hides_neither_error_nor_success(
    vault: Vault, tmp_path: Path
) -> None:
    from memcli.errors import LockBusy
    from memcli.storage.lock import Lock

    told: list[str] = []
    path = say(tmp_path, ALWAYS)
    state_of(vault.root, layout.SESSIONS).write_text("in the way")
    loud = Vault(vault.root, Caller(now_ms=vault.now_ms, tell=told.append))
    config = Path(vault.root, ".memcli", "config.toml")
    config.write_text("[limits]\nlock_wait = 0.1\n", encoding="utf-8")
    with Lock(str(state_of(vault.root, layout.LOCK)), 0), pytest.raises(LockBusy):
        reflect_file(loud, path)
    assert actions(reflect_file(loud, path)) == {"standing": "saved"}
    assert [line.partition(":")[0] for line in told] == [
        "the record of session talk is not kept"
    ] * 2
    assert commits(vault)[0] == "reflect: talk"
    assert texts(vault) == {ALWAYS}


@pytest.mark.parametrize(
    "candidates", [["x"], [{"id": "a"}], [None], {"a": 1}, [{"id": ["x"]}]]
)
def test_a_record_with_strange_candidates_counts_as_none(
    vault: Vault, tmp_path: Path, candidates: object
) -> None:
    path = say(tmp_path, ALWAYS)
    reflect_file(vault, path)
    (file,) = state_of(vault.root, layout.SESSIONS).iterdir()
    document = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**document, "candidates": candidates}), "utf-8")
    assert session_records.every(vault.root) == []
    assert actions(reflect_file(vault, path)) == {"standing": "duplicate"}


def test_a_commit_that_was_reverted_is_not_made_again(
    vault: Vault, tmp_path: Path
) -> None:
    path = say(tmp_path, ALWAYS)
    reflect_file(vault, path)
    subprocess.run(
        ["git", "-C", vault.root, "revert", "--no-edit", "HEAD"],
        check=True,
        capture_output=True,
    )
    assert actions(reflect_file(vault, path)) == {"standing": "forgotten"}
    assert texts(vault, Status.ACTIVE) == set()


@pytest.mark.parametrize(
    ("then", "outcome"),
    [(None, "seen"), ("resolve", "recurred"), ("undo", "seen")],
)
def test_a_candidate_that_review_changed_is_not_proposed_again_in_its_old_words(
    vault: Vault, tmp_path: Path, then: str | None, outcome: str
) -> None:
    (name,) = ids_of(reflect_file(vault, say(tmp_path, UNSURE)))
    review.approve(vault, [name], {"text": "Generated files are for make alone"})
    assert vault.get(name).source.proposed
    if then == "resolve":
        vault.resolve(name)
    elif then == "undo":
        undo.undo_last(vault, "review: ")
        assert vault.get(name).source.proposed is None
    again = reflect_file(vault, say(tmp_path, UNSURE))
    assert {fate.id for fate in again.fates} == {name}
    other = reflect_file(vault, say(tmp_path, UNSURE, name="other"))
    assert [(fate.action, fate.id) for fate in other.fates] == [(outcome, name)]


def test_a_candidate_that_was_edited_and_rejected_stays_rejected_for_its_session(
    vault: Vault, tmp_path: Path
) -> None:
    (name,) = ids_of(reflect_file(vault, say(tmp_path, UNSURE)))
    file = Path(vault.root, vault.path_of(name))
    file.write_text(file.read_text().replace("generated", "vendored"))
    review.reject(vault, [name])
    again = reflect_file(vault, say(tmp_path, UNSURE))
    assert [(fate.action, fate.id) for fate in again.fates] == [("duplicate", name)]
    assert inbox.pending(vault) == []


def test_a_secret_that_review_took_out_is_not_kept_as_the_old_words(
    vault: Vault,
) -> None:
    name = vault.save(vault.draft({"text": "use a key", "status": "pending"})).id
    file = Path(vault.root, vault.path_of(name))
    secret = "the key AKIA" + "IOSFODNN7EXAMPLA"
    file.write_text(file.read_text().replace("a key", secret))
    review.approve(vault, [name], {"text": "use the key of the vault"})
    assert vault.get(name).source.proposed is None
