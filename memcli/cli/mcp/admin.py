"""memory_admin: the parameters that agents seldom need, by one tool.

Invariant: it runs the other tools with all their parameters, and nothing else; what
they refuse, it refuses. Without arguments it says which parameters an action takes.
"""

from __future__ import annotations

from memcli.cli.mcp import arguments as given_arguments
from memcli.cli.mcp import catalog, tools
from memcli.cli.mcp.parameters import Parameter, described
from memcli.cli.mcp.tool import Tool
from memcli.cli.mcp.tools import Answer
from memcli.errors import InvalidValue, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memcli.cli.context import Context

ACTIONS = {tool.name.removeprefix("memory_"): tool for tool in catalog.TOOLS}

ADMIN = Tool(
    "memory_admin",
    "",
    "The other tools with rare parameters: recall history, as_of, types, explain, "
    "useful, not_useful (ids that helped or misled); save layer, cite, visibility; "
    "evolve untag, also; resolve kinds; review kind, all; vault. Call it with "
    "action help for their names. Not for what the tools show.",
    (
        Parameter("action", choices=(*ACTIONS, "help"), required=True),
        Parameter("arguments", "All of the call", kind=dict),
    ),
    lambda _values: None,
    changes=True,
)

SERVED: Sequence[Tool] = (*catalog.TOOLS, ADMIN)
"""What a client sees."""


def call(tool: Tool, arguments: Mapping[str, Any], context: Context) -> Answer:
    """Run a tool that a client named; never raises."""
    if tool.name != ADMIN.name:
        return tools.call(tool, arguments, context)
    return tools.guarded(lambda: _run(arguments, context), context)


def _run(arguments: Mapping[str, Any], context: Context) -> Answer:
    named = arguments.get("action") or "help"
    action = named.removeprefix("memory_") if isinstance(named, str) else ""
    chosen = ACTIONS.get(action)
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
        about = ACTIONS.get(str(wanted).removeprefix("memory_"))
        if wanted is not None and about is None:
            raise _no_action(wanted)
        return Answer(data=_help(about) if about else _names())
    if chosen is None:
        raise _no_action(named)
    if not given and any(one.required for one in chosen.parameters):
        raise UsageError(
            f"{action} needs arguments",
            hint="Call memory_admin with the action help for the parameters.",
        )
    return tools.call(chosen, given, context)


def _no_action(named: Any) -> InvalidValue:
    return InvalidValue(
        f"memory_admin has no action {str(named)[:60]!r}",
        hint=f"The actions are: {', '.join(ACTIONS)}, help.",
        code="invalid_action",
    )


def _names() -> dict[str, Any]:
    """The names of the rare parameters of each action."""
    return {
        "actions": {
            action: [one.name for one in tool.parameters if one.rare]
            for action, tool in ACTIONS.items()
        },
        "also": "every parameter of the tool of the same name",
        "more": 'what they are: arguments {"action": "recall"}, or another of these',
    }


def _help(tool: Tool) -> dict[str, Any]:
    """The rare parameters of an action, with what they are."""
    return {
        "actions": {
            tool.name.removeprefix("memory_"): {
                one.name: described(one, tool.command)
                for one in tool.parameters
                if one.rare
            }
        },
        "also": "every parameter of the tool of the same name",
    }
