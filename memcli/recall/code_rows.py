"""The rows of an answer, held against the code that they speak of.

Invariant: only rows that are shown are looked at, within the time of one answer. A row
whose code changed or is gone says so, and stands lower than it would; none is left out.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memcli.recall.results import Row
    from memcli.vault.code_state import Watch
    from memcli.vault.vault import Vault

    Order = Callable[[Sequence[Row]], list[int]]

FACTOR = 0.5
"""The factor of a row's score when its code changed or is gone.

The row may still hold, so it stays; a row that fits half as well and was not overtaken
is the better first answer.
"""


def lowered(rows: Sequence[Row]) -> list[int]:
    """The places of ranked rows, with stale ones where their lower score puts them.

    The others keep their order, which more than the score may have decided.
    """
    from memcli.vault import code_state

    order = list(range(len(rows)))
    for place in reversed(order[:]):
        row = rows[place]
        if not code_state.is_stale(row.code_state):
            continue
        at = order.index(place)
        while at + 1 < len(order) and rows[order[at + 1]].score > row.score:
            order[at], order[at + 1] = order[at + 1], order[at]
            at += 1
    return order


def answered(vault: Vault, answer: Any, order: Order | None = lowered) -> Any:
    """An answer with what became of the code that its rows speak of.

    Args:
        vault: one of those that were asked; where its caller stands counts.
        answer: its rows have their sources.
        order: the places of its rows now that some are stale; None: as they are.
    """
    if not any(names_code(row) for row in (*answer.rows, *answer.constraints)):
        return answer
    from memcli.vault import code_state

    watch = code_state.watch(vault)
    rows = looked_at(answer.rows, watch)
    places = order(rows) if order else range(len(rows))
    return answer._replace(
        rows=[rows[place] for place in places],
        constraints=looked_at(answer.constraints, watch),
    )


def of_one(vault: Vault, row: Row) -> Row:
    """One row with what became of the code that it speaks of."""
    if not names_code(row):
        return row
    from memcli.vault import code_state

    return _looked_at(row, code_state.watch(vault))


def names_code(row: Row) -> bool:
    """Whether an entry names any code."""
    return bool(row.code or row.code_names)


def looked_at(rows: Sequence[Row], watch: Watch) -> list[Row]:
    """Rows with what became of their code; a stale one has a lower score."""
    return [_looked_at(row, watch) if names_code(row) else row for row in rows]


def _looked_at(row: Row, watch: Watch) -> Row:
    from memcli.vault import code_state

    states = watch.states(row, row.source)
    row = row._replace(code_state=tuple(states))
    if not code_state.is_stale(states):
        return row
    explain = row.explain
    if explain is not None:
        explain = {**explain, "code_changed": FACTOR}
    score = round(row.score * FACTOR, 4)
    return row._replace(stale=True, score=score, explain=explain)
