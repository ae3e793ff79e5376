"""Which functions are converted, and that a conversion is kept."""

import pytest

import reflow as tf
from tests.api.autograph import autograph_algorithms  # noqa: F401 - it registers programs


def test_conversion_in_dataset_functions():
    def f(x):
        if x % 2 == 0:
            return x
        return -x

    assert [int(x) for x in tf.data.Dataset.range(4).map(f)] == [0, -1, 2, -3]


def test_conversion_in_map_fn():
    def f(x):
        if x > 0:
            return x
        return x * x

    @tf.function
    def run(v):
        return tf.map_fn(f, v)

    assert run(tf.constant([1, -2, 3])).numpy().tolist() == [1, 4, 3]


def test_do_not_convert():
    @tf.autograph.experimental.do_not_convert
    def f(x):
        return 1 if x > 0 else 2

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(f)(tf.constant(1))
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(lambda x: f(x) + 1)(tf.constant(1))
    assert tf.function(f)(1).numpy() == 1


def test_function_inside_do_not_convert_is_converted():
    inner = tf.function(lambda x: 1 if x > 0 else 2)
    outer = tf.autograph.experimental.do_not_convert(lambda x: inner(x) + 1)
    assert int(tf.function(outer)(tf.constant(-1))) == 3


def test_conversion_is_kept():
    from reflow.api.autograph import conversion

    def f(x):
        if x > 0:
            return x
        return -x

    tf.function(f)(tf.constant(1))
    options = conversion.options(user_requested=True)
    context = conversion.converter.ProgramContext(options)
    made = conversion._TRANSPILER.transform_function(f, context)
    tf.function(f)(tf.constant(1.0))
    assert conversion._TRANSPILER.transform_function(f, context) is made


def test_strict_conversion_raises_instead_of_running_the_original(monkeypatch):
    def with_else(n):
        for i in range(n):
            if i > 3:
                break
        else:
            n = -1
        return n

    def numbers():
        yield 1

    with monkeypatch.context() as strict:
        strict.setenv("AUTOGRAPH_STRICT_CONVERSION", "1")
        with pytest.raises(NotImplementedError, match="for/else"):
            tf.function(with_else)(2)
        with pytest.raises(NotImplementedError, match="generators"):
            tf.function(numbers)()
    assert int(tf.function(with_else)(2)) == -1
