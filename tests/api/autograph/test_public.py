"""`tf.autograph`: conversion by hand."""

import pytest

import reflow as tf
from tests.api.autograph import autograph_algorithms  # noqa: F401 - it registers programs


def test_to_code_shows_the_conversion():
    def square_if_positive(x):
        if x > 0:
            x = x * x
        else:
            x = 0
        return x

    code = tf.autograph.to_code(square_if_positive)
    assert code.startswith("def tf__square_if_positive(x):") and "ag__.if_stmt(" in code
    with pytest.raises(Exception, match="python_function") as caught:
        tf.autograph.to_code(tf.function(square_if_positive))
    assert type(caught.value).__name__ == "ConversionError"


def test_version_one_takes_more_arguments():
    def double_if_positive(x):
        if x > 0:
            x = x * 2
        return x

    v1 = tf.compat.v1.autograph
    converted = v1.to_graph(double_if_positive, arg_values={"x": 1}, arg_types=None)
    assert [converted(tf.constant(n)).numpy() for n in (3, -3)] == [6, -3]
    assert v1.to_code(double_if_positive, indentation="    ") == tf.autograph.to_code(double_if_positive)
