"""Sessions of the real clients with memcli's hooks; `make e2e` runs them.

Invariant: a claim is read off what the client really did: the requests that reached
the model, the log of the hooks, and the vault. Nothing of memcli is called in between
that a person would not have called.
"""

import json
import shlex
from pathlib import Path

import pytest

from tests.e2e.clients import cache
from tests.e2e.model import SAYS
from tests.e2e.scratch import MEMCLI, Scratch, kill

RULE = "Releases are cut on Tuesdays, never on another day."
FACT = "The staging database is rebuilt from the nightly snapshot at two o'clock."
STATED = "Always use ruff for linting, never flake8."
# Asked for before a test has a home of its own.
CACHE = str(cache())
ASKS = "When is the staging database rebuilt from the snapshot?"
OBSERVED = "Reports that read the staging database before two o'clock show yesterday."
DERIVED = "The nightly snapshot rebuilds the staging database with yesterday's orders."
ELSE = "Name a colour."
TAUGHT = "hm, the payment tests could take a local redis, that of staging is shared"
JUDGED = {
    "turns": [1],
    "kind": "convention",
    "text": "The payment tests take a local redis; that of staging is shared.",
    "why": "another session may use it",
    "confidence": "HIGH",
}


def test_what_a_user_states_in_one_session_is_told_to_the_next(
    machine: Scratch,
) -> None:
    machine.make_vault()
    machine.memcli("save", RULE, "--kind", "constraint")
    machine.memcli("save", FACT)

    first = machine.session(f"{STATED} {ASKS}")
    assert first.code == 0, first
    assert SAYS in first.out, first
    sent = machine.model.read()
    assert RULE in sent, "the start of the session told the model nothing"
    assert FACT in sent, "the prompt brought nothing that fits it"

    for event in ("session-start", "prompt-submit", "stop"):
        lines = machine.hooks(event=event, host=machine.client.name)
        assert lines, f"{event} never fired: {machine.hooks()}"
    mined = machine.wait_for(
        "a session that was mined",
        lambda: machine.hooks(event="reflect", did="reflected"),
    )
    assert [line.get(machine.driver.lands) for line in mined] == [1], mined
    assert machine.memories("ruff linting") == [STATED]
    assert machine.uncommitted() == ""
    assert not [line for line in machine.hooks() if line.get("error")]

    machine.model.forget()
    second = machine.session(ELSE)
    assert second.code == 0, second
    assert STATED in machine.model.read(), "the next session was not told"
    # What memcli put into the session comes back in the transcript.
    machine.wait_for(
        "the end of the second session's mining",
        lambda: len({line["session"] for line in machine.hooks(event="reflect")}) == 2,
    )
    assert machine.memories("ruff linting") == [STATED]


def test_a_session_that_was_killed_is_mined_when_the_next_one_starts(
    machine: Scratch,
) -> None:
    machine.make_vault()
    _killed(machine)
    machine.age(7_200)

    assert machine.session(ELSE).code == 0
    machine.wait_for(
        "a sweep that mines the killed session",
        lambda: machine.hooks(event="sweep", did="reflected"),
    )
    assert machine.memories("ruff linting") == [STATED]


def test_without_its_vault_a_client_behaves_as_without_hooks(machine: Scratch) -> None:
    # The first start of a client does what no later one does.
    machine.session(ELSE)
    machine.model.forget()
    plain = machine.session(ELSE)
    asked = [one.path for one in machine.model.requests]

    machine.make_vault()
    machine.lose_vault()
    machine.model.forget()
    hooked = machine.session(ELSE)
    assert (hooked.code, hooked.out) == (plain.code, plain.out) == (0, plain.out)
    assert sorted(one.path for one in machine.model.requests) == sorted(asked)
    # Gemini tells where its own skills lie, which is in our cache.
    assert "memcli" not in machine.model.read().replace(CACHE, "")
    assert not machine.vault.exists()
    # Four hooks, on a machine that does other things as well.
    assert hooked.took < 1.5 * plain.took + 5, (plain.took, hooked.took)


def test_a_rule_holds_where_it_was_stated(machine: Scratch) -> None:
    machine.make_vault()
    machine.memcli("save", RULE, "--kind", "constraint")
    shop, blog = (machine.repository(name) for name in ("shop", "blog"))

    _mined(machine, STATED, shop)
    assert STATED in _told(machine, shop)
    assert STATED not in _told(machine, blog)


@pytest.mark.only("claude-code")
def test_a_repositorys_own_vault_is_silent_until_the_user_allows_it(
    machine: Scratch,
) -> None:
    machine.make_vault()
    machine.memcli("save", RULE, "--kind", "constraint")
    theirs = machine.repository("shop")
    teammate = {"HOME": str(machine.teammate), "MEMCLI_VAULT": ""}
    machine.memcli("init", "--repo", folder=theirs, **teammate)
    words = "save", FACT, "--kind", "constraint", "--vault", "repo"
    machine.memcli(*words, folder=theirs, **teammate)
    ours = machine.clone(theirs)

    before = _told(machine, ours, ASKS)
    assert FACT not in before
    assert "memcli allow" in before
    machine.memcli("allow", folder=ours)
    allowed = _told(machine, ours)
    assert f'(repo) "{FACT}"' in allowed
    assert "memcli allow" not in allowed
    assert FACT not in _told(machine, machine.project, ASKS)


