"""Every defect that is known of the systems these verbs come from has its test here.

The table names, for each, the test that would catch it in memcli. The tests below are
those that stand nowhere else, and one that keeps the table true.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memcli import Vault
from memcli.errors import EntryNotFound, InvalidValue
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = ROOT / "tests"

# --- evolve: new versions ---------------------------------------------------------
EVOLVE = {
    "renaming a version onto another entry overwrites it without a copy":
        "properties/test_hostile.py::test_a_file_that_is_edited_between_the_look_and_the_write",
    "all other frontmatter is lost on the new version":
        "curation/test_evolve.py::test_everything_that_is_not_changed_is_carried_over",
    "unknown fields are reordered and normalised":
        "curation/test_evolve.py::test_unknown_keys_comments_order_and_line_ends_survive",
    "after a rename the earlier archive names a path that is gone":
        "properties/test_defects.py::test_lineage_names_ids_so_a_rename_breaks_nothing",
    "a path may lead out of the vault":
        "curation/test_evolve.py::test_nothing_that_is_not_valid_changes_anything",
    "the archive may lie outside the vault":
        "properties/test_hostile.py::test_an_archive_that_leads_out_of_the_vault_is_not_followed",
    "the old text is read outside the lock":
        "properties/test_crowd.py::test_of_many_who_evolve_one_entry_exactly_one_wins",
    "local dates and UTC differ":
        "properties/test_defects.py::test_times_are_utc_in_every_zone",
    "values like `- x`, `yes`, `@a` break the file":
        "curation/test_evolve.py::test_any_text_and_reason_come_back",
    "a superseded or resolved entry can be evolved":
        "curation/test_evolve.py::test_what_is_not_in_use_is_refused_with_what_to_do",
    "a crash between the two files leaves both in force":
        "properties/test_kill_lifecycle.py::test_a_killed_operation_has_happened_whole_or_not",
    "siblings of a refuted claim stay, and nobody says so":
        "curation/test_evolve.py::test_the_nearest_entries_are_listed_as_not_updated",
    "supersede cycles, forks and dangling lineage go unseen":
        "vault/health/test_lint_lifecycle.py::test_a_circle_of_versions_is_one_error",
}  # fmt: skip
# --- save -------------------------------------------------------------------------
SAVE = {
    "two writers both see that a file is not there (TOCTOU)":
        "properties/test_crowd.py::test_a_crowd_loses_nothing_and_each_id_has_one_current",
    "a fixed temporary name makes two writers crash":
        "properties/test_defects.py::test_temporary_names_are_never_the_same",
    "what is mined goes around the writer that locks":
        "vault/test_items.py::test_what_a_hook_writes_does_not_get_around_a_decision",
    "an empty variable counts as the current folder":
        "cli/test_contract.py::test_empty_variable_counts_as_unset",
    "the same content again makes `-1` files":
        "vault/test_vault.py::test_the_same_text_is_the_same_memory",
    "duplicates are found by a scan that is switched off at 8,000 notes":
        "properties/test_defects.py::test_a_duplicate_is_looked_up_and_not_scanned_for",
    "line ends depend on the system":
        "entries/test_codec.py::test_comments_quotes_order_and_line_ends_survive_a_change",
    "statuses grow ad hoc":
        "properties/test_defects.py::test_a_status_that_does_not_exist_is_refused",
    "slugs are taken for identity":
        "vault/test_vault.py::test_equal_titles_get_numbered_files",
    "inbox entries have no date and cannot age":
        "curation/test_review.py::test_candidates_come_oldest_first_with_their_age",
    "the queue of the index silently never drains":
        "properties/test_index_equality.py::test_",
    "a rejected candidate is proposed again and again":
        "curation/test_review.py::test_a_rejected_candidate_is_remembered_and_not_proposed",
    "secrets reach the history":
        "vault/test_vault.py::test_secret_is_refused_and_not_repeated",
}  # fmt: skip
# --- resolve ----------------------------------------------------------------------
RESOLVE = {
    "a second row with the same text brings a resolved line back":
        "sessions/briefing/test_select.py::test_a_twin_with_the_same_text_does_not_bring_a_resolved",
    "a resolved invariant comes back because derived has unique content":
        "sessions/briefing/test_select.py::test_a_resolved_item_does_not_come_back_through_the_other",
    "rows that mix kinds emit resolved lines again":
        "curation/test_resolve.py::test_the_same_words_in_another_kind_are_the_same_claim",
    "a query with limit 1 is never ambiguous":
        "curation/test_resolve_query.py::test_ambiguity_is_decided_over_all_matches_and_never_on",
    "resolved rows consume the limit, so one match looks like the only one":
        "curation/test_resolve_query.py::test_resolved_rows_do_not_hide_that_others_match",
    "lessons and decisions on the same problem cannot be resolved":
        "curation/test_resolve.py::test_it_works_on_any_entry_and_takes_it_out_of_all_paths",
    "caches go on injecting what was resolved":
        "curation/test_resolve.py::test_resolved_is_seen_by_the_next_process_at_once",
    "metadata is read before the lock, so fields are lost":
        "properties/test_crowd.py::test_a_crowd_loses_nothing_and_each_id_has_one_current",
    "nothing warns when the problem recurs":
        "vault/test_items.py::test_a_resolved_key_that_is_extracted_again_is_recorded",
    "there is no way back":
        "curation/test_resolve.py::test_undo_brings_it_back_and_takes_the_marks_away",
    "there is no list":
        "curation/test_resolve.py::test_the_list_lets_agents_review_what_there_is_before",
    "the tool is off by default and has no command line":
        "cli/test_resolve.py::test_it_returns_resolved_n_items",
    "invariants never end: one of 400 days is injected":
        "sessions/briefing/test_select.py::test_an_item_ends_at_its_maximum_age",
    "resolved items occupy the budget of injection":
        "sessions/briefing/test_select.py::test_stale_derived_lessons_of_a_solved_problem_leave",
    "injection does not look at the question":
        "sessions/briefing/test_select.py::test_the_question_decides_what_of_the_focus_comes_first",
    "a second path shows what the first one hides":
        "properties/test_one_eligibility.py::test_recall_shows_exactly_what_the_function_admits",
    "error codes are sentences that change":
        "cli/test_resolve.py::test_each_mistake_has_its_code",
}  # fmt: skip


@pytest.mark.parametrize("defect", [*EVOLVE, *SAVE, *RESOLVE])
def test_the_test_that_would_catch_it_exists(defect: str) -> None:
    file, _, name = {**EVOLVE, **SAVE, **RESOLVE}[defect].partition("::")
    assert re.search(rf"^def {name}", (HERE / file).read_text("utf-8"), re.MULTILINE)


def test_lineage_names_ids_so_a_rename_breaks_nothing(vault: Vault) -> None:
    from memcli.vault.health.lint import lint
    from memcli.vault.lineage import versions

    first = vault.save(vault.draft({"text": "one"})).id
    second = vault.evolve(first, "two")
    path = Path(vault.root, second.path)
    path.rename(path.with_name("a-better-name.md"))
    third = vault.evolve(second.id, "three")
    assert third.path.endswith("/a-better-name.md")
    chain = vault.read(lambda reader: versions(reader, first))
    assert [version.id for version in chain] == [first, second.id, third.id]
    assert lint(vault) == []


def test_times_are_utc_in_every_zone(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    if hasattr(time, "tzset"):
        time.tzset()
    try:
        old = vault.save(vault.draft({"text": "one"})).id
        new = vault.evolve(old, "two").id
        vault.resolve(new)
    finally:
        monkeypatch.undo()
        if hasattr(time, "tzset"):
            time.tzset()
    times = {vault.get(old).updated, vault.get(new).created, vault.get(new).resolved_at}
    assert times == {"2026-11-21T12:00:00Z"}


def test_temporary_names_are_never_the_same(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memcli.storage import files

    seen: list[str] = []
    real = files._replace

    def noted(temporary: str, target: str) -> None:
        seen.append(temporary)
        real(temporary, target)

    monkeypatch.setattr(files, "_replace", noted)
    name = vault.save(vault.draft({"text": "one"})).id
    for number in range(5):
        name = vault.evolve(name, f"version {number}").id
    assert len(seen) == len(set(seen)) >= 11


def test_a_duplicate_is_looked_up_and_not_scanned_for(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memcli.entries import codec

    drafts = [vault.draft({"text": f"memory number {n}"}) for n in range(200)]
    vault.save_all(drafts)
    vault.recall("memory")
    read: list[Any] = []
    real: Callable[..., Any] = codec.decode

    def counted(data: bytes, path: str, **options: Any) -> Any:
        read.append(path)
        return real(data, path, **options)

    monkeypatch.setattr(codec, "decode", counted)
    again = vault.save(vault.draft({"text": "Memory  number 150"}))
    assert again.outcome == "duplicate"
    assert read == []


def test_a_status_that_does_not_exist_is_refused(vault: Vault) -> None:
    with pytest.raises(InvalidValue, match="active, superseded, resolved"):
        vault.draft({"text": "x", "status": "promoted"})
    with pytest.raises(EntryNotFound):
        vault.resolve("promoted")
