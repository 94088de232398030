"""The table of the agent hosts.

Invariant: the one list of hosts. A host is its row here and, if its transcripts are
like no other's, a module of `formats` that has its name.
"""

from __future__ import annotations

from memcli.hosts.host import EVENTS, MCP_ENTRY, Host

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping


def _events(natives: str) -> tuple[tuple[str, str], ...]:
    """A host's names of memcli's events, each with that; `-` where it has none."""
    pairs = zip(natives.split(), EVENTS, strict=False)
    return tuple(pair for pair in pairs if pair[0] != "-")


# What gives an answer tools, or runs hooks.
_CODEX_OFF = " ".join(
    f"-c features.{name}=false"
    for name in ("hooks", "shell_tool", "apps", "plugins", "multi_agent", "goals")
)

_GEMINI_TOOLS = "write_file|replace|run_shell_command"

_TABLE = (
    Host(
        name="claude-code",
        title="Claude Code",
        binaries=("claude",),
        events=_events(
            "SessionStart UserPromptSubmit PreToolUse - Stop SessionEnd PreCompact "
            "Notification"
        ),
        reply_names_event=True,
        hooks_also_run_by=("cursor", "copilot"),
        starts_after_compaction=True,
        tells_at="pre-tool",
        can_ask=True,
        home_folder=(".claude",),
        home_variable="CLAUDE_CONFIG_DIR",
        hook_files=("settings.json", ".claude/settings.json"),
        mcp_files=("~/.claude.json", ".mcp.json"),
        grouped=True,
        matchers={
            "Notification": "idle_prompt",
            "PreToolUse": "Edit|MultiEdit|NotebookEdit|Write|Bash",
        },
        timeout=("timeout", 1),
        user_pages=("CLAUDE.md",),
        pages=("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
        # No hooks, skills, MCP servers or CLAUDE.md; no tools; no transcript.
        judge=(
            *"claude -p --model haiku --safe-mode --tools".split(),
            *("", "--no-session-persistence"),
        ),
        skill_folder=".claude/skills",
        program_variables=("CLAUDECODE",),
        session_variable="CLAUDE_CODE_SESSION_ID",
        # Sub-agents' files lie deeper.
        transcripts=("projects/*/*.jsonl",),
    ),
    Host(
        name="codex",
        title="Codex CLI",
        binaries=("codex",),
        events=_events(
            "SessionStart UserPromptSubmit PreToolUse - Stop SessionEnd PreCompact"
        ),
        reply_names_event=True,
        starts_after_compaction=True,
        tells_at="pre-tool",
        home_folder=(".codex",),
        home_variable="CODEX_HOME",
        hook_files=("hooks.json", ".codex/hooks.json"),
        mcp_files=("config.toml", ".codex/config.toml"),
        mcp_key="mcp_servers",
        user_pages=("AGENTS.md",),
        pages=("AGENTS.md",),
        grouped=True,
        windows_shell="cmd",
        timeout=("timeout", 1),
        # Codex cuts what a SessionEnd hook declares to this.
        seconds={"session-end": 3},
        notes=(
            "Codex runs no hook, and says nothing, before you have trusted it: "
            "start codex and type /hooks",
        ),
        project_notes=(
            "Codex reads a project's hooks only where it trusts the project",
        ),
        needs_trust=True,
        # Only the second flag leaves out the MCP servers that its config may name; the
        # model and the provider that are named there are left out as well.
        judge=tuple(
            "codex exec --ephemeral --ignore-user-config --sandbox read-only "
            f"--skip-git-repo-check {_CODEX_OFF} -c web_search=disabled -".split()
        ),
        skill_folder=".agents/skills",
        program_variables=("CODEX_SANDBOX", "CODEX_CI", "CODEX_THREAD_ID"),
        transcripts=(
            "sessions/**/rollout-*.jsonl",
            "archived_sessions/**/rollout-*.jsonl",
        ),
    ),
    Host(
        name="gemini",
        title="Gemini CLI",
        binaries=("gemini",),
        # No PreCompress: it fires before each request to the model.
        events=_events(
            "SessionStart BeforeAgent BeforeTool AfterTool AfterAgent SessionEnd"
        ),
        reply_names_event=True,
        # Before a tool it takes a refusal and no text.
        tells_at="post-tool",
        home_folder=(".gemini",),
        hook_files=("settings.json", ".gemini/settings.json"),
        mcp_files=("settings.json", ".gemini/settings.json"),
        user_pages=("GEMINI.md",),
        pages=("GEMINI.md",),
        grouped=True,
        matchers={
            **dict.fromkeys(
                "SessionStart BeforeAgent AfterAgent SessionEnd".split(), "*"
            ),
            **dict.fromkeys(("BeforeTool", "AfterTool"), _GEMINI_TOOLS),
        },
        windows_shell="powershell",
        timeout=("timeout", 1000),
        # It keeps tools that list and read files of the current folder, which is empty,
        # and the search of the web: no flag takes them away. It keeps the session.
        judge=(
            *"gemini --skip-trust -m flash -e none --allowed-mcp-server-names".split(),
            *("none", "-p", ""),
        ),
        skill_page="gemini-cli",
        skill_folder=".agents/skills",
        program_variables=("GEMINI_CLI",),
        session_variable="GEMINI_SESSION_ID",
        hook={"name": "memcli", "type": "command", "command": "$own"},
        no={"decision": "$decision", "reason": "$reason"},
        transcripts=("tmp/*/chats/session-*.jsonl",),
    ),
    Host(
        name="copilot",
        title="GitHub Copilot CLI",
        binaries=("copilot",),
        events=_events(
            "sessionStart userPromptSubmitted preToolUse postToolUse agentStop "
            "sessionEnd preCompact"
        ),
        hooks_also_run_by=("cursor",),
        tells_at="post-tool",
        can_ask=True,
        home_folder=(".copilot",),
        home_variable="COPILOT_HOME",
        hook_files=("hooks/memcli.json", ".github/hooks/memcli.json"),
        mcp_files=("mcp-config.json", ""),
        mcp_entry={"type": "local", **MCP_ENTRY, "tools": ["*"]},
        user_pages=("copilot-instructions.md",),
        pages=(
            ".github/copilot-instructions.md",
            "AGENTS.md",
            "CLAUDE.md",
            "GEMINI.md",
        ),
        timeout=("timeoutSec", 1),
        file_version=1,
        # It keeps the session.
        judge=tuple(
            "copilot -s --available-tools none --disable-builtin-mcps "
            "--no-custom-instructions --no-ask-user".split()
        ),
        skill_page="copilot-cli",
        skill_folder=".agents/skills",
        program_variables=("COPILOT_CLI", "COPILOT_CLI_BINARY_VERSION"),
        hook={"type": "command", "bash": "$posix", "powershell": "$powershell"},
        transcripts=("session-state/*/events.jsonl",),
    ),
    Host(
        name="cursor",
        title="Cursor",
        binaries=("cursor", "cursor-agent"),
        events=_events(
            "sessionStart beforeSubmitPrompt preToolUse postToolUse stop sessionEnd "
            "preCompact"
        ),
        hooks_also_run_by=("copilot",),
        tells_at="post-tool",
        home_folder=(".cursor",),
        hook_files=("hooks.json", ".cursor/hooks.json"),
        mcp_files=("mcp.json", ".cursor/mcp.json"),
        pages=("AGENTS.md", "CLAUDE.md"),
        windows_shell="powershell",
        timeout=("timeout", 1),
        file_version=1,
        skill_folder=".cursor/skills",
        program_variables=("CURSOR_AGENT",),
        hook={"command": "$own"},
        answer={"additional_context": "$text"},
        more={"prompt-submit": {"continue": True}},
        no={
            "permission": "$decision",
            "user_message": "$reason",
            "agent_message": "$reason",
        },
        # The editor gives a session a folder, the command line does not.
        transcripts=(
            "projects/*/agent-transcripts/*.jsonl",
            "projects/*/agent-transcripts/*/*.jsonl",
        ),
    ),
    Host(
        name="windsurf",
        title="Windsurf",
        binaries=("windsurf",),
        events=_events("- pre_user_prompt - - post_cascade_response_with_transcript"),
        takes_text=False,
        home_folder=(".codeium", "windsurf"),
        hook_files=("hooks.json", ".windsurf/hooks.json"),
        mcp_files=("mcp_config.json", ""),
        notes=(
            "Windsurf takes no text from hooks: sessions are mined, but nothing is "
            "put into them; let the agent call memcli recall",
        ),
        hook={"command": "$posix", "powershell": "$powershell", "show_output": False},
        transcripts=("../../.windsurf/transcripts/*.jsonl",),
    ),
    Host(
        name="opencode",
        title="opencode",
        binaries=("opencode",),
        events=_events(
            "session.created chat.message tool.execute.before tool.execute.after "
            "session.idle - experimental.session.compacting"
        ),
        tells_at="post-tool",
        hook_files=("plugins/memcli.js", ".opencode/plugins/memcli.js"),
        mcp_files=("opencode.json", "opencode.json"),
        mcp_key="mcp",
        mcp_entry={"type": "local", "command": "$words", "enabled": True},
        user_pages=("AGENTS.md",),
        pages=("AGENTS.md",),
        is_plugin=True,
        skill_page="generic",
        # `--pure` leaves out plugins. It keeps the session in its database.
        judge=("env", 'OPENCODE_PERMISSION={"*":"deny"}', "opencode", "run", "--pure"),
        skill_folder=".agents/skills",
        # Its plugin writes the generic format.
        program_variables=("OPENCODE",),
        home_folder=(".config", "opencode"),
        home_variable="OPENCODE_CONFIG_DIR",
    ),
    Host(name="generic", title="any other agent", takes_text=False),
    # Last: a transcript is asked whether it is any other's first.
)
"""The hosts, in the order in which people see them."""

_BY_NAME = {host.name: host for host in _TABLE}
NAMES = tuple(_BY_NAME)


def get(name: str) -> Host | None:
    """The host of this name; None when there is none."""
    return _BY_NAME.get(name)


def hosts() -> list[Host]:
    """Every host, in the order of the table."""
    return list(_TABLE)


def with_hooks() -> list[Host]:
    """Every host that has hooks, in the order of the table."""
    return [host for host in hosts() if host.events]


def page_names() -> frozenset[str]:
    """The names of the pages of rules that hosts load, such as CLAUDE.md."""
    pages = (page for host in with_hooks() for page in host.pages)
    return frozenset(page.rpartition("/")[2] for page in pages)


def running_in(environ: Mapping[str, str]) -> Host | None:
    """The host in whose session this program runs; None when none says so."""
    for host in hosts():
        named = (host.session_variable, *host.program_variables)
        if any(name and environ.get(name) for name in named):
            return host
    return None


def find(name: str, *, hooks: bool = False) -> Host:
    """The host of this name.

    Args:
        name: as a person wrote it.
        hooks: whether it has to have hooks.

    Raises:
        InvalidValue: there is none; it names all, and the nearest.
    """
    host = get(name)
    if host is not None and (host.events or not hooks):
        return host
    from memcli.entries.entry import refusal

    known = with_hooks() if hooks else hosts()
    raise refusal("host", name, [host.name for host in known])
