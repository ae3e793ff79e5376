"""Tensor lists inside programs: a buffer `[capacity, …]` and a length.

A list whose element shape is not known yet is *unallocated*: it has a length but no buffer. The first write allocates
it. A list that a loop carries must be allocated and have a capacity before the loop starts: `prepare_lists` lowers the
body abstractly once to learn the element shape, and takes the capacity from the loop's trip count.

A list that grows with the index of a write (`TensorArray(dynamic_size=True)`) gets its final length before the loop if
every index is known. The loop cannot tell the difference, since it does nothing else with the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax import lax

from reflow.compile.loop_counts import followed
from reflow.compile.lowering import MakeHost, NeedsValue, as_array, rule
from reflow.core.shapes import is_fully_known
from reflow.ops.kernels.control import lists as kernels
from reflow.ops.kernels.control.list_shapes import other_rows
from reflow.ops.kernels.control.lists import as_dims, outside

if TYPE_CHECKING:
    from reflow.compile.loops import Loop
    from reflow.compile.lowering import Lowering
    from reflow.core.dtypes import DType
    from reflow.core.types import Array, Dims, Value
    from reflow.runtime.schedule import Instruction

LARGEST_BOUND = 1 << 28  # bytes of a list for a loop that may end earlier


@jax.tree_util.register_pytree_node_class
class ListValue:
    """A tensor list in a program.

    `buffer` is None while unallocated; `length` is a known int or a 0-d int32. `grown`: the list is inside a loop that
    writes no element beyond the last one.
    """

    def __init__(
        self, buffer: Array, length: Any, dtype: DType, dims: Dims | None, capacity: int | None = None,
        grown: bool = False,
    ) -> None:
        self.buffer, self.length, self.dtype, self.dims, self.capacity = buffer, length, dtype, dims, capacity
        self.grown = grown

    shape = ()

    def tree_flatten(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """A known length is part of the type: it cannot change in a loop unless the loop makes it dynamic first."""
        fixed = self.length if isinstance(self.length, int) else None
        return (self.buffer, None if fixed is not None else self.length), (fixed, self.dtype, self.capacity, self.grown)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> ListValue:
        fixed, dtype, capacity, grown = aux
        buffer, length = children
        return cls(buffer, length if fixed is None else fixed, dtype, None, capacity, grown)

    def allocated(self, element_shape: Any, capacity: int | None = None) -> ListValue:
        """This list with a buffer for elements of the given shape."""
        if self.buffer is not None:
            return self
        capacity = capacity if capacity is not None else self.capacity
        if capacity is None:
            raise NeedsCapacity(self, tuple(element_shape))
        buffer = lax.full((capacity, *element_shape), 0, self.dtype.np_dtype)
        return ListValue(buffer, self.length, self.dtype, self.dims, capacity, self.grown)

    def lengthened(self, length: int, grown: bool = False) -> ListValue:
        """This list, of known length, extended to at least that many elements."""
        length = max(length, self.length)
        buffer = self.buffer
        if buffer is not None and buffer.shape[0] < length:
            more = [(0, length - buffer.shape[0], 0)] + [(0, 0, 0)] * (buffer.ndim - 1)
            buffer = lax.pad(buffer, np.zeros((), buffer.dtype), more)
        capacity = length if self.capacity is None else max(length, self.capacity)
        return ListValue(buffer, length, self.dtype, self.dims, capacity, grown)

    def as_arrays(self) -> ListValue:
        """In the form that branches return and loops carry."""
        if self.buffer is None:
            raise TypeError("a tensor list without elements crosses a branch or loop")
        return ListValue(as_array(self.buffer), self.length, self.dtype, None, self.buffer.shape[0], self.grown)

    def add(self, other: ListValue) -> ListValue:
        """The elementwise sum, for gradients."""
        if self.buffer is None or other.buffer is None:
            return other if self.buffer is None else self
        if self.buffer.shape != other.buffer.shape:
            raise TypeError("lists of different lengths are added")
        return ListValue(lax.add(self.buffer, other.buffer), self.length, self.dtype, self.dims, self.capacity)

    def zeros_like(self) -> ListValue:
        """A list of zeros."""
        buffer = None if self.buffer is None else lax.full_like(self.buffer, 0)
        return ListValue(buffer, self.length, self.dtype, self.dims, self.capacity)

    def with_dynamic_length(self) -> ListValue:
        length = np.asarray(self.length, np.int32) if isinstance(self.length, int) else self.length
        return ListValue(self.buffer, as_array(length), self.dtype, self.dims, self.capacity)


class NeedsCapacity(Exception):
    """A push onto a list of unknown capacity."""

    def __init__(self, value: Value, element_shape: Any) -> None:
        super().__init__("a tensor list grows without a known bound")
        self.value, self.element_shape = value, element_shape


def prepare_lists(loop: Loop, values: Sequence[Value]) -> list[Value]:
    """The loop's inputs, with every list that the loop changes allocated and large enough,
    and its length dynamic if it changes."""
    lists = [i for i in loop.changing if isinstance(values[i], ListValue)]
    values = list(values)
    if not lists:
        return values
    bound = loop.bound
    for i in lists:
        values[i] = _grown_ahead(loop, i, values[i])
    learned = _abstract_body(loop, values, bound)
    for i in lists:
        value, after = values[i], learned.get(i)
        if after is None:
            raise MakeHost(loop.instruction, "a list's element shape is not known")
        shape, growth = after
        if value.buffer is None:
            capacity = value.capacity
            if capacity is None and bound is None:
                why = "the number of iterations, and so the size of a list, is not known"
                raise MakeHost(loop.instruction, why, refused=True)
            if capacity is None:
                capacity = int(bound or 0) + int(value.length)
            if loop.count is None and capacity * int(np.prod(shape)) * value.dtype.size > LARGEST_BOUND:
                raise MakeHost(loop.instruction, f"a list for at most {capacity} iterations would be too large")
            value = value.allocated(shape, capacity)
        if growth != 0:
            if isinstance(value.length, int) and growth is not None:
                loop.growth[i] = (value.length, growth)
            value = value.with_dynamic_length()
        values[i] = value
    return values


def _abstract_body(loop: Loop, values: Sequence[Value], bound: int | None) -> dict:
    """For each list in the body's outputs: the element shape, and its growth in an iteration (None: unknown)."""
    checks = loop.lowering.root.checks
    count = len(checks)
    found: dict = {}
    plain = [i for i in loop.changing if not isinstance(values[i], ListValue)]

    def abstract(*arrays: Any) -> Any:
        full = list(values)
        for i, a in zip(plain, arrays, strict=True):
            full[i] = a
        for i, v in enumerate(full):
            if isinstance(v, ListValue) and v.capacity is None:
                full[i] = ListValue(v.buffer, v.length, v.dtype, v.dims, (bound or 0) + int(v.length) + 1, v.grown)
        outs = loop.lowering.child().run_graph(loop.body, full)
        for i, out in enumerate(outs):
            if isinstance(out, ListValue):
                shape = out.buffer.shape[1:] if out.buffer is not None else out.dims
                before = full[i].length
                both_known = isinstance(before, int) and isinstance(out.length, int)
                growth = out.length - before if both_known else 0 if out.length is before else None
                if is_fully_known(shape):
                    found[i] = (tuple(shape), growth)
        return 0

    try:
        jax.eval_shape(abstract, *[as_array(values[i]) for i in plain])
    except TypeError as error:
        raise MakeHost(loop.instruction, str(error)[:200]) from None
    finally:
        del checks[count:]
    return found


