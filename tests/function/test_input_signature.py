"""`tf.function(input_signature=…)`: which signatures fit which parameters, how arguments are cast, and the words of the
errors.

Texts as TensorFlow 2.21 prints them.
"""

import numpy as np
import pytest

import reflow as tf

S = tf.TensorSpec([], tf.float32)
SPEC = "TensorSpec(shape=(), dtype=tf.float32, name=None)"


def two(x, y):
    return x * y


def default(x, y=2, z=None):
    return x * y


def variadic(*xs):
    return xs[-1]


def keyword(x, *, k=3):
    return x * k


def required_keyword(x, *, k):
    return x * k


def keywords(x, **kw):
    return x


@pytest.mark.parametrize(
    ("function", "specs", "text"),
    [
        (two, 0, "input_signature missing type constraint for x"),
        (two, 1, "input_signature missing type constraint for y"),
        (two, 3, "input_signature contains 1 extra type constraints."),
        (default, 4, "input_signature contains 1 extra type constraints."),
        (required_keyword, 1, "Since input_signature is defined, keyword-only parameter `k` must have a default value"),
        (keywords, 3, "input_signature contains 2 extra type constraints."),
    ],
)
def test_signatures_that_do_not_fit(function, specs, text):
    with pytest.raises(TypeError) as raised:
        tf.function(function, input_signature=[S] * specs)
    assert str(raised.value) == text


@pytest.mark.parametrize(
    ("function", "specs", "args", "kwargs", "expected"),
    [
        (two, 2, (2.0, 3), {}, 6.0),
        (two, 2, (np.array(2.0),), {"y": np.array(3)}, 6.0),
        (default, 1, (3.0,), {}, 6.0),
        (default, 1, (3.0, 2, None), {}, 6.0),
        (default, 1, (3.0,), {"y": 2.0}, 6.0),
        (default, 2, (3.0, 5.0), {}, 15.0),
        (variadic, 2, (1.0, 4.0), {}, 4.0),
        (keyword, 1, (1.0,), {}, 3.0),
        (keyword, 1, (1.0,), {"k": 3}, 3.0),
        (keywords, 1, (1.0,), {}, 1.0),
    ],
)
def test_arguments_are_cast(function, specs, args, kwargs, expected):
    f = tf.function(function, input_signature=[S] * specs)
    for _ in range(2):
        assert f(*args, **kwargs).numpy() == np.float32(expected)
    assert f.experimental_get_tracing_count() == 1


def _binding(text, args, kwargs, signature):
    return (
        f"Binding inputs to tf.function failed due to `{text}`. Received args: {args} and kwargs: {kwargs} "
        f"for signature: {signature}."
    )


DEFAULT = f"(x: {SPEC}, y: Literal[2] = <captured_default_value>, z: Literal[None] = <captured_default_value>)"
KEYWORD = f"(x: {SPEC}, *, k: Literal[3] = <captured_default_value>)"
TWO = f"(x: {SPEC}, y: {SPEC})"
VARIADIC = f"(xs_0: {SPEC}, xs_1: {SPEC}, /)"


@pytest.mark.parametrize(
    ("function", "specs", "args", "kwargs", "text", "signature"),
    [
        (default, 1, (1.0, 5), {}, "Can not cast 5 to Literal[2]", DEFAULT),
        (default, 1, (1.0, True), {}, "Can not cast True to Literal[2]", DEFAULT),
        (default, 1, (1.0, 2), {"z": 3}, "Can not cast 3 to Literal[None]", DEFAULT),
        (default, 1, (1.0, 2, None, 4), {}, "too many positional arguments", DEFAULT),
        (keyword, 1, (1.0,), {"k": 4}, "Can not cast 4 to Literal[3]", KEYWORD),
        (keywords, 1, (1.0,), {"k": 3}, "got an unexpected keyword argument 'k'", f"(x: {SPEC})"),
        (two, 2, (1.0,), {}, "missing a required argument: 'y'", TWO),
        (two, 2, ([1.0], 2.0), {}, f"Can not cast {SPEC.replace('()', '(1,)')} to {SPEC}", TWO),
        (two, 2, ("a", 2.0), {}, "Cannot convert 'a' to EagerTensor of dtype float", TWO),
        (variadic, 2, (1.0, 2.0, 3.0), {}, "too many positional arguments", VARIADIC),
    ],
)
def test_arguments_that_do_not_fit(function, specs, args, kwargs, text, signature):
    f = tf.function(function, input_signature=[S] * specs)
    with pytest.raises(TypeError) as raised:
        f(*args, **kwargs)
    assert str(raised.value) == _binding(text, args, kwargs, signature)


def test_structures():
    f = tf.function(lambda xs: xs[0] + xs[1], input_signature=[[S, S]])
    assert f([1.0, 2.0]).numpy() == 3.0
    signature = f"(xs: List[{SPEC}, {SPEC}])"
    for given in ((1.0, 2.0), 3.0):
        with pytest.raises(TypeError) as raised:
            f(given)
        assert str(raised.value) == _binding(f"Can not cast {given!r} to list type.", (given,), {}, signature)
    # TensorFlow stumbles over itself here
    with pytest.raises(TypeError, match=r"Expected \[1.0\] to have length of 2"):
        f([1.0])


def test_a_tensor_in_place_of_a_constant():
    f = tf.function(default, input_signature=[S])
    with pytest.raises(TypeError) as raised:
        f(1.0, tf.constant(2))
    wanted = (
        "Parameter `y` was expected to be of type Literal[2] but is TensorSpec(shape=(), dtype=tf.int32, name=None)"
    )
    assert str(raised.value) == wanted


def test_a_tensor_as_default():
    """It is an argument like any other: a later call may give another one, also after calls without it."""
    two = tf.constant(2.0)
    for signature in (None, [S]):
        f = tf.function(lambda x, y=two: x * y, input_signature=signature)
        x = tf.constant(5.0)
        assert [f(x).numpy(), f(x).numpy(), f(x, tf.constant(3.0)).numpy(), f(x).numpy()] == [10.0, 10.0, 15.0, 10.0]


def test_concrete_functions_have_the_defaults():
    f = tf.function(default, input_signature=[S])
    assert repr(f.get_concrete_function().structured_input_signature[0][1:]) == "(2, None)"
    assert f.get_concrete_function(S) is f.get_concrete_function(1.0) is f.get_concrete_function()
    with pytest.raises(TypeError, match=r"Can not cast 5 to Literal\[2\]"):
        f.get_concrete_function(S, 5)
    assert f.get_concrete_function()(tf.constant(4.0)).numpy() == 8.0


def test_methods():
    class Model(tf.Module):
        @tf.function(input_signature=[S])
        def scaled(self, x, by=2.0):
            return x * by

    assert Model().scaled(np.array(3.0)).numpy() == 6.0
    with pytest.raises(TypeError, match=r"Can not cast 4.0 to Literal\[2.0\]"):
        Model().scaled(3.0, by=4.0)
