"""The functions that readers ask, and nothing else: no role that reads has a table.

Invariant: each answers from the entries alone that the role which asks may see. They
run as `memcli_answers`, to which row-level security applies as well, so a filter that
is missing here gives no row away. A hidden row is not even looked at: `access` leads
every key that a question uses. No value of a question becomes part of a statement, and
no name is looked up anywhere but in pg_catalog and `memcli`.

A function's first two arguments are the vault's number and the agent that the caller
wants to be. The latter counts for roles that read everything, and for no others.
"""

# Statements are put together of this module's own text alone.
# ruff: noqa: S608

from __future__ import annotations

from memcli.named_tuple import NamedTuple

ROLE = "memcli_answers"
"""Owns the functions, and logs in nowhere."""

# Without these a caller's settings would reach the statements in a function: messages
# with the plans of its statements (debug_print_plan) show what the statistics expect.
_PINNED = """
SET search_path = pg_catalog, pg_temp SET client_min_messages = error
SET debug_print_plan = off SET row_security = on SET jit = off
"""


class Function(NamedTuple):
    """One function: its name, arguments (name and type), columns and statement."""

    name: str
    takes: dict[str, str]
    gives: str
    body: str
    declares: str = ""

    @property
    def call(self) -> str:
        """The question that calls it, with a parameter for each argument."""
        values = "".join(f", %({name})s::{kind}" for name, kind in self.takes.items())
        return f"SELECT * FROM memcli.{self.name}(%(vault)s, %(agent)s{values})"

    @property
    def signature(self) -> str:
        """As GRANT and ALTER name it."""
        return (
            f"memcli.{self.name}({', '.join(['integer, bytea', *self.takes.values()])})"
        )

    def definition(self) -> str:
        """The statement that makes it."""
        takes = "".join(f", _{name} {kind}" for name, kind in self.takes.items())
        return f"""
CREATE OR REPLACE FUNCTION memcli.{self.name}(_vault integer, _agent bytea{takes})
RETURNS TABLE ({self.gives}) LANGUAGE plpgsql STABLE SECURITY DEFINER {_PINNED}
AS $function$
#variable_conflict use_column
DECLARE _seen bigint[] := memcli.seen(_vault, _agent); {self.declares}
BEGIN
{self.body}
END $function$;
ALTER FUNCTION {self.signature} OWNER TO {ROLE};
"""


WHO = f"""
CREATE OR REPLACE FUNCTION memcli.asking() RETURNS name LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
-- The login, or the role that it has SET and is a member of. Inside a function that
-- runs as its owner, `current_user` would be that owner.
DECLARE _role name := current_setting('role');
BEGIN
    IF _role = 'none' THEN RETURN session_user; END IF;
    IF pg_has_role(session_user, _role, 'MEMBER') THEN RETURN _role; END IF;
    RETURN NULL;
END $function$;
CREATE OR REPLACE FUNCTION memcli.reads_all() RETURNS boolean LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN coalesce(pg_has_role(memcli.asking(), 'memcli_owner', 'USAGE')
        OR pg_has_role(memcli.asking(), 'memcli_publisher', 'USAGE'), false);
END $function$;
CREATE OR REPLACE FUNCTION memcli.agent() RETURNS bytea LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT convert_to(memcli.asking()::text, 'UTF8') $$;
CREATE OR REPLACE FUNCTION memcli.seen(_vault integer, _agent bytea) RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE _all boolean := memcli.reads_all();
BEGIN
    IF _all AND _agent IS NULL THEN
        RETURN ARRAY(SELECT a.access FROM memcli.access a WHERE a.vault = _vault
                     ORDER BY a.access);
    END IF;
    IF NOT _all THEN _agent := memcli.agent(); END IF;
    RETURN ARRAY(SELECT s.access FROM memcli.sees s
                 WHERE s.vault = _vault AND s.agent = _agent ORDER BY s.access);
END $function$;
ALTER FUNCTION memcli.asking() OWNER TO {ROLE};
ALTER FUNCTION memcli.reads_all() OWNER TO {ROLE};
ALTER FUNCTION memcli.agent() OWNER TO {ROLE};
ALTER FUNCTION memcli.seen(integer, bytea) OWNER TO {ROLE};
"""
"""Who asks, and what it sees. `seen` is in order: pages of an answer go through it."""


