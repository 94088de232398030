"""The command of a user's own that judges sessions: `claude -p`, `codex exec`, any.

Invariant: only the user's own config names it; no vault can. It gets the digest on
standard input, an empty folder to stand in, a time limit, and no hooks of memcli; when
a session ends it is called once, up to a limit a day. Its answers remove nothing that
the rules have found. The module is light: the start of a session asks whether there is
a judge.
"""

from __future__ import annotations

import os
import sys
import time

from memcli.errors import InvalidConfig, MemcliError
from memcli.named_tuple import NamedTuple
from memcli.sessions import hook_log
from memcli.storage import user_config

TYPE_CHECKING = False

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable, Mapping
    from typing import Any

    from memcli.vault.vault import Vault

_SECONDS = 120.0
_A_DAY = 50
_DAY = 86_400
# Of the log; hooks write some 200 a day.
_LINES = 5_000
# A session in which nobody typed more words than this has nothing to judge.
_LEAST_WORDS = 8


class Judge(NamedTuple):
    """A command that reads a prompt on standard input and writes its answer.

    Attributes:
        command: its words.
        seconds: how long it may take.
        a_day: how often it is called within 24 hours at most.
    """

    command: tuple[str, ...]
    seconds: float = _SECONDS
    a_day: int = _A_DAY

    @property
    def name(self) -> str:
        """Who judged, for the provenance: the program, without `env NAME=VALUE`."""
        words = [word for word in self.command if word != "env" and "=" not in word]
        return os.path.basename((words or self.command)[0])


class JudgeFailed(MemcliError):
    """The command could not be run, took too long, or ended with an error."""

    code = "judge_failed"


def configured(environ: Mapping[str, str]) -> Judge | None:
    """The judge of the user's config, None when there is none.

    Raises:
        InvalidConfig: `[mining]` of the user's config cannot be understood.
    """
    table, path = user_config.table("mining", environ)
    words = table.get("judge")
    if not words:
        return None
    if not isinstance(words, list) or not all(isinstance(one, str) for one in words):
        raise InvalidConfig(
            f"{path}: judge must be a list of words",
            hint='As in: judge = ["claude", "-p", "--model", "haiku"]',
        )
    seconds, a_day = table.get("judge_seconds", _SECONDS), table.get("judge_a_day")
    a_day = _A_DAY if a_day is None else a_day
    if not isinstance(seconds, int | float) or not 1 <= seconds <= 500:
        raise InvalidConfig(f"{path}: judge_seconds must be a number from 1 to 500")
    if not isinstance(a_day, int) or isinstance(a_day, bool) or a_day < 0:
        raise InvalidConfig(f"{path}: judge_a_day must be a number, 0 or more")
    return Judge(tuple(words), float(seconds), a_day)


