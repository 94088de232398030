"""What the vaults of teams add to a session, and that they never cost it anything."""

import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.sessions.briefing import prompt, start
from memcli.sessions.briefing.frame import Item
from memcli.sessions.briefing.start import Standing
from memcli.sessions.hooks import call as hook
from memcli.sessions.hooks import tell
from memcli.storage.lock import Lock
from tests import saving
from tests.conftest import VaultMaker, state_of
from tests.sessions.hooks.calling import call, log, session, told, work

OWN = "Never deploy the billing service on a Friday."
THEIRS = "Deploy the billing service with bazel, never by hand."
ASK = "may I deploy the billing service on friday?"
EVENTS = ("session-start", "prompt-submit")

Configure = Callable[..., None]
Harm = Callable[[Path], None]

# What calls in this process would start; those that are processes do start it.
pytestmark = pytest.mark.usefixtures("started")


@pytest.fixture
def team(make_vault: VaultMaker) -> Vault:
    """A team's vault with a constraint that fits the prompt, its index built."""
    vault = make_vault("team", now_ms=None)
    save(vault, THEIRS)
    return vault


@pytest.fixture
def filled(live: Vault) -> Vault:
    """The own vault with one that fits as well."""
    save(live, OWN)
    return live


@pytest.fixture
def configure(home: Path) -> Configure:
    """Name vaults in the user's config; `more` goes into each table."""

    def write(*vaults: Vault, more: str = "") -> None:
        tables = [
            f"[vaults.{Path(root).name}]\npath = '{root}'\n{more}\n"
            for root in (one.root for one in vaults)
        ]
        saving.configure(home, "".join(tables))

    return write


def save(vault: Vault, *texts: str, kind: str = "constraint", **fields: Any) -> None:
    vault.save_all([vault.draft({"text": t, "kind": kind, **fields}) for t in texts])
    vault.recall("deploy")


def ask(event: str, name: str = "a") -> dict[str, str]:
    return {"session_id": name, "prompt": ASK, "source": "startup"}


def said(event: str, name: str = "a", **changes: str) -> str:
    """What a session is told; it ends well in every case."""
    one = here(event, name, **changes)
    hook.note(one)
    assert len(one.answer) <= 9_500
    return told(one.answer)


def here(event: str, name: str = "a", **changes: str) -> hook.Call:
    """A call in this process, of the vault that the environment names."""
    one = hook.Call([event, "--host", "claude-code"])
    hook.answer(one, lambda: {**ask(event, name), **changes})
    return one


# --- what is told -------------------------------------------------------------------


@pytest.mark.parametrize("event", EVENTS)
def test_of_a_team_lasting_kinds_and_short_texts_are_told_unless_the_user_says_more(
    filled: Vault, team: Vault, configure: Configure, event: str
) -> None:
    save(
        team, "A note: deploy the billing service on friday.", kind="note", pinned=True
    )
    save(team, f"Deploy the billing service on friday {'quickly ' * 80}.")
    configure(team)
    text = said(event, "c")
    assert THEIRS in text
    assert "A note:" not in text
    assert event == "session-start" or "quickly" not in text
    configure(team, more='kinds = ["note"]\nmax_chars = 50')
    text = said(event)
    assert "A note:" in text
    assert THEIRS not in text
    configure(team, more="max_chars = 20")
    assert "team:" not in said(event, "b")


@pytest.mark.parametrize("event", EVENTS)
def test_a_teams_report_says_that_its_evidence_ended_though_hooks_tell_no_note(
    filled: Vault, team: Vault, configure: Configure, event: str
) -> None:
    note = team.save(team.draft({"text": "The billing service takes an hour"})).id
    text = "Deploy the billing service on friday, since it takes an hour."
    drawn = {"text": text, "kind": "constraint", "layer": "observation"}
    team.save(team.draft(drawn), cite=[note])
    team.resolve(note)
    team.recall("deploy")
    configure(team)
    (line,) = (one for one in said(event).split("\n") if text in one)
    assert f"may no longer hold: rests on {note}, resolved" in line


