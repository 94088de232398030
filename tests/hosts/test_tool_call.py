"""What a tool is about to do, read off the payloads of hosts."""

import json
from typing import Any

import pytest

from memcli.hosts.tool_call import actions

PATCH = """*** Begin Patch
*** Update File: a.py
@@
-old = 1
+new = 2
*** Add File: b/c.py
+x = 3
*** Delete File: d.py
*** End Patch
"""


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("Edit", {"file_path": "/w/a.py", "new_string": "y"}, [("a.py", "y", "")]),
        ("Write", {"file_path": "/o/a.py", "content": "y"}, [("/o/a.py", "y", "")]),
        ("MultiEdit",
         {"file_path": "/w/a.py", "edits": [{"new_string": "y"}, {"new_string": "z"}]},
         [("a.py", "y\nz", "")]),
        ("Bash", {"command": "ls"}, [("", "", "ls")]),
        ("shell", {"command": ["bash", "-lc", "ls -a"]}, [("", "", "ls -a")]),
        ("apply_patch", {"command": PATCH},
         [("a.py", "new = 2", ""), ("b/c.py", "x = 3", ""), ("d.py", "", "")]),
        ("delete_file", {"target_file": "a"}, [("a", "", "")]),
        ("Read", {"file_path": "/w/a.py"}, []),
    ],
)  # fmt: skip
def test_what_a_tool_does_is_read_off_its_arguments(
    tool: str, given: dict[str, Any], expected: list[tuple[str, str, str]]
):
    payload = {"cwd": "/w", "tool_name": tool, "tool_input": given}
    assert actions(payload, "/w") == expected


def test_copilot_s_arguments_are_json_and_cursor_s_command_stands_beside_the_rest():
    given = json.dumps({"path": "/w/a", "file_text": "y"})
    copilot = {"toolName": "create", "toolArgs": given}
    assert actions(copilot, "/w") == [("a", "y", "")]
    cursor = {"command": "make", "hook_event_name": "beforeShellExecution"}
    assert actions(cursor, "/w") == [("", "", "make")]


@pytest.mark.parametrize(
    "payload",
    [
        None, [], "x", 3, {}, {"tool_input": None}, {"tool_input": [1]},
        {"tool_input": {"file_path": 3, "content": {}}}, {"toolArgs": "{" * 100_000},
        {"tool_input": {"command": [1, None]}}, {"tool_input": {"edits": "x"}},
        {"tool_input": {"file_path": "a", "edits": [None, 3, {"new_string": 4}]}},
    ],
)  # fmt: skip
def test_no_payload_fails_it(payload: Any):
    assert actions(payload, "") == []


def test_what_is_huge_is_looked_at_by_its_beginning():
    [(_, text, _)] = actions({"tool_input": {"path": "a", "content": "x" * 9_000_000}})
    assert len(text) == 200_000
    many = "*** Begin Patch\n" + "".join(
        f"*** Add File: f{n}\n+x\n" for n in range(999)
    )
    assert len(actions({"tool_input": {"patch": many}})) == 200
