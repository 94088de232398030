"""Windsurf: its hooks, settings, skills, and where its transcripts are."""

from __future__ import annotations

from memcli.hosts.host import Host, below_home, listed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any


class Windsurf(Host):
    """Windsurf, which takes no text from hooks."""

    name = "windsurf"
    title = "Windsurf"
    binaries = ("windsurf",)

    events = (
        ("pre_user_prompt", "prompt-submit"),
        ("post_cascade_response_with_transcript", "stop"),
    )
    takes_text = False

    home_folder = (".codeium", "windsurf")
    user_file = "hooks.json"
    project_file = ".windsurf/hooks.json"
    mcp_user_file = "mcp_config.json"
    notes = (
        "Windsurf takes no text from hooks: sessions are mined, but nothing is "
        "put into them; let the agent call memcli recall",
    )

    skill_page = "windsurf"

    transcript_format = "memcli.hosts.formats.windsurf"

    def entry(self, line: Callable[[str], str]) -> dict[str, Any]:
        return {
            "command": line("posix"),
            "powershell": line("powershell"),
            "show_output": False,
        }

    def transcripts(self, environ: Mapping[str, str]) -> Iterator[str]:
        for path in listed(below_home(environ, ".windsurf", "transcripts")):
            if path.endswith(".jsonl"):
                yield path

    def is_about(self, path: str, folder: str) -> bool | None:
        del path, folder
        return False  # neither the path nor the transcript says it


HOST = Windsurf()
