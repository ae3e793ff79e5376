"""Ops that read and write elements at computed positions: Gather*, Scatter*, OneHot, TopK, and, on the host, Where and
Unique.

Indices out of bounds raise, as on TensorFlow's CPU; `bad_indices_policy="IGNORE"` drops them.
"""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes
from reflow.core.indexed_slices import IndexedSlices
from reflow.ops import batching, require
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.naming import Naming
from reflow.ops.registry import NO_GRADIENT, op

# --- checks -----------------------------------------------------------------------------------------------------------


def _place(at) -> str:
    return f"[{','.join(map(str, at))}]" if len(at) else ""


def first_bad(indices, size) -> str:
    """TensorFlow's message for the first index outside [0, size)."""
    at = np.argwhere((indices < 0) | (indices >= size))[0].tolist()
    return f"indices{_place(at)} = {indices[tuple(at)]} is not in [0, {size})"


def _gather_checks(xp, attrs, params, indices, axis=None):
    if axis is not None and axis.ndim:
        return []
    size = params.shape[0 if axis is None else int(axis)] if params.shape else 0
    return [(xp.all_below(indices, size), lambda p, i, *rest: first_bad(i, size))]


def _nd_checks(params_dims, policy, what):
    """Checks of indices[..., k] into the first k of `params_dims(*inputs)`.

    `what` introduces the shape in the message.
    """

    def check(xp, attrs, *inputs):
        indices, dims = inputs[policy], params_dims(*inputs)
        k, bad = indices.shape[-1] if indices.shape else 0, attrs.get("bad_indices_policy", "")
        require.word("bad indices handling attribute", bad, "", "DEFAULT", "ERROR", "IGNORE")
        if 0 in dims and len(inputs) == 3 and 0 not in indices.shape and 0 not in inputs[1 + policy].shape:
            return [
                (False, f"Indices and updates specified for empty output.  indices shape: {rules.text(indices.shape)}")
            ]
        if not k or bad == "IGNORE":
            return []
        limits = np.array(dims[:k], indices.dtype)
        ok = xp.logical_and(xp.greater_equal(indices, xp.const(0, indices)), xp.less(indices, limits))
        return [(xp.all(ok, None), lambda *values: _bad_tuple(values[policy], dims, what))]

    return check


def _bad_tuple(indices, dims, what):
    at = np.argwhere(((indices < 0) | (indices >= np.array(dims[: indices.shape[-1]]))).any(-1))[0].tolist()
    return f"indices{_place(at)} = {indices[tuple(at)].tolist()} does not index into {what}shape {rules.text(dims)}"


# --- gathering --------------------------------------------------------------------------------------------------------


def _gather_grad(xp, attrs, inputs, outputs, cts, wanted):
    params, indices, axis = inputs
    return xp.take_grad_like(cts[0], params, indices, axis, attrs.get("batch_dims", 0)), None, None


def _gather_grad_tensors(attrs, inputs, outputs, cts, wanted):
    """Along axis 0 the gradient is sparse: `IndexedSlices` of the rows that were read."""
    from reflow.ops.kernels.control.vjp import call_vjp
    from reflow.ops.reverse import dense
    from reflow.ops.xp import tensor as tensor_xp

    params, indices, axis = inputs
    g = dense(cts[0])
    if tensor_xp.static_value(axis) != 0 or attrs.get("batch_dims", 0):
        return call_vjp(GATHER, attrs, inputs, outputs, [g], wanted)
    return [rows_at(g, params, indices), None, None]


def rows_at(g, params, indices) -> IndexedSlices:
    """The gradient of a gather of rows of `params` as IndexedSlices."""
    from reflow.ops.xp import tensor as tn

    shape = tn.shape_tensor(params)
    return IndexedSlices(
        tn.reshape(g, tn.concat_shapes((-1,), tn.tail_shape(params, 1))) if indices.shape.rank != 1 else g,
        tn.reshape(indices, (-1,)) if indices.shape.rank != 1 else indices,
        shape,
    )


def _rows_of_indices(op, attrs, values, flags):
    """One table, indices for each row. An index outside of it is left to its row, whose error names its place."""
    table, indices, axis = values
    if flags != [False, True, False] or int(axis) or attrs.get("batch_dims") or not table.ndim:
        return None
    inside = bool(((indices >= 0) & (indices < len(table))).all())
    return (op, attrs, values) if inside else None


