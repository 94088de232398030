"""`memcli inspect`: everything memcli knows, and why.

Door: `inspect`; each topic is the function of its own name in the module of its name.
Not in here: changes. What mends or decides is a command of its own.
"""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated

    from memcli.cli import options
    from memcli.cli.context import Context, Result
    from memcli.cli.declared import Argument, Option

# Each topic with the parameters that it takes. A topic wins over an id that starts
# with it. Most hold a letter that no id has (i, l, o, u); "agents" and "research" do
# not, and no id starts so before the year 2318.
TOPICS = {
    "reflections": (),
    "models": ("stale", "project"),
    "research": ("name",),
    "mining": ("name",),
    "sessions": (),
    "agents": (),
    "vaults": (),
    "index": (),
    "lint": (),
}


def inspect(
    context: Context,
    what: Annotated[
        str | None,
        Argument(
            metavar="[WHAT]",
            help="An id (or a prefix of it, a path, a file's name), "
            "reflections, models, research, mining, sessions, agents, vaults, index, "
            "or lint",
        ),
    ] = None,
    name: Annotated[
        str | None,
        Argument(
            metavar="[NAME]",
            help="With mining: one session; with research: one run",
        ),
    ] = None,
    *,
    stale: Annotated[
        bool, Option("--stale", help="With models: only stale ones")
    ] = False,
    project: options.OfProject = None,
) -> Result:
    """Show what the vault holds, one entry in full, or what is wrong

    Without a word: an overview and the lint of the whole vault; exits with 1 when
    something is broken. With an id: its fields, versions, history, links, and whether
    recall may show it. memcli doctor --fix mends what needs no guess.

    \b
    Example:
      memcli inspect
      memcli inspect 1m7xvn68xtqp
      memcli inspect reflections
      memcli inspect models --stale
      memcli inspect mining
      memcli inspect sessions
      memcli inspect lint --json
    """
    from importlib import import_module

    what = (what or "").strip()
    given = {"stale": stale, "name": name, "project": project}
    takes = TOPICS.get(what, ())
    for parameter, value in given.items():
        if value and parameter not in takes:
            raise _not_taken(what, parameter, str(value))
    if what in TOPICS:
        topic = getattr(import_module(f"memcli.cli.inspect.{what}"), what)
        result: Result = topic(context, **{each: given[each] for each in takes})
        return result
    if not what:
        from memcli.cli.inspect.overview import overview

        return overview(context)
    from memcli.cli.inspect.entry import entry

    return entry(context, what, TOPICS)


def _not_taken(what: str, parameter: str, value: str) -> UsageError:
    topics = [topic for topic, takes in TOPICS.items() if parameter in takes]
    if parameter == "name":
        return UsageError(
            f"inspect {what} takes no argument",
            hint=f"Drop '{value}'; a second word goes with {', '.join(topics)}.",
        )
    return UsageError(f"--{parameter} belongs to: memcli inspect {' or '.join(topics)}")
