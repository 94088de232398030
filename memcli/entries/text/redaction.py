"""Takes secrets out of what is mined from a session.

Invariant: nothing that looks like a secret goes on to a file, a commit or a log. In
mined text nobody is asked, so a false alarm costs a word and a miss costs a key: this
is wider than `credentials`, and when the scanner cannot run, nothing is mined.

`redact` is cheap enough for every word of a transcript, and sees a key that stretches
over lines; `scrub` puts detect-secrets on top, for what is about to be kept.
"""

import re
from typing import Final

from memcli.entries.text import secrets
from memcli.errors import ScannerFailed

MARK: Final = "[REDACTED]"

_KEY_BLOCK: Final = re.compile(
    r"-----BEGIN [A-Z0-9 ]*(?:PRIVATE KEY|CERTIFICATE)[A-Z ]*-----.*?(?:-----END [A-Z0-9 ]+-----|\Z)",
    re.DOTALL,
)
_HEADER: Final = re.compile(
    r"(?i)(\b(?:authorization|bearer|basic)[\"']?:?\s+(?:bearer\s+|basic\s+|token\s+)?)([A-Za-z0-9._~+/=-]{12,})"
)
_TOLD: Final = re.compile(
    r"(?i)(\b(?:pass(?:word|wd|phrase|code)?|pwd|pin|secret|api[ _-]?key|access[ _-]?key|token|credentials?|kennwort|passwort|mot de passe|contraseña|senha)\b"
    r"(?: for \S+(?: \S+)?)?[\"'`]?\s*(?:is|was|to|:|=|->|ist|est|es|é)\s*[\"'`]?)([^\s\"'`,;)]{4,})"
)
# What follows "the password is" in a sentence about passwords.
_PROSE: Final = frozenset(
    "expired invalid wrong required missing stored empty null none the this that not being read from correct hashed encrypted reset "
    "changed generated needed optional valid used sent shown hidden string true false undefined given taken checked never always only "
    "refreshed rotated revoked passed loaded saved fetched available unknown incorrect mandatory secret also still already "
    "optional, needs must should will can has have there here what which when".split()
)
_BARE: Final = re.compile(r"(?<![\w/.@#-])[A-Za-z0-9_+=-]{24,}(?![\w/.@-])")
# Not randomness, though it looks so: hashes of git, UUIDs, and ids of hosts' records.
_HARMLESS: Final = re.compile(
    r"[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|toolu_\w+|call_\w+|[a-z0-9]+(?:[-_][a-z0-9]+){2,}"
)
# Rules of detect-secrets that judge words by how random they look: measured on prose,
# they name every second word.
_GUESSING: Final = (
    "HexHighEntropyString",
    "Base64HighEntropyString",
    "IPPublicDetector",
)


def redact(text: str) -> str:
    """The text with a mark in place of what looks like a secret."""
    text = _KEY_BLOCK.sub(MARK, text)
    for start, end in reversed(_apart(secrets.spans(text))):
        text = text[:start] + MARK + text[end:]
    text = _HEADER.sub(rf"\1{MARK}", text)
    text = _TOLD.sub(_told, text)
    return _BARE.sub(_bare, text)


def scrub(text: str) -> str:
    """As `redact`, and what detect-secrets finds.

    Raises:
        ScannerFailed: it is not installed, or it failed.
    """
    text = redact(text)
    try:
        values = _scanned(text)
    except Exception as error:  # whatever it is, what was not scanned is not kept
        raise ScannerFailed(
            f"the scanner for secrets failed: {type(error).__name__}: {error}",
            hint="Nothing was kept. Reinstall memcli (detect-secrets belongs to it).",
        ) from error
    for value in sorted(values, key=lambda one: (-len(one), one)):
        text = text.replace(value, MARK)
    return text


def _scanned(text: str) -> set[str]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import transient_settings

    known: dict[str, type] = get_mapping_from_secret_type_to_class()
    rules = [rule.__name__ for rule in known.values()]
    names = [{"name": name} for name in rules if name not in _GUESSING]
    found: set[str] = set()
    with transient_settings({"plugins_used": names}):
        for line in text.splitlines():
            for secret in scan_line(line):
                value = secret.secret_value or ""
                if len(value) >= 4 and MARK not in value:
                    found.add(value)
    return found


def _apart(spans: list[tuple[int, int, str]]) -> list[tuple[int, int]]:
    """The stretches, with those that overlap made one."""
    found: list[tuple[int, int]] = []
    for start, end, _ in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _told(match: "re.Match[str]") -> str:
    value = match[2].strip(".!?")
    if value.lower() in _PROSE or value.startswith(("[", "<", "{", "$", "%")):
        return match[0]
    if re.fullmatch(r"[a-z]{4,}", value) and not re.search(
        r"(?i)pass|pwd|wort|mot de|contrase|senha", match[1]
    ):
        return match[0]  # "the token is opaque"
    return match[1] + MARK


def _bare(match: "re.Match[str]") -> str:
    value = match[0]
    if _HARMLESS.fullmatch(value) or not secrets.looks_random(value, prose=True):
        return value
    return MARK
