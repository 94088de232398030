"""opencode's plugin, run by node as opencode runs it: with a memcli that is a stub."""

import json
import os
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

from memcli.hosts.install import command_line
from memcli.hosts.install.command_line import Program
from memcli.hosts.transcripts import open_transcript

pytestmark = pytest.mark.slow

NODE = shutil.which("node")
if NODE is None:  # pragma: no cover
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.warn(
            "NOT TESTED: opencode's plugin, because there is no node", stacklevel=1
        )
node = pytest.mark.skipif(
    NODE is None, reason="NOT TESTED: opencode's plugin needs node to be run"
)

# Writes down how it was called, then does what its file `act-EVENT` says.
STUB = """
import json, pathlib, sys, time
here = pathlib.Path(__file__).parent
data = sys.stdin.buffer.read()
with open(here / "calls.jsonl", "a") as file:
    file.write(json.dumps([sys.argv[1:], json.loads(data)]) + "\\n")
act = here / ("act-" + sys.argv[2])
text = act.read_text() if act.exists() else ""
if text == "hang":
    time.sleep(10)
if text == "fail":
    print("what must not be shown")
    sys.exit(3)
sys.stdout.write(text)
"""

# What opencode 1.18 calls, in its order, with the payloads it was seen to send.
DRIVE = """
import { existsSync, readFileSync } from "node:fs"
import { Memcli } from "./memcli.mjs"
const id = "ses_1"
const out = { system: [], parts: [], times: {} }
const hooks = await Memcli({ directory: process.cwd() })
const timed = async (name, work) => {
  const began = Date.now()
  out[name] = await work()
  out.times[name] = Date.now() - began
}
const event = (type, properties) => hooks.event({ event: { type, properties } })
await event("session.created", { info: { id, directory: process.cwd() } })
await event("session.created", { info: { id: "ses_sub", parentID: id } })
const time = { created: 1795220166905 }
const message = { id: "msg_1", role: "user", sessionID: id, time }
const text = '"Always use ruff"'
const parts = [{ type: "text", text, messageID: "msg_1", id: "prt_1" }]
const said = { message, parts }
await timed("chat", () => hooks["chat.message"]({ sessionID: id }, said))
out.parts = parts
const kept = `${process.env.HOME}/.local/state/memcli/opencode/${id}.jsonl`
out.kept = existsSync(kept) ? readFileSync(kept, "utf8") : ""
const other = { message: { id: "m" }, parts: [] }
await hooks["chat.message"]({ sessionID: "ses_sub" }, other)
await event("message.part.updated", { part: { ...parts[0], sessionID: id } })
const transform = hooks["experimental.chat.system.transform"]
await timed("transform", () => transform({ sessionID: id }, out))
await transform({}, out)
const tool = { tool: "bash", sessionID: id, callID: "c1" }
const args = { command: "ruff check" }
try {
  await hooks["tool.execute.before"](tool, { args })
} catch (refused) { out.refused = refused.message }
const done = { output: "1 error", metadata: { exit: 1 } }
await hooks["tool.execute.after"]({ ...tool, args }, done)
out.output = done.output
await hooks["tool.execute.before"]({ ...tool, tool: "read" }, { args })
await hooks["experimental.text.complete"](
  { sessionID: id, messageID: "msg_2", partID: "prt_2" }, { text: "Done." },
)
await event("message.part.updated", { part: {
  type: "text", id: "prt_2", messageID: "msg_2", sessionID: id, text: "Done.",
  time: { end: 1 },
} })
await timed("idle", () => event("session.idle", { sessionID: id }))
await timed("idle", () => event("session.idle", { sessionID: id }))
await hooks["experimental.session.compacting"]({ sessionID: id }, { context: [] })
// What no host should send.
for (const name of Object.keys(hooks)) {
  await hooks[name]()
  await hooks[name]({}, {})
  await hooks[name]({ event: { type: 3 } }, null)
  await hooks[name]({ sessionID: "../../x" }, { message: {}, parts: [] })
}
await event("session.idle", { sessionID: "never-seen" })
process.stdout.write(JSON.stringify(out))
"""
# A slash command, a prompt that is taken back, and one that stays.
NOT_SAID = f"""{DRIVE.partition("const hooks")[0]}
const rules = []
const client = {{ session: {{ get: () => ({{ data: {{ permission: rules }} }}) }} }}
const hooks = await Memcli({{ directory: process.cwd(), client }})
const say = (id, text) => hooks["chat.message"](
  {{ sessionID: "ses_1" }}, {{ message: {{ id }}, parts: [{{ type: "text", text }}] }},
)
await hooks["command.execute.before"]({{ sessionID: id }}, {{ parts: [] }})
await say("msg_1", "Never push.")
await say("msg_2", "Never rebase.")
rules.push({{ permission: "question", action: "deny" }})
await say("msg_3", "Never squash.")
const properties = {{ sessionID: id, messageID: "msg_2" }}
await hooks.event({{ event: {{ type: "message.removed", properties }} }})
process.stdout.write("{{}}")
"""


