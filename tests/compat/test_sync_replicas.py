"""A synchronous optimizer, whose numbers are worked out by hand: two workers in this process, and one."""

import threading

import pytest

import reflow as tf

v1 = tf.compat.v1


def _worker(number: int, target: str):
    """A worker's session, its training step, and the tensors to look at.

    Its gradients are 0.1 and 0.9, the second worker's 0.2 more.
    """
    with tf.Graph().as_default() as graph:
        with tf.device("/job:ps/task:0"):
            step, a = v1.train.get_or_create_global_step(), v1.Variable(0.0, name="a")
        with tf.device("/job:ps/task:1"):
            b, rows = v1.Variable(1.0, name="b"), v1.Variable([[3.0], [4.0]], name="rows")
        grads = [tf.constant(0.1 + number * 0.2), tf.constant(0.9 + number * 0.2)]
        sparse = tf.IndexedSlices(tf.constant([[0.1 + number * 0.2]]), tf.constant([1]), tf.constant([2, 1]))
        optimizer = v1.train.SyncReplicasOptimizer(v1.train.GradientDescentOptimizer(2.0), replicas_to_aggregate=2)
        train = optimizer.apply_gradients([*zip(grads, [a, b], strict=True), (sparse, rows)], global_step=step)
        hook = optimizer.make_session_run_hook(number == 0, num_tokens=2)
        session = v1.train.MonitoredTrainingSession(
            target, is_chief=number == 0, hooks=[hook], stop_grace_period_secs=0
        )
        return session, train, [step, a, b, graph.get_tensor_by_name("rows:0")]


# As in TensorFlow, the chief's thread waits for gradients when its session is closed, and then has nobody to report
# that to.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_two_workers_take_one_step_with_the_mean_of_their_gradients():
    workers, servers = v1.test.create_local_cluster(num_workers=2, num_ps=2)
    made = [_worker(i, worker.target) for i, worker in enumerate(workers)]
    session, _, seen = made[0]
    for _ in range(3):  # the second round's gradients are for step 0, and are dropped
        before = session.run(seen[0])
        threads = [threading.Thread(target=s.run, args=(train,)) for s, train, _ in made]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in threads) and session.run(seen[0]) in (before, before + 1)
    while session.run(seen[0]) < 2:  # the chief's thread takes the step after it has read the gradients
        pass
    step, a, b, rows = session.run(seen)
    assert step == 2 and a == pytest.approx(-0.8) and b == pytest.approx(-3.0)
    assert rows.ravel().tolist() == pytest.approx([3.0, 3.2])
    for worker_session, _, _ in reversed(made):
        worker_session.close()
    for thread in threading.enumerate():
        if thread.name.startswith("QueueRunnerThread"):
            thread.join(60)
    assert len(servers[0].variables) == 2 and len(servers[1].variables) == 2


def test_what_is_asked_too_early():
    with tf.Graph().as_default():
        optimizer = v1.train.SyncReplicasOptimizer(
            v1.train.AdamOptimizer(0.1), replicas_to_aggregate=2, total_num_replicas=1
        )
        with pytest.raises(ValueError, match="apply_gradient should be called before using the hook"):
            optimizer.make_session_run_hook(True).begin()
        with pytest.raises(ValueError, match="Should be called after apply_gradients"):
            optimizer.get_chief_queue_runner()
        x = v1.Variable(1.0)
        with pytest.raises(ValueError, match="Global step is required to check staleness"):
            optimizer.minimize(x * x)
        optimizer.minimize(x * x, global_step=v1.train.get_or_create_global_step())
        with pytest.raises(ValueError, match="Too few tokens"):
            optimizer.get_init_tokens_op(0)
        assert optimizer.get_slot_names() == ["m", "v"] and len(optimizer.variables()) == 4
