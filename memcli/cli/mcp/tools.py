"""The commands as tools of an agent: parameters in, a command's own answer out.

Invariant: a tool runs the command of its use case with that command's values, so its
data is what `memcli ... --json` prints as `data`, without what says nothing: an entry
is active, a fact and not stale unless its row says otherwise. The answer is data or an
error with code, message and hint; a tool never raises. What a model may have meant is
read as that when it can mean nothing else: a list in one text, the singular of a name,
a word for a value. The rest is refused, never dropped: a filter dropped in silence
would be a wrong answer. What a model gave is made whole, never replaced.
"""

from __future__ import annotations

import json
import re

from memcli import declared
from memcli.cli import commands
from memcli.cli.mcp import answers, catalog
from memcli.cli.render import Bug
from memcli.entries import entry
from memcli.errors import InvalidValue, MemcliError, UsageError
from memcli.named_tuple import NamedTuple, encoded

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from memcli.cli.context import Context
    from memcli.cli.mcp.catalog import Tool
    from memcli.declared import Parameter


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
        if tool is catalog.memory_admin:
            return _admin(arguments, context)
        return _called(tool, arguments, context)
    except Exception as error:  # noqa: BLE001 a bug in one call must not end the rest
        if not isinstance(error, MemcliError):
            if context.environ.get("MEMCLI_DEBUG"):
                import traceback

                context.tell("".join(traceback.format_exception(error)))
            error = Bug(error)
        failed = {
            "code": error.code,
            "message": answers.reworded(error.message, tool.command),
            "hint": answers.reworded(error.hint or "", tool.command),
            "details": answers.shortened(encoded(error.details)),
        }
        return Answer(error={k: v for k, v in failed.items() if v or k == "message"})


def _called(tool: Tool, arguments: Mapping[str, Any], context: Context) -> Answer:
    values, own = _read(tool, arguments)
    vault = own.pop("vault", None)
    if context.vault and not vault:
        values.pop("personal_only", None)  # the server serves one vault alone
    context = _in_vault(context, vault)
    command, values = tool.run(values, **own)
    if stdin := values.pop("stdin", None):
        data = stdin.encode("utf-8", "replace")
        context = context._replace(read_stdin=lambda: data)
    commands.check_needs(command, values)
    result = commands.answer(command, context, values)
    notes = [
        f"warning: {answers.reworded(one, vault=vault)}" for one in result.warnings
    ]
    if tool.changes and not values.get("digest"):  # its data has all of the text
        shown = _Lines()
        result.text(shown)
        path = f" {result.data.get('path')}"
        notes = [one.removesuffix(path) for one in shown.lines] + notes
    return Answer(data=answers.lean(encoded(result.data)), notes=tuple(notes))


def _in_vault(context: Context, name: str | None) -> Context:
    """The context on the vault that a call names, by its name alone: a model must not
    choose a folder."""
    if not name:
        return context
    from memcli.storage import known_vaults

    name = name.removeprefix("team:")  # as rows name it
    allowed = known_vaults.names(context.environ)
    if name not in allowed:
        raise InvalidValue(
            f"no vault has the name {name[:60]!r}",
            hint=f"The names are: {', '.join(allowed)}.",
            code="invalid_vault",
        )
    return context._replace(vault=name)


class _Lines:
    """A canvas that keeps what a command says was done, and its hints.

    What else it draws is in the data; only hints name commands and flags.
    """

    terminal = False

    def __init__(self) -> None:
        self.lines: list[str] = []

    def line(self, text: str = "", *, style: str = "") -> None:
        if style == "hint":
            self.lines.append(answers.reworded(text))
        elif not self.lines:
            self.lines.append(text)

    def table(self, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        del header, rows


# --- memory_admin: the parameters that agents seldom need, by one tool ----------------


def _admin(arguments: Mapping[str, Any], context: Context) -> Answer:
    # Models write the tool's parameters beside the action, too.
    beside = dict(arguments)
    action = str(beside.pop("action", None) or "help").removeprefix("memory_")
    given = beside.pop("arguments", None) or {}
    if isinstance(given, str):
        given = _parsed(dict, given)
    if not isinstance(given, dict):
        raise InvalidValue(
            "'arguments' must be an object of parameters",
            hint='As in {"action": "recall", "arguments": {"query": "deploys"}}.',
            code="invalid_arguments",
        )
    if action == "help":
        rare = {name: tool.rare() for name, tool in catalog.ACTIONS.items()}
        return Answer(data={"actions": rare})
    if action not in catalog.ACTIONS:
        raise InvalidValue(
            f"memory_admin has no action {action[:60]!r}",
            hint=f"The actions are: {', '.join(catalog.ACTIONS)}, help.",
            code="invalid_action",
        )
    return call(catalog.ACTIONS[action], {**beside, **given}, context)


# --- the arguments that a client gives ------------------------------------------------


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in text.split())


