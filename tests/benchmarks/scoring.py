"""Candidates of mining against labels: what was found, what was not, what is wrong.

A candidate belongs to the labels of its record (file and line). On a labelled record it
is right when its category is that of a positive label or one that the label accepts
as well (`alt`), else wrong. On a record that nobody has labelled it is neither:
people have to read it. `floor` of a precision counts all of those as wrong.

A label is found by a right candidate, at any confidence; by the surest one, if
there are several. `duplicate_of_line` names a second record that says the same.
"""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.sessions.mining import Candidate

LEVELS = ("HIGH", "MEDIUM", "LOW")
CATEGORIES = ("preference", "correction", "fix", "workflow", "idea")
NONE = "none"


class Label(NamedTuple):
    """What a person says of one record.

    `category` is `none` for what must not be mined; `lines` are the record and its
    duplicate.
    """

    file: str
    lines: tuple[int, ...]
    category: str
    level: str | None
    alt: tuple[str, ...]
    needle: str
    why: str
    same_as: str | None = None

    @property
    def positive(self) -> bool:
        """Whether there is something to find."""
        return self.category != NONE

    @property
    def place(self) -> str:
        """Where it stands, for people."""
        return f"{self.file}:{self.lines[0]}"


class Found(NamedTuple):
    """A candidate, the file it comes from, and who wrote its record (`records`)."""

    file: str
    candidate: Candidate
    origin: str

    @property
    def place(self) -> str:
        """Where it stands, for people."""
        return f"{self.file}:{self.candidate.line}"

    @property
    def level(self) -> str:
        """Its confidence."""
        return str(self.candidate.confidence)


class Verdict(NamedTuple):
    """A label with the candidates on its lines: the right ones, and the others."""

    label: Label
    right: list[Found]
    others: list[Found]

    @property
    def level(self) -> str | None:
        """The confidence it was found at; None when it was not."""
        return min((one.level for one in self.right), key=LEVELS.index, default=None)


class Count(NamedTuple):
    """Right candidates of those on labelled records, and how many are elsewhere."""

    right: int
    wrong: int
    unlabelled: int

    @property
    def precision(self) -> float | None:
        """Right ones of those that a label decides; None when there are none."""
        judged = self.right + self.wrong
        return self.right / judged if judged else None

    @property
    def floor(self) -> float | None:
        """The same if every unlabelled one were wrong."""
        every = self.right + self.wrong + self.unlabelled
        return self.right / every if every else None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**self._asdict(), "precision": self.precision, "floor": self.floor}


def read_labels(path: Path, files: Sequence[str]) -> tuple[list[Label], list[Label]]:
    """Return the labels of these files, and those of files that are not there.

    Raises:
        SystemExit: A row is no label; names the line.
    """
    known = set(files)
    by_name = {PurePosixPath(name).name: name for name in files}
    here: list[Label] = []
    absent: list[Label] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            label = _label(json.loads(line))
        except (KeyError, TypeError, ValueError) as error:
            raise SystemExit(f"{path}:{number}: is no label: {error!r}") from error
        file = label.file
        if file not in known:
            file = by_name.get(PurePosixPath(file).name, "")
        if file:
            here.append(label._replace(file=file))
        else:
            absent.append(label)
    return here, absent


def _label(row: dict[str, Any]) -> Label:
    category = row["category"]
    level = row.get("expected_confidence")
    if category != NONE and (category not in CATEGORIES or level not in LEVELS):
        raise ValueError(f"{category} {level}")
    twin = row.get("duplicate_of_line")
    alt = row.get("alt") or []
    return Label(
        file=row["file"],
        lines=(row["line"],) if twin is None else (row["line"], twin),
        category=category,
        level=level if category != NONE else None,
        alt=tuple([alt] if isinstance(alt, str) else alt),
        needle=row.get("needle") or "",
        why=row.get("why") or "",
        same_as=row.get("same_as"),
    )


