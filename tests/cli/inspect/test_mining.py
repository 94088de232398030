"""`memcli inspect mining`: what mining brought, and why."""

from pathlib import Path

from memcli import Vault
from memcli.curation import inbox, review
from tests.cli.conftest import Run
from tests.sessions.test_reflect_session import ALWAYS, SEEDED, say, talk


def test_the_vault_how_each_rule_fares(
    memcli: Run, vault: Vault, tmp_path: Path
) -> None:
    vault.mine(talk(tmp_path, SEEDED))
    words = [f"please dont touch the {x} files of it" for x in ("sql", "go", "js")]
    vault.mine(say(tmp_path, *words, name="other"))
    waiting = [one for one in inbox.pending(vault) if "files of it" in one.title]
    review.reject(vault, *[one.id for one in waiting])
    data = memcli("inspect", "mining", "--json").json["data"]
    assert list(data) == ["entries", "patterns", "sessions"]
    assert data["entries"] == 8
    assert [*data["patterns"][0]] == "pattern brought kept waiting rejected".split()
    assert data["sessions"]["mined"] == 2
    lines = memcli("inspect", "mining").out.splitlines()
    assert {"entries: 8", "mined: 2"} < {*lines}
    assert "do-not\t4\t0\t1\t3" in lines
    assert "standing\t1\t1\t0\t0" in lines


def test_a_session_every_candidate_why_and_what_became_of_it(
    memcli: Run, vault: Vault, tmp_path: Path
) -> None:
    done = vault.mine(talk(tmp_path, SEEDED))
    ids = {fate.candidate.pattern: fate.id or "" for fate in done.fates}
    review.reject(vault, ids["told-fix"])
    vault.forget(ids["set-right"])
    vault.mine(talk(tmp_path, SEEDED))
    data = memcli("inspect", "mining", "tal", "--json").json["data"]
    assert (data["session"], data["reflected"], data["error"]) == ("talk", True, None)
    told = {
        one["pattern"]: (one["action"], one["status"]) for one in data["candidates"]
    }
    assert told == {
        "standing": ("saved", "active"),
        "set-right": ("forgotten", None),
        "told-fix": ("review", "rejected"),
        "noted-for-later": ("idea", "pending"),
        "do-not": ("review", "pending"),
    }
    lines = memcli("inspect", "mining", "talk").out.splitlines()
    assert {"host: generic", "session: talk", "turns: 6"} < {*lines}
    place = lines.index("Always run the linter before committing")
    about = {f"id: {ids['standing']}", "action: saved", "status: active"}
    why = "rationale: a directive that says how long, how often or where it holds"
    about |= {"confidence: HIGH", "pattern: standing", why, f"excerpt: {ALWAYS}"}
    assert about < {*lines[place : lines.index("", place)]}
    assert f"id: {ids['set-right']}" in lines[lines.index("(forgotten)") :]
    assert "uv instead" not in "\n".join(lines)


def test_a_name_that_is_none(memcli: Run, vault: Vault, tmp_path: Path) -> None:
    vault.mine(say(tmp_path, "Always use tabs here", name="one-a"))
    none = memcli("inspect", "mining", "../one", "--json")
    assert (none.code, none.json["error"]["code"]) == (1, "session_not_found")
    assert none.json["error"]["hint"].startswith("The last ones: one-")
    assert memcli("inspect", "mining", "one-a").code == 0
    assert memcli("inspect", "lint", "one-a").code == 2