def judge_session(
    vault: Vault,
    path: str,
    host: str | None,
    environ: Mapping[str, str],
    *,
    cwd: str | None = None,
) -> None:
    """Have a session judged that has ended; never raises, the log says what came of it.

    Nothing is asked when no judge is configured, when the session was judged before or
    its judge was asked before, and when the day's calls are used.
    """
    from memcli.sessions import reflect_session
    from memcli.sessions.judging import bring
    from memcli.sessions.reflect_session import is_judged
    from memcli.vault import session_records

    line: dict[str, object] = {"event": "judge", "host": host or ""}
    try:
        judge = configured(environ)
        if judge is None:
            return
        transcript = reflect_session.opened(path, host, cwd)
        session = transcript.session
        line["session"] = session.id
        agent = vault.agent_name
        if agent:
            line["agent"] = agent
        record = session_records.get(vault.root, session.host, session.id, agent)
        if record is not None and any(map(is_judged, record.candidates)):
            return
        lines = hook_log.last(vault.root, _LINES)
        if any(call.get("session") == session.id for call in calls(lines)):
            return
        left = judge.a_day - len(calls(lines, vault.now_ms() // 1000))
        if left <= 0:
            line["did"] = f"nothing: {judge.a_day} calls in a day"
        else:
            made = bring.gather(vault, transcript)
            if sum(len(one.text.split()) for one in made.turns) < _LEAST_WORDS:
                return
            text = made.text()
            line.update(did="asked", asked=len(text), said=0)
            started = time.monotonic()
            said = ask(judge, text, environ)
            line.update(seconds=round(time.monotonic() - started), said=len(said))
            transcript = reflect_session.opened(path, host, cwd)
            done = bring.bring(vault, transcript, said, judge=judge.name, writer="hook")
            line.update(done.reflected.counts, refused=len(done.refused))
    except Exception as error:  # noqa: BLE001 what the rules found stays, and is noted
        line["error"] = hook_log.named(error)[:300]
    hook_log.note(vault.root, {"at": vault.now_ms() // 1000, **line})


def calls(
    lines: Iterable[dict[str, Any]], now: float | None = None
) -> list[dict[str, Any]]:
    """The lines of the log that are calls of a judge, failed ones too.

    Args:
        lines: of the log.
        now: only those of the 24 hours before, in epoch seconds.
    """
    return [
        line
        for line in lines
        if line.get("event") == "judge"
        and line.get("did") == "asked"
        and isinstance(line.get("at"), int)
        and (now is None or now - line["at"] < _DAY)
    ]


def state(environ: Mapping[str, str]) -> dict[str, Any]:
    """The judge of the config, for eyes and JSON: command, path, and what is wrong."""
    import shutil

    problem = None
    judge = None
    try:
        judge = configured(environ)
    except InvalidConfig as error:
        problem = error.message
    if judge is not None:
        first = judge.command[0]
        program = first if os.path.basename(first) == judge.name else judge.name
        if shutil.which(program, path=environ.get("PATH")) is None:
            problem = f"{program} is not on the PATH"
    return {
        "command": list(judge.command) if judge else None,
        "path": user_config.path_of(environ),
        "problem": problem,
    }


def ending(said: bytes) -> str | None:
    """The end of what a command has said, on one line, for a hint; None for nothing."""
    text = " ".join(said.decode("utf-8", "replace").split())
    return f"It said: {text[-300:]}" if text else None


def ask(
    judge: Judge, text: str, environ: Mapping[str, str], *, told: bool = False
) -> bytes:
    """Returns the answer of the command to a text.

    Args:
        judge: the command.
        text: for its standard input.
        environ: for the command, with `MEMCLI_HOOKS=off` in addition.
        told: whether the hint of an error may hold what it said: some say the whole
            text again.

    Raises:
        JudgeFailed: it is not there, took too long, wrote too much, or failed.
    """
    import shutil
    import subprocess
    import tempfile

    from memcli.sessions.judging.answers import LARGEST

    # On Windows a program of npm is NAME.cmd, which is found only by its path.
    program = shutil.which(judge.command[0], path=environ.get("PATH"))
    words = [program or judge.command[0], *judge.command[1:]]
    with (
        tempfile.TemporaryDirectory(prefix="memcli-judge-") as folder,
        tempfile.TemporaryFile() as asked,
        tempfile.TemporaryFile() as said,
        tempfile.TemporaryFile() as errors,
    ):
        own = {**environ, "MEMCLI_HOOKS": "off"}
        asked.write(text.encode("utf-8", "replace"))
        asked.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 the user's own config names it
                words,
                stdin=asked,
                stdout=said,
                stderr=errors if told else subprocess.DEVNULL,
                cwd=folder,
                env=own,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise JudgeFailed(
                f"the judge {judge.command[0]} cannot be started: {why}",
                hint="Correct [mining] judge in your config.",
            ) from error
        try:
            code = _wait(process, said.fileno(), judge.seconds, LARGEST)
        finally:
            _end(process)
        said.seek(0)
        if code:
            errors.seek(max(0, os.fstat(errors.fileno()).st_size - 2_000))
            raise JudgeFailed(
                f"the judge {judge.name} ended with exit code {code}",
                hint=ending(said.read() + errors.read()) if told else None,
            )
        return said.read(LARGEST + 1)


def _wait(
    process: subprocess.Popen[bytes], said: int, seconds: float, most: int
) -> int:
    import subprocess

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            return process.wait(0.1)
        except subprocess.TimeoutExpired:
            if os.fstat(said).st_size > most:
                raise JudgeFailed(
                    "the judge writes more than an answer holds"
                ) from None
    raise JudgeFailed(f"the judge took longer than {seconds:g} seconds")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it, and what it has started."""
    import signal

    try:
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass
    process.wait()
