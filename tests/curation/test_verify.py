"""Verify: what became of a project's code, and how entries note it anew."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from memcli.api import Vault
from memcli.curation.verify import confirm, verify
from memcli.entries import anchors
from memcli.entries.anchors import fingerprint
from memcli.errors import EntryNotFound, InvalidContent
from memcli.vault.code_state import CloseLook
from tests.checkouts import APP, made_shop
from tests.conftest import VaultMaker
from tests.git_command import git
from tests.saving import pages, write


def save(vault: Vault, text: str = "The limiter waits", **fields: Any) -> str:
    fields.setdefault("code", ["src/app.py:4-6"])
    return vault.save(vault.draft({"text": text, **fields})).id


def states(vault: Vault) -> dict[str, list[str]]:
    return {
        each.id: [each.state, *(one.state for one in each.code_state)]
        for each in verify(vault)
    }


def test_a_scripted_history_is_told_line_by_line(inside: Vault, shop: Path) -> None:
    """Thirty functions are anchored; each of six things happens to five of them."""
    numbers = range(30)
    parts = [f"def f{n}():\n    a = {n}\n    return a * {n + 7}\n\n\n" for n in numbers]
    for n in numbers:
        write(shop, f"src/m{n}.py", parts[n])
    git(shop, "add", ".")
    git(shop, "commit", "-qm", "thirty")
    ids = [save(inside, f"Memory {n}", code=[f"src/m{n}.py:1-3"]) for n in numbers]
    want = {}
    for n in numbers:
        path, text = shop / f"src/m{n}.py", parts[n]
        match n % 6:
            case 0:
                want[ids[n]] = "same"
            case 1:
                path.write_text(text.replace("\n", "  \r\n"), newline="")
                want[ids[n]] = "same"
            case 2:
                path.write_text(f"import os\n\n{text}x = 1\n")
                want[ids[n]] = "moved"
            case 3:
                git(shop, "mv", f"src/m{n}.py", f"src/renamed{n}.py")
                want[ids[n]] = "stale"
            case 4:
                path.write_text(text.replace("return a", "return -a"))
                want[ids[n]] = "stale"
            case _:
                path.unlink()
                want[ids[n]] = "stale"
    assert {each.id: each.state for each in verify(inside)} == want


def test_what_is_over_or_of_another_project_is_not_listed(
    inside: Vault, make_vault: VaultMaker, tmp_path: Path
) -> None:
    done = save(inside, "A")
    inside.resolve(done)
    other = make_vault(cwd=str(made_shop(tmp_path / "other")))
    git(tmp_path / "other", "remote", "set-url", "origin", "git@github.com:acme/blog")
    other = make_vault(cwd=str(tmp_path / "other"))
    save(other, "B")
    assert states(inside) == {}


def test_to_confirm_notes_the_code_as_it_is_and_makes_no_version(
    inside: Vault, shop: Path
) -> None:
    entry_id = save(inside, "RateLimiter waits")
    changed = b"import os\n" + APP.replace(b"sleep(1)", b"sleep(2)\n        return")
    write(shop, "src/app.py", changed)
    git(shop, "commit", "-qam", "second")
    assert states(inside)[entry_id][0] == "stale"
    before = pages(inside)
    assert [one.id for one in confirm(inside, entry_id[:15])] == [entry_id]
    after = pages(inside)
    assert len(after) == len(before)
    (path,) = (path for path in after if after[path] != before[path])
    lines = zip(before[path].split(b"\n"), after[path].split(b"\n"), strict=True)
    assert [new[:5] for old, new in lines if old != new] == [b"code:"]
    (anchor,) = anchors.read_all(inside.get(entry_id).code)
    # The lines of then arrived one further down, and one came to them.
    assert anchor[:3] == ("src/app.py", 5, 8)
    assert anchor.fingerprint == fingerprint(changed, 5, 8)
    assert states(inside)[entry_id][0] == "same"
    last = git(inside, "log", "-1", "--format=%s")
    assert last.startswith("verify: confirm: RateLimiter waits")


def test_what_cannot_be_confirmed_is_refused_and_nothing_changes(
    inside: Vault, make_vault: VaultMaker, tmp_path: Path
) -> None:
    plain, anchored = save(inside, "A", code=None), save(inside, "B")
    before = pages(inside)
    with pytest.raises(InvalidContent, match="names no code"):
        confirm(inside, anchored, plain)
    with pytest.raises(EntryNotFound):
        confirm(inside, anchored, "zzzz")
    with pytest.raises(InvalidContent, match="you are not in a checkout"):
        confirm(make_vault(cwd=str(tmp_path)), anchored)
    assert pages(inside) == before


def test_the_difference_is_shown_where_the_checkout_has_the_commit_of_then(
    inside: Vault, shop: Path
) -> None:
    entry = inside.get(save(inside))
    write(shop, "src/app.py", b"import os\n" + APP.replace(b"sleep(1)", b"sleep(2)"))
    (look,) = CloseLook(inside.project, inside.source, inside.environ).looks(
        entry, diffs=True
    )
    assert "-        time.sleep(1)" in look.diff
    assert "+        time.sleep(2)" in look.diff
    shutil.rmtree(shop / ".git")
    git(shop, "init", "-q")
    git(shop, "remote", "add", "origin", "git@github.com:Acme/Shop.git")
    (look,) = CloseLook(inside.project, inside.source, inside.environ).looks(
        entry, diffs=True
    )
    assert (look.state.state, look.diff) == ("changed", ())
    assert "no commit of this checkout has it" in look.note
