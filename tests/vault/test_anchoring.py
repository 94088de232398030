"""What an entry that is saved notes of its project's code, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from memcli.api import Vault
from memcli.curation import importing
from memcli.entries import anchors
from memcli.entries.anchors import fingerprint
from memcli.entries.entry import Enforce
from memcli.errors import InvalidValue
from tests.checkouts import APP
from tests.conftest import VaultMaker
from tests.git_command import git

SHOP = "github.com/acme/shop"


@pytest.fixture
def inside(make_vault: VaultMaker, shop: Path) -> Vault:
    """The vault as it is asked from a folder of the shop."""
    return make_vault(cwd=str(shop / "src"))


def save(vault: Vault, text: str = "The limit is ten", **fields: Any) -> Any:
    return vault.get(vault.save(vault.draft({"text": text, **fields})).id)


def test_an_anchor_notes_the_lines_as_they_are_and_the_commit(
    inside: Vault, shop: Path
) -> None:
    entry = save(inside, code=["src/app.py:4-6", "./Makefile"])
    first, second = anchors.read_all(entry.code)
    assert first[:3] == ("src/app.py", 4, 6)
    assert first.fingerprint == fingerprint(APP, 4, 6)
    assert second.place == "Makefile"
    head = git(shop, "rev-parse", "HEAD")  # fmt: skip
    assert first.commit == second.commit == head[:12]
    assert entry.project == SHOP


def test_nothing_of_the_code_is_stored(inside: Vault) -> None:
    save(inside, code=["src/app.py", "src/app.py:1-3"])
    (page,) = Path(inside.root, "memories").rglob("*.md")
    assert not any(line in page.read_bytes() for line in APP.split(b"\n") if line)


NOWHERE = [
    ("src/nope.py", "there is no such file"),
    ("src", "it is a folder"),
    ("src/app.py:400", "there is no line 400"),
    ("src/app.py:2-3", "blank"),
    ("../secret", "leads out of the project"),
    ("out", "symbolic link"),
]


def test_an_anchor_that_leads_nowhere_is_refused_and_nothing_is_saved(
    inside: Vault, shop: Path
) -> None:
    (shop / "out").symlink_to("/etc/passwd")
    for anchor, reason in NOWHERE:
        with pytest.raises(InvalidValue, match=reason):
            save(inside, code=[anchor])
        assert not list(Path(inside.root, "memories").rglob("*.md"))


def test_only_an_entry_of_this_project_is_anchored(
    inside: Vault, make_vault: VaultMaker
) -> None:
    for project in (None, "github.com/acme/blog"):
        with pytest.raises(InvalidValue, match=r"holds everywhere|belongs to github"):
            save(inside, code=["src/app.py"], project=project)
    with pytest.raises(InvalidValue, match="this folder belongs to no project"):
        save(make_vault(cwd=None), code=["src/app.py"], project=SHOP)
    with pytest.raises(InvalidValue, match="this folder belongs to no project"):
        save(make_vault(cwd=None), code=["src/app.py"], project=None)


def test_a_checkout_without_git_or_commit_is_anchored_without_one(
    make_vault: VaultMaker, shop: Path
) -> None:
    git(shop, "update-ref", "-d", "HEAD")
    entry = save(make_vault(cwd=str(shop)), code=["src/app.py"])
    assert entry.code == (f"src/app.py#{fingerprint(APP)}",)


def test_a_new_text_is_anchored_anew_and_a_new_tag_is_not(
    inside: Vault, shop: Path
) -> None:
    old = save(inside, "RateLimiter waits", code=["src/app.py:4-6"])
    changed = b"# a line\n" + APP.replace(b"sleep(1)", b"sleep(2)")
    (shop / "src" / "app.py").write_bytes(changed)
    tagged = inside.get(inside.evolve(old.id, tags=["x"]).id)
    assert tagged.code == old.code
    fresh = inside.get(inside.evolve(tagged.id, "It waits two seconds").id)
    (anchor,) = anchors.read_all(fresh.code)
    assert anchor.fingerprint == fingerprint(changed, 4, 6)
    other = inside.get(inside.evolve(fresh.id, code=["Makefile"]).id)
    assert [anchor.path for anchor in anchors.read_all(other.code)] == ["Makefile"]


def test_a_new_text_follows_lines_that_moved_and_keeps_what_is_gone(
    inside: Vault, shop: Path
) -> None:
    old = save(inside, "RateLimiter waits", code=["src/app.py:4-6", "Makefile"])
    (shop / "src" / "app.py").write_bytes(b"# a line\n" + APP)
    (shop / "Makefile").unlink()
    fresh = inside.get(inside.evolve(old.id, "It waits a second").id)
    moved, gone = anchors.read_all(fresh.code)
    assert moved[:3] == ("src/app.py", 5, 7)
    assert str(gone) == old.code[1]


def test_a_person_alone_adds_code_to_what_keeps_tools_from_running(
    inside: Vault,
) -> None:
    plain = inside.draft({"text": "By hand", "code": ["Makefile"], "kind": "lesson"})
    rule = inside.save(plain.replace(enforce=Enforce.DENY)).id
    more: dict[str, Any] = {"text": "By hand", "code": ["Makefile:1"], "project": SHOP}
    served = Vault.open(inside.root, inside.caller._replace(via="mcp"))
    save(served, **more)
    save(inside, **more, source={"writer": "skill"})
    importing.import_lines(inside, json.dumps(more).encode(), "x.jsonl")
    assert len(inside.get(rule).code) == 1
    save(inside, **more)
    assert len(inside.get(rule).code) == 2


def test_an_import_keeps_anchors_of_other_projects_and_refuses_bad_ones_of_this(
    inside: Vault,
) -> None:
    lines = (
        '{"text": "a", "project": "acme/blog", "code": ["x.py:1-2"]}\n'
        f'{{"text": "b", "project": "{SHOP}", "code": ["src/nope.py"]}}\n'
        f'{{"text": "c", "project": "{SHOP}", "code": ["src/app.py:4"]}}\n'
        '{"text": "d", "code": ["/etc/passwd"]}\n'
    )
    done = importing.import_lines(inside, lines.encode(), "x.jsonl")
    assert [(each.line, each.code) for each in done.failed] == [
        (2, "invalid_code"),
        (4, "invalid_code"),
    ]
    kept, made = (inside.get(saved.id) for saved in done.created)
    assert kept.code == ("x.py:1-2",)
    assert anchors.read_all(made.code)[0].fingerprint
