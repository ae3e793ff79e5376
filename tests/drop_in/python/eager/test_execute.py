"""Arguments of ops as the types that their attributes want."""

import pytest

import reflow as tf
from reflow.drop_in.python.eager import execute


def test_one_dtype_for_all():
    dtype, found = execute.args_to_matching_eager([[3, 4], tf.constant(1, tf.int64)], None, [tf.int32, tf.int64])
    assert dtype is tf.int64 and [t.dtype for t in found] == [tf.int64, tf.int64]
    assert execute.args_to_matching_eager([[3]], None, [tf.uint32], tf.uint32)[0] is tf.uint32
    assert execute.args_to_matching_eager([], None, [], tf.float32) == (tf.float32, [])


def test_attributes():
    assert (execute.make_float(1, "a"), execute.make_int(2.0, "a"), execute.make_str("x", "a")) == (1.0, 2, b"x")
    assert (
        (execute.make_bool(True, "a"), execute.make_type(tf.int32, "a"), execute.make_shape([1, None], "a"))
        == (True, 3, [1, None])
    )
    assert execute.make_tensor(3, "a").int_val == [3]
    for make, value in (
        (execute.make_float, "x"), (execute.make_int, "1"), (execute.make_bool, 1), (execute.make_str, 1)
    ):
        with pytest.raises(TypeError, match="for argument 'a' not"):
            make(value, "a")


def test_ops_by_their_names():
    three, five = tf.constant(3), tf.constant(5)
    assert execute.execute(b"Mul", 1, [three, five], ("T", tf.int32.as_datatype_enum), None)[0].numpy() == 15
    parts = execute.execute(b"Split", 2, [tf.constant(0), tf.constant([1, 2])], ("num_split", 2, "T", 3), None)
    assert [t.numpy().tolist() for t in parts] == [[1], [2]]
    for name, outputs, attrs, error in (
        ("Mul", 0, None, tf.errors.InvalidArgumentError), ("Mul", [], None, TypeError),
        ("NoSuchOp", 1, None, tf.errors.NotFoundError), ("Mul", 1, ("none", 1), tf.errors.InvalidArgumentError),
    ):  # fmt: skip
        with pytest.raises(error):
            execute.execute(name, outputs, [three, five], attrs, None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expecting a Dimension for attr shape, got object"):
        execute.execute("VarHandleOp", 1, [], ("shape", [object()], "dtype", 3), None)
