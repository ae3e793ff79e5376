"""`tf.test`: small test helpers: comparing graphs, skipping tests."""

from __future__ import annotations

import functools
import platform
from collections.abc import Callable
from typing import Any

from reflow.api.export import export, with_sections
from reflow.core.types import Proto

#: attributes with random parts that never tell two graphs apart: the shared names of tables
RANDOM_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "HashTableV2": ("shared_name",), "MutableHashTableV2": ("shared_name",),
}

EQUAL_GRAPHS = """\
Returns:
  None.

Raises:
  TypeError: One is not a GraphDef.
  AssertionError: They differ.
"""


@export("test.assert_equal_graph_def")
@with_sections(EQUAL_GRAPHS)
def assert_equal_graph_def(expected: Proto, actual: Proto) -> None:
    """Checks that two GraphDefs have the same nodes, whatever their order and the versions.

    Args:
      expected: A GraphDef.
      actual: A GraphDef. The order of control inputs and the shared names of tables may differ.

    >>> with tf.Graph().as_default() as g:
    ...     x = tf.constant(1.0)
    >>> tf.test.assert_equal_graph_def(g.as_graph_def(), g.as_graph_def())
    """
    assert_same_nodes(actual, expected, RANDOM_ATTRIBUTES)


def assert_same_nodes(actual: Proto, expected: Proto, random: dict[str, tuple[str, ...]]) -> None:
    """Raise an AssertionError if two GraphDefs differ, attributes of ops in `random` aside."""
    from tensorboard.compat.proto.graph_pb2 import GraphDef  # 30 ms, which only tests of graphs pay

    for name, given in (("actual", actual), ("expected", expected)):
        if not isinstance(given, GraphDef):
            raise TypeError(f"Expected tf.GraphDef for {name}, got {type(given).__name__}")
    found, wanted = _nodes(actual, random), _nodes(expected, random)
    if found.keys() != wanted.keys():
        raise AssertionError(
            f"Not all nodes are in both graphs. Only in actual: {sorted(found.keys() - wanted.keys())}; only in "
            f"expected: {sorted(wanted.keys() - found.keys())}."
        )
    for name, node in wanted.items():
        if node != found[name]:
            raise AssertionError(f"The node {name!r} differs.\nactual: {found[name]}\nexpected: {node}")


def _nodes(graph: Proto, random: dict[str, tuple[str, ...]]) -> dict[str, Proto]:
    """The nodes by name, control inputs sorted, random attributes left out."""
    found = {}
    for given in graph.node:
        node = type(given)()
        node.CopyFrom(given)
        data = [i for i in node.input if not i.startswith("^")]
        control = sorted(i for i in node.input if i.startswith("^"))
        del node.input[:]
        node.input.extend([*data, *control])
        for attr in random.get(node.op, ()):
            node.attr.pop(attr, None)
        found[node.name] = node
    return found


@export("test.disable_with_predicate")
def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Callable:
    """Decorates a test method so that the test is skipped if a predicate holds when it runs.

    Args:
      pred: A function without arguments.
      skip_message: The reason that the test report shows.

    Returns:
      A decorator of test methods.

    >>> class Some(tf.test.TestCase):
    ...     @tf.test.disable_with_predicate(lambda: True, "not today")
    ...     def test(self):
    ...         raise ValueError
    >>> len(Some("test").run().skipped)
    1
    """

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def test(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return function(self, *args, **kwargs)

        return test

    return decorate


@export("test.is_cpu_target_available")
def is_cpu_target_available(target: str) -> bool:
    """Says whether programs are compiled for a kind of processor: the one of this machine.

    Args:
      target: The name of an architecture, such as "x86_64" or "aarch64".

    Returns:
      A bool.

    >>> tf.test.is_cpu_target_available("s390x")
    False
    """
    names = {"amd64": "x86_64", "arm64": "aarch64"}
    machine = platform.machine().lower()
    return names.get(target, target) == names.get(machine, machine)


@export("test.with_eager_op_as_function")
def with_eager_op_as_function(cls: type | None = None, only_as_function: bool = False) -> Any:
    """Decorates a test class and returns it unchanged, as TensorFlow's decorator does today.

    Args:
      cls: The class; without it the decorator itself is returned.
      only_as_function: Has no effect.

    Returns:
      The class, or a decorator of classes.

    >>> @tf.test.with_eager_op_as_function
    ... class Some(tf.test.TestCase):
    ...     pass
    """
    return (lambda given: given) if cls is None else cls
