"""`tf.distribute.Server`: which task it is, and where it listens."""

import concurrent.futures
import threading
import time

import numpy as np
import pytest

import reflow as tf
from reflow.distribute import server as server_module
from reflow.distribute.processes import answers
from reflow.distribute.server import task_of


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
    assert (
        task_of(server, "local", 0) is server and task_of(server, "local", 1) is None
        and task_of(server, "ps", 0) is None
    )
    server._server.stop(0).wait()


def test_a_cluster_of_this_process():
    workers, servers = tf.test.create_local_cluster(2, 1)
    assert [len(workers), len(servers)] == [2, 1] and task_of(workers[1], "ps", 0) is servers[0]
    assert all(answers(s.target.removeprefix("grpc://")) for s in (*workers, *servers))
    for server in (*workers, *servers):
        server._server.stop(0).wait()


@pytest.fixture
def elsewhere(monkeypatch):
    """Two servers that this process does not know as its own: a worker and a parameter server."""
    monkeypatch.setattr(server_module, "_running", {})
    workers, servers = tf.test.create_local_cluster(1, 1)
    monkeypatch.setattr(server_module, "_running", {})
    yield workers[0], servers[0]
    for one in (*workers, *servers):
        one._server.stop(0).wait()


def test_sessions_whose_variables_are_in_other_processes(elsewhere):
    """As between-graph replication has it: each worker has its graph and its session,
    and variables are on parameter servers."""
    worker, ps = elsewhere
    v1 = tf.compat.v1
    with (
        tf.Graph().as_default() as graph,
        tf.device(v1.train.replica_device_setter(ps_tasks=1, worker_device="/job:worker/task:0")),
    ):
        w = v1.get_variable("w", [2], initializer=v1.zeros_initializer())
        step = v1.train.get_or_create_global_step()
        train = v1.train.AdagradOptimizer(0.1).minimize(tf.reduce_sum((w - [1.0, 2.0]) ** 2), global_step=step)
        start, missing = v1.global_variables_initializer(), v1.report_uninitialized_variables()
    with v1.Session(worker.target, graph=graph) as session:
        assert len(session.run(missing)) == 3
        session.run(start)
        session.run(train)
    # variables outlive a session, and sessions with other targets have the same
    with v1.Session(ps.target, graph=graph) as other:
        assert other.run(missing).size == 0
        for _ in range(3):
            other.run(train)
        assert other.run(step) == 4 and sorted(name for _, name in ps.variables) == ["global_step", "w", "w/Adagrad"]
        expected = other.run(w)
    np.testing.assert_allclose(ps.variables["ps", "w"].read(), expected)
    v1.Session.reset(ps.target)
    with (
        v1.Session(worker.target, graph=graph) as session,
        pytest.raises(tf.errors.FailedPreconditionError, match="variable w"),
    ):
        session.run(w)


def test_variables_without_a_device_are_the_targets(elsewhere):
    worker, _ = elsewhere
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        count = v1.get_variable("count", [], initializer=v1.ones_initializer())
        more, start = count.assign_add(2.0), v1.global_variables_initializer()
    with v1.Session(worker.target, graph=graph) as session:
        session.run(start)
        assert session.run(more) == 3.0 and worker.variables["worker", "count"].read() == 3.0
        names = [d.name for d in session.list_devices()]
        assert sorted(names) == [f"/job:{job}/replica:0/task:0/device:CPU:0" for job in ("ps", "worker")]


def soon(condition):
    """Wait until another thread has done something."""
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen within a minute")


