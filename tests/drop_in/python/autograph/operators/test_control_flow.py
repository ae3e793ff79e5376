"""Statements of converted code and their checks, called by their names."""

import pytest

import reflow as tf
from reflow.api.autograph.statements import Undefined, UndefinedReturnValue
from reflow.drop_in.python.autograph.operators import control_flow


def test_a_loop_is_called_with_functions():
    total = 0

    def get_state():
        return (total,)

    def set_state(values):
        nonlocal total
        (total,) = values

    def body(i):
        nonlocal total
        total += i

    @tf.function(autograph=False)
    def f():
        control_flow.for_stmt(tf.range(4), None, body, get_state, set_state, ("total",), {})
        return total

    assert f().numpy() == 6


@pytest.mark.parametrize(
    ("value", "after", "error", "message"),
    [
        (None, None, ValueError, "'a' is not allowed to be None before the loop"),
        (Undefined("a"), None, ValueError, "'a' must be defined before the loop"),
        (
            UndefinedReturnValue(), None, NotImplementedError,
            "a return statement cannot be placed inside this TensorFlow loop",
        ),
        (UndefinedReturnValue(), (object(),), ValueError, "the return value from a TensorFlow loop may only be a"),
    ],
)
def test_variables_before_a_loop(value, after, error, message):
    with pytest.raises(error, match=message):
        control_flow.verify_loop_init_vars((value,), ("a",), first_iter_vars=after)


def test_outcomes_of_a_conditional():
    control_flow.verify_single_cond_var("a", 1, tf.constant(2))
    with pytest.raises(ValueError, match="'a' is None at the end of the main branch."):
        control_flow.verify_single_cond_var("a", None, None)
    with pytest.raises(TypeError, match="'a' has dtype int32 in the main branch, but dtype float32 in the else branch"):
        control_flow.verify_single_cond_var("a", 1, 1.0)


def test_variables_after_an_iteration():
    one, two = tf.constant([1]), tf.constant([1, 2])
    with pytest.raises(ValueError, match=r"'a' has shape \(1,\) before the loop, but shape \(2,\) after one iteration"):
        control_flow.verify_tf_loop_vars((one,), (one,), (two,), ("a",), {})
    control_flow.verify_tf_loop_vars((one,), (one,), (two,), ("a",), {}, check_shapes=False)
    control_flow.verify_tf_loop_vars((one,), (one,), (two,), ("a",), {"shape_invariants": (tf.TensorShape([None]),)})
