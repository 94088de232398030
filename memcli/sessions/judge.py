"""A judge: what it said of a session comes into the vault, by the way of everything
that is mined; and the command of a user's own that judges: `claude -p`, any.

Invariant: an answer is held against a digest that is made anew, so it can name what the
vault shows now. HIGH is saved, MEDIUM waits for a review, what replaces an entry is
offered and decided by a person, ideas are put aside. The same answers a second time
change nothing, and none removes what the rules have found.

Only the user's own config names the command; no vault can. It gets the digest on
standard input, an empty folder to stand in, a time limit, and no hooks of memcli; when
a session ends it is called once, up to a limit a day.
"""

from __future__ import annotations

import os
import sys
import time

from memcli.errors import InvalidConfig, MemcliError, NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.sessions import hook_log
from memcli.storage import user_config

TYPE_CHECKING = False

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memcli.curation.resolve import ResolvePlan
    from memcli.entries.entry import Entry
    from memcli.hosts.formats.records import Transcript
    from memcli.sessions.answers import Refusal
    from memcli.sessions.bringing import Reflected
    from memcli.sessions.mining import Candidate
    from memcli.sessions.routing import Fate
    from memcli.vault.vault import Vault

    _Settled = tuple[Candidate, ResolvePlan]

# What a judge says has no effect then.
_LEFT_OUT = ("cut", "forgotten", "rejected")
_SETTINGS = {"judge": (), "judge_seconds": 120.0, "judge_a_day": 50}
_DAY = 86_400
# Of the log; hooks write some 200 a day.
_LINES = 5_000
# A session in which nobody typed more words than this has nothing to judge.
_LEAST_WORDS = 8


class Brought(NamedTuple):
    """The outcome of a judge's answers.

    Attributes:
        reflected: what became of those that passed.
        judge: who judged.
        refused: the lines that were not taken, and why.
        resolved: ids of entries that are settled now.
        approved: ids of entries that waited for a review, were said again, and are
            saved now.
    """

    reflected: Reflected
    judge: str
    refused: list[Refusal]
    resolved: list[str]
    approved: list[str]

    def as_dict(self) -> dict[str, Any]:
        """The `data` of the JSON envelope."""
        own = self._asdict()
        return {**own.pop("reflected").as_dict(), **own}


def bring(
    vault: Vault,
    transcript: Transcript,
    data: bytes,
    *,
    judge: str,
    writer: str = "pipeline",
    dry_run: bool = False,
) -> Brought:
    """Take a judge's answers about a session.

    Args:
        vault: where they go.
        transcript: of the session, as the digest was made of it.
        data: the answers, as `answers.read` takes them.
        judge: who answered, for the provenance.
        writer: `pipeline` when an agent or a person asked, `hook` when a host did.
        dry_run: only say what would be done.

    Raises:
        Unreadable, LockBusy, WriteFailed, HistoryError: nothing was written.
    """
    from memcli.entries.entry import Confidence
    from memcli.sessions import answers, digest, reflect_session
    from memcli.sessions.mining import Mined
    from memcli.vault import anchoring, session_records

    made = digest.gather(vault, transcript)
    kept, refused = answers.read(data, made, vault.kinds, judge)
    found, settled = [], []
    for one in kept:
        one = one._replace(code=anchoring.there(vault, made.session.cwd, one.code))
        if one.resolves and one.confidence is Confidence.HIGH:
            try:
                settled.append((one, _plan(vault, one.resolves)))
            except MemcliError as error:
                vault.tell(f"{error.message}; what says so waits for a review")
                one = one._replace(confidence=Confidence.MEDIUM, doubtful=True)
        found.append(one)
    judged = Mined(len(made.turns), found)
    about = made.session.host, made.session.id, vault.agent_name
    record = session_records.get(vault.root, *about)
    noted = filter(reflect_session.is_judged, record.candidates if record else ())
    before = {one.get("id") or "" for one in noted}
    reflected = reflect_session.reflect(
        vault, transcript, judged, writer=writer, dry_run=dry_run
    )
    # A person may have reopened what the same answer resolved before.
    fates = [one for one in reflected.fates if one.id not in before]
    taken = {one.candidate.text for one in fates if one.action not in _LEFT_OUT}
    settled = [one for one in settled if one[0].text in taken]
    resolved = _resolved(vault, settled, judge, dry_run=dry_run)
    approved = _approved(vault, reflected.fates, dry_run=dry_run)
    return Brought(reflected, judge, refused, resolved, approved)


