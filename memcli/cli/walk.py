"""The question that a walk through what waits asks again until it has an answer."""

from __future__ import annotations

from memcli.errors import MemcliError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli.cli.context import Context


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
        answer = word or context.ask("Why? (Enter: no reason) ")
        word = ""
        given = (answer or "").strip()
        if len(given) != 1 or not given.isascii():  # one sign of Chinese says much
            return given or None
        context.tell(f"  {given} is too short for a reason; Enter gives none")


def unknown(context: Context, key: str, explained: str) -> bool:
    """Answer a key that does nothing here, with the keys for `?`; False, since
    nothing is decided."""
    if key in ("?", "h", "help"):
        context.tell(explained)
    else:
        context.tell(f"  the key {key} does nothing here; ? explains the keys")
    return False
