"""Made-up secrets of every kind, and what looks alike and is none.

Invariant: nothing here is a secret, and no line of secret_kinds.toml looks like one:
noise is filled in at run time, and words that a scanner knows are parted.
"""

import base64
import random
import re
import string
import tomllib
from pathlib import Path
from typing import Any

from memcli.entries.text.secret_forms import BEGUN

_READ: dict[str, list[Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)

_PHRASE = (
    "orbit velvet canyon marble tulip anchor forest pepper silver window rocket meadow"
)
_LETTERS = {
    "": string.ascii_letters + string.digits,
    "A": string.ascii_uppercase + string.digits,
    "h": "0123456789abcdef",
    "d": "123456789",
    "a": string.ascii_lowercase + string.digits,
    "g": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",  # as age writes keys
    "s": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
    "b": string.ascii_uppercase + "234567",
    "w": "".join(c for c in string.ascii_letters + string.digits if c not in "0OIl"),
}
_HOLE = re.compile(r"~(?:words12|b:([^~]+)|(\d+)([A-Za-z]?))~")


def fill(template: str, seed: int = 7) -> str:
    """A text of secret_kinds.toml with noise in its holes; the same for a seed."""
    source = random.Random(seed)

    def noise(hole: "re.Match[str]") -> str:
        if hole[0] == "~words12~":
            return _PHRASE
        if hole[1]:
            return base64.b64encode(hole[1].encode()).decode()
        letters = _LETTERS[hole[3]]
        while True:
            drawn = "".join(source.choice(letters) for _ in range(int(hole[2])))
            # A run of twelve has a digit and a letter, as a generator's have.
            if (
                int(hole[2]) < 12
                or hole[3] == "d"
                or re.search(r"\d[^\d]|[^\d]\d", drawn)
            ):
                return drawn

    return _HOLE.sub(noise, template.replace("¦", ""))


FORMS: list[list[str]] = _READ["forms"]
SERVICES: list[list[str]] = _READ["services"]
BEGINNINGS = {
    beginning: beginning + fill(body)
    for (_, beginnings, _), body in zip(BEGUN, _READ["begun"], strict=True)
    for beginning in beginnings.split()
}


def _forms(rows: list[list[str]]) -> dict[str, str]:
    """Kind -> an example; a kind of several forms has a number behind it."""
    found: dict[str, str] = {}
    for kind, example, _ in rows:
        number = sum(name.partition(" #")[0] == kind for name in found)
        found[f"{kind} #{number + 1}" if number else kind] = fill(example)
    return found


_GITHUB = fill("ghp_~36~")
_FULL_WIDTH = str.maketrans({chr(n): chr(n + 0xFEE0) for n in range(0x21, 0x7F)})

OF_A_FORM = _forms(FORMS)

TOLD = {
    **{name: fill(text) for name, text in _READ["told"]},
    "token before a full stop": f"The token is {_GITHUB}.",
    "token in brackets": f"({_GITHUB})",
    "bot in a URL": fill("https://api.telegram.org/bot~10d~:AA~33~/getMe"),
    "token with underscores around it": f"id_{_GITHUB}_",
    "token escaped for Markdown": _GITHUB.replace("_", "\\_"),
    "token among Chinese": f"密钥{_GITHUB}，请",
    # disguises
    "zero-width space": _GITHUB[:12] + "\u200b" + _GITHUB[12:],
    "zero-width joiner": _GITHUB[:5] + "\u200d" + _GITHUB[5:],
    "byte order mark": _GITHUB[:3] + "\ufeff" + _GITHUB[3:],
    "soft hyphen": _GITHUB[:20] + "\u00ad" + _GITHUB[20:],
    "full-width letters": _GITHUB.translate(_FULL_WIDTH),
    "full-width password": ("pass" "word=swordfish").translate(_FULL_WIDTH),
    "escaped in YAML": f'title: "{_GITHUB[:10]}\\u200b{_GITHUB[10:]}"',
}  # fmt: skip

SECRETS = {**OF_A_FORM, **_forms(SERVICES), **TOLD}

HARMLESS = list(
    dict.fromkeys(
        [
            *(counter for *_, counter in FORMS + SERVICES),
            *map(fill, _READ["harmless"]),
        ]
    )
)
