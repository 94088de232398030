"""What the lint says of entries that keep tools from running.

Invariant: pure. An entry that cannot refuse anything is named, with the reason, because
the person who marked it relies on it; a vault can hold none that refuses everything.
"""

from collections.abc import Iterator

from memcli.entries.entry import Entry, Status
from memcli.entries.text import code_terms
from memcli.vault.health.finding import WARNING, Finding, Text


def idle(entry: Entry) -> str:
    """Why an entry that a person marked refuses nothing; empty when it does."""
    if entry.enforce is None or entry.status is not Status.ACTIVE:
        return ""
    if entry.source.writer not in (None, "manual"):
        return f"it was written by {entry.source.writer}, and no person"
    found = code_terms.triggers(entry.body.strip()).found
    if not found:
        return "its text names no code, command or path"
    reasons = [code_terms.broad(each) for each in found]
    if all(reasons):
        return f"'{found[0].text}' is too broad: {reasons[0]}"
    return ""


def about_enforce(text: Text) -> Iterator[Finding]:
    """The finding of an entry whose `enforce` does nothing."""
    why = idle(text.entry)
    if why:
        yield Finding(
            text.entry.path,
            text.field_line("enforce"),
            "broad_enforce",
            WARNING,
            f"enforce keeps nothing from running: {why}",
            "Let its text name the command, the path or the name in code; "
            "memcli evolve ID --enforce sets it anew.",
        )
