"""`TensorList`: an immutable list of tensors as one variant value, under `TensorArray` and the gradients of loops.

On the host a list is a Python tuple of arrays (an element never written is `None`), so a push or a write copies
references, not
data. Lowering turns the same ops into a buffer and a length (`reflow/compile/lists.py`).
"""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.shapes import dims_of, is_fully_known, merge
from reflow.core.tensor import HostObject
from reflow.ops import registry
from reflow.ops import shape_rules as rules
from reflow.ops.door import dispatch
from reflow.ops.kernels.control import ABSENT
from reflow.ops.registry import NO_GRADIENT, op

C_NAMES = {"float32": "float", "float64": "double", "float16": "half"}  # what TensorFlow's kernels call them


class TensorList(HostObject):
    """A list of arrays of one dtype; `dims` is the partial shape that all elements share."""

    __slots__ = ("items", "dtype", "dims", "limit")
    tensor_dtype = dtypes.variant

    def __init__(self, items, dtype, dims, limit=-1):
        self.items, self.dtype, self.dims, self.limit = items, dtype, dims, limit

    def replaced(self, items) -> TensorList:
        return TensorList(items, self.dtype, self.dims, self.limit)

    def zero(self, like_dims=None) -> np.ndarray:
        """What an element that was never written reads as."""
        dims = merge(self.dims, like_dims)
        for item in self.items:
            if item is not None and not is_fully_known(dims):
                dims = merge(dims, item.shape)
        if not is_fully_known(dims):
            raise errors.InvalidArgumentError(
                None,
                None,
                "Trying to read an uninitialized TensorList element whose shape is not fully defined: "
                f"{rules.text(dims)}.",
            )
        return np.zeros(dims or (), self.dtype.np_dtype)

    def add(self, other):
        """The elementwise sum, for gradients."""
        if len(self.items) != len(other.items):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Trying to add two lists of tensors with different lengths: {len(self.items)} vs. {len(other.items)}.",
            )

        def add(a, b):
            if a is None or b is None:
                return b if a is None else a
            return a.add(b) if isinstance(a, TensorList) else np.add(a, b, out=...)

        return self.replaced(tuple(map(add, self.items, other.items)))

    def zeros_like(self) -> TensorList:
        """A list of zeros: elements that were never written, unless the list does not say what shape they would have."""
        if is_fully_known(self.dims) and self.dtype is not dtypes.variant:
            return self.replaced((None,) * len(self.items))
        return self.replaced(
            tuple(
                i if i is None else i.zeros_like() if isinstance(i, TensorList) else np.zeros_like(i)
                for i in self.items
            )
        )

    def __repr__(self):
        return f"<TensorList of {len(self.items)} x {self.dtype.name}{rules.text(self.dims)}>"


def as_dims(shape):
    """The partial shape in an `element_shape` operand: a vector with -1 for unknown, or the scalar -1 for unknown rank."""
    shape = np.asarray(shape)
    return None if shape.ndim == 0 else tuple(None if d < 0 else int(d) for d in shape)


def _call(name, inputs, **attrs):
    return dispatch(registry.get(name), inputs, attrs)


def _any_shape():
    from reflow.ops.convert import constant

    return constant(-1)


def _element_rule(index):
    """The output is an element: its shape is the value of the `element_shape` operand."""

    def rule(f):
        return [rules.as_shape(f.values[index], f.shapes[index])] if f.values[index] != -1 else [None]

    return rule


@op("EmptyTensorList", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def empty_tensor_list(_, element_shape, max_num_elements, element_dtype):
    return TensorList((), element_dtype, as_dims(element_shape), int(max_num_elements))


@op("TensorListReserve", shape=rules.scalar, grad=NO_GRADIENT, host=True, static=("num_elements",))
def tensor_list_reserve(_, element_shape, num_elements, element_dtype):
    count = int(num_elements)
    if count < 0:
        raise errors.InvalidArgumentError(
            None, None, f"The num_elements to reserve must be a non negative number, but got {count}"
        )
    return TensorList((None,) * count, element_dtype, as_dims(element_shape))


def _check_fits(handle, tensor):
    if isinstance(tensor, HostObject) or tensor is ABSENT:  # the latter: of a branch not taken, nobody will read it
        return
    if tensor.dtype != handle.dtype.np_dtype:
        given, own = (C_NAMES.get(d.name, d.name) for d in (dtypes.FROM_NUMPY[tensor.dtype], handle.dtype))
        raise errors.InvalidArgumentError(
            None, None, f"Invalid data types; op elements {given} but list elements {own}"
        )
    if handle.dims is not None and (
        len(handle.dims) != tensor.ndim
        or any(d is not None and d != s for d, s in zip(handle.dims, tensor.shape, strict=True))
    ):
        raise errors.InvalidArgumentError(
            None,
            None,
            "Tried to append or set a tensor with incompatible shape to a list. Op element shape: "
            f"{rules.text(tensor.shape)} list shape: {rules.text(handle.dims)}",
        )


def _push_grad(attrs, inputs, outputs, cotangents, wanted):
    dtype = inputs[1]._dtype
    before, tensor = _call("TensorListPopBack", (cotangents[0], _any_shape()), element_dtype=dtype)
    return [before, tensor]


@op("TensorListPushBack", shape=rules.scalar, grad_tensors=_push_grad, host=True)
def tensor_list_push_back(_, input_handle, tensor, element_dtype=None):
    _check_fits(input_handle, tensor)
    if 0 <= input_handle.limit <= len(input_handle.items):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Tried to push item into a full list. List size: {len(input_handle.items)} max_num_elements: {input_handle.limit}",
        )
    return input_handle.replaced(input_handle.items + (tensor,))


