"""Small namespaces: versions, `tf.compat`."""


import numpy as np

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_versions_and_compat():
    assert tf.compat.as_text(b"a") == "a" and tf.compat.as_bytes("a") == b"a"
    assert tf.compat.v1.Dimension(3) == 3 and tf.compat.dimension_value(tf.compat.v1.Dimension(None)) is None
    graph = tf.compat.v1.get_default_graph()
    tf.compat.v1.reset_default_graph()
    assert tf.compat.v1.get_default_graph() is not graph
    assert np.issubdtype(np.int32, np.integer) and isinstance(3, tf.compat.integral_types)
