"""The words that a shell offers when a person presses Tab; and `memcli completion`,
the script that asks for them.

Invariant: it answers in the time of a keystroke, so it loads no Typer and indexes
nothing; when anything fails, it offers nothing and says nothing. A value that a shell
would read as more than a word is not offered, and a title is shown in one line without
what a terminal obeys: a vault is data of strangers.
"""

from __future__ import annotations

import os
import re
import sys
from heapq import nlargest

from memcli.cli import commands
from memcli.cli.context import Context, Result, said
from memcli.entries.ids import shortened

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Literal

    from memcli.declared import Parameter
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault

    # A word that may stand there, and what it is.
    Offer = tuple[str, str]


# With an id and the marks of the shells a title and its state fit 80 columns.
_TITLE = 56
# Of so many entries ids are offered, the newest.
_MOST_READ = 300
# The values that are offered, as the help calls them.
_OFFERED = ("id", "what", "kind", "tag", "project", "host")
# What the shells take as one word without quotes.
_WORD = re.compile(r"[\w.:/@%+=~-]+")
_MOST = 50


def main(words: Sequence[str]) -> None:
    """Answer a shell: its name, then the words up to the cursor, the last one begun."""
    from memcli.cli.render import safe

    lines = []
    try:
        _, *line = words
        for value, about in offers(line or [""], os.environ):
            lines.append(f"{value}\t{' '.join(safe(about).split())}\n")
    except Exception:  # noqa: BLE001 a person types, and must not be disturbed
        lines = []
    sys.stdout.buffer.write("".join(lines).encode("utf-8", "replace"))


def offers(words: Sequence[str], environ: Mapping[str, str]) -> list[Offer]:
    """The words that may stand in the place of the last one.

    Args:
        words: those behind `memcli`, the last one as far as it was typed.
        environ: names the user's vaults.
    """
    *before, current = words
    found: dict[str, str] = {}
    for value, about in _fitting(before, current, environ):
        if value.startswith(current) and _WORD.fullmatch(value):
            found.setdefault(value, about)
        if len(found) == _MOST:
            break
    return [*found.items()]


def _fitting(
    before: Sequence[str], current: str, environ: Mapping[str, str]
) -> Iterable[Offer]:
    """The words that may stand behind others; what was typed leaves out some."""
    line = commands.in_order([*before, "-"])[:-1]
    if not line:
        return _commands(current)
    name, *rest = line
    if name not in commands.COMMANDS:
        return ()
    known = commands.flags(name)
    given: dict[str, str] = {}
    loose, one = 0, None
    for word in rest:
        flag, equals, value = word.partition("=")
        if one:
            given[one.name], one = word, None
        elif flag in known and known[flag].kind is not bool:
            given[known[flag].name] = value
            one = None if equals else known[flag]
        else:
            loose += not word.startswith("-")
    if one is None and current.startswith("-"):
        return ((flag, "") for flag in known if flag.startswith("--"))
    places = commands.arguments(name)
    if one is None and places and (loose < len(places) or places[-1].repeat):
        one = places[min(loose, len(places) - 1)]
    return _values(name, one, given, environ, current) if one else ()


def _commands(current: str) -> Iterator[Offer]:
    if current.startswith("-"):
        for flag in (*commands.EVERYWHERE, "--help", "--version"):
            yield flag, ""
        return
    names = {name: name for name in commands.COMMANDS} | commands.ALIASES
    for name, command in names.items():
        yield name, commands.first_line(command)


def _values(
    name: str,
    one: Parameter,
    given: Mapping[str, str],
    environ: Mapping[str, str],
    current: str,
) -> Iterable[Offer]:
    """The values that a parameter of a command may have, as others are given."""
    called = "project" if one.name == "project" else one.metavar
    what = called.strip("[].").lower()
    if one.choices or what not in _OFFERED:
        return [(choice, "") for choice in one.choices]
    if what == "host":
        from memcli.hosts import table

        return [(host.name, "") for host in table.with_hooks()]
    from memcli.search.index import FEW
    from memcli.vault.caller import Caller
    from memcli.vault.vault import Vault

    agent = given.get("agent") or environ.get("MEMCLI_AGENT") or None
    caller = Caller(environ=environ, agent=agent, cwd=os.getcwd(), waits=False)
    vault = Vault.open(given.get("vault") or given.get("vaults"), caller)
    only = "pending" if name == "review" and one.is_argument else ""
    return vault.opened.read(
        lambda reader: list(_of_vault(what, vault, reader, current, only)), most=FEW
    )


def _of_vault(
    what: str, vault: Vault, reader: Reader, current: str, only: str
) -> Iterator[Offer]:
    """Values that the index of a vault has, given what was typed; `only` is the status
    of the entries."""
    if what == "what":
        from memcli.cli.inspect import TOPICS

        yield from ((topic, "") for topic in TOPICS)
    if what in ("id", "what"):
        created = reader.columns.created
        docs = nlargest(_MOST_READ, reader.everything(), key=created.__getitem__)
        for row in map(reader.row, docs):
            if row.id.startswith(current) and only in ("", row.status):
                state = "" if row.status == "active" else f" ({row.status})"
                title = shortened(row.title, _TITLE - len(state), " ")
                yield row.id, f"{title}{state}"
    elif what == "kind":
        yield from ((kind, "") for kind in vault.kinds)
    else:
        if what == "project":
            yield from ((name, "") for name in ("here", "none", "any"))
        yield from ((name, "") for name in reader.starting(what, current))


def completion(context: Context, shell: Literal["bash", "zsh", "fish"]) -> Result:
    """Print the script that completes memcli's words in your shell

    Commands and flags, and from the vault ids with their titles, kinds, tags and
    projects. In ~/.bashrc write: eval "$(memcli completion bash)". In ~/.zshrc the same
    with zsh. For fish, write the script to ~/.config/fish/completions/memcli.fish.

    \b
    Example:
      memcli completion bash

    Options:
        shell: `` Which shell
    """
    del context
    # In all of them the answer is one offer a line, a tab, and what it is. Nothing of
    # it is evaluated: the titles of a vault are words of strangers.
    folder = os.path.dirname(os.path.abspath(__file__))
    path = os.path.join(folder, "shells", f"completion.{shell}")
    with open(path, encoding="utf-8", newline="") as file:
        script = file.read()
    return said({"shell": shell, "script": script}, script.removesuffix("\n"), style="")
