"""Doctor: one look at everything that memcli needs, and the mend of what is wrong.

Invariant: it only looks. A check that is a problem names a command or a step that mends
it, and a check never raises: what stands in its way is what it reports.
"""

from __future__ import annotations

import os
import shlex

from memcli.entries.text.counted import agreeing, counted
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.vault.vault import Vault

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memcli.hosts.install.command_line import Program
    from memcli.vault.caller import Caller

OK, NOTE, PROBLEM = "ok", "note", "problem"
# Calls of hooks that are looked at for errors; about a day of work.
_CALLS = 200
_DAY = 86_400


class Check(NamedTuple):
    """One thing that was looked at.

    `state` is ok, note (it works, and something is good to know) or problem; `mend` is
    what to do about a note or a problem.
    """

    name: str
    state: str
    said: str
    mend: str | None = None


class Surroundings(NamedTuple):
    """What is around the process.

    `versions` are those of memcli and Python; `program` is the memcli that runs;
    `which` gives the path of a program by its name; `has_mcp` says whether the MCP SDK
    can be imported, and `mcp_install` what installs it.
    """

    versions: tuple[str, str]
    program: Program
    which: Callable[[str], str | None]
    has_mcp: bool
    mcp_install: str


def doctor(named: str | None, around: Surroundings, caller: Caller) -> list[Check]:
    """Look at everything.

    Args:
        named: the vault's path or name; None is the user's own.
        around: the machine, as the process sees it.
        caller: who asks.
    """
    environ, cwd = caller.environ, caller.cwd or os.sep
    checks = [_memcli(around), _git(environ)]
    try:
        vault = Vault.open(named, caller)
    except MemcliError as error:
        checks.append(Check("vault", PROBLEM, error.message, error.hint))
    else:
        checks += _of_vault(vault)
        checks += _pages(vault, cwd)
    checks += _other_vaults(caller)
    checks += _hosts(environ, cwd, around)
    checks += _skills(environ, cwd)
    checks.append(_judge(environ))
    checks += _mcp(environ, cwd, around)
    return checks


def _memcli(around: Surroundings) -> Check:
    version, python = around.versions
    said = f"{version}, Python {python}, {' '.join(around.program.words)}"
    found = around.which("memcli")
    if found is None:
        return Check(
            "memcli",
            NOTE,
            f"{said}; there is no memcli on the PATH",
            "put its folder on the PATH, or install it: pipx install memcli",
        )
    if os.path.realpath(found) != os.path.realpath(around.program.words[0]):
        return Check(
            "memcli", NOTE, f"{said}; the one on the PATH is another", f"see: {found}"
        )
    return Check("memcli", OK, said)


def _git(environ: Mapping[str, str]) -> Check:
    from memcli.vault.health import git_state

    try:
        return Check("git", OK, git_state.version(environ))
    except MemcliError as error:
        return Check("git", PROBLEM, error.message, error.hint)


def _of_vault(vault: Vault) -> Iterator[Check]:
    """The vault, its files, its history, its index, and what hooks did in it."""
    looks = {"vault": _lint, "history": _identity, "index": _index, "sync": _sync}
    if vault.is_published:
        looks = {"vault": _published}
    for name, look in looks.items():
        try:
            yield look(vault)
        except MemcliError as error:
            fsck = shlex.join(["git", "-C", vault.root, "fsck"])
            mend = error.hint or f"see what git says: {fsck}"
            yield Check(name, PROBLEM, error.message, mend)
            break
    if vault.is_published:
        return
    yield _calls(vault)


def _published(vault: Vault) -> Check:
    """A vault that a database answers for: that it answers, and with how much."""
    entries = counted(vault.read(lambda reader: reader.size), "entry")
    where = "a database answers for it"
    return Check("vault", OK, f"{vault.named}, {entries}: {where}")


