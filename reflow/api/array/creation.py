"""`tf.*` functions that create tensors: zeros, ranges, identities, one-hot vectors, grids, masks, repetitions."""

from __future__ import annotations

import builtins
from contextlib import nullcontext
from typing import Any

import numpy as np

from reflow.api.array.arrange import (
    broadcast_to,
    concat,
    expand_dims,
    reshape,
    shape,
    shape_operand,
    size,
    stack,
    static_shape,
    tile,
)
from reflow.api.call import call
from reflow.api.export import export, export_function, with_sections
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.core.ragged import RaggedTensor
from reflow.core.shapes import TensorShape, is_fully_known
from reflow.core.tensor import EagerTensor, TensorBase
from reflow.ops import convert
from reflow.ops.convert import convert_to_tensor

_SMALL = 1000  # a larger constant of zeros or ones in a graph is a Fill


def _laid_out(tensor, layout):
    """A tensor on the mesh of a layout (`reflow/distribute/dtensor/layout.py`), if there is one."""
    return tensor if layout is None else layout.laid_out(tensor)


_NO_SIZES = (float, str, bytes, list, tuple, dict, type)
_AT_ONCE = 2**31  # elements of an identity matrix that is made without ops, which say what does not fit into memory


def _whole(shape):
    """TensorFlow cuts floats off to integers: those of NumPy arrays, and in a graph also those of a list."""
    if isinstance(shape, np.ndarray) and shape.dtype.kind == "f" and shape.ndim:
        return shape.astype(np.int64).tolist()
    if state.graph is not None and isinstance(shape, (list, tuple)):
        return [int(n) if isinstance(n, (float, np.floating)) else n for n in shape]
    return shape


def _filled(shape, number, dtype, name):
    """A tensor of one number: a constant in eager code or if it is small, else a Fill."""
    dtype = dtypes.as_dtype(dtype)
    if dtype.kind == "s":
        if number:
            raise TypeError(f"Cannot convert {number} to EagerTensor of dtype string")
        number = b""
    elif dtype.kind == "b":
        number = bool(number)
    shape = _whole(shape)
    dims = static_shape(shape)
    at_once = state.backend.direct if state.graph is None else dims is not None and int(np.prod(dims)) < _SMALL
    if dims is not None and at_once and builtins.min(dims, default=0) >= 0:
        with nullcontext() if name is None or state.graph is None else state.graph.name_scope_for(name):
            if state.graph is None:
                return convert.from_array(convert.full(dims, np.array(number, dtype.np_dtype)), dtype)
            return convert.from_array(np.broadcast_to(np.array(number, dtype.np_dtype), dims), dtype)
    value = convert.from_array(np.array(number, dtype.np_dtype), dtype)
    operand = shape_operand(shape, None)
    if operand.shape.rank == 0:
        operand = reshape(operand, [1])
    return call("Fill", (operand, value), label=name)


_FILLED = """\
Args:
  shape: The shape: a list, a `tf.TensorShape` or an integer tensor.
  name: A name for the operation.
  layout: A `tf.experimental.dtensor.Layout` for a DTensor.

Returns:
  {result}.

Raises:
  InvalidArgumentError: A size is negative.
"""


@export("zeros")
@with_sections(_FILLED, result="A tensor")
def zeros(shape, dtype: Any = dtypes.float32, name=None, layout=None):
    """Creates a tensor of zeros.

    Args:
      dtype: The dtype of the elements; strings are empty, booleans false.

    >>> tf.zeros([2], tf.int32).numpy().tolist()
    [0, 0]
    """
    return _laid_out(_filled(shape, 0, dtype, name), layout)


@export("ones")
@with_sections(_FILLED, result="A tensor")
def ones(shape, dtype: Any = dtypes.float32, name=None, layout=None):
    """Creates a tensor of ones.

    Args:
      dtype: The dtype of the elements, of numbers or booleans.

    Raises:
      TypeError: The dtype is string.

    >>> tf.ones([2, 2]).numpy().tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    return _laid_out(_filled(shape, 1, dtype, name), layout)


def _like(input, number, op, dtype, name, layout=None) -> Any:
    if isinstance(input, RaggedTensor):
        return input.with_flat_values(_like(input.flat_values, number, op, dtype, name, layout))
    input = convert_to_tensor(input)
    if layout is None and type(input) is not EagerTensor:
        layout = getattr(input, "layout", None)  # of a DTensor
    dtype = input._dtype if dtype is None else dtypes.as_dtype(dtype)
    dims = input.shape._dims
    if dtype.kind == "o" or (dtype is input._dtype and not is_fully_known(dims)):
        return _laid_out(call(op, (input,), label=name), layout)
    return _laid_out(
        _filled(TensorShape._of(dims) if is_fully_known(dims) else shape(input), number, dtype, name), layout
    )


_LIKE = """\
Args:
  input: A tensor or ragged tensor.
  dtype: The dtype of the elements; by default that of `input`.
  name: A name for the operation.
  layout: A `tf.experimental.dtensor.Layout` for a DTensor.