# One look into an index for each number of `seen`, never a condition on the side: the
# planner then has no way to read rows of other numbers, under any settings.
def _of(table: str, columns: str, where: str, end: str = "OFFSET 0") -> str:
    """What each number `a.access` has in a table, as `x`."""
    return f"""CROSS JOIN LATERAL (
    SELECT {columns} FROM memcli.{table} x
    WHERE x.vault = _vault AND x.access = a.access AND {where} {end}
) x"""


_ACCESS = "unnest(_seen) AS a (access)"
_ONE = _of("documents", "1", "x.settles AND x.claim = {claim}", "LIMIT 1")
_SETTLED = f"""(y.claim <> 0 AND EXISTS (
    SELECT FROM {_ACCESS} {_ONE.format(claim="y.claim")}))"""
_FACTS = f"y.doc, y.facts, {_SETTLED}"
_GIVES = "doc bigint, facts bytea, settled boolean"


def _documents(asked: str, where: str, more: str = "") -> str:
    """The facts of documents that are asked for, and more columns of them."""
    return f"""
RETURN QUERY SELECT {_FACTS}{more} FROM (
    SELECT x.* FROM {asked} {_ACCESS} {_of("documents", "x.*", where)}
) y;"""


LOOK = f"""
CREATE OR REPLACE FUNCTION memcli.look(_name text) RETURNS TABLE (
    vault integer, "commit" text, remote text, role text, is_owner boolean,
    broken boolean
) LANGUAGE plpgsql STABLE SECURITY DEFINER {_PINNED} AS $function$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT v.vault, v."commit", v.remote, memcli.asking()::text,
        memcli.reads_all(), memcli.reads_all() AND v.broken > 0
    FROM memcli.vaults v WHERE v.name = _name;
END $function$;
ALTER FUNCTION memcli.look(text) OWNER TO {ROLE};
"""
LOOKED = "SELECT * FROM memcli.look(%s)"
"""The question that calls `look`, with a vault's name."""

