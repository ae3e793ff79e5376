"""`TensorList`: an immutable list of tensors as one variant value, under `TensorArray` and the gradients of loops.

On the host a list is a Python tuple of arrays (an element never written is `None`), so a push or a write copies
references, not data. Lowering turns the same ops into a buffer and a length (`reflow/compile/lists.py`).
"""

from __future__ import annotations

import functools

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.shapes import compatible, is_fully_known, merge
from reflow.core.tensor import EagerTensor, HostObject
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.kernels.control import list_shapes as shapes
from reflow.ops.kernels.control.flow import ABSENT
from reflow.ops.naming import Naming
from reflow.ops.registry import NO_GRADIENT, op

C_NAMES = {"float32": "float", "float64": "double", "float16": "half"}  # what TensorFlow's kernels call them


def invalid(message: str):
    return errors.InvalidArgumentError(None, None, message)


def _merged(a, b):
    """The merge of two partial shapes; if they are incompatible, TensorFlow's message."""
    if compatible(a, b):
        return merge(a, b)
    if len(a) != len(b):
        raise invalid(f"PartialTensorShape: Incompatible ranks during merge: {len(a)} vs. {len(b)}")
    raise invalid(f"PartialTensorShape: Incompatible shapes during merge: {rules.text(a)} vs. {rules.text(b)}")


#: the message for reading an element that was never written and whose shape is unknown, by kind of access
UNREAD = "Trying to read an uninitialized tensor but element_shape is not fully defined: {} and no list element is set."
UNSTACKED = (
    "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined element_shape: {}"
)
UNGATHERED = "Tried to gather uninitialized tensors from a list with non-fully-defined element_shape: {}"
UNJOINED = (
    "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is not fully defined: {}"
)


def _stacked(items):
    """Arrays of one shape as one array."""
    try:
        return np.stack(items)
    except ValueError:
        dims = None
        for item in items:
            dims = _merged(dims, item.shape)
        raise


class TensorList(HostObject):
    """A list of arrays of one dtype; `dims` is the partial shape that all elements share."""

    __slots__ = ("items", "dtype", "dims", "limit")
    tensor_dtype = dtypes.variant

    def __init__(self, items, dtype, dims, limit=-1):
        self.items, self.dtype, self.dims, self.limit = items, dtype, dims, limit

    def replaced(self, items) -> TensorList:
        return TensorList(items, self.dtype, self.dims, self.limit)

    def zero(self, like_dims, complaint: str) -> np.ndarray:
        """What an element never written reads as; `complaint` says what is wrong where its shape is unknown."""
        dims = _merged(like_dims, self.dims)
        for item in self.items:
            if item is not None and not is_fully_known(dims):
                dims = _merged(dims, item.shape)
        if not is_fully_known(dims):
            raise invalid(complaint.format(rules.text(dims)))
        return np.zeros(dims or (), self.dtype.np_dtype)

    def add(self, other):
        """The elementwise sum, for gradients."""
        if len(self.items) != len(other.items):
            raise invalid(
                f"Trying to add two lists of tensors with different lengths: {len(self.items)} vs. {len(other.items)}.",
            )

        def add(a, b):
            if a is None or b is None:
                return b if a is None else a
            return a.add(b) if isinstance(a, TensorList) else np.add(a, b, out=...)

        return self.replaced(tuple(map(add, self.items, other.items)))

    def zeros_like(self) -> TensorList:
        """A list of zeros: elements never written, unless the list does not say what shape they would have."""
        if is_fully_known(self.dims) and self.dtype is not dtypes.variant:
            return self.replaced((None,) * len(self.items))
        return self.replaced(
            tuple(
                i if i is None else i.zeros_like() if isinstance(i, TensorList) else np.zeros_like(i)
                for i in self.items
            )
        )

    def __repr__(self):
        return "<TensorList>"


def as_dims(shape):
    """The partial shape in an `element_shape` operand: a vector with -1 for unknown, or -1 for unknown rank."""
    shape = np.asarray(shape)
    if shape.ndim == 0:
        if shape != -1:
            raise invalid("The only valid scalar shape tensor is the fully unknown shape specified as -1.")
        return None
    if shape.ndim > 1:
        raise invalid(f"Shape must be at most rank 1 but is rank {shape.ndim}")
    for size in shape:
        if size < -1:
            raise invalid(f"Dimension {size} must be >= -1")
    return tuple(None if d < 0 else int(d) for d in shape)