def _pop_grad(attrs, inputs, outputs, cotangents, wanted):
    before, tensor = cotangents
    dtype = attrs["element_dtype"]
    if before is None:
        from reflow.ops.convert import constant

        before = _call("EmptyTensorList", (_any_shape(), constant(-1)), element_dtype=dtype)
        before = _call("TensorListResize", (before, _call("TensorListLength", (outputs[0],))))
    if tensor is None:
        tensor = _call("ZerosLike", (outputs[1],))
    return [_call("TensorListPushBack", (before, tensor), element_dtype=dtype), None]


@op("TensorListPopBack", shape=lambda f: [(), _element_rule(1)(f)[0]], grad_tensors=_pop_grad, host=True)
def tensor_list_pop_back(_, input_handle, element_shape, element_dtype):
    if not input_handle.items:
        raise errors.InvalidArgumentError(None, None, "Trying to pop from an empty list.")
    last = input_handle.items[-1]
    if last is None:
        last = input_handle.zero(as_dims(element_shape))
    return input_handle.replaced(input_handle.items[:-1]), last


@op("TensorListLength", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def tensor_list_length(_, input_handle):
    return np.asarray(len(input_handle.items), np.int32)


@op("TensorListElementShape", shape=lambda f: [None], grad=NO_GRADIENT, host=True)
def tensor_list_element_shape(_, input_handle, shape_type):
    dims = input_handle.dims
    return np.asarray(-1 if dims is None else [-1 if d is None else d for d in dims], shape_type.np_dtype)


def _resize_grad(attrs, inputs, outputs, cotangents, wanted):
    return [_call("TensorListResize", (cotangents[0], _call("TensorListLength", (inputs[0],)))), None]


@op("TensorListResize", shape=rules.scalar, grad_tensors=_resize_grad, host=True)
def tensor_list_resize(_, input_handle, size):
    size, items = int(size), input_handle.items
    return input_handle.replaced(items[:size] + (None,) * (size - len(items)))


def outside(what: str, handle, index) -> str:
    """TensorFlow's words for an index that a list does not have."""
    return f"Trying to {what} element {int(index)} in a list with {len(handle.items)} elements."


def _bad_index(what, handle, index):
    return errors.InvalidArgumentError(None, None, outside(what, handle, index))


class ItemCotangent:
    """The cotangent of a list of which one element was read: a value at an index, to be added where the list's
    cotangent is known.

    Like IndexedSlices for a gather: adding it changes one element, where a list of zeros with one element would cost
    the whole list
    in every iteration of a loop.
    """

    _dtype = dtypes.variant

    def __init__(self, handle, index, value):
        self.handle, self.index, self.value = handle, index, value

    def dense(self):
        """As a list: zeros but for one element."""
        dtype = self.value._dtype
        shape = _call("TensorListElementShape", (self.handle,), shape_type=dtypes.int32)  # of all, not of this one
        zero = _call("TensorListReserve", (shape, _call("TensorListLength", (self.handle,))), element_dtype=dtype)
        return _call("TensorListSetItem", (zero, self.index, self.value), element_dtype=dtype)

    def added_to(self, cotangent):
        """The sum of this and a list."""
        dtype = self.value._dtype
        shape = _call("Shape", (self.value,), out_type=dtypes.int32)
        old = _call("TensorListGetItem", (cotangent, self.index, shape), element_dtype=dtype)
        total = _call("AddV2", (old, self.value))
        return _call("TensorListSetItem", (cotangent, self.index, total), element_dtype=dtype)


def _get_grad(attrs, inputs, outputs, cotangents, wanted):
    return [ItemCotangent(inputs[0], inputs[1], cotangents[0]), None, None]


@op("TensorListGetItem", shape=_element_rule(2), grad_tensors=_get_grad, host=True)
def tensor_list_get_item(_, input_handle, index, element_shape, element_dtype):
    at = int(index)
    if not 0 <= at < len(input_handle.items):
        raise _bad_index("access", input_handle, at)
    item = input_handle.items[at]
    return input_handle.zero(as_dims(element_shape)) if item is None else item


def _set_grad(attrs, inputs, outputs, cotangents, wanted):
    handle, index, item = inputs
    dtype = item._dtype
    shape = _call("Shape", (item,), out_type=dtypes.int32)
    element = _call("TensorListGetItem", (cotangents[0], index, shape), element_dtype=dtype) if wanted[2] else None
    rest = (
        _call("TensorListSetItem", (cotangents[0], index, _call("ZerosLike", (item,))), element_dtype=dtype)
        if wanted[0]
        else None
    )
    return [rest, None, element]


@op("TensorListSetItem", shape=rules.scalar, grad_tensors=_set_grad, host=True)
def tensor_list_set_item(_, input_handle, index, item, element_dtype=None, resize_if_index_out_of_bounds=False):
    at, items = int(index), input_handle.items
    if at >= len(items) and resize_if_index_out_of_bounds:
        items = items + (None,) * (at + 1 - len(items))
    if not 0 <= at < len(items):
        raise _bad_index("modify", input_handle, at)
    _check_fits(input_handle, item)
    return input_handle.replaced(items[:at] + (item,) + items[at + 1 :])


def _stack_shape(f):
    element = _element_rule(1)(f)[0]
    count = f.attr("num_elements")
    return [None] if element is None else [((count if count is not None and count >= 0 else None), *element)]


def _stack_grad(attrs, inputs, outputs, cotangents, wanted):
    return [_call("TensorListFromTensor", (cotangents[0], inputs[1]), element_dtype=attrs["element_dtype"]), None]


@op("TensorListStack", shape=_stack_shape, grad_tensors=_stack_grad, host=True)
def tensor_list_stack(_, input_handle, element_shape, element_dtype, num_elements=-1):
    items = input_handle.items
    if 0 <= num_elements != len(items):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Operation expected a list with {num_elements} elements but got a list with {len(items)} elements.",
        )
    dims = as_dims(element_shape)
    if not items:
        dims = merge(dims, input_handle.dims)
        if not is_fully_known(dims):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Tried to stack elements of an empty list with non-fully-defined element_shape: {rules.text(dims)}",
            )
        return np.zeros((0, *dims), element_dtype.np_dtype)
    if any(i is None for i in items):
        zero = input_handle.zero(dims)
        items = [zero if i is None else i for i in items]
    return np.stack(items)


