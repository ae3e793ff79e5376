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
