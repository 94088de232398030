"""What each event of a session does: which work it starts, what the session is told.

Invariant: nothing here waits for slow work, which is started in a process of its own
(`background`). What an event did stands in the `line` of its call, which becomes a line
of the log; what the session is told, in its `answer`.

It is loaded before every prompt: neither Typer nor Rich, YAML or GitPython.
"""

from __future__ import annotations

import os
import time

from memcli.sessions.hooks import pipe

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from memcli.hosts.hook_payload import Event
    from memcli.hosts.host import Host
    from memcli.sessions.hooks.answer import TeamLimits

# Seconds that memcli takes of the host's time, at most. A person waits at a prompt;
# Codex gives the end of a session three.
BUDGET = {
    "session-start": 4.0,
    "prompt-submit": 2.0,
    "pre-tool": 2.0,
    "post-tool": 2.0,
    "stop": 2.0,
    "session-end": 1.5,
    "pre-compact": 2.0,
    "idle": 2.0,
}
# Seconds between two sweeps that sessions start by themselves.
_SWEEP_EVERY = 3_600.0
# Where a host runs the hooks of another as well, the same event comes a second time
# within so many seconds.
_TWICE_WITHIN = 20.0
# Seconds that the vaults of teams may take after the own one has answered, and the
# share of the budget after which a hook waits for them no longer.
_TEAMS_WAIT = {"session-start": 1.5, "prompt-submit": 0.6}
_TEAMS_WAIT |= {"pre-tool": 0.4, "post-tool": 0.4}
_TOOLS = ("pre-tool", "post-tool")
_TEAMS_SHARE = 0.75


class Call:
    """One call of a hook: what came in, and what comes of it.

    Attributes:
        event: what the command line names; `work` for a background process.
        flags: the rest of the command line.
        unclear: why the command line is not understood; empty when it is.
        root: the vault; None when there is none.
        answer: what goes to the host; empty for no answer.
        line: what goes into the log.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.started = time.monotonic()
        self.event, self.flags, self.unclear = pipe.parsed(words)
        self.root: str | None = None
        self.answer = ""
        self.line: dict[str, Any] = {"event": self.event[:40]}

    def fail(self, why: str) -> None:
        """Answer nothing, and say why in the log."""
        self.answer = ""
        self.line["error"] = why[:300]


def respond(call: Call, payload: Any) -> None:
    """Do what an event asks for; `call` takes the answer and the line of the log.

    Args:
        call: of a host, not of a background process.
        payload: the host's, as it came; None when it sent none.
    """
    from memcli.hosts import hook_payload, table

    event = hook_payload.read(call.event, call.flags.get("host", ""), payload)
    host = table.get(event.host)
    line, root = call.line, call.root
    line.update(host=event.host[:40], session=event.session)
    if call.event not in hook_payload.EVENTS:
        call.fail(f"no such event: {call.event[:40]}")
    elif root is not None and not os.path.isdir(os.path.join(root, ".memcli")):
        pass
    elif payload is None and call.event != "idle":
        call.fail("no JSON on standard input")
    elif host is None or not host.events:
        call.fail(f"no such host: {event.host[:40]}")
    elif (
        root
        and host.runs_others_hooks
        and event.session
        and event.name not in _TOOLS
        and _came_just_now(root, event)
    ):
        line["did"] = "nothing: the same event came twice"
    elif event.name in _TOOLS:
        if root is not None:
            call.answer = _at_tool(call, root, host, event)
    elif root is None:
        from memcli.sessions.hooks import at_start

        call.root, text = at_start.of_repository_alone(event, line)
        call.answer = hook_payload.reply(event.host, event.name, text)
    else:
        text = _handle(root, host, event, line, _team_limits(call, event))
        call.answer = hook_payload.reply(event.host, event.name, text)


def _at_tool(call: Call, root: str, host: Host, event: Event) -> str:
    """The answer before or after a tool, in the host's format."""
    from memcli.hosts import hook_payload
    from memcli.sessions.hooks import at_tool

    limits = _team_limits(call, event)
    given = at_tool.at_tool(root, host, event, call.line, limits)
    if given.decision:
        return hook_payload.refusal(event.host, given.decision, given.reason)
    return hook_payload.reply(event.host, event.name, given.text)


