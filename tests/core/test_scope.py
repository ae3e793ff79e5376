"""`with` blocks leave the state as it was, also if a signal strikes while they are entered or left."""

import contextlib
import gc
import os
import threading

import numpy as np
import pytest

import reflow as tf
from reflow import loading
from reflow.core.context import state, swapped
from reflow.core.scope import Scope, Swapped
from tests.interrupts import assert_clean, at_every_point, storm

# a signal may land in a finalizer
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
FOLDER = os.path.dirname(tf.__file__) + os.sep
loading.everything()  # an interrupted import leaves half a module behind, which is Python's affair


# --- programs ---------------------------------------------------------------------------------------------------------

X = tf.constant(2.0)
V = tf.Variable(3.0)
square = tf.function(lambda x: x * x * V)
one_device = tf.distribute.OneDeviceStrategy("/CPU:0")


def taped():
    with tf.GradientTape() as tape:
        y = V * V
        with tape.stop_recording():
            y + 1.0
    return tape.gradient(y, V)


def nested_tapes():
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = V * V
        first = inner.gradient(y, V)
    return outer.gradient(first, V)


def forward():
    with tf.autodiff.ForwardAccumulator(X, tf.constant(1.0)) as acc:
        y = X * X
    return acc.jvp(y)


def called_under_a_tape():
    with tf.GradientTape() as tape:
        y = square(X)
    return tape.gradient(y, V)


def traced():
    @tf.function
    def f(x):
        with tf.name_scope("inner"):
            y = x * 2.0
        if tf.reduce_sum(y) > 0.0:
            y = y + V
        return y

    return f.get_concrete_function(tf.TensorSpec([3]))


def in_a_graph():
    with (
        tf.Graph().as_default() as graph, graph.control_dependencies([tf.constant(1.0)]), tf.name_scope("a"),
        tf.device("/CPU:0"),
    ):
        tf.identity(2.0, name="b")


def eager_scopes():
    with tf.name_scope("a"), tf.device("/CPU:0"), tf.device("/GPU:3"), tf.init_scope(), tf.name_scope("b"):
        tf.Variable(1.0)


def in_a_strategy():
    with one_device.scope():
        tf.Variable(1.0)
    return one_device.run(lambda: X + 1.0)


def in_a_session():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        session.run(tf.constant(1.0) + 1.0)


def creators():
    with tf.variable_creator_scope(lambda make, **kwargs: make(**kwargs)):
        tf.Variable(1.0)


@pytest.mark.parametrize(
    "program",
    [
        taped, nested_tapes, forward, called_under_a_tape, traced, in_a_graph, eager_scopes, in_a_strategy,
        in_a_session, creators,
    ],
    ids=lambda f: f.__name__,
)
def test_an_interrupt_at_any_point_leaves_the_state_as_it_was(program):
    assert at_every_point(program, FOLDER) > 30
    assert tf.compat.v1.get_default_session() is None


@pytest.mark.parametrize("program", [taped, called_under_a_tape, traced], ids=lambda f: f.__name__)
def test_real_signals(program, jax_in_32_bits_again):
    """No tape is left behind by 300 signals, so that eager ops are not recorded for ever."""
    for _ in range(3):
        program()
    assert storm(program, lambda: None, count=300, longest=2e-3) > 10


def test_an_interrupted_fit_leaves_the_state_as_it_was():
    model = tf.keras.Sequential([tf.keras.layers.Input([3]), tf.keras.layers.Dense(2)])
    model.compile("sgd", "mse")
    x, y = np.ones((4, 3), np.float32), np.ones((4, 2), np.float32)

    def fit():
        model.fit(x, y, batch_size=2, verbose=0)

    fit()
    assert at_every_point(fit, FOLDER, most=10) > 180


def test_an_interrupted_trace_of_keras_leaves_the_state_as_it_was():
    x, y = np.ones((4, 3), np.float32), np.ones((4, 2), np.float32)

    def build_and_step():
        model = tf.keras.Sequential([tf.keras.layers.Input([3]), tf.keras.layers.Dense(2)])
        model.compile("sgd", "mse")
        model.train_on_batch(x, y)

    assert at_every_point(build_and_step, FOLDER, most=3) > 75


# --- the mechanism ----------------------------------------------------------------------------------------------------


class Counting(Scope):
    """Counts how often it is entered and left."""

    def __init__(self, fails=False):
        super().__init__()
        self.inside, self.fails = 0, fails

    def _prepare(self):
        return object()

    def _apply(self, entry):
        self.inside += 1
        if self.fails:
            raise KeyError("no")
        return "result"

    def _undo(self, entry, late):
        self.inside -= 1


def test_entered_several_times():
    scope = Counting()
    with scope as a, scope as b:
        assert (a, b, scope.inside) == ("result", "result", 2)
    assert scope.inside == 0


def test_entered_by_hand_and_by_exit_stack():
    scope = Counting()
    assert scope.__enter__() == "result"
    assert hasattr(scope, "__exit__")  # an exit that is looked at and thrown away changes nothing
    gc.collect()
    assert scope.inside == 1
    scope.__exit__(None, None, None)
    assert scope.inside == 0
    with contextlib.ExitStack() as stack:
        stack.enter_context(scope)
        assert scope.inside == 1
    assert scope.inside == 0


def test_threads_share_a_scope():
    """Each `with` statement leaves what it has entered, in whatever order they do so."""
    scope, order = tf.name_scope("a"), []
    inside, leave = [threading.Event() for _ in range(2)], [threading.Event() for _ in range(2)]

    def work(n):
        with tf.name_scope(f"outer{n}"):
            with scope:
                order.append(state.name_scope)
                inside[n].set()
                leave[n].wait(30)
            order.append(state.name_scope)

    threads = [threading.Thread(target=work, args=[n]) for n in range(2)]
    for n, thread in enumerate(threads):
        thread.start()
        inside[n].wait(30)
    for n, thread in enumerate(threads):
        leave[n].set()
        thread.join()
    assert order == ["outer0/a/", "outer1/a/", "outer0/", "outer1/"]


def test_as_a_decorator():
    @tf.variable_creator_scope(lambda make, **kwargs: make(**{**kwargs, "name": "made"}))
    def make():
        return tf.Variable(1.0).name

    assert [make(), make()] == ["made:0", "made:0"]


def test_one_that_fails_to_enter_is_undone():
    scope = Counting(fails=True)
    with pytest.raises(KeyError), scope:
        raise AssertionError("not reached")
    assert scope.inside == 0


def test_a_generator_that_is_thrown_away_leaves_its_scopes():
    def inside():
        with tf.name_scope("a"), tf.GradientTape():
            yield

    held = inside()
    next(held)
    assert state.name_scope == "a/" and len(state.tapes) == 1
    del held
    assert_clean()


def test_what_is_undone_late_disturbs_nobody():
    """The exit of a block that a signal has ended may be thrown away much later, when others have changed the state."""
    scope = swapped(name_scope="late/")
    taken = scope.__exit__
    scope.__enter__()
    with Swapped(state, {"name_scope": "other/"}):
        del taken
        gc.collect()
        assert state.name_scope == "other/"
    assert state.name_scope == "late/"
    state.name_scope = ""