def test_a_clients_own_command_judges_a_session_that_has_ended(
    machine: Scratch,
) -> None:
    machine.make_vault()
    words = machine.judge()
    machine.model.says["## What was typed"] = json.dumps(JUDGED)
    assert machine.session(TAUGHT).code == 0
    machine.wait_for("the end of its turn", lambda: machine.hooks(event="reflect"))
    # Where a client does not say that a session ends, a sweep finds it.
    machine.age(7_200)
    machine.sweep()
    (line,) = machine.wait_for("a judge", lambda: machine.hooks(event="judge"))
    lands = line.get(machine.driver.lands)
    assert (line["did"], lands, line["refused"]) == ("asked", 1, 0), line
    assert machine.memories("payment redis") == [JUDGED["text"]]
    asked = [one for one in machine.model.requests if "What was typed" in one.text]
    assert asked, "the digest did not reach the model"
    assert len(machine.hooks(event="session-start")) == 1, "hooks of the judge ran"
    if machine.client.name in ("claude-code", "copilot", "opencode"):
        assert not [one for one in asked if one.body.get("tools")], words
    # Where a client keeps the session of its judge, it teaches nothing.
    machine.memcli("reflect", "--all-sessions", "--host", machine.client.name)
    assert machine.memories("payment redis") == [JUDGED["text"]]


def test_the_agent_of_a_session_judges_it_in_its_shell(machine: Scratch) -> None:
    machine.make_vault()
    answers = machine.project / "answers.jsonl"
    answers.write_text(json.dumps(JUDGED) + "\n", encoding="utf-8")
    memcli = shlex.join(MEMCLI)
    machine.model.runs = (
        f"{memcli} reflect --digest --json > digest.json 2> digest.err; "
        f"{memcli} reflect --judged answers.jsonl --json > judged.json 2> judged.err"
    )
    ended = machine.session(TAUGHT, acts=True)
    assert ended.code == 0, ended
    done = machine.project / "judged.json"
    assert done.exists(), (machine.model.runs, ended)
    said = json.loads(done.read_text("utf-8"))
    assert said["ok"], (said, (machine.project / "digest.json").read_text("utf-8"))
    actions = [one["action"] for one in said["data"]["candidates"]]
    assert actions == [machine.driver.lands], said
    assert machine.memories("payment redis") == [JUDGED["text"]]


def test_a_start_tells_what_the_work_is_about_whole_and_others_by_title(
    machine: Scratch,
) -> None:
    machine.make_vault()
    machine.memcli("save", RULE, "--kind", "constraint")
    shop = machine.repository("shop")
    machine.commit(shop, "ledger.py", "ledger: round each line")
    lines = machine.home / "decisions.jsonl"
    with lines.open("w", encoding="utf-8") as file:
        for name in ("ledger", *(f"service{number}" for number in range(40))):
            row = {
                "title": f"Tables of the {name}",
                "text": f"{'Nobody else writes to its tables. ' * 8}Ask {name} first.",
                "kind": "decision",
                "project": "github.com/acme/shop",
            }
            file.write(json.dumps(row) + "\n")
    machine.memcli("import", str(lines))

    told = _told(machine, shop)
    others = [number for number in range(40) if f"Ask service{number} first" in told]
    assert len(others) < 40, "everything had room"
    for number in set(range(40)).difference(others):
        assert f"] Tables of the service{number}\n" in told
    ledger = told.index("Ask ledger first")
    assert all(ledger < told.index(f"Ask service{number} first") for number in others)


def test_a_start_asks_to_save_what_lasts_until_the_user_says_no(
    machine: Scratch,
) -> None:
    machine.make_vault()
    machine.memcli("save", RULE, "--kind", "constraint")
    told = _told(machine, machine.project)
    assert "memcli save" in told[told.index(RULE) :], "the start does not end with it"
    machine.memcli("config", "set", "sessions.ask_agent", "false")
    assert "memcli save" not in _told(machine, machine.project)


def test_what_rests_on_a_resolved_fact_is_told_as_such_or_not_at_all(
    machine: Scratch,
) -> None:
    machine.make_vault()
    machine.memcli("save", RULE, "--kind", "constraint")
    fact = machine.memcli("save", FACT)["id"]
    rests = ("--layer", "observation", "--cite", fact)
    machine.memcli("save", OBSERVED, *rests, "--pinned")
    machine.memcli("save", DERIVED, *rests)
    asks = "Which orders has the staging database that the nightly snapshot rebuilds?"
    before = _told(machine, machine.project, asks)
    assert OBSERVED in before, "the start tells no pinned observation"
    assert DERIVED in before, "the prompt brings no observation"

    machine.memcli("resolve", fact)
    for line in _told(machine, machine.project, asks).splitlines():
        if OBSERVED in line or DERIVED in line:
            assert "may no longer hold" in line


def _told(machine: Scratch, folder: Path, prompt: str = ELSE) -> str:
    """What reached the model in a session of a folder, where RULE always does."""
    machine.model.forget()
    ended = machine.session(prompt, folder)
    assert ended.code == 0, ended
    sent = machine.model.read()
    assert RULE in sent, "the session was told nothing at all"
    return sent


def _mined(machine: Scratch, prompt: str, folder: Path) -> None:
    """A session of a folder that teaches one memory."""
    taught: dict[str, str | int] = {
        "event": "reflect",
        "did": "reflected",
        machine.driver.lands: 1,
    }
    before = len(machine.hooks(**taught))
    assert machine.session(prompt, folder).code == 0
    machine.wait_for(
        "a session that taught something",
        lambda: len(machine.hooks(**taught)) > before,
    )
    machine.memories(prompt)


def _killed(machine: Scratch) -> None:
    """A session that a user states a preference in, and that has no end."""
    machine.model.answers.clear()
    client = machine.start(STATED)
    asked = machine.model.asked.wait(machine.driver.slow)
    try:
        assert asked, "the client never asked its model"
        machine.wait_for(
            "a transcript that holds what the user said",
            lambda: STATED in machine.typed(),
        )
    finally:
        kill(client)
    machine.model.answers.set()
    assert not machine.hooks(event="stop")
    assert machine.memories("ruff linting") == []