def test_queues_and_tables_of_another_process(elsewhere):
    """They outlive a session, sessions share them by name, and what waits there is given up with the session's run."""
    worker, ps = elsewhere
    v1 = tf.compat.v1

    def program(device):
        with tf.Graph().as_default() as graph, tf.device(device):
            queue = tf.queue.PaddingFIFOQueue(3, [tf.float32, tf.string], [[None], []], shared_name="line")
            table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
            number, text = queue.dequeue_many(2)
            ends = [queue.close(), table.insert(["a"], [5])]
            return (
                graph, queue.enqueue(([1.0, 2.0], "x")), queue.size(), (number + 1.0, text), ends,
                table.lookup(tf.constant(["a", "b"])),
            )

    graph, put, size, taken, ends, found = program("/job:ps/task:0")
    with v1.Session(worker.target, graph=graph) as session:
        session.run([put, ends[1]])
    with v1.Session(worker.target, graph=graph) as session:
        assert session.run(found).tolist() == [5, -1]
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(taken, options=v1.RunOptions(timeout_in_ms=50))
        line = ps._answering.objects["sessions\nps\nline"]
        soon(lambda: not line._dequeues)
        with concurrent.futures.ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(session.run, taken)
            soon(lambda: line._dequeues)
            session.close()
            with pytest.raises(tf.errors.CancelledError):
                waiting.result(60)
        soon(lambda: not line._dequeues)
    graph, put, size, taken, ends, found = program(None)
    with v1.Session(ps.target, graph=graph) as session:
        session.run(put)
        assert session.run(size) == 2  # nobody took the one for which two were wanted
        numbers, texts = session.run(taken)
        assert numbers.tolist() == [[2.0, 3.0]] * 2 and texts.tolist() == [b"x"] * 2
        session.run(ends[0])
        with pytest.raises(
            tf.errors.OutOfRangeError, match="PaddingFIFOQueue 'line' is closed and has insufficient elements"
        ):
            session.run(taken)
    v1.Session.reset(ps.target)
    with v1.Session(ps.target, graph=graph) as session:
        assert session.run(size) == 0


def test_gradients_are_averaged_in_another_process(elsewhere):
    """`SyncReplicasOptimizer`: accumulators and tokens are on the parameter server. A worker gives both gradients of
    each step, so that the order in which two would come does not matter."""
    worker, ps = elsewhere
    v1 = tf.compat.v1
    with (
        tf.Graph().as_default(),
        tf.device(v1.train.replica_device_setter(ps_tasks=1, worker_device="/job:worker/task:0")),
    ):
        step = v1.train.get_or_create_global_step()
        w = v1.get_variable("w", [2], initializer=v1.zeros_initializer())
        table = v1.get_variable("table", [3, 2], initializer=v1.ones_initializer())
        loss = tf.reduce_sum((w - [1.0, 2.0]) ** 2) + tf.reduce_sum(tf.nn.embedding_lookup(table, [1]) ** 2)
        optimizer = v1.train.SyncReplicasOptimizer(
            v1.train.MomentumOptimizer(0.1, 0.5), replicas_to_aggregate=2, total_num_replicas=1
        )
        train = optimizer.minimize(loss, global_step=step)
        begin = [
            v1.global_variables_initializer(), v1.local_variables_initializer(), optimizer.chief_init_op,
            optimizer.get_init_tokens_op(1),
        ]
        (take_step,) = optimizer.get_chief_queue_runner().enqueue_ops
        with v1.Session(worker.target) as session:
            for op in begin:
                session.run(op)
            for _ in range(5):
                session.run(train)
                second = threading.Thread(target=session.run, args=(train,))  # waits for the token of the next step
                second.start()
                session.run(take_step)
                second.join(60)
    expected, speed, wanted = np.array([0.0, 0.0, 1.0]), np.zeros(3), np.array([1.0, 2.0, 0.0])
    for _ in range(5):
        speed = 0.5 * speed + 2.0 * (expected - wanted)
        expected = expected - 0.1 * speed
    assert ps.variables["ps", "global_step"].read() == 5
    np.testing.assert_allclose(ps.variables["ps", "w"].read(), expected[:2], rtol=1e-5)
    np.testing.assert_allclose(ps.variables["ps", "table"].read(), [[1.0] * 2, [expected[2]] * 2, [1.0] * 2], rtol=1e-5)
