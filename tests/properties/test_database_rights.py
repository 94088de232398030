"""What a login of a published vault can find out with SQL of its own.

Invariant: nothing of an entry that its agent may not see but how large the tables are
as a whole. It runs on a real PostgreSQL (tests/databases.py).
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from memcli import Vault
from memcli.errors import MemcliError, NotAllowed
from memcli.search.postgres import functions, schema
from memcli.search.postgres.packing import FIELDS, NUMBER
from memcli.storage.known_vaults import KnownVault
from memcli.vault import publishing
from tests import databases
from tests.conftest import VaultMaker
from tests.properties.conftest import AGENTS, commit, publish
from tests.properties.test_index_equality import write

pytestmark = pytest.mark.slow

TABLES = "access broken counts documents format lists pages sees staged turns vaults"
MINE = {  # a word that stands in one entry alone, and who may read that entry
    "alphaword": "agent: ada\nvisibility: private",
    "bravoword": "agent: ben\nvisibility: group\ngroups: [red]",
    "charlieword": "agent: cleo\nvisibility: group\ngroups: [blue]",
    "deltaword": "agent: stranger\nvisibility: shared",
    "echoword": "visibility: private",
}
SEES = {
    "ada": {"alphaword", "deltaword"},
    "ben": {"bravoword"},
    "cleo": {"bravoword", "charlieword"},
    "Ops Bot": set(),
    "nobody": set(),
    "admin": set(MINE),
}
HIDDEN, ABSENT = b"bravoword", b"brabsword"  # from ada; of one length


@pytest.fixture
def hiding(server: databases.Server, database: str, make_vault: VaultMaker) -> Vault:
    """A published vault in which each agent may read something else."""
    vault = make_vault()
    write(vault.root, ".memcli/config.toml", AGENTS)
    for number, (word, fields) in enumerate(MINE.items()):
        head = f"---\nid: '{number:016d}'\n{fields}\ntags: [t{word}]\n"
        head += f"kind: constraint\nsession: s{word}\n---\n"
        write(vault.root, f"{word}.md", f"{head}The {word} is here\n")
        page = f"---\ntitle: Page {word}\n{fields}\n---\n"
        write(vault.root, f"entities/tool/{word}.md", page)
    write(vault.root, "broken echoword.md", "---\nid: [\n---\n")
    publish(server, database, vault)
    return vault


class Login:
    """One session of a login, which sends any SQL."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.said: list[str] = []
        connection.add_notice_handler(
            lambda said: self.said.append(said.message_primary or "")
        )

    def ask(self, sql: str, **values: Any) -> list[tuple[Any, ...]]:
        """The rows of one statement."""
        cursor = self.connection.execute(sql.encode(), values or None)
        return list(cursor.fetchall()) if cursor.description else []

    def call(self, function: functions.Function, **values: Any) -> list[Any]:
        """What a function says of the first vault, asked as no agent in particular."""
        return self.ask(function.call, **({"vault": 1, "agent": None} | values))


@contextmanager
def login(server: databases.Server, database: str, user: str) -> Iterator[Login]:
    import psycopg

    url = server.url(database, user)
    with psycopg.connect(url, autocommit=True) as connection:
        yield Login(connection)


def everything(asking: Login, docs: list[int], **who: Any) -> str:
    """All that all functions say when they are asked for all there is."""
    fields = list(range(len(FIELDS)))
    words = [form for word in MINE for form in (word.encode(), b"t" + word.encode())]
    widest: dict[str, Any] = {
        "fields": [field for field in fields for _ in words],
        "values": words * len(fields),
        "docs": docs,
        "rows": docs,
        "words": docs,
        "beside": docs,
        "starts": docs,
        "width": 1,
        "sessions": docs,
        "start": b"",
        "end": b"\xff\xff",
        "ends": [b""],
        "least": 0,
        "common": 1.0,
        "total": 0,
        "access": -(1 << 63),
        "first": -(1 << 63),
        "skipped": 0,
        "claim": 0,
    }
    said = []
    for each in functions.FUNCTIONS:
        for field in fields if "field" in each.takes else (0,):
            values = {
                name: widest.get(name, 1 << 40) for name in each.takes if name != "most"
            }
            most: Any = 1 << 40
            if each is functions.LISTS:
                most = values["flat"] = [most] * len(values["fields"])
            if each is functions.DATED:
                values |= {"start": -(1 << 62), "end": 1 << 62}
            if "field" in each.takes:
                values["field"] = field
            if each is functions.LISTED:
                values["values"] = words
            if each is functions.LONG:
                for word in words:
                    rows = asking.call(each, field=field, value=word, **who)
                    said += [word, *rows] if rows else []
                continue
            said += asking.call(each, **values, most=most, **who)
    return repr(said)


