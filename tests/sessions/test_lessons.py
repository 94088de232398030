"""Which actions touch what a lesson names."""

import time

import pytest

from memcli.entries.text.code_terms import COMMAND, NAME, PATH, WORD, Trigger
from memcli.sessions.lessons import Action, fired, fires, is_at


def touches(form: str, text: str, action: Action) -> bool:
    return fires(Trigger(form, text), action)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.go", "c := &http.Client{}", True),
        ("a.go", "c := &myhttp.Client{}", False),
        ("a.go", "c := http.Clients", False),
        ("a.go", "// http.Client is banned here", False),
        ("a.go", "/* http.Client\n */\nx()", False),
        ("README.md", "`http.Client` is banned", False),
        ("a.go", 'url := "https://x" // y\nc := http.Client{}', True),
    ],
)
def test_a_name_counts_in_code_and_not_in_comments_or_prose(
    path: str, text: str, expected: bool
):
    assert touches(NAME, "http.Client", Action(path, text)) is expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("eval(", "x = eval(y)"),
        ("console.", "console.log(1)"),
        ("std::", "std::move(a)"),
        (".unwrap()", "let a = b.unwrap();"),
        ("!important", "color: red!important;"),
    ],
)
def test_a_name_that_ends_in_marks_counts_with_what_stands_beside_it(
    name: str, text: str
):
    assert touches(NAME, name, Action("a.rs", text))


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "import requests", True),
        ("a.py", "r = requests.get(url)", True),
        ("a.py", 'log("too many requests")', False),
        ("a.py", "limit = 3  # requests each minute", False),
        ("a.py", "my_requests.get(url)", False),
        ("requirements.txt", "requests==2.31", True),
        ("package.json", '"requests": "^1"', True),
        ("package.json", '"files": ["src/**/*"],\n"requests": "^1"', True),
        ("notes.txt", "import requests", False),
    ],
)
def test_a_plain_word_counts_only_where_code_has_a_name(
    path: str, text: str, expected: bool
):
    assert touches(WORD, "requests", Action(path, text)) is expected


@pytest.mark.parametrize(
    ("wanted", "command", "expected"),
    [
        ("git push --force", "git push --force origin x", True),
        ("git push --force", "cd a && git push -f", True),
        ("git push --force", "git push --force-with-lease", False),
        ("git push --force", "git commit -m 'no git push --force'", False),
        ("git push origin main", "git push origin main-2", False),
        ("* push main", "git push origin main", True),
        ("* push main", "git push -f origin HEAD:main", True),
        ("* push main", "git push origin feature", False),
        ("* push main", "git checkout main && git push", False),
        ("sudo", "sudo -E make install", True),
        ("pip install", "python -m pip install x", True),
        ("pip install", "FOO=1 /usr/bin/pip install x", True),
        ("pip install", "echo pip install", False),
        ("--no-verify", "git commit --no-verify", True),
        ("make deploy", "make deploy-staging", False),
    ],
)
def test_a_command_counts_where_it_would_run(wanted: str, command: str, expected: bool):
    assert touches(COMMAND, wanted, Action(command=command)) is expected


@pytest.mark.parametrize(
    ("name", "path", "code", "expected"),
    [
        ("http.client.Client", "a.py", "from http.client import Client", True),
        ("http.client.Client", "a.py", "from http.server import Client", False),
        ("std::sync::Mutex", "a.rs", "use std::sync;\nsync::Mutex::new(1)", True),
        ("foo_", "a.py", "foo_bar(1)", False),
    ],
)
def test_a_long_name_counts_after_an_import_and_a_part_of_a_name_does_not(
    name: str, path: str, code: str, expected: bool
):
    assert touches(NAME, name, Action(path, code)) is expected


def test_a_star_stands_for_an_argument_of_a_command():
    assert touches(COMMAND, "npm install *", Action(command="npm install marked"))
    assert not touches(COMMAND, "npm install *", Action(command="npm install --quiet"))


def test_a_keyword_in_quotes_is_a_text_and_a_package_is_not():
    assert not touches(WORD, "delete", Action("a.py", '__all__ = ["delete"]'))
    assert touches(WORD, "moment", Action("a.ts", 'import m from "moment"'))


def test_a_command_counts_in_a_script_as_well():
    script = Action("ci/build.sh", "set -e\nnpm install\n")
    assert touches(COMMAND, "npm install", script)
    assert not touches(COMMAND, "npm install", Action("a.py", "npm install"))


def test_a_package_counts_where_a_command_installs_it():
    assert touches(WORD, "moment", Action(command="pnpm add moment@2 zod"))
    assert not touches(WORD, "moment", Action(command="echo one moment"))


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("gen/", "gen/a.py", True),
        ("gen/", "src/gen/b/a.py", True),
        ("gen/", "gen.py", False),
        ("proto/*.proto", "api/proto/a.proto", True),
        ("proto/*.proto", "proto/v1/a.proto", False),
        ("proto/**/a.proto", "proto/v1/v2/a.proto", True),
        ("poetry.lock", "sub/poetry.lock", True),
        ("poetry.lock", "poetry.lock.bak", False),
        ("*.snap", "a/b.snap", True),
        ("data/raw", "data/raw/2024/x", True),
        ("data/raw", "data/./raw/x", True),
        ("data/raw", "./data/new/../raw//x", True),
        ("data/raw", "data/raw/../new/x", False),
        ("/data/raw", "/../data/raw/x", True),
    ],
)
def test_a_path_counts_at_and_below_its_pattern(
    pattern: str, path: str, expected: bool
):
    assert is_at(path, pattern) is expected


def test_a_command_that_changes_a_path_counts_and_one_that_reads_it_does_not():
    for command in ("rm -rf data/raw/x", "mv a data/raw/b", "echo x > data/raw/c"):
        assert touches(PATH, "data/raw", Action(command=command)), command
    for command in ("ls data/raw", "grep -r x data/raw", "cat data/raw/c | wc"):
        assert not touches(PATH, "data/raw", Action(command=command)), command


def test_a_lesson_is_silent_where_it_allows_what_it_forbids():
    trigger = (Trigger(NAME, "os.Getenv"),)
    text = 'x := os.Getenv("X")'
    assert fired(trigger, ("internal/config",), Action("a.go", text))
    inside = Action("internal/config/env.go", text)
    assert fired(trigger, ("internal/config",), inside) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "trigger",
    [
        Trigger(PATH, "*" * 80),
        Trigger(PATH, "**/" * 26 + "x"),
        Trigger(NAME, "(a+)+$"),
        Trigger(NAME, ".*.*.*.*"),
        Trigger(WORD, "a"),
        Trigger(COMMAND, "a " * 40),
    ],
)
def test_no_trigger_of_a_hostile_vault_takes_long(trigger: Trigger):
    huge = "a" * 100_000 + "\n" + "a " * 50_000 + "`a'\"(" * 2_000
    actions = [
        Action("/".join("a" * 60), huge),
        Action("x.js", "/*" + "*" * 99_999),
        Action("x.js", "/*" * 99_999),
        Action("x.py", "\n" * 99_999),
        Action(command=huge),
        Action(command="sudo " * 30_000),
    ]
    started = time.process_time()
    for action in actions:
        fires(trigger, action)
    assert time.process_time() - started < 2.0
