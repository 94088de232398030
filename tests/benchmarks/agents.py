"""What it adds to a recall that an agent asks: 50 agents, 20 groups, 10,000 entries.

Three vaults of the same notes: in `mixed` they are private, shared or of groups; in
`open` all are shared, so that an agent gets the owner's rows and only the filter
differs; `seen` holds only what one agent may see. Every question is asked by the owner
and by each agent, in turns; a figure is the median of what an agent needed over what
the owner needed for the same question, in CPU.

    python -m tests.benchmarks.agents
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.benchmarks import corpus, report, timing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memcli.recall.results import Recalled
    from memcli.search.reader import Reader

ADDED = report.Target(10)
AGENTS, GROUPS = 50, 20
# One agent of each policy, and how many groups an agent is in.
ASKERS = {"isolated": "agent-01", "shared": "agent-02", "group": "agent-03"}
FEWEST, MOST = 2, 5
# What a recall of budget mid looks at.
LIMIT = 10
VISIBILITIES = ("private", "shared", "group")
ODDS = (30, 40, 30)


class Crowd(NamedTuple):
    """Agents, each with its policy and its groups."""

    policies: dict[str, str]
    groups: dict[str, list[str]]

    def config(self) -> str:
        """Return the agents as `.memcli/config.toml` has them."""
        return "".join(
            f'[agents.{name}]\npolicy = "{policy}"\n'
            f"groups = {json.dumps(self.groups[name])}\n"
            for name, policy in self.policies.items()
        )


def crowd(rng: Random) -> Crowd:
    """Return the agents; the policies take turns, the groups are drawn."""
    names = [f"agent-{number:02}" for number in range(1, AGENTS + 1)]
    teams = [f"team-{number:02}" for number in range(1, GROUPS + 1)]
    policies = {name: list(ASKERS)[i % 3] for i, name in enumerate(names)}
    count = {name: rng.randint(FEWEST, MOST) for name in names}
    return Crowd(
        policies, {name: sorted(rng.sample(teams, count[name])) for name in names}
    )


def written(
    notes: Sequence[corpus.Note], agents: Crowd, rng: Random, *, mixed: bool
) -> Iterator[dict[str, Any]]:
    """Yield the notes as their agents wrote them, ready for `memcli import`."""
    names = list(agents.policies)
    for note in notes:
        agent = rng.choice(names)
        line: dict[str, Any] = {**note, "agent": agent}
        if mixed:
            line["visibility"] = rng.choices(VISIBILITIES, weights=ODDS)[0]
            if line["visibility"] == "group":
                line["groups"] = agents.groups[agent][: rng.randint(1, 2)]
        yield line


def is_seen(line: dict[str, Any]) -> bool:
    """Return whether the agent of the policy `shared` may see an entry."""
    return bool(line["agent"] == ASKERS["shared"] or line["visibility"] == "shared")


class Bench(NamedTuple):
    """What every measurement needs."""

    memcli: list[str]
    work: Path
    env: dict[str, str]
    size: int
    runs: int
    questions: list[corpus.Question]

    def row(
        self,
        measure: str,
        ratios: Sequence[float],
        notes: str,
        target: report.Target | None,
    ) -> None:
        """Print how much the median ratio adds to 1, in percent."""
        added = 100 * (median(ratios) - 1)
        size = f"{self.size:,}"
        report.show(report.line(report.Row(measure, size, added, "%", target, notes)))


def fill(bench: Bench, name: str, lines: Iterator[dict[str, Any]], config: str) -> str:
    """Make a vault, import the lines and index them; returns its path."""
    vault = str(bench.work / name)
    if Path(vault).exists():
        return vault
    file = bench.work / f"{name}.jsonl"
    with file.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    for words in (["init", vault], ["import", str(file), "--vault", vault]):
        command = [*bench.memcli, *words]
        done = timing.run(command, env=bench.env, timeout=7200)
        # A generated token may be refused as a secret: then an import exits with 1.
        if words[0] == "init":
            timing.must(done, command)
    settings = Path(vault, ".memcli", "config.toml")
    before = settings.read_text(encoding="utf-8") if settings.exists() else ""
    settings.write_text(before + config, encoding="utf-8")
    command = [*bench.memcli, "recall", "anything", "--vault", vault]
    timing.must(timing.run(command, env=bench.env, timeout=7200), command)
    return vault


def processes(bench: Bench, vault: str, what: str, askers: dict[str, str]) -> None:
    """Compare whole processes: start, index, filter, ranking, output."""
    spent: dict[str, list[float]] = {name: [] for name in ("", *askers.values())}
    for turn in range(bench.runs + 1):
        question = bench.questions[turn % len(bench.questions)].text
        for agent in _in_turns(list(spent), turn):
            command = [*bench.memcli, "recall", question, "--vault", vault, "--json"]
            command += ["--agent", agent] if agent else []
            done = timing.must(timing.run(command, env=bench.env), command)
            if turn:
                spent[agent].append(done.cpu)
    _show(bench, f"`memcli recall`, {what}", spent, askers)


def kept_open(bench: Bench, vault: str, what: str, askers: dict[str, str]) -> None:
    """Compare `Vault.recall` alone, in one process whose vaults stay open."""
    spent = _child(bench, "--alone", vault, "QUESTIONS", *askers.values())
    _show(bench, f"`Vault.recall` kept open, {what}", spent, askers)


def _child(bench: Bench, *words: str) -> dict[str, list[float]]:
    asked = bench.work / "questions.json"
    asked.write_text(json.dumps([one.text for one in bench.questions]), "utf-8")
    words = tuple(str(asked) if word == "QUESTIONS" else word for word in words)
    child = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.agents", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    if child.returncode != 0:
        raise SystemExit(f"recalls alone failed:\n{child.stderr[-2000:]}")
    spent: dict[str, list[float]] = json.loads(child.stdout)
    return spent


def _show(
    bench: Bench,
    what: str,
    spent: dict[str, list[float]],
    askers: dict[str, str],
    target: report.Target | None = ADDED,
) -> None:
    owner = spent[""]
    for policy, agent in askers.items():
        ratios = [a / b for a, b in zip(spent[agent], owner, strict=True)]
        notes = (
            f"{_ms(spent[agent])} against the owner's {_ms(owner)} CPU; "
            f"{len(owner)} questions"
        )
        bench.row(f"{what}: {policy}", ratios, notes, target)


def _ms(seconds: Sequence[float]) -> str:
    return f"{median(seconds) * 1000:.1f} ms"


def _in_turns(names: list[str], turn: int) -> list[str]:
    """Return the names, each first in its turn: what runs second finds warm caches."""
    start = turn % len(names)
    return names[start:] + names[:start]


def alone(vault: str, questions_file: str, agents: Sequence[str]) -> None:
    """Print the CPU seconds of each recall as JSON: the child's side of `kept_open`."""
    from memcli import Vault

    vaults = {name: Vault.open(vault, agent=name or None) for name in ("", *agents)}
    ways = {name: one.recall for name, one in vaults.items()}
    json.dump(_clocked(ways, _questions(questions_file)), sys.stdout)


