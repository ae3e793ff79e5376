"""The state of a thread: which backend takes ops, and kernels that run while another one runs."""

import ast
import contextvars
import gc
import signal
import threading
from pathlib import Path

import numpy as np
import pytest

import reflow as tf
from reflow.core.context import State, quietly, state, swapped
from reflow.core.tensor import EagerTensor
from tests import sources

X = tf.constant([[1.0, 2.0], [3.0, 4.0]])


# --- a kernel in a kernel: handlers of signals and finalizers compute too ---------------------------------------------


def _gradient():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.reduce_sum(tf.sin(X) * X)
    return tape.gradient(y, X)


double = tf.function(lambda x: tf.concat([x * 2.0, tf.nn.softmax(x)], 0))
loops = tf.function(lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.matmul(y, x)), (0, x))[1])
mapped = tf.function(lambda x: tf.vectorized_map(lambda row: tf.reduce_sum(row) * row, x))
CALLS = {
    "one": lambda: tf.tanh(X), "two": lambda: X + X, "number": lambda: X * 2.0, "sum": lambda: tf.reduce_sum(X),
    "sum of rows": lambda: tf.reduce_sum(X, 1), "matmul": lambda: tf.matmul(X, X), "list": lambda: tf.concat([X, X], 0),
    "checked": lambda: tf.gather(X, [1]), "slice": lambda: X[:1], "gradient": _gradient, "function": lambda: double(X),
    "loop": lambda: loops(X), "map": lambda: mapped(X), "text": lambda: tf.strings.length(["abc"]),
    "variable": lambda: tf.Variable(X).assign_add(X).read_value(),
    "python": lambda: tf.py_function(lambda v: v + 1.0, [X], tf.float32),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_op_while_a_kernel_runs(name):
    """For a function: traced, interpreted and compiled."""
    expected = CALLS[name]().numpy()
    for _ in range(3):
        np.testing.assert_allclose(quietly(CALLS[name]).numpy(), expected, rtol=1e-6)
        np.testing.assert_allclose(quietly(quietly, CALLS[name]).numpy(), expected, rtol=1e-6)


def test_a_nested_kernel_does_not_warn():
    with np.errstate(all="raise"):
        assert np.isnan(quietly(lambda: tf.math.log(X - 9.0)).numpy()).all()
        # whatever the handler's context is
        inside = quietly(lambda: contextvars.Context().run(lambda: tf.math.log(X - 9.0)))
        assert np.isnan(inside.numpy()).all()
        assert np.geterr()["invalid"] == "raise"


def test_a_handler_computes_during_convolutions():
    """A checkpoint on SIGTERM: here every try lands in a kernel."""
    image, filters, w = tf.ones([4, 64, 64, 8]), tf.ones([3, 3, 8, 8]), tf.constant([1.0, 2.0])
    seen = []
    old = signal.signal(signal.SIGALRM, lambda *_: seen.append((w * 1.0).numpy().tolist()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-3, 2e-3)
        while len(seen) < 20:
            tf.nn.conv2d(image, filters, 1, "SAME")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert all(values == [1.0, 2.0] for values in seen)


def test_a_finalizer_computes_during_a_kernel():
    results = []

    class Holder:
        def __init__(self):
            self.me = self  # a cycle, which the collector ends

        def __del__(self):
            results.append(float(tf.reduce_sum(X * 2.0)))

    def kernel():
        Holder()
        gc.collect()
        return 1

    assert quietly(kernel) == 1
    assert results == [20.0]


@pytest.mark.parametrize("message", ["no", "cannot enter context: <Context object at 0x1> is already entered"])
def test_errors_of_kernels_are_not_taken_for_it(message):
    calls = []

    def kernel():
        calls.append(1)
        raise RuntimeError(message)

    with pytest.raises(RuntimeError, match=message[:10]):
        quietly(kernel)

    def enters_ours():
        calls.append(2)
        state.quiet.run(int)

    with pytest.raises(RuntimeError, match="cannot enter context"):
        quietly(enters_ours)
    assert calls == [1, 2]  # none ran again


# --- backends ---------------------------------------------------------------------------------------------------------


class Listening:
    """A backend that notes what it is asked, and asks the process' one."""

    direct = False

    def __init__(self):
        self.asked = []

    def __getattr__(self, name):
        def ask(*args):
            self.asked.append((name, getattr(args[0], "name", "")) if name == "execute" else name)
            return getattr(State.backend, name)(*args)

        return ask


def test_everything_goes_through_the_backend_of_the_thread():
    backend = Listening()
    add = tf.function(lambda x: x + 1.0)
    add(X)
    with swapped(backend=backend):
        tf.tanh(X)
        X + X  # noqa: B018
        tf.reduce_sum(X)
        X[:1]  # noqa: B018
        variable = tf.Variable(1.0)
        variable.read_value()
        tf.constant([1.0])
        add(X)
        X.device, X.cpu()  # noqa: B018
        _gradient()
    ops = [name for what, name in (a for a in backend.asked if isinstance(a, tuple))]
    assert (
        ops[:4] == ["Tanh", "AddV2", "Sum", "StridedSlice"] and "ReadVariableOp" in ops and ops.count("Reflow>VJP") == 3
    )
    assert {"handle", "constant", "argument", "run", "result", "device_of", "copy_to"} <= {
        a for a in backend.asked if isinstance(a, str)
    }
    count = len(backend.asked)
    tf.tanh(X)
    assert len(backend.asked) == count and state.backend is State.backend and state.direct is not None


def test_a_thread_has_its_own_backend():
    backend, other = Listening(), []

    def work():
        other.append((state.backend is State.backend, state.direct is not None, float(tf.reduce_sum(X))))

    with swapped(backend=backend):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert other == [(True, True, 10.0)] and not backend.asked


def test_the_process_backend_is_that_of_running_threads():
    """A thread that computes all the while sees the log of placements begin and end."""
    from reflow.devices import placement

    seen = []
    ready, go, ended = (threading.Event() for _ in range(3))

    def work():
        tf.tanh(X)
        seen.append(state.backend.direct)
        ready.set()
        go.wait(10)
        tf.tanh(X)
        seen.append((state.backend.direct, state.direct is None))
        ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    ready.wait(10)
    try:
        tf.debugging.set_log_device_placement(True)
        go.set()
        ended.wait(10)
    finally:
        tf.debugging.set_log_device_placement(False)
    thread.join()
    assert seen == [True, (False, True)]
    placement.refresh()
    assert state.backend.direct and tf.tanh(X) is not None and state.direct is not None


def test_checks_of_numbers_are_the_threads_own():
    tf.debugging.enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Detected Infinity or NaN"):
            tf.math.log(tf.constant(-1.0))
        found = []
        thread = threading.Thread(target=lambda: found.append(float(tf.math.log(tf.constant(-1.0)))))
        thread.start()
        thread.join()
        assert np.isnan(found[0])
        with tf.device("/CPU:0"), pytest.raises(tf.errors.InvalidArgumentError, match="Detected Infinity or NaN"):
            tf.constant(1.0) / 0.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="Detected Infinity or NaN"):
            tf.math.log(tf.constant(-1.0))
    finally:
        tf.debugging.disable_check_numerics()
    assert isinstance(tf.math.log(tf.constant(-1.0)), EagerTensor)


# --- nobody rebinds what belongs to others ----------------------------------------------------------------------------


def _assignments(tree, source):
    """Assignments to attributes of imported modules, and to what `state.put` must know of."""
    modules = {
        alias.asname or alias.name.split(".")[0]
        for node in sources.nodes(tree) if isinstance(node, ast.Import) for alias in node.names
        if alias.name.startswith("reflow")
    } | {
        alias.asname or alias.name
        for node in sources.nodes(tree) if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("reflow")
        for alias in node.names if _is_module(f"{node.module}.{alias.name}")
    }
    for node in sources.nodes(tree):
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target]
            if isinstance(node, ast.AugAssign | ast.AnnAssign) else []
        )
        for target in (t for one in targets for t in ast.walk(one)):
            if (
                isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store)
                and isinstance(target.value, ast.Name)
            ):
                if target.value.id in modules and not target.attr.startswith("__"):
                    yield f"{source}:{node.lineno}: sets {target.value.id}.{target.attr}"
                if target.value.id == "state" and target.attr in ("graph", "tapes", "backend", "target", "direct"):
                    yield f"{source}:{node.lineno}: sets state.{target.attr}"