def _handle(
    root: str, host: Host, event: Event, line: dict[str, Any], limits: TeamLimits
) -> str:
    """Do the event's work, say in `line` what was done; returns the session's text."""
    from memcli.sessions import markers

    if event.name == "idle":
        if event.reason not in ("", "idle_prompt"):
            line["did"] = f"nothing at {event.reason[:40]}"
        else:
            line["did"] = start(root, "--sweep")
        return ""
    if event.name == "session-start":
        return _session_start(root, event, line, limits)
    if not event.session:
        line["error"] = "no session in the payload"
        return ""
    if event.name in host.ignored:
        line["did"] = f"nothing: {host.ignored[event.name]}"
        return ""
    # At an end the host may not say where the transcript is; it said so before.
    _begin(root, event)
    if event.name == "prompt-submit":
        return _prompt_submit(root, event, line, limits)
    if event.name == "pre-compact" and not host.starts_after_compaction:
        markers.show(root, event.session, [], afresh=True, agent=agent_name())
    line["did"] = start(root, *_mining_flags(event))
    return ""


def _mining_flags(event: Event) -> Iterator[str]:
    yield f"--session={event.session}"
    yield f"--host={event.host}"
    if event.transcript:
        yield f"--transcript={event.transcript}"
    if event.name == "session-end":
        yield "--close"


def _begin(root: str, event: Event) -> None:
    from memcli.sessions import markers

    session, transcript = event.session, event.transcript
    markers.begin(
        root, session, event.host, transcript, agent=agent_name(), cwd=event.cwd
    )


def _session_start(
    root: str, event: Event, line: dict[str, Any], limits: TeamLimits
) -> str:
    from memcli.hosts import hook_payload
    from memcli.sessions import hook_log, markers
    from memcli.sessions.hooks import answer as telling
    from memcli.vault import background_sync

    try:
        if event.session:
            _begin(root, event)
    except OSError as error:  # a disk that is full or read-only can be read
        line["error"] = hook_log.named(error)
    text = ""
    if hook_payload.takes_text(event.host, event.name):
        from memcli.sessions.hooks import at_start

        text = at_start.at_start(root, event, line, limits)
    # Afterwards: the sweep may hold the index for as long as it is being built.
    try:
        # Each agent sweeps its own sessions.
        if telling.is_time(root, "swept" + markers.mark_of(agent_name()), _SWEEP_EVERY):
            line.setdefault("did", start(root, "--sweep"))
        background_sync.at_session(os.environ)
    except OSError as error:
        line["error"] = hook_log.named(error)
    return text


def _prompt_submit(
    root: str, event: Event, line: dict[str, Any], limits: TeamLimits
) -> str:
    from memcli.hosts import hook_payload
    from memcli.sessions.hooks import answer as telling

    line["shown"] = 0
    if not event.prompt or not hook_payload.takes_text(event.host, event.name):
        return ""
    return telling.at_prompt(root, event, line, limits)


def _team_limits(call: Call, event: Event) -> TeamLimits:
    """How the vaults of teams are asked; not beside a vault that the call names."""
    from memcli.sessions.hooks.answer import TeamLimits

    return TeamLimits(
        asked=not call.flags.get("vault"),
        seconds=_TEAMS_WAIT.get(event.name, 0.0),
        # The rest of the budget is for the answer.
        until=call.started + _TEAMS_SHARE * BUDGET.get(call.event, 1.0),
        build=lambda folder: start(folder, "--index"),
    )


def _came_just_now(root: str, event: Event) -> bool:
    """Whether another hook told the same event of the same session just now."""
    from zlib import crc32

    from memcli.sessions import markers

    prompt = event.prompt if event.name == "prompt-submit" else ""
    content = f"{event.name}\0{prompt}".encode("utf-8", "replace")
    path = markers.path(root, event.session, f".{crc32(content):08x}{markers.ONCE}")
    try:
        markers.make_folder(root)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        age = time.time() - os.stat(path).st_mtime
        os.utime(path)
        return 0 <= age < _TWICE_WITHIN
    except OSError:
        pass
    return False


def start(root: str, *flags: str) -> str:
    """Start a background process for a vault; says in a word what became of it."""
    from memcli.sessions.hooks import background

    return background.start(root, flags)


def agent_name() -> str | None:
    """The agent that this host's calls are made for; None is the owner."""
    return os.environ.get("MEMCLI_AGENT") or None
