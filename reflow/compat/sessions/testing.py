"""`tf.test.TestCase` with version 1 sessions, and the other names of `tf.compat.v1.test`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np

from reflow.api import test_case
from reflow.api.export import export, export_value, with_sections
from reflow.api.gradients import gradients
from reflow.api.test_helpers import EQUAL_GRAPHS, RANDOM_ATTRIBUTES, assert_same_nodes
from reflow.compat.behavior import get_default_graph, reset_default_graph
from reflow.compat.session import Session, get_default_session
from reflow.core import nest
from reflow.core.context import state
from reflow.core.types import Proto
from reflow.graph.graph import SymbolicTensor
from reflow.graph.node import Node
from reflow.ops.convert import constant
from reflow.summary.writer import current as summaries

export_value(mock, "compat.v1.test.mock")


class _NoSession:
    """What `session` gives in eager code."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            "Trying to access properties or call methods on the result of self.session(), self.cached_session(), etc "
            "while eager execution is enabled. If you're porting this test case to TF 2.0, either adapt the test to "
            "work with eager execution or insert a call to tf.disable_eager_execution() in the main() function of this "
            "test file."
        )


class _EagerSession:
    """What `cached_session` gives in eager code: tests that feed nothing need not ask in which mode they run."""

    def __init__(self, case: TestCase) -> None:
        self._case = case

    def run(self, fetches, *args, feed_dict=None, **kwargs):
        """The values of tensors.

        Raises:
          RuntimeError: There are other arguments.
        """
        refused = "feed_dict is" if feed_dict else "Optional args are" if args or kwargs else ""
        if refused:
            raise RuntimeError(
                f"{refused} not supported when eager execution is enabled (in this case, sess.run(t) is shorthand for "
                "t.numpy()"
            )
        return self._case.evaluate(fetches)


@export("test.TestCase")
class TestCase(test_case.TestCase):
    """A test whose assertions take tensors, arrays, and structures of them; those of a graph are run in a session.

    Args:
      methodName: The name of the method that is the test, as in `unittest.TestCase`.

    >>> class Test(tf.test.TestCase):
    ...     def test(self):
    ...         with tf.Graph().as_default(), self.session() as session:
    ...             self.assertAllEqual(session.run(tf.constant([3])), [3])
    >>> Test("test").run().errors
    []
    """

    def setUp(self):
        """Starts with a new global graph and without a summary writer, as if no test had run before."""
        super().setUp()
        if self._testMethodName == "test_session":
            self.skipTest("Not a test.")  # the context manager below, which test runners take for one
        with contextlib.suppress(AssertionError):  # inside of a graph's block, whose end restores what was there
            reset_default_graph()
        summaries.writer = None

    __test__ = False  # pytest takes subclasses only

    @contextlib.contextmanager
    def session(self, graph=None, config=None, use_gpu=True, force_gpu=False) -> Iterator[Any]:
        """A `with` block with a session of a graph, by default the default one; in eager code there is none."""
        if state.graph is None:
            yield _NoSession()
            return
        with Session("", get_default_graph() if graph is None else graph, config) as session:
            yield session

    @contextlib.contextmanager
    def test_session(self, graph=None, config=None, use_gpu=True, force_gpu=False) -> Iterator[Any]:
        """Without a graph `cached_session`, else `session`, under an old name, which test runners take for a test."""
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")
        if state.graph is None:
            yield None
            return
        with (self.cached_session(config=config) if graph is None else self.session(graph, config)) as session:
            yield session

    @contextlib.contextmanager
    def cached_session(self, graph=None, config=None, use_gpu=True, force_gpu=False) -> Iterator[Any]:
        """A `with` block with a session of a graph: the same session in all blocks of a test.

        In eager code its `run` gives the values of tensors."""
        if state.graph is None:
            yield _EagerSession(self)
            return
        kept = self._kept_session(get_default_graph() if graph is None else graph, config)
        with kept.graph.as_default(), kept.as_default():
            yield kept

    def _kept_session(self, graph, config=None) -> Session:
        if getattr(self, "_cached", None) is None:
            self._cached: Any = Session("", graph, config)
        return self._cached

    def evaluate(self, tensors):
        """Tensors, or a structure of them, as arrays; those of a graph by the default session."""
        parts = nest.flatten(tensors, expand_composites=True)
        if not any(isinstance(t, (SymbolicTensor, Node)) or hasattr(t, "graph_element") for t in parts):
            return super().evaluate(tensors)
        session = get_default_session() or self._kept_session(get_default_graph())
        return session.run(tensors)

    def tearDown(self):
        if getattr(self, "_cached", None) is not None:
            self._cached.close()
        super().tearDown()


