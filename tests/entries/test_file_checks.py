"""The lint names an entry that was meant to refuse something and cannot."""

import pytest

from memcli.entries.entry import Enforce, Entry, Source, Status
from memcli.entries.file_checks import idle


def entry(body: str, **fields: object) -> Entry:
    return Entry("1m7x", body=body, enforce=Enforce.DENY, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("Never deploy on Fridays", "names no code"),
        ("Never edit `*.py` by hand", "too broad"),
        ("Never run `git`", "too broad"),
        ("Do not use `return`", "too broad"),
    ],
)
def test_an_entry_that_refuses_nothing_is_named_with_the_reason(body: str, why: str):
    assert why in idle(entry(body))


def test_one_that_no_person_wrote_is_named():
    written = entry("Never run `make deploy`", source=Source(writer="import"))
    assert "written by import" in idle(written)


def test_one_that_does_its_work_or_is_over_is_not():
    assert idle(entry("Never run `make deploy`")) == ""
    assert idle(entry("Be kind", status=Status.RESOLVED)) == ""
    assert idle(entry("Be kind")._replace(enforce=None)) == ""
