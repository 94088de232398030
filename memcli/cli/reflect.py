"""`memcli reflect`: what is known about a question."""

from typing import Any

from memcli.cli.spec import Argument, Command, Context, Option, Result
from memcli.errors import UsageError

_HELP = """Gather what answers a question, and say how far to trust it

    Models first, then observations, then facts, each as recall ranks them; with what
    is missing, what disagrees, what was left out and what to ask next. No model is
    called: whoever reads it writes the answer.

    \b
    Example:
      memcli reflect "what do we know about the payment tests?" --budget high --json
    """

_PARAMETERS = (
    Argument("query", "Words or a question", repeat=True, metavar="[QUERY]..."),
    Option(
        "budget",
        ("--budget",),
        str,
        "How much to gather and how far to look",
        default="mid",
        choices=("low", "mid", "high"),
    ),
    Option(
        "limit",
        ("--limit",),
        int,
        "Facts at most, models first (low 9, mid 17, high 34)",
        metavar="N",
    ),
    Option("kind", ("--kind",), str, "Only this kind; repeatable", repeat=True),
    Option(
        "type",
        ("--type",),
        str,
        "Only about this type of thing; repeatable",
        repeat=True,
    ),
    Option("tag", ("--tag",), str, "Only with this tag; repeatable", repeat=True),
    Option(
        "tags_match",
        ("--tags-match",),
        str,
        "How tags filter; without _strict untagged entries pass",
        default="any",
        choices=("any", "all", "any_strict", "all_strict"),
    ),
    Option(
        "entity", ("--entity",), str, "Only about this entity; repeatable", repeat=True
    ),
    Option(
        "after",
        ("--after",),
        str,
        "Only at or after: 2026-05, 7d, yesterday",
        metavar="WHEN",
    ),
    Option("before", ("--before",), str, "Only before", metavar="WHEN"),
    Option(
        "at",
        ("--at",),
        str,
        "The moment that relative words count from",
        metavar="WHEN",
    ),
    Option(
        "response_schema",
        ("--response-schema",),
        str,
        "Deprecated: accepted and ignored",
        metavar="JSON",
    ),
)


def run(context: Context, **values: Any) -> Result:
    """Answer a question."""
    # Quotes around a question are for the shell, not for us.
    values["query"] = " ".join(values["query"])
    if values["query"].strip():
        from memcli.cli import reflect_query

        return reflect_query.answer(context, values)
    raise UsageError(
        "there is no question",
        hint='Ask one: memcli reflect "what do we know about the payment tests?"',
    )


COMMAND = Command("reflect", _HELP, _PARAMETERS, run)
