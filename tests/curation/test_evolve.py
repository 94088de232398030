"""A memory changes: the new version takes the place, the old one stays to be read."""

from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation import changing
from memcli.entries.entry import Status
from memcli.entries.ids import is_adopted
from memcli.entries.text.links import links_of
from memcli.errors import NotAllowed, UsageError
from memcli.vault.lineage import versions
from tests.git_command import git
from tests.saving import save, write
from tests.sessions.hooks.calling import texts

DAY = 86_400


def test_lineage_goes_both_ways_and_the_path_stays(vault: Vault) -> None:
    old = save(vault, "We deploy on Tuesdays", kind="convention")
    path = vault.path_of(old)
    done = vault.evolve(old, "We deploy on Mondays", reason="the freeze moved")
    new, before = vault.get(done.id), vault.get(old)
    assert (new.path, new.supersedes) == (done.path, old)
    assert new.path == path
    assert before.superseded_by == done.id
    assert (before.status, before.reason) == (Status.SUPERSEDED, "the freeze moved")
    assert before.path == path.replace("memories/", "archive/memories/").replace(
        ".md", f".{old}.md"
    )
    assert before.body == "We deploy on Tuesdays\n"
    assert new.created == before.updated
    assert new.status is Status.ACTIVE


def test_everything_that_is_not_changed_is_carried_over(vault: Vault) -> None:
    fields = {
        "kind": "convention",
        "type": "system",
        "tags": ["deploy", "team:web"],
        "entities": ["Gateway"],
        "pinned": True,
        "visibility": "private",
        "agent": "builder",
        "title": "When we deploy",
        "occurred_at": "2026-05",
        "review_after": "2027-01-01",
        "evidence": ["s1"],
    }
    old = save(vault, "On Tuesdays", **fields)
    new = vault.get(vault.evolve(old, "On Mondays").id)
    before = vault.get(old)
    for name in fields:
        assert getattr(new, name) == getattr(before, name), name


def test_what_belonged_to_the_old_words_stays_with_them(vault: Vault) -> None:
    fields = {
        "source": {"session": "s1", "excerpt": "said so"},
        "confidence": "LOW",
        "rationale": "once",
    }
    old = save(vault, "On Tuesdays", **fields)
    new = vault.get(vault.evolve(old, "On Mondays").id)
    assert (new.source.session, new.confidence, new.rationale) == (None, None, None)
    assert vault.get(old).source.session == "s1"
    # Only a field changes: the words are the same, and so is where they came from.
    kept = vault.get(vault.evolve(save(vault, "Other", **fields), kind="fix").id)
    assert (kept.kind, kept.source.session, kept.confidence) == ("fix", "s1", "LOW")


def test_unknown_keys_comments_order_and_line_ends_survive(vault: Vault) -> None:
    path = write(
        vault,
        "memories/note/mine.md",
        b"\xef\xbb\xbf---\r\n# first\r\nzeta: 'keep'   # why\r\n"
        b"id: 1m7y6wbehbqyv1kh\r\ntags: [a]\r\nalpha:\r\n  - x\r\n---\r\nOld text\r\n",
    )
    old = path.read_bytes()
    done = vault.evolve("1m7y6w", "New text\r\n", reason="r")
    new = path.read_bytes()
    for line in (b"# first\r\n", b"zeta: 'keep'   # why\r\n", b"alpha:\r\n  - x\r\n"):
        assert line in new
    assert new.startswith(b"\xef\xbb\xbf---\r\n# first\r\nzeta")
    assert new.endswith(b"---\r\nNew text\r\n")
    archived = Path(vault.root, done.replaced[0].path).read_bytes()
    assert archived.endswith(b"---\r\nOld text\r\n")
    kept = [line for line in old.split(b"\r\n") if line]
    assert all(line in archived for line in kept)


def test_a_note_that_memcli_did_not_write_keeps_its_id_in_the_archive(
    vault: Vault,
) -> None:
    write(vault, "Gateway notes.md", "---\nenforce: deny\n---\n# Gateway\n\nnginx\n")
    (row,) = vault.recall("nginx").rows
    assert is_adopted(row.id)
    done = vault.evolve(row.id, "# Gateway\n\nCaddy\n")
    assert not is_adopted(done.id)
    before = vault.get(row.id)
    assert before.path == f"archive/Gateway notes.{row.id}.md"
    assert before.superseded_by == done.id
    after = vault.get(done.id)
    assert (after.path, after.enforce) == ("Gateway notes.md", None)


def test_a_title_in_words_of_the_old_text_goes_with_it(vault: Vault) -> None:
    rules = {"We deploy on Fridays": "", "How we deploy": "How we deploy"}
    for title, kept in rules.items():
        old = save(vault, f"{title}: we deploy on Fridays, always.", title=title)
        done = vault.evolve(old, f"How we deploy: daily, {title[:2]}")
        assert vault.get(done.id).title == kept


def test_links_that_the_new_text_drops_are_carried_over(vault: Vault) -> None:
    old = save(vault, "See [[runbook]] and [[it's here]], [[kept]]")
    done = vault.evolve(old, "Only [[kept]] now")
    entry = vault.get(done.id)
    ((name, lines),) = entry.extra
    assert (name, lines) == ("links", 'links: ["[[runbook]]", "[[it\'s here]]"]\n')
    assert links_of(entry) == ("kept", "runbook", "it's here")
    # A later text that has them again needs them no more.
    again = vault.evolve(done.id, "[[runbook]] and [[it's here]] and [[kept]] again")
    assert vault.get(again.id).extra == ()


