"""Options that several commands share, as names for their annotations."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated, Literal, TypedDict

    from memcli.declared import Argument, Field, Option
else:
    from memcli.declared import (
        Annotated,
        Argument,
        Field,
        Literal,
        Option,
        TypedDict,
    )


class Everywhere(TypedDict, total=False):
    """The options of every command, before its name or behind it."""

    set: Annotated[
        list[str] | None,
        Option(
            "--set", metavar="FIELD=VALUE", help="A field of those above; repeatable"
        ),
    ]
    vault: Annotated[
        str | None,
        Option(
            "--vault",
            "-v",
            metavar="PATH",
            help="A vault's folder, or its name",
            hidden=True,
        ),
    ]
    json: Annotated[bool, Option("--json", help="Print one JSON document", hidden=True)]
    header: Annotated[
        bool,
        Option(
            "--header", help="Name the columns of tables, also on a pipe", hidden=True
        ),
    ]
    agent: Annotated[
        str | None,
        Option(
            "--agent",
            metavar="NAME",
            help="The agent that asks and writes (MEMCLI_AGENT); without it, the owner",
            hidden=True,
        ),
    ]


# --- the entry that is meant ----------------------------------------------------------

EntryId = Annotated[
    str,
    Argument(metavar="ID", help="Its id, a prefix of it, its path, or its file's name"),
]
Ids = Annotated[
    list[str],
    Argument(metavar="ID...", help="Ids, prefixes, paths, or names of files"),
]

# --- what changes things --------------------------------------------------------------

Yes = Annotated[bool, Option("--yes", help="Act without asking")]
DryRun = Annotated[
    bool, Option("--dry-run", help="Show what would happen, and change nothing")
]
AllowSecret = Annotated[
    bool, Option("--allow-secret", help="Save text that looks like a secret")
]
File = Annotated[
    str | None,
    Option("--file", metavar="PATH", help="Read the text from a file, - for stdin"),
]
Title = Annotated[str | None, Option("--title", metavar="TITLE", help="Its title")]
Kind = Annotated[str | None, Option("--kind", "-k", metavar="KIND", help="Its kind")]
NewTags = Annotated[
    list[str] | None,
    Option("--tag", "-t", metavar="TAG", help="A tag to add; repeatable"),
]
Cite = Annotated[
    list[str] | None,
    Option(
        "--cite",
        metavar="ID",
        help="An entry that an observation or model rests on; repeatable",
    ),
]
CiteResearch = Annotated[
    str | None,
    Option(
        "--research",
        metavar="NAME",
        help="Cite only what this research run retrieved",
    ),
]
Reason = Annotated[str | None, Option("--reason", metavar="REASON", help="Why")]

# --- where a question goes, and what it is narrowed by --------------------------------

Words = Annotated[
    list[str] | None,
    Argument(metavar="[QUERY]...", help="Words or a question; - reads it from stdin"),
]
Vaults = Annotated[
    list[str] | None,
    Option(
        "--vault",
        "-v",
        metavar="PATH",
        help="Only this vault, by its folder or name; repeatable",
    ),
]
PersonalOnly = Annotated[bool, Field("", "Only your default vault, no team's")]
Research = Annotated[
    str | None,
    Option(
        "--research",
        metavar="NAME",
        help="Count this search in a research run and record its results",
    ),
]
OfProject = Annotated[
    str | None,
    Option(
        "--project",
        "-p",
        metavar="NAME",
        help="Only of this project; or here, none (everywhere) or any",
    ),
]
ExitCode = Annotated[
    bool, Option("--exit-code", help="Exit with 1 when nothing is found, for scripts")
]

# --- agent hosts ----------------------------------------------------------------------

Scope = Annotated[
    Literal["user", "project"],
    Option("--scope", help="Your own settings, or those of the project"),
]
