"""Doctor: one look at everything that memcli needs, and how to mend what is wrong.

Invariant: it only looks; `vault.health.repair` mends. A problem names a command or a
step that mends it. A check never raises: it reports what stopped it.
"""

from __future__ import annotations

import os
import shlex

from memcli.entries.text.counted import counted
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import known_vaults, user_config
from memcli.vault.vault import Vault

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from memcli.hosts.install.command_line import Program
    from memcli.hosts.install.step import Machine
    from memcli.vault.caller import Caller

OK, NOTE, PROBLEM = "ok", "note", "problem"
# Calls of hooks that are looked at for errors; about a day of work.
_CALLS = 200


class Check(NamedTuple):
    """One thing that was looked at.

    `state` is ok, note (it works, and something is good to know) or problem; `mend` is
    what to do about a note or a problem.
    """

    name: str
    state: str
    said: str
    mend: str | None = None


def _check(name: str, said: str, mend: str | None = None, state: str = NOTE) -> Check:
    """A check, which is ok without a mend."""
    return Check(name, state if mend else OK, said, mend or None)


class Surroundings(NamedTuple):
    """The surroundings of the process.

    `versions` are those of memcli and Python; `program` is the memcli that runs;
    `which` gives the path of a program by its name; `has_mcp` says whether the MCP SDK
    can be imported.
    """

    versions: tuple[str, str]
    program: Program
    which: Callable[[str], str | None]
    has_mcp: bool


def doctor(named: str | None, around: Surroundings, caller: Caller) -> list[Check]:
    """Look at everything.

    Args:
        named: the vault's path or name; None is the user's own.
        around: the machine, as the process sees it.
        caller: who asks.
    """
    from memcli.hosts.install.step import Machine
    from memcli.vault.health import git_state

    environ, cwd = caller.environ, caller.cwd or os.sep
    hosts = list(_hosts(Machine(environ, cwd, around.program), around.which))
    looks: dict[str, Callable[[], Iterable[Check]]] = {
        "memcli": lambda: _memcli(around),
        "git": lambda: [_check("git", git_state.version(environ))],
        "vault": lambda: _of_vault(Vault.open(named, caller), cwd),
        "config": lambda: _config(named, caller),
        "vaults": lambda: _other_vaults(caller),
        "hooks": lambda: hosts or [_check("hooks", "no agent host is on this machine")],
        "skills": lambda: _skills(environ, cwd, hosts=bool(hosts)),
        "judge": lambda: _judge(environ),
        "mcp": lambda: _sdk(around, hosts),
    }
    return [check for name, look in looks.items() for check in _guarded(name, look)]


def _guarded(
    name: str, look: Callable[[], Iterable[Check]], mend: str | None = None
) -> Iterator[Check]:
    """The checks of a look; what stands in its way is one, too."""
    try:
        yield from look()
    except MemcliError as error:
        yield Check(name, PROBLEM, error.message, error.hint or mend)


def _memcli(around: Surroundings) -> Iterator[Check]:
    version, python = around.versions
    said = f"{version}, Python {python}, {' '.join(around.program.words)}"
    found, own, mend = around.which("memcli"), around.program.words[0], ""
    if found is None:
        said += "; there is no memcli on the PATH"
        mend = f'put its folder on the PATH: export PATH="{os.path.dirname(own)}:$PATH"'
    elif os.path.realpath(found) != os.path.realpath(own):
        said, mend = f"{said}; the one on the PATH is another", f"see: {found}"
    yield _check("memcli", said, mend)


# --- the vault ------------------------------------------------------------------------


def _of_vault(vault: Vault, cwd: str) -> Iterator[Check]:
    """The vault, its files, its history, its index, and what hooks did in it."""
    if vault.is_published:
        entries = counted(vault.read(lambda reader: reader.size), "entry")
        yield _check("vault", f"{vault.named}, {entries}: a database answers for it")
        return
    yield _lint(vault)
    fsck = f"see what git says: {shlex.join(['git', '-C', vault.root, 'fsck'])}"
    history, *rest = _guarded("history", lambda: _of_git(vault), fsck)
    yield from (history, *rest)
    if history.mend != fsck:
        yield _calls(vault)
        yield from _pages(vault, cwd)


def _lint(vault: Vault) -> Check:
    from memcli.entries.file_checks import ERROR
    from memcli.vault.health.lint import lint

    findings = lint(vault)
    errors = [finding for finding in findings if finding.level == ERROR]
    entries = counted(vault.index.again(lambda reader: reader.size), "entry")
    said, mend = f"{vault.root}, {entries}", ""
    if errors:
        first = errors[0]
        said += f", {counted(len(errors), 'error')}: {first.path}: {first.message}"
        mend = "memcli doctor --fix --dry-run, then memcli inspect lint"
    elif findings:
        said += f", {counted(len(findings), 'warning')}"
        mend = "memcli inspect lint"
    return _check("vault", said, mend, PROBLEM if errors else NOTE)