def _approved(vault: Vault, fates: Sequence[Fate], *, dry_run: bool) -> list[str]:
    """Save what waited in the inbox and was said again; returns the ids.

    `_waits_for_a_person` names the exceptions.
    """
    from memcli.curation import inbox, review
    from memcli.entries.entry import Confidence
    from memcli.entries.identity import claim

    done: list[str] = []
    for fate in fates:
        said, name = fate.candidate, fate.id or ""
        is_met = fate.action in ("seen", "duplicate") and name not in done
        if not is_met or said.confidence is not Confidence.HIGH:
            continue
        try:
            (stored,) = inbox.waiting(vault, [name])
            entry = stored.entry
            if _waits_for_a_person(vault, entry, said.text):
                continue
            # Its judge has named what the person called "it".
            words = {"text": said.text, "kind": said.kind}
            changes = {} if claim(said.text) == claim(entry.body) else words
            if not dry_run:
                review.approve(vault, name, by_judge=True, **changes)
            done.append(name)
        except NotAllowed:  # it does not wait, or another agent's does
            continue
        except MemcliError as error:
            vault.tell(f"{name} stays in the inbox: {error.message}")
    return done


def _waits_for_a_person(vault: Vault, entry: Entry, text: str) -> bool:
    """Whether a candidate is an idea, may replace an entry, or is in doubt, in its own
    words or in those of the judge."""
    from memcli.curation import inbox
    from memcli.entries.layout import IDEA
    from memcli.sessions.routing import doubt

    both = entry, entry.replace(body=text)
    return (
        entry.kind == IDEA
        or vault.read(lambda reader: any(doubt(vault, reader, one) for one in both))
        or any(
            one.may_replace or one.id in entry.evidence
            for one in inbox.proposals(vault, entry.id)
        )
    )


def _plan(vault: Vault, ids: Sequence[str]) -> ResolvePlan:
    """The plan to resolve entries, and those of their claims.

    Raises:
        NotAllowed: one of them is no open item, but a rule, or kept by a person, who
            resolves or evolves it.
    """
    from memcli.curation import resolve, resolve_query
    from memcli.entries.eligibility import is_pinned

    plan = resolve.plan(vault, ids)
    for one in (*plan.targets, *plan.hides):
        entry = vault.get(one.id)
        is_item = entry.item is not None and entry.kind != "constraint"
        if is_pinned(entry) or not (is_item or entry.kind in resolve_query.KINDS):
            raise NotAllowed(f"no judge resolves the {entry.kind} {entry.id}")
    return plan


def _resolved(
    vault: Vault, settled: Sequence[_Settled], judge: str, *, dry_run: bool
) -> list[str]:
    """Resolve what explicit answers say is settled, by their words; returns the ids."""
    from memcli.curation import resolve

    done = list[str]()
    for one, plan in settled:
        try:
            if not dry_run:
                resolve.apply(vault, plan, note=f"{one.text} (judged by {judge})")
            done += one.resolves
        except MemcliError as error:
            vault.tell(f"{' '.join(one.resolves)} stay as they are: {error.message}")
    return done


class Judge(NamedTuple):
    """A command that reads a prompt on standard input and writes its answer.

    Attributes:
        command: its words.
        seconds: how long it may take.
        a_day: how often it is called within 24 hours at most.
    """

    command: tuple[str, ...]
    seconds: float = 120.0
    a_day: int = 50

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
    where = f"{path}: [mining]"
    found = user_config.checked(table, where, _SETTINGS, {})
    if not found["judge"]:
        return None
    if not 1 <= found["judge_seconds"] <= 500:
        raise InvalidConfig(f"{where} judge_seconds must be a number from 1 to 500")
    return Judge(
        tuple(found["judge"]), float(found["judge_seconds"]), found["judge_a_day"]
    )


