"""`asked`: phrases in other words, by which somebody may ask for an entry."""

import pytest

from memcli import Vault
from memcli.entries.entry import KINDS
from memcli.entries.fields import LONGEST_ASKED, MOST_ASKED, draft
from memcli.errors import InvalidValue
from tests.cli.conftest import Run
from tests.saving import save

TEXT = "Connections to the ledger are pooled by PgBouncer, twenty at most"
PHRASES = ("too many clients already", "database refuses logins")


@pytest.mark.parametrize(
    ("phrases", "why"),
    [
        (
            [f"phrase {number}" for number in range(MOST_ASKED + 1)],
            "takes 8 phrases of 60",
        ),
        (["x" * (LONGEST_ASKED + 1)], "takes 8 phrases of 60"),
        ({"a": 1}, "must be a list of strings"),
    ],
)
def test_too_many_or_too_long_phrases_are_refused(phrases: object, why: str) -> None:
    with pytest.raises(InvalidValue, match=why) as refused:
        draft({"text": TEXT, "asked": phrases}, kinds=KINDS, body_limit=100)
    assert refused.value.code == "invalid_asked"


def test_save_and_evolve_take_phrases_and_inspect_shows_them(memcli: Run) -> None:
    flags = [word for phrase in PHRASES for word in ("--asked", phrase)]
    saved = memcli("save", TEXT, *flags, "--json").json["data"]["id"]
    assert memcli("inspect", saved, "--json").json["data"]["asked"] == [*PHRASES]
    fresh = memcli("evolve", saved, "--asked", "pool is full", "--json").json["data"]
    for command in ("inspect", "show"):
        assert "  asked: pool is full\n" in memcli(command, fresh["id"]).out
    (shown,) = memcli("show", fresh["id"], "--json").json["data"]["entries"]
    assert shown["asked"] == ["pool is full"]


def test_the_same_text_again_adds_its_phrases_while_there_is_room(vault: Vault) -> None:
    first = save(vault, TEXT, asked=PHRASES)
    again = vault.save(TEXT, asked=["pool size"])
    assert (again.outcome, again.merged) == ("merged", ("asked",))
    assert vault.get(first).asked == (*PHRASES, "pool size")
    more = [f"phrase {number}" for number in range(6)]
    full = vault.save(TEXT, asked=more)
    assert full.not_taken == ("asked",)


def test_a_new_text_takes_new_phrases_and_says_so(vault: Vault) -> None:
    first = save(vault, TEXT, asked=PHRASES)
    done = vault.evolve(first, "PgBouncer is gone: the driver pools connections")
    assert vault.get(done.id).asked == ()
    assert f"memcli evolve {done.id} --asked PHRASE" in done.notes[0]
    given = vault.evolve(done.id, "The driver pools them", asked=["max_connections"])
    assert vault.get(given.id).asked == ("max_connections",)
    assert given.notes == ()
