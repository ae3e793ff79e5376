"""Clusters as eager code sees them."""

import pytest

import reflow as tf
from reflow.devices import placement
from reflow.distribute import clusters, remote
from tests.expressions import session

test_expressions = session(__file__)


@pytest.fixture
def server():
    """A server of this process, to which it is connected."""
    placement.reset()
    made = tf.distribute.Server.create_local_server()
    tf.config.experimental_connect_to_host(made.target)
    yield made
    made._server.stop(0).wait()
    placement.reset()


WORKER = "/job:worker/replica:0/task:0/device:CPU:0"


def test_what_is_connected(server):
    assert [d.name for d in tf.config.list_logical_devices("CPU")][-1] == WORKER
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="/job:worker/replica:0/task:7/device:CPU:0 unknown device"
    ):
        tf.device("/job:worker/task:7").__enter__()
    with pytest.raises(ValueError, match="at least one remote_host"):
        tf.config.experimental_connect_to_host([])
    with pytest.raises(ValueError, match="must be a `ClusterSpec` or a `ClusterResolver`"):
        tf.config.experimental_connect_to_cluster({"worker": ["a:1"]})
    with pytest.raises(ValueError, match="must be 'grpc'"):
        tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec({}), protocol="other")


def test_ops_and_gradients_run_on_a_device_of_another_process(server):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.device("/job:worker/task:0"), tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.matmul(x, x), axis=0)
        assert next(iter(tf.data.Dataset.range(1))).numpy() == 0  # objects stay here
        with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
            tf.matmul(x, tf.ones([3, 3]))
    assert y.device == WORKER and y.numpy().tolist() == [22.0, 32.0] and (x + 1.0).device != WORKER
    assert tape.gradient(y, x).numpy().tolist() == [[7.0, 11.0], [9.0, 13.0]]


def test_variables_and_functions_on_a_device_of_another_process(server):
    with tf.device("/job:worker/task:0"):
        v = tf.Variable(3.0)

    @tf.function
    def step(x):
        v.assign_add(1.0)
        return x * v

    with tf.device("/job:worker/task:0"):
        there = step(tf.constant(2.0))
    here = step(tf.constant(2.0))
    assert (v.device, there.device) == (WORKER, WORKER) and here.device != WORKER
    assert (float(there), float(here), float(v)) == (8.0, 10.0, 5.0)


def test_a_server_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(remote, "PATIENCE", 0.1)
    with pytest.raises(tf.errors.UnavailableError, match="127.0.0.1:1 does not answer"):
        tf.config.experimental_connect_to_host("127.0.0.1:1")


def test_filters_hide_servers(monkeypatch):
    filters = tf.config.experimental.ClusterDeviceFilters()
    filters.set_device_filters("chief", 0, ["/job:ps"])
    cluster = tf.train.ClusterSpec({"worker": ["a:1"], "ps": ["b:1"]})
    asked = []
    monkeypatch.setattr(clusters, "connect", lambda job, task, address: asked.append(address))
    tf.config.experimental_connect_to_cluster(cluster, "chief", 0, cluster_device_filters=filters)
    assert asked == ["b:1"]


def test_a_cluster_of_one_process_needs_no_connection():
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({}))
    assert tf.config.experimental_connect_to_cluster(resolver) is None