@pytest.mark.parametrize("event", EVENTS)
def test_a_session_is_told_of_teams_with_their_name(
    filled: Vault, team: Vault, configure: Configure, event: str
) -> None:
    alone = said(event)
    configure(team)
    text = said(event, "b")
    assert alone.partition("\n\nThe user")[0].removesuffix("</memcli-memory>") in text
    (row,) = [line for line in text.split("\n") if THEIRS in line]
    assert re.fullmatch(rf'- \[\w{{16}}\] \(team:team\) "{re.escape(THEIRS)}"', row)
    assert text.index(OWN) < text.index(THEIRS)
    newest = log(filled, event)[0]
    assert newest["shown"] == 2
    assert "not_asked" not in newest


def test_a_session_is_told_nothing_of_them_twice(
    filled: Vault, team: Vault, configure: Configure
) -> None:
    configure(team)
    assert THEIRS in said("session-start")
    assert said("prompt-submit") == ""
    save(team, "Deploy the billing service after lunch, not before.")
    fresh = said("prompt-submit")
    assert "after lunch" in fresh
    assert THEIRS not in fresh
    assert said("session-start") == ""
    assert THEIRS in said("session-start", source="clear")


@pytest.mark.parametrize(
    ("event", "more"),
    [("session-start", "recall = false"), ("prompt-submit", "hooks = false")],
)
def test_a_team_can_be_kept_out(
    filled: Vault, team: Vault, configure: Configure, event: str, more: str
) -> None:
    alone = said(event)
    configure(team, more=more)
    assert said(event, "b") == alone
    assert "not_asked" not in log(filled, event)[0]


@pytest.mark.parametrize("event", EVENTS)
def test_a_vault_that_the_call_names_is_told_of_alone(
    filled: Vault, team: Vault, configure: Configure, event: str
) -> None:
    configure(team)
    assert THEIRS not in told(call(filled, event, "codex", ask(event)).answer)
    assert THEIRS in told(here(event, "b").answer)
    text = told(call(team, event, "codex", ask(event)).answer)
    assert THEIRS in text
    assert "team:" not in text


