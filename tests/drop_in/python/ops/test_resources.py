"""Resources of a graph that are created before the others use them."""

import reflow as tf
from reflow.drop_in.python.ops import resources


def test_created_by_one_op():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.compat.v1.get_variable("v", [])
        resources.register_resource(v.handle, v.initializer, tf.compat.v1.is_variable_initialized(v))
        missing = resources.report_uninitialized_resources()
        assert len(session.run(missing)) == 1 and resources.local_resources() == []
        session.run(resources.initialize_resources(resources.shared_resources()))
        assert len(session.run(missing)) == 0
