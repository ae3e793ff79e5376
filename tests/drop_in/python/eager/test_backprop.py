"""Gradients as functions of functions."""

import pytest

import reflow as tf
from reflow.drop_in.python.eager import backprop


def test_of_arguments():
    f = lambda x, y: x * x * y
    assert [g.numpy() for g in backprop.gradients_function(f)(3.0, 2.0)] == [12.0, 9.0]
    assert [g.numpy() for g in backprop.gradients_function(f, [1])(3.0, 2.0, dy=tf.constant(10.0))] == [90.0]
    value, vjp = backprop.make_vjp(f)(3.0, 2.0)
    assert value.numpy() == 18.0 and vjp(tf.constant(2.0))[0].numpy() == 24.0
    with pytest.raises(ValueError, match="returns None"):
        backprop.val_and_grad_function(lambda x: None)(1.0)


def test_of_variables():
    v = tf.Variable(3.0)
    value, [(gradient, variable)] = backprop.implicit_val_and_grad(lambda x: v * x)(2.0)
    assert (value.numpy(), gradient.numpy()) == (6.0, 2.0) and variable is v
    with pytest.raises(ValueError, match="No trainable variables"):
        backprop.implicit_grad(lambda x: x)(tf.constant(1.0))


def test_attributes_by_their_kind():
    from reflow.drop_in.python import pywrap_tfe

    assert backprop.op_attr_type("MatMul", "T") == pywrap_tfe.TF_ATTR_TYPE
    assert backprop.op_attr_type("IdentityN", "T") == [pywrap_tfe.TF_ATTR_TYPE]
    assert backprop.make_attr([pywrap_tfe.TF_ATTR_TYPE], [1, 2]) == [tf.float32, tf.float64]
    assert [d.size for d in backprop.make_attr(pywrap_tfe.TF_ATTR_SHAPE, [1, None]).dim] == [1, -1]
    assert (
        backprop.make_attr(pywrap_tfe.TF_ATTR_SHAPE, None).unknown_rank
        and backprop.make_attr(pywrap_tfe.TF_ATTR_STRING, "a") == b"a"
    )


def test_arguments_by_name_and_by_position():
    f = lambda x, y: x * y
    assert [g.numpy() for g in backprop.gradients_function(f, ["y"])(2.0, 3.0)] == [2.0]
    one = tf.constant(1.0)
    assert [g.numpy() for g in backprop.gradients_function(f)(one, one)] == [1.0, 1.0]  # two arguments, one tensor
    with pytest.raises(ValueError, match="params must be all strings or all integers; got"):
        backprop.gradients_function(f, [0, "y"])(2.0, 3.0)
    with pytest.raises(ValueError, match="Functions to be differentiated cannot receive keyword arguments"):
        backprop.gradients_function(f)(2.0, y=3.0)


def test_rows_stay_rows():
    gradient = backprop.gradients_function(lambda e: tf.gather(e, [0, 0]))(tf.constant([[1.0], [2.0]]))[0]
    assert gradient.indices.numpy().tolist() == [0, 0] and backprop._num_elements(gradient) == 2
    with pytest.raises(ValueError, match="not a Tensor or IndexedSlices"):
        backprop._num_elements(3)
