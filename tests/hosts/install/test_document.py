"""Edits of JSON text: only the bytes they are about."""

import json
from typing import Any

import pytest

from memcli.errors import InvalidConfig
from memcli.hosts.install.jsonc import Document


def doc(text: str) -> Document:
    return Document(text, "settings.json")


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('{"a":1}', '{"a":1, "k": [1]}'),
        ('{ "a": 1 }', '{ "a": 1, "k": [1] }'),
        ('{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "k": [\n    1\n  ]\n}\n'),
        ('{\n\t"a": 1,\n}', '{\n\t"a": 1,\n\t"k": [\n\t\t1\n\t],\n}'),
        (
            '{\r\n    "a": 1 // why\r\n}',
            '{\r\n    "a": 1, // why\r\n    "k": [\r\n        1\r\n    ]\r\n}',
        ),
        ('{"a": 1 /* x */}', '{"a": 1, /* x */ "k": [1]}'),
        ('{"a": 1 // x\n}', '{"a": 1, // x\n  "k": [\n    1\n  ]\n}'),
        ("{}", '{\n  "k": [\n    1\n  ]\n}'),
        ("{ // x\n}", '{ // x\n  "k": [\n    1\n  ]\n}'),
        ('\ufeff{\n "a": 1}', '\ufeff{\n "a": 1,\n "k": [\n  1\n ]}'),
        ('{"a": "}//"}', '{"a": "}//", "k": [1]}'),
    ],
)
def test_a_child_is_appended_in_the_style_of_the_file_and_removed_without_trace(
    text: str, after: str
) -> None:
    appended = doc(text).append((), "k", [1])
    assert appended.text == after
    assert appended.root.value["k"] == [1]
    was = doc(text)
    empty = None if was.root.children else was.raw(was.root)
    assert appended.remove(("k",), empty).text == text


@pytest.mark.parametrize(
    ("text", "path", "left"),
    [
        ('{"k": 1, "b": 2}', ("k",), '{ "b": 2}'),
        ("[\n  1,\n  2,\n  3\n]", (1,), "[\n  1,\n  3\n]"),
        ("[1 /* one */, 2]", (0,), "[ /* one */ 2]"),
        # The line end that ends a comment stays when nothing else would end it.
        ('[ // c\n 1, "b"]', (0,), '[ // c\n  "b"]'),
        ('{ "a": 1, // c\n "k": 2}', ("k",), '{ "a": 1 // c\n }'),
        ('{"x": {"k": 1}}', ("x", "k"), '{"x": {}}'),
        ('{"x": {"k": 1 // c\n}}', ("x", "k"), '{"x": { // c\n}}'),
    ],
)
def test_after_any_removal_the_rest_still_parses(
    text: str, path: tuple[str | int, ...], left: str
) -> None:
    assert doc(text).remove(path).text == left


def test_a_value_is_replaced_where_it_stands() -> None:
    text = '{\n  "a": [1, {"b": "old"}] // c\n}'
    assert doc(text).replace(("a", 1, "b"), "new").text == text.replace("old", "new")


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("", 1, 1, "a value is missing"),
        ('{"a" 1}', 1, 6, "a ':' is missing"),
        ('{\n  "a": 1\n  "b": 2\n}', 3, 3, "a comma or '}' is missing"),
        ('{\r\n  "a": [1, 2\r\n', 2, 8, "'[' is never closed"),
        ("{a: 1}", 1, 2, "a name in double quotes is missing"),
        ('{"a": tru}', 1, 7, "a value is missing"),
        ('{"a": 1} x', 1, 10, "text after the end"),
        ('\ufeff{"a": }', 1, 7, "a value is missing"),
        ('{"a": "x\ny"}', 1, 7, "a value is missing"),
        ('{"a": "\\x"}', 1, 7, "no valid value"),
        ("[,]", 1, 2, "a value is missing"),
        ("[" * 5000, 1, 102, "nested too deep"),
        ("{/* x", 1, 2, "a name in double quotes is missing"),
    ],
)
def test_what_does_not_parse_is_refused_with_line_and_column(
    text: str, line: int, column: int, what: str
) -> None:
    with pytest.raises(InvalidConfig) as caught:
        doc(text)
    assert caught.value.message.startswith(f"settings.json:{line}:{column}: {what}")
    assert caught.value.error_code == "invalid_settings"


def test_a_name_that_stands_twice_is_refused_where_it_matters() -> None:
    twice = doc('{"hooks": {}, "hooks": {}, "x": 1}')
    assert twice.at(("x",)) is not None
    with pytest.raises(InvalidConfig, match="stands here twice"):
        twice.at(("hooks",))


@pytest.mark.parametrize(
    "text", ['{"a": [1, -2.5e3, true, null, "\\u00e9\\n", {}], "b": {"c": []}}', "[]"]
)
def test_values_are_those_of_json(text: str) -> None:
    def walk(value: Any) -> None:
        assert value == json.loads(text)

    walk(doc(text).root.value)
