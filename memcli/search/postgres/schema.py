"""The tables of published vaults, and which role may do what with them.

Invariant: a role that reads as an agent has no right on a table, a column or a view. It
may call the functions of `functions`, which answer from the rows that its agent may
see. Who may see what is decided by `entries.eligibility` when a vault is published,
never in SQL: entries, their words, the lists and counts of words, and the pages of the
registry each carry the number of those who may see them (`access`), and `sees` says
which agent sees which numbers. Row-level security says the same of the role as which
the functions run, for the case that one of them forgets it.

A login can still learn how large the tables are as a whole: PostgreSQL shows the size
of every table to all who can connect to its database (`pg_class`,
`pg_relation_size`). No row, word or path of an entry can be had that way, since
`access` leads every key: what the functions read for a question, and so what the
server's counters and the clock tell of it, does not depend on hidden rows.

Every text that comes out of a vault is `bytea`: PostgreSQL's `text` takes no NUL and no
half of a surrogate pair, and a memory may hold both.
"""

from __future__ import annotations

from memcli.search.postgres import functions

FORMAT = 4
"""Raised when the tables change; a publish then says how they are made anew."""

READER, OWNER, PUBLISHER = "memcli_reader", "memcli_owner", "memcli_publisher"
"""The roles: reads as the agent of its own name; reads everything; writes."""

ROLES = (READER, OWNER, PUBLISHER, functions.ROLE)
"""All roles that `roles` makes."""

PARTITIONS = 8
"""By hash of the vault; a cluster spreads them by the same column."""

_TABLES = """
CREATE TABLE memcli.format (version integer NOT NULL);
CREATE TABLE memcli.vaults (
    vault integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    origin text NOT NULL,       -- the first commit of its history
    "commit" text,              -- what is published; null while nothing is
    version text,               -- what the documents depend on besides the files
    bits integer NOT NULL,      -- of a document's number, that say its bucket
    remote text,
    broken integer NOT NULL DEFAULT 0,  -- files that are no entries
    published timestamptz,
    config bytea,               -- .memcli/config.toml
    ignored bytea               -- names that are no entities
);
CREATE TABLE memcli.turns (     -- whose rows publishers lock; nothing else may
    vault integer PRIMARY KEY
);
CREATE TABLE memcli.access (
    vault integer NOT NULL,
    access bigint NOT NULL,
    reach bytea NOT NULL,       -- agent, visibility and groups, as JSON
    documents bigint NOT NULL,
    terms bigint NOT NULL,
    PRIMARY KEY (vault, access)
);
CREATE TABLE memcli.sees (
    vault integer NOT NULL,
    agent bytea NOT NULL,
    access bigint NOT NULL,
    PRIMARY KEY (agent, vault, access)
);
CREATE TABLE memcli.pages (
    vault integer NOT NULL,
    path bytea NOT NULL,
    access bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (vault, path)
);
CREATE TABLE memcli.broken (
    vault integer NOT NULL,
    place bytea NOT NULL,
    path bytea NOT NULL,
    blob text NOT NULL,
    line integer NOT NULL,
    reason bytea NOT NULL,
    PRIMARY KEY (vault, place)
);
CREATE UNLOGGED TABLE memcli.staged (
    vault integer NOT NULL,
    place bytea NOT NULL,       -- a digest of the path, which an index takes whole
    path bytea NOT NULL,
    blob text NOT NULL,         -- git's name of the content
    version text NOT NULL,
    line integer,               -- of a file that is no entry, with the reason
    reason bytea,
    doc bigint,
    bucket integer,
    access bigint,
    reach bytea,
    length bigint,
    facts bytea,
    "row" bytea,
    words bytea,
    exact bytea,
    session bigint,
    claim bigint,
    settles boolean,
    moment bigint,
    span boolean,
    rule boolean,
    pinned boolean,
    created bigint,
    PRIMARY KEY (vault, place)
);
CREATE TABLE memcli.documents (
    vault integer NOT NULL,
    doc bigint NOT NULL,        -- depends on id and path alone, and breaks ties
    access bigint NOT NULL,
    place bytea NOT NULL,
    path bytea NOT NULL,
    blob text NOT NULL,
    length bigint NOT NULL,
    facts bytea NOT NULL,       -- as packed_facts has them
    "row" bytea NOT NULL,       -- as stored_row has it
    words bytea NOT NULL,       -- every term with its weight, as `words_of`
    exact bytea NOT NULL,       -- the values by field, as JSON
    session bigint NOT NULL,
    claim bigint NOT NULL,
    settles boolean NOT NULL,   -- resolved, for others that make its claim as well
    moment bigint NOT NULL,
    span boolean NOT NULL,
    rule boolean NOT NULL,      -- a constraint, of which each answer has the newest
    pinned boolean NOT NULL,
    created bigint NOT NULL,
    PRIMARY KEY (vault, access, doc)
) PARTITION BY HASH (vault);
CREATE TABLE memcli.lists (
    vault integer NOT NULL,
    field smallint NOT NULL,
    value bytea NOT NULL,
    bucket integer NOT NULL,
    access bigint NOT NULL,
    n integer NOT NULL,
    data bytea NOT NULL,        -- documents; of terms also weights and lengths
    levels bytea,               -- of a long list of a term: where they lie
    PRIMARY KEY (vault, access, field, value, bucket)
) PARTITION BY HASH (vault);
CREATE TABLE memcli.counts (
    vault integer NOT NULL,
    field smallint NOT NULL,
    value bytea NOT NULL,
    access bigint NOT NULL,
    n bigint NOT NULL,
    PRIMARY KEY (vault, access, field, value)
) PARTITION BY HASH (vault);
CREATE INDEX ON memcli.documents (vault, place);
CREATE INDEX ON memcli.documents (vault, access, session) WHERE session <> 0;
CREATE INDEX ON memcli.documents (vault, access, claim) WHERE settles;
CREATE INDEX ON memcli.documents (vault, access, moment);
-- Read backwards: pinned ones first, then the newest, then by doc without a sign.
CREATE INDEX ON memcli.documents
    (vault, access, pinned, created, (doc >= 0), doc DESC) WHERE rule;
CREATE INDEX ON memcli.staged (vault, bucket);
ALTER TABLE memcli.lists ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE memcli.lists ALTER COLUMN levels SET STORAGE EXTERNAL;
"""

