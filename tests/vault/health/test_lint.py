"""Lint names what is wrong, where, and nothing that is right."""

import os
import time
from itertools import pairwise
from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries.file_checks import Finding
from memcli.errors import InvalidConfig, LockBusy
from memcli.storage import journal
from memcli.storage.lock import Lock
from memcli.vault.health import repair
from memcli.vault.health.lint import lint
from tests.git_command import git
from tests.saving import write

A, B = "1m7y6wbehbqyv1ka", "1m7y6wbehbqyv1kb"
C, D = "1m7y6wbehbqyv1kc", "1m7y6wbehbqyv1kd"
OVER = "status: superseded"


def entry(name: str, *lines: str, body: str = "") -> str:
    fields = "".join(f"{line}\n" for line in lines)
    return f"---\nid: {name}\n{fields}---\n{body or f'The text of {name[-1]}'}\n"


def only(vault: Vault) -> Finding:
    (finding,) = lint(vault)
    return finding


def targets(vault: Vault) -> list[str]:
    found = [finding for finding in lint(vault) if finding.code == "dangling_link"]
    return [finding.message.partition(": ")[2] for finding in found]


def by(*names: str) -> list[str]:
    """The files of all entries but the last, each superseded by the next."""
    return [entry(n, OVER, f"superseded_by: {m}") for n, m in pairwise(names)]


# Files a.md, b.md, ... as they are, and the one finding of them.
FOUND = [
    # One file.
    (["---\nid: [\n---\nx\n"], "a.md:3 broken error"),
    ([entry(A, "status: weird")], "a.md:3 bad_field error"),
    ([entry(A, "pinned: true", "kind: recipe")], "a.md:4 unknown_kind error"),
    ([entry(A, body="a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x")],
     "a.md:5 conflict error"),
    ([entry(A, body="<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x").replace("\n", "\r\n")],
     "a.md:4 conflict error"),
    ([entry(A, body="one\n\nsee [[Nowhere]]")], "a.md:6 dangling_link warning"),
    ([entry(A, body="one\nAKIAIOSFODNN7EXAMPLA")], "a.md:5 secret warning"),
    ([entry(A, 'title: "ghp_0123456789abcdefghijABCDEFGHIJ0123456789"')],
     "a.md:3 secret warning"),
    ([entry(A, body="word " * 250_000)], "a.md:1 large warning"),
    ([entry(A, OVER)], "a.md:3 superseded_by_nobody warning"),
    ([entry(A, "status: resolved")], "a.md:3 resolved_when warning"),
    ([entry(A, "review_after: 2026-11-20")], "a.md:3 review_due warning"),
    # A `resolved_at` that does not count.
    ([entry(A, "status: active", "resolved_at: 2026-11-20")],
     "a.md:4 resolved_but_active warning"),
    (["---\nresolvedAt: 1771234567\n---\nRestart that.\n"],
     "a.md:2 resolved_but_active warning"),
    # Ids and lineages.
    ([entry(A), entry(A)], "b.md:2 duplicate_id error"),
    ([entry(A, f"supersedes: {B}")], "a.md:3 dangling_lineage warning"),
    ([entry(A, OVER, f"superseded_by: {B}")], "a.md:4 dangling_lineage warning"),
    ([entry(A), entry(B, f"supersedes: {A}")], "b.md:3 one_sided_lineage warning"),
    ([entry(A, "status: active", f"superseded_by: {B}"), entry(B)],
     "a.md:4 superseded_but_active warning"),
    ([*by(A, B), entry(B, f"supersedes: {A}"), entry(C, f"supersedes: {A}")],
     "c.md:3 lineage_fork warning"),
    ([entry(A, OVER, f"superseded_by: {B}"), entry(B, OVER, f"superseded_by: {A}")],
     "a.md:4 lineage_cycle warning"),
    # B says that it replaced A; A says that C has, into which D was merged.
    ([*by(A, C), entry(B, f"supersedes: {A}"), entry(C, f"supersedes: {D}"),
      *by(D, C)], "b.md:3 lineage_fork warning"),
    ([entry(A, "layer: model", f"evidence: [{B}]"), entry(B, "visibility: private")],
     "a.md:4 wider_than_evidence warning"),
]  # fmt: skip

NOTHING = [
    ["# Conflicts\n\nLook for <<<<<<< HEAD and =======.\n"],
    ["<<<<<<< HEAD starts a side\n\nTitle\n=======\n"],
    # What expired as it was meant to.
    [entry(A, "expires_at: 2020-01-01", "review_after: 2020-01-01")],
    # What was merged into another is no fork.
    [*by(A, C), *by(B, C), entry(C, f"supersedes: {A}")],
]


