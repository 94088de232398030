"""`memcli inspect`: words in, exit codes and output out."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memcli import Vault
from memcli.entry import is_id

if TYPE_CHECKING:
    from tests.cli.conftest import Run

TOPICS = "index lint inbox reflections sessions mining entities agents signals".split()


def write(vault: Vault, path: str, text: str) -> None:
    Path(vault.root, path).write_text(text, encoding="utf-8")


def test_overview_of_a_healthy_vault_exits_with_0(memcli: "Run", vault: Vault):
    saved = vault.save(vault.draft({"text": "We deploy on Tuesdays"}))
    done = memcli("inspect")
    assert done.code == 0
    assert done.out.startswith(f"{vault.root}: 1 entries\n")
    assert saved.id in done.out
    assert done.out.endswith("lint: nothing is wrong\n")


@pytest.mark.parametrize("words", [["inspect"], ["inspect", "lint"]])
def test_error_exits_with_1_and_still_gives_the_data(
    memcli: "Run", vault: Vault, words: list[str]
):
    write(vault, "a.md", "---\nid: [\n---\nx\n")
    done = memcli(*words, "--json")
    assert done.code == 1
    assert (done.json["ok"], done.json["error"]) == (False, None)
    (finding,) = done.json["data"]["findings"]
    assert (finding["path"], finding["level"]) == ("a.md", "error")


def test_warnings_alone_exit_with_0(memcli: "Run", vault: Vault):
    write(vault, "a.md", "one\n\n[[Nowhere]]\n")
    done = memcli("inspect", "lint")
    assert (done.code, done.out.splitlines()) == (
        0,
        [
            "lint: 0 errors, 1 warnings",
            "a.md:3: warning: links to nothing: Nowhere",
        ],
    )


def test_overview_names_errors_first_and_counts_the_rest(memcli: "Run", vault: Vault):
    write(vault, "a.md", "".join(f"[[n{i}]]\n" for i in range(60)))
    write(vault, "z.md", "---\nid: [\n---\n")
    shown = memcli("inspect").out
    assert shown.index("z.md:") < shown.index("a.md:1:")
    assert "... and 41 more: memcli inspect lint" in shown
    assert memcli("inspect", "lint").out.count("links to nothing") == 60
    assert len(memcli("inspect", "--json").json["data"]["findings"]) == 61


def test_index_that_met_a_broken_file_exits_with_1(memcli: "Run", vault: Vault):
    assert memcli("inspect", "index").code == 0
    write(vault, "a.md", "---\nid: [\n---\nx\n")
    done = memcli("inspect", "index", "--json")
    assert (done.code, done.json["data"]["broken"][0]["path"]) == (1, "a.md")


def test_entry_is_shown_by_a_prefix_of_its_id(memcli: "Run", vault: Vault):
    saved = vault.save(vault.draft({"text": "We deploy on Tuesdays"}))
    done = memcli("inspect", saved.id[:13].upper())
    assert done.code == 0
    assert saved.path in done.out
    assert "shown by recall: yes" in done.out
    data = memcli("inspect", saved.id, "--json").json["data"]
    assert (data["id"], data["eligible"]) == (saved.id, True)


def test_word_that_is_neither_id_nor_topic_lists_the_topics(memcli: "Run"):
    done = memcli("inspect", "wombat", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "entry_not_found")
    assert "index, lint" in done.json["error"]["hint"]


@pytest.mark.parametrize("topic", TOPICS)
def test_topic_stands_in_no_ids_way(topic: str):
    is_prefix = is_id(topic.ljust(16, "0"))
    # Ids are times: none starts with "a" for three hundred years.
    assert not is_prefix or topic == "agents"


def test_text_of_an_entry_moves_no_cursor(memcli: "Run", vault: Vault):
    write(vault, "a.md", "---\nid: 1jy5e6hm03e2cs6s\n---\nred \x1b[31malert\x07\n")
    assert "\x1b" not in memcli("inspect", "1jy5").out
