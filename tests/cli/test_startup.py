"""What a command loads is most of what it costs.

Invariant: nothing is imported that the command does not use. Times are measured by
the benchmarks; here only `sys.modules` is looked at, so that no test is timed.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries import layout
from tests.conftest import VaultMaker, state_of

PROBE = """
import sys
before = set(sys.modules)
{code}
loaded = {{name.partition(".")[0] for name in set(sys.modules) - before}}
sys.stderr.write("LOADED " + " ".join(sorted(loaded)))
"""

# Names with their dots; and the end of a command lets the probe speak.
PROBE_WHOLE = "import os, sys\nos._exit = sys.exit\n" + PROBE.replace(
    'name.partition(".")[0]', "name"
)

RUN = """
from memcli.cli.argv import main
sys.argv = ["memcli", *{arguments!r}]
try:
    main()
except SystemExit as exit:
    if exit.code:
        raise
"""


def loaded_by(code: str, probe: str = PROBE) -> set[str]:
    """Names of the modules that `code` brings into a new interpreter.

    Top-level names; with `PROBE_WHOLE` whole ones.
    """
    done = subprocess.run(
        [sys.executable, "-c", probe.format(code=code)],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.rpartition("LOADED ")[2].split())


def test_probe_sees_what_is_loaded():
    assert "fractions" in loaded_by("import fractions")


def test_importing_the_entry_point_loads_no_library():
    heavy = {
        *("typer", "click", "whoosh", "git", "rich", "yaml", "frontmatter", "json"),
        *("dataclasses", "inspect", "logging", "pathlib", "subprocess", "tempfile"),
    }
    found = loaded_by("import memcli.cli.argv") & heavy
    assert found == set()


# A plain command ends its process at once; the probe speaks after it.
STAY = "import memcli.cli.argv\nmemcli.cli.argv.leave = sys.exit\n"
SDK = {"anyio", "mcp", "mcp_types", "pydantic", "starlette"}
LIBRARIES = {"whoosh", "git", "rich", "yaml", "frontmatter", *SDK}
# typing takes a twentieth of a recall, for what only type checkers read.
HOT = {"typing"} if sys.version_info < (3, 14) else set()
MINING = {"memcli.sessions.mining", "memcli.sessions.reflect_session", "requests"}
# Rows that name code, or rest on others, load what says whether they hold.
RARE = {
    *("contextlib", "ctypes", "datetime", "importlib", "tomllib", "warnings"),
    *("memcli.entries.dates", "memcli.entries.text.links", "memcli.vault.lookup"),
    "memcli.vault.code_state",
    *("memcli.vault.staleness", "memcli.hosts.transcripts"),
    *("memcli.recall.federated", "memcli.entries.text.time_windows"),
}
# (the command line, what it must not load, what shows that it did its work)
COMMANDS = [
    ("--help", LIBRARIES | HOT | {"typer"}, {"memcli.cli.commands"}),
    ("save --help", LIBRARIES, set()),
    ("init vault", SDK, {"memcli.vault.create"}),
    ("mcp --help", SDK, {"typer"}),
    (
        "recall billing",
        LIBRARIES | HOT | MINING | RARE | {"_hashlib"},
        {"_sqlite3", "_blake2", "memcli.recall.results"},
    ),
    (
        "reflect billing",
        LIBRARIES | HOT | MINING | {"tomllib", "_hashlib"},
        {"_sqlite3", "_blake2", "memcli.recall.reflect"},
    ),
    (
        "__complete zsh show x",
        LIBRARIES | {"typer", "click", "subprocess"},
        {"memcli.cli.complete"},
    ),
    (
        "save something",
        LIBRARIES | HOT | MINING | {"subprocess", "_hashlib"},
        {"memcli.vault.vault"},
    ),
    ("list", HOT, {"memcli.vault.vault"}),
    ("list --by tag", HOT, {"memcli.vault.vault"}),
]


@pytest.mark.parametrize(
    ("line", "never", "worked"), COMMANDS, ids=[one[0] for one in COMMANDS]
)
def test_a_command_loads_nothing_that_it_does_not_use(
    vault: Vault,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    never: set[str],
    worked: set[str],
):
    vault.save("The billing team meets on Mondays")
    vault.recall("billing")  # what builds an index loads more
    monkeypatch.setenv("MEMCLI_VAULT", vault.root)
    monkeypatch.chdir(tmp_path)
    found = loaded_by(STAY + RUN.format(arguments=line.split()), PROBE_WHOLE)
    assert found & never == set()
    assert worked <= found


def test_the_tools_of_mcp_are_listed_without_the_sdk():
    assert loaded_by("import memcli.cli.mcp, memcli.cli.mcp.catalog") & SDK == set()


# typing's give each class a function of its own to make one, which ours share.
TUPLES = """
slow = sorted(
    kind.__module__ + "." + kind.__name__
    for name, module in sys.modules.items()
    if name.startswith("memcli.") and name != "memcli.named_tuple"
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, tuple) and "__new__" in vars(kind)
)
sys.stderr.write("LOADED " + " ".join(slow))
"""


@pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="they are typing's from 3.14 on"
)
@pytest.mark.parametrize("words", [["recall", "deploy"], ["save", "We deploy daily"]])
def test_a_hot_command_defines_its_tuples_by_memclis_own_named_tuple(
    vault: Vault, words: list[str]
):
    vault.save("We deploy on Mondays")
    code = STAY + RUN.format(arguments=[*words, "--vault", vault.root])
    assert loaded_by(code, "import sys\n{code}" + TUPLES) == set()


PATTERNS = """
import re
sys.stderr.write("LOADED " + " ".join(["made"] * len(re._cache)))
"""


def test_a_recall_compiles_no_pattern_that_it_does_not_need(vault: Vault):
    """Each takes .1 to .7 ms: `re.fullmatch(TEXT, ...)` compiles at the first use."""
    vault.recall("billing")
    code = STAY + RUN.format(arguments=["recall", "billing", "--vault", vault.root])
    done = subprocess.run(
        [sys.executable, "-c", "import sys\n" + code + PATTERNS],
        capture_output=True,
        text=True,
        check=True,
    )
    assert 5 < done.stderr.count("made") <= 20


PROMPT = """
import os
from memcli.sessions.hooks import call as hook
call = hook.Call([{event!r}, "--host", "codex", "--vault", {root!r}])
given = {{"session_id": "s1", "prompt": "deploy the billing service"}}
hook.answer(call, lambda: given)
hook.note(call)
assert "error" not in call.line and call.answer, call.line
"""


LOOK = """
import os
from memcli.sessions.hooks import glance
words = ["pre-tool", "--host", "claude-code", "--vault", {root!r}]
given = b'{{"session_id": "s1", "cwd": "/w", "tool_name": "Edit", "tool_input": '
given += b'{{"file_path": "/w/a.py", "new_string": "return x"}}}}'
assert not glance.look(words, glance.loads(given), os.environ)
"""


def test_the_first_look_at_an_action_loads_next_to_nothing(
    make_vault: VaultMaker, monkeypatch: pytest.MonkeyPatch
):
    """Every edit of every session pays for it: 2.5 times a bare Python at most."""
    vault = make_vault(now_ms=None)
    vault.save("Never call http.Get", kind="constraint")
    monkeypatch.setattr("memcli.search.following._RACY_NS", 0)
    vault.read(lambda reader: reader.size)
    vault.opened.told()
    found = loaded_by(LOOK.format(root=vault.root), PROBE_WHOLE)
    others = {name for name in found if not name.startswith("memcli")}
    light = {"__future__", "_bisect", "_json", "bisect", "math", "select", "zlib"}
    assert others <= light
    assert len(found - others) <= 20, "each module of memcli costs a file"


def test_a_call_of_a_tools_hook_loads_no_command_line():
    code = "import memcli.cli.argv"
    assert loaded_by(code, PROBE_WHOLE) == {
        "__future__", "gc", "memcli", "memcli.cli", "memcli.cli.argv"
    }  # fmt: skip


@pytest.mark.parametrize("event", ["session-start", "prompt-submit"])
def test_a_hook_loads_no_more_than_a_recall(
    make_vault: VaultMaker, event: str, monkeypatch: pytest.MonkeyPatch
):
    vault = make_vault(now_ms=None)
    text = "The billing service deploys from main"
    vault.save(text, kind="constraint")
    vault.recall("billing")
    # Detached work is not what is looked at: the last sweep was just now.
    swept = state_of(vault.root, layout.HARNESS) / "swept"
    swept.parent.mkdir()
    swept.touch()
    heavy = {
        *("typer", "click", "git", "rich", "yaml", "frontmatter", "subprocess"),
        *("dataclasses", "inspect", "logging", "pathlib", "tempfile", "_hashlib"),
        *("importlib", "warnings"),
        *(
            "memcli.search.ranking.graph",
            "memcli.entries.text.mentions",
            "memcli.vault.registry",
        ),
        *(("contextlib", "tomllib") if event == "prompt-submit" else ()),
        *(("typing",) if sys.version_info < (3, 14) else ()),
    }
    code = PROMPT.format(event=event, root=vault.root)
    assert loaded_by(code, PROBE_WHOLE) & heavy == set()


def test_a_hook_loads_no_format_of_transcripts(vault: Vault):
    code = PROMPT.replace(" and call.answer", "")
    code = code.format(event="prompt-submit", root=vault.root)
    loaded = loaded_by(code, PROBE_WHOLE)
    ours = {name for name in loaded if name.startswith("memcli.hosts.")}
    more = {"host", "table", "hook_payload", "transcript"}
    assert ours == {f"memcli.hosts.{name}" for name in more}
