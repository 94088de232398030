"""Possible names are found in prose, in time in line with its length."""

import time
from pathlib import Path

import pytest

from memcli.entries.text.identifiers import is_code_term
from memcli.entries.text.mentions import compiled, mentions
from memcli.entries.text.proper_names import loose_names


@pytest.mark.parametrize("sign", [" ", "\t", "- ", " -", "> ", "1", "1. ", "A ", "`"])
def test_a_megabyte_of_one_sign_is_read_at_once(sign: str) -> None:
    started = time.process_time()
    loose_names(sign * (1_000_000 // len(sign)), ())
    assert time.process_time() - started < 5


# --- names that tie entries together before a person has decided on them --------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We asked Grace Hopper about Patroni", ["Grace Hopper", "Patroni"]),
        ("- Then we asked Ada, and Grace said no", ["Ada", "Grace"]),
        ("a script called `theme-sync`, one named heron.", ["theme-sync", "heron"]),
        ("it is called twice, called automatically, called by the hook", []),
        # A word with a small letter ends a name, and maybe a sentence.
        ("we saw it. Later Ada came", ["Ada"]),
        ("we saw it.) Grace came", []),
        ("we saw \u2014 it\u2014 Grace came", []),
        ("we saw it's Grace", ["Grace"]),
        ("Ada well-known Grace", ["Grace"]),
        ("Run `update-kubeconfig` in ./cmd/x/", ["update-kubeconfig", "./cmd/x/"]),
        ("the parse_args of Typer", ["Typer"]),
        ("we deploy on Tuesdays", []),
        ("Deploy first", []),
        ("", []),
    ],
)
def test_names_and_code_terms_of_a_text(text: str, names: list[str]) -> None:
    assert loose_names(text, ()).said == tuple(names)


def test_entities_are_left_out_in_any_case() -> None:
    names = loose_names("ask Grace Hopper in Paris", ["grace  HOPPER"])
    assert names.said == ("Paris",)


def test_a_word_that_begins_a_sentence_is_told_apart() -> None:
    names = loose_names("Kestrel is slow. Falcon too, says Kestrel", ())
    assert names == (("Kestrel",), ("Falcon",))


def test_the_nouns_of_a_german_text_are_no_names() -> None:
    text = (
        "Die Sicherung der Datenbank läuft jede Nacht, und die Prüfung der Kopie "
        "macht der Dienst von Grace Hopper am Morgen im Lager"
    )
    assert loose_names(text, ()) == (("Grace Hopper",), ())


def test_a_text_gives_twelve_names_at_most_and_its_end_is_not_read() -> None:
    many = ". ".join(
        f"we met Ann{'abcdefghijklmnopqrstuvwxyz'[i]} Lee" for i in range(26)
    )
    assert len(loose_names(many, ()).said) == 12
    assert loose_names("word " * 5000 + "with Grace Hopper", ()) == ((), ())


def test_ordinary_sentences_have_no_entity_and_say_no_name() -> None:
    nobody = compiled(())
    sentences = Path(__file__).with_name("ordinary_sentences.txt").read_text("utf-8")
    named = {
        sentence: found
        for sentence in sentences.splitlines()
        if (found := (mentions(sentence, nobody)[0], loose_names(sentence, ()).said))
        != ([], ())
    }
    assert named == {}
    assert sentences.count("\n") >= 260


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("update-kubeconfig", True),
        ("./cmd/x/", True),
        ("C:\\tmp\\x", True),
        ("@scope/pkg", False),
        ("Grace Hopper", False),
        ("Redis-backed", False),
        ("parse_args", False),
        ("app.py", False),
    ],
)
def test_paths_and_commands_are_code(name: str, code: bool) -> None:
    assert is_code_term(name) is code
