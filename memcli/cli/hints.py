"""Hints beside an answer or a refusal: what it means, and what to try next.

Invariant: "nothing was found" never stands for "nothing is known": memcli compares
words, and says which words no entry holds. Vaults are asked as the same agent: what the
agent may not see is in none. A way is named only when it exists.
"""

from __future__ import annotations

import contextlib
import shlex

from memcli.entries.ids import ANY, HERE, NONE
from memcli.entries.text.counted import counted
from memcli.errors import EntryNotFound, MemcliError
from memcli.storage import known_vaults

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from memcli.cli.context import Context, Result
    from memcli.entries.entry import Entry
    from memcli.recall.confidence import NoMatch
    from memcli.recall.results import Recalled
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults


_MOST_NAMED = 12


def of_recall(answer: Recalled) -> list[str]:
    """The warnings of a recall without a row, or of words that stand in no entry."""
    if answer.query is not None and not answer.rows and not answer.omitted:
        return sentences("recall", answer.query, answer.no_match)
    missing = answer.missing_terms
    said = [f"No entry contains {named(missing)}"] if missing else []
    if answer.no_match is not None:
        states, way = _over(answer.no_match, answer.query or "")
        said.append(f"With more words of the question than these: {states}. {way}")
    return said


def sentences(command: str, query: str, found: NoMatch | None) -> list[str]:
    """The warnings of an answer without a row; a command in them comes last.

    Args:
        command: recall or reflect.
        query: the question.
        found: why there is no row.
    """
    if found is None:
        return ["No matching entries."]
    if not found.entries:
        return ["The vault has no entry yet. Save one: memcli save TEXT"]
    lacked = found.missing_terms
    lacking = f"No entry contains {named(lacked)}." if lacked else ""
    if found.filtered:
        by = ", ".join(found.filters) or "any"
        held = counted(found.filtered, "entry")
        left = f"filters ({by}) left out {held}"
        said = f"No matching entries: {left} with words of the question."
        way = f"Without filters: {line(command, [], query)}"
    elif found.ended:
        states, way = _over(found, query)
        said = f"No matching entries in force; with words of the question: {states}."
    else:
        said = "" if lacking else "No matching entries."
        way = "Try other words, or: memcli list"
    return [" ".join(filter(None, [said, lacking, way]))]


def _over(found: NoMatch, query: str) -> tuple[str, str]:
    """How many entries are over, by status, and the command that shows them."""
    states = ", ".join(f"{number:,} {name}" for name, number in found.ended.items())
    flags = [word for name in found.ended for word in ("--status", name)]
    return states, f"To see them: {line('recall', flags, query)}"


def line(command: str, flags: Sequence[str], query: str) -> str:
    """A question as a command line; its words, also a name out of a memory, are no
    flags."""
    dashes = ["--"] if query.startswith("-") else []
    return shlex.join(["memcli", command, *flags, *dashes, query])


def named(words: Sequence[str]) -> str:
    """Words in a row; of the hundreds of a pasted error the first, and a count."""
    shown = [f"'{word}'" for word in words[:_MOST_NAMED]]
    more = len(words) - len(shown)
    return ", ".join(shown) + (f" and {counted(more, 'more word')}" if more else "")


def explained(
    error: EntryNotFound, context: Context, asked: list[str]
) -> EntryNotFound:
    """The refusal of an unknown id, with the user's vaults that have it.

    Args:
        error: of the vault that was asked.
        context: what it was asked by.
        asked: the vaults that the command line names.
    """
    from memcli.vault.vault import Vault

    names: list[str] = []
    caller = context.caller("reading")._replace(waits=False)
    # An agent does not learn of vaults that it did not ask.
    if not context.agent and error.entry_id:
        with contextlib.suppress(MemcliError):
            for name in known_vaults.names(context.environ):
                with contextlib.suppress(MemcliError):
                    if name not in asked:
                        Vault.open(name, caller).path_of(error.entry_id)
                        names.append(name)
    if not names:
        return error
    vaults = " and ".join(f"`{name}`" for name in names)
    return EntryNotFound(
        f"{error.message}; it is in the vault {vaults}",
        hint=f"Add --vault {names[0]}",
        entry_id=error.entry_id,
    )


def for_agent(result: Result, context: Context, values: Mapping[str, Any]) -> Result:
    """The answer, with a warning when no vault that was asked knows the agent."""
    from memcli.vault import agents

    try:
        said = [agents.unknown(vault) for vault in _asked(context, values).vaults]
    except MemcliError:
        return result
    if not all(said):
        return result
    return result._replace(warnings=(*result.warnings, str(said[0])))


def named_project(context: Context, values: Mapping[str, Any]) -> str:
    """The project that --project names, in the vaults that are asked."""
    from memcli.recall.filters import named_project as named

    return named(_asked(context, values).vaults, values["project"])


def _asked(context: Context, values: Mapping[str, Any]) -> Vault | Vaults:
    """The vaults that a command line asks."""
    own = bool(values.get("personal_only"))
    return context.open_vaults("reading", values.get("vaults"), personal_only=own)


def of_enforce(entry: Entry) -> list[str]:
    """The warning of an entry that is to stop a tool, and stops none."""
    from memcli.entries.file_checks import idle

    why = idle(entry)
    return [f"--enforce keeps nothing from running: {why}"] if why else []


def placed(context: Context, named: str) -> tuple[str, Callable[[str], str] | None]:
    """The project that a writing command names, by its whole name or by the one that
    ends so; and, when it is probably not the one meant, the warning for an entry's id.

    Args:
        context: what the command was called by.
        named: the project, as the command line has it.
    """
    from memcli.recall.query import checked_project

    vault, name = context.open_vault("reading"), checked_project(named)
    here = vault.here
    if name == HERE and here is None:
        told = "this folder belongs to no project, so it holds everywhere"
        return named, lambda _: told
    known = vault.read(lambda reader: {*reader.starting("project", ""), here or ""})
    if name in (HERE, NONE, ANY, *known):
        return named, None
    ending = [each for each in known if each.endswith(f"/{name}")]
    if len(ending) == 1:
        return ending[0], None
    way = f"--project {here or 'NAME'}"
    told = f"'{name}' is a new project; if another is meant: memcli tag"
    return named, lambda entry_id: f"{told} {entry_id} {way}"


UNCHECKED = "its citations were not checked: it comes from no research run"


def nearest(
    word: str, known: Collection[str], also: Mapping[str, str] | None = None
) -> str | None:
    """The known word that was most likely meant; None where none is near.

    Args:
        word: what was typed.
        known: the words that there are.
        also: other words for them.
    """

    from difflib import get_close_matches

    words = {**(also or {}), **{name: name for name in known}}
    folded = word.strip().lower()[:60].replace("_", "-")
    begun = [name for name in known if len(folded) > 1 and name.startswith(folded)]
    if folded in words or len(begun) == 1:
        return words.get(folded) or begun[0]
    near = get_close_matches(folded, known, 1) or get_close_matches(folded, words, 1)
    return words[near[0]] if near else None