def _from_tensor_grad(attrs, inputs, outputs, cotangents, wanted):
    tensor = inputs[0]
    dims = tensor.shape._dims
    count = dims[0] if dims and dims[0] is not None else -1
    grad = _call("TensorListStack", (cotangents[0], inputs[1]), element_dtype=tensor._dtype, num_elements=count)
    return [_call("Reshape", (grad, _call("Shape", (tensor,), out_type=dtypes.int32))), None]


@op("TensorListFromTensor", shape=rules.scalar, grad_tensors=_from_tensor_grad, host=True)
def tensor_list_from_tensor(_, tensor, element_shape):
    return (
        TensorList(tuple(tensor), dtypes.FROM_NUMPY[tensor.dtype], as_dims(element_shape))
        if tensor.ndim > 1
        else TensorList(
            tuple(tensor[i, ...] for i in range(len(tensor))), dtypes.FROM_NUMPY[tensor.dtype], as_dims(element_shape)
        )
    )


def _gather_shape(f):
    element = _element_rule(2)(f)[0]
    return [None] if element is None or f.shapes[1] is None else [(f.shapes[1][0], *element)]


def _gather_grad(attrs, inputs, outputs, cotangents, wanted):
    handle, indices, element_shape = inputs
    length = _call("TensorListLength", (handle,))
    return [
        _call(
            "TensorListScatterV2", (cotangents[0], indices, element_shape, length), element_dtype=attrs["element_dtype"]
        ),
        None,
        None,
    ]


@op("TensorListGather", shape=_gather_shape, grad_tensors=_gather_grad, host=True)
def tensor_list_gather(_, input_handle, indices, element_shape, element_dtype):
    dims = as_dims(element_shape)
    if not indices.size:
        return np.zeros((0, *(merge(dims, input_handle.dims) or ())), element_dtype.np_dtype)
    for i in indices:
        if not 0 <= i < len(input_handle.items):
            raise errors.InvalidArgumentError(
                None, None, f"Trying to gather element {i} in a list with {len(input_handle.items)} elements."
            )
    picked = [input_handle.items[i] for i in indices]
    return np.stack([input_handle.zero(dims) if p is None else p for p in picked])