def _any_shape():
    from reflow.ops.convert import constant

    return constant(-1)


def list_op(name: str, use="whole", list_facts=shapes.of_attribute, **facts):
    """The record of an op on tensor lists. Its first input may be one element of a vector of lists,
    which is an array of objects."""
    record = op(name, host=True, list_use=use, list_facts=list_facts, **facts)

    def register(kernel):
        @functools.wraps(kernel)
        def unboxed(xp, first, *rest, **attrs):
            return kernel(xp, unboxed_list(first), *rest, **attrs)

        return record(unboxed)

    return register


def unboxed_list(value):
    """A list itself where it is the only element of an array."""
    if (isinstance(value, np.ndarray) and value.dtype == object and value.ndim == 0
            and isinstance(value.item(), TensorList)):
        return value.item()
    return value


@list_op(
    "EmptyTensorList", list_facts=shapes.new_list, shape=rules.scalar, grad=NO_GRADIENT, trace_check=shapes.scalars(1)
)
def empty_tensor_list(_, element_shape, max_num_elements, element_dtype):
    return TensorList((), element_dtype, as_dims(element_shape), int(max_num_elements))


@list_op(
    "TensorListReserve", list_facts=shapes.new_list, shape=rules.scalar, grad=NO_GRADIENT, static=("num_elements",),
    naming=Naming("TensorArrayV2"), trace_check=shapes.scalars(),
)
def tensor_list_reserve(_, element_shape, num_elements, element_dtype):
    if np.size(num_elements) != 1:
        raise invalid(f"The num_elements to reserve must be a tensor size 1, but got {rules.text(num_elements.shape)}")
    count = int(num_elements)
    if count < 0:
        raise invalid(f"The num_elements to reserve must be a non negative number, but got {count}")
    return TensorList((None,) * count, element_dtype, as_dims(element_shape))


def _check_type(handle, dtype):
    if dtype is not handle.dtype:
        given, own = (C_NAMES.get(d.name, d.name) for d in (dtype, handle.dtype))
        raise invalid(f"Invalid data types; op elements {given} but list elements {own}")


def _check_fits(handle, tensor):
    if isinstance(tensor, HostObject) or tensor is ABSENT:  # `Absent` comes from an untaken branch: nothing reads it
        return
    if handle.dtype.kind != "q" or handle.dtype.np_dtype != tensor.dtype:  # quantized integers are arrays of plain ones
        _check_type(handle, dtypes.FROM_NUMPY[tensor.dtype])
    if handle.dims is not None and (
        len(handle.dims) != tensor.ndim
        or any(d is not None and d != s for d, s in zip(handle.dims, tensor.shape, strict=True))
    ):
        raise invalid(
            "Tried to append or set a tensor with incompatible shape to a list. Op element shape: "
            f"{rules.text(tensor.shape)} list shape: {rules.text(handle.dims)}",
        )


def _push_grad(attrs, inputs, outputs, cotangents, wanted):
    handle, tensor = inputs
    before, element = run("TensorListPopBack", cotangents[0], _read_shape(handle, tensor), element_dtype=tensor._dtype)
    return [before, element]


def _read_shape(handle, tensor):
    """The shape to read the cotangent of an element with: its own if the list does not say it and it is known."""
    facts = handle._value if isinstance(handle, EagerTensor) else handle._static
    dims, own = facts.dims if facts is not None else None, tensor.shape._dims
    if is_fully_known(dims) or not is_fully_known(own) or tensor._dtype is dtypes.variant:
        return _any_shape()
    from reflow.ops.convert import constant

    return constant(list(own), dtypes.int32)


@list_op("TensorListPushBack", "push", shape=rules.scalar, grad_tensors=_push_grad)
def tensor_list_push_back(_, input_handle, tensor, element_dtype=None):
    _check_fits(input_handle, tensor)
    if 0 <= input_handle.limit <= len(input_handle.items):
        raise invalid(
            f"Tried to push item into a full list. List size: {len(input_handle.items)} "
            f"max_num_elements: {input_handle.limit}",
        )
    return input_handle.replaced(input_handle.items + (tensor,))


