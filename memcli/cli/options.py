"""Options that several commands share, as names for their annotations."""

from __future__ import annotations

from memcli.cli.declared import Option

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated, Literal
else:
    from memcli.cli.declared import Annotated, Literal

# --- every command --------------------------------------------------------------------

Vault = Annotated[
    str | None,
    Option(
        "--vault",
        "-v",
        metavar="PATH",
        help="A vault's folder, or its name",
        hidden=True,
    ),
]
Json = Annotated[bool, Option("--json", help="Print one JSON document", hidden=True)]
Header = Annotated[
    bool,
    Option("--header", help="Name the columns of tables, also on a pipe", hidden=True),
]
Agent = Annotated[
    str | None,
    Option(
        "--agent",
        metavar="NAME",
        help="The agent that asks and writes (MEMCLI_AGENT); without it, the owner",
        hidden=True,
    ),
]
EVERYWHERE = {"json": Json, "header": Header, "agent": Agent}
Set = Annotated[
    list[str] | None,
    Option("--set", metavar="FIELD=VALUE", help="A field of those above; repeatable"),
]

# --- what changes things --------------------------------------------------------------

Yes = Annotated[bool, Option("--yes", help="Act without asking")]
DryRun = Annotated[
    bool, Option("--dry-run", help="Show what would happen, and change nothing")
]
AcceptDeletions = Annotated[
    bool,
    Option(
        "--accept-deletions",
        help="Commit missing files as deleted and older ones as they are, instead of "
        "restoring them",
    ),
]
AllowSecret = Annotated[
    bool, Option("--allow-secret", help="Save text that looks like a secret")
]

# --- the fields of an entry -----------------------------------------------------------

File = Annotated[
    str | None,
    Option("--file", metavar="PATH", help="Read the text from a file, - for stdin"),
]
Title = Annotated[
    str | None,
    Option(
        "--title",
        metavar="TITLE",
        help="Its title; without one its first heading or clause",
    ),
]
Kind = Annotated[
    str | None,
    Option(
        "--kind",
        "-k",
        metavar="KIND",
        help="Its kind: note, preference, workflow, fix, decision, ...",
    ),
]
Type = Annotated[
    str | None,
    Option(
        "--type", metavar="TYPE", help="What it is about: person, project, tool, ..."
    ),
]
Enforce = Annotated[
    Literal["ask", "deny"] | None,
    Option(
        "--enforce",
        help="Before a tool that it is about: let the host ask, or refuse",
    ),
]
NewTags = Annotated[
    list[str] | None,
    Option("--tag", "-t", metavar="TAG", help="A tag to add, or key:value; repeatable"),
]
Asked = Annotated[
    list[str] | None,
    Option(
        "--asked",
        metavar="PHRASE",
        help="Other words that a question may use; repeatable, up to 8",
    ),
]
NewEntities = Annotated[
    list[str] | None,
    Option(
        "--entity",
        metavar="ENTITY",
        help="An entity it is about; repeatable",
    ),
]
Project = Annotated[
    str | None,
    Option(
        "--project",
        "-p",
        metavar="NAME",
        help="The project in which it holds; here, or none for everywhere",
    ),
]
Code = Annotated[
    list[str] | None,
    Option(
        "--code",
        metavar="PATH[:FROM-TO]",
        help="A file of this project, or lines of it, that it speaks of; repeatable",
    ),
]
OccurredAt = Annotated[
    str | None,
    Option(
        "--occurred-at",
        metavar="DATE",
        help="When it happened: 2026, 2026-11, 2026-11-21, yesterday, 3d, ...",
    ),
]
ExpiresAt = Annotated[
    str | None,
    Option(
        "--expires-at",
        metavar="DATE",
        help="Not shown from this date on: 2026-12-24, 30d (in 30 days), ...",
    ),
]
Subtype = Annotated[
    str | None,
    Option(
        "--subtype",
        metavar="SUBTYPE",
        help="Of a model: structural, emergent, or pinned (kept by people)",
    ),
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

# --- how a question is read -----------------------------------------------------------

Exact = Annotated[
    bool,
    Option("--exact", help="The words as typed: no other spelling, name or near word"),
]

# --- what a question is narrowed by ---------------------------------------------------

Vaults = Annotated[
    list[str] | None,
    Option(
        "--vault",
        "-v",
        metavar="PATH",
        help="Only this vault, by its folder or name; repeatable",
    ),
]
PersonalOnly = Annotated[
    bool, Option("--personal-only", help="Only your default vault, no team's")
]
Budget = Annotated[
    Literal["low", "mid", "high"] | None,
    Option("--budget", help="How much to return and how far to look; mid if not given"),
]
Research = Annotated[
    str | None,
    Option(
        "--research",
        metavar="NAME",
        help="Count this search in a research run and record its results",
    ),
]
Kinds = Annotated[
    list[str] | None,
    Option("--kind", "-k", metavar="KIND", help="Only this kind; repeatable"),
]
Types = Annotated[
    list[str] | None,
    Option(
        "--type",
        metavar="TYPE",
        help="Only about this type of thing, or of this layer; repeatable",
    ),
]
Layers = Annotated[
    list[str] | None,
    Option(
        "--layer",
        metavar="LAYER",
        help="Only fact, observation or model; repeatable",
    ),
]
Statuses = Annotated[
    list[str] | None,
    Option(
        "--status",
        metavar="STATUS",
        help="Only this status instead of active; repeatable",
    ),
]
History = Annotated[bool, Option("--history", help="Superseded versions as well")]
Tags = Annotated[
    list[str] | None,
    Option("--tag", "-t", metavar="TAG", help="Only with this tag; repeatable"),
]
TagsMatch = Annotated[
    Literal["any", "all", "any_strict", "all_strict", "any_or_untagged"],
    Option(
        "--tags-match",
        help="any or all of the tags; untagged entries pass too, but not with _strict",
    ),
]
Entities = Annotated[
    list[str] | None,
    Option("--entity", metavar="ENTITY", help="Only about this entity; repeatable"),
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
After = Annotated[
    str | None,
    Option(
        "--after",
        metavar="WHEN",
        help="Dated on or after WHEN: 2026-05, 7d; 'last week' without --before means "
        "that week only",
    ),
]
Before = Annotated[
    str | None, Option("--before", metavar="WHEN", help="Dated before WHEN")
]
At = Annotated[
    str | None,
    Option("--at", metavar="WHEN", help="The moment that relative words count from"),
]

ExitCode = Annotated[
    bool, Option("--exit-code", help="Exit with 1 when nothing is found, for scripts")
]

# --- agent hosts ----------------------------------------------------------------------

Scope = Annotated[
    Literal["user", "project"],
    Option("--scope", help="Your own settings, or those of the project"),
]