Returns:
  A tensor, or ragged tensor, of the shape of `input`.
"""


def _filled_like(public, number, op):
    def like(input, dtype=None, name=None, layout=None):
        return _like(input, number, op, dtype, name, layout)

    example = f"""
    >>> tf.{public}([5, 7]).numpy().tolist()
    {[number, number]}
    """
    doc = f"Creates {public.removesuffix('_like')} in the shape of `input`.\n\n{_LIKE}"
    return export_function(like, public, doc=doc, example=example)


zeros_like = _filled_like("zeros_like", 0, "ZerosLike")
ones_like = _filled_like("ones_like", 1, "OnesLike")


@export("fill")
@with_sections(_FILLED, result="A tensor of the dtype of `value`")
def fill(dims, value, name=None, layout=None):
    """Creates a tensor of the given shape filled with `value`.

    Args:
      dims: The shape of the tensor.
      value: A scalar.

    >>> tf.fill([2], 7).numpy().tolist()
    [7, 7]
    """
    return _laid_out(call("Fill", (shape_operand(dims, "Fill", 0), convert_to_tensor(value)), label=name), layout)


_RANGE_ORDER = [
    dtypes.as_dtype(n)
    for n in (
        "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64", "int64", "float16", "bfloat16", "float32",
        "float64",
    )
]


@export("range")
def range(start, limit=None, delta: Any = 1, dtype=None, name="range"):
    """Creates a vector of the numbers from `start` up to, but excluding, `limit`.

    Args:
      start: The first number; if it is the only one given, the limit, and numbers start at 0.
      limit: The end, which is excluded.
      delta: The step, which may be negative.
      dtype: The dtype of the numbers; by default the widest of the three arguments.
      name: A name for the operation.

    Returns:
      A vector.

    Raises:
      InvalidArgumentError: `delta` is 0, or leads away from the limit.

    >>> tf.range(2, 8, 3).numpy().tolist()
    [2, 5]
    """
    if limit is None:
        start, limit = 0, start
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
    parts = [_number(v, dtype) for v in (start, limit, delta)]
    if dtype is None:
        if any(p._dtype not in _RANGE_ORDER for p in parts):
            return call("Range", parts, label=name)  # which says what it takes
        dtype = builtins.max((p._dtype for p in parts), key=_RANGE_ORDER.index)
    parts = [p if p._dtype is dtype else call("Cast", (p,), {"DstT": dtype}) for p in parts]
    return call("Range", parts, label=name)


def _number(value, dtype):
    if isinstance(value, TensorBase) or hasattr(value, "__tf_tensor__") or dtype is None:
        return convert_to_tensor(value)
    if dtype.kind not in "iufc":
        raise TypeError(f"Cannot convert {value} to EagerTensor of dtype {dtype.name}")
    return convert.from_array(np.array(value, dtype.np_dtype), dtype)


@export("linspace")
@scoped("linspace")
def linspace(start, stop, num, name=None, axis=0):
    """Creates `num` evenly spaced numbers from `start` to `stop`, both included.

    Args:
      start: The first number, or a tensor of first numbers.
      stop: The last number, of the same dtype; shapes broadcast.
      num: How many numbers.
      name: A name for the operation.
      axis: The axis of the result along which the numbers are spaced.

    Returns:
      A tensor of the shape that `start` and `stop` broadcast to, with a new axis of size `num`; float64 for integers,
      else of the dtype of `start`.

    Raises:
      InvalidArgumentError: `num` is negative.

    >>> tf.linspace(0.0, 1.0, 3).numpy().tolist()
    [0.0, 0.5, 1.0]
    """
    start = convert_to_tensor(start)
    stop = convert_to_tensor(stop, start._dtype)
    if start._dtype.kind in "iu":
        start, stop = [call("Cast", (t,), {"DstT": dtypes.float64}) for t in (start, stop)]
    dims = call("BroadcastArgs", (shape(start), shape(stop)))
    start, stop = broadcast_to(start, dims), broadcast_to(stop, dims)
    first, last = expand_dims(start, axis), expand_dims(stop, axis)
    ndim = first.shape.rank
    if ndim is None:
        where = axis if axis >= 0 else call("AddV2", (call("Rank", (first,)), convert.constant(axis)))
    else:
        where = axis if axis >= 0 else axis + ndim
    num = _of_integers("num", convert_to_tensor(num, dtype_hint=dtypes.int32))
    one = convert.constant(1, num._dtype)
    gaps = call("Maximum", (call("Sub", (num, one)), one))
    delta = call("RealDiv", (call("Sub", (last, first)), call("Cast", (gaps,), {"DstT": start._dtype})))
    zero = convert.constant(0, num._dtype)
    end = call("SelectV2", (call("GreaterEqual", (num, zero)), gaps, convert.constant(-1, num._dtype)))
    steps = call("Cast", (call("Range", (one, end, one)),), {"DstT": start._dtype})
    if ndim is None:
        steps = reshape(steps, _all_but_one(first, 1, where, -1))
    else:
        steps = reshape(steps, [1] * where + [-1] + [1] * (ndim - where - 1))
    inner = call("AddV2", (first, call("Mul", (delta, steps))))
    whole = concat([first, inner, last], where)
    keep = call("Minimum", (num, call("Cast", (shape(whole)[where],), {"DstT": num._dtype})))
    if ndim is None:
        sizes = _all_but_one(first, -1, where, keep)
        return call("Slice", (whole, call("ZerosLike", (sizes,)), sizes), label=name)
    sizes = [keep if i == where else convert.constant(-1, num._dtype) for i in builtins.range(ndim)]
    return call("Slice", (whole, convert.constant([0] * ndim, num._dtype), call("Pack", sizes)), label=name)


def _all_but_one(like, value, where, other):
    """A vector with an entry for each axis of a tensor: `other` at one place, `value` elsewhere; for unknown rank."""
    other = convert_to_tensor(other, dtype_hint=dtypes.int32)
    count = reshape(call("Rank", (like,)), [1])
    every = call("Fill", (count, convert.constant(value, other._dtype)))
    place = reshape(convert_to_tensor(where, dtype_hint=dtypes.int32), [1, 1])
    return call("TensorScatterUpdate", (every, place, reshape(other, [1])))


@export("eye", "linalg.eye")
def eye(num_rows, num_columns=None, batch_shape=None, dtype: Any = dtypes.float32, name=None):
    """Creates an identity matrix, or a batch of them.

    Args:
      num_rows: The number of rows.
      num_columns: The number of columns; by default that of rows.
      batch_shape: The shape of the batch; by default there is one matrix.
      dtype: The dtype of the elements.
      name: Names the result if there is a `batch_shape`.

    Returns:
      A tensor of shape `batch_shape + [num_rows, num_columns]`.

    Raises:
      InvalidArgumentError: A size is negative.

    >>> tf.eye(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    dtype = dtypes.as_dtype(dtype)
    num_columns = num_rows if num_columns is None else num_columns
    if num_rows is None or any(isinstance(n, _NO_SIZES) for n in (num_rows, num_columns)):
        raise TypeError(
            "Arguments `num_rows` and `num_columns` must be positive integer values. Received: "
            f"num_rows={num_rows}, num_columns={num_columns}"
        )
    for n in (num_rows, num_columns):
        if isinstance(n, int) and n < 0:
            if state.graph is not None:
                raise ValueError(f"Invalid value in tensor used for shape: {n}")
            raise InvalidArgumentError(None, None, f"Dimension {n} must be >= 0 [Op:Fill] name: ")
    dims: list = [
        static_shape(n) if not isinstance(n, TensorBase) or isinstance(n, EagerTensor) else None
        for n in (num_rows, num_columns)
    ]
    if None not in dims and dims[0][0] * dims[1][0] < _AT_ONCE:
        matrix = convert.from_array(np.eye(dims[0][0], dims[1][0], dtype=dtype.np_dtype), dtype)
    else:
        zero, one = convert.constant(0), convert.constant(1)
        rows, columns = [
            call("Range", (zero, convert_to_tensor(n, dtypes.int32), one)) for n in (num_rows, num_columns)
        ]
        matrix = call("Cast", (call("Equal", (expand_dims(rows, 1), columns)),), {"DstT": dtype})
    if batch_shape is None:
        return matrix
    batch = shape_operand(batch_shape)
    return broadcast_to(matrix, concat([batch, call("Cast", (shape(matrix),), {"DstT": batch._dtype})], 0), name)


def _class_numbers(indices):
    """Indices as a tensor. Python booleans are integers.

    Python floats are rejected, an eager list of them by the op.
    """
    tensor = convert_to_tensor(indices)
    kind = tensor._dtype.kind
    if (
        hasattr(indices, "dtype") or kind not in "bf"
        or kind == "f" and state.graph is None and isinstance(indices, (list, tuple))
    ):
        return tensor
    return convert_to_tensor(indices, dtypes.int64)


@export("one_hot")
def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """Adds an axis of size `depth` with `on_value` at each index and `off_value` elsewhere.

    Args:
      indices: A tensor of integers; those outside `[0, depth)` give `off_value` everywhere.
      depth: The size of the new axis, not negative.
      on_value: The value at the index; by default 1.
      off_value: The value elsewhere; by default 0.
      axis: Where the new axis is; by default it is the last.
      dtype: The dtype of the result; by default that of the values given, else float32.
      name: A name for the operation.

    Returns:
      A tensor of one more dimension than `indices`.

    Raises:
      TypeError: The dtypes of the values, or `dtype`, differ; or indices are Python floats.

    >>> tf.one_hot([1, 0], 2).numpy().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    asked = None if dtype is None else dtypes.as_dtype(dtype)
    given = {"on_value": on_value, "off_value": off_value}
    known = {which: convert_to_tensor(v, dtype_hint=asked) for which, v in given.items() if v is not None}
    for which, value in known.items():
        if asked not in (None, value._dtype):
            raise TypeError(f"dtype {value._dtype} of {which} does not match dtype parameter {asked}")
    kind = asked or next((v._dtype for v in known.values()), dtypes.float32)
    plain = {"on_value": 1, "off_value": 0}
    on, off = [known[which] if which in known else convert_to_tensor(plain[which], kind) for which in given]
    if on._dtype is not off._dtype:
        raise TypeError(f"dtype {on._dtype} of on_value does not match dtype {off._dtype} of off_value")
    return call(
        "OneHot", (_class_numbers(indices), convert_to_tensor(depth, dtypes.int32), on, off),
        {"axis": -1 if axis is None else int(axis)}, name,
    )


@export("meshgrid")
@scoped("meshgrid")
def meshgrid(*args, **kwargs):
    """Makes coordinate grids of vectors.

    Args:
      *args: The vectors, one for each axis of the grid.
      **kwargs: `indexing`, "xy" (by default: the first vector runs along axis 1, the second along axis 0) or "ij", for
        axes in the order of the vectors; and `name`, a name for the operation.

    Returns:
      A list of as many tensors, each of the shape of the grid.

    Raises:
      ValueError: `indexing` is another word.
      TypeError: There is another keyword argument.

    >>> x, y = tf.meshgrid([1, 2], [3, 4, 5])
    >>> x.shape, y.numpy()[:, 0].tolist()
    (TensorShape([3, 2]), [3, 4, 5])
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    vectors = [reshape(v, [-1]) for v in args]
    count = len(vectors)
    places = list(builtins.range(count))
    if indexing == "xy" and count > 1:
        places[0], places[1] = 1, 0
    sizes: list = [None] * count
    for place, vector in zip(places, vectors, strict=True):
        sizes[place] = size(vector)
    full = stack(sizes) if sizes else None
    return [
        broadcast_to(reshape(v, [-1 if i == place else 1 for i in builtins.range(count)]), full)
        for place, v in zip(places, vectors, strict=True)
    ]


@export("sequence_mask")
@scoped("SequenceMask")
def sequence_mask(lengths, maxlen=None, dtype: Any = dtypes.bool_, name=None):
    """Marks the first `lengths[i]` of `maxlen` positions as true.

    Args:
      lengths: A tensor of integers.
      maxlen: The number of positions, a scalar; by default the greatest length.
      dtype: The dtype of the result.
      name: A name for the operation.

    Returns:
      A tensor of shape `lengths.shape + [maxlen]`.

    Raises:
      ValueError: `maxlen` is not a scalar.

    >>> tf.sequence_mask([1, 2]).numpy().tolist()
    [[True, False], [True, True]]
    """
    from reflow.ops.xp.tensor import reduce_all_axes

    lengths = convert_to_tensor(lengths)
    if maxlen is None:
        zero = convert.constant(0, lengths._dtype)
        maxlen = call("Maximum", (reduce_all_axes("Max", lengths), zero))
    maxlen = convert_to_tensor(maxlen)
    if maxlen.shape.rank not in (None, 0):
        raise ValueError(
            "Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = "
            f"{maxlen} with shape '{maxlen.shape}' instead"
        )
    row = call("Range", (convert.constant(0, maxlen._dtype), maxlen, convert.constant(1, maxlen._dtype)))
    column = call("Cast", (expand_dims(lengths, -1),), {"DstT": maxlen._dtype})
    mask = call("Less", (row, column))
    dtype = dtypes.as_dtype(dtype)
    return mask if dtype is dtypes.bool_ else call("Cast", (mask,), {"DstT": dtype}, name)


def _of_integers(name, tensor):
    """An argument that counts something: TypeError if it is no tensor of integers."""
    if not tensor._dtype.is_integer:
        text = f"{tensor._host().item()}" if isinstance(tensor, EagerTensor) and not tensor.shape.rank else f"{tensor}"
        raise TypeError(
            f"Argument `tensor` (name: {name}) must be of type integer. Received `tensor` = {text} of dtype: "
            f"{tensor._dtype!s}"
        )
    return tensor


@export("repeat")
@scoped("Repeat")
def repeat(input, repeats, axis=None, name=None):
    """Repeats each element (or slice along `axis`) of `input`, `repeats` times in a row.

    Args:
      input: A tensor.
      repeats: An integer for all, or a vector with one for each element along the axis.
      axis: The axis; by default `input` is flattened.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `input`.

    Raises:
      ValueError: There is no such axis, or its size is not that of `repeats`.

    >>> tf.repeat([1, 2], [2, 1]).numpy().tolist()
    [1, 1, 2]
    """
    from reflow.api.array.indexing import gather
    from reflow.api.array.sorting import searchsorted
    from reflow.ops.xp.tensor import reduce_all_axes

    input = convert_to_tensor(input)
    repeats = _of_integers("repeats", convert_to_tensor(repeats, dtype_hint=dtypes.int32))
    if repeats._dtype not in (dtypes.int32, dtypes.int64):
        repeats = call("Cast", (repeats,), {"DstT": dtypes.int32})
    repeats.shape.with_rank_at_most(1)
    if axis is None:
        input, axis = reshape(input, [-1]), 0
    if input.shape.rank == 0:
        input = reshape(input, [-1])
    ndim = input.shape.rank
    if ndim is None and axis < 0:
        raise ValueError(f"axis={axis} may only be negative if rank(data) is statically known.")
    if ndim is not None and not -ndim <= axis < ndim:
        raise ValueError(f"axis={axis} out of bounds: expected {-ndim}<=axis<{ndim}")
    axis = axis if ndim is None else axis % ndim
    if repeats.shape.num_elements() == 1:
        times = reshape(repeats, [])
        one = convert.constant(1, repeats._dtype)
        widened = expand_dims(input, axis + 1)
        if ndim is None:
            multiples = _all_but_one(widened, 1, axis + 1, times)
        else:
            multiples = stack([times if i == axis + 1 else one for i in builtins.range(ndim + 1)])
        widened = tile(widened, multiples)
        dims = shape(input, repeats._dtype)
        whole = call("Mul", (dims[axis], times))
        return reshape(widened, concat([dims[:axis], reshape(whole, [1]), dims[axis + 1 :]], 0), name)
    both = [s.as_list()[a] for s, a in ((input.shape, axis), (repeats.shape, 0)) if s.rank is not None]
    if len(both) == 2 and None not in both and both[0] != both[1]:
        raise ValueError(f"Dimensions {both[0]} and {both[1]} are not compatible")
    zero, one = convert.constant(0, repeats._dtype), convert.constant(1, repeats._dtype)
    ends = call("Cumsum", (repeats, convert.constant(0)), {"exclusive": False, "reverse": False})
    places = call("Range", (zero, reduce_all_axes("Sum", repeats), one))
    return gather(input, searchsorted(ends, places, side="right"), axis=axis, name=name)
