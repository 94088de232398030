"""The sentences by which the design of reflection (seed 002) says that it works.

`SENTENCES` names the test of each; those of the hooks are here.
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

from memcli import Vault
from memcli.entries import layout
from tests.conftest import ROOT, state_of
from tests.sessions.hooks.calling import (
    ALWAYS,
    age,
    harness,
    log,
    process,
    session,
    texts,
    wait,
    work,
)

REFLECTION = "tests/sessions/test_reflect_session.py"
DETACHED = "tests/sessions/hooks/test_detached.py"
HERE = "tests/sessions/hooks/test_seed.py"
REVIEW = "tests/cli/test_review.py"
COMMAND = "tests/cli/test_reflect_session.py"
SENTENCES = (
    # Triggers
    ("manual: the current session by default", COMMAND, "inside_a_session_that"),
    ("manual: a specified transcript", REFLECTION, "manual_reflect_against_a_spec"),
    ("Stop: the session that just ended", HERE, "stop_hook_fires_on_session_end"),
    ("idle: after N minutes", HERE, "idle_hook_fires_after_n_min_idle"),
    ("idle: orphans of crashed sessions", HERE, "crashed_session_marker_recovery"),
    ("all three run the same logic", REFLECTION, "mining_and_the_door_to_it_agree"),
    # Mining
    ("three categories", REFLECTION, "reflection_mines_3_categories_and_each"),
    ("ideas: `we should also do X later`", REFLECTION, "reflection_mines_idea_cand"),
    ("ideas: a summary of two sentences", REFLECTION, "an_idea_s_summary_has_a_sec"),
    (
        "ideas: the ledger writes them",
        "tests/curation/ideas/test_incubator.py",
        "new_ideas_are_written_in_one_commit",
    ),
    # Routing
    ("HIGH: `always`, corrections: saved", REFLECTION, "tri_modal_routing_places_en"),
    ("HIGH: a locked design call: saved", REFLECTION, "a_design_call_that_the_user"),
    (
        "MEDIUM: a pattern that came three times",
        "tests/sessions/mining/test_mining.py",
        "the_same_commands_in_three_turns_are_a_workflow",
    ),
    ("MEDIUM: a prompt with five options", REVIEW, "each_medium_candidate_produces"),
    ("MEDIUM: each option does its thing", REVIEW, "interactive_review_prompts_wor"),
    ("MEDIUM: asked after the reflection", COMMAND, "medium_candidates_trigger_int"),
    ("MEDIUM: `silent` saves without asking", REFLECTION, "memory_review_mode_silent"),
    ("MEDIUM: `silent` asks nothing", COMMAND, "memory_review_mode_silent_asks"),
    ("MEDIUM: contradicts X: supersede?", REFLECTION, "what_contradicts_an_entry_i"),
    ("LOW: the log of mining", REFLECTION, "what_is_low_is_in_the_log_of_mining"),
    ("LOW: reviewed in batches", REVIEW, "many_are_planned_and_nothing_changes"),
    # Markers
    ("a start, with time and transcript", DETACHED, "markers_hold_nothing_that_was"),
    ("one file a session", DETACHED, "any_id_has_one_marker_of_its_own"),
    ("not in git, and no word of a transcript", DETACHED, "markers_hold_nothing_that"),
    ("`.reflected` only after success", DETACHED, "a_disk_that_is_full_leaves_the"),
    ("a failure is tried again", DETACHED, "a_session_that_fails_is_tried_again"),
    ("a live session is no orphan", DETACHED, "a_live_session_is_never_swept"),
    ("GC after 30 days", HERE, "marker_gc_at_30_days"),
    # Ships instrumented, and lands
    ("category, confidence, rationale: logged", REFLECTION, "inspect_mining_tells_of"),
    (
        "the hooks land at both destinations",
        "tests/cli/test_install.py",
        "smoke_install_verifies_hooks_land_for_both",
    ),
)


def test_every_sentence_of_the_seed_has_its_test() -> None:
    names: dict[str, list[str]] = {}
    for path in {path for _, path, _ in SENTENCES}:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        names[path] = [
            one.name for one in tree.body if isinstance(one, ast.FunctionDef)
        ]
    missing = [
        (sentence, path, name)
        for sentence, path, name in SENTENCES
        if sum(one.startswith(f"test_{name}") for one in names[path]) != 1
    ]
    assert missing == []


def test_stop_hook_fires_on_session_end_and_reflection_runs_against_its_transcript(
    live: Vault, tmp_path: Path
) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    payload = {"session_id": "s1", "transcript_path": path}
    for event in ("session-start", "stop", "session-end"):
        assert process(event, "claude-code", payload).code == 0
    wait(lambda: harness(live) == ["session-id-s1.reflected"])
    assert texts(live) == [ALWAYS]
    wait(lambda: len(log(live, "reflect")) == 2)
    assert {line["session"] for line in log(live, "reflect")} == {"s1"}


def test_idle_hook_fires_after_n_min_idle(live: Vault, tmp_path: Path) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    process("session-start", "claude-code", {"session_id": "s1"})
    mark = state_of(live.root, layout.HARNESS) / "session-id-s1.start"
    payload = {"session_id": "s1", "transcript_path": path}
    process("prompt-submit", "claude-code", {**payload, "prompt": "hello"})
    # The host says so a minute after the turn: nobody has left yet.
    idle = {**payload, "notification_type": "idle_prompt"}
    process("idle", "claude-code", idle)
    wait(lambda: len(log(live, "sweep")) == 2)
    assert mark.exists()
    for one in (mark, path):
        age(one, 3_700)
    process("idle", "claude-code", idle)
    wait(lambda: harness(live) == ["session-id-s1.reflected"])
    assert texts(live) == [ALWAYS]


def test_crashed_session_marker_recovery(live: Vault, tmp_path: Path) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    payload = {"session_id": "s1", "transcript_path": path}
    # A host that starts a session and is killed before it can say that it ends.
    host = subprocess.run(
        [
            *(sys.executable, "-c"),
            "import os, signal, subprocess, sys\n"
            "subprocess.run(sys.argv[1:], input=sys.stdin.buffer.read())\n"
            "os.kill(os.getpid(), signal.SIGKILL)",
            *(sys.executable, "-m", "memcli", "hook", "session-start"),
            *("--host", "claude-code"),
        ],
        input=str(payload).replace("'", '"').encode(),
        check=False,
    )
    assert host.returncode < 0
    assert harness(live) == ["session-id-s1.start"]
    for one in ((state_of(live.root, layout.HARNESS) / "session-id-s1.start"), path):
        age(one, 3_700)
    idle = {"session_id": "s2", "notification_type": "idle_prompt"}
    assert process("idle", "claude-code", idle).code == 0
    wait(lambda: harness(live) == ["session-id-s1.reflected"])
    assert texts(live) == [ALWAYS]


def test_marker_gc_at_30_days(live: Vault) -> None:
    folder = state_of(live.root, layout.HARNESS)
    folder.mkdir(exist_ok=True)
    for name, days in (("old", 31), ("young", 29)):
        for ending in (".reflected", ".shown", ".lock"):
            mark = folder / f"session-id-{name}{ending}"
            mark.write_text("session: x\n" if ending == ".reflected" else "")
            age(mark, days * 86_400)
    work(live, "--sweep")
    left = sorted(name for name in os.listdir(folder) if "session" in name)
    assert left == [f"session-id-young.{end}" for end in ("lock", "reflected", "shown")]
