"""What mining finds in labelled transcripts, and what it brings into a vault.

Every transcript below DIR/transcripts/<host>/ is mined as `memcli reflect --session`
does it, redaction included, and what comes out is held against the labels
(`scoring` says how). Who wrote the record that a candidate comes from is told from the
raw JSON alone (`records`). Then every session is reflected into one new vault, twice:
the second time nothing may come in.

    python -m tests.benchmarks.mining --data DIR [--labels FILE] [--naive] [--json FILE]

DIR holds `transcripts/` and one `labels*.jsonl`; both are read where they lie and
never copied. A label is a JSON object: file (below transcripts/), line, category (one
of the five, or none for what must not be mined), expected_confidence, needle, why, and
perhaps alt, duplicate_of_line, same_as.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.benchmarks import naive, records, report, scoring, timing
from tests.benchmarks.scoring import Found

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.benchmarks.records import Told
    from tests.benchmarks.scoring import Label, Verdict

HIGH_FOUND = report.Target(0.8, at_least=True)
# At most 1 in 30.
NEGATIVE_HIGH = report.Target(0.033)
NOTHING = report.Target(0)
# Sessions with much talk and nothing to keep, where they are part of the data.
QUIET = ("54-bb2ec87cc8", "PackmindHub")


class Mined(NamedTuple):
    """One transcript: its records, what was found in it, and the time that took."""

    file: str
    host: str
    path: Path
    told: list[Told]
    turns: int
    found: list[Found]
    wall: float
    cpu: float


def transcripts(data: Path) -> list[tuple[str, str, Path]]:
    """Return (file as labels name it, host, path) of every transcript.

    Raises:
        SystemExit: There is none, or a folder is called after no host.
    """
    root = data / "transcripts"
    found = []
    for path in sorted(root.rglob("*.json*")):
        name = path.relative_to(root).as_posix()
        host = name.partition("/")[0]
        if host not in records.HOSTS:
            raise SystemExit(f"{path}: name its folder after a host, not {host!r}")
        found.append((name, host, path))
    if not found:
        raise SystemExit(f"{root}: holds no transcripts")
    return found


def mined(file: str, host: str, path: Path) -> Mined:
    """Mine one transcript."""
    from memcli.hosts.transcripts import open_transcript
    from memcli.sessions.candidates import candidates

    told = records.read(path, host)
    cpu, wall = timing.cpu_seconds(), time.perf_counter()
    # As a person calls it: the host is recognised by what the file holds.
    session = open_transcript(str(path))
    result = candidates(session.steps())
    cpu, wall = timing.cpu_seconds() - cpu, time.perf_counter() - wall
    if session.session.host != host:
        raise SystemExit(f"{path}: was taken for one of {session.session.host}")
    found = [Found(file, one, _origin(told, one)) for one in result.candidates]
    return Mined(file, host, path, told, result.turns, found, wall, cpu)


def _origin(told: Iterable[Told], one: Any) -> str:
    """Return who wrote the record that a candidate names."""
    here = [each for each in told if each.line == one.line]
    named = [each for each in here if each.name == one.record] or here
    return named[0].origin if named else "no record"


def table(sessions: Sequence[Mined], judged: Sequence[Verdict]) -> list[str]:
    """Return the tables by category and by confidence."""
    found = [one for each in sessions for one in each.found]
    lines = [
        "| | labelled | found | recall | at that confidence | right | wrong "
        "| precision | on unlabelled records | precision if those were wrong |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    groups = scoring.by_category(judged, found) | scoring.by_level(judged, found)
    for name, row in groups.items():
        recall = row["found"] / row["labelled"] if row["labelled"] else None
        lines.append(
            f"| {name} | {row['labelled']} | {row['found']} | {_share(recall)} "
            f"| {row.get('same', '')} | {row['right']} | {row['wrong']} "
            f"| {_share(row['precision'])} | {row['unlabelled']} "
            f"| {_share(row['floor'])} |"
        )
    return lines


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def figures(judged: Sequence[Verdict], found: Sequence[Found]) -> dict[str, Any]:
    """Return what the targets speak of."""
    positive = [one for one in judged if one.label.positive]
    negative = [one for one in judged if not one.label.positive]
    high = [one for one in positive if one.label.level == "HIGH"]
    lower = [one for one in positive if one.label.level != "HIGH"]

    def at_high(verdict: Verdict) -> bool:
        return any(one.level == "HIGH" for one in verdict.others)

    return {
        "high": len(high),
        "high_as_high": sum(one.level == "HIGH" for one in high),
        "lower": len(lower),
        "lower_found": sum(one.level is not None for one in lower),
        "negatives": len(negative),
        "negatives_at_high": sum(at_high(one) for one in negative),
        "negatives_at_any": sum(bool(one.others) for one in negative),
        "negatives_in_their_words": sum(
            any(scoring.speaks_of(each, one.label) for each in one.others)
            for one in negative
        ),
        "high_right": scoring.count(judged, found, level="HIGH").as_dict(),
    }


def rows(told: dict[str, Any], misplaced: int) -> list[report.Row]:
    """Return the figures beside their targets."""

    def row(
        measure: str, part: int, whole: int, target: report.Target | None = None
    ) -> report.Row:
        share = part / whole if whole else 0.0
        return report.Row(measure, str(whole), share, "", target, f"{part} of {whole}")

    return [
        row(
            "labelled HIGH, found as HIGH",
            told["high_as_high"],
            told["high"],
            HIGH_FOUND,
        ),
        row(
            "negatives with a HIGH candidate",
            told["negatives_at_high"],
            told["negatives"],
            NEGATIVE_HIGH,
        ),
        row("negatives with any", told["negatives_at_any"], told["negatives"]),
        row("MEDIUM and LOW, found at any", told["lower_found"], told["lower"]),
        report.Row(
            "candidates from records that must not be mined",
            "",
            float(misplaced),
            "",
            NOTHING,
        ),
    ]


def listed(
    judged: Sequence[Verdict], found: Sequence[Found], misplaced: Sequence[Found]
) -> list[str]:
    """Return what people have to read, each with its place."""
    _, wrong, unlabelled = scoring.sorted_out(judged, found)
    negative = [one for one in judged if not one.label.positive]
    places = {(one.label.file, line) for one in negative for line in one.label.lines}
    false = [one for one in wrong if (one.file, one.candidate.line) in places]
    missed = [one for one in judged if one.label.positive and one.level is None]
    moved = [
        one for one in judged if one.level is not None and one.level != one.label.level
    ]
    words = [
        (verdict.label, one)
        for verdict in judged
        for one in verdict.right
        if not scoring.speaks_of(one, verdict.label)
    ]
    twice = [one for one in judged if len({f.candidate.line for f in one.right}) > 1]
    return [
        *_section(
            "False positives: on a record that is labelled none", map(_one, false)
        ),
        *_section(
            "Of another category than the label",
            (_one(one) for one in wrong if one not in false),
        ),
        *_section("Misses", map(_label, missed)),
        *_section(
            "Found at another confidence",
            (f"{_label(one)}: found as {one.level}" for one in moved),
        ),
        *_section("Found on the record, in other words", (_one(f) for _, f in words)),
        *_section("Said twice and found twice", map(_label, twice)),
        *_section(
            "HIGH on unlabelled records: to be read",
            (_one(one) for one in unlabelled if one.level == "HIGH"),
        ),
        *_section(
            "MEDIUM and LOW on unlabelled records",
            (_one(one) for one in unlabelled if one.level != "HIGH"),
        ),
        *_section(
            "From records that must not be mined",
            (f"{one.origin}: {_one(one)}" for one in misplaced),
        ),
    ]


def _section(title: str, lines: Iterable[str]) -> list[str]:
    told = [f"- {line}" for line in lines]
    return ["", f"**{title}**: {len(told) or 'none'}", *([""] if told else []), *told]


def _one(one: Found) -> str:
    found = one.candidate
    return (
        f"{one.place} {found.category} {one.level} `{found.pattern}` "
        f"({found.rationale}): {found.title}"
    )


def _label(verdict: Verdict) -> str:
    label = verdict.label
    return f"{label.place} {label.category} {label.level}: {label.needle} ({label.why})"


def kept(sessions: Sequence[Mined]) -> dict[str, Any]:
    """Reflect every session into one new vault, twice, and count what came in.

    Returns:
        `actions` by session, `cut`, the `pages` that came in, `again`: pages and
        commits that a second reading brought, `seconds` of the first.
    """
    from memcli import Vault
    from memcli.sessions import backfill
    from memcli.vault import create

    with tempfile.TemporaryDirectory() as scratch:
        root = str(Path(scratch, "vault"))
        environ = timing.clean_env(scratch)
        create.prepare(root, environ=environ)
        empty = _pages(root)
        vault = Vault.open(root, environ=environ)
        started = time.perf_counter()
        first = [backfill.reflect_file(vault, str(one.path)) for one in sessions]
        seconds = time.perf_counter() - started
        before = _pages(root)
        second = [backfill.reflect_file(vault, str(one.path)) for one in sessions]
        return {
            "actions": {
                one.file: done.counts for one, done in zip(sessions, first, strict=True)
            },
            "cut": sum(done.cut for done in first),
            "pages": len(before - empty),
            "again": len(_pages(root) - before)
            + sum(done.commit is not None for done in second),
            "seconds": seconds,
        }


def _pages(root: str) -> set[str]:
    return {
        page.as_posix()
        for page in Path(root).rglob("*.md")
        if page.relative_to(root).parts[0] != ".git"
    }


def compared(
    sessions: Sequence[Mined], labels: Sequence[Label]
) -> list[tuple[str, list[Found]]]:
    """Mine with the naive patterns: every user's text, and what people typed alone."""
    methods = []
    for name, filtered in (
        ("naive patterns, every user record", False),
        ("naive patterns, what people typed", True),
    ):
        found = []
        for one in sessions:
            texts = [
                told
                for told in one.told
                if told.origin == records.PERSON
                or (not filtered and told.origin in _IN_A_USERS_NAME)
            ]
            found += [
                Found(one.file, each, _origin(one.told, each))
                for each in naive.mine(texts)
            ]
        methods.append((name, found))
    return methods


