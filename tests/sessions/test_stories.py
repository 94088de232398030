"""What becomes of what sessions say, one after the other: once, and as people decide.

A story is a row: sessions as (name, what the user says, what becomes of each), and
between them what a person does to the entry that the first session brought.
"""

from collections import Counter
from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation import review, undo
from memcli.entries import layout
from memcli.entries.entry import Status
from tests.conftest import state_of
from tests.sessions.test_reflect_session import ALWAYS, Snapshot, say, texts

AGAIN = "From now on run the linter before every commit!"
LOOSE = "please dont squash the commits of the release branch"
LOOSE_AGAIN = "dont squash the commits on the release branch, please!"
NEVER = "Never run the linter before committing."
TWO = "Always use tabs in makefiles. Always run the unit tests before pushing."
PUSH, IDEA = "Never push to main", "we should also do the export later"
FILES = [f"please dont touch the {n} files of the app" for n in ("sql", "go", "js")]
MORE = [f"please dont touch the {n} files of the app" for n in ("css", "html")]
RULES = [f"Always use {word} in the {word} folder" for word in ("alpha", "beta", "c")]

PASTED = f"I read your proposal and I like it. {ALWAYS} I have some questions, too."
ANNA = "Always ask Anna before you deploy."
FRIDAYS = "Always ask Anna before you deploy on Fridays."

Step = str | tuple[str, list[str], str]
# (the claim, the story, how many entries are in use afterwards, and how many wait)
STORIES: list[tuple[str, list[Step], int, int]] = [
    ("what another session says again is evidence",
     [("1", [ALWAYS], "saved"), ("2", [ALWAYS.lower()], "seen"),
      ("3", [AGAIN], "seen"), ("3", [AGAIN], "duplicate")], 1, 0),
    ("what waited is saved when it is said again",
     [("1", [LOOSE], "review"), ("2", [LOOSE], "seen")], 1, 0),
    ("also in other words, once",
     [("1", [LOOSE], "review"), ("2", [LOOSE_AGAIN], "seen"),
      ("2", [LOOSE_AGAIN], "duplicate")], 1, 0),
    ("two restatements in one session save it once",
     [("1", [LOOSE], "review"), ("2", [LOOSE, LOOSE_AGAIN], "seen duplicate")], 1, 0),
    ("the session that brought it does not confirm it",
     [("1", [LOOSE], "review"), ("1", [LOOSE, LOOSE_AGAIN], "duplicate review")], 0, 2),
    ("what contradicts an entry is not saved by saying it twice",
     [("1", [ALWAYS], "saved"), ("2", [NEVER], "supersede"), ("3", [NEVER], "seen")],
     1, 1),
    ("another rule of the same shape is no contradiction",
     [("1", ["Always run the tests before committing"], "saved"),
      ("2", [ALWAYS], "saved")], 2, 0),
    ("what was rejected is not proposed again, in no words",
     [("1", [LOOSE], "review"), "reject", ("2", [LOOSE], "rejected"),
      ("3", [LOOSE_AGAIN], "rejected"), ("1", [LOOSE], "duplicate")], 0, 0),
    ("a rejection that is undone lets the next session count",
     [("1", [LOOSE], "review"), "reject", ("2", [LOOSE], "rejected"), "undo",
      ("2", [LOOSE], "seen")], 1, 0),
    ("an idea that was rejected does not come back reworded",
     [("1", ["we should also add a json export later"], "idea"), "reject",
      ("2", ["later we could add an export as json"], "rejected"),
      ("3", ["someday we should add a json export to the billing report"], "rejected")],
     0, 0),
    ("what narrows or widens an entry is saved beside it",
     [("1", [FRIDAYS], "saved"), ("2", [ANNA], "saved"), ("3", [ANNA], "seen"),
      ("4", [FRIDAYS], "seen")], 2, 0),
    ("what was solved and comes up again is a recurrence, also beside its like",
     [("1", [ALWAYS], "saved"), "resolve", ("2", [ALWAYS], "recurred"),
      ("1", [ALWAYS], "duplicate"), ("3", [AGAIN], "review"),
      ("4", [ALWAYS], "recurred")], 0, 1),
    ("what was evolved is not mined again",
     [("1", [ALWAYS], "saved"), "evolve", ("1", [ALWAYS], "duplicate")], 1, 0),
    ("words that another version replaced wait, also when that is resolved",
     [("1", [ALWAYS], "saved"), "evolve", ("2", [ALWAYS], "review")], 1, 1),
    ("and words that say the same again",
     [("1", [ALWAYS], "saved"), "evolve", ("2", [AGAIN], "review")], 1, 1),
    ("a paragraph that comes twice in the same words was pasted",
     [("1", [PASTED], "saved"), ("2", [PASTED + " Ok."], "duplicate")], 1, 0),
    ("what goes on behind words that are resolved is not lost with them",
     [("1", [ALWAYS], "saved"), "resolve",
      ("2", [ALWAYS + " The branch of the docs is the exception."], "review")], 0, 1),
    ("what was forgotten does not come back from its session",
     [("1", [ALWAYS], "saved"), "forget", ("1", [ALWAYS], "forgotten"),
      ("1", [ALWAYS, "thanks, that is all"], "forgotten")], 0, 0),
    ("a session to come may say again what was forgotten",
     [("1", [ALWAYS], "saved"), "forget", ("2", [ALWAYS], "saved")], 1, 0),
    ("without its record what was forgotten is new",
     [("1", [ALWAYS], "saved"), "forget", "lose", ("1", [ALWAYS], "saved")], 1, 0),
    ("of two from one turn only the forgotten one stays away",
     [("1", [TWO], "saved saved"), "forget",
      ("1", [TWO], "forgotten duplicate")], 1, 0),
    ("what the vault holds is known without a record",
     [("1", [TWO, IDEA], "saved saved idea"), "lose",
      ("1", [TWO, IDEA], "duplicate duplicate duplicate")], 2, 1),
    ("a transcript that grew adds only what is new",
     [("1", [ALWAYS], "saved"), ("1", [ALWAYS, PUSH], "duplicate saved")], 2, 0),
    ("what the cap left out comes when it is raised",
     ["cap 1", ("1", [TWO], "saved cut"), ("1", [TWO], "duplicate cut"), "cap 2",
      ("1", [TWO], "duplicate saved")], 2, 0),
    ("a cap of zero switches mining off", ["cap 0", ("1", [ALWAYS], "cut")], 0, 0),
    ("what the vault holds counts to the cap as well, so order changes nothing",
     [("1", [ALWAYS, PUSH], "saved saved"), "cap 4",
      ("2", [ALWAYS, PUSH, IDEA, *RULES], "seen seen idea saved cut cut"),
      ("2", [ALWAYS, PUSH, IDEA, *RULES], " ".join(["duplicate"] * 4 + ["cut"] * 2))],
     3, 1),
    ("a session adds no more than its cap, the surest first",
     ["cap 2", ("1", [*FILES[:1], *RULES], "review saved saved cut")], 2, 1),
    ("of what is not explicit three a session wait",
     [("1", [*FILES[:2], ALWAYS], "review review saved"),
      ("1", [*FILES[:2], ALWAYS, *FILES[2:], *MORE],
       "duplicate duplicate duplicate review cut cut")], 1, 3),
    ("what is low is noted alone",
     [("1", ["always run the linter for now"], "noted")], 0, 0),
]  # fmt: skip


