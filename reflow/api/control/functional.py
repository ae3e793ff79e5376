"""Functions over the elements of tensors: `tf.map_fn`, `tf.scan`, `tf.foldl`, `tf.foldr`.

All are a `tf.while_loop` over `TensorArray`s, so they differentiate and export like any loop. `swap_memory` is a hint
to TensorFlow's GPU allocator and changes no result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.api.control.elements import Elements, collector, element_specs
from reflow.api.control.tensor_array import TensorArray
from reflow.api.export import export, with_sections
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.logging import warn
from reflow.core.name_scope import name_scope
from reflow.core.shapes import TensorShape
from reflow.core.specs import TypeSpec
from reflow.function.control_flow import while_loop
from reflow.ops.convert import convert_to_tensor


def _check_function(fn, what: str):
    if not callable(fn):
        raise TypeError(f"The provided function {what} is not callable: {fn}")


_warned: list = []  # once is enough


def _result_spec(given: Any) -> Any:
    """What one call returns: a spec, a dtype, or a `RaggedTensorType`, which describes the results of all calls."""
    return given if isinstance(given, TypeSpec) else getattr(given, "element_spec", None) or dtypes.as_dtype(given)


@export("map_fn")
def map_fn(
    fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True, name=None,
    fn_output_signature=None,
):
    """Applies a function to each slice of tensors along the first axis, and stacks the results.

    Args:
      fn: A function of a slice, or of a structure of slices like `elems`.
      elems: A tensor, ragged or sparse too, or a structure of tensors with equally many slices.
      dtype: An older name of `fn_output_signature`.
      parallel_iterations: A hint of how many calls may run at once; it has no effect on the result.
      back_prop: Whether gradients flow through the result, in a graph; in eager code they always do.
      swap_memory: Has no effect.
      infer_shape: Whether all results must have one shape, that of the first.
      name: A name for the operation.
      fn_output_signature: What `fn` returns, if not tensors like the slices: a structure of dtypes and specs, such as a
        `RaggedTensorSpec` for rows of different lengths.

    Returns:
      A structure like what `fn` returns, with one more axis in front.

    >>> map_fn(lambda x: x * x, tf.constant([1, 2, 3])).numpy().tolist()
    [1, 4, 9]
    >>> map_fn(tf.range, tf.constant([1, 2]), fn_output_signature=tf.RaggedTensorSpec([None], tf.int32)).to_list()
    [[0], [0, 1]]
    """
    _check_function(fn, "fn")
    if state.graph is None and (parallel_iterations or 1) > 1 and not _warned:
        _warned.append(True)
        warn(
            "Setting parallel_iterations > 1 has no effect when executing eagerly. Consider calling map_fn with "
            "tf.function to execute fn in parallel."
        )
    signature = fn_output_signature if fn_output_signature is not None else dtype
    with name_scope(name or "map"):
        elements = Elements(elems)
        if signature is None:
            signature = element_specs(elements)
        signature = nest.map_structure(_result_spec, signature)
        collectors = [collector(s, elements, infer_shape) for s in nest.flatten(signature)]
        readers = elements.readers()

        def body(i, arrays):
            value = fn(elements.at(readers, i))
            nest.assert_same_structure(signature, value)
            flat = nest.flatten(value)
            return i + 1, [c.write(a, i, v) for c, a, v in zip(collectors, arrays, flat, strict=True)]

        _, arrays = while_loop(
            lambda i, arrays: i < elements.count, body, (convert_to_tensor(0), [c.arrays for c in collectors]),
            maximum_iterations=elements.count, parallel_iterations=parallel_iterations or 10, back_prop=back_prop,
            swap_memory=swap_memory,
        )
        results = [c.finish(a) for c, a in zip(collectors, arrays, strict=True)]
        return nest.pack_sequence_as(signature, results)


class _Walk:
    """The elements in the order in which a fold or scan visits them, and the value it begins with."""

    def __init__(self, elems, initializer, backward: bool):
        self.elements = Elements(elems)
        self.backward = backward
        self.last = self.elements.count - 1
        self.begins_with_element = initializer is None
        self.readers = self.elements.readers()
        if initializer is None:
            readers = self.elements.readers(clear_after_read=False)
            initializer = self.elements.at(readers, self.place(convert_to_tensor(0)))
        self.initial = initializer

    def place(self, i):
        """Which element is visited in iteration `i`."""
        return self.last - i if self.backward else i

    def start(self):
        return convert_to_tensor(1 if self.begins_with_element else 0)

    def element(self, i):
        return self.elements.at(self.readers, self.place(i))


def _fold(fn, elems, initializer, backward, parallel_iterations, back_prop, swap_memory, name):
    _check_function(fn, "fn")
    with name_scope(name):
        walk = _Walk(elems, initializer, backward)
        _, result = while_loop(
            lambda i, acc: i < walk.elements.count, lambda i, acc: (i + 1, fn(acc, walk.element(i))),
            (walk.start(), walk.initial), maximum_iterations=walk.elements.count,
            parallel_iterations=parallel_iterations, back_prop=back_prop, swap_memory=swap_memory,
        )
        return result


_WALK = """\
Args:
  fn: A function of what it returned last and a slice.
  elems: A tensor, or a structure of tensors with equally many slices.
  initializer: What the first call gets as its first argument; by default a slice, the first that is visited.
  parallel_iterations: A hint of how many calls may run at once; it has no effect on the result.
  back_prop: Whether gradients flow through the result, in a graph; in eager code they always do.
  swap_memory: Has no effect.
  name: A name for the operation.
