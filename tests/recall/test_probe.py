"""The probe's questions name notes that exist, and are enough to say something."""

from tests.benchmarks import probe


def test_every_question_of_the_probe_names_notes_that_exist():
    units, groups = probe.read()
    notes = {unit.key for unit in units}
    asked = [one for questions in groups.values() for one in questions]
    assert len(notes) >= 150
    assert len(asked) >= 150
    assert [one for one in asked if not notes.issuperset(one.evidence)] == []
    assert all(one.evidence for one in asked)