def test_links_to_the_path_keep_working_and_lead_to_the_new_version(
    vault: Vault,
) -> None:
    from memcli.vault.health.inspect import inspect

    old = save(vault, "The runbook", title="Run Book")
    linking = save(vault, "See [[run-book]] and [[Run Book]]")
    new = vault.evolve(old, "A better runbook").id
    targets = inspect(vault, linking).links
    assert [link.entry and link.entry.id for link in targets] == [new, new]
    assert {row.id for row in inspect(vault, new).backlinks} == {linking}


@pytest.mark.parametrize(
    ("status", "says"),
    [
        ("resolved", "memcli resolve --undo"),
        ("pending", "memcli review"),
        ("rejected", "memcli review"),
    ],
)
def test_what_is_not_in_use_is_refused_with_what_to_do(
    vault: Vault, status: str, says: str
) -> None:
    name = save(vault, "text", status=status)
    with pytest.raises(NotAllowed) as refusal:
        vault.evolve(name, "new")
    assert refusal.value.code == status
    assert says in (refusal.value.hint or "")


def test_the_nearest_entries_are_listed_as_not_updated(vault: Vault) -> None:
    old = save(vault, "The staging database is reset every Monday", kind="reference")
    same = save(
        vault, "The staging database is reset every Monday night", kind="reference"
    )
    event = save(vault, "The staging database is reset every Monday here", kind="event")
    save(vault, "Payments are drained at noon", kind="reference")
    for status in ("resolved", "pending", "rejected", "expired"):
        save(vault, f"The staging database is reset every {status}", status=status)
    done = vault.evolve(old, "The staging database is reset every Friday")
    assert {one.id for one in done.not_updated} == {same, event}
    assert all(0.5 < one.likeness < 1 for one in done.not_updated)
    assert done.not_updated[0].differs == ("weekday",)


def test_words_that_are_resolved_or_nearly_so_are_named(vault: Vault) -> None:
    solved = save(vault, "Rerank is misconfigured for the shop")
    vault.resolve(solved)
    near = vault.evolve(
        save(vault, "x y"), "Rerank is misconfigured again for the shop"
    )
    (said,) = near.notes
    assert said.startswith(f"{solved} says nearly the same")
    same = vault.evolve(save(vault, "a b"), "Rerank is misconfigured, for the shop!")
    (said,) = same.notes
    assert said.startswith(f"{same.id} is not shown: its claim is resolved by {solved}")


def test_a_model_and_its_facts_are_no_siblings(vault: Vault) -> None:
    about = {"entities": ["gateway"]}
    fact = save(vault, "Deploys of the gateway take an hour", **about)
    drawn = {**about, "layer": "model", "evidence": [fact]}
    model = save(vault, "Deploys of the gateway take an hour or so", **drawn)
    above = save(
        vault,
        "Deploys of the gateway take an hour in all",
        **{**drawn, "evidence": [model]},
    )
    like = save(
        vault, "Deploys of the gateway take an hour at most", **about, layer="model"
    )
    done = vault.evolve(fact, "Deploys of the gateway take a minute")
    assert not done.not_updated
    done = vault.evolve(model, "Deploys of the gateway take a minute")
    assert [one.id for one in done.not_updated] == [like]
    done = vault.evolve(above, "Deploys of the gateway take a minute in all")
    assert [one.id for one in done.not_updated] == [like]


def test_also_replaces_several_by_one(vault: Vault) -> None:
    first = save(vault, "We deploy on Tuesdays")
    second = save(vault, "Deploys are on Tuesdays")
    done = vault.evolve(first, "We deploy on Mondays", also=[second])
    assert [item.id for item in done.replaced] == [first, second]
    assert vault.get(second).superseded_by == done.id
    assert vault.get(done.id).supersedes == first
    assert texts(vault) == ["We deploy on Mondays"]
    chain = vault.read(lambda reader: versions(reader, second))
    assert {version.id for version in chain} == {first, second, done.id}
    with pytest.raises(UsageError, match="named twice"):
        vault.evolve(done.id, "x", also=[done.id])


def test_revert_goes_back_as_a_new_version_and_forth_again(vault: Vault) -> None:
    first = save(vault, "one", tags=["a"], title="Same")
    second = vault.evolve(first, "two", tags=["b"]).id
    commits = int(git(vault, "rev-list", "--count", "HEAD"))
    third = vault.revert(second).id
    entry = vault.get(third)
    assert (entry.body, entry.tags) == ("one\n", ("a",))
    assert (entry.supersedes, entry.path) == (second, vault.get(third).path)
    assert vault.get(second).reason == "reverted"
    assert int(git(vault, "rev-list", "--count", "HEAD")) == commits + 1
    fourth = vault.revert(third).id
    assert vault.get(fourth).body == "two\n"
    changing.pin(vault, fourth)
    fifth = vault.evolve(fourth, "three").id
    changing.pin(vault, fifth, off=True)
    client = Vault.open(vault.root, now_ms=vault.now_ms, via="mcp")
    assert not vault.get(client.revert(fifth).id).pinned
    assert len(vault.read(lambda reader: versions(reader, first))) == 6
