"""The page shows what a vault holds, runs no word of it, and loads nothing."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from memcli.api import Vault
from memcli.cli import view as page
from tests.cli.conftest import Run
from tests.git_command import git

HOSTILE: list[dict[str, Any]] = [
    {"text": "x", "title": "</script><script>document.title='run'</script>"},
    {"text": "<img src=x onerror=\"document.title='run'\"> <!-- and -->"},
    {"text": "[click](javascript:document.title='run') [file](file:///etc/passwd)"},
    {"text": "![t](https://tracker.example/x.png) <https://example.org> [a](b.md)"},
    {"text": "a" * 900_000, "title": "One long line"},
    {"text": "|a|b|\n|:-|-:|\n|1|2|\n", "title": "A table"},
    {"text": "\u202e\u2028\u0007 odd signs", "title": "{{ 7 * 7 }} {% raw %}"},
]


def html_of(vault: Vault) -> str:
    return page.html(page.picture(vault))


def save(vault: Vault, *rows: dict[str, Any]) -> list[str]:
    return [vault.save(vault.draft(row)).id for row in rows]


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def tags_of(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(html)
    return parser.found


def data_of(html: str) -> dict[str, Any]:
    text = html.split('id="data">')[1].split("</script>")[0]
    data: dict[str, Any] = json.loads(text)
    return data


def test_a_hostile_vault_adds_no_element_to_the_page(vault: Vault) -> None:
    empty = tags_of(html_of(vault))
    save(vault, *HOSTILE)
    assert tags_of(html_of(vault)) == empty


def test_a_body_brings_no_html_no_image_and_no_link_but_to_the_web(
    vault: Vault,
) -> None:
    save(vault, *HOSTILE)
    bodies = [entry["html"] for entry in data_of(html_of(vault))["entries"]]
    found = [one for body in bodies for one in tags_of(body)]
    assert {tag for tag, _ in found} <= {"p", "a", "table", "thead", "tbody", "tr"} | {
        "th",
        "td",
    }
    links = [attributes for tag, attributes in found if tag == "a"]
    # An image is a link, which loads nothing until a person follows it.
    assert {each["href"] for each in links} == {
        "https://example.org",
        "https://tracker.example/x.png",
    }
    assert {each["rel"] for each in links} == {"noreferrer noopener"}
    assert not any("style" in attributes for _, attributes in found)
    assert all(len(body) < 50_000 for body in bodies)


def test_the_policy_of_the_page_names_its_script_and_style_and_nothing_else(
    vault: Vault,
) -> None:
    html = html_of(vault)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', html)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy.replace("http-equiv", "")


def test_an_agents_page_holds_what_it_may_see(vault: Vault) -> None:
    save(vault, {"text": "Zeppelin is ours", "visibility": "private", "agent": "ada"})
    save(vault, {"text": "All know this"})
    seen = page.html(page.picture(vault.acting_as("bob")))
    assert "Zeppelin" not in seen
    assert "Zeppelin" in html_of(vault)


def test_the_command_writes_one_file_and_none_into_the_vault(
    memcli: Run, vault: Vault, tmp_path: Path
) -> None:
    memcli("save", "The queue is Kafka")
    out = tmp_path / "page.html"
    done = memcli("view", "--out", str(out), "--json").json["data"]
    assert (done["path"], done["entries"]) == (str(out), 1)
    assert out.read_bytes().startswith(b"<!doctype html>")
    assert memcli("view", "--out", f"{vault.root}/page.html").code == 1
    git(tmp_path, "init", "--quiet", "shop")
    said = memcli("view", cwd=tmp_path / "shop").err
    assert f"lies in the repository {tmp_path / 'shop'}: do not commit it" in said


# --- in a browser -------------------------------------------------------------------


@pytest.mark.slow
def test_a_browser_shows_every_entry_and_runs_nothing_of_a_vault(
    vault: Vault, tmp_path: Path
) -> None:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("NO CHROMIUM: the page of `memcli view` was not opened")
    names = save(vault, *HOSTILE, {"text": "We deploy **Kafka** on Tuesdays"})
    path = tmp_path / "page.html"
    path.write_text(html_of(vault), "utf-8")
    # A browser that may reach the network asks its maker's servers at every start.
    page_of_one = f"{path.as_uri()}#{names[1]}"
    flags = (
        "--headless --no-sandbox --disable-gpu --no-first-run --disable-sync "
        "--disable-background-networking --disable-dev-shm-usage --dump-dom"
    )
    shown = subprocess.run(
        [program, *flags.split(), f"--user-data-dir={tmp_path}/b", page_of_one],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    assert "data-ready=" in shown
    assert "<title>vault: memcli</title>" in shown
    assert shown.count('class="row"') == len(HOSTILE) + 1
    assert "onerror" in shown.partition("<body")[2]
    assert "img" not in {tag for tag, _ in tags_of(shown)}