def found(text: str) -> set[str]:
    return {word for word in MINE if word in text}


def numbers(server: databases.Server, database: str) -> list[int]:
    rows = server.execute(
        "SELECT doc FROM memcli.documents UNION SELECT session FROM memcli.documents",
        database,
    )
    return [number for (number,) in rows]


@pytest.mark.parametrize("role", SEES)
def test_no_function_tells_a_login_a_word_of_what_its_agent_may_not_see(
    server: databases.Server, database: str, hiding: Vault, role: str
) -> None:
    docs = numbers(server, database)
    with login(server, database, role) as asking:
        # The config names agents and groups, and is for all readers.
        assert found(everything(asking, docs)) == SEES[role]
        if role != "admin":  # who it says that it is does not matter
            assert found(everything(asking, docs, agent=b"ben")) == SEES[role]
        assert found(everything(asking, docs, vault=2)) == set()
        rows = asking.ask("SELECT * FROM memcli.look('company')")
        assert len(rows) == (role != "nobody")
        for row in rows:
            assert row[3:] == (role, role == "admin", role == "admin")


def test_a_session_is_the_agent_of_its_login_or_of_a_role_that_it_is_a_member_of(
    server: databases.Server, database: str, hiding: Vault
) -> None:
    values = {"field": NUMBER["terms"], "start": b"", "end": b"\xff", "most": 99}
    with login(server, database, "admin") as asking:
        for role, seen in SEES.items():
            asking.ask(f'SET ROLE "{role}"')
            rows = asking.call(functions.COUNTS.begun, **values)
            assert found(repr(rows)) == seen, role
    with login(server, database, "ada") as asking:
        for sql in (
            *(f"SET ROLE {role}" for role in ("ben", *schema.ROLES[1:])),
            "SET SESSION AUTHORIZATION ben",
            "SELECT set_config('role', 'ben', false)",
            "SELECT set_config('session_authorization', 'ben', false)",
        ):
            with pytest.raises(Exception, match=r"permission denied"):
                asking.ask(sql)
        for setting in ("SET row_security = off", "SET ROLE memcli_reader"):
            asking.ask(setting)
            assert not found(repr(asking.call(functions.COUNTS.begun, **values))) - {
                "alphaword", "deltaword"
            }  # fmt: skip
        # The server takes the setting, and heeds it at no login that is no member.
        asking.ask("RESET ROLE")
        asking.ask("ALTER ROLE ada SET role = 'ben'")
    with login(server, database, "ada") as asking:
        rows = asking.call(functions.COUNTS.begun, **values)
        assert found(repr(rows)) == SEES["ada"]
        asking.ask("ALTER ROLE ada RESET role")


def test_row_level_security_hides_what_a_function_forgets_to_hide(
    server: databases.Server, database: str, hiding: Vault
) -> None:
    server.execute(
        f"GRANT CREATE ON SCHEMA memcli TO {functions.ROLE}; "
        "CREATE FUNCTION memcli.careless() RETURNS SETOF text LANGUAGE sql "
        "SECURITY DEFINER AS $$ SELECT d::text FROM memcli.documents d UNION ALL "
        "SELECT convert_from(value, 'UTF8') FROM memcli.lists UNION ALL "
        "SELECT convert_from(value, 'UTF8') FROM memcli.counts UNION ALL "
        "SELECT convert_from(data, 'UTF8') FROM memcli.pages $$; "
        f"ALTER FUNCTION memcli.careless() OWNER TO {functions.ROLE}",
        database,
    )
    for role in ("ada", "ben", "cleo", "nobody"):
        rows = server.execute("SELECT * FROM memcli.careless()", database, role)
        assert found(repr(rows)) == SEES[role]


