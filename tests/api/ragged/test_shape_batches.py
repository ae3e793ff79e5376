"""Datasets of ragged shapes, batched and taken apart: what TensorFlow gives."""

import pytest

import reflow as tf

of = tf.experimental.DynamicRaggedShape.from_lengths


def shown(dataset):
    return [(shape.static_lengths(), shape.num_row_partitions) for shape in dataset]


@pytest.mark.parametrize(
    "lengths, batches",
    [
        ([2, (2, 1), 2], [([2, 2, (2, 1, 2, 1), 2], 2), ([1, 2, (2, 1), 2], 2)]),
        ([2, 3], [([2, 2, 3], 1), ([1, 2, 3], 1)]),
        ([], [([2], 0), ([1], 0)]),
    ],
)
def test_batches_of_shapes(lengths, batches):
    shapes = tf.data.Dataset.from_tensors(of(lengths)).repeat(3)
    assert shown(shapes.batch(2)) == batches
    partitions = of(lengths).num_row_partitions
    assert shown(shapes.batch(2, drop_remainder=True).unbatch()) == [(lengths, partitions)] * 2


def test_specs_of_batches():
    spec = of([2, (3, 1)])._type_spec
    assert repr(spec._batch(2)) == (
        "DynamicRaggedShape.Spec(row_partitions=(RowPartitionSpec(nrows=2, nvals=4, uniform_row_length=2, "
        "dtype=tf.int64), RowPartitionSpec(nrows=4, nvals=8, uniform_row_length=None, dtype=tf.int64)), "
        "static_inner_shape=TensorShape([8]), dtype=tf.int64)"
    )
    assert spec._batch(None)._to_tensor_shape() == [None, 2, None]
    assert spec._batch(2)._unbatch()._to_tensor_shape() == [2, None]
    assert of([2, 3])._type_spec._batch(4)._to_tensor_shape() == [4, 2, 3]


def test_sizes_that_are_not_known():
    shapes = tf.data.Dataset.from_tensor_slices([1, 2]).map(lambda n: tf.shape(tf.zeros([n, 3]))).map(
        lambda sizes: tf.experimental.DynamicRaggedShape._from_inner_shape(sizes)
    )
    assert [shape.inner_shape.numpy().tolist() for shape in shapes] == [[1, 3], [2, 3]]


def test_shapes_are_compared_as_tensors():
    assert bool(of([2, (2, 1)]) == of([2, (2, 1)])) and not bool(of([2, (2, 1)]) == of([2, (1, 2)]))
    assert (of([2, (2, 1)]) == of([3, (2, 1, 0)])) is False
    with pytest.raises(TypeError, match="unhashable"):
        hash(of([2]))
