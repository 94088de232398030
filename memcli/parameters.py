"""The filters of a question and the fields of a memory, declared once.

Invariant: a parameter stands here in one place. Its flag, its key in a line of a batch,
the parameter of the MCP tool and the option of Python are read from it; its meaning is
in `recall.query.from_words`, or it is the field of an entry of the same name.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Annotated, Any, Literal, TypedDict

    from memcli.declared import Field, Option
else:
    from memcli.declared import TypedDict

_KIND = ("--kind", "-k")
_TAG = ("--tag", "-t")
_PROJECT = ("--project", "-p")


class Selection(TypedDict, total=False):
    """Filters by what an entry is."""

    kinds: Annotated[
        Sequence[str] | None,
        Option(*_KIND, metavar="KIND", help="Only this kind; repeatable", tool=""),
    ]
    tags: Annotated[
        Sequence[str] | None,
        Option(*_TAG, metavar="TAG", help="Only with this tag; repeatable", tool=""),
    ]
    project: Annotated[
        str | None,
        Option(
            *_PROJECT,
            metavar="NAME",
            help="Only of this project; or here, none (everywhere) or any",
            tool="Name, here, none (everywhere), any",
        ),
    ]


class Filters(Selection, total=False):
    """Filters of every answer that lists entries, and how many it lists."""

    limit: Annotated[
        int | None, Option("--limit", "-n", metavar="N", help="Show N at most")
    ]
    types: Annotated[
        Sequence[str] | None,
        Field(
            "TYPE",
            "Only about this type of thing (person, tool, ...), or of this layer",
            "type",
        ),
    ]
    layers: Annotated[
        Sequence[str] | None, Field("LAYER", "Only fact, observation or model", "layer")
    ]
    tags_match: Annotated[
        Literal["any", "all", "any_strict", "all_strict", "any_or_untagged"] | None,
        Option(
            "--tags-match",
            help="any or all of the tags; untagged entries pass too, but not with "
            "_strict (any_strict if not given)",
            tool="any or all of the tags; untagged entries pass too, but not with "
            "_strict",
        ),
    ]
    entities: Annotated[
        Sequence[str] | None,
        Option(
            "--entity",
            metavar="ENTITY",
            help="Only about this entity; repeatable",
            tool="People, projects, things",
        ),
    ]
    after: Annotated[
        str | None,
        Option(
            "--after",
            metavar="WHEN",
            help="Dated on or after WHEN: 2026-05, 7d; 'yesterday' or 'last week' "
            "without --before means that day or week only",
            tool="2026-05, 7d, last week",
        ),
    ]
    before: Annotated[
        str | None,
        Option("--before", metavar="WHEN", help="Dated before WHEN", tool=""),
    ]


class StatusFilters(Filters, total=False):
    """Filters of what may also be over: `list`, `recall`."""

    statuses: Annotated[
        Sequence[str] | None,
        Option(
            "--status",
            metavar="STATUS",
            help="Only this status instead of active; repeatable",
            tool="resolved, superseded",
        ),
    ]
    history: Annotated[bool, Field("", "Superseded versions as well")]


class Question(Filters, total=False):
    """How a question is answered: `reflect`, `recall`."""

    budget: Annotated[
        Literal["low", "mid", "high"] | None,
        Option(
            "--budget",
            help="How much to return and how far to look; mid if not given",
            tool="",
        ),
    ]
    at: Annotated[str | None, Field("WHEN", "Relative times count from this moment")]
    exact: Annotated[
        bool, Field("", "The words as typed: no other spelling, name or near word")
    ]


class Query(Question, StatusFilters, total=False):
    """Everything that a recall may be asked."""

    as_of: Annotated[
        str | None,
        Option("--as-of", metavar="WHEN", help="What was current at that time"),
    ]
    max_chars: Annotated[
        int | None,
        Option(
            "--max-chars", metavar="N", help="Characters of text at most; whole rows"
        ),
    ]
    depth: Annotated[
        int | None,
        Field("N", "Hops over entities, links and versions: 0, 1 or 2; 1 if not given"),
    ]
    explain: Annotated[bool, Option("--explain", help="Say why each row was chosen")]


class Fields(TypedDict, total=False):
    """The fields of a memory that a new version may change."""

    title: Annotated[
        str | None,
        Option(
            "--title",
            metavar="TITLE",
            help="Its title; without one its first heading or clause",
            tool="",
        ),
    ]
    kind: Annotated[
        str | None,
        Option(
            *_KIND,
            metavar="KIND",
            help="Its kind: note, preference, workflow, fix, decision, ...",
        ),
    ]
    type: Annotated[
        str | None,
        Option(
            "--type",
            metavar="TYPE",
            help="What it is about: person, project, tool, ...",
        ),
    ]
    tags: Annotated[
        Sequence[str] | None,
        Option(
            *_TAG,
            metavar="TAG",
            help="A tag to add, or key:value; repeatable",
            tool="To add; words or key:value",
        ),
    ]
    asked: Annotated[
        Sequence[str] | None,
        Option(
            "--asked",
            metavar="PHRASE",
            help="Other words that a question may use; repeatable, up to 8",
            tool="Four to six phrases in other words to find it by: symptom, error, "
            "task",
        ),
    ]
    entities: Annotated[
        Sequence[str] | None,
        Option(
            "--entity",
            metavar="ENTITY",
            help="An entity it is about; repeatable",
            tool="People, projects, things",
        ),
    ]
    project: Annotated[
        str | None,
        Option(
            *_PROJECT,
            metavar="NAME",
            help="The project in which it holds; here, or none for everywhere",
            tool="If not this one; none: holds everywhere",
        ),
    ]
    code: Annotated[
        Sequence[str] | None,
        Option(
            "--code",
            metavar="PATH[:FROM-TO]",
            help="A file of this project, or lines of it, that it names; repeatable",
            tool="src/app.py:10-20",
        ),
    ]
    occurred_at: Annotated[
        str | None,
        Option(
            "--occurred-at",
            metavar="DATE",
            help="When it happened: 2026, 2026-11, 2026-11-21, yesterday, 3d, ...",
            tool="2026-11-21",
        ),
    ]
    expires_at: Annotated[
        str | None,
        Option(
            "--expires-at",
            metavar="DATE",
            help="Not shown from this date on: 2026-12-24, 30d (in 30 days), ...",
            tool="Hidden from then on",
        ),
    ]
    subtype: Annotated[
        str | None,
        Field(
            "SUBTYPE", "Of a model: structural, emergent, or pinned (kept by people)"
        ),
    ]


class Draft(Fields, total=False):
    """Everything that a new memory may say besides its text."""

    layer: Annotated[
        str | None,
        Option(
            "--layer",
            metavar="LAYER",
            help="fact (default), observation of several facts, or model: a report",
        ),
    ]
    occurred_until: Annotated[str | None, Field("DATE", "The end, if it lasted")]
    item: Annotated[
        str | None,
        Field(
            "ITEM", "A reflection item: invariant (a rule) or derived (fades in days)"
        ),
    ]
    confidence: Annotated[
        str | None, Field("CONFIDENCE", "Of a mined entry: HIGH, MEDIUM, LOW")
    ]
    rationale: Annotated[str | None, Field("RATIONALE", "Why it was inferred")]
    evidence: Annotated[
        Sequence[str] | None,
        Field("ID", "An id, as --cite, or a session it rests on"),
    ]
    review_after: Annotated[
        str | None, Field("DATE", "When to check whether it still holds")
    ]
    pinned: Annotated[
        bool,
        Option(
            "--pinned",
            help="Goes into every session",
            tool="In every session; only if the user asks",
        ),
    ]
    visibility: Annotated[
        Literal["private", "shared", "group"] | None,
        Option(
            "--visibility",
            help="Who may see it: private (its writer), shared (default), or group",
        ),
    ]
    groups: Annotated[
        Sequence[str] | None,
        Option(
            "--group",
            metavar="GROUP",
            help="A group of agents that may see it; repeatable",
        ),
    ]
    source: Annotated[
        str | None,
        Field("WRITER", "Who writes: manual, skill, hook, pipeline or import"),
    ]
    source_host: Annotated[str | None, Field("HOST", "The agent host it came from")]
    source_session: Annotated[str | None, Field("ID", "The session it came from")]
    source_transcript: Annotated[str | None, Field("PATH", "The transcript's path")]
    source_record: Annotated[str | None, Field("ID", "The record in the transcript")]
    source_seq: Annotated[int | None, Field("N", "Its place in the session, from 0")]
    source_excerpt: Annotated[str | None, Field("TEXT", "The words it rests on")]


# Fields whose distance without a direction lies ahead: 30d is in 30 days.
_AHEAD = ("expires_at", "review_after")
_DATES = ("occurred_at", "occurred_until", *_AHEAD)


def entry_fields(given: Mapping[str, Any], now_ms: int) -> dict[str, Any]:
    """The fields of an entry that a draft or new fields give; what is not given is
    left out, and dates are in the form that files have.

    Raises:
        InvalidValue: a text names no date.
    """
    fields = {name: value for name, value in given.items() if value}
    source = {
        name.removeprefix("source_"): given[name]
        for name in given
        if name.startswith("source_") and given[name] is not None
    }
    fields = {k: v for k, v in fields.items() if k.removeprefix("source_") == k}
    writer = fields.pop("source", None)
    if writer or source:
        fields["source"] = {"writer": writer, **source} if writer else source
    if not any(name in fields for name in _DATES):
        return fields
    from memcli.entries.dates import field_date

    for name in _DATES:
        if name in fields:
            ahead = name in _AHEAD
            fields[name] = field_date(fields[name], now_ms // 1000, name, ahead=ahead)
    return fields
