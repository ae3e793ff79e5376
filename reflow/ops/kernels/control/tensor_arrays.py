"""Tensor arrays as resources: `TensorArray` in TensorFlow 1 graphs. In current graphs it is a tensor list (`lists.py`).

A *flow* is a meaningless number that each op takes and returns, so that a graph orders the ops. The *gradient* of an
array is an array of the same size that belongs to it, one for each `source`; repeated writes to the same element are
summed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.core import dtypes
from reflow.core.dtypes import DType
from reflow.core.resources import new_resource_name
from reflow.core.shapes import dims_of
from reflow.core.tensor import HostObject
from reflow.core.types import Array, Dims
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.strings.elementwise import invalid
from reflow.ops.registry import NO_GRADIENT, op

_CLEARED = object()  # stands where an element was that has been read


class TensorArrayResource(HostObject):
    """The value of an array's handle. An element is an array, None before it is written, or `_CLEARED`."""

    tensor_dtype = dtypes.resource

    def __init__(
        self, size: int, dtype: DType, dims: Dims | None, *, dynamic: bool, clear: bool, alike: bool, name: str
    ) -> None:
        self.items: list[Any] = [None] * size
        self.dtype, self.dims, self.dynamic, self.clear, self.alike = dtype, dims, dynamic, clear, alike
        self.name = name or new_resource_name("TensorArray")
        self.sums, self.closed = False, False
        self.gradients: dict[str, TensorArrayResource] = {}

    def gradient(self, source: str, outer: tuple[int, ...] = ()) -> TensorArrayResource:
        """The array for cotangents of that source, made at the first call; from then on this one keeps its size."""
        if source not in self.gradients:
            self._check_open()
            dims = None if self.dims is None else (*outer, *self.dims)
            facts = {"dynamic": False, "clear": False, "alike": self.alike, "name": f"{self.name}@{source}"}
            made = TensorArrayResource(len(self.items), self.dtype, dims, **facts)  # type: ignore[arg-type]
            made.sums, self.dynamic = True, False
            for i, item in enumerate(self.items):
                if isinstance(item, np.ndarray) and made.dims is None:
                    made.items[i] = np.zeros((*outer, *item.shape), item.dtype)
            self.gradients[source] = made
        return self.gradients[source]

    def _fail(self, message: str) -> Exception:
        return invalid(f"TensorArray {self.name}: {message}")

    def _check_open(self) -> None:
        if self.closed:
            raise invalid(f"TensorArray {self.name} has already been closed.")

    def write(self, index: int, value: Array) -> None:
        self._check_open()
        if index < 0 or index >= len(self.items) and not self.dynamic:
            raise self._fail(
                f"Tried to write to index {index} but array is not resizeable and size is: {len(self.items)}"
            )
        self.items += [None] * (index + 1 - len(self.items))
        failed = f"Could not write to TensorArray index {index} because"
        if not _fits(value.shape, self.dims):
            raise self._fail(
                f"{failed} the value shape is {rules.text(value.shape)} which is incompatible with the TensorArray's "
                f"inferred element shape: {rules.text(self.dims)} (consider setting infer_shape=False)."
            )
        old = self.items[index]
        if old is _CLEARED:
            raise self._fail(f"{failed} it has already been read.")
        if old is not None and not self.sums:
            raise self._fail(f"{failed} it has already been written to.")
        if old is not None and old.shape != value.shape:
            raise self._fail(
                f"Could not aggregate to TensorArray index {index} because the existing shape is "
                f"{rules.text(old.shape)} but the new input shape is {rules.text(value.shape)}."
            )
        if self.alike and self.dims is None:
            self.dims = value.shape
        self.items[index] = value if old is None else np.add(old, value, out=...)

    def read(self, index: int) -> Array:
        self._check_open()
        if not 0 <= index < len(self.items):
            raise self._fail(f"Tried to read from index {index} but array size is: {len(self.items)}")
        item = self.items[index]
        if item is _CLEARED:
            raise self._fail(
                f"Could not read index {index} twice because it was cleared after a previous read (perhaps try setting "
                "clear_after_read = false?)."
            )
        if item is None:
            if self.dims is None or None in self.dims:
                raise self._fail(
                    f"Could not read from TensorArray index {index}.  Furthermore, the element shape is not fully "
                    f"defined: {rules.text(self.dims)}.  It is possible you are working with a resizeable TensorArray "
                    "and stop_gradients is not allowing the gradients to be written.  If you set the full "
                    "element_shape property on the forward TensorArray, the proper all-zeros tensor will be returned "
                    "instead of incurring this error."
                )
            item = np.zeros(self.dims, self.dtype.np_dtype)
        if self.clear:
            self.items[index] = _CLEARED
        return item

    def close(self) -> None:
        self.closed = True
        self.items.clear()


def _fits(dims: tuple[int, ...], expected: Dims | None) -> bool:
    return (
        expected is None
        or len(dims) == len(expected) and all(e in (None, d) for d, e in zip(dims, expected, strict=True))
    )


