"""Functions over the elements of tensors: `tf.map_fn`, `tf.scan`, `tf.foldl`, `tf.foldr`, `tf.vectorized_map`.

All but the last are a `tf.while_loop` over `TensorArray`s, so they differentiate and export like any loop.
"""

from __future__ import annotations

from reflow.api.array import shape as shape_of
from reflow.api.array import stack
from reflow.api.export import TABLE, export
from reflow.api.tensor_array import TensorArray
from reflow.core import dtypes, nest
from reflow.core.ragged import RaggedTensor
from reflow.core.shapes import TensorShape
from reflow.core.sparse import SparseTensor
from reflow.core.specs import TensorSpec
from reflow.function.control_flow import while_loop
from reflow.ops.convert import convert_to_tensor


class _Slices:
    """A sparse or ragged tensor, read like a TensorArray of its slices."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.flow = None

    def with_flow(self, flow):
        return self

    def read(self, i):
        if isinstance(self.tensor, RaggedTensor):
            return self.tensor[i]
        shape = self.tensor.dense_shape
        first = TABLE["reshape"](TABLE["cast"](i, dtypes.int64), [1])
        begin = TABLE["concat"]([first, TABLE["zeros_like"](shape[1:])], 0)
        size = TABLE["concat"]([TABLE["ones_like"](shape[:1]), shape[1:]], 0)
        piece = TABLE["sparse.reshape"](TABLE["sparse.slice"](self.tensor, begin, size), shape[1:])
        piece.set_shape(self.tensor.shape[1:])
        return piece


def _array(t, count, **facts):
    if isinstance(t, (SparseTensor, RaggedTensor)):
        return _Slices(t)
    return TensorArray(t.dtype, size=count, **facts).unstack(t)


def _arrays(elems):
    """The elements as tensors, their common length, and one TensorArray for each."""
    flat = [e if isinstance(e, (SparseTensor, RaggedTensor)) else convert_to_tensor(e) for e in nest.flatten(elems)]
    if not flat:
        raise ValueError("elems must be a Tensor or (possibly nested) sequence of Tensors.")
    for t in flat:
        if t.shape.rank == 0:
            raise ValueError("elements in elems must be 1+ dimensional Tensors, not scalars")
    static = next((t.shape[0] for t in flat if t.shape.rank and t.shape[0] is not None), None)
    count = static if static is not None else _length(flat[0])
    arrays = [_array(t, count, infer_shape=True) for t in flat]
    return flat, count, static, arrays


def _length(t):
    if isinstance(t, RaggedTensor):
        return TABLE["cast"](t.nrows(), dtypes.int32)
    return TABLE["cast"](t.dense_shape[0], dtypes.int32) if isinstance(t, SparseTensor) else shape_of(t)[0]


def _read_all(elems, arrays, i):
    return nest.pack_sequence_as(elems, [a.with_flow(a.flow).read(i) for a in arrays])


def _spec_dtypes(signature, elems, flat):
    if signature is None:
        return elems, [t.dtype for t in flat], [None] * len(flat)
    kinds = nest.map_structure(lambda s: s if isinstance(s, TensorSpec) else TensorSpec(None, s), signature)
    leaves = nest.flatten(kinds)
    return kinds, [s.dtype for s in leaves], [s.shape for s in leaves]


@export("map_fn")
def map_fn(
    fn,
    elems,
    dtype=None,
    parallel_iterations=None,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    name=None,
    fn_output_signature=None,
):
    """`fn` applied to each slice of `elems` along the first axis, the results stacked.

    >>> import reflow as tf
    >>> map_fn(lambda x: x * x, tf.constant([1, 2, 3])).numpy().tolist()
    [1, 4, 9]
    """
    signature = fn_output_signature if fn_output_signature is not None else dtype
    if signature is None and isinstance(elems, RaggedTensor) and elems.ragged_rank == 1:
        return _map_rows(fn, elems)
    flat, count, static, arrays = _arrays(elems)
    structure, kinds, _ = _spec_dtypes(signature, elems, flat)
    results = [TensorArray(k, size=count, infer_shape=infer_shape) for k in kinds]

    def body(i, outs):
        value = fn(_read_all(elems, arrays, i))
        nest.assert_same_structure(structure, value, check_types=False)
        return i + 1, [
            o.write(i, convert_to_tensor(v, o.dtype)) for o, v in zip(outs, nest.flatten(value), strict=True)
        ]

    _, outs = while_loop(
        lambda i, outs: i < count,
        body,
        (convert_to_tensor(0), results),
        maximum_iterations=count,
        parallel_iterations=parallel_iterations or 10,
    )
    stacked = [o.stack() for o in outs]
    for t in stacked:
        t.set_shape(TensorShape([static]).concatenate(t.shape[1:]) if t.shape.rank is not None else None)
    return nest.pack_sequence_as(structure, stacked)


def _map_rows(fn, elems):
    """`map_fn` over the rows of a ragged matrix: the results are rows too."""
    count = _length(elems)
    inner = TensorShape([None]).concatenate(elems.values.shape[1:])
    values = TensorArray(elems.dtype, size=count, infer_shape=False, element_shape=inner)
    lengths = TensorArray(dtypes.int64, size=count)

    def body(i, values, lengths):
        row = convert_to_tensor(fn(elems[i]), elems.dtype)
        return i + 1, values.write(i, row), lengths.write(i, shape_of(row, out_type=dtypes.int64)[0])

    _, values, lengths = while_loop(
        lambda i, *_: i < count, body, (convert_to_tensor(0), values, lengths), maximum_iterations=count
    )
    return RaggedTensor.from_row_lengths(values.concat(), lengths.stack(), validate=False)


def _fold(fn, elems, initializer, backward):
    flat, count, _, arrays = _arrays(elems)
    start = 0
    if initializer is None:
        first = count - 1 if backward else convert_to_tensor(0)
        initializer = _read_all(elems, [_array(t, count, clear_after_read=False) for t in flat], first)
        start = 1
    initializer = nest.map_structure(convert_to_tensor, initializer)

    def body(i, acc):
        at = count - 1 - i if backward else i
        return i + 1, fn(acc, _read_all(elems, arrays, at))

    _, result = while_loop(
        lambda i, acc: i < count, body, (convert_to_tensor(start), initializer), maximum_iterations=count
    )
    return result


@export("foldl")
def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """Combine the slices of `elems` from the first to the last.

    >>> import reflow as tf
    >>> foldl(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy().item()
    6
    """
    return _fold(fn, elems, initializer, False)


@export("foldr")
def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """Combine the slices of `elems` from the last to the first."""
    return _fold(fn, elems, initializer, True)


@export("scan")
def scan(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    reverse=False,
    name=None,
):
    """Like `foldl`, keeping every partial result.

    >>> import reflow as tf
    >>> scan(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy().tolist()
    [1, 3, 6]
    """
    flat, count, static, arrays = _arrays(elems)
    last = count - 1
    start = 0
    if initializer is None:
        at = last if reverse else convert_to_tensor(0)
        initializer = _read_all(elems, [_array(t, count, clear_after_read=False) for t in flat], at)
        start = 1
    initializer = nest.map_structure(convert_to_tensor, initializer)
    results = [TensorArray(t.dtype, size=count, infer_shape=infer_shape) for t in nest.flatten(initializer)]
    if start:
        at = last if reverse else convert_to_tensor(0)
        results = [o.write(at, v) for o, v in zip(results, nest.flatten(initializer), strict=True)]

    def body(i, acc, outs):
        at = last - i if reverse else i
        value = nest.map_structure(convert_to_tensor, fn(acc, _read_all(elems, arrays, at)))
        return i + 1, value, [o.write(at, v) for o, v in zip(outs, nest.flatten(value), strict=True)]

    _, _, outs = while_loop(
        lambda i, acc, outs: i < count, body, (convert_to_tensor(start), initializer, results), maximum_iterations=count
    )
    stacked = [o.stack() for o in outs]
    for t in stacked:
        t.set_shape(TensorShape([static]).concatenate(t.shape[1:]) if t.shape.rank is not None else None)
    return nest.pack_sequence_as(initializer, stacked)


@export("vectorized_map")
def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """`map_fn` with the result's structure taken from `fn`."""
    flat, count, static, arrays = _arrays(elems)
    if static is not None and static <= 64:
        rows = [
            fn(nest.pack_sequence_as(elems, [t[i] if t.shape[0] != 1 else t[0] for t in flat])) for i in range(static)
        ]
        if rows:
            return nest.map_structure(lambda *parts: stack(parts), *rows)
    from reflow.function.tracing import trace_to_graph

    specs = nest.pack_sequence_as(elems, [TensorSpec(t.shape[1:], t.dtype) for t in flat])
    graph = trace_to_graph(fn, "vectorized_map", (specs,))
    return map_fn(fn, elems, fn_output_signature=nest.map_structure(lambda t: t.dtype, graph.structured_outputs))


_ = dtypes