@op(
    "GatherV2", fits="1+ * 0", batch=_rows_of_indices, shape=rules.gather, value=rules.value_gather,
    grad=_gather_grad, grad_tensors=_gather_grad_tensors, static=("axis",), checks=(_gather_checks,),
    needs=("params", "indices", "axis"), trace_words=traced.gather,
)
def gather(xp, params, indices, axis, batch_dims=0):
    if axis.ndim:
        raise ValueError("axis must be scalar")
    at, ndim = int(axis), len(params.shape)
    if not -ndim <= at < ndim:
        raise ValueError(f"Expected axis in the range [{-ndim}, {ndim}), but got {at}")
    if not -len(indices.shape) <= batch_dims <= len(indices.shape):
        raise ValueError(
            f"Expected batch_dims in the range [{-len(indices.shape)}, {len(indices.shape)}], but got {batch_dims}"
        )
    if batch_dims < 0:
        batch_dims += len(indices.shape)
    for i, (size, rows) in enumerate(zip(params.shape[:batch_dims], indices.shape[:batch_dims])):
        if size != rows:
            raise ValueError(f"params.shape[{i}]: {size} should be equal to indices.shape[{i}]: {rows}")
    return xp.take(params, indices, at, batch_dims)


GATHER = gather


def _gather_v1(f):
    params, indices = f.shapes
    return [None if params is None or indices is None else indices + params[1:]]


def _gather_v1_grad(attrs, inputs, outputs, cts, wanted):
    from reflow.ops.reverse import dense

    return [rows_at(dense(cts[0]), *inputs), None]


@op("Gather", fits="1+", shape=_gather_v1, grad_tensors=_gather_v1_grad, checks=(_gather_checks,))
def gather_v1(xp, params, indices):
    return xp.take(params, indices, 0)


def _gather_nd_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.scatter_nd("add", xp.zeros_like(inputs[0]), inputs[1], cts[0]), None


@op(
    "GatherNd", shape=rules.gather_nd, grad=_gather_nd_grad, checks=(_nd_checks(lambda p, i: p.shape, 1, "param "),),
    needs=("params", "indices"), trace_check=traced.gather_nd,
)
def gather_nd(xp, params, indices, bad_indices_policy=""):
    k = indices.shape[-1]
    if k > len(params.shape):
        raise ValueError(f"index innermost dimension length must be <= params rank; saw: {k} vs. {len(params.shape)}")
    if 0 in params.shape and 0 not in indices.shape[:-1]:
        raise ValueError(
            f"Requested more than 0 entries, but params is empty.  Params shape: {rules.text(params.shape)}"
        )
    rows = xp.gather_nd(params, indices)
    if bad_indices_policy != "IGNORE" or not k:
        return rows
    limits = np.array(params.shape[:k], indices.dtype)
    ok = xp.logical_and(xp.greater_equal(indices, xp.const(0, indices)), xp.less(indices, limits))
    ok = xp.all(ok, (len(indices.shape) - 1,))
    ok = xp.reshape(ok, indices.shape[:-1] + (1,) * (len(params.shape) - k))
    return xp.select(ok, rows, xp.zeros_like(rows))


# --- scattering -------------------------------------------------------------------------------------------------------


def _scatter_nd_grad(xp, attrs, inputs, outputs, cts, wanted):
    return None, xp.gather_nd(cts[0], inputs[0]), None


def check_scatter(dims, indices, updates):
    if not dims:
        raise ValueError(f"Output must be at least 1-D, got shape: {rules.text(dims)}")
    k, outer = indices.shape[-1], indices.shape[:-1]
    if k > len(dims):
        raise ValueError(
            f"The inner {k} dimensions of input.shape={rules.text(dims)} must match the inner "
            f"dimensions of updates.shape={rules.text(updates.shape)}"
        )
    if updates.shape and (updates.shape[: len(outer)] != outer):
        raise ValueError(
            f"Dimensions [0,{len(outer)}) of indices[shape={rules.text(indices.shape)}] must match dimensions "
            f"[0,{len(outer)}) of updates[shape={rules.text(updates.shape)}]"
        )
    if updates.shape != (*outer, *dims[k:]):
        raise ValueError(
            f"Dimensions [{k},{len(dims)}) of input[shape={rules.text(dims)}] must match dimensions "
            f"[{len(outer)},{len(updates.shape)}) of updates[shape={rules.text(updates.shape)}]"
        )


