"""Datasets of one's own, derived from TensorFlow's private classes."""

import reflow as tf
from reflow.drop_in.python.data.ops import dataset_ops


class Doubled(dataset_ops.UnaryUnchangedStructureDataset):
    def __init__(self, input_dataset):
        self._input_dataset = input_dataset
        source, count = input_dataset._variant_tensor, tf.constant(2, tf.int64)
        super().__init__(
            input_dataset, tf.raw_ops.RepeatDataset(input_dataset=source, count=count, **self._flat_structure)
        )


class Numbers(dataset_ops.DatasetSource):
    element_spec = tf.TensorSpec([], tf.int64)

    def __init__(self, stop):
        super().__init__(tf.data.Dataset.range(stop)._variant_tensor)


def test_own_datasets_read_others():
    dataset = Doubled(Numbers(2))
    assert [int(x) for x in dataset.map(lambda x: x + 1)] == [1, 2, 1, 2]
    assert [type(source).__name__ for source in dataset._inputs()] == ["Numbers"]


def test_elements_under_another_spec():
    pairs = tf.data.Dataset.zip(tf.data.Dataset.range(2), tf.data.Dataset.range(2))
    spec = {"a": tf.TensorSpec([], tf.int64), "b": tf.TensorSpec([], tf.int64)}
    assert [int(x["b"]) for x in dataset_ops._RestructuredDataset(pairs, spec)] == [0, 1]
    assert dataset_ops._VariantDataset(pairs._variant_tensor, pairs.element_spec).element_spec == pairs.element_spec


def test_the_methods_of_version_1():
    given = tf.data.Dataset.range(3)
    dataset = dataset_ops.DatasetV1Adapter(given)
    assert dataset._dataset is given and dataset.element_spec == given.element_spec
    assert [int(x) for x in dataset] == [0, 1, 2]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        iterator = dataset_ops.DatasetV1Adapter(tf.data.Dataset.range(3)).make_one_shot_iterator()
        element = iterator.get_next()
        assert [session.run(element) for _ in range(3)] == [0, 1, 2]
