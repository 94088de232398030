"""The part of `memcli review` about versions that a merge of two clones replaced.

Invariant: both texts stand beside each other before a decision, and every decision is
committed before the next question.
"""

from __future__ import annotations

import textwrap
from itertools import zip_longest

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.cli.context import Context
    from memcli.curation.merged_versions import MergedVersion
    from memcli.vault.vault import Vault

_KEYS = "[k]eep current [t]ake other [b]oth [s]kip [u]ndo [q]uit [?]"
_HELP = """\
  k          keep the current text; the other one stays in the archive
  t          take the other text: it becomes the next version
  b          both: the next version has the current text, then the other
  s          skip: it is asked again next time
  u          undo the last decision
  q          quit; what is decided stays decided"""
# Two columns of this width and a gap fit a terminal of 80.
_WIDTH = 37
_MOST_LINES = 40


def walk(context: Context, vault: Vault) -> tuple[dict[str, int], bool]:
    """Ask a person about each version that was replaced.

    Returns:
        How many current texts were kept, other ones taken, both joined, and how many
        are left, nothing where there was none to decide on; and whether the person did
        not quit.
    """
    from memcli.cli.walk import answered, unknown
    from memcli.curation import merged_versions as versions

    counts = dict.fromkeys(("kept", "taken", "joined"), 0)
    skipped: set[str] = set()
    decided: list[str] = []
    finished = True
    while True:
        left = [each for each in versions.waiting(vault) if each.id not in skipped]
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
                return unknown(context, key, _HELP)
            counts[decided[-1]] += 1
            context.tell(f"  {decided[-1]}")
            return True

        if not answered(context, _KEYS, obey):
            finished = False
            break
    if not (counts.keys() and (decided or skipped or versions.waiting(vault))):
        return {}, finished
    merged = counts | {"left": len(versions.waiting(vault))}
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
