"""The page shows what a vault holds, runs no word of it, and loads nothing."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from memcli.api import Vault
from memcli.cli import view as page
from memcli.recall import picture
from tests.cli.browser import PROGRAM, Browser
from tests.cli.conftest import Run
from tests.conftest import VaultMaker

ABOUT = page.About("vault", "", 1_790_000_000)
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
    return page.html(picture.picture(vault), ABOUT)


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
    seen = page.html(picture.picture(vault.acting_as("bob")), ABOUT)
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


# --- in a browser -------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.skip(
            "NO CHROMIUM: the page of `memcli view` was not opened in a browser"
        )
    with Browser(tmp_path_factory.mktemp("browser")) as running:
        yield running


@pytest.fixture
def opened(make_vault: VaultMaker, tmp_path: Path, browser: Browser) -> Browser:
    vault = make_vault()
    save(vault, *HOSTILE)
    (first,) = save(vault, {"text": "We deploy **Kafka** on Tuesdays", "tags": ["ops"]})
    vault.evolve(first, "We deployed Kafka on Wednesdays, see [[queue]]")
    save(vault, {"text": "Die Warteschlange: 消息队列", "kind": "decision"})
    save(vault, {"text": "A candidate", "status": "pending"})
    path = tmp_path / "page.html"
    path.write_text(html_of(vault), "utf-8")
    browser.errors.clear()
    browser.requests.clear()
    browser.open(path)
    return browser


def titles(browser: Browser) -> list[str]:
    script = "[...document.querySelectorAll('#results b')].map((b) => b.textContent)"
    found: list[str] = browser.eval(script)
    return found


def ask(browser: Browser, words: str) -> list[str]:
    browser.eval("document.getElementById('clear').click()")
    browser.eval("document.getElementById('query').focus()")
    browser.type(words)
    return titles(browser)


@pytest.mark.slow
def test_a_browser_runs_nothing_of_a_vault_and_asks_nobody(opened: Browser) -> None:
    assert opened.eval("document.title") == "vault: memcli"
    for place in range(len(titles(opened))):
        opened.eval(f"document.querySelectorAll('.row')[{place}].click()")
    assert opened.eval("document.title") == "vault: memcli"
    assert opened.errors == []
    assert all(address.startswith("file:") for address in opened.requests)


@pytest.mark.slow
def test_a_search_finds_inflections_and_the_beginning_of_a_word(
    opened: Browser,
) -> None:
    wanted = "We deployed Kafka on Wednesdays, see [[queue]]"
    assert ask(opened, "deploys") == [wanted]
    assert ask(opened, "kaf") == [wanted]
    assert ask(opened, "队列") == ["Die Warteschlange: 消息队列"]
    assert ask(opened, "nothing of this") == []


@pytest.mark.slow
def test_an_entry_is_reached_and_left_by_keys(opened: Browser) -> None:
    opened.press("/", "/")
    opened.type("kafka ")
    opened.press("ArrowDown")
    opened.press("Enter", "\r")
    heading = opened.eval("document.activeElement.textContent")
    assert heading.startswith("We deployed Kafka")
    assert "2 versions" in opened.eval(
        "document.querySelector('#entry svg').getAttribute('aria-label')"
    )
    opened.press("Escape")
    assert opened.eval("document.activeElement.className") == "row"
