"""A session's start: what holds, first what the work at hand needs; else titles."""

from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.curation import exporting, importing
from memcli.entries.entry import SUMMARY_TAG, Entry
from memcli.entries.text import prompt_injection
from memcli.hosts import memories as tools
from memcli.sessions.hooks import pipe, tell
from memcli.storage import detached
from tests.git_command import git
from tests.sessions.hooks.calling import call, process, told

PROJECT = "github.com/acme/shop"
ASKED = "The user wants what lasts to be kept"

pytestmark = pytest.mark.usefixtures("started")


def start(vault: Vault, shop: Path, session: str = "a", **more: Any) -> str:
    """What Claude Code is told in the shop."""
    given = {"session_id": session, "source": "startup", "cwd": str(shop), **more}
    one = call(vault, "session-start", more.get("host", "claude-code"), given)
    assert "error" not in one.line, one.line
    return told(one.answer)


def save(vault: Vault, text: str, **fields: Any) -> str:
    fields = {"kind": "decision", "project": PROJECT, **fields}
    return vault.save(vault.draft({"text": text, **fields})).id


def fill(vault: Vault, number: int, **fields: Any) -> None:
    """Save so many decisions of which no work speaks, newer than any other."""
    fields = {"kind": "decision", "project": PROJECT, **fields}
    sizes = range(number)
    texts = [f"Shelf {n} holds the blue crates.\n\n" + "Crates. " * 20 for n in sizes]
    vault.save_all([vault.draft({"text": text, **fields}) for text in texts])


OLD = {"created": "2020-01-01T00:00:00Z"}


@pytest.mark.parametrize("kind", ["convention", "decision", "workflow", "fix"])
def test_what_was_settled_comes_whole(live: Vault, shop: Path, kind: str) -> None:
    text = "Money is an integer.\n\nIn cents, never a float."
    save(live, text, kind=kind)
    save(live, "The office moved to Lisbon.\n\nIn May.", kind="event")
    save(live, "The barber is closed on Mondays.", kind="note", project=None)
    said = start(live, shop)
    whole, _, titles = said.partition("More, by title (memcli inspect ID):")
    assert "never a float" in whole
    assert "The office moved to Lisbon" in titles
    assert "In May" not in said
    assert "barber" not in said


def test_what_has_no_room_whole_comes_by_title_and_the_rest_is_counted(
    live: Vault, shop: Path
) -> None:
    fill(live, 200)
    said = start(live, shop)
    whole, _, titles = said.partition("More, by title (memcli inspect ID):\n")
    assert 3_000 < len(whole) < 5_500
    assert all("blue crates" in row for row in titles.split("\n")[:20])
    listed = said.count("\n- [")
    assert 50 < listed < 200
    assert f"\n{200 - listed} more: memcli list --all --project here\n" in said
    assert len(said) < 9_500


def test_of_summed_up_sessions_the_last_one_is_told_by_its_title(
    live: Vault, shop: Path
) -> None:
    fill(live, 100)
    for day in (1, 2):
        text = f"Refunds, part {day}, are done.\n\nThe page for part {day} is open."
        fields = {"kind": "event", "tags": [SUMMARY_TAG]}
        save(live, text, created=f"2026-0{day}-01T00:00:00Z", **fields)
    said = start(live, shop)
    assert "Refunds, part 2, are done" in said
    assert "part 1" not in said
    assert "is open" not in said


def test_what_an_agent_learned_about_its_own_work_comes_by_title(
    live: Vault, shop: Path
) -> None:
    fill(live, 60, kind="note")
    fields = {"layer": "model", "kind": "note", "project": None}
    save(
        live, "Rules for names.\n\nBuildbot is CI.", tags=["self-improvement"], **fields
    )
    save(live, "The history of the office.\n\nIt moved.", **fields)
    said = start(live, shop)
    assert "Rules for names" in said
    assert "Buildbot" not in said
    assert "history of the office" not in said


@pytest.mark.parametrize(
    "where", ["subject", "changed", "status", "untracked", "branch"]
)
def test_first_comes_what_the_work_at_hand_speaks_of(
    live: Vault, shop: Path, where: str
) -> None:
    fill(live, 60)
    wanted = save(live, "The ledger importer keeps the order of its rows.", **OLD)
    assert f"- [{wanted}]" not in start(live, shop).partition("More, by title")[0]
    path = shop / "ledger_importer.py"
    if where == "subject":
        git(shop, "commit", "-q", "--allow-empty", "-m", "ledger importer: faster")
    elif where == "branch":
        git(shop, "checkout", "-q", "-b", "ledger-importer")
    else:
        path.write_text("rows = []\n")
    if where in ("changed", "status"):
        git(shop, "add", ".")
        git(shop, "commit", "-q", "-m", "wip")
    if where == "status":
        for number in range(6):
            git(shop, "commit", "-q", "--allow-empty", "-m", f"wip {number}")
        path.write_text("rows = [1]\n")
    said = start(live, shop, "b")
    assert said.partition("This project:\n")[2].startswith(f"- [{wanted}]")
    assert start(live, shop, "c") == said


