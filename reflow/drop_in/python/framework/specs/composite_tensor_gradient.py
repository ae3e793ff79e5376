"""`tensorflow.python.framework.composite_tensor_gradient`: the parts of composite tensors that gradients reach.

A class of composite tensors says what these are in its attribute `__composite_gradient__`.
"""

import abc
from typing import Protocol, runtime_checkable

from reflow.core.indexed_slices import IndexedSlices
from reflow.core.ragged import RaggedTensor
from reflow.core.tensor import Tensor
from reflow.eager.variables import Variable


class CompositeTensorGradient(abc.ABC):
    """How gradients reach the parts of a composite tensor."""

    @abc.abstractmethod
    def get_gradient_components(self, value):
        """The components: a tensor, a composite tensor, or a structure of them."""

    @abc.abstractmethod
    def replace_gradient_components(self, value, component_grads):
        """A copy of the value with gradients in place of its parts."""


@runtime_checkable
class CompositeTensorGradientProtocol(Protocol):
    """A class with gradients of its own."""

    __composite_gradient__: CompositeTensorGradient


class WithValuesCompositeTensorGradient(CompositeTensorGradient):
    """For classes whose gradients reach `values` alone, and that have `with_values`."""

    def get_gradient_components(self, value):
        return value.values

    def replace_gradient_components(self, value, component_grads):
        return value.with_values(component_grads)


class _Itself(CompositeTensorGradient):
    """Slices of a tensor are a gradient as they are."""

    def get_gradient_components(self, value):
        return value

    def replace_gradient_components(self, value, component_grads):
        return component_grads


def _protocol(value):
    if isinstance(value, IndexedSlices):
        return _Itself()
    own = (
        WithValuesCompositeTensorGradient() if isinstance(value, RaggedTensor)
        else getattr(value, "__composite_gradient__", None)
    )
    if own is None:
        raise ValueError(f"Type {type(value).__name__} is not supported as a gradient source or gradient target.")
    return own


def _is_leaf(value) -> bool:
    return value is None or isinstance(value, (Tensor, Variable)) or not getattr(value, "_is_composite", False)


def _tensors(value):
    """The tensors of a value that gradients reach."""
    if isinstance(value, (list, tuple)):
        return [tensor for part in value for tensor in _tensors(part)]
    if _is_leaf(value) or isinstance(value, IndexedSlices):
        return [value]
    return _tensors(_protocol(value).get_gradient_components(value))


def _replaced(value, gradients):
    """The value with the next gradients of an iterator in place of its tensors; None if a gradient is missing."""
    if isinstance(value, (list, tuple)):
        return type(value)(_replaced(part, gradients) for part in value)
    if _is_leaf(value) or isinstance(value, IndexedSlices):
        return next(gradients)
    protocol = _protocol(value)
    found = _replaced(protocol.get_gradient_components(value), gradients)
    missing = found is None or isinstance(found, (list, tuple)) and all(part is None for part in found)
    return None if missing else protocol.replace_gradient_components(value, found)


def get_flat_tensors_for_gradients(xs) -> list:
    """The tensors of a list of values that gradients reach.

    Raises:
      ValueError: a value is composite, and its class does not say what they are.
    """
    return _tensors(list(xs))


def replace_flat_tensors_for_gradients(xs, flat_grads) -> list:
    """The values with gradients in place of the tensors that `get_flat_tensors_for_gradients` gives."""
    count = len(get_flat_tensors_for_gradients(xs))
    if count != len(flat_grads):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had {len(flat_grads)} items."
        )
    return _replaced(list(xs), iter(flat_grads))