class Run:
    """One run of the plugin in a scratch folder."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder, self.home = folder, home
        self.stub = folder / "stub.py"
        self.stub.write_text(STUB)
        self.words = [sys.executable, str(self.stub)]

    def act(self, event: str, text: str) -> None:
        (self.folder / f"act-{event}").write_text(text)

    def go(self, vault: str | None = None, drive: str = DRIVE) -> dict[str, Any]:
        assert NODE is not None
        text = command_line.plugin(Program(tuple(self.words)), vault)
        (self.folder / "memcli.mjs").write_text(text, encoding="utf-8")
        (self.folder / "drive.mjs").write_text(drive)
        done = subprocess.run(
            [NODE, "drive.mjs"],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def calls(self, count: int) -> list[tuple[list[str], dict[str, Any]]]:
        """What memcli was called with, once it was called so often."""
        path = self.folder / "calls.jsonl"
        for _ in range(200):
            lines = path.read_text().splitlines() if path.exists() else []
            if len(lines) >= count:
                break
            time.sleep(0.05)
        return [(words, payload) for words, payload in map(json.loads, lines)]

    @property
    def state(self) -> Path:
        return self.home / ".local" / "state" / "memcli" / "opencode"


@pytest.fixture
def run(tmp_path: Path, home: Path) -> Run:
    return Run(tmp_path, home)


@node
def test_a_session_is_told_and_gets_what_memcli_says(run: Run) -> None:
    run.act("session-start", "<memcli-memory>start</memcli-memory>\n")
    run.act("prompt-submit", '{"additionalContext": "fits"}')
    out = run.go()
    assert out["system"] == ["<memcli-memory>start</memcli-memory>"]
    assert out["parts"][1] == {
        "id": "prt_1m",
        "sessionID": "ses_1",
        "messageID": "msg_1",
        "type": "text",
        "text": "fits",
        "synthetic": True,
    }
    calls = run.calls(7)
    events = [words[1] for words, _ in calls]
    assert events[:4] == ["session-start", "prompt-submit", "pre-tool", "post-tool"]
    assert sorted(events[4:]) == ["pre-compact", "stop", "stop"]
    assert all(w == ["hook", w[1], "--host", "opencode"] for w, _ in calls)
    path = str(run.state / "ses_1.jsonl")
    for words, payload in calls:
        assert payload["hook_event_name"] == words[1]
        assert payload["session_id"] == "ses_1"
        assert payload["cwd"] == str(run.folder)
        assert payload["transcript_path"] == path
    assert calls[1][1]["prompt"] == "Always use ruff"


@node
def test_a_tool_is_refused_with_its_reason_and_told_of_after_it_ran(run: Run) -> None:
    run.act(
        "pre-tool", '{"permissionDecision": "deny", "permissionDecisionReason": "no"}'
    )
    run.act("post-tool", '{"additionalContext": "mind the linter"}')
    out = run.go()
    assert out["refused"] == "no"
    assert out["output"] == "1 error\n\nmind the linter"
    [(_, payload)] = [c for c in run.calls(7) if c[0][1] == "pre-tool"]
    assert (payload["tool_name"], payload["tool_input"]) == (
        "bash",
        {"command": "ruff check"},
    )


@node
@pytest.mark.parametrize("act", ["hang", "fail", "", "{", "text"])
def test_a_tool_runs_also_when_memcli_fails(run: Run, act: str) -> None:
    run.act("pre-tool", act)
    assert "refused" not in run.go()


@node
def test_the_transcript_is_one_that_memcli_reads_and_grows_by_whole_turns(
    run: Run,
) -> None:
    run.go()
    path = run.state / "ses_1.jsonl"
    opened = open_transcript(str(path))
    steps = [(s.role, s.text) for s in opened.steps()]
    assert opened.session.id == "ses_1"
    assert steps == [
        ("user", "Always use ruff"),
        ("call", "ruff check"),
        ("result", "1 error"),
        ("assistant", "Done."),
    ]
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert records[2]["failed"] is True
    assert records[0]["at"] == "2026-11-21T00:16:06.905Z"
    if os.name != "nt":
        assert path.stat().st_mode & 0o777 == 0o600
        assert run.state.stat().st_mode & 0o777 == 0o700
    before = path.read_text()
    run.go()
    assert path.read_text().startswith(before)
    assert [p.name for p in run.state.iterdir()] == ["ses_1.jsonl"]


@node
def test_a_slash_command_and_a_prompt_that_is_taken_back_are_not_said(run: Run) -> None:
    run.go(drive=NOT_SAID)
    steps = open_transcript(str(run.state / "ses_1.jsonl")).steps()
    assert [(step.text, step.program) for step in steps] == [("Never squash.", True)]


@node
@pytest.mark.parametrize(
    "text", ["", "fail", "{broken", "[1]x", '{"other": 1}', '{"additionalContext": ""}']
)
def test_nothing_but_text_is_injected(run: Run, text: str) -> None:
    for event in ("session-start", "prompt-submit"):
        run.act(event, text)
    out = run.go()
    assert len(out["parts"]) == (2 if text == "[1]x" else 1)
    assert out["system"] == ([text] if text == "[1]x" else [])


@node
def test_a_memcli_that_hangs_is_left_and_one_that_is_gone_does_no_harm(
    run: Run,
) -> None:
    run.act("prompt-submit", "hang")
    run.act("stop", "hang")
    out = run.go()
    assert len(out["parts"]) == 1
    assert out["times"]["chat"] < 8000
    assert out["times"]["idle"] < 2000
    run.words = ["/nowhere/memcli"]
    out = run.go()
    assert (len(out["parts"]), out["system"]) == (1, [])


@node
def test_a_pinned_vault_and_strange_paths_reach_memcli_as_they_are(run: Run) -> None:
    vault = '/v/it\'s "$HOME" \\ é'
    run.go(vault)
    assert run.calls(1)[0][0][-2:] == ["--vault", vault]


def test_the_plugin_says_whose_it_is_and_gives_its_constants_back() -> None:
    words = ('/a b/it\'s "x" \\1 \\g<0>/memcli', "-m")
    data = command_line.plugin(Program(words), '/v"').encode()
    assert command_line.constants(data) == ([*words], '/v"')
    assert command_line.is_ours(data)
    assert not command_line.is_ours(b"// other" + data)
