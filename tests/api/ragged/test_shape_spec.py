import pytest

import reflow as tf


def test_functions_are_traced_for_the_spec_of_a_shape():
    shape = tf.experimental.DynamicRaggedShape.from_lengths([2, (3, 1), 5])
    assert tf.function(lambda s: s[0] + s[2])(shape).numpy() == 7
    spec = shape._type_spec
    assert spec == tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 3), 5])._type_spec
    assert spec._to_tensor_shape() == [2, None, 5] and spec.rank == 3
    assert spec.with_dtype(tf.int32).dtype == tf.int32


Spec = tf.experimental.DynamicRaggedShape.Spec
RowSpec = tf.experimental.RowPartition.from_row_lengths([1])._type_spec.__class__


def test_numbers_follow_from_each_other():
    spec = Spec([RowSpec(uniform_row_length=2), RowSpec(uniform_row_length=2)], [24, 2], tf.int64)
    assert [spec._num_slices_in_dimension(axis) for axis in range(4)] == [6, 12, 24, 48]
    assert [spec._dimension(axis) for axis in range(4)] == [6, 2, 2, 2]
    spec = Spec([RowSpec(nrows=3, uniform_row_length=2), RowSpec()], [None, 2], tf.int64)
    assert spec._num_slices_in_dimension(1) == 6 and spec._num_slices_in_dimension(-1) is None
    with pytest.raises(ValueError, match="Dimensions 6 and 5 are not compatible"):
        Spec([RowSpec(nrows=3, nvals=5), RowSpec(nrows=6)], [24, 2], tf.int64)


def test_specs_of_shapes_of_tensors():
    assert repr(Spec._from_tensor_shape([2, None, 3], 1, tf.int32)) == (
        "DynamicRaggedShape.Spec(row_partitions=(RowPartitionSpec(nrows=2, nvals=None, uniform_row_length=None, "
        "dtype=tf.int32),), static_inner_shape=TensorShape([None, 3]), dtype=tf.int32)"
    )
    ragged = Spec._from_spec(tf.RaggedTensorSpec([2, None, 3], ragged_rank=1))
    assert ragged.num_row_partitions == 1 and ragged._to_tensor_shape() == [2, None, 3]
    assert Spec._from_spec(tf.TensorSpec([2, None])).rank == 2 and Spec._from_spec(ragged) is ragged
    with pytest.raises(ValueError, match="num_row_partitions must be less than rank"):
        Spec._from_tensor_shape([2, 3], 2, tf.int64)
    with pytest.raises(ValueError, match="dtype must be tf.int32 or tf.int64"):
        Spec._from_tensor_shape([2, 3], 0, tf.float32)


def test_more_and_fewer_partitions():
    spec = Spec._from_tensor_shape([2, 3, 4], 0, tf.int64)
    more = spec._with_num_row_partitions(2)
    assert more.num_row_partitions == 2 and more._static_inner_shape == [24]
    assert more._with_num_row_partitions(1)._static_inner_shape == [6, 4]
    assert spec._merge_with(more)._to_tensor_shape() == [2, 3, 4]
    assert more._truncate(2)._to_tensor_shape() == [2, 3] and more._truncate(0).rank == 0
    unknown = Spec._from_tensor_shape(None, 1, tf.int64)
    assert unknown.rank is None and unknown._set_rank_if_unknown(4).rank == 4 and unknown._truncate(3).rank == 3
    for count, message in ((3, "too large"), (-1, "negative")):
        with pytest.raises(ValueError, match=message):
            spec._with_num_row_partitions(count)
    with pytest.raises(ValueError, match="Rank is 3, expected at least 4"):
        spec._set_rank_if_unknown(4)
