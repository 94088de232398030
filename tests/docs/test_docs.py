"""Documentation is run, not trusted.

On every page a fenced block that is marked `console` is a session:
lines that start with `$ ` are typed into one `sh`, in the order of the page and in
one scratch folder, so `cd` and `export` last from block to block; a line that starts
with `> ` continues the command above it. The lines below a command are what it must
print, on stdout and stderr together, and every command must succeed.

In what is expected, `...` stands for any text, and alone on a line for any lines.
Ids, commit ids, dates, months of paths, times and decimal fractions match any other of
their form.
Blocks marked `sh` are shown and not run.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from memcli.cli import commands as table
from memcli.cli.app import build
from memcli.cli.commands import COMMANDS
from tests import processes
from tests.conftest import ROOT

PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "vault-template").rglob("*.md")),
]
README = ROOT / "README.md"
SESSIONS = [page for page in PAGES if "```console\n" in page.read_text("utf-8")]
SESSIONS.remove(README)  # it is run after the demo
ENDED = "--- memcli test: exit"
# How a page writes what differs from run to run, and what that may be in a run. A
# commit id on a page needs a digit, or "defaced" were one; in a run it may have none.
VOLATILE = {
    "time": (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",) * 2,
    "date": (r"\d{4}-\d\d-\d\d",) * 2,
    "month": (r"\b\d{4}/\d\d(?=/)",) * 2,
    "commit": (
        r"\b(?=[a-f]*\d)(?:[0-9a-f]{40}|[0-9a-f]{7,10})\b",
        r"\b[0-9a-f]{7,40}\b",
    ),
    "id": (r"\b[0-9a-hjkmnp-tv-z]{16}\b",) * 2,
    "fraction": (r"\b\d+\.\d+\b(?!\.)",) * 2,
}


class Command(NamedTuple):
    """One typed command: where it stands, what is typed, what should be printed."""

    line: int
    text: str
    expected: tuple[str, ...]


def commands(page: str) -> list[Command]:
    """The commands of every `console` block of `page`, in order."""
    found: list[Command] = []
    inside = False
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("```"):
            inside = line.strip() == "```console"
        elif inside and line.startswith("$ "):
            found.append(Command(number, line[2:], ()))
        elif inside and found:
            last = found[-1]
            if line.startswith("> ") and not last.expected:
                found[-1] = last._replace(text=f"{last.text}\n{line[2:]}")
            else:
                found[-1] = last._replace(expected=(*last.expected, line))
    return found


def run(typed: list[Command], folder: Path) -> Iterator[tuple[int, str]]:
    """Exit code and output of each command, typed into one shell in `folder`."""
    script = "".join(f'{command.text}\necho "{ENDED} $?"\n' for command in typed)
    done = subprocess.run(
        ["sh"],
        env={**os.environ, "PATH": processes.path_with_memcli(folder.parent / "bin")},
        input=script.encode(),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=300,
    )
    rest = done.stdout.decode().replace("\r\n", "\n")
    for _ in typed:
        output, ended, rest = rest.partition(ENDED)
        assert ended, f"the shell stopped early: {output}"
        code, _, rest = rest.partition("\n")
        yield int(code), output


def pattern(expected: tuple[str, ...]) -> str:
    """Regular expression of everything that may stand where `expected` stands."""
    lines = [line.rstrip() for line in expected]
    while lines and not lines[-1]:
        lines.pop()
    written = "|".join(f"(?P<{name}>{form})" for name, (form, _) in VOLATILE.items())
    parts = []
    for line in lines:
        if line.strip() in {"...", "…"}:
            parts.append(r"(?:.*\n)*?")
            continue
        made, at = "", 0
        for match in re.finditer(rf"(?P<any>\.\.\.|…)|{written}", line):
            made += re.escape(line[at : match.start()])
            kind = match.lastgroup or "any"
            made += ".*" if kind == "any" else VOLATILE[kind][1]
            at = match.end()
        parts.append(made + re.escape(line[at:]) + r"[ \t]*\n")
    return "".join(parts)


def agrees(expected: tuple[str, ...], output: str) -> bool:
    printed = "".join(f"{line.rstrip()}\n" for line in output.rstrip().splitlines())
    return re.fullmatch(pattern(expected), printed) is not None


def mistakes(page: Path, folder: Path) -> list[str]:
    """The commands of a page that print something else than it says, in a folder."""
    typed = commands(page.read_text(encoding="utf-8"))
    return [
        f"{page.name}:{command.line}: $ {command.text}\n"
        f"exit code {code}, printed:\n{output}"
        for command, (code, output) in zip(typed, run(typed, folder), strict=True)
        if code or not agrees(command.expected, output)
    ]


@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_print_what_the_page_says(page: Path, tmp_path: Path):
    wrong = mistakes(page, tmp_path)
    assert not wrong, "\n".join(wrong)


def test_the_demo_leaves_an_empty_home_in_which_readme_runs_to_its_end(
    home: Path, tmp_path: Path
):
    before = sorted(home.rglob("*"))
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "demo.py")],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "refused From now on, outbound HTTP" in done.stdout
    assert len(done.stdout.splitlines()) <= 22
    assert sorted(home.rglob("*")) == before
    assert mistakes(README, tmp_path) == []


def test_the_page_of_output_has_a_section_for_every_command():
    page = (ROOT / "docs" / "agents" / "output.md").read_text(encoding="utf-8")
    named = set(re.findall(r"[a-z]+", " ".join(re.findall(r"^## (.*)$", page, re.M))))
    # Those two answer a host in the host's own format.
    assert set(COMMANDS) - named == {"hook", "mcp"}


def test_the_page_of_output_names_every_error_code():
    page = (ROOT / "docs" / "agents" / "output.md").read_text(encoding="utf-8")
    sources = [path.read_text("utf-8") for path in (ROOT / "memcli").rglob("*.py")]
    form = r'\b(?:code = |code=)"([a-z_]+)"'
    codes = {code for text in sources for code in re.findall(form, text)}
    assert len(codes) > 50
    # A value that cannot be used has the code of its field.
    named = {*re.findall(r"`([a-z_]+)`", page)}
    assert {one for one in codes - named if not one.startswith("invalid_")} == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_begins_with_what_the_command_does_and_shows_an_example(name: str):
    result = CliRunner().invoke(build([name]), [name, "--help"])
    assert result.exit_code == 0
    first = result.output.splitlines()[2].strip()
    verb = first.partition(" ")[0]
    assert re.fullmatch(r"[A-Z][a-z]+", verb), f"no verb first: {first!r}"
    assert not re.search(r"([^s]s|ing|ed)$", verb), f"not imperative: {first!r}"
    assert not first.endswith("."), f"a full stop: {first!r}"
    example = rf"^ +memcli {name}( |$)"
    assert re.search(example, result.output, re.MULTILINE), "no example in the help"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page: Path):
    links = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    relative = [link for link in links if not re.match(r"[a-z]+:", link)]
    assert [link for link in relative if not leads_somewhere(page, link)] == []


def test_every_page_is_in_an_index():
    indexes = [*sorted((ROOT / "docs").rglob("README.md"))]
    listed = {
        (index.parent / link.partition("#")[0]).resolve()
        for index in indexes
        for link in re.findall(r"\]\(([^)\s]+)\)", prose(index))
    }
    pages = {page for page in (ROOT / "docs").rglob("*.md") if page not in indexes}
    assert pages - listed == set()
    assert set(indexes) - listed == {ROOT / "docs" / "README.md"}


def prose(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def leads_somewhere(page: Path, link: str) -> bool:
    """Whether the file or folder is there, and the heading that is named in it."""
    place, _, anchor = link.partition("#")
    target = page.parent / place if place else page
    return target.exists() and (not anchor or anchor in anchors(target))


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    words = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {word.replace(" ", "-") for word in words}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_command_that_a_page_shows_has_the_flags_it_is_shown_with(page: Path):
    assert shown_wrongly(page) == []


def shown_wrongly(page: Path) -> list[str]:
    wrong = []
    for shown in shown_commands(page):
        words = shown.split()
        named = {word.partition("=")[0] for word in words if word.startswith("--")}
        name = next(iter(words[1:]), "")
        known = table.flags(name).keys() if name in COMMANDS else {"--version", "--all"}
        if not named <= {"--help", *known}:
            wrong.append(shown)
    return wrong


def shown_commands(page: Path) -> list[str]:
    """Every memcli command in a block of `sh`, and in a span of code."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = [line.partition(" #")[0] for block in blocks for line in block.splitlines()]
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose(page))]
    return [one for one in lines + spans if one.startswith("memcli ")]


def test_no_page_names_a_place_on_its_authors_machine():
    named = {
        page.name: found
        for page in PAGES
        if (found := re.findall(r"/(?:home|Users|root)/\w+", page.read_text("utf-8")))
    }
    assert not named
