"""Installing and uninstalling leave the settings of others as they are."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import InvalidConfig
from memcli.hosts import table
from memcli.hosts.host import Host
from memcli.hosts.install import plans, step
from memcli.hosts.install.command_line import Program
from memcli.hosts.install.step import Machine

PROGRAM = Program(("/opt/mem cli/bin/memcli",))
MOVED = Program(("/usr/bin/python3", "-P", "-m", "memcli"))
FILES = [host for host in table.with_hooks() if not host.is_plugin]
BY_FILE = pytest.mark.parametrize("host", FILES, ids=lambda host: host.name)

WORDS = st.text(max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3)
    ),
    max_leaves=6,
)
FOREIGN = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from(["ls", "memcli recall x"])},
    optional={"timeout": st.integers(1, 99), "statusMessage": WORDS},
)


@st.composite
def settings(draw: Any, host: Host) -> str:
    """Foreign settings of a host: any keys, any hooks, any formatting."""
    item: Any = FOREIGN
    if host.grouped:
        item = st.fixed_dictionaries(
            {"hooks": st.lists(FOREIGN, max_size=2)}, optional={"matcher": WORDS}
        )
    natives = st.sampled_from([native for native, _ in host.events] + ["Other"])
    hooks = st.dictionaries(natives, st.lists(item, max_size=2), max_size=4)
    found = draw(st.dictionaries(WORDS.filter(lambda k: k != "hooks"), VALUES))
    found.pop("version", None)
    if draw(st.booleans()):
        found["hooks"] = draw(hooks)
    if host.file_version and draw(st.booleans()):
        found["version"] = host.file_version
    names = draw(st.permutations(list(found)))
    value = {name: found[name] for name in names}
    text: str = json.dumps(
        value,
        indent=draw(st.sampled_from([None, 1, 2, 4, "\t"])),
        ensure_ascii=draw(st.booleans()),
    )
    text += draw(st.sampled_from(["", "\n"]))
    if draw(st.integers(0, 4)) == 0:
        text = text.replace("\n", "\r\n")
    return ("\ufeff" if draw(st.integers(0, 9)) == 0 else "") + text


CLAUDE = table.find("claude-code")


def wanted(host: Host, program: Program = PROGRAM) -> Any:
    return plans.wanted(host, Machine({}, "/", program))


def install(text: str, host: Host, program: Program = PROGRAM) -> str:
    hooks = wanted(host, program)
    return step.edited(text, "f", lambda found: plans.put(found, host, hooks))


def without(text: str, host: Host) -> str:
    return step.edited(text, "f", lambda found: plans.put(found, host, {}))


def value(text: str) -> Any:
    return step.load(text, "f")


def without_ours(found: Any, host: Host) -> Any:
    """The value without our entries and what is empty: what nobody would miss."""
    hooks = {}
    for native, items in found.get("hooks", {}).items():
        left = []
        for item in items:
            inner = [h for h in item.get("hooks", []) if not plans.is_ours(h)]
            if host.grouped and (inner or not item.get("hooks")):
                left.append({**item, "hooks": inner})
            if not host.grouped and not plans.is_ours(item):
                left.append(item)
        hooks[native] = left
    kept = {native: items for native, items in hooks.items() if items}
    rest = {k: v for k, v in found.items() if k not in ("hooks", "version")}
    return {**rest, "hooks": kept}


@BY_FILE
@given(data=st.data())
def test_what_others_have_stays_and_install_twice_changes_nothing(
    host: Host, data: Any
) -> None:
    text = data.draw(settings(host))
    once = install(text, host)
    assert install(once, host) == once
    assert without_ours(value(once), host) == without_ours(value(text), host)
    for native, hook in wanted(host).items():
        items = value(once)["hooks"][native]
        hooks = [h for i in items for h in i["hooks"]] if host.grouped else items
        assert hooks.count(hook) == 1
    moved = install(once, host, MOVED)
    assert moved != once
    assert install(moved, host) == once
    left = without(moved, host)
    before = without_ours(value(text), host)
    assert without_ours(value(left), host) == before
    assert left or before == {"hooks": {}}
    assert not plans.calls_in(plans.HOOKS, host, "f", left.encode())


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        '{\n    "a": "é",\n    "b": [\n        1\n    ]\n}\n',
        '\ufeff{\r\n\t"a": 1\r\n}\r\n',
        '{\n  "a": "\\ud83d \\u00e9"\n}',
    ],
)
def test_indent_line_ends_and_escapes_are_those_of_the_file(text: str) -> None:
    once = install(text, CLAUDE)
    once.encode()
    assert once.startswith(text[: text.index('"a": ') + 6])
    assert without(once, CLAUDE) == text


@pytest.mark.parametrize(
    "text", ['{\n  // mine\n  "model": "opus"\n}', '{"a": 1 /* , { */}', '{"a": [1,],}']
)
def test_a_file_with_comments_is_refused_with_the_entries_to_put_in(text: str) -> None:
    with pytest.raises(InvalidConfig, match="f: has comments or trailing commas") as no:
        install(text, CLAUDE)
    snippet = str(no.value.hint).partition(":\n")[2]
    assert value(snippet) == value(install("", CLAUDE))
    # By hand they count, and are not taken out by memcli either.
    pasted = text.rstrip("}\n,") + "," + snippet[1:] + "// end"
    assert install(pasted, CLAUDE) == pasted
    with pytest.raises(InvalidConfig, match="has comments"):
        without(pasted, CLAUDE)
    assert without(text, CLAUDE) == text


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"a" 1}', ":1:6: "),
        ('{\n  "a": 1\n  "b": 2\n}', ":3:3: "),
        ('{ // x\n  "a": [1, 2\r\n', ":3:1: "),
        ('\ufeff{"a": }', ":1:7: "),
        ('{"a": "x\ny"}', ":1:9: "),
        ("{/* x", ":1:2: "),
        ('{"x": 1, "hooks": {}, "hooks": {}}', ': "hooks" stands twice'),
        ('{"a": ' + "[" * 100_000, ": nested too deep"),
        ("[]", ": not an object"),
        ('{"hooks": []}', ': "hooks" is no object'),
        ('{"hooks": null}', ': "hooks" is no object'),
        ('{"hooks": {"Stop": {}}}', ': "Stop" is no array'),
    ],
)
def test_what_does_not_parse_or_is_something_else_is_refused_with_its_place(
    text: str, what: str
) -> None:
    with pytest.raises(InvalidConfig) as caught:
        install(text, CLAUDE)
    assert caught.value.message.startswith(f"f{what}")
    assert caught.value.code == "invalid_settings"


def test_after_a_move_only_the_command_changes_and_what_a_person_added_stays():
    once = value(install("", CLAUDE))
    once["hooks"]["Stop"][0]["hooks"][0]["statusMessage"] = "remembering"
    edited = json.dumps(once, indent=2)
    moved = install(edited, CLAUDE, MOVED)
    hook = value(moved)["hooks"]["Stop"][0]["hooks"][0]
    assert hook["statusMessage"] == "remembering"
    assert hook["command"].startswith("/usr/bin/python3 -P -m memcli hook stop")
    rows = zip(edited.splitlines(), moved.splitlines(), strict=True)
    changed = [(old, new) for old, new in rows if old != new]
    assert len(changed) == 7
    assert all('"command"' in old and '"command"' in new for old, new in changed)


def test_our_hook_in_a_group_with_others_is_taken_out_alone():
    lines = ("first", '"/a b/memcli" hook stop --host claude-code', "last")
    hooks = [{"type": "command", "command": line} for line in lines]
    mixed = {"hooks": {"Stop": [{"hooks": hooks}]}}
    left = without(json.dumps(mixed), CLAUDE)
    (group,) = value(left)["hooks"]["Stop"]
    assert [hook["command"] for hook in group["hooks"]] == ["first", "last"]
