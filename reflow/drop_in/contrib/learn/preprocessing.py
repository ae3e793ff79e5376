"""`tf.contrib.learn.preprocessing`: texts as rows of numbers."""

from __future__ import annotations

import collections
import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

_WORDS = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """The words of texts."""
    for value in iterator:
        yield _WORDS.findall(value)


class CategoricalVocabulary:
    """Maps words to numbers in order of first appearance; 0 is the unknown word."""

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token, self._support_reverse = unknown_token, support_reverse
        self._mapping: dict[Any, int] = {unknown_token: 0}
        self._reverse_mapping: list[Any] = [unknown_token]
        self._freq: dict[Any, int] = collections.defaultdict(int)
        self._freeze = False

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Stops taking new words, or starts again."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """The number of a word, perhaps a new one."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            if self._support_reverse:
                self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Count a word."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Drops words that are too rare or too frequent, and sorts the others by frequency."""
        ordered = sorted(
            sorted(self._freq.items(), key=lambda pair: (isinstance(pair[0], str), pair[0])), key=lambda p: p[1],
            reverse=True,
        )
        self._mapping = {self._unknown_token: 0}
        self._reverse_mapping = [self._unknown_token]
        for category, count in ordered:
            if count > min_frequency and not 0 < max_frequency < count:
                self._mapping[category] = len(self._mapping)
                self._reverse_mapping.append(category)
        self._freq = collections.defaultdict(int, {c: n for c, n in ordered if c in self._mapping})

    def reverse(self, class_id: int) -> Any:
        """The word of a number."""
        if not self._support_reverse:
            raise ValueError("This vocabulary wasn't initialized with support_reverse to support reverse() function.")
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """Turns texts into rows of word numbers, all of one length.

    Args:
      max_document_length: how long rows are; texts are cut, or filled with 0.
      min_frequency: words must come more often than this.
      vocabulary: one that exists already.
      tokenizer_fn: how texts become words.
    """

    def __init__(
        self, max_document_length: int, min_frequency: int = 0, vocabulary: Any = None,
        tokenizer_fn: Callable | None = None,
    ) -> None:
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Learn the words of texts."""
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Iterable[str], unused_y: Any = None) -> Iterator[np.ndarray]:
        """Learn the words of texts, and give their rows."""
        texts = list(raw_documents)
        self.fit(texts)
        return self.transform(texts)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """The rows of texts."""
        for tokens in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            found = [self.vocabulary_.get(token) for token in tokens[: self.max_document_length]]
            row[: len(found)] = found
            yield row

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """The words of rows, with spaces between."""
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(number) for number in row)

    def save(self, filename: str) -> None:
        """Write this to a file."""
        with open(filename, "wb") as file:
            pickle.dump(self, file)

    @classmethod
    def restore(cls, filename: str) -> VocabularyProcessor:
        """Read what `save` wrote."""
        with open(filename, "rb") as file:
            return pickle.load(file)


class ByteProcessor:
    """Turns texts into rows of bytes, all of one length."""

    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> ByteProcessor:
        """There is nothing to learn."""
        return self

    def fit_transform(self, x: Iterable[Any]) -> Iterator[np.ndarray]:
        """The rows of texts."""
        return self.transform(x)

    def transform(self, x: Iterable[Any]) -> Iterator[np.ndarray]:
        """The rows of texts."""
        for document in x:
            data = (document.encode() if isinstance(document, str) else bytes(document))[: self.max_document_length]
            row = np.zeros(self.max_document_length, np.uint8)
            row[: len(data)] = np.frombuffer(data, np.uint8)
            yield row

    def reverse(self, x: Iterable[Any]) -> Iterator[str]:
        """The texts of rows, as far as bytes are texts."""
        for row in x:
            yield bytes(int(b) for b in row if b).decode(errors="ignore")
