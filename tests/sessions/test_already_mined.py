"""What a session has brought is not brought again, and what was forgotten stays so."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.curation import inbox, review, undo
from memcli.entries import layout
from memcli.entries.entry import Entry, is_unconfirmed
from memcli.sessions import bringing, reflect_session
from memcli.sessions.bringing import Reflected
from memcli.vault.caller import Caller
from tests.conftest import state_of
from tests.hosts.writing import Claude, moment, write
from tests.saving import edit, save
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
    done = vault.mine(first)
    assert actions(vault.mine(second)) == {"standing": "seen"}
    assert records(vault).count("Zebedee") >= 4
    vault.forget(one_id(done))
    assert "zebedee" not in records(vault).lower()
    for path in (first, second):
        assert actions(vault.mine(path)) == {"standing": "forgotten"}
        assert "zebedee" not in records(vault).lower()
    (one,) = reflect_session.of_session(vault, "one")["candidates"]
    assert (one["action"], one["title"], one["pattern"]) == (
        "forgotten",
        None,
        "standing",
    )


def test_of_a_session_so_many_statements_are_held_against_the_vault(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bringing, "MOST_COMPARED", 1)
    assert vault.mine(say(tmp_path, TWO)).counts == {"saved": 1, "cut": 1}


# --- taken back ---------------------------------------------------------------

TAKEN = (ALWAYS, "no wait, forget that")


# A turn that was rewound: what follows is added behind it, so the file grows.
REWOUND = ("list the files of src", "now count them")


@pytest.mark.parametrize("then", [TAKEN, REWOUND])
def test_what_a_session_saved_and_would_not_save_now_waits(
    vault: Vault, tmp_path: Path, then: tuple[str, ...]
) -> None:
    (name,) = ids_of(vault.mine(say(tmp_path, ALWAYS)))
    made = len(commits(vault))
    vault.mine(say(tmp_path, *then))
    assert [entry.id for entry in inbox.pending(vault)] == [name]
    assert (texts(vault), len(commits(vault))) == (set(), made + 1)
    vault.mine(say(tmp_path, *then, "ok, run the tests"))
    assert len(commits(vault)) == made + 1
    review.approve(vault, name)
    vault.mine(say(tmp_path, *then, "ok, run the build"))
    assert texts(vault) == {ALWAYS}, "a person has said so"


def test_what_another_session_or_a_person_has_confirmed_stays(
    vault: Vault, tmp_path: Path
) -> None:
    vault.mine(say(tmp_path, ALWAYS))
    vault.mine(say(tmp_path, ALWAYS, name="other"))
    vault.mine(say(tmp_path, *TAKEN))
    assert texts(vault) == {ALWAYS}


@pytest.mark.parametrize("words", [UNSURE, ALWAYS])
def test_a_copy_of_a_session_confirms_nothing(
    vault: Vault, tmp_path: Path, words: str
) -> None:
    rows = [("user", words, "6f1c2b9e-0d57-4a51-9a55-3c1f0a7be0aa")]
    for name in ("one", "two"):
        vault.mine(talk(tmp_path, rows, name))
    (entry,) = entries(vault)
    assert (entry.seen, is_unconfirmed(entry)) == ((), True)


def entries(vault: Vault) -> list[Entry]:
    rows = vault.read(lambda reader: [*map(reader.row, reader.everything())])
    return [vault.get(row.id) for row in rows]


def codex(
    folder: Path, name: str, parent: str | None, *said: str, by: str = "cli"
) -> str:
    meta = {"id": name, "cwd": "/w", "source": by, "forked_from_id": parent}
    records: list[dict[str, Any]] = [{"type": "session_meta", "payload": meta}]
    for number, text in enumerate(said):
        content = [{"type": "input_text", "text": text}]
        payload = {"type": "message", "role": "user", "content": content}
        payload["id"] = f"msg_{name}_{number:020}"
        at = f"{moment(name)[:-3]}{number:02}Z"
        records.append({"type": "response_item", "payload": payload, "timestamp": at})
    return write(folder / f"rollout-{name}.jsonl", records)


@pytest.mark.parametrize("order", ["abc", "cba", "bca"])
def test_a_fork_confirms_nothing_of_what_it_repeats(
    vault: Vault, tmp_path: Path, order: str
) -> None:
    said = {"a": None, "b": "a", "c": "a"}
    for name in order:
        path = codex(tmp_path, name, said[name], "fix the build", ALWAYS)
        vault.mine(path)
    (entry,) = entries(vault)
    assert (is_unconfirmed(entry), entry.seen, entry.evidence) == (True, (), ())
    new = "Never push to the main branch."
    vault.mine(codex(tmp_path, "c", "a", "fix the build", ALWAYS, new))
    assert texts(vault) == {ALWAYS, new}
    vault.mine(codex(tmp_path, "d", None, ALWAYS))
    assert not is_unconfirmed(vault.get(entry.id))


def test_what_a_fork_confirmed_and_takes_back_is_confirmed_no_more(
    vault: Vault, tmp_path: Path
) -> None:
    vault.mine(codex(tmp_path, "a", None, ALWAYS))
    for said, doubted in (((ALWAYS,), False), ((ALWAYS, "forget that"), True)):
        vault.mine(codex(tmp_path, "f", "o", "fix the build", *said))
        (entry,) = entries(vault)
        assert is_unconfirmed(entry) is doubted


def test_a_fork_does_not_bring_back_what_was_forgotten(
    vault: Vault, tmp_path: Path
) -> None:
    first = Claude()
    first.user(ALWAYS)
    (name,) = ids_of(vault.mine(first.save(tmp_path)))
    vault.forget(name)
    more = {"sessionId": "f04c", "forkedFrom": {"sessionId": "5e55"}}
    copies = [{**record, **more} for record in first.records]
    vault.mine(write(tmp_path / "f04c.jsonl", copies))
    assert texts(vault) == set()


def test_what_a_program_sent_waits_and_confirms_nothing(
    vault: Vault, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        vault.mine(codex(tmp_path, name, None, ALWAYS, by="exec"))
    assert (texts(vault), len(inbox.pending(vault))) == (set(), 1)
    vault.mine(codex(tmp_path, "c", None, ALWAYS))
    vault.mine(codex(tmp_path, "d", None, ALWAYS, by="exec"))
    (entry,) = entries(vault)
    assert is_unconfirmed(entry)
    mine = save(vault, "Never push to the main branch.")
    vault.mine(codex(tmp_path, "e", None, "never push to the main branch", by="exec"))
    assert vault.get(mine).seen == ()


# --- met again ------------------------------------------------------------------


def test_the_record_keeps_what_became_of_a_candidate_the_first_time(
    vault: Vault, tmp_path: Path
) -> None:
    path = talk(tmp_path, SEEDED)
    vault.mine(path)
    before = reflect_session.of_session(vault, "talk")["candidates"]
    vault.mine(path)
    again = reflect_session.of_session(vault, "talk")["candidates"]
    kept = [one for one in again if one["category"] != "idea"]
    assert kept == [one for one in before if one["category"] != "idea"]
    assert {one["action"] for one in kept} == {"saved", "review"}


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
        loud.mine(path)
    assert actions(loud.mine(path)) == {"standing": "saved"}
    assert [line.partition(":")[0] for line in told] == [
        "the record of session talk is not kept"
    ] * 2
    assert commits(vault)[0] == "reflect: talk"
    assert texts(vault) == {ALWAYS}


@pytest.mark.parametrize(
    ("then", "outcome"), [(None, "seen"), ("resolve", "recurred"), ("undo", "seen")]
)
def test_a_candidate_that_review_changed_is_not_proposed_again_in_its_old_words(
    vault: Vault, tmp_path: Path, then: str | None, outcome: str
) -> None:
    (name,) = ids_of(vault.mine(say(tmp_path, UNSURE)))
    review.approve(vault, name, text="Generated files are for make alone")
    assert vault.get(name).source.proposed
    if then == "resolve":
        vault.resolve(name)
    elif then == "undo":
        undo.undo(vault)
        assert vault.get(name).source.proposed is None
    again = vault.mine(say(tmp_path, UNSURE))
    assert {fate.id for fate in again.fates} == {name}
    other = vault.mine(say(tmp_path, UNSURE, name="other"))
    assert [(fate.action, fate.id) for fate in other.fates] == [(outcome, name)]


def test_a_candidate_that_was_edited_and_rejected_stays_rejected_for_its_session(
    vault: Vault, tmp_path: Path
) -> None:
    (name,) = ids_of(vault.mine(say(tmp_path, UNSURE)))
    edit(vault, name, "generated", "vendored")
    review.reject(vault, name)
    again = vault.mine(say(tmp_path, UNSURE))
    assert [(fate.action, fate.id) for fate in again.fates] == [("duplicate", name)]
    assert inbox.pending(vault) == []


def test_a_secret_that_review_took_out_is_not_kept_as_the_old_words(
    vault: Vault,
) -> None:
    name = vault.save(vault.draft({"text": "use a key", "status": "pending"})).id
    edit(vault, name, "a key", "the key AKIA" + "IOSFODNN7EXAMPLA")
    review.approve(vault, name, text="use the key of the vault")
    assert vault.get(name).source.proposed is None
