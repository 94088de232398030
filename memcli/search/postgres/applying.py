"""The statements that bring what a publish has staged into the tables of readers.

Invariant: each takes the vault's number for every `%s`, and is run in one transaction
with the others, in which `gone` holds the digests of removed and changed paths.
"""

from __future__ import annotations

SCRATCH = """
CREATE TEMPORARY TABLE gone (place bytea PRIMARY KEY) ON COMMIT DROP;
CREATE TEMPORARY TABLE touched (field smallint, value bytea, access bigint)
ON COMMIT DROP;
"""
ANALYZE = """
ANALYZE memcli.documents;
ANALYZE memcli.lists;
ANALYZE memcli.counts;
"""

# A document's number is a hash of 64 bits, and a stranger can make two files of one
# number: 2^32 tries. The first that was published stays, then the first by digest.
DOUBLES = """
UPDATE memcli.staged s
SET line = 1, reason = convert_to(
    'another file has the same number: give this one another id or path', 'UTF8')
WHERE s.vault = %s AND s.line IS NULL AND (
    EXISTS (
        SELECT FROM memcli.documents d WHERE d.vault = %s AND d.doc = s.doc
        AND d.access = ANY (ARRAY(SELECT access FROM memcli.access WHERE vault = %s))
        AND NOT EXISTS (SELECT FROM gone g WHERE g.place = d.place)
    ) OR (s.doc, s.place) IN (
        SELECT t.doc, t.place FROM (
            SELECT doc, place, row_number() OVER (PARTITION BY doc ORDER BY place) AS n
            FROM memcli.staged WHERE vault = %s AND line IS NULL
        ) t WHERE t.n > 1
    )
)
"""
FEWER = """
UPDATE memcli.access a
SET documents = a.documents - g.documents, terms = a.terms - g.terms
FROM (
    SELECT d.access, count(*) AS documents, sum(d.length) AS terms
    FROM gone JOIN memcli.documents d USING (place)
    WHERE d.vault = %s GROUP BY d.access
) g
WHERE a.vault = %s AND a.access = g.access
"""
MORE = """
INSERT INTO memcli.access AS a (vault, access, reach, documents, terms)
SELECT vault, access, (array_agg(reach))[1], count(*), sum(length) FROM memcli.staged
WHERE vault = %s AND line IS NULL GROUP BY vault, access
ON CONFLICT (vault, access) DO UPDATE
SET documents = a.documents + excluded.documents, terms = a.terms + excluded.terms
"""
_COPIED = (
    'vault, doc, access, place, path, blob, length, facts, "row", words, exact, '
    "session, claim, settles, moment, span, rule, pinned, created"
)
DOCUMENTS = (
    "DELETE FROM memcli.documents d USING gone g "
    "WHERE d.vault = %s AND d.place = g.place",
    f"INSERT INTO memcli.documents ({_COPIED}) SELECT {_COPIED} FROM memcli.staged "
    "WHERE vault = %s AND line IS NULL",
)
BROKEN = (
    "DELETE FROM memcli.broken b USING gone g WHERE b.vault = %s AND b.place = g.place",
    "INSERT INTO memcli.broken (vault, place, path, blob, line, reason) "
    "SELECT vault, place, path, blob, line, reason FROM memcli.staged "
    "WHERE vault = %s AND line IS NOT NULL",
)
