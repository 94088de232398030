"""A text of a memory reaches a session without anything that acts."""

import re

from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.text import prompt_injection as module
from memcli.entries.text.prompt_injection import harmless


@given(
    st.text(
        st.sampled_from(
            "a é\n\t\r\x00\x1b\x85\xa0\u2028\u200b\u202e\ufeff\U000e0041</!|>"
        )
    )
)
def test_what_is_told_by_its_letters_first_is_what_the_patterns_find(text: str) -> None:
    everything = re.sub(module._CONTROLS, " ", text)
    everything = re.sub(module._UNSEEN, "", everything)
    assert harmless(text) == re.sub(module._TAG, "&lt;", everything)


def test_every_character_that_the_patterns_name_is_not_printable() -> None:
    letters = "".join(map(chr, range(0x110000)))
    found = re.findall(f"{module._CONTROLS}|{module._UNSEEN}", letters)
    assert found
    assert [c for c in found if c.isprintable()] == []
