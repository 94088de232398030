"""Secrets in a text: keys, tokens, passwords, and where they stand.

Invariant: pure; a finding never repeats the secret that it found; and a text of any
form is read in linear time.

There is one scanner. It knows the documented forms of `secret_forms`, values that are
given to a name (`DB_PASSWORD=...`, `"api_key": "..."`), and sentences ("the password
for staging is ..."); and it reads a text a second time without zero-width characters,
with full-width letters made plain and `\\n` as the end of a line. For saving it is narrow, since a false alarm
refuses a memory. `wide` is for text that is mined from sessions, where nobody is asked:
there a false alarm costs a word, so any word after "the password is" counts, and every
long word that looks random.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from memcli.entries.text import secret_forms as forms
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Final


class Finding(NamedTuple):
    """A secret: what it looks like, and the line it stands in, from 1."""

    kind: str
    line: int


Span = tuple[int, int, str]
"""Start, end and kind."""

_PASSWORD: Final = "password"
_VALUE: Final = "secret value"
_RANDOM: Final = "random word"
_GENERAL: Final = (_PASSWORD, _VALUE, _RANDOM)

# --- names and values ---------------------------------------------------------------

# The word for a password, as sentences have it.
_PASSWORD_WORDS: Final = (
    "kennwort", "passwort", "mot de passe", "contraseña", "contrasenya", "senha", "wachtwoord", "hasło", "heslo",
    "lösenord", "lösenordet", "adgangskode", "adgangskoden", "passord", "passordet", "palavra-passe", "salasana", "parool", "jelszó", "şifre", "parola", "lozinka",
    "пароль", "парола", "κωδικός", "密码", "密碼", "パスワード", "비밀번호", "كلمة المرور", "كلمة السر", "סיסמה", "पासवर्ड", "mật khẩu", "kata sandi", "口令", "clave",
)  # fmt: skip
# Parts, one of which stands in every text with a name or sentence that says "secret".
_HINTS: Final = (
    "passw", "passp", "passc", "pass=", "pass:", "pass =", 'pass"', "pass'", "pwd", "secret", "token", "key",
    "credential", "bearer", "pw=", "pw:", "pw =", " pw ", "psw", "2fa", "totp",
    "_pat", " pat ", "pass -", "pass is", "clé", "chave", "chiave", "schlüssel", "ключ", "токен", "密钥", "密鑰", "令牌", "トークン",
    *_PASSWORD_WORDS,
)  # fmt: skip
_ASSIGNED: Final = (
    r"(?<![\w.-])([\w.-]{2,120})[\\\"'`\]]{0,3}"
    # On the same line, as the `value` behind a `name`, or on a line of its own.
    r"((?:[ \t]{0,20}|,?\s{0,40}[\"']?value[\"']?[ \t]?)(?::=|=>|==?|:)"
    r"(?:[ \t]{0,20}|\s{1,4}(?:```\w{0,9}\n)?(?=\S{6,99}[ \t]*(?:\n|\Z))(?!\S*:[ \t]*\n)))"
    r"(?=\\?(?:\"([^\"\n\\]{1,300})\\?\"|'([^'\n\\]{1,300})\\?'"
    r"|`([^`\n]{1,300})`|([^\s\"'`,;<>\\]{1,300})))"
)
# How names end, in lower case and without `_`, `-` and `.`.
_PASSWORDS: Final = ("password", "passwd", "passwort", "kennwort", "pwd", "passphrase", "passcode")  # fmt: skip
_SAID_PASSWORDS: Final = (
    *_PASSWORDS, "pass", "psw", "pw", "secret word", *_PASSWORD_WORDS, "pin",
)  # fmt: skip
_ENGLISH: Final = ("password", "passwd", "passphrase", "passcode", "pwd")
_KEYS: Final = (
    "secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "authkey",
    "encryptionkey", "signingkey", "masterkey", "sessionkey", "accountkey", "hmackey",
    "aeskey", "appkey", "licensekey", "deploykey", "webhookkey", "secretkeybase",
    "credential", "credentials", "bearer",
)  # fmt: skip
# Names that may mean other things: what they hold must look like a password.
_SHORT: Final = ("pass", "pw", "PW", "psw", "clave")
_LOOSE: Final = ("pass", "clave")
_STRONG: Final = r"(?=.*[A-Za-z])(?=.*\d).*[!$%&*?#^]"
# A token may be as long as a hash of git, if it is said to be one.
_HASH: Final = "[0-9a-f]{40}|[0-9a-f]{64}"
# Heads of columns beside which a plain word is a password.
_LOGINS: Final = ("user", "name", "login", "email", "account")
# Names that end so and hold no secret: where a list goes on, what a button says.
_HARMLESS_NAMES: Final = ("nexttoken", "pagetoken", "continuationtoken", "synctoken", "publickeytoken")  # fmt: skip
_SAID: Final = (
    r"(?i)\b(pass(?:word|wd|phrase|code)?|pwd|pw|psw|secret word|(?:2fa|totp)[ -](?:seed|secret|key)|"
    r"(?:clave|clé|chave|chiave)[ -](?:d['’]?|de |da |di )?api|api[ -]?(?:schlüssel|ключ)|ключ api|токен|密[钥鑰]|令牌|トークン|"
    + "|".join(_PASSWORD_WORDS)
    + r"|pin|secret|token|pat"
    r"|credentials?|bearer|api[ _-]?key|access[ _-]?key"
    r"|(?:private|secret|encryption|signing|master|session)[ _-]key)(?:\b|(?=[は是为為는은]))"
    r"(?:(?: (?:for|of|to|on|in|at|von|für|fuer|zu|de|del|da|do|pour|der|para|от|для|на|til|för|voor|per|di)"
    r" \S{1,60}(?: \S{1,60}){0,3}?| \([^)\n]{1,40}\))?[\"'`*]{0,3}"
    r"([ \t]{0,9}[は是为為는은][ \t]{0,9}|[ \t]{0,9}(?:is[ \t]?)?(?:[:=]|=?=>|->|→)[*]{0,2}[ \t]{0,9}|>"
    r"|[ \t]{1,9}[|–—-][ \t]{1,9}"
    r"|[\"'] value=|[ \t]{1,9}(?:is|was|are|ist|lautet|war|est|es|é|è|är|er|este|jest|là|είναι|هي|on|je|to|has been)[ \t]{1,9}"
    r"(?:now |(?:been |now )?(?:changed|reset|rotated|set) to )?)"
    r"|[ \t]{1,9})"
    r"([\"'`“*]{0,2})(?=([^\s\"'`”<]{4,200}))"
)
# "use ... as the password", "... is the admin password".
_BEFORE: Final = (
    r"(?i) (?:is|was|as)(?: the| our| my| your)?(?: \w{1,20}){0,2}"
    r" (?:password|passwort|passphrase)\b(?=\s{0,3}(?:[.,;:!?)\n]|\Z)| (?:for|of|on|in|at|when|if|and) )"
)
# After these a plain word may be the password. In other languages it is mostly an
# adjective ("est obligatoire"), so there it has a digit or a sign.
_VERBS: Final = frozenset(": is was are lautet > -> => ==> is: value=".split())
# In these an English word is the password, too.
_GERMANIC: Final = frozenset("ist är er".split())
# Where a line or a sentence ends.
_END: Final = re.compile(r"[ \t]{0,9}(?:[.!](?!\S)|[#;]|\n|\r|</|\Z)")
_PASSPHRASE: Final = (
    r"(?i)\bpass ?phrase\b[^\n:=]{0,60}?(?:[:=]|\bis\b)[ \t]{0,9}([\"'`“]?)"
    r"([a-z]{2,12}(?:[ -][a-z]{2,12}){2,9})(?=[\"'`”]|[.,;!](?:\s|\Z)|[ \t]{0,9}(?:\n|\Z))"
)

# A file in a text, such as an image; a checksum; or a long word.
_BARE = (
    r"data:[\w/+.-]{3,60};base64,[A-Za-z0-9+/=]*|sha[0-9]{1,3}[:-][A-Za-z0-9+/=]+"
    r"|(?<![\w/.@#-])[A-Za-z0-9_+=-]{24,}(?![\w/@-]|\.\w)"
    r"|(?<![\w/.@#:+-])[A-Za-z0-9+/]{22,}={0,2}(?![\w/@+-]|\.\w)"
)
# Characters within which "token" speaks of a random word.
_NEAR: Final = 80
# --- disguises ----------------------------------------------------------------------

# What nobody sees: soft hyphens, joiners, marks of direction; and as YAML writes them.
_HIDDEN = (
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
    r"|\\u(?:00ad|034f|061c|180e|200[b-f]|202[a-e]|206[0-9a-f]|feff)|\\xad|\\(?=[_*])"
)
# How YAML and JSON write the end of a line; the next word begins behind it.
_BREAKS = ("\\n", "\\r", "\\t")
_ESCAPES = (*_BREAKS, "\\u", "\\x", "\\_", "\\*")


def find(text: str) -> list[Finding]:
    """Secrets in a text, in the order of their lines: of a line those of each form, or
    else one."""
    breaks = [match.start() for match in re.finditer("\n", text)]
    found: dict[Finding, None] = {}
    lines: set[int] = set()
    for start, _, kind in spans(text):
        line = bisect_left(breaks, start) + 1
        # Forms come first, and say more than the assignment that they stand in.
        if kind not in _GENERAL or line not in lines:
            found[Finding(kind, line)] = None
        lines.add(line)
    return sorted(found, key=lambda finding: (finding.line, finding.kind))


def spans(text: str, *, wide: bool = False) -> list[Span]:
    """Where secrets stand: first those of a form, then values; they may overlap."""
    found = list(_read(text, wide))
    escaped = "\\" in text and any(escape in text for escape in _ESCAPES)
    if escaped or not text.isascii():
        plain, places = _undisguised(text)
        if plain != text:
            found += [
                (places[start], places[end - 1] + 1, kind)
                for start, end, kind in _read(plain, wide)
            ]
    return found


# --- reading ------------------------------------------------------------------------


def _read(text: str, wide: bool) -> Iterator[Span]:
    lowered = text.lower()
    yield from _of(forms.PHRASES, text, lowered)
    words = [word for word in text.split() if len(word) >= forms.SHORTEST]
    words = [word for word in words if not (word.isalpha() and word.islower())]
    if words:
        joined = " ".join(words)
        long = forms.LONG if max(map(len, words)) >= forms.LONG_WORD else ""
        yield from _of(forms.WORDS, text, f"{joined}\0{joined.lower()}{long}")
    hinted = any(hint in lowered for hint in _HINTS)
    if hinted:
        yield from _assigned(text, wide)
        yield from _said(text, wide)
        yield from _tabled(text)
    for match in re.finditer(forms.STRONG, text, re.ASCII):
        if forms.is_strong(match[0]):
            yield *match.span(), _PASSWORD
    if wide or hinted:
        yield from _random(text, wide)


def _of(rows: Sequence[forms.Form], text: str, seen: str) -> Iterator[Span]:
    """Secrets of those forms of which a part is in what was seen of the text."""
    for kind, parts, must, pattern in rows:
        for part in parts:
            if part in seen:
                yield from _formed(text, kind, must, pattern)
                break


def _formed(text: str, kind: str, must: str, pattern: str) -> Iterator[Span]:
    place = 0
    compiled = re.compile(pattern, re.ASCII)
    group = min(1, compiled.groups)
    while match := compiled.search(text, place):
        start, end = match.span(group)
        if kind == "private key":
            end = _end_of_block(text, match.end())
        if forms.fits(must, match[group]):
            yield start, end, kind
        place = max(end, match.end())


def _end_of_block(text: str, start: int) -> int:
    """Where a key in a file ends: after its last line, or with the text."""
    end = text.find("-----END ", start)
    if end < 0:
        return len(text)
    close = text.find("-----", end + 9)
    return close + 5 if 0 <= close - end < 80 else end


def _assigned(text: str, wide: bool) -> Iterator[Span]:
    """Values that are given to a name which says what they are."""
    for match in re.finditer(_ASSIGNED, text, re.ASCII):
        name = match[1]
        kind = _named(name)
        if kind is None:
            continue
        group = next(group for group in (3, 4, 5, 6) if match[group] is not None)
        quoted = group != 6
        value = match[group] if quoted else match[group].rstrip(".,:!?)]}*")
        start = match.start(group)
        if kind == _PASSWORD:
            free = wide or quoted or _is_set(match, start + len(value))
            if name in _SHORT:
                secret = forms.is_said(value, last=False, wide=False)
            else:
                plain = name.isupper() and value.islower()
                said = value.replace("_", "") if plain else value
                secret = forms.is_password(said, name, free=free)
            secret = secret or (quoted and forms.is_passphrase(value))
        else:
            secret = forms.is_key(value, name)
        if secret:
            yield start, start + len(value), kind


def _is_set(match: re.Match[str], end: int) -> bool:
    """Whether a value is set as in a shell or a config: without spaces, for the
    environment, or on a line of its own."""
    text, before = match.string, match.start() - 1
    env, sign = match[1].isupper(), match[2].strip() == "="
    ends = _END.match(text, end) is not None
    alone = ends and (before < 0 or text[before] == "\n")
    return match[2] == "=" or (env and (sign or ends)) or (sign and alone)


def _named(name: str) -> str | None:
    """The kind of value that a name announces; None when it is no secret."""
    plain = forms.squashed(name).rstrip("0123456789")
    if plain.endswith(_PASSWORDS) or name.endswith(("_PASS", "_pass", "_PW", "_pw")):
        return _PASSWORD
    if name in _SHORT:
        return _PASSWORD
    if plain.endswith(_HARMLESS_NAMES):
        return None
    env = name.isupper() and name.endswith(("_KEY", "_PAT"))
    if plain.endswith(_KEYS) or (env and not plain.endswith(("cachekey", "publickey"))):
        return _VALUE
    return None


def _said(text: str, wide: bool) -> Iterator[Span]:
    """Values that a sentence names: "the password for staging is ..."."""
    for match in re.finditer(_SAID, text):
        name, joined = match[1].lower(), (match[2] or "").strip("\"'* \t")
        quote, raw = match[3], match[4]
        value = raw.rstrip(".,!?;:)*]}>")
        ends = len(value) < len(raw) and raw[len(value)] in ".!"
        start = match.start(4)
        after = text[start + len(raw) : start + len(raw) + 1]
        last = ends or _END.match(text, start + len(raw)) is not None
        last = last or (quote != "" and after in "\"'`”*")
        if name in _SAID_PASSWORDS:
            if name == "pin" and not wide:
                continue
            if name in _LOOSE and not (joined and re.match(_STRONG, value)):
                continue
            if joined or quote:
                verb = joined in _VERBS
                verb = verb or (joined in _GERMANIC and forms.is_english(value))
                said = {"last": last and verb, "prose": joined.isalpha()}
                secret = forms.is_said(value, wide=wide, **said)
            else:
                last = last and name in _ENGLISH and start - match.end(1) == 1
                secret = forms.is_beside(value, last=last)
            kind = _PASSWORD
        else:
            secret = forms.has_key_letters(value) and forms.looks_random(
                value, prose=not re.search("[:=]", joined)
            )
            secret = secret or forms.is_jumbled(value)
            secret = secret or ("key" in name and forms.is_hex_key(value))
            secret = secret or bool(joined and re.fullmatch(_HASH, value))
            kind = _VALUE
        if secret:
            yield start, start + len(value), kind
    for match in re.finditer(_BEFORE, text) if "pass" in text.lower() else ():
        end = match.start()
        word = text[max(0, end - 60) : end].split(" ")[-1]
        start = end - len(word.lstrip("\"'`"))
        end = start + len(text[start:end].rstrip("\"'`"))
        if forms.is_said(text[start:end], last=False, wide=False):
            yield start, end, _PASSWORD
    for match in re.finditer(_PASSPHRASE, text) if "phrase" in text.lower() else ():
        if forms.is_passphrase(match[2]):
            yield *match.span(2), "passphrase"


def _tabled(text: str) -> Iterator[Span]:
    """Values in a column whose head announces them, of Markdown or CSV."""
    at, column, head = 0, -1, [""]
    for line in text.split("\n"):
        cells = line.split("|" if "|" in line else ",")
        if len(cells) != len(head) or column < 0:
            head = [cell.strip(' "*`').replace(" ", "_") for cell in cells]
            plain = [re.fullmatch(r"[\w.-]{0,30}", name) for name in head]
            kinds = [*map(_named, head)] if len(head) > 1 and all(plain) else []
            column = next((n for n, kind in enumerate(kinds) if kind), -1)
            login = any(name.lower().endswith(_LOGINS) for name in head)
        elif value := cells[column].strip(' "*`\r'):
            start = at + sum(len(cell) + 1 for cell in cells[:column])
            start += cells[column].index(value)
            if kinds[column] == _PASSWORD:
                last = login and ", " not in line
                secret = forms.is_said(value, last=last, wide=False)
            else:
                secret = forms.is_key(value, head[column])
            if secret:
                yield start, start + len(value), _PASSWORD
        at += len(line) + 1


def _random(text: str, wide: bool) -> Iterator[Span]:
    """Long words that look random, or only those near a word for a secret."""
    for match in re.finditer(_BARE, text, re.ASCII):
        if match[0].startswith(("data:", "sha")):
            continue
        # Of `--max-old-space-size=4096` and `session_id=...` the value counts.
        named = re.match(r"(?:[A-Za-z_-]{1,80}=){1,3}(?!=|\Z)", match[0])
        value = match[0][named.end() :] if named else match[0]
        part = max(value.split("/"), key=len)  # of base64; a path has words
        noise = forms.looks_random(part, prose=True) or forms.is_jumbled(part)
        if part != value:
            noise = noise and bool(re.match("(?=.*[a-z])(?=.*[A-Z]).{12}", part))
        near = text[max(0, match.start() - _NEAR) : match.end() + _NEAR].lower()
        told = wide or any(hint in near for hint in _HINTS)
        if noise and told and not forms.is_id(part):
            yield match.end() - len(value), match.end(), _RANDOM


# --- letters ------------------------------------------------------------------------


def _undisguised(text: str) -> tuple[str, Sequence[int]]:
    """The text as it is meant, and the place of each of its characters in it."""
    for escape in _BREAKS:
        text = text.replace(escape, " \n")
    places: Sequence[int] = range(len(text))
    hidden = list(re.finditer(_HIDDEN, text))
    if hidden:
        ends = [0, *(match.end() for match in hidden)]
        starts = [*(match.start() for match in hidden), len(text)]
        places = [p for e, s in zip(ends, starts, strict=True) for p in range(e, s)]
        text = re.sub(_HIDDEN, "", text)
    if not text.isascii():
        from unicodedata import normalize

        shown = {c: normalize("NFKC", c) for c in set(text) if not c.isascii()}
        plain = {ord(c): n for c, n in shown.items() if len(n) == 1 and n.isascii()}
        text = text.translate(plain) if plain else text
    return text, places