def _grown_ahead(loop: Loop, position: int, value: ListValue) -> ListValue:
    """The list with its final length, if the loop does nothing but write elements at known positions."""
    before, after = loop.body.inputs[position], loop.body.outputs[position]
    if loop.count is None or not isinstance(value.length, int) or before.consumers() != [after.op]:
        return value
    node = after.op
    if node.record.list_use != "set" or not node.attrs.get("resize_if_index_out_of_bounds") or after.consumers():
        return value
    places = followed(loop.count, loop.body, loop.values, loop.changing, node.inputs[1])
    if not places or min(places) < 0:
        return value
    return value.lengthened(int(max(places)) + 1, grown=True)


def finish_lists(loop: Loop, values: list[Value]) -> list[Value]:
    """After the loop: lengths that grew by a fixed amount in a known number of iterations are known again."""
    for i in loop.changing:
        old = values[i]
        if isinstance(old, ListValue) and old.grown:
            values[i] = ListValue(old.buffer, old.length, old.dtype, old.dims, old.capacity)
    for i, (start, growth) in loop.growth.items():
        if loop.count is not None:
            old = values[i]
            values[i] = ListValue(old.buffer, start + growth * loop.count.trips, old.dtype, old.dims, old.capacity)
    return values


def _known_int(value: Value) -> int | None:
    return int(value) if isinstance(value, (np.ndarray, int, np.integer)) else None