def _pop_grad(attrs, inputs, outputs, cotangents, wanted):
    before, tensor = cotangents
    dtype = attrs["element_dtype"]
    if before is None:
        from reflow.ops.convert import constant

        before = run("EmptyTensorList", _any_shape(), constant(-1), element_dtype=dtype)
        before = run("TensorListResize", before, run("TensorListLength", outputs[0]))
    if tensor is None:
        tensor = run("ZerosLike", outputs[1])
    return [run("TensorListPushBack", before, tensor, element_dtype=dtype), None]


@list_op(
    "TensorListPopBack", "pop", shapes.of_rest_and_element, shape=lambda f: [(), shapes.element(f, 1)],
    grad_tensors=_pop_grad,
)
def tensor_list_pop_back(_, input_handle, element_shape, element_dtype):
    if not input_handle.items:
        raise invalid("Trying to pop from an empty list.")
    _check_type(input_handle, element_dtype)
    last = input_handle.items[-1]
    if last is None:
        last = input_handle.zero(as_dims(element_shape), UNREAD)
    return input_handle.replaced(input_handle.items[:-1]), last


@list_op("TensorListLength", shape=rules.scalar, grad=NO_GRADIENT, from_shapes=True)
def tensor_list_length(_, input_handle):
    return np.asarray(len(input_handle.items), np.int32)


@list_op("TensorListElementShape", shape=lambda f: [None], grad=NO_GRADIENT)
def tensor_list_element_shape(_, input_handle, shape_type):
    dims = input_handle.dims
    return np.asarray(-1 if dims is None else [-1 if d is None else d for d in dims], shape_type.np_dtype)


def _resize_grad(attrs, inputs, outputs, cotangents, wanted):
    return [run("TensorListResize", cotangents[0], run("TensorListLength", inputs[0])), None]


@list_op(
    "TensorListResize", list_facts=None, shape=rules.scalar, grad_tensors=_resize_grad, trace_check=shapes.scalars(1)
)
def tensor_list_resize(_, input_handle, size):
    if np.ndim(size):
        raise invalid("size must be a scalar")
    size, items = int(size), input_handle.items
    if size < 0:
        raise ValueError(f"TensorListSlice expects size to be non-negative. Got: {size}")
    return input_handle.replaced(items[:size] + (None,) * (size - len(items)))


def outside(what: str, handle, index) -> str:
    """TensorFlow's message for an index that a list does not have."""
    return f"Trying to {what} element {int(index)} in a list with {len(handle.items)} elements."


def _bad_index(what, handle, index):
    return invalid(outside(what, handle, index))


class ItemCotangent:
    """The cotangent of a list of which one element was read: a value at an index, to be added where the list's
    cotangent is known.

    Like IndexedSlices for a gather: adding it changes one element, where a list of zeros with one element would cost
    the whole list in every iteration of a loop.
    """

    _dtype = dtypes.variant

    def __init__(self, handle, index, value):
        self.handle, self.index, self.value = handle, index, value

    def dense(self):
        """The cotangent as a list, which is zero except for one element."""
        dtype = self.value._dtype
        # the dtype of all elements, not of this one
        shape = run("TensorListElementShape", self.handle, shape_type=dtypes.int32)
        zero = run("TensorListReserve", shape, run("TensorListLength", self.handle), element_dtype=dtype)
        return run("TensorListSetItem", zero, self.index, self.value, element_dtype=dtype)

    def added_to(self, cotangent):
        """The sum of this and a list."""
        dtype = self.value._dtype
        shape = run("Shape", self.value, out_type=dtypes.int32)
        old = run("TensorListGetItem", cotangent, self.index, shape, element_dtype=dtype)
        total = run("AddV2", old, self.value)
        return run("TensorListSetItem", cotangent, self.index, total, element_dtype=dtype)


def _get_grad(attrs, inputs, outputs, cotangents, wanted):
    return [ItemCotangent(inputs[0], inputs[1], cotangents[0]), None, None]


@list_op(
    "TensorListGetItem", "get", shapes.of_element, shape=shapes.read(2), grad_tensors=_get_grad,
    naming=Naming("TensorArrayV2Read/TensorListGetItem"), trace_check=shapes.fitting(2),
)
def tensor_list_get_item(_, input_handle, index, element_shape, element_dtype):
    at = int(index)
    if not 0 <= at < len(input_handle.items):
        raise _bad_index("access", input_handle, at)
    _check_type(input_handle, element_dtype)
    item = input_handle.items[at]
    return input_handle.zero(as_dims(element_shape), UNREAD) if item is None else item


