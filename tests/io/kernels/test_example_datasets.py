"""Datasets of parsed examples, as TensorFlow's files have them: the components are in the order of their keys."""

import pytest

import reflow as tf

KINDS = {"output_types": [tf.int64, tf.variant, tf.variant], "output_shapes": [[None, 1], [3], []]}
RAGGED = {"ragged_keys": ["f"], "ragged_value_types": [tf.float32], "ragged_split_types": [tf.int32]}


def example(numbers, texts):
    features = {
        "b": tf.train.Feature(bytes_list=tf.train.BytesList(value=texts)),
        "f": tf.train.Feature(float_list=tf.train.FloatList(value=[1.5] * len(texts))),
    }
    if numbers:
        features["a"] = tf.train.Feature(int64_list=tf.train.Int64List(value=numbers))
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def parsed(op, examples, kinds=KINDS, **options):
    """The components of the first element."""
    source = tf.data.Dataset.from_tensors(examples)._variant_tensor
    given = {"num_parallel_calls": tf.constant(1, tf.int64), "dense_defaults": [tf.constant([7], tf.int64)]}
    given |= {"dense_keys": ["a"], "dense_shapes": [[1]], "sparse_keys": [], "sparse_types": [], **kinds, **options}
    dataset = getattr(tf.raw_ops, op)(input_dataset=source, **given)
    iterator = tf.raw_ops.AnonymousIteratorV3(**kinds)
    tf.raw_ops.MakeIterator(dataset=dataset, iterator=iterator)
    return tf.raw_ops.IteratorGetNext(iterator=iterator, **kinds)


@pytest.mark.parametrize(
    ("op", "order"), [("ParseExampleDatasetV2", {"deterministic": "true"}), ("ParseExampleDataset", {"sloppy": False})]
)
def test_features_of_all_kinds(op, order):
    batch = [example([1], [b"x"]), example([], [b"y", b"z"])]
    dense, sparse, ragged = parsed(op, batch, sparse_keys=["b"], sparse_types=[tf.string], **RAGGED, **order)
    assert dense.numpy().tolist() == [[1], [7]]
    parts = tf.raw_ops.DeserializeSparse(serialized_sparse=sparse, dtype=tf.string)
    assert [part.numpy().tolist() for part in parts] == [[[0, 0], [1, 0], [1, 1]], [b"x", b"y", b"z"], [2, 2]]
    kinds = {"input_ragged_rank": 1, "output_ragged_rank": 1, "Tvalues": tf.float32, "Tsplits": tf.int32}
    (splits,), values = tf.raw_ops.RaggedTensorFromVariant(encoded_ragged=ragged, **kinds)
    assert splits.numpy().tolist() == [0, 1, 3] and values.numpy().tolist() == [1.5, 1.5, 1.5]


def test_one_example_is_a_batch_of_one():
    kinds = {"output_types": [tf.int64], "output_shapes": [[None, 1]]}
    (dense,) = parsed("ExperimentalParseExampleDataset", example([4], []), kinds, sloppy=True)
    assert dense.numpy().tolist() == [[4]]


def test_what_does_not_fit():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Key: a, Index: 0.  Number of int64 values != expected.  Values size: 2"
    ):
        parsed(
            "ParseExampleDatasetV2", [example([1, 2], [])], {"output_types": [tf.int64], "output_shapes": [[None, 1]]}
        )
