"""Refuses secrets before they reach a file of the vault or its git history.

Invariant: pure; an error names the kind of a secret and its place, never the secret.

`refuse` looks through a draft, so that a caller is told before anything is locked.
`refuse_new` is the net under all commands: a transaction asks it about every byte that
it is about to write, and about a hand edit that it is about to commit, but for the texts
of drafts that `refuse` has let pass. What was committed is no news: an entry that came
with a secret can be resolved, rejected and archived. `redact` takes secrets out of texts that are mined.
"""

from __future__ import annotations

import re

from memcli.entries.text import secrets
from memcli.errors import SecretFound

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Final

    from memcli.entries.entry import Entry


_HINT: Final = "A vault's git history keeps it for good"
_TAKE_IT_OUT: Final = f"{_HINT}: take it out. Nothing was changed."
OF_A_NAME: Final = "Its name is written into logs: choose another."
_HEAD: Final = re.compile(r"---\r?\n")


def refuse(entry: Entry) -> None:
    """Raise SecretFound when any field of a draft looks as if it held a secret."""
    texts = dict(_texts(entry))
    if secrets.spans("\n\n".join(texts.values())):
        hint = f"{_HINT}. Take it out, or insist with --allow-secret."
        refuse_texts(texts, hint)


def refuse_texts(texts: Mapping[str, str | None], hint: str = _TAKE_IT_OUT) -> None:
    """Raise SecretFound when a text that a change would write looks like a secret.

    Args:
        texts: what to call each, as its flag; None where it was not given.
        hint: what to do.
    """
    for what, text in texts.items():
        for finding in secrets.find(text or ""):
            place = f"{what}, line {finding.line}"
            message = f"{place}: looks like a secret ({finding.kind})"
            raise SecretFound(message, hint=hint)


def refuse_new(
    changes: Mapping[str, tuple[bytes | None, bytes | None]],
    carried: Iterable[bytes],
    message: str,
) -> None:
    """Raise SecretFound when a change brings a secret that the vault did not hold.

    Args:
        changes: path -> the file's bytes before and after, None for no file.
        carried: bytes of other files of the vault that the new ones are made of.
        message: of the commit.
    """
    texts = {
        path: after.decode("utf-8", "replace")
        for path, (_, after) in changes.items()
        if after is not None
    }
    found = [
        (path, text, spans)
        for path, text in (("", message), *texts.items())
        if (spans := secrets.spans(text))
    ]
    if not found:
        return
    before = (data for data, _ in changes.values() if data is not None)
    held = [data.decode("utf-8", "replace") for data in (*before, *carried)]
    for path, text, spans in found:
        for start, end, kind in spans:
            secret = text[start:end]
            if not any(secret in old for old in held):
                place = _place(path, text, start, secret)
                raise SecretFound(
                    f"{place}: looks like a secret ({kind})", hint=_TAKE_IT_OUT
                )


def _texts(entry: Entry) -> Iterator[tuple[str, str]]:
    """Every text of an entry, by the name that a caller knows it by."""
    for name, value in zip(entry._fields, entry, strict=True):
        if name == "source":
            for part, held in zip(entry.source._fields, entry.source, strict=True):
                if isinstance(held, str):
                    yield f"source.{part}", held
        elif name == "extra":
            for key, lines in entry.extra:
                # A secret may be the key, too.
                called = "frontmatter" if secrets.find(key) else f"frontmatter {key}"
                plain = lines.replace('\\"', '"').replace("\\\\", "\\")
                yield called, lines if plain == lines else f"{lines}\n{plain}"
        elif isinstance(value, tuple) and value:
            yield name, "\n".join(map(str, value))
        elif isinstance(value, str) and value:
            yield {"body": "text"}.get(name, name), value


def _place(path: str, text: str, start: int, secret: str) -> str:
    """Where a secret stands: the file, unless its name repeats it, line and field."""
    if not path:
        return "the message of the commit"
    letters = re.sub("[^a-z0-9]", "", secret.lower())[:8]
    if letters and letters in re.sub("[^a-z0-9]", "", path.lower()):
        path = f"a file in {path.rpartition('/')[0] or 'the vault'}"
    line = text.count("\n", 0, start) + 1
    head = _HEAD.match(text)
    end = text.find("\n---", head.end() - 1) if head else -1
    keys = re.findall(r"(?m)^([a-z_]{1,40}):", text[: start + 1]) if start < end else []
    return f"{path}, line {line}" + (f" ({keys[-1]})" if keys else "")