_PARTITIONED = ("documents", "lists", "counts")
_HIDING = ("access", "pages", *_PARTITIONED)
"""The tables whose rows belong to entries, and carry who may see them."""

_READ = ("format", "vaults", "sees", *_HIDING)

# The subqueries run once for a question, not for each row.
_ALL = "(SELECT memcli.reads_all())"
_OWN = "agent = (SELECT memcli.agent())"
_MINE = f"SELECT s.{{}} FROM memcli.sees s WHERE s.{_OWN}"
_SEEN = f"access = ANY (ARRAY({_MINE.format('access')}))"
_NAMED = f"vault IN ({_MINE.format('vault')})"


def roles() -> str:
    """The statement that makes the roles where they are not there yet."""
    made = "\n".join(
        f"IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') THEN"
        f" CREATE ROLE {role} NOLOGIN; END IF;"
        for role in ROLES
    )
    return f"DO $$ BEGIN {made} END $$"


def tables() -> str:
    """The statements that make the schema, its tables and its policies."""
    parts = ["CREATE SCHEMA memcli;", _TABLES]
    for table in _PARTITIONED:
        parts += [
            f"CREATE TABLE memcli.{table}_{i} PARTITION OF memcli.{table} "
            f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {i});"
            for i in range(PARTITIONS)
        ]
    parts.append(
        f"GRANT {PUBLISHER}, {OWNER}, {functions.ROLE} TO CURRENT_USER;"
        f"GRANT ALL ON SCHEMA memcli TO {PUBLISHER};"
        f"GRANT USAGE ON SCHEMA memcli TO {READER}, {OWNER}, {functions.ROLE};"
        f"INSERT INTO memcli.format VALUES ({FORMAT});"
    )
    parts += _functions()
    for table in dict.fromkeys((*_READ, "broken", "staged")):
        parts += _rights(table)
    # The publisher owns the tables: row-level security is not for their owner, and
    # COPY, which is three times as fast as INSERT, does not work beside it.
    split = [f"{table}_{i}" for table in _PARTITIONED for i in range(PARTITIONS)]
    parts += [
        f"ALTER TABLE memcli.{table} OWNER TO {PUBLISHER};"
        for table in dict.fromkeys((*_READ, "broken", "staged", "turns", *split))
    ]
    return "\n".join(parts)


def _functions() -> list[str]:
    """What makes the functions, and lets readers call those that are for them."""
    asked = [each.signature for each in functions.FUNCTIONS] + ["memcli.look(text)"]
    return [
        # A function's new owner has to be one who may make it.
        f"GRANT CREATE ON SCHEMA memcli TO {functions.ROLE};",
        functions.WHO,
        functions.LOOK,
        *(each.definition() for each in functions.FUNCTIONS),
        f"REVOKE CREATE ON SCHEMA memcli FROM {functions.ROLE};",
        "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA memcli FROM PUBLIC;",
        *(
            f"GRANT EXECUTE ON FUNCTION {each} TO {READER}, {OWNER}, {PUBLISHER};"
            for each in asked
        ),
        f"REVOKE {functions.ROLE} FROM CURRENT_USER;",
    ]


def _rights(table: str) -> list[str]:
    """What the roles may do with a table, and which rows they get."""
    name = f"memcli.{table}"
    rights = [f"GRANT SELECT ON {name} TO {OWNER};"]
    if table == "format":
        return rights
    rights += [
        f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY;",
        f"CREATE POLICY owners ON {name} FOR SELECT TO {OWNER} USING (true);",
    ]
    seen = {"sees": f"{_ALL} OR {_OWN}", "vaults": f"{_ALL} OR {_NAMED}"}
    seen["broken"] = _ALL
    if table != "staged":
        rights += [
            f"GRANT SELECT ON {name} TO {functions.ROLE};",
            f"CREATE POLICY answers ON {name} FOR SELECT TO {functions.ROLE}"
            f" USING ({seen.get(table, f'{_ALL} OR {_SEEN}')});",
        ]
    return rights
