"""`reflow/distribute/remote_devices.py`: what is sent to another process and what is not;
`test_clusters.py` has programs."""

import reflow as tf
from reflow.distribute.remote_devices import RemoteBackend, _shipped, function_of
from reflow.ops import registry


def test_an_op_is_written_once_for_equal_arguments():
    x, add = tf.constant([1.0]), registry.get("AddV2")
    graph = function_of(add, (x, x), {})
    assert function_of(add, (x, x), {}) is graph and _shipped(graph) is _shipped(graph)
    assert function_of(add, (tf.constant([1]),) * 2, {}) is not graph


def test_objects_are_not_sent():
    dataset = tf.function(lambda: tf.data.Dataset.range(2)._variant_tensor).get_concrete_function()
    assert _shipped(dataset.graph) is None
    local, nowhere = tf.Variable(1.0), RemoteBackend("/job:worker/replica:0/task:0/device:CPU:0", "127.0.0.1:1")
    read = tf.function(lambda: local + 1.0).get_concrete_function()
    assert nowhere.run(read.graph, [t._value for t in read.captured_inputs]) == [2.0]
