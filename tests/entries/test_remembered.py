"""A function of words is asked once for each, and memory stays small."""

from memcli.entries.remembered import Remembered


def lengths_of(asked: list[str], most: int) -> Remembered[int]:
    """The lengths of words, and which were asked for."""

    def length(word: str) -> int:
        asked.append(word)
        return len(word)

    return Remembered(length, most)


def test_a_word_is_asked_for_once() -> None:
    asked: list[str] = []
    lengths = lengths_of(asked, most=9)
    assert [lengths["word"], lengths["word"], lengths["a"]] == [4, 4, 1]
    assert asked == ["word", "a"]


def test_what_is_no_word_or_one_too_many_is_asked_for_each_time() -> None:
    asked: list[str] = []
    lengths = lengths_of(asked, most=2)
    long = "x" * 10_000
    words = ["one", long, "two", "three", "one", long, "two", "three"]
    assert [lengths[word] for word in words] == list(map(len, words))
    assert asked == ["one", long, "two", "three", long, "three"]
    assert set(lengths) == {"one", "two"}