# --- attacks --------------------------------------------------------------------------


def test_a_login_has_no_right_on_a_table(
    server: databases.Server, database: str, hiding: Vault
) -> None:
    parts = [f"{table}_{i}" for table in ("documents", "lists") for i in range(8)]
    with login(server, database, "ada") as asking:
        for table in [*TABLES.split(), *parts]:
            for sql in (
                "SELECT * FROM memcli.{}",
                "SELECT count(*) FROM memcli.{}",
                "SELECT FROM memcli.{} TABLESAMPLE SYSTEM (1)",
                "EXPLAIN SELECT FROM memcli.{}",
                "COPY memcli.{} TO STDOUT",
                "DO $$ BEGIN LOCK TABLE memcli.{} IN ACCESS SHARE MODE; END $$",
                "CREATE TEMP TABLE t (LIKE memcli.{} INCLUDING STATISTICS)",
                "ANALYZE VERBOSE memcli.{}; SELECT 1/0",
                "DELETE FROM memcli.{}",
                "ALTER TABLE memcli.{} DISABLE ROW LEVEL SECURITY",
                "CREATE TRIGGER t BEFORE INSERT ON memcli.{} EXECUTE FUNCTION f()",
            ):
                with pytest.raises(
                    Exception, match=r"permission denied|must be owner|division by zero"
                ):
                    asking.ask(sql.format(table))
    assert not found(repr(asking.said))


@pytest.mark.parametrize("role", ["ada", "memcli_owner"])
def test_a_reader_can_change_nothing(
    server: databases.Server, database: str, hiding: Vault, role: str
) -> None:
    for statement in (
        "DELETE FROM memcli.documents",
        "UPDATE memcli.vaults SET commit = 'x'",
        "INSERT INTO memcli.sees SELECT 1, 'ada', 1",
        "CREATE TABLE memcli.mine (a int)",
        "SELECT vault FROM memcli.turns FOR UPDATE",  # the publishers' lock
        "SELECT vault FROM memcli.vaults FOR UPDATE",
        "ALTER TABLE memcli.lists DISABLE ROW LEVEL SECURITY",
        "CREATE FUNCTION memcli.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "ALTER FUNCTION memcli.asking() RESET ALL",
        "DROP FUNCTION memcli.seen(integer, bytea)",
        "SELECT memcli.seen(1, NULL)",
        "SELECT memcli.asking()",
    ):
        with pytest.raises(Exception, match=r"permission denied|must be owner"):
            server.execute(f'SET ROLE "{role}"; {statement}', database)


def test_the_catalogs_show_a_login_no_word(
    server: databases.Server, database: str, hiding: Vault
) -> None:
    for _ in range(3):  # a value that is common enough to be kept as one
        server.execute("ANALYZE", database)
    kept = "SELECT count(*) FROM pg_stats WHERE schemaname = 'memcli'"
    assert server.execute(kept, database)[0][0] > 0
    with login(server, database, "ada") as asking:
        for sql in (
            "SELECT * FROM pg_stats WHERE schemaname = 'memcli'",
            "SELECT * FROM pg_stats_ext",
            "SELECT * FROM pg_largeobject_metadata",
            "SELECT * FROM information_schema.columns WHERE table_schema = 'memcli'",
        ):
            assert asking.ask(sql) == []
        for sql in (
            "SELECT * FROM pg_statistic",
            "SELECT * FROM pg_largeobject",
            "SELECT pg_read_file('PG_VERSION')",
            "SELECT * FROM pg_ls_waldir()",
            "SELECT lo_import('/etc/passwd')",
            "COPY (SELECT 1) TO PROGRAM 'true'",
            "LOAD 'auto_explain'",
        ):
            with pytest.raises(
                Exception, match=r"permission denied|must be superuser|not allowed"
            ):
                asking.ask(sql)
        shown = [
            asking.ask(f"SELECT * FROM {view}")
            for view in ("pg_stat_activity", "pg_locks", "pg_prepared_statements")
        ]
        assert not found(repr(shown))