def _of_git(vault: Vault) -> Iterator[Check]:
    """The history, the index, and how far the vault is from its remote."""
    from memcli.storage.git import history
    from memcli.vault import vaults
    from memcli.vault.health import inspect

    repository = vault.repository()
    history.steps(repository, 1)  # raises where git cannot say
    name = repository.user_name()
    unnamed = "git does not know your name, so memcli commits under its own"
    mend = "" if name else 'git config --global user.name "YOUR NAME"'
    yield _check("history", f"commits as {name}" if name else unnamed, mend)
    facts = inspect.index_facts(vault)
    said = f"{counted(facts['entries'], 'entry')} in {facts['path']}"
    locked = "; another process keeps it locked" if facts["stale"] else ""
    yield _check("index", said + locked, locked and "try again")
    state = vaults.sync_state(vault)
    if state is None:
        said = "no branch with a remote; to name one: memcli sync --setup URL"
        yield _check("sync", said)
        return
    said = f"{state.remote} ({state.address}), "
    if state.ahead is None:
        said += "never fetched"
    else:
        said += f"{state.ahead:,} ahead, {state.behind or 0:,} behind"
    said += f": {state.line}" if state.error else ""
    mend = "memcli sync" if state.error or state.ahead or state.behind else ""
    if state.others and not state.error:
        said += f"; a vault that this one does not meet is on {', '.join(state.others)}"
        log = shlex.join(["git", "-C", vault.root, "log", "--all", "--oneline"])
        mend = f"to see both: {log}"
    yield _check("sync", said, mend)


def _calls(vault: Vault) -> Check:
    """The last calls of hooks: no call is fine, an error is worth a look."""
    from memcli.sessions import hook_log

    lines = hook_log.last(vault.root, _CALLS)
    failed = [line for line in lines if line.get("error")]
    said, mend = f"of the last {counted(len(lines), 'call')} of hooks none failed", ""
    if failed:
        said = f"{len(failed):,} of the last {counted(len(lines), 'call')} of hooks "
        said += f"failed, the last at {failed[0].get('event')}: {failed[0]['error']}"
        mend = "memcli inspect sessions"
    return _check("calls", said, mend)


def _pages(vault: Vault, cwd: str) -> Iterator[Check]:
    """The pages of instructions of this project whose block is out of date."""
    from memcli.curation import exporting

    for name, lines, command in exporting.old_pages(vault, cwd):
        said = f"no memory in force says {counted(len(lines), 'line')} of memcli's "
        yield _check(f"page {name}", f"{said}block: {lines[0]}", command)


# --- what is around it ----------------------------------------------------------------


def _config(named: str | None, caller: Caller) -> Iterator[Check]:
    """The settings that memcli ignores, which may be mistyped."""
    from memcli.vault import config

    try:
        vault = Vault.open(named, caller)
    except MemcliError:  # another check names it
        vault = None
    for name, hint in config.ignored(vault, caller.environ):
        yield _check(f"config {name}", "is ignored", hint)


def _other_vaults(caller: Caller) -> Iterator[Check]:
    """The vaults of teams and of the repository."""
    from memcli.vault import vaults

    for state in vaults.states(caller):
        if state.name == known_vaults.PERSONAL:
            continue
        mend = ""
        if state.problem:
            mend = "correct it: memcli config set; or try again later"
            if state.name == known_vaults.REPO:
                mend = "memcli allow"
        said = state.problem or f"{state.path}, {counted(state.entries or 0, 'entry')}"
        yield _check(f"vault {state.name}", said, mend)


def _hosts(machine: Machine, which: Callable[[str], str | None]) -> Iterator[Check]:
    """The installations in the hosts, and the hosts here that do not call memcli."""
    from memcli.hosts.install.status import survey

    found = list(survey(machine, which))
    calling = {one.host for one in found if one.what == "hooks" and one.state != "no"}
    for one in found:
        name = f"{one.what} of {one.host}"
        if one.problems:
            said, mend = "; ".join(one.problems), one.mend or one.again
            yield _check(name, said, mend, PROBLEM)
        elif one.state != "no":
            said = "; ".join((f"installed at scope {one.scope}", *one.notes))
            yield _check(name, said, one.again if one.notes else "")
    for host in dict.fromkeys(one.host for one in found if one.found):
        if host not in calling:
            said = "the host is here, and does not call memcli"
            yield _check(f"hooks of {host}", said, f"memcli install {host}")


def _skills(environ: Mapping[str, str], cwd: str, *, hosts: bool) -> Iterator[Check]:
    from memcli.hosts import skills

    pages = 0
    for folder in skills.places(environ, cwd):
        copies = [skills.look(each, folder.path) for each in skills.catalog().values()]
        states = [copy.state for copy in copies if copy]
        pages += len(states)
        if old := states.count("outdated"):
            host = folder.hosts[0]
            mend = f"memcli install {host} --skills --scope {folder.scope}"
            said = f"{counted(old, 'outdated page')} in {folder.path}"
            yield _check(f"skills of {host}", said, mend)
    mend = "memcli install HOST --skills" if hosts and not pages else ""
    yield _check("skills", f"{counted(pages, 'page')} installed", mend)


def _judge(environ: Mapping[str, str]) -> Iterator[Check]:
    import shutil

    from memcli.sessions import judge

    named, said, mend = judge.configured(environ), "none, by default", ""
    if named is not None:
        said, first = " ".join(named.command), named.command[0]
        program = first if os.path.basename(first) == named.name else named.name
        if shutil.which(program, path=environ.get("PATH")) is None:
            said = f"{program} is not on the PATH"
            mend = f"correct {user_config.path_of(environ)}"
    yield _check("judge", said, mend, PROBLEM)


def _sdk(around: Surroundings, hosts: list[Check]) -> Iterator[Check]:
    """The SDK of `memcli mcp`, which a host may need."""
    lacks = "" if around.has_mcp else "not "
    said = f"the MCP SDK is {lacks}installed (for memcli mcp)"
    needed = any(check.name.startswith("MCP server") for check in hosts)
    mend = "install memcli again with the extra mcp: 'memcli[mcp]'"
    yield _check("mcp", said, mend if needed and lacks else "", PROBLEM)
