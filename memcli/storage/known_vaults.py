"""Where the user's vaults are: the default one, those that their config names, and
that of the repository that they stand in.
"""

from __future__ import annotations

import os
import re

from memcli.errors import InvalidConfig, NotAllowed, NotAVault, VaultNotFound
from memcli.named_tuple import NamedTuple
from memcli.storage import files, projects, state_dirs, user_config
from memcli.storage.git import on_disk

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

PERSONAL = "personal"
"""The name of the default vault, and the `source` of its rows."""

REPO = "repo"
"""The name of the vault that the repository carries, and the `source` of its rows."""

_TEAM = "team:"
_ROLES = ("rw", "ro")
# Between the parts of a URL.
_ENDS = r"password=|[/?#@:&=]"
_TOLD = (
    *("constraint", "convention", "preference", "decision"),
    *("fix", "lesson", "workflow", "reference"),
)


class KnownVault(NamedTuple):
    """A vault that has a name: of the user's config, or `personal` or `repo`.

    `role` is rw or ro; `recall` says whether a recall without --vault asks it,
    `hooks` whether hooks tell sessions of it then, and of its entries only those of
    these `kinds` with `max_chars` characters at most. `engine` is the database that
    answers for it under this name, or None; `path` is then a folder of the user's
    cache, for its settings.
    """

    name: str
    path: str
    role: str = "rw"
    recall: bool = True
    hooks: bool = True
    engine: str | None = None
    kinds: tuple[str, ...] = _TOLD
    max_chars: int = 600

    @property
    def where(self) -> str:
        """Where it is, for people: its folder, or its database without a password."""
        return redacted(self.engine) if self.engine else self.path

    @property
    def is_there(self) -> bool:
        """Whether it can be opened, as far as a look at this machine tells."""
        settings = os.path.join(self.path, ".memcli")
        return self.engine is not None or os.path.isdir(settings)

    @property
    def source(self) -> str:
        """The `source` of its rows."""
        return self.name if self.name in (PERSONAL, REPO) else f"{_TEAM}{self.name}"


SETTINGS = {"path": "", **KnownVault._field_defaults, "engine": ""}
"""The settings of `[vaults.NAME]`, with their defaults."""


def configured(environ: Mapping[str, str]) -> dict[str, KnownVault]:
    """The vaults of `[vaults.NAME]` in the user's config.toml, in its order.

    Raises:
        InvalidConfig: the file does not parse, or a setting in it is not valid.
    """
    tables, path = user_config.table("vaults", environ)
    return {name: _place(name, table, path, environ) for name, table in tables.items()}


