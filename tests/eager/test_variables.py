"""Variables outside of programs and tests of their own."""

import numpy as np
import pytest

import reflow as tf


def test_no_array_of_a_variable_while_a_function_is_traced():
    v = tf.Variable([1.0, 2.0])
    for read in (lambda: v.numpy(), lambda: np.array(v), lambda: np.mean(v)):
        with pytest.raises(NotImplementedError, match="only available when eager execution is enabled"):
            tf.function(read)()
    assert np.array(v).tolist() == [1.0, 2.0]
