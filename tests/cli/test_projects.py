"""Projects at the command line: who sets them, and what shows them."""

import json
from pathlib import Path

from memcli.api import Vault
from tests.cli.conftest import Run

SHOP = "github.com/acme/shop"


def test_save_says_which_project_it_used(memcli: Run, vault: Vault, shop: Path):
    done = memcli("save", "Use pnpm", cwd=shop)
    assert f"holds in {SHOP} (everywhere: --project none)" in done.out
    again = memcli("save", "Use pnpm", "--json", cwd=shop).json["data"]
    assert (again["outcome"], again["project"]) == ("duplicate", SHOP)
    assert vault.get(again["id"]).project == SHOP
    other = memcli("save", "Use npm", "--project", "Acme/Blog", "--json", cwd=shop)
    assert other.json["data"]["project"] == "acme/blog"
    everywhere = memcli("save", "Be brief", "--project", "none", cwd=shop)
    assert "holds " not in everywhere.out
    inside = memcli("save", "Be kind", "--json", cwd=Path(vault.root))
    assert inside.json["data"]["project"] is None
    here = memcli("save", "Be quick", "--project", "here", "--json", cwd=shop)
    assert here.json["data"]["project"] == SHOP
    refused = memcli("save", "x", "--project", "any", cwd=shop)
    assert (refused.code, "not a project's name" in refused.err) == (2, True)


def test_a_project_named_without_its_owner_is_the_whole_one_where_it_is_written(
    memcli: Run, vault: Vault, shop: Path
):
    def told(project: str, *words: str) -> tuple[str | None, str]:
        done = memcli(*words, "--project", project, "--json", cwd=shop).json
        return vault.get(done["data"]["id"]).project, " ".join(done["warnings"])

    one = memcli("save", "Use node", "--project", "none", "--json").json["data"]["id"]
    assert told("shop", "save", "Use deno") == (SHOP, "")
    assert told("shop", "tag", one) == (SHOP, "")
    for words in (["save", "Use bun"], ["tag", one], ["evolve", one, "Use yarn"]):
        project, said = told(f"hop{words[0]}", *words)
        assert said.startswith(f"'{project}' is a new project; if another is meant")
        assert said.endswith(f" --project {SHOP}")
        if words[0] == "evolve":
            one = said.split("memcli tag ")[1].split()[0]
    assert told("shop", "evolve", one, "Use esbuild") == (SHOP, "")
    assert told("none", "save", "Use vite") == (None, "")
    memcli("save", "Use turbo", "--project", "github.com/other/shop")
    project, said = told("shop", "save", "Use rollup")  # two are named so
    assert (project, SHOP in said) == ("shop", True)


def test_here_is_nowhere_in_a_folder_without_a_project(memcli: Run, vault: Vault):
    said = memcli("save", "Use vite", "--project", "here", cwd=Path(vault.root)).err
    assert "this folder belongs to no project, so it holds everywhere" in said


def test_an_unknown_kind_of_an_import_names_the_command_that_takes_it(memcli: Run):
    line = b'{"text": "one", "kind": "rule"}\n'
    done = memcli("import", "-", stdin=line)
    assert done.code == 1
    assert "to take them: memcli config set vault.kinds KIND" in done.err
    memcli("config", "set", "vault.kinds", "rule")
    assert memcli("import", "-", stdin=line).code == 0


def test_rows_say_where_they_hold_and_a_flag_filters(memcli: Run, shop: Path):
    memcli("save", "the header is blue", cwd=shop)
    memcli("save", "the header is red", "--project", "acme/blog", cwd=shop)
    shown = memcli("recall", "header", cwd=shop).out
    assert shown.index("header is blue") < shown.index("header is red")
    assert "in acme/blog" in shown
    here = memcli("recall", "header", "--project", "here", "--json", cwd=shop)
    assert [row["project"] for row in here.json["data"]["rows"]] == [SHOP]
    for command in (("recall", "header"), ("reflect", "header"), ("list",)):
        short = memcli(*command, "--project", "blog", "--json", cwd=shop)
        assert "acme/blog" in short.out, command
        nothing = memcli(*command, "--project", "blogg", cwd=shop)
        told = "memcli: No entries in project 'blogg'\n  What there is: memcli list"
        assert (nothing.code, nothing.out) == (2, "")
        assert nothing.err.startswith(told)
    line = json.dumps({"id": 1, "query": "header", "project": "acme/blog"}).encode()
    batch = memcli("recall", "--batch", "-", "--json", stdin=line).out
    assert json.loads(batch)["data"]["rows"][0]["project"] == "acme/blog"


def test_projects_are_listed_and_narrow_entities_and_models(memcli: Run, shop: Path):
    memcli("save", "Redis caches carts", "--entity", "Redis", cwd=shop)
    words = ["--layer", "model", "--project", "acme/blog"]
    memcli("save", "How Kafka is used", "--entity", "Kafka", *words, cwd=shop)
    listed = memcli("list", "--by", "project", "--json", cwd=shop).json["data"]
    assert listed["here"] == SHOP
    assert listed["count"] == 2
    assert [(p["name"], p["current"]) for p in listed["projects"]] == [
        (None, 0),
        ("acme/blog", 1),
        (SHOP, 1),
    ]
    for words in (["entities"], ["entities", "list"]):
        named = memcli(*words, "--project", "here", "--json", cwd=shop).json["data"]
        assert [each["name"] for each in named["entities"]] == ["Redis"]
    models = memcli("inspect", "models", "--project", SHOP, "--json").json["data"]
    assert models["models"] == []
    models = memcli("inspect", "models", "--project", "any", "--json").json["data"]
    assert [each["project"] for each in models["models"]] == ["acme/blog"]
    assert memcli("inspect", "agents", "--project", "any").code == 2
