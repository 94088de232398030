"""No text that is stored holds a secret, from every source.

All kinds of secrets go the ways that bring most texts; and one goes through every
argument and flag of every command, and every parameter of every MCP tool.
"""

import json
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.cli import commands
from memcli.cli import commands as table
from memcli.cli.app import main
from memcli.cli.mcp import catalog, tools
from memcli.cli.mcp.catalog import TOOLS
from memcli.curation import evolve, importing, undo
from memcli.entries import no_secrets
from memcli.entries.entry import Entry, Source
from memcli.errors import SecretFound
from memcli.vault import session_records
from tests.conftest import sample
from tests.contexts import context_of
from tests.entries.text.secret_kinds import SECRETS, fill
from tests.git_command import git
from tests.hosts import writing
from tests.saving import save, write


def held(vault: Vault, home: Path) -> str:
    """Everything that is stored: files and their names, git's objects, the home."""
    files = [
        path
        for top in (Path(vault.root), home)
        for path in sorted(top.rglob("*"))
        if path.is_file() and "objects" not in path.parts
    ]
    git = ["git", "-C", vault.root, "cat-file", "--batch-all-objects", "--batch"]
    objects = subprocess.run(git, capture_output=True, check=True).stdout
    parts = [str(path).encode() + b"\n" + path.read_bytes() for path in files]
    return b"\n".join((*parts, objects)).decode("utf-8", "replace").lower()


# --- all kinds, on the ways that bring most texts --------------------------------------


def by_save(vault: Vault, text: str, name: str) -> None:
    save(vault, f"how it works: {name}", source={"excerpt": text})


def by_evolve(vault: Vault, text: str, name: str) -> None:
    evolve.evolve(vault, vault.save("one").id, {"text": text})


def by_import(vault: Vault, text: str, name: str) -> None:
    line = json.dumps({"text": text}).encode()
    _failed(importing.import_lines(vault, line, "lines.jsonl"))


def by_excerpt(vault: Vault, text: str, name: str) -> None:
    line = json.dumps({"text": name, "source": {"excerpt": text}}).encode()
    _failed(importing.import_lines(vault, line, "-"))


def by_folder(vault: Vault, text: str, name: str) -> None:
    folder = Path(vault.root).parent / "notes"
    quoted = json.dumps(text, ensure_ascii=False)
    write(folder, "note.md", f"---\nlogin: {quoted}\n---\n{name}\n")
    _failed(importing.import_folder(vault, str(folder)))


def by_mcp(vault: Vault, text: str, name: str) -> None:
    answer = tools.call(catalog.memory_save, {"text": text}, context_of(vault))
    if answer.error is not None:
        raise SecretFound(str(answer.error))


def _failed(done: importing.Imported) -> None:
    for failure in done.failed:
        assert failure.code == "secret_found"
        raise SecretFound(failure.reason)