def judge_session(vault: Vault, path: str, cwd: str | None) -> None:
    """Have a session judged that has ended; never raises, the log says what came of it.

    Nothing is asked when no judge is configured, when the session was judged before or
    its judge was asked before, and when the day's calls are used.
    """
    from memcli.sessions import digest, reflect_session
    from memcli.vault import session_records

    line: dict[str, object] = {"event": "judge"}
    try:
        judge = configured(vault.environ)
        if judge is None:
            return
        transcript = reflect_session.opened(vault, path, None, cwd)
        session = transcript.session
        agent = vault.agent_name
        line.update(host=session.host, session=session.id, agent=agent)
        record = session_records.get(vault.root, session.host, session.id, agent)
        judged = map(reflect_session.is_judged, record.candidates if record else ())
        calls = [
            call
            for call in hook_log.last(vault.root, _LINES)
            if (call.get("event"), call.get("did")) == ("judge", "asked")
        ]
        if any(judged) or any(call.get("session") == session.id for call in calls):
            return
        since = vault.now_ms() // 1000 - _DAY
        at = (call.get("at") for call in calls)  # any process may write there
        if sum(isinstance(one, int) and one > since for one in at) >= judge.a_day:
            line["did"] = f"nothing: {judge.a_day} calls in a day"
        else:
            made = digest.gather(vault, transcript)
            if sum(len(one.text.split()) for one in made.turns) < _LEAST_WORDS:
                return
            text = made.text()
            line.update(did="asked", asked=len(text), said=0)
            started = time.monotonic()
            said = ask(judge, text, vault.environ)
            line.update(seconds=round(time.monotonic() - started), said=len(said))
            done = bring(vault, transcript, said, judge=judge.name, writer="hook")
            line.update(done.reflected.counts, refused=len(done.refused))
    except Exception as error:  # noqa: BLE001 what the rules found stays, and is noted
        line["error"] = hook_log.named(error)[:300]
    hook_log.note(vault.root, {"at": vault.now_ms() // 1000, **line})


def ask(judge: Judge, text: str, environ: Mapping[str, str]) -> bytes:
    """Returns the answer of the command to a text.

    Args:
        judge: the command.
        text: for its standard input.
        environ: for the command, with `MEMCLI_HOOKS=off` in addition.

    Raises:
        JudgeFailed: it is not there, took too long, wrote too much, or failed.
    """
    import shutil
    import subprocess
    import tempfile

    from memcli.sessions.answers import LARGEST

    # On Windows a program of npm is NAME.cmd, which is found only by its path.
    program = shutil.which(judge.command[0], path=environ.get("PATH"))
    words = [program or judge.command[0], *judge.command[1:]]
    with (
        tempfile.TemporaryDirectory(prefix="memcli-judge-") as folder,
        tempfile.TemporaryFile() as asked,
        tempfile.TemporaryFile() as said,
    ):
        own = {**environ, "MEMCLI_HOOKS": "off"}
        asked.write(text.encode("utf-8", "replace"))
        asked.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 the user's own config names it
                words,
                stdin=asked,
                stdout=said,
                stderr=subprocess.DEVNULL,
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
        end = time.monotonic() + judge.seconds
        try:
            while process.poll() is None:
                if os.fstat(said.fileno()).st_size > LARGEST:
                    raise JudgeFailed("the judge writes more than an answer holds")
                if time.monotonic() > end:
                    seconds = f"{judge.seconds:g} seconds"
                    raise JudgeFailed(f"the judge took longer than {seconds}")
                time.sleep(0.05)
        finally:
            _end(process)
        said.seek(0)
        if process.returncode:
            code = process.returncode
            raise JudgeFailed(f"the judge {judge.name} ended with exit code {code}")
        return said.read(LARGEST + 1)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it, and what it has started."""
    import contextlib
    import signal

    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
