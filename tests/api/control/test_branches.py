"""`reflow/api/control/branches.py`: what TensorFlow prints for the expressions of `branches.txt`."""

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_an_operation_in_one_branch_and_what_chose_in_the_other():
    """As in Keras 2's loss scale: a branch that gives an operation gives the predicate,
    which another `cond` may have given before."""
    v = tf.Variable(0.0)

    @tf.function
    def update(x):
        def counted():
            return tf.cond(x > 2.0, lambda: v.assign_add(1.0).op, lambda: tf.group(v.assign(5.0)))

        return tf.cond(x > 1.0, counted, lambda: tf.group(v.assign(-1.0)))

    found = [(bool(update(tf.constant(x))), float(v)) for x in (3.0, 1.5, 0.5)]
    assert found == [(True, 1.0), (False, 5.0), (False, -1.0)]
