"""`tf.compat.v1.distribute.experimental.ParameterServerStrategy`: a worker whose variables are on servers."""

import pytest

import reflow as tf

v1 = tf.compat.v1
make = v1.distribute.experimental.ParameterServerStrategy
Resolver = tf.distribute.cluster_resolver.SimpleClusterResolver


def test_a_worker_of_a_cluster():
    workers, servers = tf.test.create_local_cluster(1, 2)
    spec = tf.train.ClusterSpec(workers[0].server_def.cluster)
    strategy = make(Resolver(spec, task_type="worker", task_id=0))
    with tf.Graph().as_default() as graph, strategy.scope():
        n = v1.get_variable("n", initializer=10.0)

        def model():
            one = tf.constant(1.0)
            with tf.device("/job:worker/task:0/cpu:0"):  # not for variables
                x = v1.get_variable("x", initializer=20.0, aggregation=tf.VariableAggregation.SUM)
            with strategy.extended.colocate_vars_with(x):
                y = v1.get_variable("y", initializer=5.0, aggregation=tf.VariableAggregation.SUM)
            return one.device, [v.device for v in (n, x, y)], x.assign_add(one + n), y

        device, places, added, y = strategy.extended.call_for_each_replica(model)
        start = v1.global_variables_initializer()
    assert (
        device == "/job:worker/replica:0/task:0/device:CPU:0"
        and places == ["/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:1"]
    )
    with v1.Session(workers[0].target, graph=graph, config=strategy.update_config_proto(v1.ConfigProto())) as session:
        session.run(start)
        assert session.run(added) == 31.0 and session.run(y) == 5.0
    assert {name for _, name in servers[1].variables} == {"x", "y"}
    extended = strategy.extended
    assert extended.should_checkpoint and extended.experimental_between_graph
    assert extended.parameter_devices == ("/job:ps/task:0", "/job:ps/task:1")
    for one in (*workers, *servers):
        one._server.stop(0).wait()


def test_what_a_session_is_to_see_and_refusals():
    spec = tf.train.ClusterSpec({"chief": ["127.0.0.1:3"], "worker": ["127.0.0.1:1"], "ps": ["127.0.0.1:2"]})
    strategy = make(Resolver(spec, task_type="worker", task_id=0))
    assert not strategy.extended.should_checkpoint
    assert list(strategy.update_config_proto(v1.ConfigProto()).device_filters) == ["/job:worker/task:0", "/job:ps"]
    with pytest.raises(ValueError, match="task_type"):
        make(Resolver(spec))
    with pytest.raises(ValueError, match="`ps` jobs"):
        make(Resolver(tf.train.ClusterSpec({"worker": ["127.0.0.1:1"]}), task_type="worker", task_id=0))