def test_neither_plans_nor_counters_tell_a_hidden_word_from_none(
    server: databases.Server, database: str, hiding: Vault
) -> None:
    """Every function that takes a value reads as many rows and pages for both."""
    terms = NUMBER["terms"]
    tried = (
        (functions.COUNTS.lengths, lambda word: {"fields": [terms], "values": [word]}),
        (functions.VALUES.lengths, lambda word: {"fields": [terms], "values": [word]}),
        (functions.LISTED, lambda word: {"field": terms, "values": [word]}),
        (functions.LONG, lambda word: {"field": terms, "value": word}),
        (functions.COUNTS.begun, lambda word: {
            "field": terms, "start": word, "end": word + b"\xff", "most": 9
        }),
        (functions.ENDING, lambda word: {
            "field": terms, "start": word, "end": word + b"\xff", "ends": [b""]
        }),
        (functions.LISTS, lambda word: {
            "fields": [terms], "values": [word], "most": [9], "flat": [9], "total": 9,
            "common": 1.0
        }),
    )  # fmt: skip
    hidden = server.execute(
        "SELECT doc, session, claim FROM memcli.documents "
        "WHERE path = 'bravoword.md'::bytea",
        database,
    )[0]
    numbered = (
        (functions.LOOK_AT, lambda at: {"docs": [at[0]], "rows": [], "words": []}),
        (functions.MEET, lambda at: {"sessions": [at[1]]}),
        (functions.GATHER, lambda at: {"beside": [at[0]], "most": 9}),
        (functions.SETTLING, lambda at: {"claim": at[2]}),
    )
    absent = tuple(number ^ 1 for number in hidden)
    cases: list[tuple[functions.Function, Any, Any]]
    cases = [(each, make(HIDDEN), make(ABSENT)) for each, make in tried]
    cases += [(each, make(hidden), make(absent)) for each, make in numbered]
    with login(server, database, "ada") as asking:
        # The login may choose how its questions are planned.
        asking.ask("SET enable_seqscan = off")
        asking.ask("SET plan_cache_mode = force_generic_plan")
        for function, secret, nothing in cases:
            for values in (secret, nothing) * 3:  # the plans are kept from here on
                assert asking.call(function, **values) == []
            one, other = (
                _footprint(asking, function, values) for values in (secret, nothing)
            )
            assert one == other, function.name


_COUNTERS = """
SELECT relid, seq_scan, seq_tup_read, idx_scan, idx_tup_fetch
FROM pg_stat_xact_all_tables WHERE schemaname = 'memcli' ORDER BY relid
"""


def _footprint(asking: Login, function: functions.Function, values: Any) -> list[Any]:
    """What a call reads, as the server counts it in its transaction and its plan."""
    asking.ask("BEGIN")
    before = asking.ask(_COUNTERS)
    plan = asking.ask(
        "EXPLAIN (ANALYZE, BUFFERS, TIMING off, SUMMARY off, COSTS on) "
        + function.call,
        **({"vault": 1, "agent": None} | values),
    )
    after = asking.ask(_COUNTERS)
    asking.ask("ROLLBACK")
    hits = re.findall(r"shared (?:hit|read)=(\d+)|rows=(\d+)", repr(plan))
    return [
        hits,
        [
            [(b or 0) - (a or 0) for a, b in zip(one[1:], two[1:], strict=True)]
            for one, two in zip(before, after, strict=True)
        ],
    ]