def _set_grad(attrs, inputs, outputs, cotangents, wanted):
    _, index, item = inputs
    dtype = item._dtype
    shape = run("Shape", item, out_type=dtypes.int32)
    element = run("TensorListGetItem", cotangents[0], index, shape, element_dtype=dtype) if wanted[2] else None
    rest = (
        run("TensorListSetItem", cotangents[0], index, run("ZerosLike", item), element_dtype=dtype)
        if wanted[0]
        else None
    )
    return [rest, None, element]


@list_op(
    "TensorListSetItem", "set", shape=rules.scalar, grad_tensors=_set_grad,
    naming=Naming("TensorArrayV2Write/TensorListSetItem"),
)
def tensor_list_set_item(_, input_handle, index, item, element_dtype=None, resize_if_index_out_of_bounds=False):
    at, items = int(index), input_handle.items
    if at >= len(items) and resize_if_index_out_of_bounds:
        items = items + (None,) * (at + 1 - len(items))
    if not 0 <= at < len(items):
        raise _bad_index("modify", input_handle, at)
    _check_fits(input_handle, item)
    return input_handle.replaced(items[:at] + (item,) + items[at + 1 :])


def _stack_grad(attrs, inputs, outputs, cotangents, wanted):
    return [run("TensorListFromTensor", cotangents[0], inputs[1], element_dtype=attrs["element_dtype"]), None]


@list_op(
    "TensorListStack", shape=shapes.stacked, grad_tensors=_stack_grad,
    naming=Naming("TensorArrayV2Stack/TensorListStack"), trace_check=shapes.fitting(1),
)
def tensor_list_stack(_, input_handle, element_shape, element_dtype, num_elements=-1):
    items = input_handle.items
    _check_type(input_handle, element_dtype)
    if 0 <= num_elements != len(items):
        raise invalid(
            f"Operation expected a list with {num_elements} elements but got a list with {len(items)} elements.",
        )
    dims = _merged(as_dims(element_shape), input_handle.dims)
    if not items:
        if not is_fully_known(dims):
            raise invalid(
                f"Tried to stack elements of an empty list with non-fully-defined element_shape: {rules.text(dims)}",
            )
        return np.zeros((0, *dims), element_dtype.np_dtype)
    if any(i is None for i in items):
        zero = input_handle.zero(dims, UNSTACKED)
        items = [zero if i is None else i for i in items]
    return _stacked(items)


def _from_tensor_grad(attrs, inputs, outputs, cotangents, wanted):
    tensor = inputs[0]
    dims = tensor.shape._dims
    count = dims[0] if dims and dims[0] is not None else -1
    grad = run("TensorListStack", cotangents[0], inputs[1], element_dtype=tensor._dtype, num_elements=count)
    return [run("Reshape", grad, run("Shape", tensor, out_type=dtypes.int32)), None]


@list_op(
    "TensorListFromTensor", list_facts=shapes.new_list, shape=rules.scalar, grad_tensors=_from_tensor_grad,
    naming=Naming("TensorArrayUnstack/TensorListFromTensor"), trace_check=shapes.rows,
)
def tensor_list_from_tensor(_, tensor, element_shape, element_dtype=None):
    dims = as_dims(element_shape)
    check_rows(dims, tensor)
    rows = tuple(tensor) if tensor.ndim > 1 else tuple(tensor[i, ...] for i in range(len(tensor)))
    return TensorList(rows, element_dtype or dtypes.FROM_NUMPY[tensor.dtype], dims)


def _gather_grad(attrs, inputs, outputs, cotangents, wanted):
    handle, *rest = inputs
    length, dtype = run("TensorListLength", handle), attrs["element_dtype"]
    return [run("TensorListScatterV2", cotangents[0], *rest, length, element_dtype=dtype), None, None]


