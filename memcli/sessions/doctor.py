"""Doctor: one look at everything that memcli needs, and the mend of what is wrong.

Invariant: it only looks. A check that is a problem names a command or a step that mends
it, and a check never raises: what stands in its way is what it reports.
"""

from __future__ import annotations

import os
import shlex

from memcli.entries.text.counted import counted
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
    from memcli.vault.health import git_state

    environ, cwd = caller.environ, caller.cwd or os.sep
    hosts = list(_hosts(environ, cwd, around))
    looks: dict[str, Callable[[], Iterator[Check]]] = {
        "memcli": lambda: _memcli(around),
        "git": lambda: iter([_check("git", git_state.version(environ))]),
        "vault": lambda: _of_vault(Vault.open(named, caller), cwd),
        "config": lambda: _settings(environ),
        "vaults": lambda: _other_vaults(caller),
        "hooks": lambda: iter(hosts),
        "skills": lambda: _skills(environ, cwd, hosts=hosts != [_NO_HOST]),
        "judge": lambda: _judge(environ),
        "mcp": lambda: _sdk(around, hosts),
    }
    return [check for name, look in looks.items() for check in _guarded(name, look)]


def _guarded(
    name: str, look: Callable[[], Iterator[Check]], mend: str | None = None
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
    looks = {"vault": _lint, "history": _history, "index": _index, "sync": _sync}
    looks["calls"] = _calls
    fsck = f"see what git says: {shlex.join(['git', '-C', vault.root, 'fsck'])}"
    for name, look in looks.items():
        for check in _guarded(name, lambda: look(vault), fsck):  # noqa: B023 used at once
            yield check
            if check.state == PROBLEM and check.mend == fsck:
                return
    yield from _pages(vault, cwd)


def _lint(vault: Vault) -> Iterator[Check]:
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
    yield _check("vault", said, mend, PROBLEM if errors else NOTE)


def _history(vault: Vault) -> Iterator[Check]:
    from memcli.storage.git import history
    from memcli.vault.health import git_state

    repository = git_state.repository_of(vault)
    if repository is None:
        said, mend = "the vault is not under git", f"memcli init {vault.root}"
        yield _check("history", said, mend, PROBLEM)
        return
    history.subjects(repository, 1)  # raises where git cannot say
    name = repository.user_name()
    unnamed = "git does not know your name, so memcli commits under its own"
    mend = "" if name else 'git config --global user.name "YOUR NAME"'
    yield _check("history", f"commits as {name}" if name else unnamed, mend)


def _index(vault: Vault) -> Iterator[Check]:
    from memcli.vault.health import inspect

    facts = inspect.index_facts(vault)
    entries = counted(facts["entries"], "entry")
    said = f"{entries} in {facts['path']}"
    locked = "; another process keeps it locked" if facts["stale"] else ""
    yield _check("index", said + locked, locked and "try again")


def _sync(vault: Vault) -> Iterator[Check]:
    """How far the vault is from its remote, and how the last sync ended."""
    from memcli.vault import vaults

    state, mend = vaults.sync_state(vault), ""
    if state is None:
        said = "no branch with a remote; to name one: memcli sync --setup URL"
        yield _check("sync", said)
        return
    said = f"{state.remote} ({state.address}), never fetched"
    if state.ahead is not None:
        said = f"{state.remote} ({state.address}), {state.ahead:,} ahead, "
        said += f"{state.behind or 0:,} behind"
    if state.at is not None:
        minutes = max(0, vault.now_ms() // 1000 - state.at) // 60
        said += f", last sync {counted(minutes, 'minute')} ago"
    if state.error:
        said, mend = f"{said}: {state.line}", "memcli sync"
    elif state.others:
        said += f"; a vault that this one does not meet is on {', '.join(state.others)}"
        log = shlex.join(["git", "-C", vault.root, "log", "--all", "--oneline"])
        mend = f"to see both: {log}"
    elif state.ahead or state.behind:
        mend = "memcli sync"
    yield _check("sync", said, mend)


def _calls(vault: Vault) -> Iterator[Check]:
    """The last calls of hooks: no call is fine, an error is worth a look."""
    from memcli.sessions import hook_log

    since = vault.now_ms() / 1000 - 7 * _DAY
    lines = [
        line
        for line in hook_log.last(vault.root, _CALLS)
        if isinstance(line.get("at"), int | float) and line["at"] > since
    ]
    failed = [line for line in lines if line.get("error")]
    said = f"{counted(len(lines), 'call')} of hooks in 7 days"
    if failed:
        said += f", {len(failed):,} of them failed, the last was "
        said += f"{failed[0].get('event')}: {failed[0]['error']}"
    yield _check("calls", said, "memcli inspect sessions" if failed else "")


def _pages(vault: Vault, cwd: str) -> Iterator[Check]:
    """The pages of instructions of this project whose block is out of date."""
    from memcli.curation import exporting

    for page in exporting.old_pages(vault, cwd):
        lines = counted(len(page.lines), "line")
        said = f"no memory in force says {lines} of memcli's block: {page.lines[0]}"
        yield _check(f"page {page.name}", said, page.command)


# --- what is around it ----------------------------------------------------------------


def _settings(environ: Mapping[str, str]) -> Iterator[Check]:
    """The user's config, where it cannot be read."""
    from memcli.storage import user_config

    user_config.check(environ)
    yield from ()


def _other_vaults(caller: Caller) -> Iterator[Check]:
    """The vaults of teams and of the repository."""
    from memcli.storage import known_vaults
    from memcli.vault import vaults

    for state in vaults.states(caller):
        if state.name == known_vaults.PERSONAL:
            continue
        mend = ""
        said = f"{state.path}, {counted(state.entries or 0, 'entry')}"
        if state.problem:
            said = state.problem
            mend = "correct it or take it out: memcli config path; or try again later"
            if state.name == known_vaults.REPO:
                mend = "memcli allow"
        yield _check(f"vault {state.name}", said, mend)


# The check that stands alone where no agent host is on the machine.
_NO_HOST = _check("hooks", "no agent host is on this machine")


def _hosts(
    environ: Mapping[str, str], cwd: str, around: Surroundings
) -> Iterator[Check]:
    from memcli.hosts import install

    machine = install.Machine(environ, cwd, around.program)
    found = list(install.survey(machine, around.which))
    calling = {one.host for one in found if one.what == "hooks" and one.state != "no"}
    here = dict.fromkeys(one.host for one in found if one.found)
    for one in found:
        name = f"{one.what} of {one.host}"
        if one.problems:
            said, mend = "; ".join(one.problems), one.mend or one.again
            yield _check(name, said, mend, PROBLEM)
        elif one.state != "no":
            verb = "work" if one.what == "hooks" else "works"
            said = "; ".join((f"{verb}, at scope {one.scope}", *one.notes))
            yield _check(name, said, one.again if one.notes else "")
    for host in here:
        if host not in calling:
            said = "the host is here, and does not call memcli"
            yield _check(f"hooks of {host}", said, f"memcli install {host}")
    if not calling and not here:
        yield _NO_HOST


def _skills(environ: Mapping[str, str], cwd: str, *, hosts: bool) -> Iterator[Check]:
    from memcli.hosts import skills

    known = list(skills.catalog().values())
    pages = 0
    for folder in skills.places(environ, cwd):
        copies = [skills.look(skill, folder.path) for skill in known]
        states = [copy.state for copy in copies if copy]
        pages += len(states)
        old = states.count("outdated")
        if old:
            host = folder.hosts[0]
            mend = f"memcli install {host} --skills --scope {folder.scope}"
            said = f"{counted(old, 'outdated page')} in {folder.path}"
            yield _check(f"skills of {host}", said, mend)
    if hosts and not pages:
        yield _check("skills", "no host has them", "memcli install HOST --skills")
    else:
        yield _check("skills", f"{counted(pages, 'page')} installed")


def _judge(environ: Mapping[str, str]) -> Iterator[Check]:
    import shutil

    from memcli.sessions import judge
    from memcli.storage import user_config

    named = judge.configured(environ)
    said, mend = "none, by default", ""
    if named is not None:
        said, first = " ".join(named.command), named.command[0]
        program = first if os.path.basename(first) == named.name else named.name
        if shutil.which(program, path=environ.get("PATH")) is None:
            said = f"{program} is not on the PATH"
            mend = f"correct {user_config.path_of(environ)}"
    yield _check("judge", said, mend, PROBLEM)


def _sdk(around: Surroundings, hosts: list[Check]) -> Iterator[Check]:
    """The SDK of `memcli mcp`, which a host may need."""
    needed = any(check.name.startswith("MCP server") for check in hosts)
    lacks = "" if around.has_mcp else "not "
    mend = "install memcli again with the extra mcp: 'memcli[mcp]'"
    mend = mend if needed and lacks else ""
    yield _check(
        "mcp", f"the MCP SDK is {lacks}installed (for memcli mcp)", mend, PROBLEM
    )
