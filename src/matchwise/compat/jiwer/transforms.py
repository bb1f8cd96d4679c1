"""jiwer's transforms: what happens to texts before their words or characters are compared.

>>> Compose([ToLowerCase(), RemovePunctuation(), ReduceToListOfListOfWords()])(["Hello, world!"])
[['hello', 'world']]
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from unicodedata import category


class AbstractTransform:
    """Changes a text, or each of several; a class of yours says how in `process_string` or `process_list`."""

    def __call__(self, sentences: str | list[str]) -> Any:
        if isinstance(sentences, str):
            return self.process_string(sentences)
        if isinstance(sentences, list):
            return self.process_list(sentences)
        raise ValueError(f"expected a text or a list of texts, found {sentences!r}")

    def process_string(self, s: str) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must have process_string")

    def process_list(self, inp: list[str]) -> Any:
        return [self.process_string(s) for s in inp]


class Compose:
    """One transform after the other."""

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = transforms

    def __call__(self, text: Any) -> Any:
        for transform in self.transforms:
            text = transform(text)
        return text


class ReduceToListOfListOfWords(AbstractTransform):
    """A list of words for each text."""

    def __init__(self, word_delimiter: str = " ") -> None:
        self.word_delimiter = word_delimiter

    def process_string(self, s: str) -> list[list[str]]:
        return [[word for word in s.split(self.word_delimiter) if word]]

    def process_list(self, inp: list[str]) -> list[list[str]]:
        return [self.process_string(s)[0] for s in inp] or [[]]


class ReduceToListOfListOfChars(AbstractTransform):
    """A list of characters for each text."""

    def process_string(self, s: str) -> list[list[str]]:
        return [list(s)]

    def process_list(self, inp: list[str]) -> list[list[str]]:
        return [list(s) for s in inp] or [[]]


class ReduceToSingleSentence(AbstractTransform):
    """One text of all, where both sides are cut into different sentences."""

    def __init__(self, word_delimiter: str = " ") -> None:
        self.word_delimiter = word_delimiter

    def process_string(self, s: str) -> str:
        return s

    def process_list(self, inp: list[str]) -> list[str]:
        kept = [s for s in inp if s]
        return [self.word_delimiter.join(kept)] if kept else []


class RemoveEmptyStrings(AbstractTransform):
    """Leave out texts that are blank."""

    def process_string(self, s: str) -> str:
        return s.strip()

    def process_list(self, inp: list[str]) -> list[str]:
        return [s for s in inp if s.strip()]


class Strip(AbstractTransform):
    """Without blanks around."""

    def process_string(self, s: str) -> str:
        return s.strip()


class ToLowerCase(AbstractTransform):
    """In small letters."""

    def process_string(self, s: str) -> str:
        return s.lower()


class ToUpperCase(AbstractTransform):
    """In capitals."""

    def process_string(self, s: str) -> str:
        return s.upper()


class RemovePunctuation(AbstractTransform):
    """Without characters that Unicode calls punctuation."""

    def process_string(self, s: str) -> str:
        return "".join([one for one in s if not category(one).startswith("P")])


class SubstituteRegexes(AbstractTransform):
    """Put something in the place of what regular expressions find, one after the other."""

    def __init__(self, substitutions: Mapping[str, str]) -> None:
        self.substitutions = substitutions

    def process_string(self, s: str) -> str:
        for pattern, value in self.substitutions.items():
            s = re.sub(pattern, value, s)
        return s


class SubstituteWords(SubstituteRegexes):
    """The same with whole words."""

    def __init__(self, substitutions: Mapping[str, str]) -> None:
        super().__init__({rf"\b{re.escape(word)}\b": value for word, value in substitutions.items()})


class RemoveSpecificWords(SubstituteWords):
    """A blank in the place of some words."""

    def __init__(self, words_to_remove: Sequence[str]) -> None:
        super().__init__(dict.fromkeys(words_to_remove, " "))


class RemoveWhiteSpace(SubstituteRegexes):
    """Without blanks, or with spaces for all of them."""

    def __init__(self, replace_by_space: bool = False) -> None:
        super().__init__({f"[{string.whitespace}]": " " if replace_by_space else ""})


class RemoveMultipleSpaces(SubstituteRegexes):
    """One space for several."""

    def __init__(self) -> None:
        super().__init__({r"\s\s+": " "})


class RemoveKaldiNonWords(SubstituteRegexes):
    """Without `[laugh]` and `<unk>`."""

    def __init__(self) -> None:
        super().__init__({r"[<\[][^>\]]*[>\]]": ""})


class ExpandCommonEnglishContractions(SubstituteRegexes):
    """`let us` for `let's`."""

    def __init__(self) -> None:
        super().__init__(
            {"won't": "will not", "can't": "can not", "let's": "let us", "n't": " not", "'re": " are", "'s": " is"}
            | {"'d": " would", "'ll": " will", "'t": " not", "'ve": " have", "'m": " am"}
        )


_TRIMMED = (RemoveMultipleSpaces(), Strip())
_STANDARD = (ToLowerCase(), ExpandCommonEnglishContractions(), RemoveKaldiNonWords(), RemoveWhiteSpace(True), *_TRIMMED)
_WORDS, _CHARACTERS = ReduceToListOfListOfWords(), ReduceToListOfListOfChars()

wer_default = Compose([*_TRIMMED, _WORDS])
wer_contiguous = Compose([*_TRIMMED, ReduceToSingleSentence(), _WORDS])
wer_standardize = Compose([*_STANDARD, _WORDS])
wer_standardize_contiguous = Compose([*_STANDARD, ReduceToSingleSentence(), _WORDS])
cer_default = Compose([Strip(), _CHARACTERS])
cer_contiguous = Compose([Strip(), ReduceToSingleSentence(), _CHARACTERS])
