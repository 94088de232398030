"""2: the words are wrong for every vault; 1: the vault cannot do it."""

from pathlib import Path

import pytest

from memcli import Vault
from tests.cli.conftest import Run

NOWHERE = "/nowhere/at/all"
TOKEN = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
WRONG_WORDS = [
    (["nosuch"], "usage"),
    (["recall"], "usage"),
    (["recall", "x", "--nosuch"], "usage"),
    (["recall", "x", "--all"], "usage"),
    (["recall", "x", "--limit", "many"], "usage"),
    (["recall", "x", "--limit", "0"], "invalid_limit"),
    (["recall", "x", "--budget", "huge"], "usage"),
    (["recall", "x", "--kind", "fixx"], "invalid_kind"),
    (["recall", "x", "--type", "animal"], "invalid_type"),
    (["recall", "x", "--after", "someday"], None),
    (["recall", "--all", "--cursor", "zzz"], "invalid_cursor"),
    (["reflect", "x", "--kind", "fixx"], "invalid_kind"),
    (["reflect", "--all-sessions", "--host", "nosuch"], None),
    (["save", "x", "--kind", "fixx"], "invalid_kind"),
    (["save", "x", "--type", "animal"], "invalid_type"),
    (["save", "x", "--layer", "roof"], "invalid_layer"),
    (["save", "x", "--item", "thing"], "invalid_item"),
    (["save", "x", "--confidence", "SOME"], "invalid_confidence"),
    (["save", "x", "--source", "nobody"], "invalid_source"),
    (["save", "x", "--occurred-at", "2025-13-01"], "invalid_occurred_at"),
    (["save", "x", "--expires-at", "never"], "invalid_expires_at"),
    (["save", "x", "--tag", "two words"], "invalid_tag"),
    (["save", "x", "--entity", ".."], "invalid_entity"),
    (["save", "x", "--visibility", "public"], "usage"),
    (["save", " "], "empty_text"),
    (["save", "x", "--agent", ""], "usage"),
    (["save", "x", "--project", ""], "usage"),
    (["save", "x", "--tag", "a", "--tag="], "usage"),
    (["--vault", "", "list"], "usage"),
    (["list", "--since", ""], "usage"),
    (["recall", "x", "--after", ""], "usage"),
    (["evolve"], "usage"),
    (["resolve"], "usage"),
    (["review", "--approve"], "usage"),
    (["review", "--approve", "--all", "--min-confidence", "SOME"], None),
    (["ideas", "nosuch"], "usage"),
    (["entities", "nosuch"], "usage"),
    (["entities", "register", ".."], "invalid_entity"),
    (["inspect", "models", "x"], "usage"),
    (["inspect", "index", "--stale"], "usage"),
    (["skills", "nosuch"], "usage"),
    (["skills", "show", "nosuch"], "skill_not_found"),
    (["install", "nosuch"], "invalid_host"),
    (["install", "codex", "--scope", "world"], "usage"),
    (["import"], "usage"),
    (["import", "x.jsonl", "--yes"], "usage"),
]
NOT_POSSIBLE = [
    (["recall", "x", "--vault", NOWHERE], "vault_not_found"),
    (["recall", "--batch", NOWHERE], "unreadable"),
    (["recall", "--useful", "1zzz"], "entry_not_found"),
    (["save", "--file", NOWHERE], "unreadable"),
    (["save", "key AKIAABCDEFGHIJKLMNOP"], "secret_found"),
    (["evolve", "1zzz", "x"], "entry_not_found"),
    (["resolve", "1zzz"], "entry_not_found"),
    (["forget", "1zzz", "--yes"], "entry_not_found"),
    (["review", "--approve", "1zzz"], "entry_not_found"),
    (["review", "--undo"], "nothing_to_undo"),
    (["ideas", "promote", "nosuch"], "idea_not_found"),
    (["entities", "alias", "nosuch", "other", "--yes"], "entity_not_found"),
    (["inspect", "1zzz"], "entry_not_found"),
    (["inspect", "research", "nosuch"], "research_not_found"),
    (["reflect", "--session", NOWHERE], "unreadable"),
    (["import", NOWHERE], "unreadable"),
    (["init", "/"], "not_a_vault"),
    (["inspect", "--agent", "ada"], "owner_only"),
]
CASES = [(2, *case) for case in WRONG_WORDS] + [(1, *case) for case in NOT_POSSIBLE]


@pytest.mark.parametrize(
    ("code", "words", "error"), CASES, ids=[" ".join(words) for _, words, _ in CASES]
)
def test_a_mistake_has_the_exit_code_of_its_sort(
    memcli: Run, code: int, words: list[str], error: str | None
) -> None:
    done = memcli(*words, "--json")
    assert (done.code, done.json["ok"]) == (code, False), done.json["error"]
    assert error is None or done.json["error"]["code"] == error


@pytest.mark.parametrize(
    "words",
    [
        ["entities", "alias", "Redis", TOKEN],
        ["entities", "rename", "Redis", TOKEN],
        ["entities", "register", TOKEN],
        ["resolve", "ID", "--note", f"the token is {TOKEN}"],
        ["review", "--approve", "ID", "--title", f"the token is {TOKEN}"],
        ["ideas", "promote", "nosuch", "--title", f"the token is {TOKEN}"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_plan_refuses_the_secret_that_its_execution_would_refuse(
    memcli: Run, words: list[str]
) -> None:
    saved = memcli("save", "The cache", "--entity", "Redis", "--json").json["data"]
    given = [saved["id"] if word == "ID" else word for word in words]
    done = memcli(*given, "--dry-run", "--json")
    assert done.json["error"]["code"] == "secret_found"
    assert "commit" not in done.json["error"]["message"]
    assert TOKEN not in done.out


def test_a_file_that_an_export_cannot_read_is_named_counted_and_no_success(
    memcli: Run, vault: Vault
) -> None:
    memcli("save", "We deploy on Tuesdays")
    broken = Path(vault.root, "memories", "broken.md")
    broken.write_text("---\nid: [x\n---\nlost\n", encoding="utf-8")
    for format_ in ("jsonl", "markdown"):
        done = memcli("export", "--format", format_, "--out", format_)
        assert done.code == 1
        assert "memories/broken.md:3 was left out: broken YAML" in done.err
        assert "1 file left out of the export" in done.err
