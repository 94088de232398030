"""The table has every host, and every host has all of its parts."""

import ast
import json
from pathlib import Path

import pytest

from memcli.errors import InvalidValue
from memcli.hosts import skills, table, transcripts
from memcli.hosts.host import EVENTS, Host
from memcli.hosts.install import plans
from memcli.hosts.install.command_line import Program
from memcli.hosts.install.step import SCOPES, Machine

DEV = Machine({"HOME": "/home/dev"}, "/home/dev/shop", Program(("memcli",)))
every_host = pytest.mark.parametrize("name", table.NAMES)
every_host_with_hooks = pytest.mark.parametrize(
    "host", table.with_hooks(), ids=lambda host: host.name
)


@every_host
def test_a_host_has_a_name_and_reads_its_transcripts(name: str) -> None:
    host = table.find(name)
    assert (host.name, bool(host.title)) == (name, True)
    assert transcripts.reader_of(host, "").host == name
    assert transcripts.discover({}, name) == []
    assert transcripts.discover({"HOME": "/nowhere/at/all"}, name) == []


@every_host
def test_a_host_has_a_page_of_the_core_skill(name: str) -> None:
    core = skills.catalog()["core"]
    page = skills.record(name)[0]
    assert page in core.pages
    assert skills.record(page)[0] == page


@every_host_with_hooks
def test_a_host_with_hooks_has_settings_and_answers(host: Host) -> None:
    events = [event for _, event in host.events]
    assert len(set(events)) == len(events)
    assert set(events) <= set(EVENTS) == set(plans._SECONDS)
    assert set(host.matchers) <= {native for native, _ in host.events}
    assert set(host.seconds) <= set(events)
    assert host.binaries
    user, project = (plans.locate(plans.HOOKS, host, scope, DEV) for scope in SCOPES)
    assert user[0].startswith("/home/dev/")
    assert project[0].startswith("/home/dev/shop/")
    for event in ("session-start", "prompt-submit"):
        answer = host.reply(event, "We use uv")
        assert bool(answer) is host.takes_text
        assert not answer or "We use uv" in json.dumps(json.loads(answer))
    assert set(host.hooks_also_run_by) <= set(table.NAMES)


def test_a_host_that_is_none_is_refused_with_the_nearest() -> None:
    assert table.get("emacs") is None
    with pytest.raises(InvalidValue, match="must be one of claude") as caught:
        table.find("Codx")
    assert caught.value.hint == "Did you mean 'codex'?"
    with pytest.raises(InvalidValue):
        table.find("generic", hooks=True)


def test_no_other_module_holds_a_list_of_hosts() -> None:
    """Two names of hosts in one literal are a list that a person has to keep."""
    lists = []
    root = Path(table.__file__).parents[1]
    for path in sorted(root.rglob("*.py")):
        if path == Path(table.__file__):
            continue
        source = path.read_bytes()
        if sum(f'"{name}"'.encode() in source for name in table.NAMES) < 2:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict):
                parts = node.keys if isinstance(node, ast.Dict) else node.elts
                names = {part.value for part in parts if isinstance(part, ast.Constant)}
                if len(names & set(table.NAMES)) > 1:
                    lists.append(f"{path.relative_to(root)}:{node.lineno}")
    assert lists == []
