"""`tf.strings.split`, `join` and `ngrams`: ranks, ragged tensors, limits."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_split_by_rank():
    assert tf.strings.split("a b").numpy().tolist() == [b"a", b"b"]
    assert tf.strings.split(["a b", ""]).to_list() == [[b"a", b"b"], []]
    assert tf.strings.split([["a b"], ["c"]]).to_list() == [[[b"a", b"b"]], [[b"c"]]]
    assert tf.strings.split(tf.ragged.constant([["a b"], []])).to_list() == [[[b"a", b"b"]], []]


@pytest.mark.parametrize("text, sep, limit, expected", [
    ("a b  c ", None, 0, [b"a b  c "]), ("a b  c ", None, 1, [b"a", b"b  c "]), ("a b ", None, 2, [b"a", b"b", b""]),
    ("a,b,,c", ",", 2, [b"a", b"b", b",c"]), ("", ",", -1, [b""]), ("", None, -1, [])])
def test_split_limits(text, sep, limit, expected):
    assert tf.strings.split(text, sep, limit).numpy().tolist() == expected


def test_ngrams():
    assert tf.strings.ngrams([["a", "b", "c"]], 2).numpy().tolist() == [[b"a b", b"b c"]]
    rows = tf.ragged.constant([["a", "b", "c"], [], ["d"]])
    found = tf.strings.ngrams(rows, 3, pad_values="p", padding_width=1, preserve_short_sequences=True)
    assert found.to_list() == [[b"p a b", b"a b c", b"b c p"], [], [b"p d p"]]
    with pytest.raises(TypeError, match="pad_values must be"):
        tf.strings.ngrams(["a"], 2, pad_values=3)


def test_in_functions_and_datasets():
    @tf.function
    def words(x):
        return tf.strings.split(tf.strings.lower(x)).row_lengths()

    assert words(tf.constant(["A b", "c"])).numpy().tolist() == [2, 1]
    data = tf.data.Dataset.from_tensor_slices(["A b", "c"]).map(
        lambda x: tf.strings.to_hash_bucket_fast(tf.strings.lower(x), 10)
    )
    assert [int(v) for v in data] == tf.strings.to_hash_bucket_fast(["a b", "c"], 10).numpy().tolist()
