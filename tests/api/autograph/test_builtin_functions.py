"""Python's functions in converted code: `print`, and Python's own where no tensor is."""

import reflow as tf
from tests.api.autograph import autograph_algorithms  # noqa: F401 - it registers programs


def test_print_happens_at_trace_time(capsys):
    @tf.function
    def f(x):
        print("tracing", "once")
        return x

    f(tf.constant(1)), f(tf.constant(2))
    assert capsys.readouterr().out == "tracing once\n"


def test_print_as_a_feature(capsys):
    f = tf.autograph.to_graph(
        lambda x: print("x is", x), experimental_optional_features=tf.autograph.experimental.Feature.BUILTIN_FUNCTIONS
    )
    run = tf.function(f)
    run(tf.constant(1)), run(tf.constant(2))
    assert capsys.readouterr().out == "x is 1\nx is 2\n"


def test_not_of_a_tensor_is_a_tensor_in_eager_code_too():
    negated = tf.autograph.to_graph(lambda x: not x)
    assert tf.is_tensor(negated(tf.constant(False))) and bool(negated(tf.constant(False)))
    assert negated(False) is True
