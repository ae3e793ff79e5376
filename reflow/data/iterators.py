"""Iterators over datasets: `tf.data.Iterator`.

An iterator is a composite value with one component, a resource tensor. A `tf.function` therefore takes one as an
argument, reads it at run time, and never traces again for another iterator of the same spec.
"""

from __future__ import annotations

import functools
import weakref
from collections import abc
from typing import Any

import numpy as np

from reflow.api.call import call
from reflow.api.export import export
from reflow.api.sparse.tensors import to_dense
from reflow.core import dtypes, errors, nest
from reflow.core.context import state
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import EagerTensor
from reflow.data import positions, structure
from reflow.data.engine import external_state
from reflow.data.functions import debugging
from reflow.data.optional import _OptionalImpl
from reflow.data.options import Options
from reflow.function.trace_key import number_of
from reflow.ops import registry
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.dispatch import dispatch
from reflow.tracking.trackable import SaveType, Trackable

GET_NEXT = registry.get("IteratorGetNext")
MAX_READS_IN_GRAPH = 32


@export("data.Iterator")
class IteratorBase(abc.Iterator, Trackable):
    """The iterator of a dataset: a Python iterator with `get_next` and `get_next_as_optional`.

    >>> it = iter(tf.data.Dataset.range(2))
    >>> int(next(it)), int(it.get_next()), bool(it.get_next_as_optional().has_value())
    (0, 1, False)
    """

    _is_composite = True

    @property
    def element_spec(self):
        """Returns the structure of `tf.TypeSpec`s of an element."""
        raise NotImplementedError("Iterator.element_spec")

    def get_next(self):
        """Returns the next element.

        Returns:
          The element, with the structure of `element_spec`.

        Raises:
          OutOfRangeError: There are no more elements.
        """
        raise NotImplementedError("Iterator.get_next()")

    def get_next_as_optional(self):
        """Returns the next element as an optional, which is empty past the end.

        Returns:
          A `tf.experimental.Optional`.
        """
        raise NotImplementedError("Iterator.get_next_as_optional()")


@export("__internal__.data.OwnedIterator")
class OwnedIterator(IteratorBase):
    """An iterator that owns its position: it ends with the object."""

    def __init__(self, dataset=None, components=None, element_spec=None):
        self._dataset = dataset
        self._reads = 0
        if dataset is None:
            if components is None or element_spec is None:
                raise ValueError(
                    "When `dataset` is not provided, both `components` and `element_spec` must be specified."
                )
            self._element_spec = element_spec
            (self._iterator_resource,) = components
            self._attrs = structure.type_attrs(element_spec)
        else:
            if components is not None or element_spec is not None:
                raise ValueError("When `dataset` is provided, `element_spec` and `components` must not be specified.")
            self._element_spec = dataset.element_spec
            self._attrs = structure.type_attrs(self._element_spec)
            self._iterator_resource = call("AnonymousIteratorV3", (), self._attrs)
            call("MakeIterator", (_as_written(dataset)._variant_tensor, self._iterator_resource))
        self._pack = structure.packer(self._element_spec)

    element_spec = property(lambda self: self._element_spec)
    _type_spec = functools.cached_property(lambda self: IteratorSpec(self._element_spec))
    _quick_parts = functools.cached_property(lambda self: (number_of(self._type_spec), (self._iterator_resource,)))

    def __iter__(self):
        return self

    def __next__(self):
        if state.graph is not None:
            return self._next_in_graph()
        try:
            return self.get_next()
        except errors.OutOfRangeError:
            pass
        raise StopIteration

    def next(self):
        """The next element: the name that version 2 of Python had for it."""
        return self.__next__()

    def _next_in_graph(self):
        """A graph does not know where the data ends: a Python loop over an iterator would add nodes forever."""
        self._reads += 1
        if self._reads > MAX_READS_IN_GRAPH:
            raise ValueError(
                "An unusually high number of `tf.data.Iterator.get_next()` calls was detected. This suggests that the "
                "`for elem in dataset: ...` idiom is used within tf.function with AutoGraph disabled. This idiom is "
                "only supported when AutoGraph is enabled."
            )
        return self.get_next()

    def get_next(self):
        return self._pack(dispatch(GET_NEXT, (self._iterator_resource,), self._attrs))

    _next_internal = get_next  # TensorFlow's name for the read without a graph, which libraries call

    def get_next_as_optional(self):
        variant = call("IteratorGetNextAsOptional", (self._iterator_resource,), self._attrs)
        return _OptionalImpl(variant, self._element_spec)

    def _save(self) -> dict:
        """The exact position, as plain data."""
        return self._iterator_resource._value.state()

    def _restore(self, saved: dict):
        """Go to a position that `_save` gave."""
        self._iterator_resource._value.restore(saved)

    def _position(self) -> bytes:
        """The position as checkpoints hold it."""
        external_state.check(self._iterator_resource._value.dataset, self._external_state_policy())
        return positions.encode(self._save())

    def _go_to(self, position) -> None:
        """Go to what `_position` gave, as a tensor."""
        self._restore(positions.decode(position.numpy()))

    def _trackable_children(self, save_type=SaveType.CHECKPOINT, **kwargs) -> dict:
        children = super()._trackable_children(save_type, **kwargs)
        return children | {"reflow_position": self._kept} if save_type == SaveType.CHECKPOINT else children

    _kept = functools.cached_property(lambda self: _KeptPosition(self))

    def _serialize_to_tensors(self) -> dict:
        """Nothing: a child has the position.

        TensorFlow refuses a whole checkpoint in which an iterator's own value is not its own.
        """
        return {}

    def _external_state_policy(self) -> int:
        """As TensorFlow: an error is raised unless the dataset's options say otherwise.

        Symbolic checkpoints never ask.
        """
        if self._dataset is None:
            return external_state.WARN
        options = self._dataset.options()
        if options.experimental_symbolic_checkpoint:
            return external_state.IGNORE
        policy = options.experimental_external_state_policy
        return external_state.FAIL if policy is None else policy.value

    def _restore_from_tensors(self, restored_tensors: dict):
        """Take the position from a checkpoint of Reflow 0.1, whose iterators held it themselves."""
        self._go_to(restored_tensors["ITERATOR"])

    def __repr__(self):
        return f"<OwnedIterator element_spec={self._element_spec!r}>"


