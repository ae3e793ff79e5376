"""Calls that the rewriter reads from the source."""

import reflow as tf
from reflow.drop_in.python.autograph.lang import directives


def test_an_element_type_is_read_from_the_source():
    def f(n):
        numbers = []
        directives.set_element_type(numbers, tf.int32)
        for i in tf.range(n):
            numbers.append(i)
        return numbers.pop()

    options = tf.autograph.experimental.Feature.LISTS
    assert tf.function(f, experimental_autograph_options=options)(tf.constant(3)).numpy() == 2
    assert directives.set_element_type(1, tf.int32) is None
