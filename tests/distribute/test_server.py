"""`tf.distribute.Server`: which task it is, and where it listens."""

import pytest

import reflow as tf
from reflow.distribute.processes import answers


def test_a_local_server_listens_on_loopback():
    server = tf.distribute.Server.create_local_server()
    address = server.target.removeprefix("grpc://")
    assert address.startswith("127.0.0.1:") and answers(address)
    assert server.server_def.job_name == "local" and server.server_def.protocol == "grpc"
    with pytest.raises(tf.errors.UnknownError, match=f"Could not start gRPC server on {address}"):
        tf.distribute.Server({"worker": [address]})
    server._server.stop(0).wait()


def test_which_task_it_is_must_be_clear():
    cluster = {"worker": ["127.0.0.1:1"], "ps": ["127.0.0.1:2"]}
    with pytest.raises(ValueError, match="explicit `job_name`"):
        tf.distribute.Server(cluster)
    with pytest.raises(ValueError, match="No task with index 4 in job 'ps'"):
        tf.distribute.Server(cluster, "ps", 4)
    with pytest.raises(ValueError, match="must be 'grpc'. Received: 'other'"):
        tf.distribute.Server(cluster, "ps", 0, protocol="other")


def test_sessions_on_a_server_of_this_process_share_its_variables():
    server = tf.distribute.Server.create_local_server()
    with tf.Graph().as_default() as graph, tf.device("/job:local/task:0"):
        x = tf.compat.v1.get_variable("x", [], initializer=tf.compat.v1.zeros_initializer())
        step = x.assign_add(2.0)
        start = tf.compat.v1.global_variables_initializer()
    with tf.compat.v1.Session(server.target, graph=graph) as session:
        session.run(start)
        session.run(step)
    with tf.compat.v1.Session(server.target, graph=graph) as session:
        assert session.run(step) == 4.0
        tf.compat.v1.Session.reset(server.target)
    with tf.compat.v1.Session(server.target, graph=graph) as session, pytest.raises(tf.errors.FailedPreconditionError):
        session.run(step)
    with pytest.raises(tf.errors.NotFoundError, match="no server of this process"):
        tf.compat.v1.Session("grpc://127.0.0.1:1")
    assert server.task("local", 0) is server and server.task("local", 1) is None and server.task("ps", 0) is None
    server._server.stop(0).wait()


def test_a_cluster_of_this_process():
    workers, servers = tf.test.create_local_cluster(2, 1)
    assert [len(workers), len(servers)] == [2, 1] and workers[1].task("ps", 0) is servers[0]
    assert all(answers(s.target.removeprefix("grpc://")) for s in (*workers, *servers))
    for server in (*workers, *servers):
        server._server.stop(0).wait()
