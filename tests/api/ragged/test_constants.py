"""`reflow/api/ragged/constants.py`: what TensorFlow prints for the expressions of `constants.txt`."""

from tests.expressions import session

test_expressions = session(__file__)


def test_ragged_values_go_where_ragged_tensors_go():
    import reflow as tf

    value = tf.compat.v1.ragged.constant_value([[1, 2], [3]])
    assert tf.reduce_sum(value, axis=1).numpy().tolist() == [3, 3]
    assert tf.add(value, 1).to_list() == [[2, 3], [4]] and tf.nn.relu(value).to_list() == [[1, 2], [3]]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        rows = tf.compat.v1.ragged.placeholder(tf.int64, 1)
        assert session.run(rows + 1, {rows: value}).to_list() == [[2, 3], [4]]


def test_scalars_may_be_arrays():
    import numpy as np

    import reflow as tf

    assert tf.ragged.constant([[[np.array(1), np.array(2)]], [[np.int32(3)]]]).to_list() == [[[1, 2]], [[3]]]
    assert tf.ragged.constant([[np.float32(1), np.array(2.0)], []]).to_list() == [[1.0, 2.0], []]
