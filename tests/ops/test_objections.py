"""`reflow/ops/objections.py`: an error of a kernel never speaks in Python's or NumPy's words."""

import pytest

import reflow as tf
from reflow.core import errors
from reflow.ops.objections import deliberate

ODD = [
    lambda: tf.raw_ops.Bincount(arr=[1, 2], size=[2], weights=tf.zeros([0])),
    lambda: tf.raw_ops.InvertPermutation(x=3),
    lambda: tf.raw_ops.TopKV2(input=[1.0, 2.0], k=[1]),
    lambda: tf.raw_ops.ResizeArea(images=tf.ones([1, 2, 2, 1]), size=[[2, 2]]),
]


@pytest.mark.parametrize("call", ODD)
def test_inputs_that_a_kernel_did_not_expect_are_named(call):
    with pytest.raises(errors.InvalidArgumentError, match=r"cannot be computed of these inputs: .*int32\[.*\]"):
        call()


def test_attributes_are_named_too():
    with pytest.raises(errors.InvalidArgumentError, match="targets: int32.*k = 1099511627776"):
        tf.raw_ops.InTopK(predictions=[[1.0, 2.0]], targets=[0], k=2**40)


def test_errors_of_a_program_keep_their_words():
    def fails(x):
        return [1, 2, 3][int(x) + 7]

    with pytest.raises(errors.UnknownError, match="list index out of range"):
        tf.py_function(fails, [1], tf.int32)


def test_deliberate_errors():
    try:
        raise ValueError("ours")
    except ValueError as error:
        assert not deliberate(error)  # of a program
    with pytest.raises(errors.InvalidArgumentError, match="sizes input must be 1-D") as caught:
        tf.zeros([[1, 2]])
    assert deliberate(caught.value)


@pytest.mark.parametrize(
    "call, name, kind",
    [
        (lambda: tf.strings.to_hash_bucket_fast(["a"], "x"), "num_buckets", "int"),
        (lambda: tf.strings.to_hash_bucket_fast(["a"], [1, 2]), "num_buckets", "int"),
        (lambda: tf.strings.as_string([1.5], precision="x"), "precision", "int"),
    ],
)
def test_an_attribute_of_the_wrong_type_is_named(call, name, kind):
    with pytest.raises(TypeError, match=f"Expected {kind} for argument '{name}' not "):
        call()


@pytest.mark.parametrize("func", ["x", 3, []])
def test_a_python_function_must_be_callable(func):
    for public in (tf.py_function, tf.numpy_function):
        with pytest.raises(ValueError, match="Expected func to be callable"):
            public(func, [1], tf.int32)


@pytest.mark.parametrize("axis", ["x", [0], [], None, 1.5])
def test_axes_are_converted_by_tensorflows_rules(axis):
    a = tf.ones([2, 3])
    calls = [lambda: tf.sort(a, axis) if isinstance(axis, list) else tf.gather(a, [0], axis=axis or "x")]
    if axis not in (1.5, [0], []):
        calls.append(lambda: tf.squeeze(a, axis or {}))
    for call in calls:
        with pytest.raises((errors.InvalidArgumentError, TypeError, ValueError)) as caught:
            call()
        assert "int()" not in str(caught.value) and "Python scalars" not in str(caught.value)


def test_numbers_of_parts_rows_and_turns():
    a = tf.ones([2, 3])
    with pytest.raises(errors.InvalidArgumentError, match="must be at least minimum 1"):
        tf.split(a, -1)
    for rows in ([1], None, "x"):
        with pytest.raises(TypeError, match="must be positive integer values"):
            tf.eye(rows)
    with pytest.raises(ValueError, match="must have rank 0"):
        tf.image.rot90(tf.ones([2, 2, 1]), [1])
