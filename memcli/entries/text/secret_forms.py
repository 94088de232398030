"""The forms of keys and tokens that services document, and values that are secrets.

Invariant: pure. `words/secrets.txt` has the forms. Most keys begin with a word of their
own. Any other form has four columns: its kind, as a refusal names it; parts, one of
which is in every text with such a secret; what else its value must be; and a pattern,
whose first group, if it has one, is the secret. tests/entries/text/secret_kinds.toml
has examples of each, and texts that look alike and are no secrets.

Most saves hold none of the parts and so compile no pattern, which would cost more than
the search. A part with a capital letter is looked for as it
is written, others in any case; `LONG` stands in each text with a word of 40 characters.

No pattern may take the square of the text's length: what can be followed by something
that fails has a bound. What a value stands in (a form, a name, a sentence) is for
`secrets` to read; here a value is judged by itself: noise, a word that a person may have
chosen, a placeholder, a variable.
"""

from __future__ import annotations

import math
import re

from memcli.entries.shipped import lists, ordinary_words

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Final


LONG: Final = "\1"
LONG_WORD: Final = 40
"""A word of so many characters may be of a form that has `LONG`."""
SHORTEST: Final = 15

# What a value must be, beside the pattern; `secrets` knows how to tell.
ANY: Final = "any"  # no placeholder
NOISE: Final = "noise"  # letters and digits without a pattern
WORD: Final = "word"  # anything that a person may have chosen, but no variable
PAIR: Final = "pair"  # base64 of USER:PASSWORD
MIXED: Final = "mixed"  # letters with digits or signs, as in a password
DIGITS: Final = "digits"  # begins with the base64 of a number

Form = tuple[str, tuple[str, ...], str, str]
"""Kind, parts, what its value must be, pattern."""


def _begun(beginnings: str, must: str, rest: str) -> Form:
    parts = tuple(beginnings.split())
    either = "|".join(map(re.escape, parts))
    return "key of a service", parts, must, f"(?<![A-Za-z0-9])(?:{either}){rest}"


def _form(line: str) -> Form:
    kind, must, parts, pattern = line.split("\t")
    parts = parts.replace("LONG", LONG)
    return kind, tuple(parts.split("|")), must, pattern


_LISTS: Final = lists("secrets.txt")
BEGUN: Final = [tuple(line.split("\t")) for line in _LISTS["begun"]]
"""Keys with a word of their own: what each must be, how it begins, what follows."""
WORDS: Final[tuple[Form, ...]] = (
    *(_begun(beginnings, must, rest) for must, beginnings, rest in BEGUN),
    *map(_form, _LISTS["words"]),
)
"""Secrets of one word, of at least `SHORTEST` characters."""
PHRASES: Final[tuple[Form, ...]] = tuple(map(_form, _LISTS["phrases"]))
"""Secrets that are known by the words around them."""

# --- values ---------------------------------------------------------------------------

# What stands for a value that another person fills in.
_SAMPLES: Final = r"example|xxxx|your|placeholder|redacted|change[-_]?me(?!\d{4})|dummy|\*{4}|\.{4}|_{4}"  # fmt: skip
# What follows "the password is" or `password:` and is none.
_NO_PASSWORDS: Final = frozenset(" ".join(_LISTS["no passwords"]).split())
_TECHNIQUES: Final = r"(?i)(?:base(?:32|58|64)|sha-?\d+|md5|\w*crypt\w*|argon2\w*|pbkdf2|aes-?\d*|utf-?8|oauth2?|1password|keepass\w*|x509|ed25519|rsa-?\d*|hs256|rs256|totp|2fa|mfa|s3|k8s|http2?|ipv[46])\b"  # fmt: skip
# Words of names in code that are as short as what noise has, or have no vowel.
_SHORT_WORDS: Final = frozenset("ad ai am an as at be by ci cd cmd ctl db de do ex fn go he id if in io ip is it js ls ml me my no of ok on op or os pr ptr re so src str tls ts ui up us vm we xml html http https css ssl ssh sql dns tcp udp jwt png pdf svg".split())  # fmt: skip
_STOP: Final = frozenset("a an the of to in on at is are be and or for with not no by as it that which when you your we our user users from must should will can never".split())  # fmt: skip