@rule(kernels.empty_tensor_list)
def _empty(lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> list[Any]:
    shape, maximum = values
    if not isinstance(shape, np.ndarray):
        raise NeedsValue(instruction.op, "element_shape", 0)
    limit = _known_int(maximum)
    capacity = limit if limit is not None and limit >= 0 else None
    return [ListValue(None, 0, instruction.attrs["element_dtype"], as_dims(shape), capacity)]


@rule(kernels.tensor_list_reserve)
def _reserve(lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> list[Any]:
    shape, count = values
    if not isinstance(count, np.ndarray):
        raise NeedsValue(instruction.op, "num_elements", 1)
    dims = as_dims(shape) if isinstance(shape, np.ndarray) else None
    n = int(count)
    value = ListValue(None, n, instruction.attrs["element_dtype"], dims, n)
    return [value.allocated(dims, n) if is_fully_known(dims) else value]


@rule(kernels.tensor_list_from_tensor)
def _from_tensor(lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> list[Any]:
    tensor, shape = values
    if isinstance(shape, np.ndarray):
        kernels.check_rows(as_dims(shape), tensor)
    elif shape.ndim and not lowering.root.skip_checks:
        rows = np.array(tensor.shape[1:], shape.dtype)
        if shape.shape != rows.shape:
            raise ValueError("the elements of a list have another rank than the rows it is made of")
        fits = lax.bitwise_or(lax.eq(shape, rows), lax.lt(shape, np.zeros_like(rows)))
        lowering.fail_unless(
            lax.reduce_and(fits, (0,)), instruction, lambda tensor, shape: other_rows(as_dims(shape), tensor)
        )
    n = tensor.shape[0]
    return [ListValue(as_array(tensor), n, instruction.node.inputs[0]._dtype, tuple(tensor.shape[1:]), n)]


def _write(value: ListValue, index: Any, item: Array) -> Array:
    item = as_array(item)
    value = value.allocated(item.shape)
    if item.dtype != value.buffer.dtype:
        raise TypeError(f"list elements of {value.buffer.dtype} and {item.dtype}")
    if tuple(value.buffer.shape[1:]) != tuple(item.shape):
        raise TypeError(f"list elements of shapes {value.buffer.shape[1:]} and {item.shape}")
    zero = np.int32(0)
    starts = [index] + [zero] * len(item.shape)
    starts = [lax.convert_element_type(s, np.int32) for s in starts]
    return lax.dynamic_update_slice(value.buffer, lax.expand_dims(item, (0,)), starts)


def _read(value: ListValue, index: Any, shape: Any) -> Array:
    if value.buffer is None:
        dims = as_dims(shape) if isinstance(shape, np.ndarray) else None
        if not is_fully_known(dims):
            raise TypeError("reading an element that was never written")
        return lax.full(dims, 0, value.dtype.np_dtype)
    return lax.dynamic_index_in_dim(value.buffer, lax.convert_element_type(index, np.int32), 0, keepdims=False)


@rule(kernels.tensor_list_set_item)
def _set_item(lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> list[Any]:
    value, index, item = values
    if instruction.attrs.get("resize_if_index_out_of_bounds") and not value.grown:
        at = _known_int(index)
        if at is None or at < 0 or not isinstance(value.length, int):
            raise MakeHost(instruction, "the list grows with its index")
        value = value.lengthened(at + 1)
    try:
        buffer = _write(value, index, item)
    except (TypeError, NeedsCapacity) as error:
        raise MakeHost(instruction, str(error)) from None
    if not value.grown:
        _check_index(lowering, instruction, value, index, "modify")
    return [ListValue(buffer, value.length, value.dtype, value.dims, buffer.shape[0], value.grown)]


def _check_index(lowering: Lowering, instruction: Instruction, value: ListValue, index: Any, what: str) -> None:
    length = value.length
    if isinstance(index, np.ndarray) and isinstance(length, int) and 0 <= int(index) < length:
        return
    if not lowering.root.skip_checks:
        index = lax.convert_element_type(index, np.int32)
        ok = lax.bitwise_and(
            lax.ge(index, np.int32(0)),
            lax.lt(
                index, lax.convert_element_type(np.asarray(length) if isinstance(length, int) else length, np.int32)
            ),
        )
        lowering.fail_unless(ok, instruction, lambda handle, index, *_: outside(what, handle, index))


@rule(kernels.tensor_list_get_item)
def _get_item(lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> list[Any]:
    value, index, shape = values
    _check_index(lowering, instruction, value, index, "access")
    try:
        return [_read(value, index, shape)]
    except TypeError as error:
        raise MakeHost(instruction, str(error)) from None


@rule(kernels.tensor_list_push_back)
def _push(lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> list[Any]:
    value, item = values
    if isinstance(value.length, int) and value.buffer is not None and value.length >= value.buffer.shape[0]:
        longer = value.lengthened(value.length + 1)
        value = ListValue(longer.buffer, value.length, value.dtype, value.dims, value.length + 1)
    try:
        buffer = _write(value, value.length if hasattr(value.length, "dtype") else np.int32(value.length), item)
    except (TypeError, NeedsCapacity) as error:
        raise MakeHost(instruction, str(error)) from None
    length = value.length + 1 if isinstance(value.length, int) else lax.add(value.length, np.int32(1))
    return [ListValue(buffer, length, value.dtype, value.dims, buffer.shape[0])]


@rule(kernels.tensor_list_pop_back)
def _pop(lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> list[Any]:
    value, shape = values
    length = value.length - 1 if isinstance(value.length, int) else lax.sub(value.length, np.int32(1))
    try:
        item = _read(value, np.int32(length) if isinstance(length, int) else length, shape)
    except TypeError as error:
        raise MakeHost(instruction, str(error)) from None
    return [ListValue(value.buffer, length, value.dtype, value.dims, value.capacity), item]


@rule(kernels.tensor_list_length)
def _length(lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> list[Any]:
    length = values[0].length
    return [np.asarray(length, np.int32) if isinstance(length, int) else length]


@rule(kernels.tensor_list_element_shape)
def _element_shape_op(lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> list[Any]:
    value = values[0]
    dims = value.buffer.shape[1:] if value.buffer is not None else value.dims
    return [
        np.asarray(
            -1 if dims is None else [-1 if d is None else d for d in dims], instruction.attrs["shape_type"].np_dtype
        )
    ]


@rule(kernels.tensor_list_stack)
def _stack(lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> list[Any]:
    value, shape = values
    promised = instruction.attrs.get("num_elements", -1)
    if isinstance(value.length, int) and 0 <= promised != value.length and not lowering.root.skip_checks:
        raise MakeHost(instruction, f"{promised} elements are expected of a list of {value.length}")
    if value.buffer is None:
        dims = as_dims(shape) if isinstance(shape, np.ndarray) else None
        dims = dims if is_fully_known(dims) else value.dims
        if not is_fully_known(dims) or not isinstance(value.length, int):
            raise MakeHost(instruction, "the list's element shape is not known")
        return [lax.full((value.length, *dims), 0, value.dtype.np_dtype)]
    if isinstance(value.length, int):
        return [
            value.buffer if value.length == value.buffer.shape[0] else lax.slice_in_dim(value.buffer, 0, value.length)
        ]
    wanted = instruction.attrs.get("num_elements", -1)
    if wanted == value.buffer.shape[0]:
        return [value.buffer]
    raise MakeHost(instruction, "the list's length depends on data")
