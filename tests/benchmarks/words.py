"""The written words of the generated corpus, as words.toml lists them."""

import tomllib
from pathlib import Path

_TOLD = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
FUNCTION_WORDS, ENGLISH, SOFTWARE, FIRST_NAMES = (
    _TOLD[name].split() for name in ("function", "english", "software", "first_names")
)
