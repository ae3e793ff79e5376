"""Weak tensors: tensors whose dtype gives way to that of others, as that of a Python number does.

They exist in the promotion modes "all" and "safe" (`promotion.py`), in which `tf.constant(1)` is one. Functions take
them as the tensors that they hold; which functions also return weak tensors is said in `weak_functions.py`.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from reflow.api.framework.batchable_type import BatchableExtensionType
from reflow.api.numpy.types import settings
from reflow.core import dtypes, errors
from reflow.core.shapes import TensorShape
from reflow.core.tensor import EagerTensor, Tensor
from reflow.ops.convert import convert_to_tensor

ALLOWED = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.complex128)
#: methods of NumPy whose results are not weak
_STRONG_METHODS = frozenset(("astype", "clip", "data", "size", "tolist"))


class WeakTensor(BatchableExtensionType, checked=False):
    """A tensor with a weak dtype: int32, int64, float32, float64 or complex128."""

    tensor: Tensor
    is_tensor_like = True
    _is_weak = True
    __array_priority__ = 110  # above that of tensors: NumPy arrays leave operators to it

    def __validate__(self) -> None:
        if self.tensor.dtype not in ALLOWED:
            names = ", ".join(map(repr, ALLOWED))
            raise TypeError(
                f"<dtype: '{self.tensor.dtype.name}'> not allowed as a weak type. The allowed types are ({names})."
            )

    @classmethod
    def from_tensor(cls, tensor: Any) -> WeakTensor:
        """The weak tensor around a tensor; a weak tensor itself.

        Raises:
          TypeError: the tensor's dtype cannot be weak.
        """
        if isinstance(tensor, WeakTensor):
            return tensor
        if not isinstance(tensor, Tensor):
            raise errors.InvalidArgumentError(
                None, None,
                f"WeakTensor can only be constructed from tf.Tensor or tf.WeakTensor, but {type(tensor)} was given.",
            )
        kind: Any = EagerWeakTensor if isinstance(tensor, EagerTensor) else GraphWeakTensor
        return kind(tensor)

    dtype = property(lambda self: self.tensor.dtype)
    shape = property(lambda self: self.tensor.shape)

    def to_tensor(self) -> Tensor:
        """The tensor, which is not weak."""
        return self.tensor

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return convert_to_tensor(self.tensor, dtype, name=name)

    def _as_graph_element(self) -> Tensor:
        return self.tensor

    def _shape_as_list(self) -> list | None:
        return None if self.shape.rank is None else list(self.shape._dims)

    def _gradient_parts(self) -> Tensor:
        return self.tensor

    def _from_gradient_parts(self, gradient: Any) -> WeakTensor | None:
        return None if gradient is None else WeakTensor.from_tensor(gradient)

    # --- as a tensor --------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "tensor" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return _method(self, name) if name in _numpy_methods() else getattr(self.tensor, name)

    def __repr__(self) -> str:
        return f"{self.tensor!r}"[:-1] + ", weak=True>"

    def __str__(self) -> str:
        return str(self.tensor)[:-1] + ", weak=True)"

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.tensor)

    def __copy__(self) -> WeakTensor:
        return self._type_spec._from_components([self.tensor])

    def __deepcopy__(self, memo: dict) -> WeakTensor:
        result = memo[id(self)] = self._type_spec._from_components([copy.deepcopy(self.tensor, memo)])
        return result

    def __len__(self) -> int:
        return len(self.tensor)

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __iter__(self) -> Iterator[WeakTensor]:
        return map(WeakTensor.from_tensor, iter(self.tensor))

    def __getitem__(self, key: Any) -> Tensor:
        return self.tensor[key]


class EagerWeakTensor(WeakTensor):
    """A weak tensor with a value."""

    __name__ = "tf.EagerWeakTensor"

    def numpy(self) -> Any:
        """The value as an array that the caller may change."""
        return self.tensor.numpy()

    def __complex__(self) -> complex:
        return complex(self.tensor)

    def __int__(self) -> int:
        return int(self.tensor)

    def __float__(self) -> float:
        return float(self.tensor)

    def __index__(self) -> int:
        return operator.index(self.tensor)  # type: ignore[arg-type]

    def __format__(self, format_spec: str) -> str:
        return f"{format(self.tensor, format_spec)} weakly typed"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = np.array(self.tensor) if copy else np.asarray(self.tensor)
        return array if dtype is None else array.astype(dtype, copy=False)


class GraphWeakTensor(WeakTensor):
    """A weak tensor in a graph."""

    __name__ = "tf.GraphWeakTensor"


def convert_to_weak_tensor_or_tensor(t: Any, to_weak: bool) -> Any:
    """A tensor as a weak one if `to_weak`, else as a plain one; anything else unchanged."""
    if to_weak:
        return WeakTensor.from_tensor(t)
    return t.tensor if isinstance(t, WeakTensor) else t


def weakened(value: Any) -> Any:
    """A tensor whose dtype may be weak as a weak tensor; anything else as it is."""
    return WeakTensor.from_tensor(value) if isinstance(value, Tensor) and value.dtype in ALLOWED else value


def plain(value: Any) -> Any:
    """A weak tensor as the tensor that it holds; lists and tuples with those in them."""
    if isinstance(value, WeakTensor):
        return value.tensor
    return type(value)(map(plain, value)) if type(value) in (list, tuple) else value


def _numpy_methods() -> dict[str, Any]:
    from reflow.api.numpy.behavior import METHODS  # which imports this module

    return METHODS


def _method(weak: WeakTensor, name: str) -> Any:
    """A method or property of NumPy: the tensor's, with a weak result where functions promote dtypes."""
    found = _numpy_methods()[name]
    finish: Callable[[Any], Any] = weakened if settings.lattice and name not in _STRONG_METHODS else plain
    if isinstance(found, property):
        return finish(found.fget(weak.tensor))  # type: ignore[misc]
    return lambda *args, **kwargs: finish(found(weak.tensor, *args, **kwargs))


def _known_rank(weak: WeakTensor) -> int:
    rank = TensorShape(weak.shape).rank
    if rank is None:
        raise ValueError("The rank of the tensor is not known.")
    return rank


WeakTensor.ndim = property(_known_rank)  # type: ignore[attr-defined]