def test_among_equals_the_confirmed_come_first_then_the_newest(
    live: Vault, shop: Path
) -> None:
    fill(live, 60, **OLD)
    newest = save(live, "Every table has a primary key.")
    often = save(live, "A form has one button.", seen=["2020-01-02", "2020-01-03"])
    rows = start(live, shop).partition("This project:\n")[2].split("\n")
    assert [row[3:19] for row in rows[:2]] == [often, newest]


# --- what a host loads by itself ------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "page", "is_told", "exported"),
    [
        ("claude-code", "CLAUDE.md", False, False),
        ("claude-code", ".claude/CLAUDE.md", False, True),
        ("claude-code", "AGENTS.md", True, False),
        ("codex", "AGENTS.md", False, True),
        ("codex", "CLAUDE.md", True, True),
        ("copilot", ".github/copilot-instructions.md", False, False),
        ("gemini", "GEMINI.md", False, True),
    ],
)
def test_what_a_host_loads_by_itself_is_told_to_the_others_only(
    live: Vault, shop: Path, host: str, page: str, is_told: bool, exported: bool
) -> None:
    text = "Indent with tabs.\n\nIn Makefiles, too."
    save(live, text, kind="convention")
    save(live, "Use tabs.", kind="convention")
    path = shop / page
    path.parent.mkdir(exist_ok=True)
    if exported:
        draft = Entry(id="1m7yk933mx069hjg", kind="convention", body=text)
        path.write_bytes(exporting.planned(str(path), [draft]).data)
    else:
        path.write_text("# Style\n\nNever:\n- Use tabs. Ever.\n\n" + text + "\n")
    named = "sessionId" if host == "copilot" else "session_id"
    payload = {named: "a", "source": "new", "cwd": str(shop)}
    said = told(call(live, "session-start", host, payload).answer)
    assert "Use tabs." in said
    assert ("Makefiles" in said) is is_told


def test_rules_that_were_imported_from_a_page_are_not_told_to_who_loads_it(
    live: Vault, shop: Path
) -> None:
    (shop / "CLAUDE.md").write_text(
        "# Shop\r\n\r\n## Never do these:\r\n- push to `main`\r\n- use tabs,\r\n"
        "  in Go neither\r\n\r\nBefore a release:\r\n\r\n- ask Noor\r\n\r\n"
        "## Release\r\n\r\n1. Tag\r\n2. Push\r\n"
    )
    here = Vault.open(live.root, live.caller, cwd=str(shop))
    tool = tools.find("claude-code")
    done = importing.import_memories(here, tool, [str(shop / "CLAUDE.md")])
    assert len(done.created) == 4
    assert "push to" not in start(live, shop)
    payload = {"session_id": "b", "source": "new", "cwd": str(shop)}
    said = told(call(live, "session-start", "codex", payload).answer)
    assert "Never do these: push to `main`" in said
    assert "Before a release: ask Noor" in said


def test_a_page_that_leads_out_of_the_project_is_not_read(
    live: Vault, shop: Path, tmp_path: Path
) -> None:
    save(live, "Indent with tabs.", kind="convention")
    (tmp_path / "page.md").write_text("Indent with tabs.\n")
    (shop / "CLAUDE.md").symlink_to(tmp_path / "page.md")
    assert "tabs" in start(live, shop)


# --- what a start asks for ------------------------------------------------------------


def asked(cwd: Path, session: str, **environ: str | None) -> str:
    payload = {"session_id": session, "source": "startup", "cwd": str(cwd)}
    one = process("session-start", "claude-code", payload, environ=environ)
    return one.text


def test_a_start_ends_with_how_to_save_what_lasts(live: Vault, shop: Path) -> None:
    assert ASKED in asked(shop, "a")  # an empty vault fills this way
    save(live, "Indent with tabs.", kind="convention")
    said = asked(shop, "b")
    first, command = said.removesuffix("\n</memcli-memory>").split("\n")[-2:]
    assert first.startswith(ASKED)
    assert command.startswith('memcli save "TEXT" --kind decision --asked "PHRASE" ')
    assert "four to six phrases" in command
    assert asked(shop, "b") == ""  # a session that goes on knows it


def test_an_agent_is_asked_to_save_as_itself(live: Vault, shop: Path) -> None:
    said = asked(shop, "a", MEMCLI_AGENT="planner")
    assert "\nmemcli --agent planner save " in said
    assert ASKED not in asked(shop, "b", MEMCLI_AGENT="planner; rm x")


def test_the_vaults_config_keeps_agents_from_being_asked(
    live: Vault, shop: Path
) -> None:
    path = Path(live.root, ".memcli", "config.toml")
    path.write_text("[sessions]\nask_agent = false\n")
    assert asked(shop, "a") == ""


