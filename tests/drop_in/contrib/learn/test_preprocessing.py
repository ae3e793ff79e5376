"""Texts as rows of numbers."""

import numpy as np
import pytest

from reflow.drop_in.contrib.index import contrib

preprocessing = contrib.learn.preprocessing


def test_words_get_numbers(tmp_path):
    processor = preprocessing.VocabularyProcessor(4)
    rows = np.array(list(processor.fit_transform(["a cat, a dog", "it's TensorFlow and more words"])))
    assert rows.tolist() == [[1, 2, 1, 3], [4, 5, 6, 7]] and len(processor.vocabulary_) == 10
    assert list(processor.transform(["dog bird"]))[0].tolist() == [3, 0, 0, 0]
    assert next(iter(processor.reverse(rows[:1]))) == "a cat a dog"
    processor.save(str(tmp_path / "vocabulary"))
    again = preprocessing.VocabularyProcessor.restore(str(tmp_path / "vocabulary"))
    assert list(again.transform(["a dog"]))[0].tolist() == [1, 3, 0, 0]


def test_rare_words_are_forgotten():
    processor = preprocessing.VocabularyProcessor(3, min_frequency=1).fit(["a a b", "c a c"])
    assert [processor.vocabulary_.get(w) for w in "abc"] == [1, 0, 2] and processor.vocabulary_.reverse(2) == "c"
    with pytest.raises(ValueError, match="support_reverse"):
        preprocessing.CategoricalVocabulary(support_reverse=False).reverse(0)


def test_bytes_of_texts():
    processor = preprocessing.ByteProcessor(4)
    rows = list(processor.fit_transform(["abc", "grüße"]))
    assert [row.tolist() for row in rows] == [[97, 98, 99, 0], [103, 114, 195, 188]]
    assert list(processor.reverse(rows)) == ["abc", "grü"]