def _check_rows(indices, updates):
    """TensorFlow's kernels take a vector of indices for rows of one number each; its shape functions, for one row."""
    if not updates.shape:
        raise ValueError("Updates shape must have rank at least one. Found:[]")
    if len(indices.shape) == 1 and updates.shape[0] != indices.shape[0]:
        raise ValueError(
            f"Dimensions [0,1) of indices[shape={rules.text(indices.shape)}] = {indices.shape[0]} must match "
            f"dimensions [0,1) of updates[shape={rules.text(updates.shape)}] = {updates.shape[0]}"
        )


def _joined_strings(dims, indices, updates):
    """Strings for the same position are concatenated, in the order of the updates."""
    out = np.full(dims, b"", object)
    flat = updates.reshape(-1, *updates.shape[indices.ndim - 1 :])
    for place, update in zip(indices.reshape(-1, indices.shape[-1]).tolist(), flat, strict=True):
        out[tuple(place)] = out[tuple(place)] + update
    return out


def _scatter_nd_shape(f):
    return [rules.as_shape(f.values[2], f.shapes[2])]


@op(
    "ScatterNd", fits="* * 1", shape=_scatter_nd_shape, grad=_scatter_nd_grad, static=("shape",), needs=("indices",),
    checks=(_nd_checks(lambda i, u, shape: tuple(shape.tolist()), 0, ""),), trace_check=traced.scatter_nd,
)
def scatter_nd(xp, indices, updates, shape, bad_indices_policy=""):
    dims = tuple(shape.tolist())
    _check_rows(indices, updates)
    check_scatter(dims, indices, updates)
    if updates.dtype == object:
        return _joined_strings(dims, indices, updates)
    return xp.scatter_nd("add", xp.zeros(dims, updates.dtype), indices, updates)


def _set_grad(xp, attrs, inputs, outputs, cts, wanted):
    _, indices, updates = inputs
    return (
        xp.scatter_nd("set", cts[0], indices, xp.zeros_like(updates)) if wanted[0] else None,
        None,
        xp.gather_nd(cts[0], indices) if wanted[2] else None,
    )


def _add_grad(xp, attrs, inputs, outputs, cts, wanted):
    return cts[0], None, xp.gather_nd(cts[0], inputs[1])


def _sub_grad(xp, attrs, inputs, outputs, cts, wanted):
    return cts[0], None, xp.negative(xp.gather_nd(cts[0], inputs[1]))


def _extremum_grad(xp, attrs, inputs, outputs, cts, wanted):
    """All elements that reached the extremum share the cotangent, as in TensorFlow."""
    (x, indices, updates), y, g = inputs, outputs[0], cts[0]
    of_x = xp.cast(xp.equal(x, y), g.dtype)
    of_updates = xp.cast(xp.equal(updates, xp.gather_nd(y, indices)), g.dtype)
    count = xp.scatter_nd("add", of_x, indices, of_updates)
    share = xp.divide(g, count)
    return xp.multiply(share, of_x), None, xp.multiply(xp.gather_nd(share, indices), of_updates)


def _tensor_scatter(name, mode, grad, needs):
    check = _nd_checks(lambda t, i, u: t.shape, 1, "")

    @op(name, shape=rules.same, grad=grad, checks=(check,), needs=needs, trace_check=traced.tensor_scatter)
    def kernel(xp, tensor, indices, updates, bad_indices_policy=""):
        k, outer = indices.shape[-1], indices.shape[:-1]
        _check_rows(indices, updates)
        if updates.shape[: len(outer)] != outer:
            raise ValueError(
                "Outer dimensions of indices and update must match. Indices shape: "
                f"{rules.text(indices.shape)}, updates shape:{rules.text(updates.shape)}"
            )
        if updates.shape[len(outer) :] != tensor.shape[k:]:
            raise ValueError(
                f"Inner dimensions of output shape must match inner dimensions of updates shape. "
                f"Output: {rules.text(tensor.shape)} updates: {rules.text(updates.shape)}"
            )
        return xp.scatter_nd(mode, tensor, indices, updates)

    return kernel


