"""The index of a published vault in PostgreSQL, behind the same door as the local one.

Door: `engine.Engine` (opens a reader, as `index.Index` does), `publisher` (the only
writer), `initialising` (makes the tables), `schema` (tables, roles and what each may
read). psycopg is known in `connection` alone.
Not in here: what is published, and from which commit (`vault/publishing`); how an
answer is ranked, which is the same code as for the local index.
"""
