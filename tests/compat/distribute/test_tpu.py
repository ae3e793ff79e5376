"""`tf.compat.v1.tpu`: computations as replicas on the host."""

import pytest

import reflow as tf
from tests.distribute.tpu.simulated import cores  # noqa: F401 - a fixture

v1 = tf.compat.v1
tpu = v1.tpu


def test_replicas_in_a_graph():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [4])
        mean = lambda part: (part - tpu.cross_replica_sum(tf.reduce_sum(part)) / 4.0, tf.reduce_max(part))
        both = tpu.shard(mean, [x], num_shards=2, outputs_from_all_shards=[True, False], output_shard_axes=[0, 0])
        assert [r.tolist() for r in session.run(both, {x: [1.0, 2.0, 3.0, 6.0]})] == [[-2.0, -1.0, 0.0, 3.0], 2.0]
        count = v1.get_variable("count", [], initializer=v1.zeros_initializer())
        added = tpu.rewrite(lambda: count.assign_add(1.0).op)
        session.run(v1.global_variables_initializer())
        assert session.run(added) is None and session.run(count) == 1.0


def test_an_optimizer_averages_over_replicas():
    w = v1.Variable(0.0, use_resource=True)
    inner = v1.train.GradientDescentOptimizer(1.0)

    def step(slope):
        optimizer = tpu.CrossShardOptimizer(inner)
        gradients = optimizer.compute_gradients(lambda: slope * w, [w])
        return [g for g, _ in gradients], optimizer.apply_gradients(gradients)

    tpu.replicate(lambda slope: step(slope)[0], [[1.0], [3.0]])
    assert float(w) == -4.0  # each of two replicas takes the step of the mean, 2
    for words, error, arguments in (
        ("Unsupported reduction: none", ValueError, (inner, "none")), ("not Keras", TypeError, (1,))
    ):
        with pytest.raises(error, match=words):
            tpu.CrossShardOptimizer(*arguments)


def test_refusals():
    with pytest.raises(ValueError, match="inside of a computation"):
        tpu.cross_replica_sum(1.0)
    with pytest.raises(TypeError, match="list of lists"):
        tpu.replicate(lambda x: x, [1.0])
    with pytest.raises(ValueError, match=r"same number of tensors for each replica. Received: \[1, 2\]"):
        tpu.replicate(lambda *x: x, [[1.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="positive integer. Received 0"):
        tpu.shard(lambda: 1, num_shards=0)
    with pytest.raises(ValueError, match="an axis for each of 1 tensors"):
        tpu.shard(lambda x: x, [[1.0]], input_shard_axes=[])
    with pytest.raises(ValueError, match="needs a TPU"):
        tpu.rewrite(lambda: 1, infeed_queue=object())


def test_a_simulated_system(cores):  # noqa: F811
    cores(8)
    topology = tf.tpu.experimental.Topology(serialized=tpu.initialize_system().numpy())
    assert topology.num_tpus_per_task == 8 and tpu.core(0) == "device:TPU_REPLICATED_CORE:0"
    tpu.shutdown_system()
