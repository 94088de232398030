"""The commands as tools of an agent: parameters in, a command's own answer out.

Invariant: a tool runs the command of its use case with that command's values, so its
data is what `memcli ... --json` prints as `data` (`answers` then leaves out what says
nothing). The answer is data or an error with code, message and
hint; a tool never raises.
"""

from __future__ import annotations

from memcli.cli import commands
from memcli.cli.mcp import answers
from memcli.cli.mcp import arguments as arguments_
from memcli.errors import InvalidValue, MemcliError, UsageError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from memcli.cli.context import Context
    from memcli.cli.mcp.tool import Tool

# What `memcli tag` changes of an entry, as evolve's values name it.
_IN_PLACE = frozenset({"tags", "untag", "project"})


class Answer(NamedTuple):
    """What a call came to: `data`, or `error` with code, message and hint.

    `notes` are sentences: what was done, and the command's warnings.
    """

    data: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()
    error: dict[str, Any] | None = None


def call(tool: Tool, arguments: Mapping[str, Any], context: Context) -> Answer:
    """Run a tool with a client's arguments; never raises."""
    return guarded(lambda: _called(tool, arguments, context), context)


def guarded(work: Callable[[], Answer], context: Context) -> Answer:
    """What the work answers; its failure as an answer, in a client's words."""
    try:
        return work()
    except MemcliError as error:
        failed = _failed(
            error.error_code,
            answers.reworded(error.message),
            error.hint and answers.reworded(error.hint),
        )
        if failed.error is not None and error.details is not None:
            failed.error["details"] = answers.shortened(error.details)
        return failed
    except Exception as error:  # noqa: BLE001 a bug in one call must not end the rest
        if context.environ.get("MEMCLI_DEBUG"):
            import traceback

            context.tell("".join(traceback.format_exception(error)))
        message = f"a bug in memcli: {type(error).__name__}: {error}"
        return _failed("bug", message, "Report it, please; MEMCLI_DEBUG=1 says more.")


def _called(tool: Tool, arguments: Mapping[str, Any], context: Context) -> Answer:
    arguments = arguments_.as_lines(tool, arguments)
    values = arguments_.values(tool, arguments)
    context = _in_vault(_with_stdin(tool, arguments, context), values)
    command, values = _command(tool, values)
    result = commands.answer(command, context, values)
    notes = [f"warning: {answers.with_tools(one)}" for one in result.warnings]
    if tool.changes and not values.get("digest"):  # its data has all of the text
        shown = _Lines()
        result.text(shown)
        notes = answers.told(command, result.data, shown.lines) + notes
    return Answer(data=answers.lean(result.data), notes=tuple(notes))


def _command(tool: Tool, values: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The command of a call, and its values: a tool may stand for several commands."""
    given = {name for name, value in values.items() if value}
    if tool.command == "evolve" and "revert" in given:
        if given - {"revert", "entry_id", "reason", "dry_run"}:
            raise UsageError(
                "revert takes the version before as it was",
                hint="Revert first, then evolve the result.",
            )
        kept = {name: values[name] for name in given & {"reason", "dry_run"}}
        return "undo", {"commit": values["entry_id"], **kept}
    if tool.command == "review" and "undo" in given:
        return "undo", {"dry_run": bool(values.get("dry_run"))}
    values.pop("undo" if tool.command == "review" else "revert", None)
    # What changes no claim of an entry makes no new version.
    changes = given - {"entry_id"}
    if tool.command == "evolve" and changes and changes <= _IN_PLACE:
        return "tag", values
    if tool.command == "inspect" and (topic := _TOPICS.get(values.get("what", ""))):
        command, own = topic
        rest = {name: values[name] for name in given - {"what"}}
        if command == "entities" and "name" in rest:
            rest = {"action": "show", "names": [rest.pop("name")], **rest}
        return command, {**own, **rest}
    return tool.command, values


# Topics of memory_inspect that are commands of their own.
_TOPICS: dict[str, tuple[str, dict[str, Any]]] = {
    "inbox": ("review", {"list_": True}),
    "ideas": ("ideas", {"action": "list"}),
    "projects": ("list", {"by": "project"}),
    "entities": ("entities", {}),
    "entity": ("entities", {"action": "show", "names": []}),
}


def _with_stdin(tool: Tool, arguments: Mapping[str, Any], context: Context) -> Context:
    """The context whose standard input is the argument that is meant for it."""
    given = [arguments.get(one.name) for one in tool.parameters if one.stdin]
    text = next((one for one in given if isinstance(one, str)), None)
    if text is None:
        return context
    return context._replace(read_stdin=lambda: text.encode("utf-8", "replace"))


def _in_vault(context: Context, values: dict[str, Any]) -> Context:
    """The context on the vault that a call names, which leaves the values.

    A name alone: a model must not choose a folder.
    """
    named = [*values.pop("vaults", ()), *filter(None, [values.pop("vault", None)])]
    if not named:
        return context
    from memcli.storage import known_vaults

    allowed = (
        known_vaults.PERSONAL,
        known_vaults.REPO,
        *known_vaults.configured(context.environ),
    )
    (name,) = named
    if name not in allowed:
        raise InvalidValue(
            f"no vault has the name {name[:60]!r}",
            hint=f"The names are: {', '.join(allowed)}.",
            code="invalid_vault",
        )
    return context._replace(vault=name)


def _failed(code: str, message: str, hint: str | None) -> Answer:
    error = {"code": code, "message": message, "hint": hint}
    return Answer(error={name: said for name, said in error.items() if said})


class _Lines:
    """A canvas that keeps the sentences of a command; its tables are in the data."""

    terminal = False

    def __init__(self) -> None:
        self.lines: list[str] = []

    def line(self, text: str = "", *, style: str = "") -> None:
        del style
        self.lines.append(text)

    def table(self, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        del header, rows
