"""The filters of a question, the fields of a memory, and what commands share.

Invariant: a parameter stands here in one place. Its flag, its key in a line of a batch,
the parameter of the MCP tool and the option of Python are read from it; its meaning is
in `recall.query.from_words`, or it is the field of an entry of the same name.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal, TypedDict
else:
    from memcli.declared import TypedDict


class Everywhere(TypedDict, total=False):
    """The options of every command, before its name or behind it.

    Options:
        set: `--set FIELD=VALUE` A field of those above; repeatable
        vault: `--vault -v PATH` A vault's folder, or its name
        json: `--json` Print one JSON document
        header: `--header` Name the columns of tables, also on a pipe
        agent: `--agent NAME` The agent that asks and writes (MEMCLI_AGENT); without it,
            the owner
    """

    set: list[str] | None
    vault: str | None
    json: bool
    header: bool
    agent: str | None


class Shared:
    """The words for parameters of several commands.

    Options:
        entry_id: `ID` Its id, a prefix of it, its path, or its file's name
        ids: `ID...` Ids, prefixes, paths, or names of files
        yes: `--yes` Act without asking
        dry_run: `--dry-run` Show what would happen, and change nothing
        allow_secret: `--allow-secret` Save text that looks like a secret
        file: `--file PATH, without TEXT` Read the text from a file, - for stdin
        title: `--title TITLE` Its title
        kind: `--kind -k KIND` Its kind
        tags: `--tag -t TAG` A tag to add; repeatable
        cite: `--cite ID` An entry that an observation or model rests on; repeatable
        reason: `--reason REASON` Why
        query: `[QUERY]...` Words or a question; - reads it from stdin
        vaults: `--vault -v PATH` Only this vault, by its folder or name; repeatable
        personal_only: `--set personal-only=true, without --vault` Only your default
            vault, no team's
        project: `--project -p NAME` Only of this project; or here, none (everywhere) or
            any
        exit_code: `--exit-code` Exit with 1 when nothing is found, for scripts
        scope: `--scope` Your own settings, or those of the project
    """


class Filters(TypedDict, total=False):
    """Filters of every answer that lists entries, and how many it lists.

    Options:
        kinds: `--kind -k KIND` Only this kind; repeatable
        tags: `--tag -t TAG` Only with this tag; repeatable
        project: `--project -p NAME` Only of this project; or here, none (everywhere) or
            any
        limit: `--limit -n N` Show N at most
        types: `--set type=TYPE` Only about this type of thing (person, tool, ...), or
            of this layer
        layers: `--set layer=LAYER` Only fact, observation or model
        tags_match: `--tags-match` any or all of the tags; untagged entries pass too,
            but not with _strict (any_strict if not given)
        entities: `--entity ENTITY` Only about this entity; repeatable
        after: `--after WHEN` Dated on or after WHEN: 2026-05, 7d; 'yesterday' or 'last
            week' without --before means that day or week only
        before: `--before WHEN` Dated before WHEN
    """

    kinds: Sequence[str] | None
    tags: Sequence[str] | None
    project: str | None
    limit: int | None
    types: Sequence[str] | None
    layers: Sequence[str] | None
    tags_match: (
        Literal["any", "all", "any_strict", "all_strict", "any_or_untagged"] | None
    )
    entities: Sequence[str] | None
    after: str | None
    before: str | None


class StatusFilters(Filters, total=False):
    """Filters of what may also be over: `list`, `recall`.

    Options:
        statuses: `--status STATUS` Only this status instead of active; repeatable
        history: `--set history=true` Superseded versions as well
    """

    statuses: Sequence[str] | None
    history: bool


class Question(Filters, total=False):
    """How a question is answered: `reflect`, `recall`.

    Options:
        budget: `--budget` How much to return and how far to look; mid if not given
        at: `--set at=WHEN` Relative times count from this moment
        exact: `--set exact=true` The words as typed: no other spelling, name or near
            word
    """

    budget: Literal["low", "mid", "high"] | None
    at: str | None
    exact: bool


class Query(Question, StatusFilters, total=False):
    """Everything that a recall may be asked.

    Options:
        as_of: `--as-of WHEN` What was current at that time
        max_chars: `--max-chars N` Characters of text at most; whole rows
        depth: `--set depth=N` Hops over entities, links and versions: 0 or 1; 1 if not
            given
        explain: `--explain` Say why each row was chosen
    """

    as_of: str | None
    max_chars: int | None
    depth: int | None
    explain: bool


class Fields(TypedDict, total=False):
    """The fields of a memory that a new version may change.

    Options:
        title: `--title TITLE` Its title; without one its first heading or clause
        kind: `--kind -k KIND` Its kind: note, preference, workflow, fix, decision, ...
        type: `--type TYPE` What it is about: person, project, tool, ...
        tags: `--tag -t TAG` A tag to add, or key:value; repeatable
        asked: `--asked PHRASE` Other words that a question may use; repeatable, up to 8
        entities: `--entity ENTITY` An entity it is about; repeatable
        project: `--project -p NAME` The project in which it holds; here, or none for
            everywhere
        code: `--code PATH[:FROM-TO]` A file of this project, or lines of it, that it
            names; repeatable
        occurred_at: `--occurred-at DATE` When it happened: 2026, 2026-11, 2026-11-21,
            yesterday, 3d, ...
        expires_at: `--expires-at DATE` Not shown from this date on: 2026-12-24, 30d (in
            30 days), ...
        subtype: `--set subtype=SUBTYPE` Of a model: structural, emergent, or pinned
            (kept by people)
    """

    title: str | None
    kind: str | None
    type: str | None
    tags: Sequence[str] | None
    asked: Sequence[str] | None
    entities: Sequence[str] | None
    project: str | None
    code: Sequence[str] | None
    occurred_at: str | None
    expires_at: str | None
    subtype: str | None


class Draft(Fields, total=False):
    """Everything that a new memory may say besides its text.

    Options:
        layer: `--layer LAYER` fact (default), observation of several facts, or model: a
            report
        occurred_until: `--set occurred-until=DATE` The end, if it lasted
        item: `--set item=ITEM` A reflection item: invariant (a rule) or derived (fades
            in days)
        confidence: `--set confidence=CONFIDENCE` Of a mined entry: HIGH, MEDIUM, LOW
        rationale: `--set rationale=RATIONALE` Why it was inferred
        evidence: `--set evidence=ID` An id, as --cite, or a session it rests on
        review_after: `--set review-after=DATE` When to check whether it still holds
        pinned: `--pinned` Goes into every session
        visibility: `--visibility` Who may see it: private (its writer), shared
            (default), or group
        groups: `--group GROUP` A group of agents that may see it; repeatable
        source: `--set source=WRITER` Who writes: manual, skill, hook, pipeline or
            import
        source_host: `--set source-host=HOST` The agent host it came from
        source_session: `--set source-session=ID` The session it came from
    """

    layer: str | None
    occurred_until: str | None
    item: str | None
    confidence: str | None
    rationale: str | None
    evidence: Sequence[str] | None
    review_after: str | None
    pinned: bool
    visibility: Literal["private", "shared", "group"] | None
    groups: Sequence[str] | None
    source: Literal["manual", "skill", "hook", "pipeline", "import"] | None
    source_host: str | None
    source_session: str | None


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
    parts = {"writer": "source", "host": "source_host", "session": "source_session"}
    source = {part: fields.pop(name, None) for part, name in parts.items()}
    if any(source.values()):
        fields["source"] = source
    for name in _DATES:
        if name in fields:
            from memcli.entries.dates import field_date

            ahead = name in _AHEAD
            fields[name] = field_date(fields[name], now_ms // 1000, name, ahead=ahead)
    return fields
