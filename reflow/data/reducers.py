"""`tf.data.experimental.group_by_reducer`: one element for each key, reduced from all elements with that key."""

from __future__ import annotations

from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.specs import TensorSpec
from reflow.data import structure
from reflow.data.functions import Traced, state_function


@export("data.experimental.Reducer")
class Reducer:
    """Says how the elements with one key become one, for `group_by_reducer`.

    Args:
      init_func: A function from a key to the first state.
      reduce_func: A function from the state and an element to the next state.
      finalize_func: A function from the last state to an element of the result.

    >>> count = tf.data.experimental.Reducer(lambda key: tf.constant(0), lambda n, x: n + 1, lambda n: n)
    >>> ds = tf.data.Dataset.range(5).apply(tf.data.experimental.group_by_reducer(lambda x: x % 2, count))
    >>> [int(x) for x in ds]
    [3, 2]
    """

    def __init__(self, init_func, reduce_func, finalize_func):
        self._init_func, self._reduce_func, self._finalize_func = init_func, reduce_func, finalize_func

    init_func = property(lambda self: self._init_func)
    reduce_func = property(lambda self: self._reduce_func)
    finalize_func = property(lambda self: self._finalize_func)


@export("data.experimental.group_by_reducer")
def group_by_reducer(key_func, reducer):
    """Returns a transformation that groups the elements by a key and reduces each group to one element.

    Args:
      key_func: A function from an element to its key, an int64 scalar.
      reducer: A `tf.data.experimental.Reducer`.

    Returns:
      A function for `tf.data.Dataset.apply`. Its dataset has one element for each key, in the order in which keys first
      appear.

    Raises:
      ValueError: When it is applied: `key_func` does not return an int64 scalar.

    >>> total = tf.data.experimental.Reducer(lambda _: tf.constant(0, tf.int64), lambda s, x: s + x, lambda s: s)
    >>> ds = tf.data.Dataset.range(6).apply(tf.data.experimental.group_by_reducer(lambda x: x % 3, total))
    >>> [int(x) for x in ds]
    [3, 5, 7]
    """

    def apply(dataset):
        scalar = TensorSpec([], dtypes.int64)
        key = Traced(key_func, "group_by_reducer()", dataset.element_spec)
        if not structure.compatible(key.output_spec, scalar):
            raise ValueError(
                "Invalid `key_func`. Expected `key_func` to return a scalar tf.int64 tensor, but instead `key_func` "
                f"has output types={structure.map_specs(lambda s: s.dtype, key.output_spec)} and "
                f"shapes={structure.map_specs(lambda s: s.shape, key.output_spec)}."
            )
        init = Traced(reducer.init_func, "group_by_reducer()", scalar)
        reduce, state_spec = state_function(
            reducer.reduce_func, "reduce", init.output_spec, dataset.element_spec, lambda spec: spec
        )
        finalize = Traced(reducer.finalize_func, "group_by_reducer()", state_spec)
        functions = {"key": key, "init": init, "reduce": reduce, "finalize": finalize}
        captured = [t for traced in functions.values() for t in traced.captured]
        attrs = {f"{name}_func": traced.graph for name, traced in functions.items()}
        attrs |= {f"T{name}_func_other_arguments": traced.captured_types for name, traced in functions.items()}
        return dataset._then("GroupByReducerDataset", captured, attrs, finalize.output_spec)

    return apply