"""
_FOLD = f"""\
{_WALK}
Returns:
  What the last call of `fn` returns.

Raises:
  TypeError: `fn` is not callable.
"""


@export("foldl")
@with_sections(_FOLD)
def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """Combines the slices of tensors from the first to the last.

    >>> foldl(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy().item()
    6
    """
    return _fold(fn, elems, initializer, False, parallel_iterations, back_prop, swap_memory, name or "foldl")


@export("foldr")
@with_sections(_FOLD)
def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """Combines the slices of tensors from the last to the first.

    >>> foldr(lambda a, x: a - x, tf.constant([1, 2, 6])).numpy().item()
    3
    """
    return _fold(fn, elems, initializer, True, parallel_iterations, back_prop, swap_memory, name or "foldr")


@export("scan")
@with_sections(_WALK)
def scan(
    fn: Callable, elems, initializer=None, parallel_iterations: int = 10, back_prop: bool = True,
    swap_memory: bool = False, infer_shape: bool = True, reverse: bool = False, name: str | None = None,
):
    """Combines the slices of tensors like `foldl`, and keeps every partial result.

    Args:
      infer_shape: Whether all results must have the shape of the first.
      reverse: Whether to go from the last slice to the first.

    Returns:
      A structure like what `fn` returns, with the results of the slices along one more axis in front, at their places.

    >>> scan(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy().tolist()
    [1, 3, 6]
    """
    _check_function(fn, "fn")
    with name_scope(name or "scan"):
        walk = _Walk(elems, initializer, reverse)
        walk.initial = nest.map_structure(convert_to_tensor, walk.initial)
        elements = walk.elements
        arrays = [
            TensorArray(
                t.dtype, size=elements.count, infer_shape=infer_shape, element_shape=t.shape if infer_shape else None
            )
            for t in nest.flatten(walk.initial)
        ]
        if walk.begins_with_element:
            at = walk.place(convert_to_tensor(0))
            arrays = [a.write(at, v) for a, v in zip(arrays, nest.flatten(walk.initial), strict=True)]

        def body(i, acc, arrays):
            value = nest.map_structure(convert_to_tensor, fn(acc, walk.element(i)))
            nest.assert_same_structure(walk.initial, value)
            flat = nest.flatten(value)
            return i + 1, value, [a.write(walk.place(i), v) for a, v in zip(arrays, flat, strict=True)]

        _, _, arrays = while_loop(
            lambda i, acc, arrays: i < elements.count, body, (walk.start(), walk.initial, arrays),
            maximum_iterations=elements.count, parallel_iterations=parallel_iterations, back_prop=back_prop,
            swap_memory=swap_memory,
        )
        stacked = [a.stack() for a in arrays]
        for t in stacked:
            if t.shape.rank is not None:
                t.set_shape(TensorShape([elements.static]).concatenate(t.shape[1:]))
        return nest.pack_sequence_as(walk.initial, stacked)