def names(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The names by which a vault may be asked; raises as `configured`."""
    return (PERSONAL, REPO, *configured(environ))


def of_repository(
    cwd: str | None, environ: Mapping[str, str]
) -> projects.RepoVault | None:
    """The vault that the repository around a folder carries, allowed or not.

    None as well for one that the user's own settings name, as a team's or as theirs;
    the environment may be a project's.

    Raises:
        InvalidConfig: the user's config cannot be understood.
    """
    found = projects.carried(cwd, environ)
    if found is None:
        return None
    named = [place.path for place in configured(environ).values()]
    personal = state_dirs.default_vault(environ)
    if personal:
        named.append(os.path.abspath(os.path.expanduser(personal)))
    if any(os.path.realpath(path) == found.path for path in named):
        return None
    return found


def beside(cwd: str | None, environ: Mapping[str, str]) -> list[KnownVault]:
    """The vaults that are asked beside the personal one: those of the user's config
    whose `recall` is on, and that of the repository around a folder, once allowed.

    Raises:
        InvalidConfig: the user's config cannot be understood.
    """
    places = [place for place in configured(environ).values() if place.recall]
    found = of_repository(cwd, environ)
    if found and found.allowed:
        places.append(KnownVault(REPO, found.path))
    return places


def find(word: str, environ: Mapping[str, str]) -> KnownVault | None:
    """The vault of this name or `source`; None when none has it, and for a path."""
    name = word.removeprefix(_TEAM)
    return configured(environ).get(name) if is_name(name) else None


def is_name(word: str) -> bool:
    """Whether a word may be a vault's name; everything else is a path."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789-_"
    return word[:1] not in ("", "-", "_") and not word.strip(letters)


def at(root: str, environ: Mapping[str, str]) -> KnownVault | None:
    """The configured vault in a folder, if any, however the path is spelled."""
    places, real = configured(environ).values(), os.path.realpath(root)
    return next((p for p in places if os.path.realpath(p.path) == real), None)


def read_only(root: str, environ: Mapping[str, str]) -> KnownVault | None:
    """The vault in this folder, if the user's config gives it the role ro."""
    place = at(root, environ)
    return place if place and place.role == "ro" else None


def refuse_read_only(root: str, environ: Mapping[str, str]) -> None:
    """Refuse to write into a vault to which the user's config gives the role ro.

    Raises:
        NotAllowed: it may only be read (code `read_only`).
    """
    if place := read_only(root, environ):
        table = f"vaults.{place.name}"
        raise NotAllowed(
            f"the vault '{place.name}' is read-only here ([{table}] role = ro)",
            hint=f"To write into it: memcli config set {table}.role rw",
            code="read_only",
        )


def find_vault(explicit: str | None, environ: Mapping[str, str]) -> str:
    """The vault's folder: the flag, `MEMCLI_VAULT`, or the user's default.

    Each is a path, or a name of the user's config; `personal` is the vault without the
    flag. The current folder is never used by accident; an empty value counts as unset.

    Raises:
        VaultNotFound: none of the three names one.
    """
    explicit = None if explicit == PERSONAL else explicit
    named = explicit or named_personal(environ)
    if named == REPO:
        raise VaultNotFound(
            "'repo' means the vault of the repository around you, not a certain one",
            hint="Give a folder (./repo); memcli init --repo makes the repository's.",
        )
    if not named:
        raise VaultNotFound(
            "no vault: --vault and MEMCLI_VAULT are not set, and there is no default",
            hint="Create one with: memcli init ~/memory",
        )
    place = find(named, environ)
    return place.path if place else os.path.abspath(os.path.expanduser(named))


def place_of(
    word: str | None, environ: Mapping[str, str], cwd: str | None = None
) -> KnownVault:
    """The vault that a path or name means; there must be one.

    Args:
        word: the path or name; None is the personal vault.
        environ: names the user's vaults.
        cwd: where the caller stands, in whose repository `repo` lies.

    Raises:
        VaultNotFound: nothing is there.
        NotAVault: it is not a folder that `memcli init` prepared.
        NotAllowed: it is the repository's, which the user has not allowed.
    """
    if word == REPO:
        return KnownVault(REPO, projects.needed(cwd, environ).path)
    place = find(word, environ) if word else None
    if place is None:
        root = find_vault(word, environ)
        if word and word != PERSONAL:
            if not os.path.exists(root) and is_name(word.removeprefix(_TEAM)):
                raise VaultNotFound(
                    f"no vault is named '{word}'",
                    hint="The path of a vault's folder will do as well. See which "
                    "there are: memcli inspect vaults",
                )
            place = at(root, environ)
        place = place or _repositorys(root, environ) or KnownVault(PERSONAL, root)
    settings = os.path.join(place.path, ".memcli")
    if place.engine or (os.path.isdir(settings) and not os.path.islink(settings)):
        return place
    raise _no_vault(place.path, settings, environ)


def _no_vault(root: str, settings: str, environ: Mapping[str, str]) -> Exception:
    """The error for a folder that is no vault, or is not there."""
    from shlex import quote

    from memcli.storage.git import remote as remotes

    if not os.path.isdir(root):
        if os.path.exists(root):
            return NotAVault(f"{root} is not a folder")
        return VaultNotFound(
            f"there is no vault at {root}",
            hint=f"Create it with: memcli init {quote(root)}; if your default vault "
            "was moved: memcli config set default-vault PATH",
        )
    if os.path.islink(settings):
        return NotAVault(
            f"{settings} is a symbolic link, which memcli does not follow",
            hint="Put a folder in its place: another person may have put it there.",
        )
    branch = remotes.branch_of_clone(root, environ)
    hint = f"Make it one (no file in it changes): memcli init {quote(root)}"
    if branch:
        switch = f"git -C {quote(root)} switch {quote(branch)}"
        hint = f"Its remote has one on another branch: {switch}"
    return NotAVault(f"{root} is not a memcli vault", hint=hint)


def _repositorys(root: str, environ: Mapping[str, str]) -> KnownVault | None:
    """The vault in a folder, when it is one that a repository carries.

    Raises:
        NotAllowed: the user has not allowed it, whoever gives its path.
    """
    real = os.path.realpath(root)  # a repository may hold a link to it
    if os.path.basename(real) != projects.FOLDER:
        return None
    found = of_repository(os.path.dirname(real), environ)
    if not found or real != os.path.realpath(found.path):
        return None
    return KnownVault(REPO, projects.needed(found.top, environ).path)


def named_personal(environ: Mapping[str, str]) -> str | None:
    """The path or name of the personal vault that the user's settings say, if any."""
    return environ.get("MEMCLI_VAULT") or state_dirs.default_vault(environ)


def set_default_vault(root: str, environ: Mapping[str, str]) -> None:
    """Make a vault the user's default."""
    files.write_atomic(state_dirs.default_vault_file(environ), f"{root}\n".encode())


def _place(
    name: str, table: object, path: str, environ: Mapping[str, str]
) -> KnownVault:
    """The vault of a table of the config; no value is in an error: a URL holds a
    password."""
    where = f"{path}: [vaults.{name}]"
    if not is_name(name) or name in (PERSONAL, REPO):
        raise InvalidConfig(
            f"{where}: not a name for a vault",
            hint="A name is of a-z, 0-9, - and _; 'personal' is the default vault, "
            "'repo' that of the repository around you.",
        )
    found = user_config.checked(table, where, SETTINGS, {"role": _ROLES})
    root, url = found["path"].strip(), found["engine"]
    is_rw = isinstance(table, dict) and table.get("role") == "rw"
    wrong = (
        (not root and not url, "needs a path, or an engine"),
        (root and url, "has a path and an engine: give a clone another name"),
        (url and not is_url(url), "engine must be a URL: postgresql://..."),
        (url and is_rw, "role must be ro: memcli publish alone writes to a database"),
    )
    for is_so, reason in wrong:
        if is_so:
            raise InvalidConfig(f"{where} {reason}")
    # Relative to the config's own folder, and not to the current one.
    above = os.path.dirname(path)
    folder = os.path.normpath(os.path.join(above, os.path.expanduser(root)))
    if url:
        folder = state_dirs.of_engine(name, url, environ)
        found["role"] = "ro"
    changed = {"path": folder, "engine": url or None, "kinds": tuple(found["kinds"])}
    return KnownVault(name, **{**found, **changed})


def is_url(text: str) -> bool:
    """Whether a text names a PostgreSQL database."""
    return text.startswith(("postgresql://", "postgres://"))


redacted = on_disk.shown_of
"""The URL of a database without its user, its password and its query."""


def without_secrets(text: str, url: str) -> str:
    """A library's words on one line, with no more of the URL than may be shown.

    A library takes a password that holds `/`, `?` or `@` for several parts, and may
    quote any of them.
    """
    from urllib.parse import unquote

    shown = redacted(url)
    text = text.replace(url, "\0")  # what is shown instead is not masked in turn
    _, *parts = re.split(_ENDS, url.partition("://")[2])
    secrets = {*parts} - {"", *re.split(_ENDS, shown)}
    for secret in sorted(secrets, key=len, reverse=True):
        for spelling in (secret, unquote(secret)):
            text = text.replace(spelling, "***")
    return " ".join(text.replace("\0", shown).split())
