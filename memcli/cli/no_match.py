"""What an answer without a row says: what it means, and what to try next.

Invariant: "nothing was found" never stands for "nothing is known": memcli compares
words. Commands speak of commands, tools of an MCP client of tools.
"""

from __future__ import annotations

from memcli.entries.text.counted import counted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.cli.context import Context
    from memcli.recall.no_match import NoMatch
    from memcli.recall.results import Recalled

_MOST_NAMED = 12
_WORDS_ONLY = (
    "memcli compares words, not meanings: an entry that says it in other words may be "
    "missed"
)


def of_recall(context: Context, answer: Recalled) -> list[str]:
    """The warnings of a recall without a row, or of words that stand in no entry."""
    if answer.query is not None and not answer.rows and not answer.omitted:
        return sentences(context, "recall", answer.query, answer.no_match)
    missing = answer.missing_terms
    return [f"in no entry: {named(missing)}"] if missing else []


def sentences(
    context: Context, command: str, query: str, found: NoMatch | None
) -> list[str]:
    """The warnings of an answer without a row, in the words of the caller.

    Args:
        context: says whether an MCP client asks.
        command: recall or reflect.
        query: the question.
        found: why there is no row.
    """
    if found is None:
        return ["no match"]
    tools = context.via == "mcp"
    if not found.entries:
        say = "memory_save" if tools else f"memcli save TEXT{_vault_flag(context)}"
        return [f"no match: there is no entry yet; to save one: {say}"]
    lacking = _missing(found)
    if found.filtered:
        held = counted(found.filtered, "entry")
        flags = [name if tools else _flag(name) for name in found.filters]
        by = ", ".join(flags) or "the filters"
        said = [f"no match: {by} left out {held} with words of the question"]
    elif found.ended:
        states = ", ".join(f"{number:,} {name}" for name, number in found.ended.items())
        said = [
            "no match: the entries that hold words of the question are not shown "
            f"({states})"
        ]
    elif lacking:
        said = [f"no match: in no entry: {lacking}", _WORDS_ONLY]
    else:
        said = ["no match"]
    if lacking and (found.filtered or found.ended):
        said.append(f"in no entry: {lacking}")
    ask = _Tool(command) if tools else _Command(command, _vault_flag(context))
    without = ", without filters" if found.filtered else ""
    return [*said, f"try{without}: {ask.next(query, found)}"]


def _vault_flag(context: Context) -> str:
    """The flag that names the vault that was asked, when one did."""
    return f" {_pasted(['--vault', context.vault])}" if context.vault else ""


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _missing(found: NoMatch) -> str:
    """The words of a question that no entry holds, with the nearest spellings."""
    near = {word: ", ".join(words) for word, words in found.near.items()}
    return named(
        [
            f"{word} (nearest: {near[word]})" if word in near else word
            for word in found.missing
        ]
    )


def named(words: Sequence[str]) -> str:
    """Words in a row; of the hundreds of a pasted error the first, and a count."""
    more = len(words) - _MOST_NAMED
    shown = ", ".join(words[:_MOST_NAMED])
    return shown if more <= 0 else f"{shown} and {counted(more, 'more word')}"


class _Command:
    """The next step as a command line."""

    def __init__(self, command: str, vault: str) -> None:
        self._command = command
        self._vault = vault

    def next(self, query: str, found: NoMatch) -> str:
        if found.filtered:
            return self._line(query)
        if found.ended:
            flags = [word for name in found.ended for word in ("--status", name)]
            return _pasted(["memcli", "recall", *flags]) + self._asks("--", query)
        corrected = found.corrected(query)
        if corrected:
            return self._line(corrected)
        return f"other or fewer words, or list what there is: memcli list{self._vault}"

    def _line(self, query: str) -> str:
        dashes = ["--"] if query.startswith("-") else []
        return f"memcli {self._command}" + self._asks(*dashes, query)

    def _asks(self, *words: str) -> str:
        return f"{self._vault} {_pasted(list(words))}"


class _Tool:
    """The next step as a call of a tool."""

    def __init__(self, command: str) -> None:
        self._tool = f"memory_{command}"

    def next(self, query: str, found: NoMatch) -> str:
        if found.filtered:
            return f"{self._tool} with the same query"
        if found.ended:
            names = ", ".join(found.ended)
            return f"memory_recall with the same query and statuses: {names}"
        corrected = found.corrected(query)
        if corrected:
            return f"{self._tool} with the query: {' '.join(corrected.split())}"
        if found.filters and self._tool == "memory_recall":
            return (
                "memory_recall with the same filters and no query, which lists what "
                "they let through; or other words"
            )
        return (
            f"{self._tool} with other or fewer words before you take it that nothing "
            "is known; memory_recall with all and limit lists entries"
        )


def _pasted(words: list[str]) -> str:
    import shlex

    return shlex.join(words)
