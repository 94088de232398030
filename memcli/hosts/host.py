"""The record of an agent host: all that the rest of memcli asks about it.

Invariant: each host's module holds one record, `HOST`, and no other module knows a
host's names, files or habits. A record is light, because hooks load it before every
prompt: what reads transcripts is a module of `formats`, which it only names. The
environment is a parameter.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any


class Host:
    """What memcli knows of a host; a host's own class says what differs.

    Attributes:
        name: as `--host` and the entries have it.
        title: as people call it.
        binaries: names of its program.
        tested: the version of it that memcli was tested with (`tests/e2e`), which
            `--version` prints; empty for a host that was not.

        events: pairs, the host's name of an event and memcli's, in the order of a
            session's life; empty for a host without hooks.
        takes_text: whether a hook can bring text into the session.
        reply_names_event: whether it wants the text as Claude Code does, with its name
            of the event.
        hooks_also_run_by: names of the hosts that run this host's hooks as well as
            their own; the first whose payload it is counts.
        runs_others_hooks: whether the same event may come twice, by two hooks.
        starts_after_compaction: whether it says that a session starts when it has been
            compacted.
        tells_at: the event of a tool at which it takes text: pre-tool, post-tool, or
            empty for neither.
        can_ask: whether a hook can let it ask the user before a tool runs.
        ignored: memcli's events at which nothing is done, with the reason.

        home_folder: its folder below the user's home.
        home_variable: the variable that moves that folder; empty for none.
        user_file, project_file: where hooks stand, below its folder and below a
            project.
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
        also_runs_project_of: the host whose project file it reads as well; empty for
            none.

        user_pages, pages: the pages of instructions that it loads at every start, below
            its folder and below a project.

        mcp_user_file, mcp_project_file: where its MCP servers stand, below its folder
            and below a project; empty for none.
        mcp_key: the key of them in these files.

        judge: the command line with which it answers a prompt on standard input on
            standard output, as far as it can without tools, hooks, MCP servers or a
            kept session; empty for none.

        skill_page: its page of the core skill.
        skill_folder: where memcli writes skills, below home and project; None when no
            folder is known.
        more_skills_at_home, more_skills_in_project: other folders that it reads skills
            from: one that lies in two of them is loaded twice.

        transcript_format: the module that reads its transcripts.
        hooks_name_format: whether the file that its hooks name is surely of that
            format; else the file's content says.
        program_variables: variables that are set in every program which it runs; any
            one of them tells.
        session_variable: the variable that holds the id of the session which runs a
            program; empty for none.
    """

    name: str
    title: str
    binaries: tuple[str, ...] = ()
    tested = ""

    events: tuple[tuple[str, str], ...] = ()
    takes_text = True
    reply_names_event = False
    hooks_also_run_by: tuple[str, ...] = ()
    runs_others_hooks = False
    starts_after_compaction = False
    tells_at = ""
    can_ask = False
    ignored: Mapping[str, str] = {}

    home_folder: tuple[str, ...]
    home_variable = ""
    user_file: str
    project_file: str
    is_plugin = False
    grouped = False
    matchers: Mapping[str, str] = {}
    windows_shell = "posix"
    timeout: tuple[str, int] | None = None
    seconds: Mapping[str, int] = {}
    file_version: int | None = None
    notes: tuple[str, ...] = ()
    project_notes: tuple[str, ...] = ()
    needs_trust = False
    also_runs_project_of = ""

    user_pages: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()

    mcp_user_file = ""
    mcp_project_file = ""
    mcp_key = "mcpServers"

    judge: tuple[str, ...] = ()

    skill_page = "generic"
    skill_folder: str | None = None
    more_skills_at_home: tuple[str, ...] = ()
    more_skills_in_project: tuple[str, ...] = ()

    transcript_format: str
    hooks_name_format = False
    program_variables: tuple[str, ...] = ()
    session_variable = ""

    def native(self, event: str) -> str:
        """The host's name of memcli's event; empty when it has none."""
        return next((native for native, ours in self.events if ours == event), "")

    def is_caller(
        self, written_for: str, payload: Mapping[str, Any], transcript: str
    ) -> bool:
        """Whether this host sent a payload to a hook that was written for another.

        Args:
            written_for: the host that the hook's command line names; empty for none.
            payload: what came in.
            transcript: the path in it, empty for none.
        """
        del written_for, payload, transcript
        return False

    def reply(self, event: str, text: str) -> dict[str, Any]:
        """The document that brings a text into the session at an event."""
        context = {"additionalContext": text}
        if not self.reply_names_event:
            return context
        named = {"hookEventName": self.native(event), **context}
        return {"hookSpecificOutput": named}

    def refusal(self, decision: str, reason: str) -> dict[str, Any]:
        """The document that keeps a tool from running.

        Args:
            decision: deny; ask, where `can_ask`.
            reason: for the agent, and for the user who is asked.
        """
        said = {"permissionDecision": decision, "permissionDecisionReason": reason}
        if not self.reply_names_event:
            return said
        named = {"hookEventName": self.native("pre-tool"), **said}
        return {"hookSpecificOutput": named}

    def folder(self, environ: Mapping[str, str]) -> str:
        """The host's folder of the user."""
        moved = environ.get(self.home_variable, "") if self.home_variable else ""
        return moved or os.path.join(home(environ), *self.home_folder)

    def mcp_user_path(self, environ: Mapping[str, str]) -> str:
        """The user's file of MCP servers; empty for none."""
        name = self.mcp_user_file
        return os.path.join(self.folder(environ), *name.split("/")) if name else ""

    def mcp_tables(self, settings: Mapping[str, Any], project: str) -> list[Any]:
        """The tables of MCP servers in a settings file, as they were parsed.

        Args:
            settings: the file's.
            project: the folder of the project, for files that speak of several.
        """
        del project
        return [settings.get(self.mcp_key)]

    def entry(self, line: Callable[[str], str]) -> dict[str, Any]:
        """A hook as it stands in the settings, without its timeout.

        Args:
            line: gives the command line for a shell: posix, powershell, or `own`, the
                one that the host uses on this system.
        """
        return {"type": "command", "command": line("own")}

    def transcripts(self, environ: Mapping[str, str]) -> Iterator[str]:
        """The paths of its transcripts on this machine, in no order."""
        del environ
        yield from ()

    def has_name(self, path: str, session: str) -> bool:
        """Whether a transcript is that of the session with this id."""
        return os.path.basename(path) == f"{session}.jsonl"

    def running_transcript(
        self, session: str, environ: Mapping[str, str], cwd: str
    ) -> str | None:
        """The transcript of the session that runs this program; None for none yet."""
        del cwd
        paths = [p for p in self.transcripts(environ) if self.has_name(p, session)]
        # Two files may have the name: after a resume the older one is written on.
        return max(paths, key=lambda path: (written(path) or 0, path), default=None)

    def is_about(self, path: str, folder: str) -> bool | None:
        """Whether a transcript is about a folder, if its path says so.

        Returns:
            None: the path does not say it, the transcript may.
        """
        del path, folder
        return None


def home(environ: Mapping[str, str]) -> str:
    """The user's home folder."""
    named = environ.get("HOME") or environ.get("USERPROFILE")
    return named or os.path.expanduser("~")


def below_home(environ: Mapping[str, str], *names: str) -> str:
    """A path below the home that the environment names; empty when it names none."""
    named = environ.get("HOME") or environ.get("USERPROFILE")
    return os.path.join(named, *names) if named else ""


def listed(folder: str) -> list[str]:
    """The paths of a folder's entries; none when it cannot be read."""
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)]
    except (OSError, ValueError):
        return []


def written(path: str) -> int | None:
    """When a file was last written to, in epoch milliseconds; None: it is gone."""
    try:
        return os.stat(path).st_mtime_ns // 1_000_000
    except (OSError, ValueError):
        return None
