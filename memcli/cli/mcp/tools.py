"""The commands as tools of an agent: parameters in, a command's own answer out.

Invariant: a tool runs the command of its use case with that command's values, so its
data is what `memcli ... --json` prints as `data` (`answers` then leaves out what says
nothing). The answer is data or an error with code, message and hint; a tool never
raises.
"""

from __future__ import annotations

from memcli.cli import commands, flags
from memcli.cli.mcp import answers, catalog
from memcli.cli.mcp import arguments as given_arguments
from memcli.errors import InvalidValue, MemcliError, UsageError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memcli.cli.context import Context
    from memcli.cli.mcp.catalog import Tool


class Answer(NamedTuple):
    """The answer to a call: `data`, or `error` with code, message and hint.

    `notes` are sentences: what was done, and the command's warnings.
    """

    data: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()
    error: dict[str, Any] | None = None


def call(tool: Tool, arguments: Mapping[str, Any], context: Context) -> Answer:
    """Run a tool with a client's arguments; never raises."""
    try:
        if tool is catalog.ADMIN:
            return _admin(arguments, context)
        return _called(tool, arguments, context)
    except MemcliError as error:
        failed = _failed(
            error.error_code,
            answers.reworded(error.message, tool),
            error.hint and answers.reworded(error.hint, tool),
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
    values, stdin = given_arguments.values(tool, arguments)
    if stdin is not None:
        data = stdin.encode("utf-8", "replace")
        context = context._replace(read_stdin=lambda: data)
    context = _in_vault(context, values)
    command, values = catalog.command_of(tool, values)
    flags.check_needs(command, values)
    result = commands.answer(command, context, values)
    notes = [f"warning: {answers.with_tools(one)}" for one in result.warnings]
    if tool.changes and not values.get("digest"):  # its data has all of the text
        shown = _Lines(tool)
        result.text(shown)
        path = f" {result.data.get('path')}"
        notes = [one.removesuffix(path) for one in shown.lines] + notes
    return Answer(data=answers.lean(result.data), notes=tuple(notes))


def _in_vault(context: Context, values: dict[str, Any]) -> Context:
    """The context on the vault that a call names, which leaves the values.

    A name alone: a model must not choose a folder.
    """
    name = values.pop("vault", None)
    if not name:
        return context
    from memcli.storage import known_vaults

    name = name.removeprefix("team:")  # as rows name it
    allowed = (
        known_vaults.PERSONAL,
        known_vaults.REPO,
        *known_vaults.configured(context.environ),
    )
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
    """A canvas that keeps what a command says was done, and its hints.

    What else it draws is in the data; only hints name commands and flags.
    """

    terminal = False

    def __init__(self, tool: Tool) -> None:
        self.lines: list[str] = []
        self._tool = tool

    def line(self, text: str = "", *, style: str = "") -> None:
        if style == "hint":
            self.lines.append(answers.reworded(text, self._tool))
        elif not self.lines:
            self.lines.append(text)

    def table(self, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        del header, rows


# --- memory_admin: the parameters that agents seldom need, by one tool ----------------


def _admin(arguments: Mapping[str, Any], context: Context) -> Answer:
    named = arguments.get("action") or "help"
    action = named.removeprefix("memory_") if isinstance(named, str) else ""
    chosen = catalog.ACTIONS.get(action)
    given = given_arguments.as_object(arguments.get("arguments"))
    if given is None:
        raise InvalidValue(
            "'arguments' must be an object of parameters",
            hint='As in {"action": "recall", "arguments": {"query": "deploys"}}.',
            code="invalid_arguments",
        )
    # Models write the tool's parameters beside the action, too.
    beside = {k: v for k, v in arguments.items() if k not in ("action", "arguments")}
    given = {**beside, **given}
    if action == "help":
        wanted = given.get("action")
        about = catalog.ACTIONS.get(str(wanted).removeprefix("memory_"))
        if wanted is not None and about is None:
            raise _no_action(wanted)
        return Answer(data=_help(about))
    if chosen is None:
        raise _no_action(named)
    if not given and chosen.required:
        raise UsageError(
            f"{action} needs arguments",
            hint="Call memory_admin with the action help for the parameters.",
        )
    return call(chosen, given, context)


def _no_action(named: Any) -> InvalidValue:
    return InvalidValue(
        f"memory_admin has no action {str(named)[:60]!r}",
        hint=f"The actions are: {', '.join(catalog.ACTIONS)}, help.",
        code="invalid_action",
    )


def _help(about: Tool | None) -> dict[str, Any]:
    """The rare parameters of an action with what they are; the names of all."""
    also = "every parameter of the tool of the same name"
    if about is not None:
        return {
            "actions": {about.name.removeprefix("memory_"): about.rare()},
            "also": also,
        }
    return {
        "actions": {
            action: list(tool.rare()) for action, tool in catalog.ACTIONS.items()
        },
        "also": also,
        "more": 'what they are: arguments {"action": "recall"}, or another of these',
    }
