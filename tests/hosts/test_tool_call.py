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
    ("payload", "expected"),
    [
        (
            {
                "tool_name": "Edit",
                "tool_input": {
                    "file_path": "/w/a.py",
                    "old_string": "x",
                    "new_string": "y",
                },
            },
            [("a.py", "y", "")],
        ),
        (
            {
                "tool_name": "Write",
                "tool_input": {"file_path": "/o/a.py", "content": "y"},
            },
            [("/o/a.py", "y", "")],
        ),
        (
            {
                "tool_name": "MultiEdit",
                "tool_input": {
                    "file_path": "/w/a.py",
                    "edits": [{"new_string": "y"}, {"new_string": "z"}],
                },
            },
            [("a.py", "y\nz", "")],
        ),
        ({"tool_name": "Bash", "tool_input": {"command": "ls"}}, [("", "", "ls")]),
        (
            {"tool_name": "shell", "tool_input": {"command": ["bash", "-lc", "ls -a"]}},
            [("", "", "ls -a")],
        ),
        (
            {"tool_name": "apply_patch", "tool_input": {"command": PATCH}},
            [("a.py", "new = 2", ""), ("b/c.py", "x = 3", ""), ("d.py", "", "")],
        ),
        (
            {
                "toolName": "create",
                "toolArgs": json.dumps({"path": "/w/a", "file_text": "y"}),
            },
            [("a", "y", "")],
        ),
        (
            {"command": "make", "hook_event_name": "beforeShellExecution"},
            [("", "", "make")],
        ),
        (
            {"tool_name": "delete_file", "tool_input": {"target_file": "a"}},
            [("a", "", "")],
        ),
        ({"tool_name": "Read", "tool_input": {"file_path": "/w/a.py"}}, []),
    ],
)
def test_each_host_says_what_its_tool_does(
    payload: dict[str, Any], expected: list[tuple[str, str, str]]
):
    assert actions({"cwd": "/w", **payload}, "/w") == expected


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