WAYS = {
    "save": by_save,
    "evolve": by_evolve,
    "import": by_import,
    "excerpt": by_excerpt,
    "folder": by_folder,
    "MCP": by_mcp,
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_every_kind_is_refused_by_name_and_place_and_nothing_is_written(
    vault: Vault, way: str, home: Path
) -> None:
    messages = {}
    for name, secret in SECRETS.items():
        text = f"Before it.\n{secret}\nAfter it."
        try:
            WAYS[way](vault, text, name)
        except SecretFound as refusal:
            messages[name] = f"{refusal} {refusal.hint}"
    assert SECRETS.keys() - messages.keys() == set()
    assert all("looks like a secret (" in message for message in messages.values())
    assert [name for name in messages if SECRETS[name] in messages[name]] == []
    everything = held(vault, home)
    assert [name for name in SECRETS if SECRETS[name].lower() in everything] == []


@pytest.mark.slow
def test_every_kind_is_taken_out_of_what_is_mined(
    vault: Vault, tmp_path: Path, home: Path
) -> None:
    assert len({name.partition(" #")[0] for name in SECRETS}) >= 60
    for number, secret in enumerate(sample(SECRETS.values(), 25)):
        said = f"From now on always use {secret} when you deploy step {number}."
        kept = f"From now on always run the linter before step {number}."
        rows = [
            {"role": "user", "text": said},
            {"role": "assistant", "text": f"I will use\n{secret}"},
            {"role": "user", "text": kept},
        ]
        vault.mine(writing.write(tmp_path / f"s{number}.jsonl", rows))
    everything = held(vault, home)
    assert everything.count("always run the linter before step") >= 25
    assert [name for name in SECRETS if SECRETS[name].lower() in everything] == []


# --- every field of an entry ------------------------------------------------------------

TOKEN = fill("dop_v1_~64h~")


def _entries() -> Iterator[tuple[str, Entry]]:
    bare = Entry(id="1m7xvn68xtqp489w", body="text\n")
    for name in Entry._fields:
        value = getattr(bare, name)
        if isinstance(value, bool) or name in ("layer", "type", "status", "visibility"):
            continue
        if name == "source":
            for part in Source._fields:
                if part != "seq":
                    given = value._replace(**{part: TOKEN})
                    yield f"source.{part}", bare.replace(source=given)
        elif name == "extra":
            lines = (("login", f"login: {TOKEN}\n"), (TOKEN, f"{TOKEN}: yes\n"))
            yield "frontmatter login", bare.replace(extra=lines[:1])
            yield "frontmatter", bare.replace(extra=lines[1:])
        else:
            given = (TOKEN,) if isinstance(value, tuple) else TOKEN
            called = "text" if name == "body" else name
            yield called, bare.replace(**{name: given})


FIELDS = dict(_entries())


@pytest.mark.parametrize("field", FIELDS)
def test_a_secret_is_refused_in_every_field_of_an_entry(field: str) -> None:
    with pytest.raises(SecretFound, match=rf"^{field}, line 1: ") as refusal:
        no_secrets.refuse(FIELDS[field])
    assert TOKEN not in f"{refusal.value} {refusal.value.hint}"


# --- every argument of every command, every parameter of every tool ---------------------

# Commands that are no way into a vault, and why.
ELSEWHERE = {
    "hook": "what it stores is mined",
    "install": "writes a host's settings",
    "uninstall": "writes a host's settings",
    "mcp": "its tools are below",
    "allow": "notes a path in the user's own folder",
    "promote": "moves an entry that is stored already",
}
# What a flag is added to: {id} is an entry, {waiting} one that waits for review,
# {name} a registered entity.
LINES = {
    "init": "init {folder}",
    "save": "save 'text {n}' --set item=invariant",
    "recall": "recall query{n} --research run",
    "reflect": "reflect query{n} --research run",
    "list": "list",
    "show": "show {id}",
    "evolve": "evolve {id} 'text {n}'",
    "resolve": "resolve {id}",
    "tag": "tag {id}",
    "pin": "pin {id}",
    "undo": "undo --dry-run",
    "edit": "edit {id}",
    "log": "log",
    "verify": "verify",
    "review": "review {waiting} --approve",
    "ideas": "ideas",
    "entities": "entities register 'New {n}'",
    "forget": "forget {id} --yes",
    "doctor": "doctor",
    "completion": "completion bash",
    "config": "config set vault.kinds",
    "inspect": "inspect lint",
    "signals": "signals",
    "sync": "sync --dry-run",
    "import": "import {lines}",
    "export": "export",
    "publish": "publish --to company --dry-run",
    "view": "view --out {folder}.html",
}
# What an argument needs instead; several lines where it may mean several things.
BESIDE = {
    ("review", "--reason"): ["review {waiting} --reject"],
    ("review", "--supersede"): ["review {waiting}"],
    ("entities", "names"): [
        "entities register",
        "entities merge {name} --yes",
    ],
    ("save", "text"): ["save"],
    ("tag", "entry_id"): ["tag"],
    ("config", "action"): ["config"],
    ("evolve", "text"): ["evolve {id}"],
    ("save", "--cite"): ["save 'text {n}' --layer observation"],
    ("recall", "query"): ["recall --research run{n}"],
    ("reflect", "query"): ["reflect --research run{n}"],
}


class Walk:
    """A vault with something of each kind, for one argument after the other."""

    def __init__(self, vault: Vault, folder: Path) -> None:
        self.vault, self.folder, self.n = vault, folder, 0

    def line(self, template: str) -> list[str]:
        """The words of a command; what they need is made."""
        self.n += 1
        needed = {"n": str(self.n), "folder": str(self.folder / f"new{self.n}")}
        if "{id}" in template:
            needed["id"] = self._saved({"text": f"entry {self.n}"})
        if "{waiting}" in template:
            values = {"text": f"candidate {self.n}", "status": "pending"}
            needed["waiting"] = self._saved(values)
        if "{name}" in template:
            needed["name"] = f"Known{self.n}"
            _run(["entities", "register", needed["name"]])
        if "{lines}" in template:
            lines = self.folder / f"lines{self.n}.jsonl"
            lines.write_text(json.dumps({"text": f"line {self.n}"}))
            needed["lines"] = str(lines)
        return shlex.split(template.format(**needed))

    def _saved(self, values: dict[str, Any]) -> str:
        return self.vault.save(self.vault.draft(values)).id


@pytest.fixture
def walk(vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Walk:
    monkeypatch.setenv("MEMCLI_VAULT", vault.root)
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.chdir(tmp_path)
    return Walk(vault, tmp_path)


def _arguments() -> Iterator[tuple[tuple[str, str], str]]:
    """Every argument and flag of a command that takes a text, and what it is added to."""
    for command in set(commands.COMMANDS) - ELSEWHERE.keys():
        names = [one.name for one in table.arguments(command)]
        # A short flag is another name of a long one.
        names += [
            name
            for name, flag in table.flags(command).items()
            if flag.kind is not bool and name.startswith("--")
        ]
        for name in names:
            lines = BESIDE.get((command, name), [LINES[command]])
            for line in lines:
                called = command if len(lines) == 1 else " ".join(line.split()[:2])
                yield (called, name), line


def _with(line: list[str], name: str, value: str) -> list[str]:
    if name[2:] in table.fields(line[0]):
        return [*line, "--set", f"{name[2:]}={value}"]
    return [*line, name, value] if name.startswith("--") else [*line, value]


def _run(words: list[str]) -> None:
    try:
        main([*words, "--json"])
    except SystemExit:
        pass


def test_every_command_is_walked_or_it_is_said_why_not() -> None:
    assert set(LINES) | set(ELSEWHERE) == set(commands.COMMANDS)


def test_no_argument_of_any_command_stores_a_secret(
    walk: Walk, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokens = {}
    for number, (key, line) in enumerate(_arguments()):
        tokens[key] = fill("dop_v1_~64h~", seed=number)
        _run(_with(walk.line(line), key[1], tokens[key]))
    shown = capsys.readouterr()
    everything = held(walk.vault, home)
    # The end of it is looked for: a name of a file keeps no underscores.
    found = {key for key, token in tokens.items() if token[-60:] in everything}
    assert found == set()
    assert shown.out.count('"code": "secret_found"') >= 50


def test_no_parameter_of_any_tool_stores_a_secret(walk: Walk, home: Path) -> None:
    tokens, refused = {}, 0
    for number, (tool, name) in enumerate(
        (t, p) for t in TOOLS for p in t.parameters()
    ):
        token = tokens[tool.name, name] = fill("dop_v1_~64h~", seed=number)
        known = tool.parameters()
        given: dict[str, Any] = {}
        if tool.changes and "id" in known:
            given["id"] = walk.line(LINES["resolve"])[1]
        if tool.changes and "text" in known:
            given["text"] = f"a text {number}"
        if "query" in known and not tool.changes:
            given["query"] = f"question {number}"
        value = [token] if catalog.is_list(known[name]) else token
        answer = tools.call(tool, given | {name: value}, context_of(walk.vault))
        refused += answer.error is not None and answer.error["code"] == "secret_found"
    everything = held(walk.vault, home)
    assert {key for key, token in tokens.items() if token[-60:] in everything} == set()
    assert refused >= 6


def test_a_secret_that_memcli_adds_to_an_imported_entry_is_refused(
    vault: Vault,
) -> None:
    page = f"---\nname: {TOKEN}\naliases: [the gate]\n---\n"
    write(vault, "entities/system/gate.md", page)
    data = json.dumps({"text": "We open the gate at nine"}).encode()
    with pytest.raises(SecretFound, match=r"\(entities\): looks like"):
        importing.import_lines(vault, data, "f.jsonl")


def test_a_secret_that_names_the_file_of_an_import_stands_in_no_commit(
    vault: Vault,
) -> None:
    with pytest.raises(SecretFound, match=r"^the message of the commit: looks like"):
        importing.import_lines(vault, b'{"text": "We deploy"}', f"{TOKEN}.jsonl")


# --- what came before, and what is not a transaction ------------------------------------


def test_a_secret_that_was_committed_by_hand_can_be_resolved_and_brings_no_other(
    vault: Vault,
) -> None:
    name = vault.save("it hangs").id
    path = Path(vault.root, vault.path_of(name))
    path.write_text(path.read_text("utf-8") + f"\n{TOKEN}\n", "utf-8")
    other = fill("dop_v1_~64h~", seed=99)
    with pytest.raises(SecretFound, match=r"\.md, line \d+: looks like"):
        vault.resolve(name)
    git(vault, "commit", "-qam", "by hand")
    with pytest.raises(SecretFound, match=r"\(resolution_note\): looks like"):
        vault.resolve(name, note=f"with {other}")
    vault.resolve(name, note=f"without {TOKEN}")
    assert TOKEN in Path(vault.root, vault.path_of(name)).read_text("utf-8")


def test_a_version_that_was_insisted_on_can_come_back(vault: Vault) -> None:
    first = vault.save(f"use {TOKEN}", allow_secret=True).id
    second = evolve.evolve(
        vault, first, {"text": "use the other one"}, allow_secret=True
    ).id
    third = evolve.revert(vault, second)
    assert TOKEN in vault.get(third.id).body
    with pytest.raises(SecretFound):
        evolve.revert(vault, third.id, reason=fill("dop_v1_~64h~", seed=99))


def test_an_undo_brings_back_what_the_history_has(vault: Vault) -> None:
    saved = vault.save(f"use {TOKEN}", allow_secret=True)
    vault.forget(saved.id)
    undo.undo(vault)
    assert TOKEN in vault.get(saved.id).body


def test_the_record_of_a_session_holds_no_secret(vault: Vault, home: Path) -> None:
    record = session_records.Record(
        session=f"s {TOKEN}",
        host="generic",
        transcript=f"/tmp/{TOKEN}.jsonl",
        at="2026-11-21T12:00:00Z",
        reflected=False,
        error=f"unreadable: {TOKEN}",
        candidates=({"text": TOKEN, "nested": [{"a": TOKEN}]},),
    )
    session_records.put(vault.root, record)
    everything = held(vault, home)
    assert "[redacted]" in everything
    assert TOKEN not in everything