def do(vault: Vault, what: str, name: str) -> None:
    """What a person does between two sessions."""
    if what == "evolve":
        vault.evolve(name, text="Always run the linter and the tests.")
    elif what == "reject":
        review.reject(vault, name, reason="no")
    elif what == "undo":
        undo.undo(vault)
    elif what == "lose":
        for path in state_of(vault.root, layout.SESSIONS).iterdir():
            path.unlink()
    elif what.startswith("cap"):
        config = Path(vault.root, ".memcli", "config.toml")
        config.write_text(f"[memory]\nsession_cap = {what[4:]}\n", encoding="utf-8")
    else:
        getattr(vault, what)(name)


@pytest.mark.parametrize(
    ("story", "active", "waiting"),
    [story[1:] for story in STORIES],
    ids=[story[0] for story in STORIES],
)
def test_what_sessions_say(
    vault: Vault,
    tmp_path: Path,
    snapshot: Snapshot,
    story: list[Step],
    active: int,
    waiting: int,
) -> None:
    first = ""
    for step in story:
        if isinstance(step, str):
            do(vault, step, first)
            continue
        name, words, become = step
        path = say(tmp_path, *words, name=name)
        before = snapshot(vault.root)
        done = vault.mine(path)
        first = first or done.fates[0].id or ""
        assert [fate.action for fate in done.fates] == become.split()
        again = Counter(become.split()) - Counter(cut=9, noted=9)
        if set(again) <= {"duplicate", "forgotten"}:
            assert (snapshot(vault.root), done.commit) == (before, None)
    assert len(texts(vault)) == active
    assert len(texts(vault, Status.PENDING)) == waiting
