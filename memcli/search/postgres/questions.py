"""What `tables` asks of the database, statement by statement.

Invariant: no value is part of a statement. `{seen}` stands for what narrows it to the
entries that its reader gets, `{settled}` for whether a document's claim is resolved,
and `{table}` for the one that has fewer rows of a field.
"""

SEEN = """{x}.access = ANY (ARRAY(
    SELECT y.access FROM memcli.sees y
    WHERE y.vault = %(vault)s AND y.agent = %(agent)s
))"""
SIZE = """
SELECT coalesce(sum(x.documents), 0)::bigint, coalesce(sum(x.terms), 0)::bigint
FROM memcli.access x WHERE x.vault = %(vault)s AND {seen}
"""
HELD = """
SELECT f.field FROM unnest(%(fields)s::smallint[]) AS f (field) WHERE EXISTS (
    SELECT FROM memcli.counts x
    WHERE x.vault = %(vault)s AND x.field = f.field AND {seen}
)
"""
COUNTS = """
SELECT x.field, x.value, sum(x.n)::bigint
FROM unnest(%(fields)s::smallint[], %(values)s::bytea[]) AS w (field, value)
JOIN memcli.{table} x ON x.field = w.field AND x.value = w.value
WHERE x.vault = %(vault)s AND {seen} GROUP BY x.field, x.value
"""
LISTS = """
SELECT field, value, n, CASE WHEN whole <= CASE WHEN most > 0 THEN most ELSE (
    SELECT greatest(5, %(common)s::float8 * sum(x.documents))
    FROM memcli.access x WHERE x.vault = %(vault)s AND {seen}
) END THEN data END FROM (
    SELECT x.field, x.value, x.n, x.data, w.most,
        sum(x.n) OVER (PARTITION BY x.field, x.value) AS whole
    FROM unnest(%(fields)s::smallint[], %(values)s::bytea[], %(most)s::bigint[])
        AS w (field, value, most)
    JOIN memcli.lists x ON x.field = w.field AND x.value = w.value
    WHERE x.vault = %(vault)s AND {seen}
) parts
"""
VALUED = """
SELECT value, n, data FROM (
    SELECT x.value, x.n, x.data, sum(x.n) OVER (PARTITION BY x.value) AS whole
    FROM memcli.lists x
    WHERE x.vault = %(vault)s AND x.field = %(field)s AND {seen}
) parts WHERE whole >= %(least)s ORDER BY value
"""
LONG = """
SELECT x.n, x.data FROM memcli.lists x
WHERE x.vault = %(vault)s AND x.field = %(field)s AND x.value = %(value)s AND {seen}
"""
LOOK = """
SELECT x.doc, x.facts, {settled},
    CASE WHEN x.doc = ANY(%(rows)s::bigint[]) THEN x.row END,
    CASE WHEN x.doc = ANY(%(words)s::bigint[]) THEN x.words END
FROM memcli.documents x
WHERE x.vault = %(vault)s AND x.doc = ANY(%(docs)s::bigint[]) AND {seen}
"""
MEET = """
SELECT x.doc, x.facts, {settled} FROM memcli.documents x
WHERE x.vault = %(vault)s AND x.session = ANY(%(sessions)s::bigint[])
AND x.session <> 0 AND {seen}
"""
GATHER = """
SELECT x.doc, x.facts, {settled} FROM memcli.documents x
WHERE x.vault = %(vault)s AND x.session = ANY (ARRAY(
    SELECT d.session
    FROM unnest(%(beside)s::bigint[]) WITH ORDINALITY AS w (doc, place)
    JOIN memcli.documents d ON d.doc = w.doc
    WHERE d.vault = %(vault)s AND d.session <> 0
    GROUP BY d.session ORDER BY min(w.place) LIMIT %(most)s
)) AND x.session <> 0 AND {seen}
"""
EVERY = """
SELECT x.doc, x.facts, {settled} FROM memcli.documents x
WHERE x.vault = %(vault)s AND x.doc >= %(first)s AND {seen}
ORDER BY x.doc LIMIT %(most)s
"""
DATED = """
SELECT x.doc, x.facts, {settled} FROM memcli.documents x
WHERE x.vault = %(vault)s AND x.doc >= %(first)s
AND x.moment < %(end)s AND (x.moment >= %(start)s OR x.span) AND {seen}
ORDER BY x.doc LIMIT %(most)s
"""
BEGUN = """
SELECT DISTINCT x.value FROM memcli.{table} x
WHERE x.vault = %(vault)s AND x.field = %(field)s
AND x.value >= %(start)s AND x.value < %(end)s AND {seen}
ORDER BY x.value LIMIT %(most)s
"""
ENDING = """
SELECT x.value, sum(x.n)::bigint FROM memcli.counts x
WHERE x.vault = %(vault)s AND x.field = %(field)s
AND x.value >= %(start)s AND x.value < %(end)s AND {seen} AND EXISTS (
    SELECT FROM unnest(%(ends)s::bytea[]) AS e (ending)
    WHERE length(ending) <= length(x.value)
    AND substr(x.value, length(x.value) - length(ending) + 1) = ending
) GROUP BY x.value
"""
SIMILAR = """
SELECT DISTINCT x.value FROM memcli.{table} x
WHERE x.vault = %(vault)s AND x.field = %(field)s
AND length(x.value) BETWEEN %(least)s AND %(most)s AND {seen}
"""
LISTED = """
SELECT DISTINCT x.value FROM memcli.lists x
WHERE x.vault = %(vault)s AND x.field = %(field)s
AND x.value = ANY(%(values)s::bytea[]) AND {seen}
"""
ALL_SETTLED = """
SELECT DISTINCT x.claim FROM memcli.documents x
WHERE x.vault = %(vault)s AND x.settles AND {seen}
"""
SETTLING = """
SELECT x.claim FROM memcli.documents x
WHERE x.vault = %(vault)s AND x.settles AND x.claim = %(claim)s AND {seen} LIMIT 1
"""
SETTLED = """x.claim <> 0 AND EXISTS (
        SELECT FROM memcli.documents s
        WHERE s.vault = %(vault)s AND s.claim = x.claim AND s.settles AND {seen}
    )"""