@list_op(
    "TensorListGather", jit="between", shape=shapes.gathered, grad_tensors=_gather_grad, trace_check=shapes.fitting(2)
)
def tensor_list_gather(_, input_handle, indices, element_shape, element_dtype):
    _check_type(input_handle, element_dtype)
    dims = _merged(as_dims(element_shape), input_handle.dims)
    if not indices.size:
        if not is_fully_known(dims):
            raise invalid(f"Tried to gather 0-elements from a list with non-fully-defined shape: {rules.text(dims)}")
        return np.zeros((0, *dims), element_dtype.np_dtype)
    for i in indices:
        if not 0 <= i < len(input_handle.items):
            if is_fully_known(input_handle.dims):
                raise invalid(f"Index {i} out o range; list only has {len(input_handle.items)} elements.")
            raise _bad_index("gather", input_handle, i)
    picked = [input_handle.items[i] for i in indices]
    return _stacked([input_handle.zero(dims, UNGATHERED) if p is None else p for p in picked])


def _scatter_grad(attrs, inputs, outputs, cotangents, wanted):
    tensor, indices, element_shape, _ = inputs
    return [
        run("TensorListGather", cotangents[0], indices, element_shape, element_dtype=tensor._dtype),
        None, None,
        None,
    ]


def check_rows(dims, tensor):
    """The rows of a tensor have the shape that a list says."""
    if not tensor.ndim:
        raise invalid("Tensor must be at least a vector, but saw shape: []")
    if not compatible(dims, tensor.shape[1:]):
        raise invalid(shapes.other_rows(dims, tensor))


@list_op(
    "TensorListScatterV2", list_facts=shapes.new_list, shape=rules.scalar, grad_tensors=_scatter_grad,
    trace_check=shapes.scalars(3),
)
def tensor_list_scatter(_, tensor, indices, element_shape, num_elements, element_dtype=None):
    if np.ndim(num_elements):
        raise invalid("num_elements must be a scalar")
    size, dims = int(num_elements), as_dims(element_shape)
    if size < -1:
        raise invalid(f"TensorListScatter expects num_elements >= -1, found: {size}")
    if len(tensor) != len(indices):
        raise invalid(f"Invalid number of rows in input tensor. Expected: {len(indices)} Actual: {len(tensor)}")
    items: list = [None] * max(size, int(indices.max()) + 1 if indices.size else 0)
    for row, i in zip(tensor, indices.tolist(), strict=True):
        if 0 <= size <= i:
            raise invalid(f"TensorListScatter: Trying to scatter at index {i} in list with size {size}")
        if i < 0:
            raise invalid("Indices in TensorListScatter must all be non-negative.")
        items[i] = np.asarray(row, tensor.dtype)
    check_rows(dims, tensor)
    return TensorList(tuple(items), element_dtype or dtypes.FROM_NUMPY[tensor.dtype], dims)


def _scatter_into_grad(attrs, inputs, outputs, cotangents, wanted):
    _, tensor, indices = inputs
    (g,), dtype = cotangents, tensor._dtype
    picked = rest = None
    if wanted[1]:
        picked = run("TensorListGather", g, indices, _element_shape(tensor), element_dtype=dtype)
    if wanted[0]:
        rest = run("TensorListScatterIntoExistingList", g, run("ZerosLike", tensor), indices, element_dtype=dtype)
    return [rest, picked, None]


def _element_shape(tensor):
    """The shape of a tensor's rows, as an `element_shape` operand."""
    from reflow.ops.convert import constant

    return run("StridedSlice", run("Shape", tensor), constant([1]), constant([0]), constant([1]), end_mask=1)


@list_op("TensorListScatterIntoExistingList", shape=rules.scalar, grad_tensors=_scatter_into_grad)
def tensor_list_scatter_into(_, input_handle, tensor, indices, element_dtype=None):
    if len(tensor) != len(indices):
        raise invalid(f"Expected len(indices) == tensor.shape[0], but saw: {len(indices)} vs. {len(tensor)}")
    items = list(input_handle.items)
    for row, i in zip(tensor, indices.tolist(), strict=True):
        if i < 0:
            raise invalid("Indices in TensorListScatter must all be non-negative.")
        items.extend([None] * (i + 1 - len(items)))
        items[i] = np.asarray(row, tensor.dtype)
    return input_handle.replaced(tuple(items))


def _concat_grad(attrs, inputs, outputs, cotangents, wanted):
    return [
        run("TensorListSplit", cotangents[0], inputs[1], outputs[1], element_dtype=attrs["element_dtype"]),
        None, None,
    ]