def test_each_vault_hides_from_an_agent_what_it_hides(
    filled: Vault, team: Vault, configure: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = "prompt-submit"
    save(team, "Deploy the billing service in private.", visibility="private")
    configure(team)
    monkeypatch.setenv("MEMCLI_AGENT", "eve")
    text = told(here(event).answer)
    assert "- [" not in text  # an agent that neither config knows sees nothing
    path = Path(team.root, *layout.CONFIG.split("/"))
    path.write_text("[agents.eve]\npolicy = 'shared'\n", encoding="utf-8")
    Vault.open(team.root).recall("x")
    text = told(here(event, "b").answer)
    assert THEIRS in text
    assert OWN not in text
    assert "in private" not in text


def test_what_a_team_said_is_not_mined_and_nothing_is_written_to_it(
    filled: Vault,
    team: Vault,
    configure: Configure,
    tmp_path: Path,
    snapshot: Callable[[str], dict[str, str]],
) -> None:
    save(team, "Always use tabs in the billing service.", kind="preference")
    configure(team, more="role = 'rw'")
    before = snapshot(team.root)
    text = said("session-start")
    assert "use tabs" in text
    rule = "Always run the linter before committing."
    path = session(tmp_path, "a", f"{text}\n\n{rule}")
    done = work(filled, "--session=a", "--host=claude-code", f"--transcript={path}")
    assert done.line["did"] == "reflected"
    read = Vault.open(filled.root).read
    texts = read(lambda r: [r.row(doc).text for doc in r.everything()])
    assert any("linter" in one for one in texts)
    assert not any("tabs" in one or "bazel" in one for one in texts)
    assert snapshot(team.root) == before


# --- room ---------------------------------------------------------------------------


def test_teams_have_a_third_of_the_room_and_share_it(
    filled: Vault, team: Vault, make_vault: VaultMaker, configure: Configure
) -> None:
    other = make_vault("other", now_ms=None)
    for one, name in ((team, "team"), (other, "other")):
        texts = [f"Rule {n} of {name}: " + "be kind " * 40 for n in range(30)]
        save(one, *texts, pinned=True)
    save(other, "x" * 5_000, pinned=True)
    save(filled, *(f"Own rule {n}: " + "be brief " * 40 for n in range(6)))
    configure(team, other)
    text = said("session-start")
    rows = [row for row in text.split("\n") if row.startswith("- [")]
    by_team = {
        name: [row for row in rows if f"(team:{name})" in row]
        for name in ("team", "other")
    }
    assert all(by_team.values())
    assert sum(map(len, [*by_team["team"], *by_team["other"]])) <= start._TEAMS
    assert abs(len(by_team["team"]) - len(by_team["other"])) <= 1
    assert text.count("Own rule") == 6
    assert OWN in text
    assert re.search(r"^[0-9]+ more: ", text, re.M)
    # The document among them comes by title, not whole.
    assert "x" * 2_000 not in text


def item(name: str, text: str = "", source: str = "", part: str = "Rules") -> Item:
    return Item(name, text or f"text of {name}", part, source)


def test_a_prompt_brings_the_best_of_all_but_two_of_the_own() -> None:
    own = [item(f"o{n}")._replace(evidence=5.0 - n) for n in range(3)]
    other = [item(f"t{n}", "", "team:x")._replace(evidence=9.0 - n) for n in range(3)]
    ids = [one.id for one in prompt.together(own, [other])]
    assert ids == ["t0", "o0", "o1"]
    assert [one.id for one in prompt.together([], [other])] == ["t0", "t1", "t2"]
    assert prompt.together([], [[]]) == []


def test_the_same_words_are_told_once_by_the_own_vault() -> None:
    own = Standing([item("o", "Use  tabs.", part="Rules")], 1)
    found = start.together(
        own,
        [
            Standing([item("t", "use tabs", "team:x"), item("o", "other", "team:x")]),
            Standing([item("u", "new", "team:y", "Pinned"), item("v", "New!")], 3),
        ],
    )
    assert [one.id for one in found.items] == ["u", "o"]
    assert found.more == 4


# --- what is wrong with a team ------------------------------------------------------


def _gone(root: Path) -> None:
    root.rename(root.with_name("elsewhere"))


def _no_vault(root: Path) -> None:
    (root / ".memcli").rename(root / "aside")


def _torn(root: Path) -> None:
    for path in state_of(root, layout.INDEX).glob("*.db*"):
        path.write_bytes(b"torn")


def _hangs(root: Path) -> None:
    # Few files are waited for, and the lock stays held by another process.
    shutil.copy(next((root / "memories").rglob("*.md")), root / "memories" / "new.md")
    HELD.append(Lock(str(state_of(root, layout.INDEX_LOCK)), 0))
    HELD[-1].__enter__()


def _config(root: Path) -> None:
    (root / ".memcli" / "config.toml").write_text("[limits\n")


HELD: list[Lock] = []


@pytest.fixture(autouse=True)
def let_go() -> Iterator[None]:
    yield
    while HELD:
        HELD.pop().__exit__(None, None, None)


WRONG: dict[Harm, str] = {
    _gone: "there is no vault",
    _no_vault: "there is no vault",
    _torn: tell.BEHIND,
    _hangs: tell.LATE,
    _config: tell.BEHIND,
}


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("break_it", list(WRONG))
def test_what_is_wrong_with_a_team_costs_the_own_vault_nothing(
    filled: Vault,
    team: Vault,
    make_vault: VaultMaker,
    configure: Configure,
    started: list[list[str]],
    event: str,
    break_it: Harm,
) -> None:
    well = make_vault("well", now_ms=None)
    save(well, "The billing service may deploy any day.")
    configure(well)
    expected = said(event)
    configure(team, well)
    break_it(Path(team.root))
    began = time.monotonic()
    assert said(event, "b") == expected
    assert time.monotonic() - began < 8  # a process of a second, on a busy machine
    newest = log(filled, event)[0]
    (name,) = newest["not_asked"]
    assert name == "team:team"
    assert WRONG[break_it] in newest["not_asked"][name]
    assert "error" not in newest
    # A process of its own indexes it.
    assert (["--index"] in started) == (WRONG[break_it] == tell.BEHIND)
    assert newest["ms"] < hook.BUDGET[event] * 1_000


@pytest.mark.parametrize("event", EVENTS)
def test_a_config_of_the_user_that_cannot_be_read_is_told_the_log(
    filled: Vault, team: Vault, home: Path, event: str
) -> None:
    expected = said(event)
    saving.configure(home, "[vaults")
    # Nor is the agent asked to save.
    expected = re.sub(r"\nThe user wants.*\n.*\n", "", expected)
    assert said(event, "b") == expected
    assert "config.toml" in log(filled, event)[0]["not_asked"]["teams"]
