"""Embeddings: the cosine of the vectors that a user's function makes of texts.

Vectors are rounded to whole numbers of 23 bits, so that their products and sums are exact in any order: one pair, all
pairs at once and another machine give the same bits for the same vectors.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import lru_cache
from os import PathLike
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from matchwise.algebra.build import Selectable, selector, word
from matchwise.algebra.leaves import LeafKind
from matchwise.algebra.nodes import Leaf, Number, Similarity, require_name
from matchwise.arrays import Floats, Integers
from matchwise.errors import DataError
from matchwise.similarities.answers import Answers, as_content, check_kept
from matchwise.similarities.values import Scale, check_scale, describe_value, share, string

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

BITS = 23
CELLS = 1 << 22
"""Numbers that are multiplied together."""

KEPT = 1 << 17
"""The vectors kept in memory when no file is given."""


@word
def embedding(
    encode: Callable[[list[str]], Any],
    sel: Selectable = None,
    *,
    version: str,
    floor: Number = 0,
    scale: Scale = "clip",
    cache: str | PathLike[str] | None = None,
    replay: bool = False,
) -> Similarity:
    """Cosine of your vectors, max(0, cos(v(x), v(y))): `encode(texts)` returns one for each text. 0 below `floor`.

    `encode` is called with texts that it has not seen, as many as are known to be needed. `version` names the model; it
    stands in the signature. `cache` is a file that keeps the vectors, and with `replay=True` nothing else is used.
    `scale="shift"` gives (1 + cos) / 2, which is a kernel.

    >>> import matchwise as mw
    >>> def letters(texts):
    ...     return [[text.count(letter) for letter in "abc"] for text in texts]
    >>> phi = mw.embedding(letters, "name", version="1")
    >>> phi
    embedding(letters, "name", version="1")
    >>> mw.score(phi, {"name": "aab"}, {"name": "ab"})
    0.9486832980505138
    """
    check_scale(scale)
    file, again = check_kept("embedding", version, cache, replay)
    options = (
        ("encode", require_name(encode, "embedding")),
        ("version", version),
        ("floor", share("floor", floor, 'embedding(encode, "title", version="1", floor=0.5)')),
        ("scale", scale),
        ("cache", file),
        ("replay", again),
    )
    return Leaf(EMBEDDING, selector(sel), options)


class Vectors:
    """The vectors of texts; those that are expected are made together with the first that is needed."""

    def __init__(self, encode: Callable[[list[str]], Any], version: str, file: str | None, replay: bool) -> None:
        self.answers = Answers(encode, version, file, replay)
        self._expected: dict[str, None] = {}
        self._made: dict[str, NDArray[float32]] = {}
        self._lock = Lock()

    def expect(self, text: str) -> None:
        if text not in self._made:
            self._expected[text] = None

    def rows(self, texts: list[str]) -> Floats:
        """The vectors of the texts, one in each row."""
        with self._lock:
            missing = [text for text in texts if text not in self._made]
            if missing:
                self._make(missing)
            found = [self._made[text] for text in texts]
            if len(self._made) > KEPT and self.answers.file is None:
                self._made.clear()
        try:
            return np.array(found, dtype=np.float64)
        except ValueError:
            sizes = sorted({len(row) for row in found})
            raise DataError(f"{self._name} returned vectors of different lengths: {sizes}") from None

    def _make(self, missing: list[str]) -> None:
        expected, self._expected = self._expected, {}
        wanted = missing if self.answers.replay else [*missing, *expected]
        contents = {text: as_content(text) for text in wanted}
        known = self.answers.give(contents.values(), self._encode)
        self._made |= {text: _read(known[content]) for text, content in contents.items()}
        if self.answers.file is None:
            known.clear()  # the vectors are kept once

    def _encode(self, texts: list[str]) -> list[str]:
        """What `encode` makes of the texts, in whole numbers, written down."""
        made = self.answers.function(texts)
        try:
            found = np.asarray(made, dtype=np.float64)
        except TypeError:
            raise DataError(f"{self._name} returned {describe_value(made)}; return one vector for each text") from None
        if found.ndim != 2 or len(found) != len(texts):
            raise DataError(
                f"{self._name} returned an array of shape {found.shape} for {len(texts)} texts; "
                "return one vector for each text, all of the same length"
            )
        norms = np.sqrt(np.square(found).sum(axis=1))
        for place in np.flatnonzero(~np.isfinite(norms) | (norms == 0))[:1].tolist():
            raise DataError(f"{self._name} returned a vector of length {norms[place]} for {texts[place]!r}")
        # Scaled by a power of 2 to a length near 2²³; where the length is near 1, the power is always the same.
        exponents = BITS - np.frexp(norms * 0.7)[1]
        whole = np.rint(np.ldexp(found, exponents[:, None])).astype("<f4")
        return [base64.b64encode(row.tobytes()).decode("ascii") for row in whole]

    @property
    def _name(self) -> str:
        return self.answers.function.__name__


def _read(written: str) -> NDArray[float32]:
    return np.frombuffer(base64.b64decode(written), dtype="<f4")


@lru_cache(maxsize=64)
def _vectors(encode: Callable[[list[str]], Any], version: str, file: str | None, replay: bool) -> Vectors:
    return Vectors(encode, version, file, replay)


def vectors(options: dict[str, Any]) -> Vectors:
    return _vectors(options["encode"], options["version"], options["cache"], options["replay"])


def feature(value: Any, options: dict[str, Any]) -> str:
    text = string(value)
    vectors(options).expect(text)
    return text


def compare(f: str, g: str, options: dict[str, Any]) -> float:
    return float(paired([f], [g], np.zeros(1, int), np.zeros(1, int), options)[0])


def paired(fs: list[str], gs: list[str], a: Integers, b: Integers, options: dict[str, Any]) -> Floats:
    if not a.size or not b.size:
        return np.zeros(np.broadcast(a, b).shape)
    u, v = np.split(vectors(options).rows([*fs, *gs]), [len(fs)])
    if a.ndim == 2:
        products = u @ v.T
    else:
        step = max(1, CELLS // u.shape[1])
        parts = [slice(place, place + step) for place in range(0, len(a), step)]
        products = np.concatenate([np.einsum("ij,ij->i", u[a[part]], v[b[part]]) for part in parts])
    return _scale(products, _squares(u)[a] * _squares(v)[b], options)


def _squares(rows: Floats) -> Floats:
    found: Floats = np.einsum("ij,ij->i", rows, rows)
    return found


def _scale(products: Floats, squares: Floats, options: dict[str, Any]) -> Floats:
    """Cosines, from the products of vectors and their squared lengths."""
    cosines = np.minimum(products / np.sqrt(squares), 1)  # above 1 by rounding only
    found: Floats
    found = np.maximum((1 + cosines) / 2 if options["scale"] == "shift" else cosines, 0)
    if options["floor"]:
        found[found < float(options["floor"])] = 0.0
    return found


def facts(options: dict[str, Any]) -> dict[str, str]:
    made = {
        "bounded": "a cosine, cut or shifted to [0, 1]",
        "symmetric": "a product of vectors is symmetric",
        "unit": "equal texts have one vector, and its cosine with itself is 1",
    }
    if options["scale"] == "shift" and not options["floor"]:
        made["kernel"] = "half of 1 plus half of the cosine, both kernels"
    return made


EMBEDDING = LeafKind(
    "embedding",
    feature,
    compare,
    facts,
    paired,
    leading="encode",
    takes=(str,),
    unsigned=frozenset({"cache", "replay"}),
)
