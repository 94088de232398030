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
from memcli.cli.context import Context, Result
from memcli.entries.ids import shortened
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Literal

    from memcli.declared import Parameter
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault


# With an id and the marks of the shells a title and its state fit 80 columns.
_TITLE = 56
# Most ids begin alike, with the time: below so many characters only the newest entries
# are looked at, and so many of them.
_RARE = 8
_MOST_READ = 300


class Offer(NamedTuple):
    """A word that may stand there, and what it is."""

    value: str
    about: str = ""


# What a flag, or an argument of a command, takes.
_TAKES = {
    "host": "--host|install host|uninstall host",
    "vault": "--vault|-v",
    "status": "--status",
    "setting": "config words",
    "kind": "--kind|-k",
    "tag": "--tag|-t|--untag|tag tags",
    "project": "--project|-p",
    "agent": "--agent",
    "entry": "--cite|--also|--useful|--not-useful|--supersede|show ids|edit entry_id|"
    "forget entry_id|evolve entry_id|tag entry_id|pin ids|resolve ids|promote entry_id",
    "candidate": "review ids",
    "inspected": "inspect what",
    "entity": "--entity|entities names",
}
_BY_PLACE = {
    place: what for what, places in _TAKES.items() for place in places.split("|")
}


def _without_vault(what: str, environ: Mapping[str, str]) -> Sequence[str] | None:
    """Values that need no vault; None for those of a vault."""
    if what == "status":
        return "active superseded resolved expired pending rejected".split()
    if what == "host":
        from memcli.hosts import table

        return [host.name for host in table.with_hooks()]
    if what == "vault":
        from memcli.storage import known_vaults

        return ["personal", "repo", *known_vaults.configured(environ)]
    if what == "setting":
        from memcli.storage import settings
        from memcli.vault import config

        return [*settings.defaults(), config.DEFAULT_VAULT]
    return None


def _of_vault(what: str, vault: Vault, reader: Reader, current: str) -> Iterator[Offer]:
    """Values that the index of a vault has, given what was typed."""
    if what == "inspected":
        from memcli.cli.inspect import TOPICS

        yield from map(Offer, TOPICS)
    if what in ("entry", "candidate", "inspected"):
        yield from _entries(what, reader, current)
    elif what == "entity":
        for entity in vault.registry.entities:
            for name in (entity.name, *entity.aliases):
                yield Offer(name, entity.type)
    elif what == "kind":
        yield from map(Offer, vault.kinds)
    else:
        if what == "project":
            yield from map(Offer, ("here", "none", "any"))
        for name in reader.starting(what, current):
            if name != "-":
                yield Offer(name)


def _entries(what: str, reader: Reader, current: str) -> Iterator[Offer]:
    """Ids with their titles; the newest first."""
    created = reader.columns.created
    if len(current) < _RARE:
        docs = nlargest(_MOST_READ, reader.everything(), key=created.__getitem__)
    else:
        ids = reader.starting("id", current)
        docs = [doc for entry_id in ids for doc in reader.exact("id", entry_id)]
    for row in map(reader.row, docs):
        if what == "candidate" and row.status != "pending":
            continue
        if row.id.startswith(current):
            state = "" if row.status == "active" else f" ({row.status})"
            title = shortened(row.title, _TITLE - len(state), " ")
            yield Offer(row.id, f"{title}{state}")


# What the shells take as one word without quotes; several such words with a
# space between are the name of an entity, which zsh and fish escape by themselves.
_WORD = re.compile(r"[\w.:/@%+=~-]+(?: [\w.:/@%+=~-]+)*")
_MOST = 50
_LONGEST = 80
_EVERYWHERE = ("--vault", "--agent", "--json", "--header", "--help", "--version")


def main(words: Sequence[str]) -> None:
    """Answer a shell: its name, then the words up to the cursor, the last one begun."""
    from memcli.cli.render import safe

    lines = []
    try:
        shell, line = words[0], list(words[1:]) or [""]
        cut = 0
        if shell == "bash":
            line, cut = _of_bash(line)
        elif shell == "powershell":
            line = [*line[1:], line[0].removeprefix("=")]
        for offer in offers(line, os.environ):
            about = " ".join(safe(offer.about).split())[:_LONGEST]
            value = offer.value[cut:]
            if shell == "bash":
                value = value.replace(" ", "\\ ")
            lines.append(f"{value}\t{about}")
    except Exception:  # noqa: BLE001 a person types, and must not be disturbed
        lines = []
    text = "".join(f"{line}\n" for line in lines)
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))


def _of_bash(words: list[str]) -> tuple[list[str], int]:
    """The words of a line of bash, and how much of the last one bash has behind it.

    bash breaks words at `:` and `=`, and puts only the last part in the place.

    Args:
        words: the line up to the cursor, and the word that bash would replace.
    """
    import shlex

    line, current = words[0], words[1] if len(words) > 1 else ""
    try:
        parts = shlex.split(line)
    except ValueError:  # a quote that is still open
        parts = line.split()
    parts = parts[1:]
    if line[-1:].isspace() or not parts:
        parts.append("")
    current = "" if current in (":", "=") else current
    last = parts[-1]
    cut = len(last) - len(current) if last.endswith(current) else 0
    return parts, cut if current != last else 0