def fill(vault: Vault, texts: list[str]) -> None:
    for letter, text in zip("abcdef", texts, strict=False):
        write(vault, f"{letter}.md", text)


@pytest.mark.parametrize(("texts", "said"), FOUND)
def test_each_thing_that_is_wrong_is_one_finding_with_its_line(
    vault: Vault, texts: list[str], said: str
) -> None:
    fill(vault, texts)
    path, line, code, level, _, hint = only(vault)
    assert f"{path}:{line} {code} {level}" == said
    assert hint or code in _WITHOUT_HINT


_WITHOUT_HINT = (*("broken", "bad_field", "dangling_link", "large"),)


@pytest.mark.parametrize("texts", NOTHING)
def test_what_is_right_is_no_finding(vault: Vault, texts: list[str]) -> None:
    fill(vault, texts)
    assert lint(vault) == []


def test_a_finding_names_the_others_and_what_to_do(vault: Vault) -> None:
    fill(vault, [*by(A, B), entry(B, f"supersedes: {A}"), entry(C, f"supersedes: {A}")])
    assert only(vault).hint == (
        "memcli doctor --fix makes one chain of them; or one text: "
        f"memcli evolve {C} --also {B}"
    )


# --- lifecycles ----------------------------------------------------------------------


@pytest.mark.parametrize("field", ["status: Closed", "resolved_at: 2026-11-20"])
def test_a_trackers_word_for_solved_is_read_as_resolved(
    vault: Vault, field: str
) -> None:
    write(vault, "a.md", entry(A, field, body="Restart it."))
    write(vault, "note.md", f"---\n{field}\n---\nRestart that.\n")
    codes = [finding.code for finding in lint(vault)]
    assert codes == ["resolved_when"] * 2 * field.startswith("status")
    assert vault.recall("restart").rows == []
    vault.reopen(A)
    assert [row.id for row in vault.recall("restart").rows] == [A]


def test_a_revert_in_progress_and_a_detached_head_are_named(vault: Vault) -> None:
    git(vault, "checkout", "--detach")
    assert (only(vault).code, only(vault).level) == ("detached_head", "warning")
    git(vault, "checkout", "main")
    Path(vault.root, ".git", "REVERT_HEAD").write_text("0" * 40 + "\n")
    assert (only(vault).code, only(vault).level) == ("git_state", "error")
    assert f"git -C {vault.root} revert --abort" in (only(vault).hint or "")


def test_a_rebase_that_stopped_is_told_as_a_rebase_alone(vault: Vault) -> None:
    git(vault, "checkout", "--detach")
    Path(vault.root, ".git", "rebase-merge").mkdir()
    Path(vault.root, ".git", "CHERRY_PICK_HEAD").write_text("0" * 40 + "\n")
    assert only(vault).message.startswith("a rebase is in progress")


def test_no_command_of_a_hint_holds_words_of_a_note_unquoted(vault: Vault) -> None:
    """A person pastes it into a shell."""
    note = Path(vault.root, "memories", "a.md")
    note.write_text(
        "---\nid: 1jy5e6hm03e2cs6s\nsupersedes: $(touch pwned); x\n---\nWe deploy\n"
    )
    (finding,) = [f for f in lint(vault) if f.code == "dangling_lineage"]
    assert (finding.hint or "").endswith("-S '$(touch pwned); x'")


# --- links, and what does not belong into a vault ------------------------------------


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
    f"[[{A}]]",
    "[site](https://example.com/page.md)",
    "`[[ -f file ]]`",
]


def test_lines_are_right_in_a_file_with_bom_and_crlf(vault: Vault):
    text = entry(A, body="one\n\n[[Nowhere]]").replace("\n", "\r\n")
    Path(vault.root, "a.md").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert only(vault)[:4] == ("a.md", 6, "dangling_link", "warning")


def test_kinds_of_the_config_are_known(vault: Vault):
    write(vault, ".memcli/config.toml", '[vault]\nkinds = ["recipe"]\n')
    write(vault, "a.md", entry(A, "kind: recipe"))
    assert lint(vault) == []


def test_link_that_leads_somewhere_is_no_finding(vault: Vault):
    write(
        vault,
        "ops/Kubernetes.md",
        f'---\nid: {A}\naliases: [K8s, "Kube, the cluster"]\n'
        "permalink: ops/kubernetes-page\n---\n# Kubernetes\n",
    )
    write(vault, "ops/My Note.md", "# Mine\n")
    write(vault, "ops/Cafe\u0301.md", "Coffee\n")  # as macOS hands it out
    write(vault, "img/shot.png", "a picture")
    for link in LINKS:
        write(vault, "notes/from.md", f"See {link}\n")
        assert targets(vault) == []