def verdicts(labels: Iterable[Label], found: Sequence[Found]) -> list[Verdict]:
    """Put the candidates to the labels of their records."""
    by_place: dict[tuple[str, int], list[Found]] = {}
    for one in found:
        by_place.setdefault((one.file, one.candidate.line), []).append(one)
    judged = []
    for label in labels:
        here = [
            one for line in label.lines for one in by_place.get((label.file, line), [])
        ]
        accepted = (label.category, *label.alt)
        right = [one for one in here if label.positive and _is(one, accepted)]
        judged.append(Verdict(label, right, [one for one in here if one not in right]))
    return judged


def _is(one: Found, categories: Sequence[str]) -> bool:
    return one.candidate.category in categories


def sorted_out(
    judged: Sequence[Verdict], found: Sequence[Found]
) -> tuple[list[Found], list[Found], list[Found]]:
    """Return the candidates that are right, wrong, and on unlabelled records."""
    right = {id(one) for verdict in judged for one in verdict.right}
    seen = {id(one) for verdict in judged for one in verdict.others}
    return (
        [one for one in found if id(one) in right],
        [one for one in found if id(one) in seen - right],
        [one for one in found if id(one) not in seen | right],
    )


def by_category(
    judged: Sequence[Verdict], found: Sequence[Found]
) -> dict[str, dict[str, Any]]:
    """Return recall by the labels' category and precision by the candidates'."""
    table = {}
    for name in CATEGORIES:
        labelled = [one for one in judged if one.label.category == name]
        table[name] = {
            "labelled": len(labelled),
            "found": sum(one.level is not None for one in labelled),
            **count(judged, found, category=name).as_dict(),
        }
    return table


def by_level(
    judged: Sequence[Verdict], found: Sequence[Found]
) -> dict[str, dict[str, Any]]:
    """Return the same by confidence; `same` is found at the labelled confidence."""
    table = {}
    for name in LEVELS:
        labelled = [one for one in judged if one.label.level == name]
        table[name] = {
            "labelled": len(labelled),
            "found": sum(one.level is not None for one in labelled),
            "same": sum(one.level == name for one in labelled),
            **count(judged, found, level=name).as_dict(),
        }
    return table


def count(
    judged: Sequence[Verdict],
    found: Sequence[Found],
    *,
    category: str | None = None,
    level: str | None = None,
) -> Count:
    """Count right, wrong and unlabelled candidates of a category or a confidence."""

    def counted(chosen: Iterable[Found]) -> int:
        return sum(
            (category is None or one.candidate.category == category)
            and (level is None or one.level == level)
            for one in chosen
        )

    return Count(*(counted(part) for part in sorted_out(judged, found)))


def misplaced(found: Iterable[Found], injected: dict[str, str]) -> list[Found]:
    """Return the candidates from records that must not be mined.

    A fix or a workflow may rest on what the agent said or called; the rest must be a
    person's words. `injected` is, for each file, what hosts and hooks put into the
    records of people: a candidate that stands in there word for word is misplaced.
    """
    wrong = []
    for one in found:
        allowed = ["person"]
        if _is(one, ("fix", "workflow")):
            allowed += ["assistant", "call"]
        words = plain(one.candidate.text)
        if one.origin not in allowed or (
            words and words in plain(injected.get(one.file, ""))
        ):
            wrong.append(one)
    return wrong


def speaks_of(one: Found, label: Label) -> bool:
    """Whether a candidate holds the label's words, or half of them."""
    wanted = set(plain(label.needle).split())
    has = set(plain(one.candidate.text).split())
    return not wanted or len(wanted & has) * 2 >= len(wanted)


def plain(text: str) -> str:
    """Return the words alone: lower case, single spaces.

    >>> plain("Don't  `push` it!")
    'don t push it'
    """
    return " ".join(re.findall(r"\w+", text.lower()))