SETTINGS = Function(
    "settings", {}, "config bytea, ignored bytea",
    "RETURN QUERY SELECT v.config, v.ignored FROM memcli.vaults v "
    "WHERE v.vault = _vault;",
)  # fmt: skip
PAGES = Function(
    "registry", {"most": "bigint"}, "path bytea, data bytea",
    "RETURN QUERY SELECT p.path, p.data FROM memcli.pages p WHERE p.vault = _vault "
    "AND length(p.data) <= _most AND (p.access = ANY(_seen) OR memcli.reads_all());",
)  # fmt: skip
BROKEN = Function(
    "no_entries", {}, "path bytea, line integer, reason bytea",
    "RETURN QUERY SELECT b.path, b.line, b.reason FROM memcli.broken b "
    "WHERE b.vault = _vault AND memcli.reads_all() ORDER BY b.path;",
)  # fmt: skip
SIZE = Function(
    "size", {}, "documents bigint, terms bigint",
    "RETURN QUERY SELECT coalesce(sum(x.documents), 0)::bigint, "
    "coalesce(sum(x.terms), 0)::bigint "
    f"FROM {_ACCESS} {_of('access', 'x.documents, x.terms', 'true')};",
)  # fmt: skip
HELD = Function(
    "fields_held", {"fields": "smallint[]"}, "field smallint",
    "RETURN QUERY SELECT DISTINCT f.field "
    f"FROM unnest(_fields) AS f (field), {_ACCESS} "
    f"{_of('counts', '1', 'x.field = f.field', 'LIMIT 1')};",
)  # fmt: skip
_LIST = "x.field, x.value, x.n, x.data, x.bucket, x.levels"
_WANTED = "x.field = w.field AND x.value = w.value"
LISTS = Function(
    "lists_of",
    {
        "fields": "smallint[]",
        "values": "bytea[]",
        "most": "bigint[]",
        "flat": "bigint[]",
        "total": "bigint",
        "common": "float8",
    },
    "field smallint, value bytea, n integer, data bytea, bucket integer, levels bytea",
    f"""
SELECT greatest(5, _common * sum(x.documents)) INTO _many
FROM {_ACCESS} {_of("access", "x.documents", "true")};
RETURN QUERY SELECT field, value, n,
    CASE WHEN wanted AND (plain OR levels IS NULL) THEN data END, bucket,
    CASE WHEN wanted AND NOT plain THEN levels END
FROM (
    SELECT *, whole <= flat OR every <= _total AS plain,
        whole <= CASE WHEN most > 0 THEN most ELSE _many END AS wanted
    FROM (
        SELECT x.*, w.most, w.flat,
            sum(x.n) OVER (PARTITION BY x.field, x.value) AS whole,
            sum(x.n) OVER () AS every
        FROM unnest(_fields, _values, _most, _flat) AS w (field, value, most, flat),
        {_ACCESS} {_of("lists", _LIST, _WANTED)}
    ) each
) parts;""",
    "_many float8;",
)
VALUED = Function(
    "values_of", {"field": "smallint", "least": "bigint"},
    "value bytea, n integer, data bytea",
    f"""
RETURN QUERY SELECT value, n, data FROM (
    SELECT x.*, sum(x.n) OVER (PARTITION BY x.value) AS whole
    FROM {_ACCESS} {_of("lists", "x.value, x.n, x.data", "x.field = _field")}
) parts WHERE whole >= _least ORDER BY value;""",
)  # fmt: skip
LONG = Function(
    "list_of", {"field": "smallint", "value": "bytea"}, "n integer, data bytea",
    f"""
RETURN QUERY SELECT x.* FROM {_ACCESS}
{_of("lists", "x.n, x.data", "x.field = _field AND x.value = _value")};""",
)  # fmt: skip
LOOK_AT = Function(
    "documents_of",
    {"rows": "bigint[]", "words": "bigint[]", "docs": "bigint[]"},
    f'{_GIVES}, "row" bytea, words bytea',
    _documents(
        "unnest(_docs) AS w (doc),",
        "x.doc = w.doc",
        ", CASE WHEN y.doc = ANY(_rows) THEN y.row END"
        ", CASE WHEN y.doc = ANY(_words) THEN y.words END",
    ),
)
PLACED = Function(
    "documents_placed", {"starts": "bigint[]", "width": "bigint"},
    f"{_GIVES}, words bytea",
    _documents(
        "unnest(_starts) AS w (start),",
        "x.doc BETWEEN w.start AND w.start + _width - 1",
        ", y.words",
    ),
)  # fmt: skip
_SESSION = "x.session = w.session AND x.session <> 0"
MEET = Function(
    "sessions_of", {"sessions": "bigint[]"}, _GIVES,
    _documents("unnest(_sessions) AS w (session),", _SESSION),
)  # fmt: skip
_BESIDE = f"""(
    SELECT x.session FROM unnest(_beside) WITH ORDINALITY AS w (doc, place), {_ACCESS}
    {_of("documents", "x.session", "x.doc = w.doc AND x.session <> 0")}
    GROUP BY x.session ORDER BY min(w.place) LIMIT _most
) w,"""
GATHER = Function(
    "sessions_beside", {"beside": "bigint[]", "most": "bigint"}, _GIVES,
    _documents(_BESIDE, _SESSION),
)  # fmt: skip
_WALKED = f"""
FOREACH _one IN ARRAY _seen LOOP
    CONTINUE WHEN _one < _access;
    EXIT WHEN _left <= 0;
    _from := CASE WHEN _one = _access THEN _first ELSE -9223372036854775808 END;
    RETURN QUERY SELECT {_FACTS}, y.access FROM memcli.documents y
    WHERE y.vault = _vault AND y.access = _one AND y.doc >= _from {{which}}
    ORDER BY y.doc LIMIT _left;
    GET DIAGNOSTICS _n = ROW_COUNT;
    _left := _left - _n;
END LOOP;"""
_DECLARES = "_one bigint; _from bigint; _n bigint; _left bigint := _most;"
_PAGE = {"access": "bigint", "first": "bigint", "most": "bigint"}
EVERY = Function(
    "every_document", _PAGE, f"{_GIVES}, access bigint",
    _WALKED.format(which=""), _DECLARES,
)  # fmt: skip
_WITHIN = "AND y.moment < _end AND (y.moment >= _start OR y.span)"
DATED = Function(
    "documents_dated",
    {**_PAGE, "start": "bigint", "end": "bigint"},
    f"{_GIVES}, access bigint",
    _WALKED.format(which=_WITHIN),
    _DECLARES,
)