# --- what may no longer hold ----------------------------------------------------------


@pytest.mark.parametrize("pinned", [False, True])
@pytest.mark.parametrize("layer", ["observation", "model"])
def test_a_start_marks_what_rests_on_what_was_resolved(
    live: Vault, shop: Path, layer: str, pinned: bool
) -> None:
    fact = save(live, "The queue drops messages over 1 MB.", kind="note")
    fields = {"layer": layer, "evidence": [fact], "pinned": pinned}
    save(live, "Large messages need chunks.", kind="convention", **fields)
    assert "] Large messages" in start(live, shop)
    live.resolve(fact)
    day = (live.get(fact).resolved_at or "")[:10]
    mark = f"(may no longer hold: rests on {fact}, resolved on {day})"
    save(live, "Small messages need none.", **{**fields, "evidence": ["codex:s1"]})
    titled = {"kind": "event", "layer": layer, "evidence": [fact]}
    save(live, "The belt stood still.\n\nIn May.", **titled)
    said = start(live, shop, "b")
    assert f"] {mark} The belt stood still\n" in said
    assert f"] {mark} Large messages need chunks." in said
    assert "] (cites nothing) Small messages need none." in said


def test_a_start_marks_a_report_that_has_not_seen_newer_memories(
    live: Vault, shop: Path
) -> None:
    fact = save(live, "Redis drops messages over 1 MB.", kind="note")
    report = (
        "---\nkind: convention\nlayer: model\nentities: [Redis]\nevidence: [{}]\n"
        "created: 2026-01-01T00:00:00+00:00\n---\nRedis needs chunks.\n"
    )
    Path(live.root, "models", "redis.md").write_text(report.format(fact))
    newer = save(live, "Redis takes 8 MB now.", kind="note", entities=["Redis"])
    mark = f"(may no longer hold: {newer} is newer, written on 20"
    assert f"] {mark}" in start(live, shop)


@pytest.mark.parametrize("size", [20, 4_000])
def test_pinned_entries_leave_constraints_their_room(
    live: Vault, shop: Path, size: int
) -> None:
    save(live, "Never push to the release branch.", kind="constraint")
    for number in range(60 if size == 20 else 1):
        save(live, f"note {number} " + "word " * size, pinned=True)
    assert "Never push to the release branch." in start(live, shop)


def test_a_text_of_a_megabyte_leaves_a_start_its_time(
    live: Vault, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(live, "Never push to the release branch.", kind="constraint")
    save(live, "word and more of it\n" * 50_000, kind="constraint")
    judged, judge = list[int](), prompt_injection.of_entry

    def counted(title: str, text: str, source: str) -> str | None:
        judged.append(len(text))
        return judge(title, text, source)

    monkeypatch.setattr(prompt_injection, "of_entry", counted)
    assert "Never push to the release branch." in start(live, shop)
    assert 100 < max(judged) <= 50_000


def test_a_prompt_and_a_tool_are_told_of_it_with_the_mark(
    live: Vault, shop: Path
) -> None:
    fact = save(live, "The queue drops messages over 1 MB.", kind="note")
    text = "Never call `queue.push()` with large messages: split them into chunks."
    save(live, text, kind="constraint", layer="observation", evidence=[fact])
    live.resolve(fact)
    base = {"session_id": "p", "cwd": str(shop)}
    prompt = "push large messages to the queue in chunks with queue.push"
    edit = {"file_path": str(shop / "a.py"), "content": "queue.push(message)\n"}
    tool = {"tool_name": "Write", "tool_input": edit}
    for event, more in (("prompt-submit", {"prompt": prompt}), ("pre-tool", tool)):
        one = call(live, event, "claude-code", {**base, **more})
        mark = f"(may no longer hold: rests on {fact}, resolved on 20"
        assert mark in told(one.answer), one.line


def test_the_sweep_begins_after_the_answer_so_that_it_cannot_hold_the_index(
    live: Vault, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(live, "Releases are cut on Tuesdays.")
    done: list[str] = []
    framed = tell.at_start

    def answer(*given: Any) -> str:
        done.append("answer")
        return framed(*given)

    def begin(root: str, *flags: str) -> str:
        done.append(*flags)
        return "started"

    monkeypatch.setattr(tell, "at_start", answer)
    monkeypatch.setattr(pipe, "start", begin)
    assert "Tuesdays" in start(live, shop)
    assert done == ["answer", "--sweep"]


def test_what_a_sync_by_itself_brought_is_told_to_one_start(
    live: Vault, shop: Path
) -> None:
    detached.note_news(live.root, "a sync by itself:\nit brought 1 pinned", None)
    said = "Tell the user: a sync by itself: it brought 1 pinned."
    told = [start(live, shop, session) for session in ("a", "b")]
    assert [said in text for text in told] == [True, False]
