"""Lint names what is wrong, where, and nothing that is right."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries.file_checks import Finding
from memcli.errors import InvalidConfig
from memcli.vault.health.lint import lint
from tests.git_command import git
from tests.saving import write

ID = "1jy5e6hm03e2cs6s"
OTHER = "1jy5e6hm03e2cs6t"


def entry(*fields: str, body: str = "A body.\n", entry_id: str = ID) -> str:
    lines = "".join(f"{field}\n" for field in fields)
    return f"---\nid: {entry_id}\n{lines}---\n{body}"


def only(findings: list[Finding]) -> tuple[str, int, str, str]:
    (finding,) = findings
    return finding[:4]


def targets(vault: Vault) -> list[str]:
    found = [finding for finding in lint(vault) if finding.code == "dangling_link"]
    return [finding.message.partition(": ")[2] for finding in found]


def test_what_expired_as_it_was_meant_to_is_no_finding(vault: Vault):
    over = entry("expires_at: 2020-01-01", "review_after: 2020-01-01")
    write(vault, "memories/a.md", over)
    assert lint(vault) == []


@pytest.mark.parametrize(
    ("text", "line", "code", "level"),
    [
        ("---\nid: [\n---\nx\n", 3, "broken", "error"),
        (entry("status: weird"), 3, "bad_field", "error"),
        (entry("pinned: true", "kind: recipe"), 4, "unknown_kind", "error"),
        (entry(body="a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\n"), 5, "conflict",
         "error"),
        (entry("created: 2026-05-02", "updated: 2026-05-01"), 4,
         "updated_before_created", "warning"),
        (entry(f"supersedes: {OTHER}"), 3, "dangling_lineage", "warning"),
        (entry("tags: [a]", f"superseded_by: {OTHER}"), 4, "dangling_lineage",
         "warning"),
        (entry(body="one\n\nsee [[Nowhere]]\n"), 6, "dangling_link", "warning"),
        (entry(body="one\nAKIAIOSFODNN7EXAMPLA\n"), 5, "secret", "warning"),
        (entry('title: "ghp_0123456789abcdefghijABCDEFGHIJ0123456789"'), 3, "secret",
         "warning"),
        (entry(body="word " * 250_000), 1, "large", "warning"),
    ],
)  # fmt: skip
def test_finding_names_path_line_and_level(
    vault: Vault, text: str, line: int, code: str, level: str
):
    write(vault, "memories/a.md", text)
    assert only(lint(vault)) == ("memories/a.md", line, code, level)


def test_lines_are_right_in_a_file_with_bom_and_crlf(vault: Vault):
    text = entry(body="one\n\n[[Nowhere]]\n").replace("\n", "\r\n")
    Path(vault.root, "a.md").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert only(lint(vault)) == ("a.md", 6, "dangling_link", "warning")


def test_two_files_with_one_id_are_an_error(vault: Vault):
    write(vault, "memories/a.md", entry())
    write(vault, "memories/b.md", entry())
    assert only(lint(vault)) == ("memories/b.md", 2, "duplicate_id", "error")


def test_kinds_of_the_config_are_known(vault: Vault):
    write(vault, ".memcli/config.toml", '[vault]\nkinds = ["recipe"]\n')
    write(vault, "a.md", entry("kind: recipe"))
    assert lint(vault) == []


def test_markers_of_a_tutorial_about_conflicts_are_no_conflict(vault: Vault):
    write(vault, "a.md", "# Conflicts\n\nLook for <<<<<<< HEAD and =======.\n")
    write(vault, "b.md", "<<<<<<< HEAD starts a side\n\nTitle\n=====\n")
    assert lint(vault) == []


LINKS = [
    "[[kubernetes]]",
    "[[Kubernetes|the cluster]]",
    "[[ops/Kubernetes#Setup]]",
    "[[K8s]]",
    "[[KUBE, the cluster]]",
    "[[ops/kubernetes-page]]",
    "| [[Kubernetes\\|in a table]] |",
    "![[shot.png]]",
    "[[README]]",
    "[readme](../README.md)",
    "[note](../ops/My%20Note.md)",
    "[note](<../ops/Kubernetes.md>)",
    "[[Caf\u00e9]]",
    f"[[{ID}]]",
    "[site](https://example.com/page.md)",
    "`[[ -f file ]]`",
]


def test_link_that_leads_somewhere_is_no_finding(vault: Vault):
    write(
        vault,
        "ops/Kubernetes.md",
        f'---\nid: {ID}\naliases: [K8s, "Kube, the cluster"]\n'
        "permalink: ops/kubernetes-page\n---\n# Kubernetes\n",
    )
    write(vault, "ops/My Note.md", "# Mine\n")
    write(vault, "ops/Cafe\u0301.md", "Coffee\n")  # as macOS hands it out
    write(vault, "img/shot.png", "a picture")
    for link in LINKS:
        write(vault, "notes/from.md", f"See {link}\n")
        assert targets(vault) == []


def test_alias_lists_of_every_style_are_read(vault: Vault):
    write(vault, "a.md", "---\naliases:\n  - One # first\n  - 'Two'\n---\nx\n")
    write(vault, "b.md", "---\naliases: Three, Four\n---\nx\n")
    write(vault, "c.md", "---\naliases:\n---\nx\n")
    write(vault, "d.md", "[[One]] [[two]] [[three]] [[Four]] [[Five]]\n")
    assert targets(vault) == ["Five"]


def test_link_to_a_title_finds_it(vault: Vault):
    saved = vault.save(vault.draft({"text": "x y", "title": "How we deploy"}))
    write(vault, "a.md", f"[[how we deploy]] [[{saved.id}]] [[how we sleep]]\n")
    assert targets(vault) == ["how we sleep"]


def test_leftovers_of_killed_writes_are_named_in_every_folder(vault: Vault):
    names = (".a.md.12-0123abcd.tmp", "empty/.b.md.7-0123abcd.tmp")
    for name in (*names, "empty/.99-0123abcd-3.tmp", ".theirs.tmp"):
        write(vault, name, "half")
        os.utime(Path(vault.root, name), (1, 1))
    write(vault, ".going-on.md.12-0123abcd.tmp", "half")
    found = [f.path for f in lint(vault) if f.code == "leftover"]
    assert found == sorted((*names, "empty/.99-0123abcd-3.tmp"))


def test_symbolic_links_are_named(vault: Vault):
    write(vault, "a.md", "x\n")
    Path(vault.root, "b.md").symlink_to("a.md")
    assert only(lint(vault)) == ("b.md", 1, "symlink", "warning")


def test_vault_without_git_is_an_error(vault: Vault):
    Path(vault.root, ".git").rename(Path(vault.root).parent / "elsewhere")
    assert only(lint(vault)) == (".", 1, "no_history", "error")


def test_lint_changes_nothing(vault: Vault):
    write(vault, "a.md", entry("status: weird", body="[[x]]\n"))
    before = git(vault, "status", "--porcelain", "-uall")
    lint(vault)
    assert git(vault, "status", "--porcelain", "-uall") == before


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (
            '[agents.planner]\n# may\npolicy = "shared"\n[agents."ada"]\n'
            'groups = []\npolicy = "sharedd"\n',
            6,
            "[agents.ada] policy must be one of isolated, shared, group",
        ),
        (
            "[limits]\nlock_wait = 1\nbody = 0\n",
            3,
            "[limits] body must be a number from 1 to",
        ),
        ("[agents]\nada = 1\n", 1, "[agents.ada] policy must be one of"),
        ("\n[vault\n", 2, "Expected ']'"),
    ],
)
def test_a_setting_that_cannot_be_used_is_found_with_file_and_line(
    vault: Vault, text: str, line: int, says: str
) -> None:
    write(vault, ".memcli/config.toml", text)
    write(vault, "a.md", "no entry <<<<<<< either")
    (finding,) = lint(vault)
    assert finding[:4] == (".memcli/config.toml", line, "bad_config", "error")
    assert finding.message.startswith(says)
    with pytest.raises(InvalidConfig) as refused:
        vault.draft({"text": "x", "kind": "nosuch"})
    path = Path(vault.root, ".memcli", "config.toml")
    assert refused.value.message.startswith(str(path))
    assert refused.value.hint


# --- what does not belong into a vault ------------------------------------------------


def test_other_repositories_among_the_notes_are_named(vault: Vault) -> None:
    inner = Path(vault.root, "inner")
    subprocess.run(["git", "init", "-q", str(inner)], check=True)
    subprocess.run(["git", "init", "-q", "--bare", str(inner.with_name("bare"))])
    write(vault, "worktree/.git", "gitdir: /elsewhere\n")
    head = git(vault, "rev-parse", "HEAD").strip()
    git(vault, "update-index", "--add", "--cacheinfo", f"160000,{head},linked")
    found = [finding for finding in lint(vault) if finding.code == "nested_repository"]
    assert [finding.path for finding in found] == [
        "bare", "inner", "linked", "worktree",
    ]  # fmt: skip
    assert "commit of another repository" in found[2].message


def test_a_vault_in_a_repository_is_not_its_own_nested_one(tmp_path: Path) -> None:
    from memcli.vault.create import prepare

    subprocess.run(["git", "init", "-q", str(tmp_path / "code")], check=True)
    prepare(str(tmp_path / "code" / "notes"))
    assert lint(Vault.open(str(tmp_path / "code" / "notes"))) == []


def test_links_to_folders_are_named_and_not_followed(
    vault: Vault, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.md").write_text("We deploy on Mondays\n")
    Path(vault.root, "memories", "far").symlink_to(tmp_path / "outside")
    Path(vault.root, "memories", "loop").symlink_to("..")
    assert [(f.path, f.code) for f in lint(vault)] == [
        ("memories/far", "symlink"),
        ("memories/loop", "symlink"),
    ]
    assert vault.recall("deploy").rows == []


# --- what costs time ------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        "\n".join(f"[[Nowhere {n}]]" for n in range(40_000)),
        "[x](" + ".md#" * 50_000,
        "<<<<<<< x\n=======\n" * 30_000,
        "<<<<<<< x\n" * 60_000 + "=======\n" * 60_000,
    ],
    ids=["40,000 links", "a link that does not end", "conflicts", "halves of them"],
)
def test_a_long_note_costs_time_in_proportion(vault: Vault, body: str) -> None:
    write(vault, "memories/long.md", entry(body=body))
    started = time.process_time()
    found = lint(vault)
    assert time.process_time() - started < 10
    lines = [f.line for f in found if f.code == "dangling_link"]
    assert lines in ([], [n + 4 for n in range(40_000)])
