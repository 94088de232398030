"""Tools that a client uses, and what memcli's hooks do around them.

Invariant: as in sessions.py. Which tools a client offers its model, and what their
arguments are called, is said here and nowhere else.
"""

import pytest

from tests.e2e.model import Call
from tests.e2e.scratch import Scratch

ELSE = "Name a colour."
LESSON = "Scripts call fetch_safely, never urllib.request.urlopen."
REFUSED = "Never run `touch released.txt` by hand."
BREAKS = "import urllib.request\nurllib.request.urlopen('http://x')\n"
PATCH = (
    f"*** Begin Patch\n*** Add File: get.py\n+{BREAKS.splitlines()[1]}\n*** End Patch"
)
# The host takes a text before its tool runs; the others take it with the result.
TOLD_BEFORE = ("claude-code", "codex")
# The tool that writes a file, and what it calls the path and the text.
WRITES = {
    "claude-code": ("Write", "file_path", "content"),
    "gemini": ("write_file", "file_path", "content"),
    "copilot": ("create", "path", "file_text"),
    "opencode": ("write", "filePath", "content"),
}
# The shell, and what it calls the command line.
SHELLS = {
    "claude-code": ("Bash", "command"),
    "codex": ("exec_command", "cmd"),
    "gemini": ("run_shell_command", "command"),
    "copilot": ("bash", "command"),
    "opencode": ("bash", "command"),
}


@pytest.mark.parametrize("kind", ["fix", "decision"])
def test_an_edit_that_breaks_a_lesson_is_told_so_by_its_hook(
    machine: Scratch, kind: str
) -> None:
    machine.make_vault()
    _let_tools_run(machine)
    machine.memcli("save", LESSON, "--project", "none", "--kind", kind)
    machine.model.calls.append(_write(machine))
    ended = machine.session(ELSE, acts=True)
    assert ended.code == 0, ended
    assert not machine.model.calls, "the client never offered the tool"
    event = "pre-tool" if machine.client.name in TOLD_BEFORE else "post-tool"
    assert machine.hooks(event=event, shown=1), machine.hooks()
    asked = [one.text for one in machine.model.requests if one.body]
    # The start of a session may have told it as well.
    assert asked[-1].count(LESSON) > asked[0].count(LESSON), "the model was not told"
    assert (machine.project / "get.py").exists(), "a lesson keeps no tool from running"


def test_what_a_person_enforces_is_refused_and_a_teams_is_not(machine: Scratch) -> None:
    machine.make_vault()
    _let_tools_run(machine)
    team = machine.vault.with_name("team")
    machine.memcli("init", str(team))
    config = machine.home / ".config" / "memcli" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f'[vaults.platform]\npath = "{team}"\n', encoding="utf-8")
    words = ("save", REFUSED, "--project", "none", "--kind", "fix", "--enforce", "deny")
    machine.memcli(*words, "--vault", str(team))
    released = machine.project / "released.txt"

    machine.model.calls.append(_shell(machine, f"touch {released.name}"))
    assert machine.session(ELSE, acts=True).code == 0
    assert released.exists(), "a team's vault kept a tool from running"
    assert REFUSED in machine.model.read()

    released.unlink()
    machine.memcli(*words)
    machine.model.forget()
    machine.model.calls.append(_shell(machine, f"touch {released.name}"))
    assert machine.session(ELSE, acts=True).code == 0
    assert not machine.model.calls
    assert not released.exists(), "the tool ran"
    assert "The user does not want this" in machine.model.read()


def _let_tools_run(machine: Scratch) -> None:
    """Allow the tools that no flag of a session allows."""
    if machine.client.name == "claude-code":
        settings = machine.project / ".claude" / "settings.local.json"
        settings.parent.mkdir()
        settings.write_text('{"permissions": {"allow": ["Write"]}}')


def _write(machine: Scratch) -> Call:
    """The call that writes a file which breaks the lesson."""
    if machine.client.name == "codex":
        # Which Codex takes for a call of its tool for patches.
        return _shell(machine, f"apply_patch <<'EOF'\n{PATCH}\nEOF")
    tool, path, text = WRITES[machine.client.name]
    return Call(tool, {path: str(machine.project / "get.py"), text: BREAKS})


def _shell(machine: Scratch, command: str) -> Call:
    tool, line = SHELLS[machine.client.name]
    return Call(tool, {line: command, "description": "release"})
