"""Cursor: its hooks, settings, skills, and where its transcripts are."""

from __future__ import annotations

import os

from memcli.hosts.host import Host, below_home, listed, written

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any


class Cursor(Host):
    """Cursor, the editor and its command line, which runs Claude's hooks as well."""

    name = "cursor"
    title = "Cursor"
    binaries = ("cursor", "cursor-agent")

    events = (
        ("sessionStart", "session-start"),
        ("beforeSubmitPrompt", "prompt-submit"),
        ("preToolUse", "pre-tool"),
        ("postToolUse", "post-tool"),
        ("stop", "stop"),
        ("sessionEnd", "session-end"),
        ("preCompact", "pre-compact"),
    )
    hooks_also_run_by = ("copilot",)
    runs_others_hooks = True
    tells_at = "post-tool"

    home_folder = (".cursor",)
    user_file = "hooks.json"
    project_file = ".cursor/hooks.json"
    pages = ("AGENTS.md", "CLAUDE.md")

    mcp_user_file = "mcp.json"
    mcp_project_file = ".cursor/mcp.json"
    windows_shell = "powershell"
    timeout = ("timeout", 1)
    file_version = 1

    skill_page = "cursor"
    skill_folder = ".cursor/skills"

    program_variables = ("CURSOR_AGENT",)

    transcript_format = "memcli.hosts.formats.cursor"

    def is_caller(
        self, written_for: str, payload: Mapping[str, Any], transcript: str
    ) -> bool:
        del written_for, transcript
        return "cursor_version" in payload or "generation_id" in payload

    def reply(self, event: str, text: str) -> dict[str, Any]:
        more = {"continue": True} if event == "prompt-submit" else {}
        return {"additional_context": text, **more}

    def refusal(self, decision: str, reason: str) -> dict[str, Any]:
        return {"permission": decision, "user_message": reason, "agent_message": reason}

    def entry(self, line: Callable[[str], str]) -> dict[str, Any]:
        return {"command": line("own")}

    def transcripts(self, environ: Mapping[str, str]) -> Iterator[str]:
        # The editor gives a session a folder, the command line does not. One that was
        # seen from two folders is written under both names: the newer file is the
        # session.
        newest: dict[str, tuple[int, str]] = {}
        for project in listed(below_home(environ, ".cursor", "projects")):
            for path in listed(os.path.join(project, "agent-transcripts")):
                name = os.path.basename(path)
                if not name.endswith(".jsonl"):
                    path, name = os.path.join(path, f"{name}.jsonl"), f"{name}.jsonl"
                moment = written(path)
                if moment is not None and (moment, path) > newest.get(name, (-1, "")):
                    newest[name] = (moment, path)
        yield from (path for _, path in newest.values())

    def is_about(self, path: str, folder: str) -> bool | None:
        # Cursor's folder of a project has Claude Code's name for it, without the root.
        from memcli.hosts.claude_code import project_name

        project, _, rest = path.replace(os.sep, "/").rpartition("/agent-transcripts/")
        return bool(rest) and os.path.basename(project) == project_name(folder).strip(
            "-"
        )


HOST = Cursor()