# A word for a secret, and behind "is", "as", "with" or the like what may be one, in front
# of "as" too; or a passphrase in plain words.
_SECRET_WORD: Final = re.compile(
    r"(?i)\b(?:pass(?:word|phrase|code|wd)s?|pgpassword|pwd|credentials?|creds|pin"
    r"|(?:recovery|backup) codes?|licen[cs]e key|log ?in|ssh key|basic auth|unlocks?|sign"
    r"|secret|token|bearer|(?:api|deploy|signing|access|private|wifi|wi-fi) key|keystore|key is|authenticat\w+|sudo"
    r"|(?:door|gate|alarm|access|entry|safe|lock|security) codes?|codes? (?:for|of|to) the"
    r"|opens? (?:\w+ )?(?:door|gate|lock|office|safe|vault)|(?:door|gate|lock|office|safe|vault) opens"
    r"|pass (?=\S*\d|for\b)|[a-z]+-key)\b"
)
_TOLD_VALUE: Final = re.compile(
    r"(?i)(?:\b(?:is|are|as|by|with|and|to|key|token|secret|bearer|pass|pin|takes|wants)|-p|[:=/])\s*[\"'`]?"
    r"(?!oauth2)(?:(?=\S*[a-z])(?=\S*\d)[^\s/]{6,}|\d{4,}\b)"
    r"|(?=\S*\d)\b[^\s/]{6,}[\"'`]? as (?:\w+ ){1,3}"
    r"|\bpassphrase\b[^.]{0,40}?\bis (?!(?:never|not|always|only|in|from|the|an?|to)\b)\w+ \w+ \w"
)
# A rule about passwords in general.
_ABOUT: Final = re.compile(r"(?i)\b(?:hash|encrypt|salt|rotat|expir)\w*\b")
# What says something of one password, and forbids nothing; what is typed as one, or
# opens something; and a word that only a password is.
_TOLD_PLAINLY: Final = re.compile(
    r"(?is)^(?!.*(?:\b(?:never|not|no|without|hash\w*|rotat\w*|expir\w*|reset|policy"
    r"|manager|field|form)\b|n't\b)).*(?:\b(?:password|passphrase|passcode)\b"
    r"|\b(?:token|secret)\b[^.]{0,40}?(?:\bis\b|=)\s*\w)"
    r"|.*\b(?:but|enter|give|put|say|send|type|use|with) (?!(?:an?|it|my|our|that|the|them|this|your)\b)\S+ (?:as|in(?:to)?(?=.{3,40}(?:box|field|form|prompt)\b)) (?:\w+ ){0,3}?(?:pass(?:word|phrase|code)|pin)\b"
    r"|.*\b(?:unlock|log ?in|log on|sign in)\w*\b[^.]{0,40}\b(?:using|with) (?!(?:an?|both|each|every|github|google|it|its|my|our|saml|sso|that|the|their|this|your)\b|(?-i:[A-Z]{2,}\b))\S"
    r"|.*(?<![\w./-])(?=\w*[a-z])(?-i:(?=\w*[A-Z]))(?:[a-z]+\d{4,}|[a-z]+\d[a-z]+\d[a-z]+)(?![\w./-])"
    r"|.*(?<![\w./-])[a-z]+\d{2,}[!$%&*?]+(?![\w./-])|.*\S / (?=\S*[a-z])(?=\S*\d)[^\s/]{6,}"
    r"|.*\blog ?in\b[^.]{0,40}\b(?:is|are) [\w.@+-]+(?: / |:)\w"
)


def is_told(text: str) -> bool:
    """Whether a sentence may tell a password or the like in words.

    It is wide, for texts that nobody has asked to keep.
    """
    text = text[:2_000]  # the patterns are not linear
    named = _SECRET_WORD.search(text) and _TOLD_VALUE.search(text)
    return bool((named and not _ABOUT.search(text)) or _TOLD_PLAINLY.match(text))


MARK: Final = "[REDACTED]"

_ROUNDS, _LONG = 20, 100_000  # each round reads a text of so many characters anew

_CERTIFICATE: Final = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}CERTIFICATE-----[^-]*(?:-----END [A-Z0-9 ]{1,60}-----)?"
)


def redact(text: str) -> str:
    """The text with a mark in place of what looks like a secret."""
    return _marked(_CERTIFICATE.sub(MARK, text), wide=True)


def masked(text: str) -> str:
    """The text with a mark in place of what a save would refuse."""
    return _marked(text, wide=False)


def _marked(text: str, *, wide: bool) -> str:
    # A key that was written right behind another begins with a word after the mark.
    for _ in range(_ROUNDS if len(text) < _LONG else 2):
        found = sorted(secrets.spans(text, wide=wide))
        if not found:
            break
        pieces, place = [], 0
        for start, end, _ in found:
            if start >= place:  # else it overlaps the one before, and has its mark
                pieces += [text[place:start], MARK]
            place = max(place, end)
        text = "".join((*pieces, text[place:]))
    return text
