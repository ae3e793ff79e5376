"""`jit_compile=True` against TensorFlow's XLA (`tools/golden/jit_programs.py`),
and what is left out, cut or refused."""


import numpy as np
import pytest

import reflow as tf
from reflow.api.framework.explain import describe
from reflow.compile.region import Region
from tests import recorded
from tests.compile.jit_programs import PROGRAMS, observe

GOLDEN = recorded("jit_programs")


@pytest.mark.parametrize("name", PROGRAMS)
def test_does_what_tensorflow_does(name):
    """In the first call and in the second."""
    expected = GOLDEN[name]
    for got in observe(tf, PROGRAMS[name], calls=2):
        if isinstance(expected, str):
            assert got == expected
        else:
            assert [d for d, _ in got] == [d for d, _ in expected]
            for (_, a), (_, b) in zip(got, expected, strict=True):
                np.testing.assert_allclose(np.array(a), np.array(b), rtol=1e-5)


def test_all_are_recorded():
    assert set(GOLDEN) == set(PROGRAMS)


def explained(function, *args):
    function(*args)
    return describe(function.get_concrete_function(*args).graph)


def test_explain_shows_the_cut_and_what_is_left_out():
    @tf.function(jit_compile=True)
    def f(x):
        tf.debugging.assert_positive(x)
        return tf.reduce_sum(tf.boolean_mask(x, x > 0.0) * 2.0)

    text = explained(f, tf.constant([1.0, -2.0]))
    assert "Where: the size of its result depends on data" in text
    assert "left out, as TensorFlow does under jit_compile: Assert" in text
    assert text.count("compiled for 1 kinds of input") == 2


def test_every_refused_op_is_listed_wherever_it_stands():
    @tf.function(jit_compile=True)
    def f(x):
        if x > 0.0:
            tf.print(x)
        return tf.strings.to_number(tf.strings.as_string(x)) + tf.numpy_function(lambda a: a, [x], tf.float32)

    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        f(tf.constant(1.0))
    for op in ("StringFormat", "PrintV2", "AsString", "StringToNumber", "PyFunc"):
        assert op in caught.value.message


def test_asserts_of_a_function_called_by_another():
    """Inside a function with jit_compile no assert raises, also in functions it calls.

    Those keep theirs when called alone.
    """

    @tf.function
    def inner(x):
        for _ in tf.range(2):
            tf.debugging.assert_negative(x)
        tf.debugging.assert_negative(x)
        return x * 2.0

    @tf.function(jit_compile=True)
    def outer(x):
        return inner(x)

    @tf.function
    def around(x):
        return outer(x) + 1.0

    x = tf.constant(3.0)
    assert float(outer(x)) == 6.0
    assert float(around(x)) == 7.0
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="x < 0"):
            inner(x)
    assert float(outer(x)) == 6.0


def test_asserts_are_left_out_under_a_tape():
    @tf.function(jit_compile=True)
    def f(x):
        tf.debugging.assert_negative(x)
        return x * x

    x = tf.constant(3.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert float(tape.gradient(y, x)) == 6.0


def test_too_long_a_list_in_a_program_made_at_the_first_call(monkeypatch):
    """As everywhere without jit_compile: an error, also if nothing is interpreted first."""
    monkeypatch.setattr(Region, "compile_at", 1)
    f = tf.function(lambda x: tf.TensorArray(tf.float32, 2).unstack(x).stack())
    for _ in range(3):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="expected a list with 2 elements but got a list with 5"
        ):
            f(tf.ones([5]))
