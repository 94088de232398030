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

from memcli.cli import commands, flags
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
# What is offered for a parameter, by its name.
_ID = "entry_id ids also cite useful not_useful supersede"
_TAKES = {
    **dict.fromkeys(_ID.split(), "id"),
    "what": "inspected",
    **dict.fromkeys(("kind", "kinds"), "kind"),
    **dict.fromkeys(("tags", "untag"), "tag"),
    "project": "project",
    "host": "host",
    **dict.fromkeys(("vault", "vaults"), "vault"),
}
# What the shells take as one word without quotes.
_WORD = re.compile(r"[\w.:/@%+=~-]+")
_MOST = 50
_EVERYWHERE = ("--vault", "--agent", "--json", "--header", "--help", "--version")


def main(words: Sequence[str]) -> None:
    """Answer a shell: its name, then the words up to the cursor, the last one begun."""
    from memcli.cli.render import safe

    lines = []
    try:
        shell, line = words[0], list(words[1:]) or [""]
        cut = 0
        if shell == "bash":
            line, cut = _of_bash(*line)
        for value, about in offers(line, os.environ):
            lines.append(f"{value[cut:]}\t{' '.join(safe(about).split())}")
    except Exception:  # noqa: BLE001 a person types, and must not be disturbed
        lines = []
    text = "".join(f"{line}\n" for line in lines)
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))


def _of_bash(line: str, current: str) -> tuple[list[str], int]:
    """The words of a line of bash, and how much of the last one bash keeps.

    bash breaks words at `:` and `=`, and puts only the last part in the place.
    """
    parts = line.split()[1:]
    if line[-1:].isspace() or not parts:
        parts.append("")
    current = "" if current in (":", "=") else current
    last = parts[-1]
    return parts, len(last) - len(current) if last.endswith(current) else 0


def offers(words: Sequence[str], environ: Mapping[str, str]) -> list[Offer]:
    """The words that may stand in the place of the last one.

    Args:
        words: those behind `memcli`, the last one as far as it was typed.
        environ: names the user's vaults.
    """
    *before, current = words
    if before[-1:] in (["--vault"], ["-v"]):
        return _starting(current, _vaults(environ))
    before = flags.in_order([*before, "-"])[:-1] if before else []
    if not before or before[0] not in commands.COMMANDS:
        named = any(not word.startswith("-") for word in before)
        return [] if named else _starting(current, _commands(current))
    name = before[0]
    known = flags.flags(name)
    last, (flag, equals, _) = before[-1], current.partition("=")
    head, one = "", None
    if last in known and known[last].kind is not bool:
        one = known[last]
    elif equals and flag in known:
        head, one = f"{flag}=", known[flag]
    elif current.startswith("-"):
        return _starting(current, [(each, "") for each in known if each[:2] == "--"])
    else:
        one = _argument(name, before[1:])
    if one is None:
        return []
    current = current.removeprefix(head)
    values = _values(before, one, environ, current)
    return [(head + value, about) for value, about in _starting(current, values)]


def _commands(current: str) -> Iterator[Offer]:
    if current.startswith("-"):
        yield from ((flag, "") for flag in _EVERYWHERE)
        return
    lines = commands.first_lines()
    yield from lines.items()
    for other, name in commands.ALIASES.items():
        yield other, lines[name]


def _vaults(environ: Mapping[str, str]) -> Iterator[Offer]:
    from memcli.storage import known_vaults

    for name in ("personal", "repo", *known_vaults.configured(environ)):
        yield name, ""


def _starting(current: str, values: Iterable[Offer]) -> list[Offer]:
    found: dict[str, str] = {}
    for value, about in values:
        if value.startswith(current) and _WORD.fullmatch(value):
            found.setdefault(value, about)
        if len(found) == _MOST:
            break
    return [*found.items()]


def _argument(name: str, words: Sequence[str]) -> Parameter | None:
    """The argument of a command that the word behind these words is."""
    known, loose, before = flags.flags(name), 0, ""
    for word in words:
        value = before in known and known[before].kind is not bool
        loose += not (value or word.startswith("-"))
        before = word
    for number, one in enumerate(flags.arguments(name)):
        if number == loose or one.repeat:
            return one
    return None


def _values(
    before: Sequence[str], one: Parameter, environ: Mapping[str, str], current: str
) -> list[Offer]:
    """The values that a parameter of a command may have."""
    what = _TAKES.get(one.name, "")
    if one.choices:
        return [(choice, "") for choice in one.choices]
    if what == "host":
        from memcli.hosts import table

        return [(host.name, "") for host in table.with_hooks()]
    if what == "vault":
        return [*_vaults(environ)]
    if not what:
        return []
    from memcli.vault.caller import Caller
    from memcli.vault.vault import Vault

    named = _value_of(before, ("--vault", "-v"))
    agent = _value_of(before, ("--agent",)) or environ.get("MEMCLI_AGENT") or None
    vault = Vault.open(
        named, Caller(environ=environ, agent=agent, cwd=os.getcwd(), waits=False)
    )
    only = "pending" if before[0] == "review" and one.is_argument else ""
    return vault.opened.as_it_is(
        lambda reader: list(_of_vault(what, vault, reader, current, only))
    )


def _of_vault(
    what: str, vault: Vault, reader: Reader, current: str, only: str
) -> Iterator[Offer]:
    """Values that the index of a vault has, given what was typed; `only` is the status
    of the entries."""
    if what == "inspected":
        from memcli.cli.inspect import TOPICS

        yield from ((topic, "") for topic in TOPICS)
    if what in ("id", "inspected"):
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


def _value_of(words: Sequence[str], names: tuple[str, ...]) -> str | None:
    for number, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag in names:
            return value if equals else next(iter(words[number + 1 :]), None)
    return None


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
    script = script_of(shell)
    return said({"shell": shell, "script": script}, script.removesuffix("\n"), style="")


def script_of(shell: str) -> str:
    """The script that completes memcli's words in a shell."""
    # In all of them the answer is one offer a line, a tab, and what it is. Nothing of
    # it is evaluated: the titles of a vault are words of strangers.
    folder = os.path.dirname(os.path.abspath(__file__))
    path = os.path.join(folder, "shells", f"completion.{shell}")
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()
