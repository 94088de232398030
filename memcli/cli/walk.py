"""The question that a walk asks again until it has an answer; the walk through merges.

Invariant: of two versions both texts stand beside each other before a decision, and
every decision is committed before the next question.
"""

from __future__ import annotations

import textwrap
from itertools import zip_longest

from memcli.errors import MemcliError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli.cli.context import Context
    from memcli.curation.review import MergedVersion
    from memcli.vault.vault import Vault


def answered(
    context: Context,
    keys: str,
    obey: Callable[[str, str], bool],
    is_gone: Callable[[], bool] = lambda: False,
) -> bool:
    """Ask a person what to do with one item.

    Args:
        context: where the person is.
        keys: the prompt, which names the keys.
        obey: does what a key and the word behind it ask for; returns whether the walk
            goes on to the next item. What it raises is told, and the question is asked
            again.
        is_gone: whether the item waits no more after such an error.

    Returns:
        Whether the walk goes on; False when the person quits or the input ends.
    """
    while True:
        answer = context.ask(f"{keys} ")
        if answer is None or answer.strip().lower() in ("q", "quit"):
            return False
        key, _, word = answer.strip().partition(" ")
        if not key:
            context.tell("  ? explains the keys")
            continue
        try:
            if obey(key.lower(), word.strip()):
                return True
        except MemcliError as error:
            context.tell(error.message)
            if error.hint:
                context.tell(f"  {error.hint}")
            if is_gone():
                return True


def reason(context: Context, word: str) -> str | None:
    """Why an item is refused: the word behind the key, or what the person answers.

    One letter is not taken for a reason: a person who knows the keys has typed the
    next one already.
    """
    while True:
        answer = word or context.ask("Reason (Enter to skip): ")
        word = ""
        given = (answer or "").strip()
        if len(given) != 1 or not given.isascii():  # one sign of Chinese says much
            return given or None
        context.tell(f"  {given} is too short for a reason; Enter skips it")


def unknown(context: Context, key: str, explained: str) -> bool:
    """Answer a key that does nothing here, with the keys for `?`; False, since
    nothing is decided."""
    if key in ("?", "h", "help"):
        context.tell(explained)
    else:
        context.tell(f"  the key {key} does nothing here; ? explains the keys")
    return False


_MERGED_KEYS = "[k]eep current [t]ake other [b]oth [s]kip [u]ndo [q]uit [?]"
_MERGED_HELP = """\
  k          keep the current text; the other one stays in the archive
  t          take the other text: it becomes the next version
  b          both: the next version has the current text, then the other
  s          skip: it is asked again next time
  u          undo the last decision
  q          quit; what is decided stays decided"""
# Two columns of this width and a gap fit a terminal of 80.
_WIDTH = 37
_MOST_LINES = 40


def walk_merged(context: Context, vault: Vault) -> tuple[dict[str, int], bool]:
    """Ask a person about each version that was replaced.

    Returns:
        How many current texts were kept, other ones taken, both joined, and how many
        are left, nothing where there was none to decide on; and whether the person did
        not quit.
    """
    from memcli.cli.walk import answered, unknown
    from memcli.curation import review as versions

    counts = dict.fromkeys(("kept", "taken", "joined"), 0)
    skipped: set[str] = set()
    decided: list[str] = []
    finished = True
    while True:
        left = [
            each for each in versions.merged_versions(vault) if each.id not in skipped
        ]
        if not left:
            break
        version = left[0]
        _show(context, version, len(left))

        def obey(key: str, _: str, version: MergedVersion = version) -> bool:
            if key == "k":
                versions.keep_current(vault, version.id)
                decided.append("kept")
            elif key in ("t", "b"):
                versions.take(vault, version.id, both=key == "b")
                decided.append("taken" if key == "t" else "joined")
            elif key == "s":
                skipped.add(version.id)
                return True
            elif key == "u" and decided:
                from memcli.curation import undo

                undo.undo_last(vault, "review: ")
                counts[decided.pop()] -= 1
                return True
            else:
                return unknown(context, key, _MERGED_HELP)
            counts[decided[-1]] += 1
            context.tell(f"  {decided[-1]}")
            return True

        if not answered(context, _MERGED_KEYS, obey):
            finished = False
            break
    if not (counts.keys() and (decided or skipped or versions.merged_versions(vault))):
        return {}, finished
    merged = counts | {"left": len(versions.merged_versions(vault))}
    return merged, finished


def _show(context: Context, version: MergedVersion, count: int) -> None:
    tell = context.tell
    tell("")
    tell(f"two clones changed: {version.current_title} ({count} to decide on)")
    tell(f"  {version.current_id} is current, {version.id} was {version.reason}")
    tell("")
    columns = [_wrapped(text) for text in (version.current_text, version.text)]
    tell(f"  {'current':<{_WIDTH}}  {version.reason}")
    for left, right in list(zip_longest(*columns, fillvalue=""))[:_MOST_LINES]:
        tell(f"  {left:<{_WIDTH}}  {right}".rstrip())
    if max(map(len, columns)) > _MOST_LINES:
        tell(f"  ... all of it: memcli show {version.current_id} {version.id}")
    tell("")


def _wrapped(text: str) -> list[str]:
    rows: list[str] = []
    for line in text.strip().splitlines()[: _MOST_LINES + 1]:
        rows += textwrap.wrap(line[:2_000], _WIDTH) or [""]
    return rows