def _lint(vault: Vault) -> Check:
    from memcli.entries.finding import ERROR
    from memcli.vault.health.lint import lint

    findings = lint(vault)
    errors = [finding for finding in findings if finding.level == ERROR]
    entries = counted(vault.index.again(lambda reader: reader.size), "entry")
    where = f"{vault.root}, {entries}"
    if errors:
        first = errors[0]
        said = (
            f"{where}, {counted(len(errors), 'error')}: {first.path}: {first.message}"
        )
        return Check(
            "vault",
            PROBLEM,
            said,
            "memcli doctor --fix --dry-run, then memcli inspect lint",
        )
    if findings:
        said = f"{where}, {counted(len(findings), 'warning')}"
        return Check("vault", NOTE, said, "memcli inspect lint")
    if not os.access(vault.root, os.W_OK):
        said = f"{where}; you may not write there, so nothing can be saved in it"
        return Check(
            "vault", NOTE, said, "ask who owns the folder, or use another vault"
        )
    return Check("vault", OK, where)


def _identity(vault: Vault) -> Check:
    from memcli.storage.git import history
    from memcli.vault.health import git_state

    repository = git_state.repository_of(vault)
    if repository is None:
        return Check(
            "history",
            PROBLEM,
            "the vault is not under git",
            f"memcli init {vault.root}",
        )
    name = repository.user_name()
    if name is None:
        return Check(
            "history",
            NOTE,
            "git does not know your name, so memcli commits under its own",
            'git config --global user.name "YOUR NAME"',
        )
    newest = history.subjects(repository, 1)
    when = f", the last commit of {newest[0].when[:10]}" if newest else ""
    return Check("history", OK, f"commits as {name}{when}")


