"""Several vaults asked as one: the user's own, and those of teams.

Invariant: they answer as one vault that held everything would. Words are weighed over
all of them, so scores compare, and each row says in `source` where it is from. Each
vault hides from an agent what it hides when it is asked alone, and its log names its
own rows. Nothing else is written.
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, suppress
from functools import partial
from itertools import chain, zip_longest

from memcli.errors import MemcliError, Unreadable
from memcli.recall import confidence
from memcli.recall import question as asking
from memcli.recall.query import Query, checked
from memcli.recall.results import Recalled, Row, fit, index_warnings
from memcli.search.database import DAMAGE
from memcli.search.store import Outdated
from memcli.storage.files import reason_of
from memcli.vault.vaults import not_asked

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults

    _Held = tuple[Vault, Reader, Query]
    _Look = Callable[[Reader, Query], Any]
    _Told = tuple[Vault, Any]


# --- asking -------------------------------------------------------------------------


def ask(vaults: Vaults, query: Query, look: _Look) -> tuple[list[_Told], list[str]]:
    """The answer of each vault; as `recall.ask`.

    An index that is damaged is repaired, as when its vault is asked alone.

    Raises:
        MemcliError: a named vault, or every vault, cannot be asked.
    """
    try:
        answers, warnings = _ask(vaults, query, look)
    except (Outdated, OSError, *DAMAGE):
        # The one whose index is damaged is mended when it is asked alone.
        for vault in vaults.vaults:
            with suppress(MemcliError):
                narrow = checked(query, vault)
                vault.read(partial(lambda q, reader: look(reader, q), narrow))
        answers, warnings = _ask(vaults, query, look)
    warnings += _warnings((vault, answer.warnings) for vault, answer in answers)
    return answers, warnings


def _ask(vaults: Vaults, query: Query, look: _Look) -> tuple[list[_Told], list[str]]:
    """The answer of each vault while all are read, with the words of the question
    weighed over all of them; and the warnings of the vaults."""
    warnings, refusals = list(vaults.warnings), []

    def leave_out(vault: Vault, error: MemcliError) -> None:
        if vaults.named:
            raise error
        refusals.append(error)
        warnings.append(not_asked(vault.source, error))

    with ExitStack() as stack:
        held: list[_Held] = []
        for vault in vaults.vaults:
            try:
                narrow = checked(query, vault)
                reader = _reader(vault)
                if vault is vaults.own:
                    _count_resolved(vaults, reader, stack)
                held.append((vault, reader, narrow))
            except MemcliError as error:
                leave_out(vault, error)
            stack.callback(vault.opened.release)
        answers = _weighed(held, look, leave_out)
        if not held:
            raise refusals[0]
    notes = ((vault, index_warnings(vault)) for vault, _, _ in held)
    return answers, warnings + _warnings(notes)


def _weighed(
    held: list[_Held], look: _Look, leave_out: Callable[[Vault, MemcliError], None]
) -> list[_Told]:
    """The answer of each vault, with its words weighed over all of them; one whose
    database ends meanwhile is taken out of `held`, and told to `leave_out`."""
    while held:
        readers = [reader for _, reader, _ in held]
        try:
            for reader in readers:
                reader.weigh_with([other for other in readers if other is not reader])
            return [(vault, look(reader, narrow)) for vault, reader, narrow in held]
        except MemcliError as error:
            # Each asks the others for their words: any of them may be the one.
            lost = [vault for vault, *_ in held if vault.has_failed(error)]
            if not lost:
                raise
            held[:] = [one for one in held if one[0] not in lost]
            for vault in lost:
                leave_out(vault, error)
    return []


def _reader(vault: Vault) -> Reader:
    """A reader of a vault; a disk that fails is a reason not to ask it."""
    try:
        reader = vault.index.current()
    except OSError as error:
        raise Unreadable(f"{vault.root}: {reason_of(error)}") from error
    reader.code_changed = vault.code_look(vault.source)
    return reader


def _count_resolved(vaults: Vaults, own: Reader, stack: ExitStack) -> None:
    """Let the readers of the other vaults know what the own one has resolved.

    Each would ask the own vault's files once more, otherwise.
    """
    claims = own.claims.own
    for vault in vaults.vaults:
        if vault is not vaults.own:
            index = vault.opened
            stack.callback(setattr, index, "elsewhere", index.elsewhere)
            index.elsewhere = lambda: claims


def _warnings(notes: Iterable[tuple[Vault, Sequence[str]]]) -> list[str]:
    """The warnings that all vaults give, then each vault's own with its name."""
    by_vault = [(vault.source, texts) for vault, texts in notes]
    told = [(source, text) for source, texts in by_vault for text in texts]
    counts = Counter(text for _, text in told)
    common = [text for text, n in counts.items() if n == len(by_vault) > 1]
    return common + [f"{at}: {text}" for at, text in told if text not in common]


# --- one answer ---------------------------------------------------------------------


def _best(answers: Sequence[_Told]) -> list[Row]:
    """The rows of all vaults, best first; equal scores by the newest, then the id."""
    rows = [row for _, answer in answers for row in answer.rows]
    rows.sort(key=lambda row: (row.id, row.source))
    rows.sort(key=lambda row: row.occurred_at or row.created, reverse=True)
    return sorted(rows, key=lambda row: -row.score)


def merged(
    answers: Sequence[_Told], query: Query, layers: Mapping[str, int] | None
) -> Recalled:
    """The answers of all vaults as that of one.

    Args:
        answers: of each vault.
        query: what was asked.
        layers: how many rows of each layer, where the answer is in their order.
    """
    rows = _best(answers)
    chosen = rows[: query.most]
    if layers is not None:
        by_layer = ([row for row in rows if row.layer == layer] for layer in layers)
        parts = zip(by_layer, layers.values(), strict=True)
        chosen = [row for part, count in parts for row in part[:count]][: query.limit]
    shown, omitted = fit(chosen, query.max_chars)
    first: Recalled = answers[0][1]
    missing = [
        word
        for word in first.missing_terms
        if all(word in answer.missing_terms for _, answer in answers)
    ]
    none = None
    if shown:  # what is over in the vault with the best row holds more than all rows
        none = max(answers, key=lambda told: told[1].coverage)[1].no_match
    elif not omitted:
        none = confidence.merged([answer.no_match for _, answer in answers], missing)
    return first._replace(
        rows=shown,
        omitted=omitted,
        no_match=none,
        **_beside(shown, answers),
        coverage=max(answer.coverage for _, answer in answers),
        missing_terms=missing,
        weights={k: v for _, answer in answers for k, v in answer.weights.items()},
        excluded=[each for _, answer in answers for each in answer.excluded],
    )


def _beside(shown: Sequence[Row], answers: Sequence[_Told]) -> dict[str, Any]:
    """The constraints of all vaults that no row shows, and how many more there are; and
    the window that the question names."""
    places = {(row.source, row.path) for row in shown}
    beside = zip_longest(*(answer.constraints for _, answer in answers))
    each = filter(None, chain.from_iterable(beside))
    found = [row for row in each if (row.source, row.path) not in places]
    told = found[: asking.MOST_CONSTRAINTS]
    more = sum(answer.more_constraints for _, answer in answers)
    windows = (answer.window for _, answer in answers if answer.window)
    return {
        "constraints": told,
        "more_constraints": more + len(found) - len(told),
        "window": next(windows, None),
    }