def test_leftovers_of_killed_writes_are_named_in_every_folder(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    halves = [".a.md.12-0123abcd.tmp", "empty/.b.md.7-0123abcd.tmp"]
    others = [".theirs.tmp", "a.md.12-0123abcd.tmp", ".b.md.12-0123ABCD.tmp"]
    kept = ".committed.12-0123abcd.tmp"
    for name in (*halves, *others, kept):
        write(vault, name, "half")
        os.utime(Path(vault.root, name), (1, 1))
    git(vault, "add", "--force", kept)
    write(vault, ".going-on.md.12-0123abcd.tmp", "half")
    link = Path(vault.root, ".link.md.12-0123abcd.tmp")
    link.symlink_to("b.md")
    os.utime(link, (1, 1), follow_symlinks=False)
    found = [f.path for f in lint(vault) if f.code == "leftover"]
    assert found == sorted(halves)
    monkeypatch.setattr(repair, "_PATIENCE", 0.0)
    with Lock(journal.lock_path(vault.root), 0), pytest.raises(LockBusy):
        repair.apply(vault, repair.plan(vault))  # a write is going on
    assert all(Path(vault.root, name).exists() for name in halves)
    repair.apply(vault, repair.plan(vault))
    assert [name for name in halves if Path(vault.root, name).exists()] == []
    assert all(Path(vault.root, name).exists() for name in (*others, kept))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            '[agents.planner]\n# may\npolicy = "shared"\n[agents."ada"]\n'
            'groups = []\npolicy = "sharedd"\n',
            "[agents.ada] policy must be one of isolated, shared, group",
        ),
        ("\n[vault\n", "Expected ']'"),
    ],
)
def test_a_setting_that_cannot_be_used_is_found_with_its_file(
    vault: Vault, text: str, says: str
) -> None:
    write(vault, ".memcli/config.toml", text)
    write(vault, "a.md", "no entry <<<<<<< either")
    (finding,) = lint(vault)
    assert finding[:4] == (".memcli/config.toml", 1, "bad_config", "error")
    assert says in finding.message
    with pytest.raises(InvalidConfig) as refused:
        vault.draft({"text": "x", "kind": "nosuch"})
    path = Path(vault.root, ".memcli", "config.toml")
    assert refused.value.message.startswith(str(path))
    assert refused.value.hint


def test_other_repositories_among_the_notes_are_named(vault: Vault) -> None:
    git(vault, "init", "-q", "inner")
    git(vault, "init", "-q", "--bare", "bare")
    write(vault, "worktree/.git", "gitdir: /elsewhere\n")
    head = git(vault, "rev-parse", "HEAD").strip()
    git(vault, "update-index", "--add", "--cacheinfo", f"160000,{head},linked")
    found = [finding for finding in lint(vault) if finding.code == "nested_repository"]
    assert [finding.path for finding in found] == [
        "bare", "inner", "linked", "worktree",
    ]  # fmt: skip


def test_a_vault_in_a_repository_is_not_its_own_nested_one(tmp_path: Path) -> None:
    from memcli.vault.create import prepare

    git(tmp_path, "init", "-q", "code")
    prepare(str(tmp_path / "code" / "notes"), agreed=True)
    assert lint(Vault.open(str(tmp_path / "code" / "notes"))) == []


def test_links_to_folders_are_named_and_not_followed(
    vault: Vault, tmp_path: Path
) -> None:
    write(tmp_path, "outside/a.md", "We deploy on Mondays\n")
    Path(vault.root, "memories", "far").symlink_to(tmp_path / "outside")
    Path(vault.root, "memories", "loop").symlink_to("..")
    assert [(f.path, f.code) for f in lint(vault)] == [
        ("memories/far", "symlink"),
        ("memories/loop", "symlink"),
    ]
    assert vault.recall("deploy").rows == []


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
    write(vault, "memories/long.md", entry(A, body=body))
    started = time.process_time()
    found = lint(vault)
    assert time.process_time() - started < 10
    lines = [f.line for f in found if f.code == "dangling_link"]
    assert lines in ([], [n + 4 for n in range(40_000)])


def test_a_tag_that_is_named_head_hides_no_finding(vault: Vault) -> None:
    saved = vault.save("We deploy on Tuesdays")
    git(Path(vault.root), "tag", "HEAD")
    assert lint(vault) == []
    (Path(vault.root) / saved.path).write_text(
        entry(A, "status: gone"), encoding="utf-8"
    )
    assert lint(vault) != []


def test_marks_of_a_merge_in_a_saved_text_are_no_conflict(vault: Vault) -> None:
    text = "git wrote:\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n"
    saved = vault.save(text)
    assert lint(vault) == []
    assert " <<<<<<< HEAD\na\n=======\nb\n >>>>>>> theirs" in vault.get(saved.id).body
