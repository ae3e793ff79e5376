"""Checkpoints before an interruption: by SIGTERM in a process of its own, by a function that is polled,
with a grace period."""

import threading
from pathlib import Path

import pytest

import reflow as tf
from reflow.distribute import preemption
from tests.drop_in.processes import python

PROGRAM = Path(__file__).with_name("preempted_program.py")


def test_sigterm_saves_after_one_more_step_and_the_next_process_goes_on(tmp_path):
    first, second = python(PROGRAM, tmp_path, 6), python(PROGRAM, tmp_path, 6)
    assert (first.returncode, first.stdout) == (preemption.RESTART_STATUS, "begins after 0 with 0\n"), first.stderr
    assert (second.returncode, second.stdout) == (0, "begins after 4 with 4\nends with 6\n"), second.stderr


@pytest.fixture
def make(tmp_path, monkeypatch):
    """A handler whose notice is an event, and what happened: names of calls."""
    monkeypatch.setattr(preemption, "POLL_SECONDS", 0.001)

    def made(grace=0, **more):
        notice, calls, seen = threading.Event(), [], threading.Event()

        def watch():
            if notice.is_set():
                seen.set()
            return notice.is_set()

        config = preemption.TerminationConfig(watch, lambda: calls.append("exit"), grace, **more)
        checkpoint = tf.train.Checkpoint(v=tf.Variable(0))
        handler = preemption.PreemptionCheckpointHandler(None, checkpoint, str(tmp_path), config)

        def give():
            notice.set()
            assert seen.wait(60)
            while not handler._notice.given():
                pass

        return handler, give, calls, checkpoint

    return made


def test_nothing_happens_without_a_notice(make, tmp_path):
    handler, _, calls, checkpoint = make()
    with handler.watch_preemption_scope():
        assert [handler.run(lambda: checkpoint.v.assign_add(1).numpy()) for _ in range(3)] == [1, 2, 3]
    assert calls == [] and handler.total_run_calls == 3 and not list(tmp_path.iterdir())


def test_a_notice_of_the_users(make, tmp_path):
    handler, give, calls, checkpoint = make()
    give()
    for _ in range(4):
        handler.run(checkpoint.v.assign_add, 1)
    assert calls == ["exit"] and tf.train.load_checkpoint(tmp_path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE") == 1


def test_a_grace_period_saves_twice(make):
    saved = []
    handler, give, calls, checkpoint = make(grace=1000, save_fn=lambda: saved.append(int(checkpoint.v)))
    give()
    for _ in range(4):
        handler.run(checkpoint.v.assign_add, 1)
    assert saved == [1] and calls == []
    handler._deadline = 0.0  # the time is over
    for _ in range(3):
        handler.run(checkpoint.v.assign_add, 1)
    assert saved == [1, 5] and calls == ["exit"]


def test_saving_between_steps_of_the_users(make, tmp_path):
    handler, give, calls, checkpoint = make()
    give()
    for _ in range(3):
        checkpoint.v.assign_add(1)
        handler.save_checkpoint_if_preempted()
    assert calls == ["exit"] and tf.train.load_checkpoint(tmp_path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE") == 2


def test_bad_arguments(tmp_path):
    with pytest.raises(tf.errors.InvalidArgumentError, match="a checkpoint_dir must be passed as well"):
        preemption.PreemptionCheckpointHandler(None, tf.train.Checkpoint())
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({"ps": ["127.0.0.1:1"]}))
    with pytest.raises(NotImplementedError, match="ParameterServerStrategy"):
        preemption.PreemptionCheckpointHandler(resolver, tf.train.Checkpoint(), str(tmp_path))


def test_the_watcher_of_tpus_sees_nothing(caplog):
    watcher = tf.distribute.experimental.PreemptionWatcher()
    assert watcher.preemption_message is None and watcher.block_until_worker_exit() is None
    assert "does not support environment" in caplog.text
