"""Facts about the runtime."""

import pytest

import reflow as tf
from reflow.drop_in.python import pywrap_tfe


def test_there_are_no_pluggable_devices():
    assert pywrap_tfe.TF_ListPluggablePhysicalDevices() == []


def test_sizes_of_one_dimension():
    x, y = tf.zeros([3, 2]), tf.zeros([4])
    assert pywrap_tfe.TFE_Py_TensorShapeSlice([x, y], 0).numpy().tolist() == [3, 4]
    with pytest.raises(IndexError, match="tensor at index 1 has rank 1"):
        pywrap_tfe.TFE_Py_TensorShapeSlice((x, y), 1)
    for wrong in (([x, 2], 0), (x, 0)):
        with pytest.raises(TypeError, match="list"):
            pywrap_tfe.TFE_Py_TensorShapeSlice(*wrong)
    with pytest.raises(ValueError, match="non-negative"):
        pywrap_tfe.TFE_Py_TensorShapeSlice([x], -1)


def test_an_op_by_name_inputs_and_attributes():
    run, x = pywrap_tfe.TFE_Py_FastPathExecute, tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(None, "MatMul", None, x, x, "transpose_a", False)
    assert (
        y.numpy().tolist() == [[7.0, 10.0], [15.0, 22.0]]
        and tape.gradient(y, x).numpy().tolist() == [[7.0, 11.0], [9.0, 13.0]]
    )
    assert [t.shape.as_list() for t in run(None, "Split", None, 0, x, "num_split", 2)] == [[1, 2], [1, 2]]
    assert run(None, "NoOp", None) is None


def test_what_the_fast_path_refuses():
    from reflow.drop_in.python.eager.core import _FallbackException, _NotOkStatusException

    run, x = pywrap_tfe.TFE_Py_FastPathExecute, tf.constant([[1.0]])
    for error, arguments, words in (
        (ValueError, (None, "MatMul"), "There must be at least 3 items in the input tuple"),
        (TypeError, (None, None, None, x, x), "expected a string for op_name, got NoneType instead"),
        (ValueError, (None, "MatMul", None, x), "Expected to be at least 5, was 4"),
        (_FallbackException, (None, "MatMul", None, x, [[1.0]]), "all inputs are not already EagerTensors"),
        (
            _FallbackException, (None, "MatMul", None, x, x, "transpose_a", 1.5),
            "Expecting bool value for attr transpose_a, got float",
        ),
        (
            _NotOkStatusException, (None, "MatMul", None, x, tf.constant([[1]])),
            "InvalidArgumentError: cannot compute MatMul as input #1",
        ),
        (
            _NotOkStatusException, (None, "Nope", None, x),
            "NotFoundError: 'Nope' is neither a type of a primitive operation",
        ),
    ):
        with pytest.raises(error, match=words):
            run(*arguments)
    with pytest.raises(TypeError):
        pywrap_tfe.TFE_Py_RegisterExceptionClass(str)
    pywrap_tfe.TFE_Py_RegisterExceptionClass(_NotOkStatusException)
