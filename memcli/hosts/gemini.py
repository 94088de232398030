"""Gemini CLI: its hooks, settings, skills, and where its transcripts are."""

from __future__ import annotations

import os

from memcli.hosts.host import Host, below_home, listed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any


class Gemini(Host):
    """Gemini CLI, which shows plain text to the user."""

    name = "gemini"
    title = "Gemini CLI"
    binaries = ("gemini",)
    tested = "0.61.0"

    # No PreCompress: it fires before each request to the model.
    events = (
        ("SessionStart", "session-start"),
        ("BeforeAgent", "prompt-submit"),
        ("BeforeTool", "pre-tool"),
        ("AfterTool", "post-tool"),
        ("AfterAgent", "stop"),
        ("SessionEnd", "session-end"),
    )
    reply_names_event = True
    # Before a tool it takes a refusal and no text.
    tells_at = "post-tool"
    ignored: Mapping[str, str] = {
        "pre-compact": "it says so before each call of its model"
    }

    home_folder = (".gemini",)
    user_file = "settings.json"
    project_file = ".gemini/settings.json"
    user_pages = ("GEMINI.md",)
    pages = ("GEMINI.md",)

    mcp_user_file = "settings.json"
    mcp_project_file = ".gemini/settings.json"
    grouped = True
    matchers: Mapping[str, str] = {
        **{native: "*" for native, _ in events},
        "BeforeTool": "write_file|replace|run_shell_command",
        "AfterTool": "write_file|replace|run_shell_command",
    }
    windows_shell = "powershell"
    timeout = ("timeout", 1000)

    # It keeps tools that list and read files of the current folder, which is empty, and
    # the search of the web: no flag takes them away. It keeps the session.
    judge = (
        *("gemini", "--skip-trust", "-m", "flash"),
        *("-e", "none", "--allowed-mcp-server-names", "none", "-p", ""),
    )

    skill_page = "gemini-cli"
    skill_folder = ".agents/skills"
    more_skills_at_home = (".gemini/skills",)
    more_skills_in_project = (".gemini/skills",)

    program_variables = ("GEMINI_CLI",)

    transcript_format = "memcli.hosts.formats.gemini"
    hooks_name_format = True
    session_variable = "GEMINI_SESSION_ID"

    def entry(self, line: Callable[[str], str]) -> dict[str, Any]:
        return {"name": "memcli", **super().entry(line)}

    def refusal(self, decision: str, reason: str) -> dict[str, Any]:
        return {"decision": decision, "reason": reason}

    def transcripts(self, environ: Mapping[str, str]) -> Iterator[str]:
        for project in listed(below_home(environ, ".gemini", "tmp")):
            for path in listed(os.path.join(project, "chats")):
                name = os.path.basename(path)
                if name.startswith("session-") and name.endswith((".json", ".jsonl")):
                    yield path

    def has_name(self, path: str, session: str) -> bool:
        # The name holds a part of the id only.
        if session[:8] not in path:
            return False
        from memcli.errors import MemcliError
        from memcli.hosts.formats import gemini
        from memcli.hosts.formats.jsonl_lines import Lines

        try:
            return gemini.session(Lines(path)).id == session
        except MemcliError:
            return False

    def is_about(self, path: str, folder: str) -> bool | None:
        # Older versions name the folder of the chats after a hash of the project's.
        from hashlib import sha256

        beside = os.path.basename(os.path.dirname(os.path.dirname(path)))
        return beside == sha256(os.fsencode(folder)).hexdigest() or None


HOST = Gemini()
