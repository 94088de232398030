"""GitHub Copilot CLI: its hooks, settings, skills, and where its transcripts are."""

from __future__ import annotations

import os

from memcli.hosts.host import Host, below_home, listed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any


class Copilot(Host):
    """GitHub Copilot CLI, which hears only its own format, and runs Claude's hooks."""

    name = "copilot"
    title = "GitHub Copilot CLI"
    binaries = ("copilot",)
    tested = "1.0.102"

    events = (
        ("sessionStart", "session-start"),
        ("userPromptSubmitted", "prompt-submit"),
        ("preToolUse", "pre-tool"),
        ("postToolUse", "post-tool"),
        ("agentStop", "stop"),
        ("sessionEnd", "session-end"),
        ("preCompact", "pre-compact"),
    )
    hooks_also_run_by = ("cursor",)
    runs_others_hooks = True
    tells_at = "post-tool"
    can_ask = True

    home_folder = (".copilot",)
    home_variable = "COPILOT_HOME"
    user_file = "hooks/memcli.json"
    project_file = ".github/hooks/memcli.json"
    user_pages = ("copilot-instructions.md",)
    pages = (".github/copilot-instructions.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md")

    mcp_user_file = "mcp-config.json"
    timeout = ("timeoutSec", 1)
    file_version = 1
    also_runs_project_of = "claude-code"

    # It keeps the session.
    judge = (
        *("copilot", "-s", "--available-tools", "none", "--disable-builtin-mcps"),
        *("--no-custom-instructions", "--no-ask-user"),
    )

    skill_page = "copilot-cli"
    skill_folder = ".agents/skills"
    more_skills_at_home = (".copilot/skills",)
    more_skills_in_project = (".claude/skills", ".github/skills")

    program_variables = ("COPILOT_CLI", "COPILOT_CLI_BINARY_VERSION")

    transcript_format = "memcli.hosts.formats.copilot"
    hooks_name_format = True

    def is_caller(
        self, written_for: str, payload: Mapping[str, Any], transcript: str
    ) -> bool:
        if "sessionId" in payload or "/.copilot/" in transcript.replace("\\", "/"):
            return True
        # Claude Code never says when; Copilot always does, in Claude's clothes as well.
        return written_for == "claude-code" and "timestamp" in payload

    def entry(self, line: Callable[[str], str]) -> dict[str, Any]:
        return {
            "type": "command",
            "bash": line("posix"),
            "powershell": line("powershell"),
        }

    def transcripts(self, environ: Mapping[str, str]) -> Iterator[str]:
        for folder in listed(below_home(environ, ".copilot", "session-state")):
            path = os.path.join(folder, "events.jsonl")
            if os.path.isfile(path):
                yield path

    def has_name(self, path: str, session: str) -> bool:
        return os.path.basename(os.path.dirname(path)) == session


HOST = Copilot()
