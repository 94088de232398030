"""opencode: its plugin, skills, and the format of its exports.

A person says where an export lies: opencode has no place for them.
"""

from __future__ import annotations

import os

from memcli.hosts.host import Host, home

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping


class Opencode(Host):
    """opencode, which runs a plugin of memcli's instead of commands."""

    name = "opencode"
    title = "opencode"
    binaries = ("opencode",)
    tested = "1.18.33"

    events = (
        ("session.created", "session-start"),
        ("chat.message", "prompt-submit"),
        ("tool.execute.before", "pre-tool"),
        ("tool.execute.after", "post-tool"),
        ("session.idle", "stop"),
        ("experimental.session.compacting", "pre-compact"),
    )

    tells_at = "post-tool"

    user_file = "plugins/memcli.js"
    project_file = ".opencode/plugins/memcli.js"
    user_pages = ("AGENTS.md",)
    pages = ("AGENTS.md",)

    mcp_user_file = "opencode.json"
    mcp_project_file = "opencode.json"
    mcp_key = "mcp"
    is_plugin = True

    # `--pure` leaves out plugins. It keeps the session in its database.
    judge = ("env", 'OPENCODE_PERMISSION={"*":"deny"}', "opencode", "run", "--pure")

    skill_folder = ".agents/skills"
    more_skills_at_home = (
        ".claude/skills",
        ".opencode/skills",
        ".config/opencode/skills",
    )
    more_skills_in_project = (".claude/skills", ".opencode/skills")

    # Its plugin writes the generic format, an export has opencode's own.
    program_variables = ("OPENCODE",)

    transcript_format = "memcli.hosts.formats.opencode"

    def folder(self, environ: Mapping[str, str]) -> str:
        moved = environ.get("OPENCODE_CONFIG_DIR")
        config = environ.get("XDG_CONFIG_HOME") or os.path.join(
            home(environ), ".config"
        )
        return moved or os.path.join(config, "opencode")


HOST = Opencode()
