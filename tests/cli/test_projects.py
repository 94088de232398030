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
    assert "holds in" not in everywhere.out
    inside = memcli("save", "Be kind", "--json", cwd=Path(vault.root))
    assert inside.json["data"]["project"] is None
    here = memcli("save", "Be quick", "--project", "here", "--json", cwd=shop)
    assert here.json["data"]["project"] == SHOP
    refused = memcli("save", "x", "--project", "any", cwd=shop)
    assert (refused.code, "not a project's name" in refused.err) == (2, True)


def test_a_save_for_a_project_named_without_its_owner_names_the_whole_one(vault: Vault):
    from memcli.cli import hints

    def told(text: str, project: str | None, named: str) -> list[str]:
        saved = vault.save(vault.draft({"text": text, "project": project}))
        return hints.for_project(vault, saved, named)

    assert told("Use pnpm", SHOP, SHOP) == []
    (said,) = told("Use node 22", "shop", "shop")
    assert said.startswith(f"'shop' is another project than {SHOP}; if that is meant:")
    assert f"--project {SHOP}" in said
    assert told("Use yarn", "hop", "hop") == []
    assert told("Use deno", None, "none") == []
    told("Use bun", "github.com/other/shop", "github.com/other/shop")
    assert told("Use esbuild", "shop", "shop") == []  # two are named so
    nowhere = told("Use vite", None, "here")
    assert nowhere == ["this folder belongs to no project, so it holds everywhere"]


def test_an_unknown_kind_of_an_import_names_the_command_that_takes_it(memcli: Run):
    line = b'{"text": "one", "kind": "rule"}\n'
    done = memcli("import", "-", stdin=line)
    assert done.code == 1
    assert "to take them: memcli import FILE --map KIND=note" in done.err


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