# What follows "token" in notes about work: words and numbers in parts (a ticket such
# as OPS-589106, v1.10.2, refresh_token_v2), a UUID, a git hash, the name of a variable.
# A part begins with a letter or a digit, never either way: a choice for each part would
# take a refusal 2^100 steps.
_PART = r"(?:(?:[a-z]{1,16}|[A-Z][a-z]{1,15}|[A-Z]{1,16})[0-9]{0,4}|[0-9]{0,10})"
_NAME = rf"{_PART}(?:[-_./+]{_PART})+"
_WORD = r"[A-Za-z]{1,16}[0-9]{0,4}"
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_GIT_HASH = r"[0-9a-f]{7,12}|[0-9a-f]{40}|[0-9a-f]{64}"
_VARIABLE = r"\$[A-Za-z_]+|\$?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"
_KEY_LETTERS = r"[A-Za-z0-9+/=_.~!@#$%^&*:-]{8,300}"
_DOTTED = r"[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+"
_CAMEL = r"(?:\w{1,40}\.){0,3}[A-Za-z][A-Z]{0,4}[a-z]{0,12}[0-9]{0,5}(?:[A-Z][a-z]{2,12}[0-9]{0,4})+"
# What stands in front of a variable, a placeholder, a path, a flag or a comment.
_SIGNS = r"[$<{%\[/~*&@#.\\-]"
_PATH = r"(?:~|\.{1,2})?(?:/[\w.-]+){2,}"
# A word of large and small letters and digits, which no name has in front of a dot.
_JUMBLED = (
    r"(?<![A-Za-z0-9])(?=[A-Za-z]{0,99}[0-9])(?=[A-Z0-9]{0,99}[a-z])[a-z0-9]{0,99}[A-Z]"
)
# Digits in three places of a word: no name of a module or a class has so many.
_NOISY = r"[0-9][A-Za-z]+[0-9]+[A-Za-z]+[0-9]"
_SIGN = r"[!$%&*?#^@]"
# Repo#12, Class2#method, user1@Host.com, React@18, Outer1$Inner, 2*Second, 00-R&D
_SIGNED = r"[A-Za-z_.-]+[0-9]{0,2}#[0-9]+|[\w.-]+#[A-Za-z_-]+|.*@[\w.-]+\.[a-z]{2,}|.*@[A-Z]?[a-z]+|.*@[v^~]?[0-9][\w.]*|[A-Za-z_.]+[0-9]{0,2}\$\w*|[0-9]+[*%][\w.]+|(?:.*-)?R&D.*|.*&#?\w+;"  # fmt: skip
# Bytes in an address, the fingerprint of an anchor, a place in a file.
_IN_NAMES = r"%[2-7][0-9A-Fa-f]|(?:%[89A-Fa-f][0-9A-Fa-f]){2,}|#[0-9]+-[0-9a-f]{16}(?:@[0-9a-f]+)?$|#L[0-9]+(?:-L?[0-9]+)?$|(?<=\.[a-z]{2})#[\w.-]+$|(?<=\.[a-z]{4})#[\w.-]+$"  # fmt: skip
STRONG: Final = (
    r"(?<![\w!$%&*?#^@.\\-])[A-Za-z0-9_.!$%&*?#^@-]{8,64}"
    r"(?![\w!$%&*?#^@=(/\\{\[>-]|<(?!/|br))"
)
"""Words that `is_strong` looks at."""
# What a variable or a path has not, but a password: digits at a word, a sign in it.
_CHOSEN = rf"{_JUMBLED}|[A-Za-z][0-9]{{2}}|[0-9][A-Za-z]|\w[!?#$%^]+\w\w"
_INDEXED = r"[A-Za-z_]\w*(?:\.\w+)*\["
_HEX_KEY = r"(?:0x)?(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{48}|[0-9a-fA-F]{64})"

# Not randomness, though it looks so: ids of hosts' records, addresses, words in parts.
_IDS = (
    r"(?:toolu|call|req|msg|evt|prt|ses|resp|run)_\w+"
    r"|(?:0x)?[0-9a-fA-F]{40}|[a-z0-9]+(?:[-_][a-z0-9]+){2,}"
)


def fits(must: str, value: str) -> bool:
    """Whether a value is what its form asks for."""
    if must == NOISE:
        return looks_random(value, prose=False) or is_jumbled(value)
    if must in (WORD, MIXED):
        # In such a place stands the password itself, and no variable of a program.
        value = value.replace("_", "") if value.islower() else value
        return is_password(value, "", free=must == WORD) or is_jumbled(value)
    if must in (PAIR, DIGITS):
        text = _from_base64(value.partition(".")[0])
        if must == DIGITS:
            return text.isdigit()
        user, colon, password = text.partition(":")
        return bool(user and colon) and is_password(password, "", free=True)
    return not is_sample(value)