def _scatter_grad(attrs, inputs, outputs, cotangents, wanted):
    tensor, indices, element_shape, _ = inputs
    return [
        _call("TensorListGather", (cotangents[0], indices, element_shape), element_dtype=tensor._dtype),
        None,
        None,
        None,
    ]


@op("TensorListScatterV2", shape=rules.scalar, grad_tensors=_scatter_grad, host=True)
def tensor_list_scatter(_, tensor, indices, element_shape, num_elements, element_dtype=None):
    count = max(int(num_elements), int(indices.max()) + 1 if indices.size else 0)
    items: list = [None] * count
    for row, i in zip(tensor, indices.tolist(), strict=True):
        if i < 0:
            raise errors.InvalidArgumentError(
                None, None, f"Indices in TensorListScatter must all be non-negative; got {i}"
            )
        items[i] = np.asarray(row, tensor.dtype)
    return TensorList(tuple(items), dtypes.FROM_NUMPY[tensor.dtype], as_dims(element_shape))


def _scatter_into_grad(attrs, inputs, outputs, cotangents, wanted):
    _, tensor, indices = inputs
    (g,), dtype = cotangents, tensor._dtype
    picked = rest = None
    if wanted[1]:
        picked = _call("TensorListGather", (g, indices, _element_shape(tensor)), element_dtype=dtype)
    if wanted[0]:
        rest = _call(
            "TensorListScatterIntoExistingList", (g, _call("ZerosLike", (tensor,)), indices), element_dtype=dtype
        )
    return [rest, picked, None]


def _element_shape(tensor):
    """The shape of a tensor's rows, as an `element_shape` operand."""
    from reflow.ops.convert import constant

    one = constant([1])
    return _call("StridedSlice", (_call("Shape", (tensor,)), one, constant([0]), one), end_mask=1)


@op("TensorListScatterIntoExistingList", shape=rules.scalar, grad_tensors=_scatter_into_grad, host=True)
def tensor_list_scatter_into(_, input_handle, tensor, indices, element_dtype=None):
    items = list(input_handle.items)
    for row, i in zip(tensor, indices.tolist(), strict=True):
        items.extend([None] * (i + 1 - len(items)))
        items[i] = np.asarray(row, tensor.dtype)
    return input_handle.replaced(tuple(items))


def _concat_grad(attrs, inputs, outputs, cotangents, wanted):
    return [
        _call("TensorListSplit", (cotangents[0], inputs[1], outputs[1]), element_dtype=attrs["element_dtype"]),
        None,
        None,
    ]


def _concat_shape(f):
    element = _element_rule(1)(f)[0]
    return [None if element is None else (None, *element[1:]), (None,)]


@op("TensorListConcatV2", shape=_concat_shape, grad_tensors=_concat_grad, host=True)
def tensor_list_concat(_, input_handle, element_shape, leading_dims, element_dtype):
    dims = as_dims(element_shape)
    for item in input_handle.items:  # only the first sizes may differ
        dims = dims if item is None else merge(dims, (None, *item.shape[1:]))
    items = []
    for i, item in enumerate(input_handle.items):
        if item is None and dims is not None and i < len(leading_dims):
            item = input_handle.replaced(()).zero((int(leading_dims[i]), *dims[1:]))
        items.append(input_handle.zero(dims) if item is None else item)
    lengths = np.asarray([i.shape[0] for i in items], np.int64)
    if not items:
        return np.zeros((0, *(as_dims(element_shape) or (0,))[1:]), element_dtype.np_dtype), lengths
    return np.concatenate(items), lengths


def _split_grad(attrs, inputs, outputs, cotangents, wanted):
    tensor, element_shape, lengths = inputs
    whole, _ = _call("TensorListConcatV2", (cotangents[0], element_shape, lengths), element_dtype=tensor._dtype)
    return [_call("Reshape", (whole, _call("Shape", (tensor,)))), None, None]


@op("TensorListSplit", shape=rules.scalar, grad_tensors=_split_grad, host=True)
def tensor_list_split(_, tensor, element_shape, lengths, element_dtype=None):
    bounds = np.cumsum([0, *lengths.tolist()])
    if bounds[-1] != tensor.shape[0]:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {bounds[-1]} and value's shape is: "
            f"{rules.text(tensor.shape)} ",
        )
    items = tuple(tensor[a:b] for a, b in zip(bounds[:-1], bounds[1:], strict=True))
    return TensorList(items, dtypes.FROM_NUMPY[tensor.dtype], as_dims(element_shape))


_ = dims_of
