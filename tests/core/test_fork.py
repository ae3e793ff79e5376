"""A process that was forked after XLA was used: eager code and functions run there, and nothing waits for ever."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import reflow as tf
from reflow.core import fork
from reflow.core.resources import commit_lock

# JAX warns of any fork, and newer Pythons too if there are threads
pytestmark = [
    pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here"),
]

X = tf.constant(np.arange(12.0, dtype=np.float32).reshape(3, 4))
V = tf.Variable(tf.ones([4]))
product = tf.function(lambda x: tf.matmul(x, x, transpose_b=True) + tf.reduce_sum(V))
add = tf.function(lambda x: V.assign_add(tf.reduce_sum(x, 0)))
whole = tf.function(lambda x: x * 2.0, jit_compile=True)


@pytest.fixture(autouse=True, scope="module")
def compiled():
    for _ in range(3):
        product(X), add(X * 0.0), whole(X)


def in_child(function):
    """What `function` returns in a forked child, as text; its error if it raises; it is ended after 30 seconds."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        try:
            text = repr(function())
        except BaseException as error:  # noqa: BLE001 - the child must not go on with the tests
            text = f"{type(error).__name__}: {error}"
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    assert os.waitpid(child, 0)[1] == 0, "the child did not end"
    return text


def _new_function():
    f = tf.function(lambda x: tf.tanh(x) * 2.0)
    return [round(f(X).numpy().sum().item(), 3) for _ in range(3)]


def _gradient():
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(product(X))
    return tape.gradient(y, V).numpy().tolist()


def _pipeline():
    data = tf.data.Dataset.range(7).map(lambda n: n * 2, num_parallel_calls=2).batch(3).prefetch(1)
    return [batch.numpy().tolist() for batch in data]


PROGRAMS = {
    "eager": lambda: tf.reduce_sum(tf.nn.softmax(X) @ tf.transpose(X)).numpy().round(3).item(),
    "a variable": lambda: (V + 1.0).numpy().tolist(),
    "a compiled result": lambda: product(X).numpy().tolist(),
    "a program that writes": lambda: [add(X).numpy().tolist(), V.numpy().tolist()],
    "jit_compile": lambda: whole(X).numpy().tolist(),
    "a new function": _new_function,
    "a gradient": _gradient,
    "a dataset": _pipeline,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_in_a_child(name):
    before = V.numpy()
    found = in_child(PROGRAMS[name])
    assert found == repr(PROGRAMS[name]())  # the child's variables are its own
    V.assign(before)


def test_the_child_says_once_that_it_interprets(monkeypatch):
    said = []
    monkeypatch.setattr(fork, "warn", said.append)

    def twice():
        assert fork.lost
        return [float(product(X)[0, 0]) for _ in range(2)], [text[:23] for text in said]

    first = float(product(X)[0, 0])
    assert in_child(twice) == repr(([first, first], ["This process was forked"]))
    assert not fork.lost and not said


def test_other_ways_into_xla_raise_at_once():
    found = in_child(lambda: whole.experimental_get_compiler_ir(X)())
    assert found.startswith("RuntimeError: This process was forked") and "spawn" in found


def test_a_child_that_exits_as_any_program_does():
    """JAX would crash: it stops threads that are not there."""
    program = """
import os, sys, signal, warnings
warnings.simplefilter("ignore")
import reflow as tf
f = tf.function(lambda x: x * 2.0)
for _ in range(3): f(tf.constant(1.0))
child = os.fork()
if child == 0:
    signal.alarm(30)
    f(tf.constant(2.0))
    sys.exit(3)
print(os.waitpid(child, 0)[1])
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [str(3 << 8)], done.stderr


def _total(factor):
    return float(tf.reduce_sum(product(X * factor)))


def test_a_pool_of_forked_workers():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(_total, [1.0, 2.0, 3.0]).get(60)
    assert found == [_total(f) for f in (1.0, 2.0, 3.0)]


def test_locks_of_threads_that_are_not_there():
    """Another thread writes a variable and traces a function when the process forks."""
    lock, held, done = fork.new_lock(), threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            done.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(30)
    try:
        assert in_child(lambda: lock.acquire(timeout=5)) == "True"
        assert in_child(lambda: commit_lock.acquire(timeout=5)) == "True"
    finally:
        done.set()
        thread.join()
