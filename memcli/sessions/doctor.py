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
    environ, cwd = caller.environ, caller.cwd or os.sep
    checks = [_memcli(around), *_git(environ)]
    try:
        vault = Vault.open(named, caller)
    except MemcliError as error:
        checks.append(_problem("vault", error))
    else:
        checks += [*_of_vault(vault), *_pages(vault, cwd)]
    checks += [*_settings(environ), *_other_vaults(caller)]
    hosts = list(_hosts(environ, cwd, around))
    checks += hosts
    checks += _skills(environ, cwd, hosts=any(one.name != _NO_HOST for one in hosts))
    checks.append(_judge(environ))
    checks.append(_sdk(around, [one.name for one in hosts]))
    return checks


def _sdk(around: Surroundings, hosts: list[str]) -> Check:
    if around.has_mcp:
        return Check("mcp", OK, "the MCP SDK is installed (for memcli mcp)")
    said = "the MCP SDK is not installed (for memcli mcp)"
    if any(name.startswith("MCP server") for name in hosts):
        mend = "install memcli again with the extra mcp: 'memcli[mcp]'"
        return Check("mcp", PROBLEM, said, mend)
    return Check("mcp", OK, said)


# The name of the check that stands alone where no agent host is on the machine.
_NO_HOST = "hooks"


def _problem(name: str, error: MemcliError, mend: str | None = None) -> Check:
    return Check(name, PROBLEM, error.message, error.hint or mend)


def _memcli(around: Surroundings) -> Check:
    version, python = around.versions
    said = f"{version}, Python {python}, {' '.join(around.program.words)}"
    found = around.which("memcli")
    if found is None:
        folder = os.path.dirname(around.program.words[0])
        mend = f'put its folder on the PATH: export PATH="{folder}:$PATH"'
        return Check("memcli", NOTE, f"{said}; there is no memcli on the PATH", mend)
    if os.path.realpath(found) != os.path.realpath(around.program.words[0]):
        said = f"{said}; the one on the PATH is another"
        return Check("memcli", NOTE, said, f"see: {found}")
    return Check("memcli", OK, said)


def _git(environ: Mapping[str, str]) -> Iterator[Check]:
    from memcli.vault.health import git_state

    try:
        yield Check("git", OK, git_state.version(environ))
    except MemcliError as error:
        yield _problem("git", error)


def _of_vault(vault: Vault) -> Iterator[Check]:
    """The vault, its files, its history, its index, and what hooks did in it."""
    looks = {"vault": _lint, "history": _identity, "index": _index, "sync": _sync}
    looks["calls"] = _calls
    if vault.is_published:
        looks = {"vault": _published}
    for name, look in looks.items():
        try:
            yield Check(name, *look(vault))
        except MemcliError as error:
            fsck = shlex.join(["git", "-C", vault.root, "fsck"])
            yield _problem(name, error, f"see what git says: {fsck}")
            return


def _published(vault: Vault) -> tuple[str, ...]:
    entries = counted(vault.read(lambda reader: reader.size), "entry")
    return OK, f"{vault.named}, {entries}: a database answers for it"


def _lint(vault: Vault) -> tuple[str, ...]:
    from memcli.entries.file_checks import ERROR
    from memcli.vault.health.lint import lint

    findings = lint(vault)
    errors = [finding for finding in findings if finding.level == ERROR]
    entries = counted(vault.index.again(lambda reader: reader.size), "entry")
    where = f"{vault.root}, {entries}"
    if errors:
        first = errors[0]
        said = f"{counted(len(errors), 'error')}: {first.path}: {first.message}"
        mend = "memcli doctor --fix --dry-run, then memcli inspect lint"
        return PROBLEM, f"{where}, {said}", mend
    if findings:
        warnings = counted(len(findings), "warning")
        return NOTE, f"{where}, {warnings}", "memcli inspect lint"
    if not os.access(vault.root, os.W_OK):
        said = f"{where}; you may not write there, so nothing can be saved in it"
        return NOTE, said, "ask who owns the folder, or use another vault"
    return OK, where


def _identity(vault: Vault) -> tuple[str, ...]:
    from memcli.storage.git import history
    from memcli.vault.health import git_state

    repository = git_state.repository_of(vault)
    if repository is None:
        return PROBLEM, "the vault is not under git", f"memcli init {vault.root}"
    name = repository.user_name()
    if name is None:
        said = "git does not know your name, so memcli commits under its own"
        return NOTE, said, 'git config --global user.name "YOUR NAME"'
    newest = history.subjects(repository, 1)
    when = f", the last commit of {newest[0].when[:10]}" if newest else ""
    return OK, f"commits as {name}{when}"


def _is_detached(vault: Vault) -> bool:
    from memcli.storage.git.repository import Repository

    try:
        return Repository.open(vault.root, environ=vault.environ).is_detached()
    except MemcliError:
        return False


