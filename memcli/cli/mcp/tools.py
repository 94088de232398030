"""The commands as tools of an agent: parameters in, a command's own answer out.

Invariant: a tool runs the command of its use case with that command's values, so its
data is what `memcli ... --json` prints as `data` (`answers` then leaves out what says
nothing). Whatever happens inside, the answer is data or an error with code, message and
hint; a tool never raises. A parameter that it does not know is refused: a filter
dropped in silence would be a wrong answer.
"""

import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from memcli.cli import commands, flags
from memcli.cli.context import Context
from memcli.cli.mcp import answers
from memcli.errors import InvalidValue, MemcliError, UsageError


class Parameter(NamedTuple):
    """A tool's parameter, which becomes the command's flag of the same name.

    `to` names another flag, or an argument. The rest is as the command has it.
    `choices` are shown to the client; the command itself refuses anything else. `kind`
    is `list` for several strings, `dict` for an object, `object` for anything.
    `default` is what the tool's `finish` fills in where it is not the command's own
    default. A `rare` parameter is not shown with the tool: memory_admin takes it. An
    empty `help` leaves the name to speak for itself. What is `stdin` is the command's
    standard input, where its flag names a file.
    """

    name: str
    help: str = ""
    to: str = ""
    required: bool = False
    choices: tuple[str, ...] = ()
    kind: type | None = None
    deprecated: bool = False
    default: str | bool | None = None
    rare: bool = False
    stdin: bool = False


