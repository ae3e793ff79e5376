"""The layers of a monitored session, one by one. The expectations are TensorFlow's."""

import pytest

import reflow as tf
from reflow.drop_in.python.training import monitored_session as m

v1 = tf.compat.v1


class Failing:
    """A session whose first runs fail with given errors."""

    def __init__(self, session, failures):
        self._session, self._failures = session, list(failures)

    graph = property(lambda self: self._session.graph)

    def run(self, *args, **kwargs):
        if self._failures:
            raise self._failures.pop(0)
        return self._session.run(*args, **kwargs)

    def close(self):
        self._session.close()


class Creator:
    def __init__(self, *failures):
        self.made, self._failures = 0, list(failures)

    def create_session(self):
        self.made += 1
        failures = self._failures.pop(0) if self._failures else []
        if isinstance(failures, Exception):
            raise failures
        return Failing(v1.Session(), failures)


@pytest.fixture
def three():
    with tf.Graph().as_default():
        yield tf.constant(3)


def aborted():
    return tf.errors.AbortedError(None, None, "the machine is lost")


def test_recovery(three):
    creator = Creator(aborted(), [aborted()], [])
    session = m._RecoverableSession(creator)
    assert (session.run(three), creator.made) == (3, 3)
    assert session.should_stop()  # what is inside has nothing that says whether to stop
    session.close()
    assert session.should_stop()
    assert (session.run(three), creator.made) == (3, 4)  # a closed one is made again


def test_a_failed_machine_in_a_step_function(three):
    session = m._RecoverableSession(_Wrapping(Creator([aborted()], [])))
    steps = []

    def step(step_context):
        steps.append(1)
        return step_context.run_with_hooks(three)

    assert session.run_step_fn(step, None, None) == 3 and len(steps) == 2


class _Wrapping:
    def __init__(self, inner):
        self._inner = inner

    def create_session(self):
        return m._WrappedSession(self._inner.create_session())


def test_a_coordinator_says_when_to_stop(three):
    coordinator = tf.train.Coordinator()
    session = m._CoordinatedSession(v1.Session(), coordinator)
    assert session.run(three) == 3 and not session.should_stop()
    coordinator.request_stop()
    assert session.should_stop()
    session.close()
    assert coordinator.joined


def test_a_coordinator_knows_the_cause(three):
    coordinator = tf.train.Coordinator()
    failing = Failing(v1.Session(), [ValueError("of the step"), ValueError("again")])
    session = m._CoordinatedSession(failing, coordinator)
    with pytest.raises(ValueError, match="of the step"):
        session.run(three)
    coordinator.request_stop(aborted())
    with pytest.raises(tf.errors.AbortedError):
        session.run(three)


class Hook(v1.train.SessionRunHook):
    def __init__(self, args=None, stop=False):
        self._args, self._stop, self.results = args, stop, []

    def before_run(self, run_context):
        return self._args

    def after_run(self, run_context, run_values):
        self.results.append(run_values.results)
        if self._stop:
            run_context.request_stop()


def test_hooks_fetch_feed_and_stop(three):
    hook = Hook(v1.train.SessionRunArgs(three, feed_dict={three: 5}), stop=True)
    session = m._HookedSession(v1.Session(), [hook])
    assert session.run(three) == 5 and hook.results == [5] and session.should_stop()
    with pytest.raises(RuntimeError, match="Run called even after should_stop requested"):
        session.run(three)


def test_one_tensor_fed_twice(three):
    args = v1.train.SessionRunArgs(None, feed_dict={three: 5})
    with pytest.raises(RuntimeError, match="Same tensor is fed by two hooks"):
        m._HookedSession(v1.Session(), [Hook(args), Hook(args)]).run(three)
    with pytest.raises(RuntimeError, match="Same tensor is fed by a SessionRunHook and user"):
        m._HookedSession(v1.Session(), [Hook(args)]).run(three, feed_dict={three: 1})


def test_options_of_a_hook_are_merged(three):
    wanted = v1.RunOptions(timeout_in_ms=60_000, report_tensor_allocations_upon_oom=True)
    given = v1.RunOptions(timeout_in_ms=30_000)
    session = m._HookedSession(v1.Session(), [Hook(v1.train.SessionRunArgs(three, options=wanted))])
    session.run(three, options=given)
    assert given.timeout_in_ms == 60_000 and given.report_tensor_allocations_upon_oom


def test_a_monitored_session_is_these_layers(three):
    with v1.train.MonitoredSession() as session:
        assert isinstance(session._sess, m._RecoverableSession) and not session._is_closed()
        assert session.run(three) == 3
        with pytest.raises(StopIteration, match="has requested the iterations to stop"):
            session.run_step_fn(lambda step_context: step_context.request_stop())
    assert session._is_closed() and session.graph is None and session.should_stop()
    with pytest.raises(RuntimeError, match="Session is already closed"):
        session.close()
