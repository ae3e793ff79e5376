"""Lists in converted code, with `Feature.LISTS`."""

import reflow as tf
from tests.api.autograph import autograph_algorithms  # noqa: F401 - it registers programs


def test_lists_as_a_feature():
    def squares(n):
        l = []
        for i in tf.range(n):
            l.append(i * i)
        return tf.raw_ops.TensorListStack(input_handle=l, element_shape=-1, element_dtype=tf.int32)

    converted = tf.autograph.to_graph(squares, experimental_optional_features=tf.autograph.experimental.Feature.LISTS)
    assert tf.function(converted)(tf.constant(4)).numpy().tolist() == [0, 1, 4, 9]
