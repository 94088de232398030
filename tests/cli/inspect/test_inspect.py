"""`memcli inspect`: words in, exit codes and output out."""

from pathlib import Path

from memcli import Vault
from tests.cli.conftest import Run
from tests.git_command import git
from tests.saving import save, write


def test_overview_of_a_healthy_vault_exits_with_0(memcli: Run, vault: Vault):
    saved = vault.save("We deploy on Tuesdays")
    done = memcli("inspect")
    assert done.code == 0
    assert done.out.startswith(f"{vault.root}: 1 entry\n")
    assert saved.id in done.out
    assert done.out.endswith("lint: nothing is wrong\n")


def test_what_is_resolved_is_marked_where_it_is_named_and_is_no_constraint_in_force(
    memcli: Run, vault: Vault
) -> None:
    rule = save(vault, "Never push on Fridays", kind="constraint", pinned=True)
    memcli("recall", "push Fridays", "--research", "pushes")
    memcli("recall", "deploy", "--research", "pushes")
    vault.resolve(rule)
    assert f"{rule}\tconstraint resolved\t" in memcli("inspect").out
    assert (
        "Never push on Fridays (resolved)"
        in memcli("inspect", "research", "pushes").out
    )
    for question in ("Fridays", "deploy"):
        done = memcli("recall", question, "--status", "resolved", "--json")
        assert done.json["data"]["constraints"] == []
    linked = vault.save(f"Why, see [[{rule}]]").id
    assert "Never push on Fridays (resolved)" in memcli("inspect", linked).out
    model = {"text": "How we push", "layer": "model", "subtype": "pinned"}
    vault.save(vault.draft({**model, "evidence": [rule], "entities": ["Git"]}))
    shown = "recall push", "show how-we-push", "list", "inspect", "inspect entity git"
    for words in (*shown, "reflect push --json"):
        assert "pinned, look at it" in memcli(*words.split()).out
    again = [memcli("save", "Never push, on **Fridays**!").out for _ in range(2)]
    assert all(said.startswith("resolved, and recurred") for said in again)


def status(vault: Vault) -> str:
    return git(vault, "status", "--porcelain")


def test_a_repair_is_a_plan_until_yes(memcli: Run, vault: Vault) -> None:
    Path(vault.root, "a.md").write_text("new\n")
    plan = memcli("doctor", "--fix", "--json").json
    assert (plan["ok"], plan["data"]["applied"]) == (True, False)
    assert "would mend 1" in memcli("doctor", "--fix").out
    assert status(vault) == "?? a.md\n"
    done = memcli("doctor", "--fix", "--yes")
    assert (done.code, done.out) == (0, "mended 1:\n  a.md: commit it: new\n")
    assert status(vault) == ""
    assert memcli("doctor", "--fix").out == "nothing to mend\n"


def test_the_topics_show_what_waits_and_what_fades(memcli: Run) -> None:
    assert memcli("review", "--list").err == "Nothing waits for review.\n"
    assert memcli("inspect", "reflections").err == "No reflection items.\n"
    memcli("save", "--inbox", "Perhaps tabs", "--set", "confidence=LOW")
    memcli("save", "--set", "item=derived", "Retest the rerank config")
    memcli("save", "--set", "item=invariant", "Always lint first")
    inbox = memcli("review", "--list").out.splitlines()
    assert inbox[0].split("\t")[1:] == ["0", "LOW", "note", "Perhaps tabs"]
    shown = memcli("inspect", "reflections").out.splitlines()
    assert [row.split("\t")[1:] for row in shown] == [
        [*"invariant 1.10 45 1 in".split(), "Always lint first", "rule, weight 1.10"],
        [
            *"derived 0.94 14 1 in".split(),
            "Retest the rerank config",
            "recent, weight 0.94",
        ],
    ]
    overview = memcli("inspect").out
    assert "1 candidate for review, the oldest for 0 days: memcli review" in overview


def test_an_entry_shows_its_versions(memcli: Run, vault: Vault) -> None:
    old = vault.save("We deploy on Tuesdays").id
    new = vault.evolve(old, "We deploy on Mondays", reason="the freeze").id
    shown = memcli("inspect", new).out
    today = vault.get(new).created[:10]
    place = f"archive/memories/note/2026/11/we-deploy-on-tuesdays.{old}.md"
    then, now = shown[shown.index("versions:\n") :].splitlines()[1:3]
    assert then.split("\t")[1:] == [
        *(old, "superseded", "We deploy on Tuesdays", "the freeze", place)
    ]
    assert now.split("\t")[:4] == [today, new, "current", "We deploy on Mondays"]
    data = memcli("inspect", old, "--json").json["data"]
    assert [version["id"] for version in data["versions"]] == [old, new]
    assert (data["eligible"], data["reason_not_eligible"]) == (False, "superseded")
    item = vault.save("Lint first", item="derived").id
    vault.resolve(item)
    save(vault, "lint first", item="derived", source={"session": "s"})
    shown = memcli("inspect", item).out
    assert f"recurred on {vault.get(item).updated[:10]}" in shown
    assert "resolved, and recurred" in memcli("inspect").out


def test_a_repair_that_leaves_an_error_says_what_to_do_and_exits_with_1(
    memcli: Run, vault: Vault
) -> None:
    write(vault, "a.md", "new\n")
    write(vault, "b.md", "---\nid: [\n---\nx\n")
    told = memcli("doctor", "--vault", vault.root).out
    assert f"-> memcli --vault {vault.root} doctor --fix --dry-run" in told
    assert memcli("doctor", "--fix").code == 1
    done = memcli("doctor", "--fix", "--yes")
    assert done.code == 1
    assert "mended 1, and 1 left for you:\n  left for you: b.md:3: " in done.out
    assert status(vault) == "?? b.md\n"