def looks_random(value: str, *, prose: bool, bits: float = 3.0) -> bool:
    """Whether a value is noise rather than a word, a path or a placeholder.

    Letters and digits together, and at least so many bits a character (Shannon): an
    English word of eight letters has about 2.7.
    """
    value = value.strip(".-=")
    if len(value) < 8 or value.lower().startswith(("http", "xxx")) or is_sample(value):
        return False
    if not (re.search("[0-9]", value) and re.search("[A-Za-z]", value)):
        return False
    code = re.fullmatch(_DOTTED, value) and not re.search(_NOISY, value)
    if code and (len(value) < 16 or _has_words(value)):
        return False
    names: tuple[str, ...] = (_NAME, _UUID, _VARIABLE, _CAMEL)
    names += (_GIT_HASH, _WORD) if prose else ()
    if any(re.fullmatch(name, value) for name in names):
        return False
    # Shannon's entropy of a character.
    shares = [value.count(c) / len(value) for c in set(value)]
    return -sum(share * math.log2(share) for share in shares) >= bits


def is_jumbled(value: str) -> bool:
    """Whether a value is large and small letters in no order, as a key without a digit.

    In a name of words (`parseHTTPResponse`) few of those that begin with a capital have
    one more letter, or no vowel.
    """
    letters = re.fullmatch("(?:[a-z]{1,8}[_+-])?([A-Za-z]{16,300})", value)
    if letters is None or is_sample(value):
        return False
    capitals = len(re.findall("[A-Z]", letters[1])) / len(letters[1])
    words = [word.lower() for word in re.findall("[A-Z][a-z]+", letters[1])]
    odd = [
        word
        for word in words
        if word not in _SHORT_WORDS
        and (len(word) == 2 or not re.search("[aeiouy]", word))
    ]
    return (len(odd) > 1 and capitals > 0.25) or (bool(odd) and capitals >= 0.4)


def is_strong(value: str) -> bool:
    """Whether a word has what passwords must have: large and small letters, with digits
    and a sign between them, or with two signs. Of 11 million characters of sessions no
    word had that, and of 56 million of documentation and code about forty."""
    value = re.sub(_IN_NAMES, "", value.strip("_*.,?#"))
    cased = re.match("(?=.*[a-z])(?=.*[A-Z])(?!.*@@).{8}", value)
    if not cased or is_sample(value):
        return False
    between = re.findall(f"(?<=[A-Za-z0-9]){_SIGN}+(?=[A-Za-z0-9])", value)
    if not re.search("[0-9]", value):
        return len(set(between)) > 1
    plain = len(value) < 10 or _has_words(value) or re.search("@[a-z.]+$", value)
    named = len(re.findall(_SIGN, value)) == 1 and re.fullmatch(_SIGNED, value)
    return bool(between) and not (named and plain)


def _has_words(value: str) -> bool:
    """Whether large letters and digits begin words; in noise every other one does."""
    return len(value) >= 3 * len(re.findall("[A-Z]*[a-z]+|[A-Z]+|[0-9]+", value))


def is_sample(value: str) -> bool:
    """Whether a value only shows where a secret would stand."""
    low = value[:64].lower()  # a placeholder is short
    kinds = len(set(low))
    return kinds < (3 if low.isalpha() else 4) or bool(re.search(_SAMPLES, low))


def is_key(value: str, name: str) -> bool:
    """Whether a value is a key or token, given to a name such as `API_KEY`.

    A UUID is one only for a variable of the environment.
    """
    if not has_key_letters(value):
        return False
    if name.isupper() and re.fullmatch(_UUID, value):
        return True
    bits = 2.5 if name.isupper() else 3.0
    return looks_random(value, prose=False, bits=bits) or is_jumbled(value)


