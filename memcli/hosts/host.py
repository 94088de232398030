"""The record of an agent host: all that the rest of memcli asks about it.

Invariant: no other module than the table knows a host's names, files or habits. A
record is light, because hooks load it before every prompt: what reads transcripts is a
module of `formats`, by the host's name. The environment is a parameter.
"""

from __future__ import annotations

import os

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


EVENTS = (
    "session-start", "prompt-submit", "pre-tool", "post-tool", "stop", "session-end",
    "pre-compact", "idle",
)  # fmt: skip
"""The events at which memcli does something, by its own names."""

# Claude Code shows 2,000 characters of what is longer than 10,000 (9,907 came whole,
# 10,019 did not); Codex cuts near 2,500 tokens, which is about as much.
MOST = 9_500
"""The most characters of a hook's answer, counting what JSON adds."""

MCP_ENTRY = {"command": "$program", "args": "$arguments"}


class Host(NamedTuple):
    """An agent host; a row of the table says what differs.

    Attributes:
        name: as `--host` and the entries have it.
        title: as people call it.
        binaries: names of its program.

        events: pairs, the host's name of an event and memcli's, in the order of
            `EVENTS`; empty for a host without hooks.
        takes_text: whether a hook can bring text into the session.
        reply_names_event: whether it wants the text as Claude Code does, with its name
            of the event.
        hooks_also_run_by: names of the hosts that run this host's hooks as well as
            their own; the first whose payload it is counts.
        starts_after_compaction: whether it says that a session starts when it has been
            compacted.
        tells_at: the event of a tool at which it takes text: pre-tool, post-tool, or
            empty for neither.
        can_ask: whether a hook can let it ask the user before a tool runs.

        home_folder: its folder below the user's home.
        home_variable: the variable that moves that folder; empty for none.
        hook_files: where hooks stand, below its folder and below a project.
        is_plugin: whether that file is a program of memcli's, and no settings.
        grouped: whether entries stand in groups with a matcher.
        matchers: what the groups of the host's events are limited to.
        windows_shell: what reads a command line on Windows: posix, powershell or cmd.
        timeout: the field of a timeout and its units in a second; None for no field.
        seconds: timeouts that differ from memcli's, by memcli's event.
        file_version: the version that its file of hooks has to name; None for none.
        notes, project_notes: what a person should know who installs hooks, at all and
            in a project.
        needs_trust: whether a person has to trust hooks before they run.

        mcp_files: where its MCP servers are named, below its folder (`~/` says: beside
            it, unless the folder was moved) and below a project; empty for none.
        mcp_key: the name of the table of servers there.
        mcp_entry: a server of it, in which `$program` and `$arguments`, or `$words`,
            are the command line.

        user_pages, pages: the pages of instructions that it loads at every start, below
            its folder and below a project.

        judge: the command line with which it answers a prompt on standard input on
            standard output, as far as it can without tools, hooks, MCP servers or a
            kept session; empty for none.

        skill_page: the name of its page of the core skill, if it is not the host's own.
        skill_folder: where memcli writes skills, below home and project; None when no
            folder is known.

        hook: an entry of its settings, in which `$posix`, `$powershell` and `$own`
            (what it uses on this system) are the command line for that shell.
        answer: the document that brings a text into a session, for `$text`. `more` is
            what an event's has besides.
        no: the document that keeps a tool from running, for `$decision` and `$reason`;
            empty for Claude Code's.

        transcripts: where its transcripts are, as patterns below its folder.
        program_variables: variables that are set in every program which it runs; any
            one of them tells.
        session_variable: the variable that holds the id of the session which runs a
            program; empty for none.
    """

    name: str
    title: str
    binaries: tuple[str, ...] = ()

    events: tuple[tuple[str, str], ...] = ()
    takes_text: bool = True
    reply_names_event: bool = False
    hooks_also_run_by: tuple[str, ...] = ()
    starts_after_compaction: bool = False
    tells_at: str = ""
    can_ask: bool = False

    home_folder: tuple[str, ...] = ()
    home_variable: str = ""
    hook_files: tuple[str, str] = ("", "")
    is_plugin: bool = False
    grouped: bool = False
    matchers: Mapping[str, str] = {}
    windows_shell: str = "posix"
    timeout: tuple[str, int] | None = None
    seconds: Mapping[str, int] = {}
    file_version: int | None = None
    notes: tuple[str, ...] = ()
    project_notes: tuple[str, ...] = ()
    needs_trust: bool = False

    mcp_files: tuple[str, str] = ("", "")
    mcp_key: str = "mcpServers"
    mcp_entry: Mapping[str, Any] = MCP_ENTRY

    user_pages: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()

    judge: tuple[str, ...] = ()

    skill_page: str = ""
    skill_folder: str | None = None

    hook: Mapping[str, Any] = {"type": "command", "command": "$own"}
    answer: Mapping[str, Any] = {"additionalContext": "$text"}
    more: Mapping[str, Mapping[str, Any]] = {}
    no: Mapping[str, Any] = {}

    transcripts: tuple[str, ...] = ()
    program_variables: tuple[str, ...] = ()
    session_variable: str = ""

    def native(self, event: str) -> str:
        """The host's name of memcli's event; empty when it has none."""
        return next((native for native, ours in self.events if ours == event), "")

    def tells(self, event: str) -> bool:
        """Whether it takes text at an event."""
        injecting = ("session-start", "prompt-submit", self.tells_at)
        return self.takes_text and event in injecting

    def reply(self, event: str, text: str) -> str:
        """The answer that brings a text into the session; empty for no text.

        No host takes another's format: Codex refuses a key that it does not know,
        Gemini shows plain text to the user.
        """
        if not text or not self.tells(event):
            return ""
        fields = {**_filled(self.answer, {"text": text}), **self.more.get(event, {})}
        return self._said(event, fields)

    def refusal(self, decision: str, reason: str) -> str:
        """The answer that keeps a tool from running; empty where the host has none.

        Args:
            decision: deny, or ask; a host that cannot ask the user is told no.
            reason: for the agent, and for the user who is asked.
        """
        if not self.native("pre-tool"):
            return ""
        made = decision if self.can_ask else "deny"
        if self.no:
            values = {"decision": made, "reason": reason}
            return self._said("", _filled(self.no, values))
        told = {"permissionDecision": made, "permissionDecisionReason": reason}
        return self._said("pre-tool", told)

    def _said(self, event: str, fields: dict[str, Any]) -> str:
        import json

        if event and self.reply_names_event:
            named = {"hookEventName": self.native(event), **fields}
            fields = {"hookSpecificOutput": named}
        # UTF-8, as JSON is; a host counts characters, and six for one would be a waste.
        return json.dumps(fields, ensure_ascii=False)

    def entry(self, line: Callable[[str], str]) -> dict[str, Any]:
        """A hook as it stands in the settings, without its timeout.

        Args:
            line: gives the command line for a shell: posix, powershell or own.
        """
        shells = ("posix", "powershell", "own")
        lines = {
            name: line(name) for name in shells if f"${name}" in self.hook.values()
        }
        return _filled(self.hook, lines)

    def server(self, words: Sequence[str]) -> dict[str, Any]:
        """An MCP server that these words start, as it stands in the settings."""
        program, *arguments = words
        values = {"program": program, "arguments": arguments, "words": [*words]}
        return _filled(self.mcp_entry, values)

    def path(self, file: str, environ: Mapping[str, str]) -> str:
        """A file of the user's, below the host's folder, or beside it with `~/`."""
        folder = self.folder(environ)
        if file.startswith("~/") and not environ.get(self.home_variable or "-"):
            folder = home(environ)
        return os.path.join(folder, *file.removeprefix("~/").split("/"))

    def folder(self, environ: Mapping[str, str]) -> str:
        """The host's folder of the user."""
        moved = environ.get(self.home_variable, "") if self.home_variable else ""
        top, *rest = (*self.home_folder, "")
        config = environ.get("XDG_CONFIG_HOME") if top == ".config" else None
        return moved or os.path.join(
            config or os.path.join(home(environ), top), *rest[:-1]
        )


def _filled(shape: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """A document with the values that its `$words` stand for."""
    return {
        key: values.get(each[1:], each) if isinstance(each, str) else each
        for key, each in shape.items()
    }


def home(environ: Mapping[str, str]) -> str:
    """The user's home folder."""
    named = environ.get("HOME") or environ.get("USERPROFILE")
    return named or os.path.expanduser("~")


def project_root(cwd: str, *, home: str = "") -> str:
    """The repository around a folder; the folder itself where there is none.

    A `home` that is a repository, of dotfiles, is not the project of what lies in it.
    """
    folder = os.path.abspath(cwd)
    while not os.path.lexists(os.path.join(folder, ".git")) or folder == home:
        above = os.path.dirname(folder)
        if above == folder:
            return os.path.abspath(cwd)
        folder = above
    return folder
