"""The values that may stand behind a flag, or in an argument, as a shell offers them.

Invariant: reads only; of a vault it shows what the reader that it is given may see.
"""

from __future__ import annotations

from heapq import nlargest

from memcli.entries.ids import shortened
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

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


# --- values that need no vault ------------------------------------------------------


def _hosts(_: Mapping[str, str]) -> Sequence[str]:
    from memcli.hosts import table

    return [host.name for host in table.with_hooks()]


def _vaults(environ: Mapping[str, str]) -> Sequence[str]:
    from memcli.storage import known_vaults

    return ["personal", "repo", *known_vaults.configured(environ)]


def _topics(_: Mapping[str, str]) -> Sequence[str]:
    from memcli.cli.inspect import TOPICS

    return list(TOPICS)


def _skills(_: Mapping[str, str]) -> Sequence[str]:
    from memcli.hosts import skills

    return list(skills.catalog())


def _settings(_: Mapping[str, str]) -> Sequence[str]:
    from memcli.storage import settings
    from memcli.vault import config

    return [*settings.defaults(), config.DEFAULT_VAULT]


def _tools(_: Mapping[str, str]) -> Sequence[str]:
    from memcli.hosts.memories import tools

    return [tool.name for tool in tools.TOOLS]


# Moments that people ask for; each reads as `7d` and `2026-05` do.
PAST = ("today", "yesterday", "7d", "2w", "3m", "1y", "last week", "last month")
FUTURE = ("tomorrow", "30d", "in 2 weeks", "next month", "next friday")
_LAYERS = ("fact", "observation", "model")
_STATUSES = ("active", "superseded", "resolved", "expired", "pending", "rejected")
WITHOUT_VAULT: dict[str, Callable[[Mapping[str, str]], Sequence[str]]] = {
    "--host": _hosts,
    "install host": _hosts,
    "uninstall host": _hosts,
    "--vault": _vaults,
    "-v": _vaults,
    "--from": _tools,
    **dict.fromkeys(
        ("--since", "--after", "--before", "--as-of", "--at", "--occurred-at"),
        lambda _: PAST,
    ),
    "--expires-at": lambda _: FUTURE,
    "--layer": lambda _: _LAYERS,
    "--status": lambda _: _STATUSES,
    "--min-confidence": lambda _: ("HIGH", "MEDIUM", "LOW"),
    "install names": _skills,
    "uninstall names": _skills,
    "--show": _skills,
    "config words": _settings,
}
"""By the flag, or the command and its argument: values, given the environment."""


# --- values that the index of a vault has -------------------------------------------


def _entries(_: Vault, reader: Reader, current: str) -> Iterator[Offer]:
    """Ids with their titles; the newest first."""
    created = reader.columns.created
    if len(current) < _RARE:
        docs = nlargest(_MOST_READ, reader.everything(), key=created.__getitem__)
    else:
        ids = reader.starting("id", current)
        docs = [doc for entry_id in ids for doc in reader.exact("id", entry_id)]
        docs.sort(key=lambda doc: -created[doc])
    for doc in docs:
        row = reader.row(doc)
        if row.id.startswith(current):
            state = "" if row.status == "active" else f" ({row.status})"
            title = shortened(row.title, _TITLE - len(state), " ")
            yield Offer(row.id, f"{title}{state}")


def _in_force(vault: Vault, reader: Reader, current: str) -> Iterator[Offer]:
    for offer in _entries(vault, reader, current):
        if not offer.about.endswith((" (superseded)", " (rejected)", " (expired)")):
            yield offer


def _candidates(vault: Vault, reader: Reader, current: str) -> Iterator[Offer]:
    for offer in _entries(vault, reader, current):
        if offer.about.endswith(" (pending)"):
            yield offer


def _inspected(vault: Vault, reader: Reader, current: str) -> Iterator[Offer]:
    yield from map(Offer, _topics({}))
    yield from _entries(vault, reader, current)


def _names(vault: Vault, _: Reader, current: str) -> Iterator[Offer]:
    """Registered entities, by each of their names that is begun so."""
    del current
    for entity in vault.registry.entities:
        yield Offer(entity.name, entity.type)
        for alias in entity.aliases:
            yield Offer(alias, f"{entity.type} {entity.name}")


def _ideas(vault: Vault, _: Reader, current: str) -> Iterator[Offer]:
    from memcli.curation import ideas
    from memcli.curation.idea_text import OPEN

    del current
    if vault.agent is None:
        for section in ideas.sections(vault):
            if section.state == OPEN:
                yield Offer(section.slug, section.title)


def _of_field(field: str) -> Callable[[Vault, Reader, str], Iterator[Offer]]:
    def named(vault: Vault, reader: Reader, current: str) -> Iterator[Offer]:
        del vault
        for name in reader.starting(field, current):
            if name != "-":
                yield Offer(name)

    return named


def _kinds(vault: Vault, reader: Reader, current: str) -> Iterator[Offer]:
    del reader, current
    yield from map(Offer, vault.kinds)


def _projects(vault: Vault, reader: Reader, current: str) -> Iterator[Offer]:
    yield from (Offer("here"), Offer("none"), Offer("any"))
    yield from _of_field("project")(vault, reader, current)


OF_INDEX: dict[str, Callable[[Vault, Reader, str], Iterator[Offer]]] = {
    **dict.fromkeys(("--kind", "-k"), _kinds),
    **dict.fromkeys(("--tag", "-t", "--untag", "tag tags"), _of_field("tag")),
    **dict.fromkeys(("--project", "-p"), _projects),
    "--agent": _of_field("agent"),
    **dict.fromkeys(
        ("--cite", "--also", "--useful", "--not-useful", "--supersede", "show ids"),
        _entries,
    ),
    **dict.fromkeys(("edit entry_id", "forget entry_id"), _entries),
    **dict.fromkeys(
        (
            *("evolve entry_id", "tag entry_id", "pin ids", "unpin ids"),
            *("resolve ids", "promote entry_id"),
        ),
        _in_force,
    ),
    **dict.fromkeys(("--entity", "entities names"), _names),
    "ideas slugs": _ideas,
    "review ids": _candidates,
    "inspect what": _inspected,
}
"""By the same names: values of a vault, given its index and what was typed."""