def is_password(value: str, name: str, *, free: bool) -> bool:
    """Whether a value is a password, and not a variable, a path, a type or a sentence.

    Args:
        value: without its quotes.
        name: what it is given to; a password is no part of its name.
        free: whether a plain word counts, too.
    """
    low = value.lower().strip(".,!?;:")
    if len(low) < 3 or is_sample(value) or low in _NO_PASSWORDS:
        return False
    if re.search(r"[()\s]|&#x|://|\$\{|\{\{|=>", value):
        return False
    if re.match(_SIGNS, value) and not re.search(_CHOSEN, value):
        return False
    if name and squashed(low) in squashed(name):
        return False  # POSTGRES_PASSWORD=postgres
    if re.fullmatch(f"{_VARIABLE}|{_PATH}", value):
        return False
    if re.fullmatch(_DOTTED, value) and not re.search(_JUMBLED, value):
        return False
    if re.match(f"{_TECHNIQUES}|{_INDEXED}", value):
        return False
    if is_mixed(value):
        return len(value) >= (4 if free else 6)
    if not free or len(value) < 4 or not re.search("[^\\W_]", value):
        return False
    jumbled = re.search("[a-z][A-Z]{2}", value)
    named = "pass|pwd|(?<!top)secret|token|credential" + ("" if jumbled else "|_")
    return not re.search(named, low)


def is_mixed(value: str) -> bool:
    """Whether it has letters, and digits or signs among them."""
    value = value.strip(".,!?;:")
    return bool(
        re.search("[A-Za-z]", value) and re.search(r"[0-9!@#$%^&*+?=|]", value)
    ) or bool(re.fullmatch("[0-9]{6,}", value))


def is_said(value: str, *, last: bool, wide: bool, prose: bool = True) -> bool:
    """Whether what follows "the password is" is one, and not the rest of a sentence.

    Args:
        value: the next word, without its quotes and full stop.
        last: whether the sentence ends with it; then it may be a plain word.
        wide: as for `secrets.spans`.
        prose: whether a verb joins it, and no sign.
    """
    if not is_password(value, "", free=last or wide):
        return False
    if is_mixed(value):
        return not re.fullmatch(_NAME, value) or bool(re.search(_JUMBLED, value))
    formed = "ed|able|ment|tion" + ("|ing" if prose else "") + ("" if last else "|ly")
    return bool(re.fullmatch(r"[A-Za-z_-]+", value)) and not re.search(
        f"(?:{formed})$", value
    )


def is_beside(value: str, *, last: bool) -> bool:
    """Whether what follows "the password" at once is one ("the password hunter2"), and
    not a thing of passwords: it has digits, or ends the sentence and is no English."""
    low = value.lower()
    if re.search("[0-9]", value):
        stem = low.rstrip("0123456789")
        plain = re.fullmatch(r"[A-Za-z0-9$#@%&][\w!@#$%^&*+?=|.-]{5,}", value)
        known = stem in _NO_PASSWORDS
        return bool(plain) and not known and is_said(value, last=False, wide=False)
    letters = re.fullmatch("[a-z]{6,40}", value)
    if not last or not letters or not is_said(value, last=True, wide=False):
        return False
    return low not in ordinary_words()


def is_english(value: str) -> bool:
    """Whether it is a word of English, and hardly an adjective of other languages."""
    low = value.lower()
    return low in ordinary_words() and not low.endswith(("al", "ant", "ent", "iv"))


def squashed(name: str) -> str:
    """A name in small letters, without what joins its words."""
    return name.lower().replace("_", "").replace("-", "").replace(".", "")


def _from_base64(value: str) -> str:
    """The text that a value holds in base64; empty when it holds none, or not ASCII."""
    from binascii import Error, a2b_base64

    value = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        text = a2b_base64(value + "=" * (-len(value) % 4)).decode("ascii")
    except (Error, ValueError):
        return ""
    return text if text.isprintable() else ""


def is_passphrase(text: str) -> bool:
    """Whether it is a password of three words or more, and no sentence."""
    words = re.split("[ -]", text.lower())
    plain = re.fullmatch("[A-Za-z]{2,12}(?:[ -][A-Za-z]{2,12}){2,9}", text)
    return bool(plain) and _STOP.isdisjoint(words) and _NO_PASSWORDS.isdisjoint(words)


def is_hex_key(value: str) -> bool:
    """Whether it is a key in hexadecimal digits, longer than a git hash."""
    return len(value) > 40 and re.fullmatch(_HEX_KEY, value) is not None


def is_id(value: str) -> bool:
    """Whether it is an id of a host's record, a hash, a UUID, or words in parts."""
    return re.fullmatch(f"{_GIT_HASH}|{_UUID}|{_IDS}", value) is not None


def has_key_letters(value: str) -> bool:
    """Whether it has the length and the letters of a key."""
    return re.fullmatch(_KEY_LETTERS, value) is not None