class _KeptPosition(Trackable):
    """The position of an iterator in checkpoints."""

    def __init__(self, iterator: OwnedIterator):
        self._iterator: Any = weakref.ref(iterator)

    def _serialize_to_tensors(self) -> dict:
        return {"ITERATOR": self._iterator()._position()}

    def _restore_from_tensors(self, restored_tensors: dict):
        self._iterator()._go_to(restored_tensors["ITERATOR"])


def _as_written(dataset):
    """The dataset; while functions run as Python, without rewrites, so that they run where they are written."""
    if not debugging.on:
        return dataset
    options = Options()
    options.autotune.enabled = options.experimental_optimization.apply_default_optimizations = False  # type: ignore[attr-defined]
    return dataset.with_options(options)


@export("data.IteratorSpec")
class IteratorSpec(structure.ElementSpec):
    """Describes an iterator by the spec of its elements.

    Args:
      element_spec: The structure of `tf.TypeSpec`s of an element.

    >>> tf.data.IteratorSpec(tf.TensorSpec([])) == tf.data.IteratorSpec(tf.TensorSpec([]))
    True
    """

    __slots__ = ()
    value_type = OwnedIterator
    _component_dtype = dtypes.resource

    element_spec = property(lambda self: self._element_spec)

    def _to_components(self, value):
        return (value._iterator_resource,)

    def _from_components(self, components):
        return OwnedIterator(components=components, element_spec=self._element_spec)


@export("data.NumpyIterator")
class NumpyIterator(abc.Iterator):
    """Iterates over the elements of a dataset as NumPy values.

    Args:
      dataset: The dataset to read.

    >>> [int(x) for x in tf.data.Dataset.range(3).as_numpy_iterator()]
    [0, 1, 2]
    """

    __slots__ = ("_iterator",)

    def __init__(self, dataset):
        self._iterator = iter(dataset)

    def __next__(self):
        return nest.map_structure(_to_numpy, next(self._iterator))

    next = __next__

    def save(self):
        """Returns the position of the iterator.

        Returns:
          A string tensor for `restore`.
        """
        return constant(self._iterator._position())

    def restore(self, state):
        """Goes to a position that `save` returned.

        Args:
          state: The string tensor.

        >>> it = tf.data.Dataset.range(3).as_numpy_iterator()
        >>> position = it.save()
        >>> int(next(it)), it.restore(position), int(next(it))
        (0, None, 0)
        """
        self._iterator._go_to(convert_to_tensor(state))

    _save, _restore = save, restore  # names of TensorFlow before they were public

    def __repr__(self):
        return f"<NumpyIterator of {self._iterator!r}>"


def _to_numpy(x):
    if x is None:
        return None
    if isinstance(x, EagerTensor):
        value = x.numpy()
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        return value
    if hasattr(x, "as_numpy_iterator"):
        return x.as_numpy_iterator()
    if isinstance(x, SparseTensor):
        return to_dense(x).numpy()
    return x.numpy() if hasattr(x, "numpy") else x