_NEWEST = "ORDER BY x.pinned DESC, x.created DESC, (x.doc >= 0) DESC, x.doc LIMIT"
RULES = Function(
    "constraints", {"skipped": "bigint", "most": "bigint"}, f'{_GIVES}, "row" bytea',
    f"""
RETURN QUERY SELECT {_FACTS}, y.row FROM (
    SELECT x.* FROM {_ACCESS}
    {_of("documents", "x.*", "x.rule", _NEWEST + " _skipped + _most")}
    {_NEWEST} _most OFFSET _skipped
) y ORDER BY y.pinned DESC, y.created DESC, y.doc < 0, y.doc;""",
)  # fmt: skip


class Counted(NamedTuple):
    """The questions for values of fields, of one table that has them."""

    lengths: Function
    begun: Function
    similar: Function


_BETWEEN = "x.field = _field AND x.value >= _start AND x.value < _end"


def _counted(table: str) -> Counted:
    similar = "x.field = _field AND length(x.value) BETWEEN _least AND _most"
    return Counted(
        Function(
            f"lengths_in_{table}", {"fields": "smallint[]", "values": "bytea[]"},
            "field smallint, value bytea, n bigint",
            f"""
RETURN QUERY SELECT x.field, x.value, sum(x.n)::bigint
FROM unnest(_fields, _values) AS w (field, value), {_ACCESS}
{_of(table, "x.field, x.value, x.n", _WANTED)} GROUP BY x.field, x.value;""",
        ),
        Function(
            f"begun_in_{table}",
            {"field": "smallint", "start": "bytea", "end": "bytea", "most": "bigint"},
            "value bytea",
            f"""
RETURN QUERY SELECT DISTINCT x.value
FROM {_ACCESS}
{_of(table, "DISTINCT x.value", _BETWEEN, "ORDER BY x.value LIMIT _most")}
ORDER BY x.value LIMIT _most;""",
        ),
        Function(
            f"similar_in_{table}",
            {"field": "smallint", "least": "bigint", "most": "bigint"},
            "value bytea",
            "RETURN QUERY SELECT DISTINCT x.value "
            f"FROM {_ACCESS} {_of(table, 'x.value', similar)};",
        ),
    )  # fmt: skip


COUNTS, VALUES = _counted("counts"), _counted("lists")
_ENDS = f"""{_BETWEEN} AND EXISTS (
    SELECT FROM unnest(_ends) AS e (ending) WHERE length(ending) <= length(x.value)
    AND substr(x.value, length(x.value) - length(ending) + 1) = ending)"""
ENDING = Function(
    "terms_between",
    {"field": "smallint", "start": "bytea", "end": "bytea", "ends": "bytea[]"},
    "value bytea, n bigint",
    "RETURN QUERY SELECT x.value, sum(x.n)::bigint "
    f"FROM {_ACCESS} {_of('counts', 'x.value, x.n', _ENDS)} GROUP BY x.value;",
)
LISTED = Function(
    "values_listed", {"field": "smallint", "values": "bytea[]"}, "value bytea",
    "RETURN QUERY SELECT DISTINCT x.value "
    f"FROM unnest(_values) AS w (value), {_ACCESS} "
    f"{_of('lists', 'x.value', 'x.field = _field AND x.value = w.value')};",
)  # fmt: skip
ALL_SETTLED = Function(
    "claims_settled", {}, "claim bigint",
    "RETURN QUERY SELECT DISTINCT x.claim "
    f"FROM {_ACCESS} {_of('documents', 'x.claim', 'x.settles')};",
)  # fmt: skip
SETTLING = Function(
    "claim_settled", {"claim": "bigint"}, "claim bigint",
    f"RETURN QUERY SELECT _claim FROM {_ACCESS} {_ONE.format(claim='_claim')} LIMIT 1;",
)  # fmt: skip

FUNCTIONS = (
    SETTINGS, PAGES, BROKEN, SIZE, HELD, LISTS, VALUED, LONG, LOOK_AT, PLACED, MEET,
    GATHER,
    EVERY, DATED, RULES, *COUNTS, *VALUES, ENDING, LISTED, ALL_SETTLED, SETTLING,
)  # fmt: skip