def answers(seen: str, mixed: str, questions_file: str) -> None:
    """Print the CPU seconds of answering from an index that is open and up to date.

    The owner's of `seen`, and under the policy's name the agent's of `mixed`.
    """
    from memcli import Vault
    from memcli.recall import recall
    from memcli.recall.query import Query, view_of

    owner, agent = Vault.open(seen), Vault.open(mixed, agent=ASKERS["shared"])
    view = view_of(owner.now_ms() // 1000)

    def way(reader: Reader) -> Callable[[str], Recalled]:
        return lambda text: recall.look(reader, Query(text, view, limit=LIMIT))

    def both(one: Reader) -> dict[str, list[float]]:
        return agent.read(
            lambda other: _clocked(
                {"": way(one), ASKERS["shared"]: way(other)}, _questions(questions_file)
            )
        )

    json.dump(owner.read(both), sys.stdout)


def _questions(file: str) -> list[str]:
    found: list[str] = json.loads(Path(file).read_text(encoding="utf-8"))
    return found


def _clocked(
    ways: Mapping[str, Callable[[str], object]], questions: Sequence[str]
) -> dict[str, list[float]]:
    spent: dict[str, list[float]] = {name: [] for name in ways}
    # The first three pay for imports, the opened index and cold pages, for all.
    for turn, question in enumerate([*questions[:3], *questions]):
        for name in _in_turns(list(ways), turn):
            start = timing.cpu_seconds()
            ways[name](question)
            if turn >= 3:
                spent[name].append(timing.cpu_seconds() - start)
    return spent


def sees(bench: Bench, vault: str, askers: dict[str, str]) -> str:
    """Return how many entries each asker may see, in a sentence."""
    command = [*bench.memcli, "inspect", "agents", "--vault", vault, "--json"]
    done = timing.must(timing.run(command, env=bench.env), command)
    found = {one["name"]: one for one in json.loads(done.out)["data"]["agents"]}
    return ", ".join(
        f"{policy} {found[name]['sees']:,}" for policy, name in askers.items()
    )


def main() -> None:
    """Make both vaults and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("-n", "--runs", type=int, default=40)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", help="folder for the vaults, kept and used again")
    parser.add_argument("--alone", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--answers", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.alone:
        vault, questions, *agents = arguments.alone
        alone(vault, questions, agents)
        return
    if arguments.answers:
        answers(*arguments.answers)
        return
    rng = Random(f"agents:{arguments.seed}")
    agents = crowd(rng)
    notes = list(corpus.notes(arguments.size, arguments.seed))
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(arguments.work or scratch)
        work.mkdir(parents=True, exist_ok=True)
        bench = Bench(
            memcli=timing.memcli_command(),
            work=work,
            env=timing.clean_env(scratch),
            size=arguments.size,
            runs=arguments.runs,
            questions=corpus.questions(notes, arguments.queries, arguments.seed),
        )
        lines = list(written(notes, agents, rng, mixed=True))
        mixed = fill(bench, "mixed", iter(lines), agents.config())
        seen = fill(bench, "seen", filter(is_seen, lines), "")
        open_lines = written(notes, agents, rng, mixed=False)
        open_ = fill(bench, "open", open_lines, agents.config())
        everything = {"everything shared": ASKERS["shared"]}
        report.show(
            f"## Agents\n\n{report.machine()}\n\n"
            f"Of {arguments.size:,} entries may see: {sees(bench, mixed, ASKERS)}; "
            f"{sees(bench, open_, everything)}.\n\n{report.heading()}"
        )
        for vault, what, askers in (
            (mixed, "mixed", ASKERS),
            (open_, "same rows", everything),
        ):
            processes(bench, vault, what, askers)
            kept_open(bench, vault, what, askers)
        spent = _child(bench, "--answers", seen, mixed, "QUESTIONS")
        what = "answering alone, against a vault of only what it sees"
        _show(bench, what, spent, {"shared": ASKERS["shared"]}, None)


if __name__ == "__main__":
    main()
