"""Text that must not reach a git history: keys, tokens, passwords.

Invariant: pure; a finding never repeats the secret that it found.

The patterns are the documented forms of the services named beside them, and an
assignment to a name that says what it holds. They are for text that somebody saves
on purpose, where a false alarm costs a flag (`--allow-secret`) and a miss costs a
key; text that is mined from sessions goes through a scanner of its own.
"""

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from memcli.errors import SecretFound

if TYPE_CHECKING:
    from memcli.entries.entry import Entry


class Finding(NamedTuple):
    """A secret: what it looks like, and the line it stands in, from 1."""

    kind: str
    line: int


# What to look for, and a part of it that stands in the text in some case: looking for
# parts spares a save the 4 ms that compiling the patterns costs, and a lint of 10,000
# files a second.
_FORMS = (
    (
        ("begin ",),
        "private key",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
    ),
    (("akia", "asia"), "AWS access key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    (
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        "GitHub token",
        r"\bgh[pousr]_[A-Za-z0-9]{36,}\b",
    ),
    (("github_pat_",), "GitHub token", r"\bgithub_pat_[A-Za-z0-9_]{50,}\b"),
    (("glpat-",), "GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    (("xox",), "Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    (
        ("hooks.slack.com",),
        "Slack webhook",
        r"hooks\.slack\.com/services/T\w+/B\w+/\w{20,}",
    ),
    (("aiza",), "Google API key", r"\bAIza[A-Za-z0-9_-]{35}"),
    (("k_live_", "k_test_"), "Stripe key", r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    (("sk-",), "API key", r"\bsk-(?=[\w-]*[0-9])(?:[a-z]+[0-9]*-)*[A-Za-z0-9_-]{20,}"),
    (("npm_",), "npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    (("pypi-",), "PyPI token", r"\bpypi-[A-Za-z0-9_-]{40,}"),
    (
        ("eyj",),
        "JSON web token",
        r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[\w-]{8,}",
    ),
    (
        ("://",),
        "password in a URL",
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,80}:(?![$<{*])(?!password@)[^\s:/@]{3,}@",
    ),
)
_ASSIGNED = "secret value"
_NAMES = ("key", "secret", "token", "passw", "pwd", "bearer")
_ASSIGNMENT = (
    r"(?i)(?:^|[^A-Za-z])"
    r"[a-z0-9_.-]{0,40}?(?:api[_-]?key|secret(?:[_-]?key)?|access[_-]?key|auth[_-]?token"
    r"|access[_-]?token|token|passwd|password|pwd|bearer)"
    r"[\"']?\s*(?:[:=]|\s(?:is\s)?)\s*[\"']?([A-Za-z0-9+/=_.~!@#$%^&*-]{8,200})"
)


# What follows "token" in notes about work: words and numbers in parts (a ticket such
# as OPS-589106, v1.10.2, refresh_token_v2), a UUID, a git hash, the name of a variable.
# A part begins with a letter or a digit, never either way: a choice for each part would
# take a refusal 2^100 steps.
_PART = r"(?:(?:[a-z]{1,16}|[A-Z][a-z]{1,15}|[A-Z]{1,16})[0-9]{0,4}|[0-9]{0,10})"
_NAME = rf"{_PART}(?:[-_./+]{_PART})+"
_WORD = r"[A-Za-z]{1,16}[0-9]{0,4}"
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_GIT_HASH = r"[0-9a-f]{7,12}|[0-9a-f]{40}|[0-9a-f]{64}"
_VARIABLE = r"\$[A-Za-z_]\w*"


def find(text: str) -> list[Finding]:
    """Secrets in a text, in the order of their lines; one of a kind for a line."""
    found: dict[Finding, None] = {}
    lines: set[int] = set()
    for start, _, kind in spans(text):
        line = _line(text, start)
        # A form of its own says more than the assignment that it stands in.
        if kind != _ASSIGNED or line not in lines:
            found[Finding(kind, line)] = None
        if kind != _ASSIGNED:
            lines.add(line)
    return sorted(found, key=lambda finding: (finding.line, finding.kind))


def spans(text: str) -> list[tuple[int, int, str]]:
    """Where secrets stand, (start, end, kind): first those of a form, then values."""
    lowered = text.lower()
    found = [
        (match.start(), match.end(), kind)
        for marks, kind, form in _FORMS
        if any(mark in lowered for mark in marks)
        for match in re.finditer(form, text)
    ]
    named = any(name in lowered for name in _NAMES)
    for match in re.finditer(_ASSIGNMENT, text) if named else ():
        # A hash or Sunflower2024 is a name in prose; after `=` or `:` it is a value.
        prose = not re.search("[:=]", match.group()[: match.start(1) - match.start()])
        if looks_random(match.group(1), prose=prose):
            found.append((match.start(1), match.end(1), _ASSIGNED))
    return found


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def looks_random(value: str, *, prose: bool) -> bool:
    """Whether a value is noise rather than a word, a path or a placeholder.

    Letters and digits together, and at least 3 bits a character (Shannon): an
    English word of eight letters has about 2.7.
    """
    value = value.strip(".-=")
    if len(value) < 8 or value.lower().startswith(
        ("http", "your", "example", "xxx", "changeme")
    ):
        return False
    if not (re.search("[0-9]", value) and re.search("[A-Za-z]", value)):
        return False
    names = (_NAME, _UUID, _VARIABLE, *((_GIT_HASH, _WORD) if prose else ()))
    if any(re.fullmatch(name, value) for name in names):
        return False
    counts = [value.count(c) for c in set(value)]
    bits = -sum(n / len(value) * math.log2(n / len(value)) for n in counts)
    return bits >= 3.0


def refuse(entry: "Entry") -> None:
    """Raise SecretFound when a draft looks as if it held a secret."""
    texts = {"text": entry.body, "title": entry.title, "tags": " ".join(entry.tags)}
    texts["source.excerpt"] = entry.source.excerpt or ""
    texts["entities"] = " ".join(entry.entities)
    for name, text in texts.items():
        for finding in find(text):
            raise SecretFound(
                f"{name}, line {finding.line}: looks like a secret ({finding.kind})",
                hint="A vault's git history keeps it for good. Take it out, or insist "
                "with --allow-secret.",
            )