def _jacobians(x, x_shape, y, y_shape, start, delta, feeds) -> tuple[np.ndarray, np.ndarray]:
    """The derivatives of all elements of `y` by all of `x`: a row for each element of `x`.

    Exact, and by finite differences.
    """
    session = get_default_session()
    if session is None:
        raise ValueError("compute_gradient needs a default session.")
    start = (
        np.random.uniform(size=x_shape).astype(x.dtype.as_numpy_dtype) if start is None
        else np.asarray(start, x.dtype.as_numpy_dtype)
    )
    rows, columns = int(np.prod(x_shape)), int(np.prod(y_shape))
    exact, measured = (np.zeros((rows, columns), x.dtype.as_numpy_dtype) for _ in range(2))
    weights = constant(np.zeros(y_shape, y.dtype.as_numpy_dtype))
    (of_x,) = gradients(y, [x], [weights])
    for column in range(columns):
        one = np.zeros(columns, y.dtype.as_numpy_dtype)
        one[column] = 1
        if of_x is not None:
            exact[:, column] = np.ravel(session.run(of_x, {**feeds, x: start, weights: one.reshape(y_shape)}))
    for row in range(rows):
        ends = []
        for step in (delta, -delta):
            moved = start.copy().reshape(-1)
            moved[row] += step
            ends.append(np.ravel(session.run(y, {**feeds, x: moved.reshape(x_shape)})))
        measured[row] = (ends[0] - ends[1]) / (2 * delta)
    return exact, measured


@export("compat.v1.test.compute_gradient")
def compute_gradient(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
    """The Jacobian of `y` by `x` in the default session: exact, and by finite differences. A list for `x` gives a list
    of pairs.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session():
    ...     x = tf.compat.v1.placeholder(tf.float64, [2])
    ...     exact, measured = tf.compat.v1.test.compute_gradient(x, [2], x * x, [2], np.array([1.0, 3.0]))
    >>> exact.tolist(), measured.round(6).tolist()
    ([[2.0, 0.0], [0.0, 6.0]], [[2.0, 0.0], [0.0, 6.0]])
    """
    session = get_default_session()
    for target in init_targets if isinstance(init_targets, (list, tuple)) else filter(None, [init_targets]):
        session.run(target)
    feeds = extra_feed_dict or {}
    if not isinstance(x, list):
        return _jacobians(x, x_shape, y, y_shape, x_init_value, delta, feeds)
    starts = [None] * len(x) if x_init_value is None else x_init_value
    return [
        _jacobians(*one, y, y_shape, start, delta, feeds)
        for one, start in zip(zip(x, x_shape, strict=True), starts, strict=True)
    ]


@export("compat.v1.test.compute_gradient_error")
def compute_gradient_error(
    x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None
) -> float:
    """The largest difference between the two Jacobians of `compute_gradient`.

    >>> import numpy as np
    >>> with tf.Graph().as_default(), tf.compat.v1.Session():
    ...     x = tf.compat.v1.placeholder(tf.float64, [2])
    ...     tf.compat.v1.test.compute_gradient_error(x, [2], x * x, [2], np.array([1.0, 3.0])) < 1e-6
    True
    """
    found = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    pairs = [found] if isinstance(found, tuple) else found
    return max((float(np.fabs(exact - measured).max()) if exact.size else 0.0) for exact, measured in pairs)


@export("compat.v1.test.StubOutForTesting")
class StubOutForTesting:
    """Replaces attributes for the time of a test; a `with` block, or until `CleanUp`.

    >>> import math
    >>> with tf.compat.v1.test.StubOutForTesting() as stubs:
    ...     stubs.Set(math, "pi", 3)
    ...     math.pi
    3
    """

    def __init__(self) -> None:
        self._replaced: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.CleanUp()

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Replace an attribute of a module, class or object."""
        old = vars(parent).get(child_name, getattr(parent, child_name))
        self._replaced.append((parent, child_name, old))
        setattr(parent, child_name, new_child)

    SmartSet = Set

    def UnsetAll(self) -> None:
        """Put everything back, the last first."""
        while self._replaced:
            parent, name, old = self._replaced.pop()
            setattr(parent, name, old)

    CleanUp = SmartUnsetAll = UnsetAll


@export("compat.v1.test.assert_equal_graph_def")
@with_sections(EQUAL_GRAPHS)
def assert_equal_graph_def(
    actual: Proto, expected: Proto, checkpoint_v2: bool = False, hash_table_shared_name: bool = False
) -> None:
    """Checks that two GraphDefs have the same nodes, whatever their order and the versions.

    Args:
      actual: A GraphDef.
      expected: A GraphDef. The order of control inputs may differ.
      checkpoint_v2: Whether the names of temporary files in a saver may differ.
      hash_table_shared_name: Whether the shared names of tables may differ.

    >>> with tf.Graph().as_default() as one:
    ...     x = tf.constant(1.0, name="x")
    >>> with tf.Graph().as_default() as other:
    ...     x = tf.constant(1.0, name="x")
    >>> tf.compat.v1.test.assert_equal_graph_def(one.as_graph_def(), other.as_graph_def())
    """
    random = RANDOM_ATTRIBUTES if hash_table_shared_name else {}
    if checkpoint_v2:
        actual, expected = _without_temporary_names(actual), _without_temporary_names(expected)
    assert_same_nodes(actual, expected, random)


def _without_temporary_names(graph: Proto) -> Proto:
    """A copy in which constants that hold names of temporary folders of a saver are empty."""
    copy = type(graph)()
    copy.CopyFrom(graph)
    for node in copy.node:
        if "value" in node.attr and any(b"_temp_" in text for text in node.attr["value"].tensor.string_val):
            del node.attr["value"].tensor.string_val[:]
    return copy
