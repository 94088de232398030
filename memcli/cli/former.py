"""Command lines of the release before, in today's words; to be removed with the next.

Invariant: a line that is spelled as before does what it did, and stderr says how to
spell it now. A command line that was a mistake before stays one.
"""

from __future__ import annotations

from memcli.cli import flags, plain

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    _NEW = dict[str, Any]


def run(name: str, words: list[str]) -> int | None:
    """Run a command line of the release before; None when it is not one."""
    from memcli.cli import render
    from memcli.cli import run as today

    new = renamed(name, words)
    if new is None:
        return None
    command, values = new
    screen = render.Screen(name, as_json=False)
    screen.tell(f"`memcli {name}` is now spelled: {spelled(command, values)}")
    return today.run(command, values, spoken=name)


def renamed(name: str, words: list[str]) -> tuple[str, _NEW] | None:
    """Translate a command line of the release before.

    Returns:
        The command of today and its values; None when the line is not a former one.
    """
    if name not in _FLAGS:
        return None
    known = {**flags.FLAGS[name], **_FLAGS[name]}
    values = plain.read(words, known, flags.WORDS[name])
    if values is None:
        return None
    shared = ("vault", "json", "header", "agent")
    everywhere: _NEW = {key: values.pop(key) for key in shared if key in values}
    translated = (_of_inspect if name == "inspect" else _of_review)(values)
    # What is left over did not go with the rest.
    if translated is None or values:
        return None
    command, given = translated
    given = {key: value for key, value in given.items() if value}
    return command, {**given, **everywhere}


def _of_inspect(values: _NEW) -> tuple[str, _NEW] | None:
    take = values.pop
    if take("repair", False):
        given = {"yes": take("yes", False), "dry_run": take("dry_run", False)}
        return "repair", given
    what = take("what", None)
    if what == "signals":
        keys = ("pairs", "train", "dry_run")
        return "signals", {key: take(key, False) for key in keys}
    verbs = [verb for verb in ("merge", "rename", "alias") if verb in values]
    name = take("name", None)
    if what != "entity" or len(verbs) != 1 or not name:
        return None
    other = take(verbs[0])
    names = [other, name] if verbs[0] == "merge" else [name, other]
    given = {"yes": take("yes", False), "dry_run": take("dry_run", False)}
    return "entities", {"action": verbs[0], "names": names, **given}


def _of_review(values: _NEW) -> tuple[str, _NEW] | None:
    take = values.pop
    if take("ideas", False):
        return "ideas", {}
    if take("entities", False):
        return "entities", {"action": "waiting"}
    names = take("ids", [])
    given: _NEW = {"dry_run": take("dry_run", False)}
    if take("promote", False):
        for key in ("kind", "title", "tags"):
            given[key] = take(key, None)
        return "ideas", {"action": "promote", "slugs": names, **given}
    if take("dismiss", False):
        given["reason"] = take("reason", None)
        return "ideas", {"action": "dismiss", "slugs": names, **given}
    if "merge" in values and len(names) == 1:
        names = [*names, take("merge")]
        return "ideas", {"action": "merge", "slugs": names, **given}
    if take("register", False):
        given |= {"type_": take("type_", None), "aliases": take("aliases", None)}
        return "entities", {"action": "register", "names": names, **given}
    if take("ignore", False):
        return "entities", {"action": "ignore", "names": names, **given}
    return None


def spelled(command: str, values: _NEW) -> str:
    """The new command line, for people."""
    import shlex

    words = ["memcli", command]
    for parameter, _, repeat, _ in flags.WORDS[command]:
        if parameter in values:
            words += values[parameter] if repeat else [values[parameter]]
    for flag, (parameter, kind, repeat, _) in flags.FLAGS[command].items():
        if not flag.startswith("--"):
            continue  # its long form is said
        for value in values.get(parameter, ()) if repeat else [values.get(parameter)]:
            if value:
                words += [flag] if kind is bool else [flag, str(value)]
    return shlex.join(words)


_FLAGS: dict[str, dict[str, flags.Flag]] = {
    "inspect": {
        "--repair": ("repair", bool, False, ()),
        "--merge": ("merge", str, False, ()),
        "--rename": ("rename", str, False, ()),
        "--alias": ("alias", str, False, ()),
        "--pairs": ("pairs", bool, False, ()),
        "--train": ("train", bool, False, ()),
        "--yes": ("yes", bool, False, ()),
        "--dry-run": ("dry_run", bool, False, ()),
    },
    "review": {
        "--ideas": ("ideas", bool, False, ()),
        "--promote": ("promote", bool, False, ()),
        "--dismiss": ("dismiss", bool, False, ()),
        "--merge": ("merge", str, False, ()),
        "--entities": ("entities", bool, False, ()),
        "--register": ("register", bool, False, ()),
        "--ignore": ("ignore", bool, False, ()),
        "--type": ("type_", str, False, ()),
        "--alias": ("aliases", str, True, ()),
    },
}