_tensor_scatter("TensorScatterUpdate", "set", _set_grad, ("indices", "updates"))
_tensor_scatter("TensorScatterAdd", "add", _add_grad, ("indices",))
_tensor_scatter("TensorScatterSub", "sub", _sub_grad, ("indices",))
_tensor_scatter("TensorScatterMax", "max", _extremum_grad, None)
_tensor_scatter("TensorScatterMin", "min", _extremum_grad, None)


@op(
    "ScatterNdNonAliasingAdd", shape=rules.same, grad=_add_grad, checks=(_nd_checks(lambda t, i, u: t.shape, 1, ""),),
    needs=("indices",), trace_check=traced.tensor_scatter,
)
def scatter_nd_non_aliasing_add(xp, input, indices, updates, bad_indices_policy=""):
    check_scatter(input.shape, indices, updates)
    return xp.scatter_nd("add", input, indices, updates)


@op(
    "OneHot", batch=batching.along_attribute("axis", -1), shape=rules.one_hot, grad=NO_GRADIENT, static=("depth",),
    trace_check=traced.one_hot, naming=Naming("one_hot"),
)
def one_hot(xp, indices, depth, on_value, off_value, axis=-1):
    require.scalars(on_value=on_value, off_value=off_value)
    n, ndim = int(depth), len(indices.shape)
    if n < 0:
        raise ValueError(f"depth must be non-negative, got: {n}")
    if not -1 <= axis <= ndim:
        raise ValueError(f"Expected axis to be -1 or between [0, {ndim + 1}).  But received: {axis}")
    axis = ndim if axis == -1 else axis
    if n and n - 1 > np.iinfo(indices.dtype).max:
        indices = xp.cast(indices, np.dtype(np.int64))
    places = xp.reshape(xp.iota(n, indices.dtype), (n,) + (1,) * (ndim - axis))
    hot = xp.equal(xp.reshape(indices, (*indices.shape[:axis], 1, *indices.shape[axis:])), places)
    return xp.materialize(xp.select(hot, on_value, off_value))


# --- ordering ---------------------------------------------------------------------------------------------------------


def _top_k_shape(f):
    dims = f.shapes[0]
    k = f.values[1] if len(f.values) > 1 else f.attrs["k"]
    k = k if isinstance(k, int) else None
    if dims is None:
        return [None, None]
    if not dims:
        raise ValueError("input must be >= 1-D, got shape []")
    if None not in (k, dims[-1]) and dims[-1] < k:
        raise ValueError(f"input must have at least k columns. Had {dims[-1]}, needed {k}")
    return [dims[:-1] + (k,)] * 2


def _top_k_grad(xp, attrs, inputs, outputs, cts, wanted):
    if cts[0] is None:
        return (None,) * len(inputs)
    return (xp.top_k_grad_like(cts[0], inputs[0], outputs[1]),) + (None,) * (len(inputs) - 1)


def _check_k(input, k):
    if k < 0:
        raise ValueError(f"Need k >= 0, got {k}")
    if not input.shape or input.shape[-1] < k:
        raise ValueError(f"input must have at least k columns. Had {input.shape[-1] if input.shape else 0}, needed {k}")


@op("TopKV2", shape=_top_k_shape, grad=_top_k_grad, static=("k",), needs=("input", "indices"), trace_check=traced.top_k)
def top_k_v2(xp, input, k, sorted=True, index_type=dtypes.int32):
    _check_k(input, int(k))
    values, indices = xp.top_k(input, int(k))
    return values, xp.cast(indices, index_type.np_dtype)


@op("TopK", shape=_top_k_shape, grad=_top_k_grad, needs=("input", "indices"))
def top_k(xp, input, k, sorted=True):
    _check_k(input, k)
    values, indices = xp.top_k(input, k)
    return values, xp.cast(indices, np.dtype(np.int32))


def _bounds_shape(f):
    return [f.shapes[1]]


def _check_bounds(sorted_inputs, values):
    for name, array in (("sorted_inputs", sorted_inputs), ("values", values)):
        if array.ndim != 2:
            raise ValueError(f"Shape must be rank 2 but is rank {array.ndim} for `{name}` argument")
    if sorted_inputs.shape[0] != values.shape[0]:
        raise ValueError("Leading dim_size of both tensors must match.")


