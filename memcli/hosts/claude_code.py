"""Claude Code: its hooks, settings, skills, and where its transcripts are."""

from __future__ import annotations

import os
import re

from memcli.hosts.host import Host, below_home, home, listed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


class ClaudeCode(Host):
    """Claude Code, and what Copilot CLI and Cursor have taken over from it."""

    name = "claude-code"
    title = "Claude Code"
    binaries = ("claude",)
    tested = "2.1.330"

    events = (
        ("SessionStart", "session-start"),
        ("UserPromptSubmit", "prompt-submit"),
        ("PreToolUse", "pre-tool"),
        ("Stop", "stop"),
        ("SessionEnd", "session-end"),
        ("PreCompact", "pre-compact"),
        ("Notification", "idle"),
    )
    reply_names_event = True
    hooks_also_run_by = ("cursor", "copilot")
    starts_after_compaction = True
    tells_at = "pre-tool"
    can_ask = True

    home_folder = (".claude",)
    home_variable = "CLAUDE_CONFIG_DIR"
    user_file = "settings.json"
    project_file = ".claude/settings.json"
    grouped = True
    matchers: Mapping[str, str] = {
        "Notification": "idle_prompt",
        "PreToolUse": "Edit|MultiEdit|NotebookEdit|Write|Bash",
    }
    timeout = ("timeout", 1)

    user_pages = ("CLAUDE.md",)
    pages = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")

    mcp_project_file = ".mcp.json"

    judge = (
        *("claude", "-p", "--model", "haiku"),
        # No hooks, skills, MCP servers or CLAUDE.md; no tools; no transcript.
        *("--safe-mode", "--tools", "", "--no-session-persistence"),
    )

    skill_page = "claude-code"
    skill_folder = ".claude/skills"

    program_variables = ("CLAUDECODE",)

    transcript_format = "memcli.hosts.formats.claude_code"
    hooks_name_format = True
    session_variable = "CLAUDE_CODE_SESSION_ID"

    def mcp_user_path(self, environ: Mapping[str, str]) -> str:
        # Beside the folder, unless that is moved.
        moved = environ.get(self.home_variable)
        return os.path.join(moved or home(environ), ".claude.json")

    def mcp_tables(self, settings: Mapping[str, Any], project: str) -> list[Any]:
        # Scope `local` of `claude mcp add`, which is its default.
        projects = settings.get("projects")
        own = projects.get(project) if isinstance(projects, dict) else None
        tables = [settings.get(self.mcp_key)]
        return [*tables, own.get(self.mcp_key)] if isinstance(own, dict) else tables

    def transcripts(self, environ: Mapping[str, str]) -> Iterator[str]:
        # Sub-agents' files lie deeper; workflows' folders and journals are no sessions.
        for folder in listed(_projects(environ)):
            if os.path.basename(folder).startswith("wf_"):
                continue
            for path in listed(folder):
                name = os.path.basename(path)
                if name.startswith("wf_") or name == "journal.jsonl":
                    continue
                if name.endswith(".jsonl"):
                    yield path

    def running_transcript(
        self, session: str, environ: Mapping[str, str], cwd: str
    ) -> str | None:
        projects = _projects(environ)
        named = environ.get("CLAUDE_CODE_PROJECT_DIR_NAME", "")
        project = os.path.realpath(environ.get("CLAUDE_PROJECT_DIR") or cwd)
        is_plain = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}", named)
        names = [named] if is_plain else []
        names += [project_name(project), project_name(os.path.realpath(cwd))]
        folders = [os.path.join(projects, name) for name in names]
        # Last, in every folder: ids are unique, and the rule for names changed once.
        for folder in (*folders, *listed(projects)):
            path = os.path.join(folder, f"{session}.jsonl")
            if os.path.isfile(path):
                return path
        return None

    def is_about(self, path: str, folder: str) -> bool | None:
        # The folder's name rules out nearly all. It cannot say yes: two projects may
        # have the same.
        beside = os.path.basename(os.path.dirname(path))
        return None if beside == project_name(folder) else False


HOST = ClaudeCode()


def project_name(path: str) -> str:
    """The name of Claude Code's folder for a project's path, links resolved.

    >>> project_name("/home/dev/my_proj.v1")
    '-home-dev-my-proj-v1'
    """
    raw = path.encode("utf-16-le", "surrogatepass")
    units = [raw[i] | raw[i + 1] << 8 for i in range(0, len(raw), 2)]
    letters = [chr(u) if u < 128 and chr(u).isalnum() else "-" for u in units]
    text = "".join(letters)
    if len(text) <= 200:
        return text
    mark = 0
    for unit in units:
        mark = (mark * 31 + unit) & 0xFFFFFFFF
    mark = abs(mark - (1 << 32) if mark >> 31 else mark)
    digits = ""
    while mark or not digits:
        mark, digit = divmod(mark, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return f"{text[:200]}-{digits}"


def _projects(environ: Mapping[str, str]) -> str:
    root = environ.get("CLAUDE_CONFIG_DIR") or below_home(environ, ".claude")
    return os.path.join(root, "projects") if root else ""
