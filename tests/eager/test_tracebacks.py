"""What tracebacks show: the program's lines, and the place that raised the error."""

import traceback

import pytest

import reflow as tf
from reflow.eager import tracebacks


@pytest.fixture
def unfiltered():
    tf.debugging.disable_traceback_filtering()
    yield
    tf.debugging.enable_traceback_filtering()


@tf.function
def outer(x):
    return inner(x) + 1.0


@tf.function
def inner(x):
    return tf.matmul(x, x)


@tf.function
def fails_in_a_kernel(x):
    tf.debugging.assert_positive(x)
    return x


def names(function, *args) -> list[str]:
    """The names of the functions in the traceback of the error, from the outside in."""
    with pytest.raises(Exception) as raised:
        function(*args)
    return [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)][1:]


def test_a_function_that_cannot_be_traced_shows_the_programs_lines():
    assert names(outer, tf.ones([2, 3]))[:-1] == ["outer", "inner"]


def test_a_function_that_fails_shows_where_it_was_called():
    def caller():
        return fails_in_a_kernel(tf.constant(-1.0))

    found = names(caller)
    assert found[0] == "caller" and len(found) == 2
    assert names(caller) == found  # the second call takes another way


def test_all_frames(unfiltered):
    assert {"outer", "inner", "_call_slow", "dispatch"} <= set(names(outer, tf.ones([2, 3])))


def broken():
    return tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))


def test_the_error_of_a_kernel_is_not_shown():
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        broken()
    shown = "".join(traceback.format_exception(raised.value))
    assert raised.value.__cause__ is None and "gufunc" not in shown and shown.count("Traceback") == 1


def test_the_error_of_a_kernel_is_shown_to_those_who_ask(unfiltered):
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        broken()
    assert "gufunc" in str(raised.value.__cause__)


def test_an_error_of_the_users_own_code_stays():
    try:
        raise ValueError("mine")
    except ValueError as error:
        assert tracebacks.cause(error) is error


def test_functions_that_keras_may_call_hide_their_frames_too():
    tf.keras.Input([3])  # lets functions take Keras' symbolic tensors
    assert len(names(broken)) == 2