_IN_A_USERS_NAME = (
    "plan", "meta", "sidechain", "compaction", "hook", "notice", "command", "injected",
)  # fmt: skip


def comparison(
    methods: Sequence[tuple[str, list[Found]]],
    labels: Sequence[Label],
    injected: dict[str, str],
) -> list[str]:
    """Return one row for each way of mining."""
    lines = [
        "| | candidates | HIGH | right | wrong | unlabelled | labelled HIGH as HIGH "
        "| negatives at HIGH | positives found | from records that must not be mined |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, found in methods:
        judged = scoring.verdicts(labels, found)
        told = figures(judged, found)
        high = told["high_right"]
        positives = [one for one in judged if one.label.positive]
        hits = sum(one.level is not None for one in positives)
        lines.append(
            f"| {name} | {len(found)} | {sum(one.level == 'HIGH' for one in found)} "
            f"| {high['right']} | {high['wrong']} | {high['unlabelled']} "
            f"| {told['high_as_high']} of {told['high']} "
            f"| {told['negatives_at_high']} of {told['negatives']} "
            f"| {hits} of {len(positives)} "
            f"| {len(scoring.misplaced(found, injected))} |"
        )
    return lines


def _sessions(sessions: Sequence[Mined], came: dict[str, Any]) -> list[str]:
    lines = [
        "| session | turns | candidates | HIGH | what became of them |",
        "|---|---:|---:|---:|---|",
    ]
    for one in sessions:
        became = ", ".join(
            f"{n} {what}" for what, n in came["actions"][one.file].items()
        )
        high = sum(each.level == "HIGH" for each in one.found)
        quiet = " (quiet)" if any(name in one.file for name in QUIET) else ""
        lines.append(
            f"| {one.file}{quiet} | {one.turns} | {len(one.found)} | {high} "
            f"| {became} |"
        )
    return lines


def _pairs(labels: Sequence[Label], judged: Sequence[Verdict]) -> str:
    """Say how many wishes that two sessions share were found in both."""
    found = {
        (Path(one.label.file).name, line): one.level is not None
        for one in judged
        for line in one.label.lines
    }
    pairs = set()
    for label in labels:
        name, _, line = (label.same_as or "").rpartition(":")
        other = (Path(name).name, int(line) if line.isdigit() else 0)
        if label.same_as and other in found:
            pairs.add(frozenset({(Path(label.file).name, label.lines[0]), other}))
    both = sum(all(found[place] for place in pair) for pair in pairs)
    return f"Wishes that two sessions share: {len(pairs)}, both found: {both}."


def _find_labels(data: Path, named: str | None) -> Path:
    if named:
        return Path(named)
    found = sorted(data.glob("labels*.jsonl"))
    if len(found) != 1:
        raise SystemExit(
            f"{data}: holds {len(found)} files labels*.jsonl; name one with --labels"
        )
    return found[0]


def main() -> None:
    """Mine, score, and reflect everything into a vault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder with transcripts/")
    parser.add_argument("--labels", help="its labels, if not the one file there")
    parser.add_argument("--naive", action="store_true", help="naive patterns as well")
    parser.add_argument("--json", help="write the figures to this file as well")
    arguments = parser.parse_args()
    data = Path(arguments.data)
    there = transcripts(data)
    labels, absent = scoring.read_labels(
        _find_labels(data, arguments.labels), [name for name, _, _ in there]
    )
    mined(*there[0])  # Outside the clock: the first pays for the imports.
    sessions = [mined(*one) for one in there]
    found = [one for each in sessions for one in each.found]
    judged = scoring.verdicts(labels, found)
    injected = {
        one.file: "\n".join(told.injected for told in one.told) for one in sessions
    }
    misplaced = scoring.misplaced(found, injected)
    told = figures(judged, found)
    turns = sum(one.turns for one in sessions)
    wall, cpu = sum(one.wall for one in sessions), sum(one.cpu for one in sessions)
    size = sum(one.path.stat().st_size for one in sessions)
    origins = [each.origin for one in sessions for each in one.told]
    forbidden = {name: origins.count(name) for name in records.FORBIDDEN}
    came = kept(sessions)
    positive = sum(one.positive for one in labels)
    report.show(
        f"## Mining\n\n{report.machine()}\n\n"
        f"{len(sessions)} transcripts, {turns:,} turns; {len(labels)} labels, "
        f"{positive} of something to find, {len(labels) - positive} of nothing; "
        f"{len(absent)} of files that are not there. {len(found)} candidates.\n"
    )
    heading = report.heading().replace("entries", "labels")
    report.show("\n".join([heading, *map(report.line, rows(told, len(misplaced)))]))
    report.show("\n" + "\n".join(table(sessions, judged)))
    report.show("\n".join(listed(judged, found, misplaced)))
    report.show("\n" + _pairs(labels, judged))
    report.show(
        "Records that must not be mined: "
        + ", ".join(f"{count:,} {name}" for name, count in forbidden.items() if count)
    )
    report.show(
        f"\nRead, redacted and mined: {turns / wall:,.0f} turns/s "
        f"({size / wall / 1e6:.1f} MB/s; {wall:.2f} s wall, {cpu:.2f} s CPU)."
    )
    report.show(
        f"Into one vault: {came['pages']} pages, {came['cut']} cut, "
        f"{came['seconds']:.1f} s; again: {came['again']} pages and commits.\n"
    )
    report.show("\n".join(_sessions(sessions, came)))
    if arguments.naive:
        methods = [("memcli", found), *compared(sessions, labels)]
        report.show("\n" + "\n".join(comparison(methods, labels, injected)))
    if arguments.json:
        summary = {
            "transcripts": len(sessions),
            "turns": turns,
            "labels": len(labels),
            "absent": len(absent),
            "figures": told,
            "misplaced": len(misplaced),
            "forbidden": forbidden,
            "categories": scoring.by_category(judged, found),
            "confidences": scoring.by_level(judged, found),
            "vault": came,
            "turns_per_second": turns / wall,
            "candidates": [
                {"file": one.file, "origin": one.origin, **one.candidate.as_dict()}
                for one in found
            ],
        }
        Path(arguments.json).write_text(
            json.dumps(summary, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