@list_op(
    "TensorListConcatV2", jit="between", shape=shapes.joined, grad_tensors=_concat_grad, trace_check=shapes.fitting(1)
)
def tensor_list_concat(_, input_handle, element_shape, leading_dims, element_dtype):
    dims = _merged(as_dims(element_shape), input_handle.dims)
    if dims == ():
        raise invalid("Concat requires elements to be at least vectors, found scalars instead.")
    return concatenated(input_handle, dims, leading_dims, element_dtype)


def concatenated(handle, dims, leading_dims, element_dtype):
    """All elements concatenated, and their lengths; `dims` is the partial shape of an element."""
    _check_type(handle, element_dtype)
    first, rest = (None, None) if dims is None else (dims[0], dims[1:])
    if not handle.items and not is_fully_known(rest):
        empty = (
            "All except the first dimension must be fully defined when concating an empty tensor list. element_shape: "
        )
        raise invalid(empty + rules.text(rest))
    for i, item in enumerate(handle.items):  # only the first sizes may differ
        if item is None:
            continue
        if not item.ndim:
            raise invalid(f"Concat saw a scalar shape at index {i} but requires at least vectors.")
        rest = _merged(rest, item.shape[1:])
        if first not in (None, len(item)):
            raise invalid(
                "First entry of element_shape input does not match the first dim of list element at index: "
                f"{i} Expected: {first} Actual: {len(item)}"
            )
    if not is_fully_known(rest):
        raise invalid(UNJOINED.format(rules.text(rest)))
    sizes = {len(item) for item in handle.items if item is not None}
    if first is None and len(sizes) == 1:
        (first,) = sizes
    items = []
    for i, item in enumerate(handle.items):
        if item is None:
            length = int(leading_dims[i]) if i < len(leading_dims) else first
            if length is None:
                words = (
                    f"List contains uninitialized tensor at index {i} but leading_dims has only "
                    f"{len(leading_dims)} elements."
                )
                raise invalid(words)
            item = np.zeros((length, *rest), element_dtype.np_dtype)
        items.append(item)
    lengths = np.asarray([len(i) for i in items], np.int64)
    return np.concatenate(items) if items else np.zeros((0, *rest), element_dtype.np_dtype), lengths


def _split_grad(attrs, inputs, outputs, cotangents, wanted):
    tensor, element_shape, lengths = inputs
    whole, _ = run("TensorListConcatV2", cotangents[0], element_shape, lengths, element_dtype=tensor._dtype)
    return [run("Reshape", whole, run("Shape", tensor)), None, None]


@list_op(
    "TensorListSplit", fits="* * 1", jit="between", list_facts=shapes.of_split, shape=rules.scalar,
    grad_tensors=_split_grad, trace_check=shapes.pieces,
)
def tensor_list_split(_, tensor, element_shape, lengths, element_dtype=None):
    if not tensor.ndim:
        raise invalid("Tensor must be at least a vector, but saw shape: []")
    if lengths.ndim != 1:
        raise invalid(f"Expected lengths to be a vector, received shape: {rules.text(lengths.shape)}")
    dims = as_dims(element_shape)
    if dims == ():
        raise invalid("TensorListSplit requires element_shape to be at least of rank 1, but saw: []")
    bounds = np.cumsum([0, *lengths.tolist()])
    for start, end, length in zip(bounds[:-1], bounds[1:], lengths, strict=True):
        if length < 0:
            raise invalid(f"Invalid value in lengths: {length}")
        if end > len(tensor):
            raise invalid(f"Attempting to slice [{start}, {end}] from tensor with length {len(tensor)}")
    if bounds[-1] != len(tensor):
        raise invalid(
            f"Unused values in tensor. Length of tensor: {len(tensor)} Values used: {bounds[-1]}",
        )
    if dims is not None and not compatible(dims[1:], tensor.shape[1:]):
        raise invalid(
            f"tensor shape {rules.text(tensor.shape)} is not compatible with element_shape {rules.text(dims)}"
        )
    items = tuple(tensor[a:b] for a, b in zip(bounds[:-1], bounds[1:], strict=True))
    return TensorList(items, element_dtype or dtypes.FROM_NUMPY[tensor.dtype], dims)

