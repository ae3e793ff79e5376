"""`reflow/api/ragged/structured_arrays.py`. In TensorFlow public functions take structures once `structured_array_ops`
is imported; the values here were compared with it."""

import pytest

import reflow as tf
from reflow.api.ragged import structured_arrays
from reflow.api.ragged.structured_arrays import structured_tensor_like

ROWS = [[{"x": 1}], [{"x": 2}, {"x": 3}]]


def made(value):
    return tf.experimental.StructuredTensor.from_pyval(value)


@pytest.mark.parametrize(("axis", "expected", "shape"), [
    (0, [ROWS], [1, 2, None]),
    (1, [[[{"x": 1}]], [[{"x": 2}, {"x": 3}]]], [2, 1, None]),
    (-1, [[[{"x": 1}]], [[{"x": 2}], [{"x": 3}]]], [2, None, 1]),
])  # fmt: skip
def test_expand_dims(axis, expected, shape):
    found = tf.expand_dims(made(ROWS), axis)
    assert found.to_pyval() == expected and found.shape.as_list() == shape
    assert tf.compat.v1.expand_dims(made(ROWS), dim=axis).to_pyval() == expected


def test_fields_of_several_ranks_move_together():
    structures = made([{"x": 1, "y": [1, 2]}, {"x": 2, "y": [3]}])
    assert tf.expand_dims(structures, 1).to_pyval() == [[{"x": 1, "y": [1, 2]}], [{"x": 2, "y": [3]}]]
    assert tf.gather(structures, [1, 1]).to_pyval() == [{"x": 2, "y": [3]}] * 2
    assert tf.concat([structures, structures], 0).to_pyval() == structures.to_pyval() * 2


def test_gather_and_concat():
    structures = made(ROWS)
    assert tf.gather(structures, [1, 0]).to_pyval() == ROWS[::-1]
    assert tf.gather(structures, [[0], [1]], axis=1, batch_dims=1).to_pyval() == [[{"x": 1}], [{"x": 3}]]
    assert tf.concat([structures, structures], 1).to_pyval() == [[{"x": 1}] * 2, [{"x": 2}, {"x": 3}] * 2]
    assert tf.concat(structures, 0).to_pyval() == ROWS
    assert tf.gather(indices=[1], params=structures, bad_indices_policy="").to_pyval() == ROWS[1:]


def test_shapes():
    structures = made(ROWS)
    assert tf.rank(structures).numpy() == 2 and tf.size(structures).numpy() == 3
    assert tf.size(structures, out_type=tf.int64).dtype == tf.int64
    assert tf.shape(structures).static_lengths() == [2, (1, 2)] and tf.shape(structures).dtype == tf.int32
    assert (
        tf.zeros_like(structures).to_list() == [[0.0], [0.0, 0.0]]
        and tf.ones_like(structures, dtype=tf.int32).to_list() == [[1], [1, 1]]
    )
    assert tf.zeros_like(made({"x": 1})).numpy() == 0.0


def test_shuffle():
    structures = made([{"x": i} for i in range(9)])
    shuffled = tf.random.shuffle(structures, seed=3).to_pyval()
    assert shuffled != structures.to_pyval() and sorted(e["x"] for e in shuffled) == list(range(9))


def test_structures_of_the_shape_of_a_tensor():
    assert structured_tensor_like(tf.zeros([2, 3])).to_pyval() == [[{}] * 3] * 2
    assert structured_tensor_like(tf.ragged.constant([[1], [2, 3]])).to_pyval() == [[{}], [{}, {}]]
    assert structured_tensor_like(tf.constant(1)).to_pyval() == {}


def test_structures_without_fields_have_a_shape():
    empty = tf.experimental.StructuredTensor.from_shape(tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 2)]))
    assert tf.concat([empty, empty], 1).to_pyval() == [[{}] * 2, [{}] * 4]


@pytest.mark.parametrize(("call", "message"), [
    (lambda: tf.expand_dims(made({"x": 1}), 1), "axis=1 out of bounds: expected -1<=axis<1"),
    (lambda: tf.gather(made([{"x": 1}]), [0], axis=1), "axis=1 out of bounds: expected -1<=axis<1"),
    (lambda: tf.concat([made([{"x": 1}]), tf.constant([1])], 0), "values must be a list of StructuredTensors"),
    (lambda: tf.concat([made([{"a": 1}]), made([{"b": 1}])], 0), "present in some, but not all, structured tensors"),
    (
        lambda: tf.gather(made([{"x": 1}]), [0], bad_indices_policy="IGNORE"),
        "bad_indices_policy='IGNORE' is not supported",
    ),
    (lambda: tf.random.shuffle(made({"x": 1})), "Cannot shuffle a scalar StructuredTensor"),
])  # fmt: skip
def test_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_function_of_tensors_reaches_all_fields():
    structures = made([{"x": 1, "y": {"z": 2}}, {"x": 3, "y": {"z": 4}}])
    joined = structured_arrays.extend_op([structures, structures], lambda parts: tf.concat(parts, 0))
    assert joined.to_pyval() == structures.to_pyval() * 2
    with pytest.raises(ValueError, match="Expected a list"):
        structured_arrays.extend_op(structures, lambda parts: parts[0])
    with pytest.raises(ValueError, match="List cannot be empty"):
        structured_arrays.extend_op([], lambda parts: parts[0])
    with pytest.raises(ValueError, match="values must not be an empty list"):
        structured_arrays.concat([], 0)
    with pytest.raises(ValueError, match="values must be a list of StructuredTensors .not a list."):
        structured_arrays.concat(structures, 0)
    unknown = tf.function(structured_arrays.structured_tensor_like, input_signature=[tf.TensorSpec(None)])
    with pytest.raises(ValueError, match="Can't build StructuredTensor w/ unknown rank"):
        unknown(tf.ones([2]))
