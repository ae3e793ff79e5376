"""TPU systems: resolvers, initialization, TensorFlow's errors where there is none."""

import pytest

import reflow as tf
from reflow.distribute.tpu.system import simulated_topology
from tests.distribute.tpu.simulated import cores as cores

Resolver = tf.distribute.cluster_resolver.TPUClusterResolver


def test_without_a_tpu():
    with pytest.raises(ValueError, match="Please provide a TPU Name to connect to"):
        Resolver()
    local = Resolver("local")
    assert (local.master(), local.cluster_spec().as_dict(), local.num_accelerators()) == ("", {}, {"TPU": 0})
    assert (local.task_type, local.task_id, local.environment) == ("worker", 0, "")
    with pytest.raises(tf.errors.NotFoundError, match="TPUs not found in the cluster"):
        tf.tpu.experimental.initialize_tpu_system(local)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.tpu.experimental.shutdown_tpu_system(local)
    assert tf.config.list_logical_devices("TPU") == []


def test_an_address_is_a_cluster():
    resolver = Resolver("grpc://127.0.0.1:8470", coordinator_name="chief", coordinator_address="127.0.0.1:1")
    assert resolver.cluster_spec().as_dict() == {"worker": ["127.0.0.1:8470"], "chief": ["127.0.0.1:1"]}
    assert resolver.master() == "grpc://127.0.0.1:8470"
    with pytest.raises(tf.errors.UnavailableError, match="my-tpu"):
        Resolver("my-tpu")


def test_other_resolvers_are_refused():
    other = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({}))
    for function in (tf.tpu.experimental.initialize_tpu_system, tf.tpu.experimental.shutdown_tpu_system):
        with pytest.raises(TypeError, match="TPUClusterResolver"):
            function(other)


@pytest.mark.parametrize("count, shape", [(1, [1, 1, 1, 1]), (3, [3, 1, 1, 1]), (8, [2, 2, 1, 2]), (16, [4, 2, 1, 2])])
def test_topologies_have_every_core_once(count, shape):
    topology = simulated_topology(count)
    places = topology.device_coordinates.reshape(-1, 4).tolist()
    assert topology.mesh_shape.tolist() == shape and len({tuple(p) for p in places}) == count
    assert topology.missing_devices.size == 0


def test_a_simulated_system(cores):
    cores(4)
    resolver = Resolver.connect()
    assert resolver.get_tpu_system_metadata().num_cores == 4
    assert [d.name for d in tf.config.list_logical_devices("TPU")] == [f"/device:TPU:{i}" for i in range(4)]
    with tf.device("/TPU:2"):
        assert tf.constant([1.0]).device.endswith("TPU:2") and (tf.ones([2]) + 1.0).device.endswith("TPU:2")
    assert tf.tpu.experimental.shutdown_tpu_system(resolver) is None


def test_the_number_of_cores_must_be_one(cores):
    with pytest.raises(ValueError, match="REFLOW_SIMULATED_TPUS.*many"):
        cores("many")
