"""`ClusterCoordinator` with workers and parameter servers in this process, over grpc on loopback."""

import contextlib

import pytest

import reflow as tf
from tests.distribute.workers import free_addresses


@contextlib.contextmanager
def cluster(partitioner=None):
    """A strategy with two workers and two parameter servers, and the servers by task."""
    addresses = free_addresses(4)
    spec = tf.train.ClusterSpec({"worker": addresses[:2], "ps": addresses[2:]})
    servers = {(job, i): tf.distribute.Server(spec, job, i) for job in ("worker", "ps") for i in range(2)}
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(spec, rpc_layer="grpc")
    try:
        yield tf.distribute.ParameterServerStrategy(resolver, partitioner), servers
    finally:
        for server in servers.values():
            server._server.stop(0).wait()


def test_closures_run_on_workers_and_share_variables():
    with cluster() as (strategy, servers):
        with strategy.scope():
            total, weights = tf.Variable(0.0), tf.Variable(tf.ones([3]))
        coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
        assert tf.distribute.coordinator.ClusterCoordinator(strategy) is coordinator
        numbers = iter(coordinator.create_per_worker_dataset(lambda: tf.data.Dataset.range(1, 4).repeat()))

        @tf.function
        def step(iterator, factor):
            total.assign_add(1.0)
            return {"x": tf.cast(next(iterator), tf.float32) * factor, "sum": tf.reduce_sum(weights)}

        results = [coordinator.schedule(step, args=(numbers, tf.constant(10.0))) for _ in range(20)]
        coordinator.join()
        fetched = coordinator.fetch(results)
        assert coordinator.done() and total.numpy() == 20.0
        assert {float(r["x"]) for r in fetched} == {10.0, 20.0, 30.0} and all(r["sum"] == 3.0 for r in fetched)

        @tf.function
        def descend():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(weights * weights)
            weights.assign_sub(0.5 * tape.gradient(loss, weights))
            return loss

        assert coordinator.schedule(descend).fetch() == 3.0 and weights.numpy().tolist() == [0.0, 0.0, 0.0]
        weights.scatter_add(tf.IndexedSlices(tf.constant([2.0]), tf.constant([1])))
        assert coordinator.schedule(lambda: weights + 1.0).get().numpy().tolist() == [1.0, 3.0, 1.0]

        # A worker goes and comes back: its closures run elsewhere, or again when it is there.
        servers["worker", 1]._server.stop(0).wait()
        for _ in range(30):
            coordinator.schedule(step, args=(numbers, tf.constant(1.0)))
        servers["worker", 1] = tf.distribute.Server(servers["worker", 1].server_def)
        coordinator.join()
        assert total.numpy() == 50.0

        # An error of a closure is raised once, and ends what waits.
        def fails():
            tf.debugging.assert_less(total, 0.0)
            return total + 1.0

        coordinator.schedule(fails)
        with pytest.raises(tf.errors.InvalidArgumentError, match="did not hold"):
            coordinator.join()
        local = tf.Variable(1.0)
        coordinator.schedule(lambda: local + 1.0)
        with pytest.raises(ValueError, match="not created in the scope"):
            coordinator.join()

        # A parameter server goes: the error names it.
        gone = servers["ps", 0]
        gone._server.stop(0).wait()
        coordinator.schedule(step, args=(numbers, tf.constant(1.0)))
        with pytest.raises(tf.errors.UnavailableError, match=gone.target.removeprefix("grpc://")):
            coordinator.join()


def test_only_one_kind_of_strategy():
    with pytest.raises(ValueError, match="ParameterServerStrategy` is supported"):
        tf.distribute.coordinator.ClusterCoordinator(tf.distribute.OneDeviceStrategy("/cpu:0"))


def test_a_function_knows_the_number_of_its_worker():
    index = tf.distribute.coordinator.experimental_get_current_worker_index
    with cluster() as (strategy, _):
        coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
        numbers = iter(coordinator.create_per_worker_dataset(lambda: tf.data.Dataset.from_tensors(index()).repeat()))

        @tf.function
        def pair(iterator):
            return index(), next(iterator)

        found = coordinator.fetch([coordinator.schedule(pair, args=(numbers,)) for _ in range(10)])
        assert {tuple(map(int, f)) for f in found} <= {(0, 0), (1, 1)}
    for use in (index, tf.function(lambda: index() + 1)):
        with pytest.raises(RuntimeError, match="Cannot retrieve the worker index"):
            use()