def offers(words: Sequence[str], environ: Mapping[str, str]) -> list[Offer]:
    """The words that may stand in the place of the last one.

    Args:
        words: those behind `memcli`, the last one as far as it was typed.
        environ: names the user's vaults.
    """
    *before, current = words
    if before[-1:] in (["--vault"], ["-v"]):
        return _starting(current, map(Offer, _without_vault("vault", environ) or ()))
    before = flags.in_order([*before, "-"])[:-1] if before else []
    if not before or before[0] not in commands.COMMANDS:
        if any(not word.startswith("-") for word in before):
            return []
        return _starting(current, _commands(current))
    name = before[0]
    parameter, one, head = _place(name, before[1:], current)
    if parameter == "-":
        known = flags.flags(name)
        return _starting(current, [Offer(flag) for flag in known if flag[:2] == "--"])
    current = current.removeprefix(head)
    values = _values(before, parameter, one, environ, current)
    return [
        offer._replace(value=head + offer.value) for offer in _starting(current, values)
    ]


def _commands(current: str) -> Iterator[Offer]:
    if current.startswith("-"):
        yield from map(Offer, _EVERYWHERE)
        return
    lines = commands.first_lines()
    for name, about in lines.items():
        yield Offer(name, about)
    for other, name in commands.ALIASES.items():
        yield Offer(other, lines[name])


def _starting(current: str, values: Iterable[Offer]) -> list[Offer]:
    found = dict[str, Offer]()
    for offer in values:
        if offer.value.startswith(current) and _WORD.fullmatch(offer.value):
            found.setdefault(offer.value, offer)
        if len(found) == _MOST:
            break
    return list(found.values())


def _place(
    name: str, words: Sequence[str], current: str
) -> tuple[str, Parameter | None, str]:
    """Where the last word stands, the parameter that it is for, and what stands before
    its value in the word. The place of a flag itself is `-`."""
    known, loose = flags.flags(name), 0
    waiting = ""
    for word in words:
        flag, equals, _ = word.partition("=")
        if waiting:
            waiting = ""
        elif flag in known and known[flag].kind is not bool:
            waiting = "" if equals else flag
        else:
            loose += not word.startswith("-") or word == "-"
    if waiting:
        return waiting, known[waiting], ""
    flag, equals, _ = current.partition("=")
    if equals and flag in known:
        return flag, known[flag], f"{flag}="
    if current.startswith("-"):
        return "-", None, ""
    sign = "+" if name == "tag" and loose and current.startswith("+") else ""
    for number, one in enumerate(flags.arguments(name)):
        if number == loose or one.repeat:
            return f"{name} {one.name}", one, sign
    return "", None, ""


def _values(
    before: Sequence[str],
    place: str,
    one: Parameter | None,
    environ: Mapping[str, str],
    current: str,
) -> list[Offer]:
    """Everything that a parameter may be."""
    what = _BY_PLACE.get(place, "")
    fixed = one.choices if one and one.choices else _without_vault(what, environ)
    if fixed is not None or not what:
        return [Offer(word) for word in fixed or ()]
    from memcli.vault.caller import Caller
    from memcli.vault.vault import Vault

    named = _value_of(before, ("--vault", "-v"))
    agent = _value_of(before, ("--agent",)) or environ.get("MEMCLI_AGENT") or None
    vault = Vault.open(
        named, Caller(environ=environ, agent=agent, cwd=os.getcwd(), waits=False)
    )
    return vault.index.opened.as_it_is(
        lambda reader: list(_of_vault(what, vault, reader, current))
    )


def _value_of(words: Sequence[str], names: tuple[str, ...]) -> str | None:
    for number, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag in names:
            return value if equals else next(iter(words[number + 1 :]), None)
    return None


def completion(
    context: Context, shell: Literal["bash", "zsh", "fish", "powershell"]
) -> Result:
    """Print the script that completes memcli's words in your shell

    Commands and flags, and from the vault ids with their titles, kinds, tags and
    projects. In ~/.bashrc write: eval "$(memcli completion bash)". In ~/.zshrc the same
    with zsh. For fish, write the script to ~/.config/fish/completions/memcli.fish; for
    PowerShell, write in $PROFILE: memcli completion powershell | Out-String | iex

    \b
    Example:
      memcli completion bash

    Options:
        shell: `` Which shell
    """
    del context
    script = script_of(shell)
    return Result(
        data={"shell": shell, "script": script},
        text=lambda canvas: canvas.line(script.removesuffix("\n")),
    )


def script_of(shell: str) -> str:
    """The script that completes memcli's words in a shell."""
    # In all of them the answer is one offer a line, a tab, and what it is. Nothing of
    # it is evaluated: the titles of a vault are words of strangers. An older PowerShell
    # drops an empty argument: the word at the cursor comes first, behind a sign.
    folder = os.path.dirname(os.path.abspath(__file__))
    ending = "ps1" if shell == "powershell" else shell
    path = os.path.join(folder, "shells", f"completion.{ending}")
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()