class Tool(NamedTuple):
    """A tool: the words that a model chooses it by, and the command behind it.

    `finish` makes the command's values whole, or refuses them with UsageError. `moved`
    says of the names that earlier versions had what to give instead. `without` names
    parts of the data that the rest says again.
    """

    name: str
    command: str
    description: str
    parameters: tuple[Parameter, ...]
    finish: Callable[[dict[str, Any]], None]
    changes: bool = False
    moved: Mapping[str, str] = MappingProxyType({})
    without: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the parameters that a client is shown."""
        shown = [parameter for parameter in self.parameters if not parameter.rare]
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {
                parameter.name: described(parameter, self.command)
                for parameter in shown
            },
        }
        required = [parameter.name for parameter in shown if parameter.required]
        return {**schema, "required": required} if required else schema

    def whole(self) -> "Tool":
        """The tool with its rare parameters, as memory_admin calls it."""
        every = tuple(one._replace(rare=False) for one in self.parameters)
        return self._replace(parameters=every)


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
    arguments = _as_lines(tool, arguments)
    values = _values(tool, arguments)
    context = _in_vault(_with_stdin(tool, arguments, context), values)
    result = commands.answer(tool.command, context, values)
    notes = [f"warning: {answers.with_tools(one)}" for one in result.warnings]
    if tool.changes and not values.get("digest"):  # its data has all of the text
        shown = _Lines()
        result.text(shown)
        notes = [answers.note(line) for line in shown.lines] + notes
    data = {k: v for k, v in result.data.items() if k not in tool.without}
    return Answer(data=answers.shortened(data), notes=tuple(notes))


def _as_lines(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments; a list for what is read as lines becomes JSON, an item a line."""
    lines = {one.name for one in tool.parameters if one.stdin}
    return {
        name: "\n".join(json.dumps(item) for item in value)
        if name in lines and isinstance(value, list)
        else value
        for name, value in arguments.items()
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
    return Answer(error={"code": code, "message": message, "hint": hint})


class _Lines:
    """A canvas that keeps what a command says for eyes."""

    terminal = False

    def __init__(self) -> None:
        self.lines: list[str] = []

    def line(self, text: str = "", *, style: str = "") -> None:
        del style
        self.lines.append(text)

    def table(self, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        del header
        self.lines += ["\t".join(row) for row in rows]


# --- what a client gives, and what a command takes ----------------------------------


def _values(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    known = {one.name: one for one in tool.parameters if not one.rare}
    arguments = _respelled(arguments, known)
    values: dict[str, Any] = {}
    given: dict[str, str] = {}
    for name, value in arguments.items():
        if name not in known:
            raise _unknown(tool, name)
        # Some clients send every parameter, null where the model gave none.
        if value is None:
            continue
        target, kind, repeat, _ = _target(known[name], tool.command)
        checked = _checked(known[name], kind, value)
        other = given.setdefault(target, name)
        if repeat:
            items = checked if isinstance(checked, list) else [checked]
            values[target] = [*values.get(target, ()), *items]
        elif known[name].stdin:
            values[target] = "-"
        elif other != name:
            raise UsageError(f"give '{other}' or '{name}', not both")
        else:
            values[target] = checked
    missing = [
        parameter.name
        for parameter in tool.parameters
        if parameter.required and not str(arguments.get(parameter.name) or "").strip()
    ]
    if missing:
        raise UsageError(f"{tool.name} needs '{missing[0]}'")
    tool.finish(values)
    return values


# Other names that models give to what every tool calls otherwise.
_SYNONYMS = {
    "content": "text",
    "memory": "text",
    "body": "text",
    "question": "query",
    "since": "after",
    "until": "before",
    "max_results": "limit",
    "top_k": "limit",
}
# Lists of single words, in which a comma can only part them.
_WORDS = frozenset({"tags", "untag", "kinds", "types", "statuses", "ids"})


def _spelled(name: str, known: Mapping[str, Parameter]) -> str:
    """The parameter that a name means: itself, its plural or singular, a synonym."""
    if name in known:
        return name
    plural = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    singular = f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")
    for other in (plural, f"{name}es", singular, _SYNONYMS.get(name, "")):
        if other in known:
            return other
    return name


def _respelled(
    arguments: Mapping[str, Any], known: Mapping[str, Parameter]
) -> dict[str, Any]:
    """The arguments by the parameters' own names, none of them given twice."""
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        own = _spelled(name, known)
        # What would take the place of another argument is refused as it is.
        found[name if own in arguments or own in found else own] = value
    return found


def _meant(kind: type, value: Any) -> Any:
    """A number, a truth value or a list that a model wrote as a string, as itself."""
    if not isinstance(value, str) or kind not in (int, bool, list):
        return value
    text = value.strip()
    if kind is int and not re.fullmatch(r"-?[0-9]{1,9}", text):
        return value
    if kind is bool:
        return {"true": True, "false": False}.get(text.lower(), value)
    if kind is list and not text.startswith("["):
        return value
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return value


def _checked(parameter: Parameter, kind: type, value: Any) -> Any:
    """The value, of the kind that the parameter takes; InvalidValue if it is not."""
    value = _meant(kind, value)
    if kind is list:
        items = [value] if isinstance(value, str) else value
        if parameter.name in _WORDS and isinstance(value, str) and "," in value:
            items = [word.strip() for word in value.split(",") if word.strip()]
        if not isinstance(items, list) or any(type(item) is not str for item in items):
            raise _wrong(parameter, value, "a list of strings")
        return items
    if kind is int:
        # 5.0 is a whole number in JSON; true is not, though it is one in Python.
        if type(value) is float and value.is_integer():
            return int(value)
        if type(value) is not int:
            raise _wrong(parameter, value, "a whole number")
    elif kind is bool:
        if type(value) is not bool:
            raise _wrong(parameter, value, "true or false")
    elif kind is str and type(value) is not str:
        raise _wrong(parameter, value, "a string")
    return value


def _unknown(tool: Tool, name: str) -> MemcliError:
    from difflib import get_close_matches

    message = f"{tool.name} has no parameter '{name}'"
    shown = [one.name for one in tool.parameters if not one.rare]
    every = {one.name: one for one in tool.parameters}
    meant = _spelled(name, every)
    near = get_close_matches(name, [*shown, *every], 1)
    if name in tool.moved:
        hint = tool.moved[name]
    elif meant in every and every[meant].rare:
        action = tool.name.removeprefix("memory_")
        hint = (
            f"memory_admin takes '{meant}': give it action '{action}', and all "
            "parameters of this call as arguments."
        )
    elif near:
        hint = f"Did you mean '{near[0]}'?"
    else:
        hint = f"It has: {', '.join(shown)}."
    return InvalidValue(message, hint=hint, code="unknown_field")


def _wrong(parameter: Parameter, given: Any, wanted: str) -> MemcliError:
    shown = repr(given)
    shown = shown if len(shown) <= 60 else f"{shown[:60]}..."
    return InvalidValue(
        f"'{parameter.name}' must be {wanted} (got {shown})",
        code=f"invalid_{parameter.name}",
    )


def _target(
    parameter: Parameter, command: str
) -> tuple[str, type, bool, tuple[str, ...]]:
    """Where a parameter goes: (parameter, kind, whether it repeats, choices)."""
    flag = parameter.to or f"--{parameter.name.replace('_', '-')}"
    if not command:
        return parameter.name, parameter.kind or str, False, parameter.choices
    if flag in flags.FLAGS[command]:
        target, kind, repeat, choices = flags.FLAGS[command][flag]
        kind = list if repeat else kind
    else:
        words = {word[0]: word for word in flags.WORDS[command]}
        target, _, repeat, choices = words[parameter.to or parameter.name]
        kind = str
    return target, parameter.kind or kind, repeat, parameter.choices or choices


def described(parameter: Parameter, command: str) -> dict[str, Any]:
    """The JSON Schema of one parameter."""
    names = {str: "string", int: "integer", float: "number", bool: "boolean"}
    names[dict] = "object"
    _, kind, _, allowed = _target(parameter, command)
    choices = list(allowed)
    value: dict[str, Any] = {} if kind is object else {"type": names.get(kind, "array")}
    if kind is list:
        value["items"] = {"type": "string"}
        if choices:
            value["items"]["enum"] = choices
    elif choices:
        value["enum"] = choices
    if parameter.default is not None:
        value["default"] = parameter.default
    if parameter.deprecated:
        value["deprecated"] = True
    return {**value, "description": parameter.help} if parameter.help else value


def as_object(value: Any) -> dict[str, Any] | None:
    """An object of parameters, also one that a model wrote as a string, or None."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if value is None:
        return {}
    return value if isinstance(value, dict) else None
