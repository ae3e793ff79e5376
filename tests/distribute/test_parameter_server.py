"""`ParameterServerStrategy`: where variables are, and in how many pieces."""

import pytest

import reflow as tf
from tests.distribute.test_cluster_coordinator import cluster


def test_variables_are_on_servers_in_turn_and_in_pieces():
    with cluster(tf.distribute.experimental.partitioners.MinSizePartitioner(16, 2)) as (strategy, servers):
        with strategy.scope():
            small, other = tf.Variable(1.0), tf.Variable([2.0])
            large = tf.Variable(tf.reshape(tf.range(10.0), [5, 2]))
        assert [v._handle._value.address for v in (small, other)] == [servers["ps", i].target[7:] for i in range(2)]
        assert strategy.extended.variable_created_in_scope(small)
        assert [v.shape.as_list() for v in large.variables] == [[3, 2], [2, 2]] and large.shape.as_list() == [5, 2]
        large.assign_add(tf.ones([5, 2]))
        assert large.numpy().ravel().tolist() == list(range(1, 11)) and float(tf.reduce_sum(large)) == 55.0
        assert small.assign_add(4.0).numpy() == 5.0 and tf.function(lambda: small * 2.0)().numpy() == 10.0


def test_what_a_cluster_must_have():
    spec = tf.train.ClusterSpec({"worker": ["127.0.0.1:1"]})
    with pytest.raises(ValueError, match="must be a ClusterResolver"):
        tf.distribute.ParameterServerStrategy(spec)


@pytest.mark.parametrize("jobs, task, message", [
    ("worker", None, "at least one ps"), ("ps", None, "at least one worker"),
    ("ps worker other", None, "Disallowed task type found in"),
    ("ps worker", "foobar", "Unrecognized task_type: foobar"),
    ("ps worker chief chief", "chief", "at most one 'chief' job"),
])  # fmt: skip
def test_which_clusters_are_refused(jobs, task, message):
    names = jobs.split()
    spec = tf.train.ClusterSpec(
        {job: [f"127.0.0.1:{i + 1}" for i, other in enumerate(names) if other == job] for job in names}
    )
    with pytest.raises(ValueError, match=message):
        tf.distribute.ParameterServerStrategy(
            tf.distribute.cluster_resolver.SimpleClusterResolver(spec, task_type=task)
        )