# Other names that models give to what every tool calls otherwise.
_SYNONYMS = _pairs(
    "content=text memory=text body=text new_text=text question=query q=query "
    "search=query since=after start_date=after until=before end_date=before "
    "max_results=limit top_k=limit memory_id=id entry_id=id why=reason team=vault "
    "team_id=vault team_ids=vault"
)
_SINCE = frozenset({"since", "start_date"})
# Lists of single words, in which a comma can only part them.
_WORDS = frozenset({"tags", "untag", "kinds", "types", "layers", "statuses", "ids"})
# Words that models give for a value, where they can mean nothing else.
_KINDS = {
    **{f"{kind}{'es' if kind == 'fix' else 's'}": kind for kind in entry.KINDS},
    **_pairs("user_preference=preference todo=action"),
}
_TYPES = _pairs("user=person people=person projects=project tools=tool") | {
    f"{layer}s": str(layer) for layer in entry.Layer
}
_MEANT: Mapping[str, Mapping[str, str]] = {
    "budget": _pairs("medium=mid normal=mid default=mid small=low large=high"),
    "kinds": _KINDS,
    # A fact is a layer; a claim without a kind is a note.
    "kind": {**_KINDS, "fact": "note", "facts": "note"},
    **dict.fromkeys(("type", "types", "layers"), _TYPES),
    "project": _pairs("all=any *=any global=none"),
}
# What is saved for all projects holds everywhere; what is asked of all is in any.
_EVERYWHERE = dict.fromkeys(("global", "everywhere", "all", "any", "*"), "none")


def _read(
    tool: Tool, arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The command's values for a client's arguments, and the tool's own.

    Raises:
        InvalidValue, UsageError: an argument that the tool does not know, or a value
        that its parameter does not take.
    """
    known = tool.parameters()
    if "before" in known and _SINCE & arguments.keys():
        # "Since last month" lasts until now; "after last month" names that month alone.
        arguments = {"before": "now", **arguments}
    arguments = _respelled(arguments, known)
    values: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for name, value in arguments.items():
        if name not in known:
            message = f"{tool.name} has no parameter '{name}'"
            hint = entry.nearest(name, known) or _offered(tool)
            raise InvalidValue(message, hint=hint, code="unknown_field")
        # Some clients send every parameter, null where the model gave none.
        if value is None:
            continue
        one = known[name]
        if name == "answers" and isinstance(value, list):
            value = "\n".join(json.dumps(item) for item in value)
        checked = _meant(tool.command, name, _checked(name, one, value))
        if one.repeat and not isinstance(checked, list):
            checked = [checked]
        if name == "vault" or name in tool.own:
            own[name] = checked
        else:
            values[one.name] = checked
    if tool.required and not str(arguments.get(tool.required) or "").strip():
        raise UsageError(f"{tool.name} needs '{tool.required}'", hint=_offered(tool))
    return values, own


def _spelled(name: str, known: Collection[str]) -> str:
    """The parameter that a name means: itself, its plural or singular, a synonym."""
    plural = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    singular = f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")
    for other in (name, plural, f"{name}es", singular, _SYNONYMS.get(name, "")):
        if other in known:
            return other
    return name


def _respelled(arguments: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """The arguments by the parameters' own names, none of them given twice."""
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        own = _spelled(name, known)
        # What would take the place of another argument is refused as it is.
        found[name if own in arguments or own in found else own] = value
    return found


def _parsed(kind: type, value: str) -> Any:
    """A number, a truth value, a list or an object that a model wrote as a string."""
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


def _checked(name: str, one: Parameter, value: Any) -> Any:
    """The value, of the kind that the parameter takes; InvalidValue if it is not."""
    kind = list if catalog.is_list(one) else one.kind
    if isinstance(value, str) and kind in (int, bool, list):
        value = _parsed(kind, value)
    if kind is int and type(value) is float and value.is_integer():
        value = int(value)  # 5.0 is a whole number in JSON
    if name == "vault" and isinstance(value, list) and len(value) == 1:
        value = value[0]  # as of team_ids
    if kind is list and isinstance(value, str):
        words = [word.strip() for word in value.split(",") if word.strip()]
        value = words if name in _WORDS and "," in value else [value]
    if name != "response_schema":
        declared.check(one._replace(repeat=kind is list), value, name)
    return value


def _offered(tool: Tool) -> str:
    return f"It has: {', '.join(tool.shown.replace('!', '').split())}."


def _meant(command: str, name: str, value: Any) -> Any:
    """A checked value, its words as what they mean for this parameter."""
    if isinstance(value, list):
        return [_meant(command, name, item) for item in value]
    if not isinstance(value, str):
        return value
    words = _MEANT.get(name, {})
    if name == "project" and command in ("save", "evolve"):
        words = _EVERYWHERE
    return words.get(value.strip().lower(), value)