def _is_module(name: str) -> bool:
    path = Path(tf.__file__).parent.parent.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def test_no_module_sets_what_belongs_to_another():
    root = Path(tf.__file__).parent
    found = [
        line
        for file in sorted(root.rglob("*.py"))
        for line in _assignments(sources.tree(file), file.relative_to(root))
    ]
    assert not found, "\n".join(found)


def test_the_rule_fires():
    source = (
        "from reflow.ops import convert\nfrom reflow.core.context import state\nconvert.x, y = 1, 2\n"
        "state.graph = None\nstate.device = 3"
    )
    assert len(list(_assignments(ast.parse(source), "here"))) == 2


def test_host_kernels_do_not_warn():
    """Infinity minus infinity in a kernel of the host is no business of the user's error state.

    A Python function's is.
    """
    q = tf.bitcast(tf.constant([1, 2], tf.uint8), tf.quint8)

    def relu(x):
        return tf.raw_ops.QuantizedReluX(
            features=x, max_value=1.0, min_features=-np.inf, max_features=np.inf, out_type=tf.quint8
        )

    assert relu(q)[0].dtype == tf.function(relu)(q)[0].dtype == tf.quint8
    with pytest.raises(Exception, match="divide by zero"), np.errstate(all="raise"):
        tf.py_function(lambda: np.log(np.zeros(1)), [], tf.float64)
