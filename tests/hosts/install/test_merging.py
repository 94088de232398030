"""Installing and uninstalling leave foreign settings as they are, byte for byte."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import InvalidConfig
from memcli.hosts import table
from memcli.hosts.host import Host
from memcli.hosts.install import merge
from memcli.hosts.install.command_line import Program
from memcli.hosts.install.jsonc import Document
from memcli.hosts.install.settings_files import wanted

PROGRAM = Program(("/opt/mem cli/bin/memcli",))
MOVED = Program(("/usr/bin/python3", "-P", "-m", "memcli"))
FILES = [host for host in table.with_hooks() if not host.is_plugin]
BY_FILE = pytest.mark.parametrize("host", FILES, ids=lambda host: host.name)

SPACES = ["", " ", "  ", "\t"]
GAPS = st.sampled_from([*SPACES, "\n", "\n  ", "\n\t", "\n\n    ", "\r\n  "])
REMARKS = st.sampled_from([" // é }", "/* , { */", "// hook"])


def gap(draw: Any) -> str:
    text: str = draw(GAPS)
    if draw(st.integers(0, 9)) == 0:
        remark = draw(REMARKS)
        text += remark + ("\n" if "//" in remark else "") + draw(GAPS)
    return text


def render(draw: Any, value: Any) -> str:
    """A value as some person, or their editor, might have written it."""
    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    style = draw(st.sampled_from(["compact", "indented", "wild"]))
    if style == "compact":
        return json.dumps(value)
    if style == "indented":
        return json.dumps(value, indent=draw(st.sampled_from([1, 2, 4, "\t"])))
    pieces = []
    for item in value.items() if isinstance(value, dict) else value:
        text = gap(draw)
        if isinstance(value, dict):
            text += json.dumps(item[0]) + gap(draw) + ":" + gap(draw)
            item = item[1]
        pieces.append(text + render(draw, item) + gap(draw))
    comma = draw(st.sampled_from(["", "", ","])) if pieces else ""
    both = "{}" if isinstance(value, dict) else "[]"
    return both[0] + ",".join(pieces) + comma + gap(draw) + both[1]


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
    text = gap(draw) + render(draw, value) + gap(draw)
    if draw(st.integers(0, 4)) == 0:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return ("\ufeff" if draw(st.integers(0, 9)) == 0 else "") + text


def install(text: str, host: Host, program: Program = PROGRAM) -> str:
    return merge.merged(text, "f", host, wanted(host, program, None))


def value(text: str) -> Any:
    return Document(text, "f").root.value


def without_ours(found: Any, host: Host) -> Any:
    """The value without our entries and what is empty: what nobody would miss."""
    hooks = {}
    for native, items in found.get("hooks", {}).items():
        left = []
        for item in items:
            inner = [h for h in item.get("hooks", []) if not merge.is_ours(h)]
            if host.grouped and (inner or not item.get("hooks")):
                left.append({**item, "hooks": inner})
            if not host.grouped and not merge.is_ours(item):
                left.append(item)
        hooks[native] = left
    kept = {native: items for native, items in hooks.items() if items}
    rest = {k: v for k, v in found.items() if k not in ("hooks", "version")}
    return {**rest, "hooks": kept}


@BY_FILE
@given(data=st.data())
def test_install_and_uninstall_give_the_same_bytes_and_install_twice_changes_none(
    host: Host, data: Any
) -> None:
    text = data.draw(settings(host))
    once = install(text, host)
    assert install(once, host) == once
    assert without_ours(value(once), host) == without_ours(value(text), host)
    for want in wanted(host, PROGRAM, None):
        items = value(once)["hooks"][want.native]
        hooks = [h for i in items for h in i["hooks"]] if host.grouped else items
        assert hooks.count(want.hook) == 1
    assert merge.without(once, "f", host, text) == text
    moved = install(once, host, MOVED)
    assert moved != once
    assert merge.without(moved, "f", host, text) == text
    assert install(moved, host) == once


@BY_FILE
@given(data=st.data())
def test_without_a_backup_only_empty_hulls_may_go(host: Host, data: Any) -> None:
    text = data.draw(settings(host))
    left = merge.without(install(text, host), "f", host, None)
    before = without_ours(value(text), host)
    if left is None:
        assert before == {"hooks": {}}
        return
    assert without_ours(value(left), host) == before
    hooks = value(text).get("hooks")
    hulls = hooks == {} or [] in (hooks or {}).values()
    if (
        not hulls
        and value(text)
        and (not host.file_version or "version" in value(text))
    ):
        assert left == text


@BY_FILE
@given(data=st.data())
def test_what_others_add_after_us_stays(host: Host, data: Any) -> None:
    text = data.draw(settings(host))
    once = Document(install(text, host), "f")
    native = data.draw(st.sampled_from(host.events))[0]
    item: Any = {"type": "command", "command": "theirs"}
    theirs = {"hooks": [item]} if host.grouped else item
    more = once.append(("hooks", native), None, theirs).append((), "theirs", [1])
    left = merge.without(more.text, "f", host, text)
    assert left is not None
    assert theirs in value(left)["hooks"][native]
    assert value(left)["theirs"] == [1]
    assert not merge.ours_in(left, "f", host)
    again = without_ours(value(left), host)
    again["hooks"][native].remove(theirs)
    again["hooks"] = {k: v for k, v in again["hooks"].items() if v}
    del again["theirs"]
    expected = without_ours(value(text), host)
    expected.pop("theirs", None)
    assert again == expected


CLAUDE = table.find("claude-code")


def test_groups_of_others_keep_their_places_so_that_codex_goes_on_trusting_them():
    codex = table.find("codex")
    theirs = {"hooks": [{"type": "command", "command": "theirs", "timeout": 3}]}
    once = value(install(json.dumps({"hooks": {"Stop": [theirs]}}), codex))
    assert once["hooks"]["Stop"][0] == theirs
    assert merge.is_ours(once["hooks"]["Stop"][1]["hooks"][0])


def test_after_a_move_only_the_command_changes_and_what_a_person_added_stays():
    once = Document(install("", CLAUDE), "f")
    path = ("hooks", "Stop", 0, "hooks", 0)
    edited = once.append(path, "statusMessage", "remembering").text
    moved = install(edited, CLAUDE, MOVED)
    hook = value(moved)["hooks"]["Stop"][0]["hooks"][0]
    assert hook["statusMessage"] == "remembering"
    assert hook["command"].startswith("/usr/bin/python3 -P -m memcli hook stop")
    changed = [
        (a, b)
        for a, b in zip(edited.splitlines(), moved.splitlines(), strict=True)
        if a != b
    ]
    assert len(changed) == 7
    assert all('"command"' in a and '"command"' in b for a, b in changed)


def test_a_timeout_that_was_changed_or_dropped_is_put_right():
    once = install("", CLAUDE)
    wrong = once.replace('"timeout": 20', '"timeout": 1')
    assert wrong != once
    assert install(wrong, CLAUDE) == once
    dropped = value(once)
    del dropped["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"]
    mended = install(json.dumps(dropped, indent=2), CLAUDE)
    assert value(mended) == value(once)


def test_entries_of_older_versions_and_doubles_go():
    once = value(install("", table.find("gemini")))
    once["hooks"]["PreCompress"] = [
        {"hooks": [{"command": "memcli hook pre-compact --host gemini"}]}
    ]
    once["hooks"]["AfterAgent"] *= 2
    mended = value(install(json.dumps(once), table.find("gemini")))
    assert mended == value(install("", table.find("gemini")))


def test_our_hook_in_a_group_with_others_is_taken_out_alone():
    mixed = {
        "hooks": {
            "Stop": [
                {
                    "hooks": [
                        {"type": "command", "command": "first"},
                        {"command": '"/a b/memcli" hook stop --host claude-code'},
                        {"type": "command", "command": "last"},
                    ]
                }
            ]
        }
    }
    left = merge.without(json.dumps(mixed), "f", CLAUDE, None)
    assert left is not None
    (group,) = value(left)["hooks"]["Stop"]
    assert [hook["command"] for hook in group["hooks"]] == ["first", "last"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[]", "f:1:1: no object"),
        ('{"hooks": []}', 'f:1:11: "hooks" is no object'),
        ('{"hooks": {"Stop": {}}}', 'f:1:20: "Stop" is no array'),
        ('{"hooks": null}', 'f:1:11: "hooks" is no object'),
    ],
)
def test_settings_of_another_kind_are_refused_with_their_place(text: str, what: str):
    with pytest.raises(InvalidConfig) as caught:
        install(text, CLAUDE)
    assert caught.value.message.startswith(what)


def test_strange_entries_of_others_are_no_error():
    odd = {"hooks": {"Stop": [1, {"hooks": 3}, {"hooks": ["x", {"command": 1}]}]}}
    once = install(json.dumps(odd), CLAUDE)
    assert value(once)["hooks"]["Stop"][:3] == odd["hooks"]["Stop"]
    assert merge.without(once, "f", CLAUDE, None) == json.dumps(odd)