def _sync(vault: Vault) -> Check:
    """How far the vault is from its remote, and how the last sync ended."""
    from memcli.vault import sync_state

    state = sync_state.state(vault)
    if state is None:
        return Check("sync", OK, "no remote; to name one: memcli sync --setup URL")
    facts = [f"{state.remote} ({state.address})"]
    if state.ahead is None or state.behind is None:
        facts.append("never fetched")
    else:
        facts.append(f"{state.ahead:,} ahead, {state.behind:,} behind")
    if state.at is not None:
        minutes = max(0, vault.now_ms() // 1000 - state.at) // 60
        facts.append(f"last sync {counted(minutes, 'minute')} ago")
    said = ", ".join(facts)
    if state.error:
        return Check("sync", NOTE, f"{said}: {state.line}", "memcli sync")
    if state.others:
        said += f"; a vault that this one does not meet is on {', '.join(state.others)}"
        return Check("sync", NOTE, said, "to see both: git log --all --oneline")
    if state.ahead or state.behind:
        return Check("sync", NOTE, said, "memcli sync")
    return Check("sync", OK, said)


def _index(vault: Vault) -> Check:
    from memcli.vault.health import overview

    facts = overview.index_facts(vault)
    said = f"{counted(facts.entries, 'entry')}, {facts.bytes:,} bytes in {facts.path}"
    if facts.unreadable:
        folders = ", ".join(facts.unreadable)
        return Check("index", PROBLEM, f"cannot list {folders}", "chmod u+rx them")
    if facts.stale:
        return Check(
            "index", NOTE, f"{said}; another process keeps it locked", "try again"
        )
    return Check("index", OK, said)


def _calls(vault: Vault) -> Check:
    """What the last calls of hooks say: no call is fine, an error is worth a look."""
    from memcli.sessions import hook_log

    now = vault.now_ms() / 1000
    lines = [
        line
        for line in hook_log.last(vault.root, _CALLS)
        if isinstance(line.get("at"), int | float) and now - line["at"] < 7 * _DAY
    ]
    failed = [line for line in lines if line.get("error")]
    said = f"{counted(len(lines), 'call')} of hooks in 7 days"
    if failed:
        last = f"{failed[0].get('event')}: {failed[0]['error']}"
        some = f"{len(failed):,} of them failed, the last was {last}"
        return Check("calls", NOTE, f"{said}, {some}", "memcli inspect sessions")
    return Check("calls", OK, said)


def _pages(vault: Vault, cwd: str) -> Iterator[Check]:
    from memcli.sessions.briefing import loaded

    for path, over in loaded.telling_what_is_over(vault, cwd):
        said = f"{path} still tells what is over: {'; '.join(over[:3])}"
        mend = f"memcli export --format agents-md --out {shlex.quote(path)}"
        yield Check(f"page {os.path.basename(path)}", NOTE, said, mend)


def _other_vaults(caller: Caller) -> Iterator[Check]:
    """The vaults of teams and of the repository; and the user's config as such."""
    from memcli.storage import known_vaults
    from memcli.vault import vaults

    try:
        states = vaults.states(caller)
    except MemcliError as error:
        yield Check("config", PROBLEM, error.message, error.hint)
        return
    for state in states:
        if state.name == known_vaults.PERSONAL:
            continue
        name = f"vault {state.name}"
        if state.problem:
            mend = "correct its path, or take it out: memcli config path"
            if state.name == known_vaults.REPO:
                mend = "memcli allow"
            elif state.is_silent:
                mend = "try again later, or correct its engine: memcli config path"
            yield Check(name, NOTE, state.problem, mend)
        else:
            yield Check(
                name, OK, f"{state.path}, {counted(state.entries or 0, 'entry')}"
            )


def _hosts(
    environ: Mapping[str, str], cwd: str, around: Surroundings
) -> Iterator[Check]:
    from memcli.hosts import install

    calling, silent = set[str](), dict[str, None]()
    for one in install.survey(environ, cwd, around.program, around.which):
        if one.state == "no":
            if one.found:
                silent[one.host] = None
            continue
        calling.add(one.host)
        name = f"hooks of {one.host}"
        if one.problems:
            mend = install.mend_of(one)
            yield Check(name, PROBLEM, "; ".join(one.problems), mend)
        else:
            notes = "; ".join(one.notes)
            said = f"work, at scope {one.scope}" + (f"; {notes}" if notes else "")
            yield Check(name, NOTE if notes else OK, said, "memcli install --status")
    if not calling and not silent:
        yield Check("hooks", OK, "no agent host is on this machine")
    for host in silent:
        if host not in calling:
            said = "the host is here, and does not call memcli"
            yield Check(f"hooks of {host}", NOTE, said, f"memcli install {host}")


def _skills(environ: Mapping[str, str], cwd: str) -> Iterator[Check]:
    from memcli.hosts import skills

    try:
        known = list(skills.catalog().values())
    except MemcliError as error:
        yield Check("skills", PROBLEM, error.message, error.hint)
        return
    pages = 0
    for folder in skills.places(environ, cwd):
        copies = [skills.look(skill, folder.path) for skill in known]
        states = [copy.state for copy in copies if copy]
        pages += len(states)
        old = states.count("outdated")
        if old:
            host = folder.hosts[0]
            mend = f"memcli install {host} --skills --scope {folder.scope}"
            verb = agreeing(old, "is")
            said = f"{counted(old, 'page')} in {folder.path} {verb} outdated"
            yield Check(f"skills of {host}", NOTE, said, mend)
    if pages:
        yield Check("skills", OK, f"{counted(pages, 'page')} installed")
    else:
        said = "no host has them"
        mend = "memcli install HOST --skills"
        yield Check("skills", NOTE, said, mend)


def _judge(environ: Mapping[str, str]) -> Check:
    from memcli.sessions.judging import command

    state = command.state(environ)
    if state["problem"]:
        mend = f"correct {state['path']}"
        return Check("judge", PROBLEM, state["problem"], mend)
    words = state["command"]
    return Check(
        "judge", OK, " ".join(words) if words else "none, which is the default"
    )


def _mcp(environ: Mapping[str, str], cwd: str, around: Surroundings) -> Iterator[Check]:
    """The entries of memcli in the settings of MCP clients, and what they need."""
    from memcli.hosts.mcp_entries import mcp_entries

    entries = mcp_entries(environ, cwd, around.which)
    for entry in entries:
        name = f"mcp of {entry.host}"
        mend = f"correct it in {entry.path} (docs/agents/mcp.md)"
        if entry.problems:
            said = f"{entry.name or entry.path}: {'; '.join(entry.problems)}"
            yield Check(name, PROBLEM, said, mend)
        else:
            said = "; ".join((f"{entry.name} in {entry.path}", *entry.notes))
            yield Check(name, NOTE if entry.notes else OK, said, mend)
    starts = {os.path.realpath(entry.words[0]) for entry in entries if entry.words}
    if around.has_mcp:
        yield Check("mcp", OK, "the MCP SDK is installed")
    elif os.path.realpath(around.program.words[0]) in starts:
        said = "a client starts memcli mcp, and the MCP SDK is not installed"
        yield Check("mcp", PROBLEM, said, around.mcp_install)
    else:
        said = "the MCP SDK is not installed; only memcli mcp needs it"
        yield Check("mcp", OK, said)
