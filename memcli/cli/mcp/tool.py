"""A tool: the words that a model chooses it by, and the command behind it."""

from __future__ import annotations

from types import MappingProxyType

from memcli.cli.mcp.parameters import Parameter, described
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class Tool(NamedTuple):
    """A tool: the words that a model chooses it by, and the command behind it.

    `finish` makes the command's values whole, or refuses them with UsageError. `moved`
    says of the names that earlier versions had what to give instead.
    """

    name: str
    command: str
    description: str
    parameters: tuple[Parameter, ...]
    finish: Callable[[dict[str, Any]], None]
    changes: bool = False
    moved: Mapping[str, str] = MappingProxyType({})

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

    def whole(self) -> Tool:
        """The tool that shows its rare parameters, too."""
        every = tuple(one._replace(rare=False) for one in self.parameters)
        return self._replace(parameters=every)