@op("LowerBound", fits="2 2", shape=_bounds_shape, grad=NO_GRADIENT)
def lower_bound(xp, sorted_inputs, values, out_type=dtypes.int32):
    _check_bounds(sorted_inputs, values)
    return xp.searchsorted(sorted_inputs, values, "left", out_type.np_dtype)


@op("UpperBound", fits="2 2", shape=_bounds_shape, grad=NO_GRADIENT)
def upper_bound(xp, sorted_inputs, values, out_type=dtypes.int32):
    _check_bounds(sorted_inputs, values)
    return xp.searchsorted(sorted_inputs, values, "right", out_type.np_dtype)


# --- results whose shape depends on values: host only -----------------------------------------------------------------


def _where_shape(f):
    return [(None, None if f.shapes[0] is None else len(f.shapes[0]))]


@op("Where", shape=_where_shape, grad=NO_GRADIENT, host=True, sized_by_data=True)
def where(xp, input):
    if not input.ndim:
        raise ValueError("WhereOp : Unhandled input dimensions: 0")
    return np.argwhere(input).astype(np.int64)


def unique_of(x):
    """(unique values in the order of first appearance, the place of each element among them, counts)."""
    if x.dtype == object:
        seen: dict = {}
        index = np.array([seen.setdefault(v, len(seen)) for v in x], np.int64)
        return np.fromiter(seen, object, len(seen)), index, np.bincount(index, minlength=len(seen))
    _, first, inverse, counts = np.unique(x, True, True, True, equal_nan=False)
    order = np.argsort(first)
    rank = np.empty_like(order)  # every element is written: `order` is a permutation
    rank[order] = np.arange(len(order))
    return x[first[order]], rank[inverse.reshape(-1)], counts[order]


def _unique_shape(f):
    return [(None,), f.shapes[0]] + [(None,)] * (len(f.op.definition.outputs) - 2)


def _vector(x):
    if x.ndim != 1:
        raise ValueError("unique expects a 1D vector.")
    return x


@op("Unique", fits="1", shape=_unique_shape, grad=NO_GRADIENT, host=True, sized_by_data=True)
def unique(xp, x, out_idx=dtypes.int32):
    values, index, _ = unique_of(_vector(x))
    return values, index.astype(out_idx.np_dtype)


@op("UniqueWithCounts", shape=_unique_shape, grad=NO_GRADIENT, host=True)
def unique_with_counts(xp, x, out_idx=dtypes.int32):
    values, index, counts = unique_of(_vector(x))
    return values, index.astype(out_idx.np_dtype), counts.astype(out_idx.np_dtype)


def _unique_v2_shape(f):
    count, dims = len(f.op.definition.outputs), f.shapes[0]
    return [None if dims is None else (None,) * len(dims)] + [(None,)] * (count - 1)


def _unique_rows(x, axis):
    axes = axis.reshape(-1).tolist()
    if not axes:
        return unique_of(_vector(x))
    rows = np.moveaxis(x, axes[0], 0)
    seen: dict = {}
    keys = [row.tobytes() if row.dtype != object else tuple(row.reshape(-1)) for row in rows]
    index = np.array([seen.setdefault(key, len(seen)) for key in keys], np.int64)
    first = np.unique(index, return_index=True)[1]
    return np.moveaxis(rows[first], 0, axes[0]), index, np.bincount(index, minlength=len(seen))


@op("UniqueV2", shape=_unique_v2_shape, grad=NO_GRADIENT, host=True, sized_by_data=True)
def unique_v2(xp, x, axis, out_idx=dtypes.int32):
    require.vector("axis", axis)
    values, index, _ = _unique_rows(x, axis)
    return values, index.astype(out_idx.np_dtype)


@op("UniqueWithCountsV2", shape=_unique_v2_shape, grad=NO_GRADIENT, host=True)
def unique_with_counts_v2(xp, x, axis, out_idx=dtypes.int32):
    require.vector("axis", axis)
    values, index, counts = _unique_rows(x, axis)
    return values, index.astype(out_idx.np_dtype), counts.astype(out_idx.np_dtype)


@op("ListDiff", fits="1 1", shape=lambda f: [(None,), (None,)], grad=NO_GRADIENT, host=True, sized_by_data=True)
def list_diff(xp, x, y, out_idx=dtypes.int32):
    other = set(y.tolist())
    index = np.array([i for i, v in enumerate(x.tolist()) if v not in other], np.int64)
    return x[index], index.astype(out_idx.np_dtype)