def _sync(vault: Vault) -> tuple[str, ...]:
    """How far the vault is from its remote, and how the last sync ended."""
    from memcli.vault import vaults

    state = vaults.sync_state(vault)
    if state is None:
        if _is_detached(vault):
            said = "HEAD is detached, so there is no branch to sync"
            return NOTE, said, "memcli inspect lint"
        return OK, "no remote; to name one: memcli sync --setup URL"
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
        return NOTE, f"{said}: {state.line}", "memcli sync"
    if state.others:
        said += f"; a vault that this one does not meet is on {', '.join(state.others)}"
        log = shlex.join(["git", "-C", vault.root, "log", "--all", "--oneline"])
        return NOTE, said, f"to see both: {log}"
    if state.ahead or state.behind:
        return NOTE, said, "memcli sync"
    return OK, said


def _index(vault: Vault) -> tuple[str, ...]:
    from memcli.vault.health import overview

    facts = overview.index_facts(vault)
    entries = counted(facts["entries"], "entry")
    said = f"{entries}, {facts['bytes']:,} bytes in {facts['path']}"
    if facts["unreadable"]:
        folders = ", ".join(facts["unreadable"])
        return PROBLEM, f"cannot list {folders}", "chmod u+rx them"
    if facts["stale"]:
        return NOTE, f"{said}; another process keeps it locked", "try again"
    return OK, said


def _calls(vault: Vault) -> tuple[str, ...]:
    """The last calls of hooks: no call is fine, an error is worth a look."""
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
        said += f", {len(failed):,} of them failed, the last was {last}"
        return NOTE, said, "memcli inspect sessions"
    return OK, said


def _pages(vault: Vault, cwd: str) -> Iterator[Check]:
    """The pages of instructions of this project whose block is out of date."""
    from memcli.curation import exporting

    for page in exporting.old_pages(vault, cwd):
        lines = counted(len(page.lines), "line")
        said = f"no memory in force says {lines} of memcli's block: {page.lines[0]}"
        yield Check(f"page {page.name}", NOTE, said, page.command)


def _settings(environ: Mapping[str, str]) -> Iterator[Check]:
    """The user's config, where it cannot be read."""
    from memcli.storage import user_config

    try:
        user_config.check(environ)
    except MemcliError as error:
        yield _problem("config", error)


def _other_vaults(caller: Caller) -> Iterator[Check]:
    """The vaults of teams and of the repository; and the user's config as such."""
    from memcli.storage import known_vaults
    from memcli.vault import vaults

    try:
        states = vaults.states(caller)
    except MemcliError as error:
        yield _problem("vaults", error)
        return
    for state in states:
        name = f"vault {state.name}"
        if state.name == known_vaults.PERSONAL:
            continue
        if state.problem:
            mend = "correct its path, or take it out: memcli config path"
            if state.name == known_vaults.REPO:
                mend = "memcli allow"
            elif state.is_silent:
                mend = "try again later, or correct its engine: memcli config path"
            yield Check(name, NOTE, state.problem, mend)
        else:
            entries = counted(state.entries or 0, "entry")
            yield Check(name, OK, f"{state.path}, {entries}")


def _hosts(
    environ: Mapping[str, str], cwd: str, around: Surroundings
) -> Iterator[Check]:
    from memcli.hosts import install

    calling, silent = set[str](), dict[str, None]()
    machine = install.Machine(environ, cwd, around.program)
    for one in install.survey(machine, around.which):
        name = f"{one.what} of {one.host}"
        if one.what == "hooks" and one.state != "no":
            calling.add(one.host)
        elif one.what == "hooks" and one.found:
            silent[one.host] = None
        if one.problems:
            yield Check(name, PROBLEM, "; ".join(one.problems), one.mend or one.again)
        elif one.state != "no":
            verb = "work" if one.what == "hooks" else "works"
            said = "; ".join((f"{verb}, at scope {one.scope}", *one.notes))
            state = NOTE if one.notes else OK
            yield Check(name, state, said, one.again)
    for host in silent:
        if host not in calling:
            said = "the host is here, and does not call memcli"
            yield Check(f"hooks of {host}", NOTE, said, f"memcli install {host}")
    if not calling and not silent:
        yield Check(_NO_HOST, OK, "no agent host is on this machine")


def _skills(environ: Mapping[str, str], cwd: str, *, hosts: bool) -> Iterator[Check]:
    from memcli.hosts import skills

    try:
        known = list(skills.catalog().values())
    except MemcliError as error:
        yield _problem("skills", error)
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
            said = f"{counted(old, 'outdated page')} in {folder.path}"
            yield Check(f"skills of {host}", NOTE, said, mend)
    if pages:
        yield Check("skills", OK, f"{counted(pages, 'page')} installed")
    elif hosts:
        yield Check("skills", NOTE, "no host has them", "memcli install --all")
    else:
        yield Check("skills", OK, "no agent host is on this machine")


def _judge(environ: Mapping[str, str]) -> Check:
    from memcli.sessions.judging import command

    state = command.state(environ)
    if state["problem"]:
        return Check("judge", PROBLEM, state["problem"], f"correct {state['path']}")
    words = state["command"]
    return Check("judge", OK, " ".join(words) if words else "none, by default")