def _array_op(name: str, shape=rules.scalar, **facts: Any):
    return op(name, shape=shape, host=True, writes=("handle",), **facts)


def _unknown(f):
    return [None]


# --- making -----------------------------------------------------------------------------------------------------------


@op("TensorArrayV3", fits="0", shape=lambda f: [(2,), ()], host=True, effect=True, grad=NO_GRADIENT)
def tensor_array(
    _, size, dtype, element_shape=None, dynamic_size=False, clear_after_read=True, identical_element_shapes=False,
    tensor_array_name="",
):
    if size.ndim:
        raise invalid(f"TensorArray size must be scalar, but had shape: {rules.text(size.shape)}")
    if size < 0:
        raise invalid(f"Size should be >= 0, not {size}")
    facts = {
        "dynamic": dynamic_size, "clear": clear_after_read, "alike": identical_element_shapes, "name": tensor_array_name
    }
    return TensorArrayResource(int(size), dtype, dims_of(element_shape), **facts), np.zeros((), np.float32)


@_array_op("TensorArrayGradV3", lambda f: [(2,), ()], grad=NO_GRADIENT)
def tensor_array_grad(_, handle, flow_in, source):
    return handle.gradient(source), flow_in


@_array_op("TensorArrayGradWithShape", lambda f: [(2,), ()], grad=NO_GRADIENT)
def tensor_array_grad_with_shape(_, handle, flow_in, shape_to_prepend, source):
    return handle.gradient(source, tuple(shape_to_prepend.tolist())), flow_in


@_array_op("TensorArrayCloseV3", rules.no_outputs, grad=NO_GRADIENT)
def tensor_array_close(_, handle):
    handle.close()
    return ()


@_array_op("TensorArraySizeV3", grad=NO_GRADIENT)
def tensor_array_size(_, handle, flow_in):
    handle._check_open()
    return np.asarray(len(handle.items), np.int32)


# --- one element ------------------------------------------------------------------------------------------------------


@_array_op("TensorArrayWriteV3")
def tensor_array_write(_, handle, index, value, flow_in):
    handle.write(int(index), value)
    return flow_in


@_array_op("TensorArrayReadV3", _unknown)
def tensor_array_read(_, handle, index, flow_in):
    return handle.read(int(index))


# --- many elements ----------------------------------------------------------------------------------------------------


def _element_shape(f):
    dims = dims_of(f.attrs.get("element_shape"))
    return [None if dims is None else (f.shapes[1] and f.shapes[1][0], *dims)]


@_array_op("TensorArrayGatherV3", _element_shape)
def tensor_array_gather(_, handle, indices, flow_in, dtype, element_shape=None):
    if not indices.size:
        dims = dims_of(element_shape) or handle.dims
        if dims is None or None in dims:
            raise invalid(
                f"TensorArray has size zero, but element shape {rules.text(dims)} is not fully defined. Currently only "
                "static shapes are supported when packing zero-size TensorArrays."
            )
        return np.zeros((0, *dims), dtype.np_dtype)
    found = [handle.read(i) for i in indices.tolist()]
    for i, item in enumerate(found):
        if item.shape != found[0].shape:
            raise invalid(
                f"TensorArray has inconsistent shapes.  Index 0 has shape: {rules.text(found[0].shape)} but index {i} "
                f"has shape: {rules.text(item.shape)}"
            )
    return np.stack(found)


@_array_op("TensorArrayScatterV3")
def tensor_array_scatter(_, handle, indices, value, flow_in):
    if not value.ndim or len(value) != indices.size:
        raise invalid(
            f"Expected len(indices) == values.shape[0], but saw: {indices.size} vs. "
            f"{value.shape[0] if value.ndim else 0}"
        )
    for i, row in zip(indices.tolist(), value, strict=True):
        handle.write(i, row)
    return flow_in


@_array_op("TensorArrayConcatV3", lambda f: [None, (None,)])
def tensor_array_concat(_, handle, flow_in, dtype, element_shape_except0=None):
    found = [handle.read(i) for i in range(len(handle.items))]
    lengths = np.array([len(item) for item in found], np.int64)
    if not found:
        return np.zeros((0, *(d or 0 for d in dims_of(element_shape_except0) or ())), dtype.np_dtype), lengths
    return np.concatenate(found), lengths


@_array_op("TensorArraySplitV3")
def tensor_array_split(_, handle, value, lengths, flow_in):
    if lengths.sum() != len(value):
        raise invalid(
            f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {lengths.sum()} and "
            f"value's shape is: {rules.text(value.shape)} "
        )
    if lengths.size != len(handle.items) and not handle.dynamic:
        raise invalid(
            f"TensorArray's size is not equal to the size of lengths ({len(handle.items)} vs. {lengths.size}), and the "
            "TensorArray is not marked as dynamically resizeable"
        )
    for i, part in enumerate(np.split(value, np.cumsum(lengths)[:-1])):
        handle.write(i, part)
    return flow_in
