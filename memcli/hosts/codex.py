"""Codex CLI: its hooks, settings, skills, and where its transcripts are."""

from __future__ import annotations

import os

from memcli.hosts.host import Host, below_home

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# What gives an answer tools, or runs hooks.
_FEATURES = ("hooks", "shell_tool", "apps", "plugins", "multi_agent", "goals")


class Codex(Host):
    """Codex CLI, which refuses a key that it does not know."""

    name = "codex"
    title = "Codex CLI"
    binaries = ("codex",)
    tested = "0.169.0"

    events = (
        ("SessionStart", "session-start"),
        ("UserPromptSubmit", "prompt-submit"),
        ("PreToolUse", "pre-tool"),
        ("Stop", "stop"),
        ("SessionEnd", "session-end"),
        ("PreCompact", "pre-compact"),
    )
    reply_names_event = True
    starts_after_compaction = True
    tells_at = "pre-tool"

    home_folder = (".codex",)
    home_variable = "CODEX_HOME"
    user_file = "hooks.json"
    project_file = ".codex/hooks.json"
    user_pages = ("AGENTS.md",)
    pages = ("AGENTS.md",)

    mcp_user_file = "config.toml"
    mcp_project_file = ".codex/config.toml"
    mcp_key = "mcp_servers"
    grouped = True
    windows_shell = "cmd"
    timeout = ("timeout", 1)
    # Codex cuts what a SessionEnd hook declares to this.
    seconds: Mapping[str, int] = {"session-end": 3}
    notes = (
        "Codex runs no hook, and says nothing, before you have trusted it: "
        "start codex and type /hooks",
    )
    project_notes = ("Codex reads a project's hooks only where it trusts the project",)
    needs_trust = True

    # Only the second flag leaves out the MCP servers that its config may name; the
    # model and the provider that are named there are left out as well.
    judge = (
        *("codex", "exec", "--ephemeral", "--ignore-user-config"),
        *("--sandbox", "read-only", "--skip-git-repo-check"),
        *(word for name in _FEATURES for word in ("-c", f"features.{name}=false")),
        *("-c", "web_search=disabled", "-"),
    )

    skill_page = "codex"
    skill_folder = ".agents/skills"
    more_skills_at_home = (".codex/skills",)
    more_skills_in_project = (".codex/skills",)

    program_variables = ("CODEX_SANDBOX", "CODEX_CI", "CODEX_THREAD_ID")

    transcript_format = "memcli.hosts.formats.codex"
    hooks_name_format = True

    def transcripts(self, environ: Mapping[str, str]) -> Iterator[str]:
        root = environ.get("CODEX_HOME") or below_home(environ, ".codex")
        for name in ("sessions", "archived_sessions") if root else ():
            for folder, _, files in os.walk(os.path.join(root, name)):
                for file in files:
                    if file.startswith("rollout-") and file.endswith(".jsonl"):
                        yield os.path.join(folder, file)

    def has_name(self, path: str, session: str) -> bool:
        return path.endswith(f"-{session}.jsonl")


HOST = Codex()