def test_nothing_that_a_login_makes_takes_part_in_a_function(
    server: databases.Server, database: str, hiding: Vault
) -> None:
    """Tables, casts, operators and functions of its own, found first by its path."""
    server.execute("GRANT CREATE, TEMPORARY ON DATABASE " + database + " TO ada")
    values = {"field": NUMBER["terms"], "start": b"", "end": b"\xff", "most": 99}
    with login(server, database, "ada") as asking:
        plain = asking.call(functions.COUNTS.begun, **values)
        for sql in (
            "CREATE SCHEMA evil",
            "CREATE FUNCTION evil.told(anyelement) RETURNS boolean LANGUAGE plpgsql "
            "COST 0.0001 AS $$ BEGIN RAISE WARNING 'told %', $1; RETURN true; END $$",
            "CREATE FUNCTION evil.same(bytea, bytea) RETURNS boolean LANGUAGE plpgsql "
            "AS $$ BEGIN RAISE WARNING 'told %', $1; RETURN true; END $$",
            "CREATE OPERATOR evil.= (LEFTARG = bytea, RIGHTARG = bytea, "
            "FUNCTION = evil.same)",
            "CREATE OPERATOR evil.>= (LEFTARG = bytea, RIGHTARG = bytea, "
            "FUNCTION = evil.same)",
            "CREATE FUNCTION evil.length(bytea) RETURNS int LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE WARNING 'told %', $1; RETURN 1; END $$",
            "CREATE FUNCTION evil.current_setting(text) RETURNS text LANGUAGE sql "
            "AS $$ SELECT 'ben'::text $$",
            "CREATE TABLE evil.sees (vault integer, agent bytea, access bigint)",
            "CREATE TEMP TABLE sees (vault integer, agent bytea, access bigint)",
            "CREATE TEMP TABLE pg_roles AS SELECT * FROM pg_catalog.pg_roles",
            "SET search_path = evil, pg_temp, pg_catalog",
        ):
            asking.ask(sql)
        assert asking.call(functions.COUNTS.begun, **values) == plain
        assert asking.said == []
        # What it puts beside a call gets what the call returns, and no other row.
        asking.ask(
            functions.COUNTS.begun.call + " AS f WHERE evil.told(f.value)", **{
                "vault": 1, "agent": None, **values
            }
        )  # fmt: skip
        said = " ".join(asking.said)
        told = {bytes.fromhex(hexed) for hexed in re.findall(r"told \\x(\w+)", said)}
        assert found(repr(told)) == SEES["ada"]


def test_no_message_of_the_server_shows_what_a_function_does_inside(
    server: databases.Server, database: str, hiding: Vault
) -> None:
    with login(server, database, "ada") as asking:
        for name in ("parse", "rewritten", "plan"):
            asking.ask(f"SET debug_print_{name} = on")
        asking.ask("SET client_min_messages = debug5")
        asking.said.clear()
        asking.call(functions.COUNTS.lengths, fields=[NUMBER["terms"]], values=[HIDDEN])
        assert asking.said  # of the call itself
        assert not [said for said in asking.said if "memcli.counts" in said]
        asking.said.clear()
        for call in (
            "SELECT memcli.list_of(1, NULL, 0::smallint, repeat('x', 1000000)::bytea)",
            "SELECT memcli.size(-1, '\\xff00')",
            "SELECT memcli.values_of(1, NULL, 0::smallint, NULL)",
            "SELECT memcli.every_document(1, NULL, NULL, NULL, NULL)",
        ):
            asking.ask(call)
        assert not found(repr(asking.said)) - SEES["ada"]


# --- memcli over such a login ---------------------------------------------------------


def test_a_reader_is_the_agent_of_its_name_and_no_other(
    company: Callable[..., Vault], hiding: Vault
) -> None:
    assert [row.title for row in company("ada").recall("alphaword").rows]
    assert not company("ada").recall("bravoword").rows
    assert not company(agent="ada").recall("bravoword").rows
    with pytest.raises(NotAllowed, match="knows its user as the agent 'ada'"):
        company("ada", agent="ben")
    with pytest.raises(MemcliError, match="holds no vault 'company'"):
        company("nobody")


def test_only_a_publisher_publishes(
    server: databases.Server, database: str, hiding: Vault
) -> None:
    place = KnownVault(
        "company", "", "ro", engine=server.url(database, "ada"), published_as="company"
    )
    with pytest.raises(NotAllowed, match="permission denied"):
        publishing.publish(hiding, place)
    server.execute("CREATE ROLE ci LOGIN; GRANT memcli_publisher TO ci", database)
    write(hiding.root, "new.md", "Something new")
    commit(hiding.root)
    place = place._replace(engine=server.url(database, "ci"))
    try:
        assert publishing.publish(hiding, place).added == 1
    finally:
        server.execute("DROP ROLE ci", database)
