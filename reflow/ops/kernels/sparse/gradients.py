"""Gradients of the ops on sparse tensors, as ops on tensors. Only values have one: never indices or shapes."""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes, errors
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.kernels.sparse.places import places
from reflow.ops.registry import NO_GRADIENT, op


def _const(value, dtype="int32"):
    from reflow.ops.convert import constant

    return constant(value, dtype)


def to_dense_grad(attrs, inputs, outputs, cotangents, wanted):
    (g,) = cotangents
    values = run("GatherNd", g, inputs[0])
    default = run("Sub", _total(g), _total(values)) if wanted[3] else None
    return None, None, values, default


def _total(x):
    return run("Sum", run("Reshape", x, _const([-1])), _const([0]))


def reorder_grad(attrs, inputs, outputs, cotangents, wanted):
    indices, values, shape = inputs
    count = run("Size", values, out_type=dtypes.int64)
    positions = run("Range", _const(0, "int64"), count, _const(1, "int64"))
    _, order = run("SparseReorder", indices, positions, shape)
    return None, run("GatherV2", cotangents[1], run("InvertPermutation", order), _const(0)), None


def add_grad(attrs, inputs, outputs, cotangents, wanted):
    a, b = run("SparseAddGrad", cotangents[1], inputs[0], inputs[3], outputs[0])
    return None, a, None, None, b, None, None


@op(
    "SparseAddGrad", host=True, grad=NO_GRADIENT,
    shape=lambda f: [f.shapes[1] and f.shapes[1][:1], f.shapes[2] and f.shapes[2][:1]],
)
def sparse_add_grad(_, backprop_val_grad, a_indices, b_indices, sum_indices):
    return tuple(_found(indices, sum_indices, backprop_val_grad) for indices in (a_indices, b_indices))


def _found(indices, among, values):
    """The value at each row of `indices`, from values at the rows of `among`; zero at rows that are not there."""
    size = 1 + np.max([i.max(0, initial=0) for i in (indices, among)], 0)
    order = np.argsort(places(among, size), kind="stable")
    there, at = places(among, size)[order], places(indices, size)
    if not len(there):
        return np.zeros(len(at), values.dtype)
    found = np.minimum(np.searchsorted(there, at), len(there) - 1)
    inside = (there[found] == at) & (indices >= 0).all(-1)
    return np.where(inside, values[order][found], 0).astype(values.dtype)


def dense_add_grad(attrs, inputs, outputs, cotangents, wanted):
    (g,) = cotangents
    return None, run("GatherNd", g, inputs[0]) if wanted[1] else None, None, g


def cwise_grad(divide):
    """Of a sparse tensor times (or divided by) a dense one that is broadcast to its shape."""

    def grad(attrs, inputs, outputs, cotangents, wanted):
        indices, values, shape, dense = inputs
        (g,) = cotangents
        dims = run("Shape", dense, out_type=dtypes.int64)
        extra = run("Sub", run("Size", shape), run("Size", dims))
        padded = run(
            "PadV2", dims, run("Reshape", run("Pack", extra, _const(0), N=2), _const([1, 2])), _const(1, "int64")
        )
        scaled = run("FloorDiv", indices, run("FloorDiv", shape, padded))
        begin = run("Pack", _const(0), extra, N=2)
        at = run("Slice", scaled, begin, _const([-1, -1]))
        there = run("GatherNd", dense, at)
        if divide:
            of_values = run("RealDiv", g, there)
            of_dense = run("Mul", g, run("Neg", run("RealDiv", values, run("Square", there))))
        else:
            of_values, of_dense = run("Mul", g, there), run("Mul", g, values)
        if wanted[3]:
            of_dense = run("SparseTensorDenseAdd", at, of_dense, dims, run("ZerosLike", dense))
        return None, of_values, None, of_dense if wanted[3] else None

    return grad


def no_gradient_of(name):
    """A gradient that TensorFlow registers only to say that there is none."""

    def grad(attrs, inputs, outputs, cotangents, wanted):
        raise NotImplementedError(f"Gradient for {name} is not implemented.")

    return grad


def matmul_grad(attrs, inputs, outputs, cotangents, wanted):
    indices, values, shape, b = inputs
    (g,) = cotangents
    adjoint_a, adjoint_b = bool(attrs.get("adjoint_a")), bool(attrs.get("adjoint_b"))
    grad_b = grad_values = None
    if wanted[3]:
        grad_b = run("SparseTensorDenseMatMul", indices, values, shape, g, adjoint_a=not adjoint_a, adjoint_b=False)
        if adjoint_b:
            grad_b = _adjoint(grad_b)
    if wanted[1]:
        rows, columns = run("Unpack", indices, num=2, axis=1)
        if adjoint_a:
            rows, columns = columns, rows
        axis = _const(0)
        right = _conj(run("GatherV2", _adjoint(b) if adjoint_b else b, columns, axis))
        grad_values = run("Sum", run("Mul", run("GatherV2", g, rows, axis), right), _const([1]))
        if adjoint_a:
            grad_values = _conj(grad_values)
    return None, grad_values, None, grad_b


def _conj(x):
    return run("Conj", x) if x._dtype.is_complex else x


def _adjoint(x):
    return _conj(run("Transpose", x, _const([1, 0])))


def sparse_matmul_grad(attrs, inputs, outputs, cotangents, wanted):
    """The gradient of a product of dense matrices, read at the entries."""

    def dense(indices, values, shape):
        return run("SparseToDense", indices, shape, values, _const(0, values._dtype), validate_indices=False)

    a, b, g = dense(*inputs[:3]), dense(*inputs[3:]), dense(outputs[0], cotangents[1], outputs[2])
    grad_a = run("GatherNd", run("BatchMatMulV2", g, b, adj_y=True), inputs[0]) if wanted[1] else None
    grad_b = run("GatherNd", run("BatchMatMulV2", a, g, adj_x=True), inputs[3]) if wanted[4] else None
    return None, grad_a, None, None, grad_b, None


def slice_grad(attrs, inputs, outputs, cotangents, wanted):
    return None, run("SparseSliceGrad", cotangents[1], inputs[0], inputs[3], outputs[0]), None, None, None


@op("SparseSliceGrad", shape=lambda f: [(f.shapes[1][0] if f.shapes[1] else None,)], host=True)
def sparse_slice_grad(_, backprop_val_grad, input_indices, input_start, output_indices):
    return _found(input_indices, output_indices + input_start, backprop_val_grad)


def fill_empty_rows_grad(attrs, inputs, outputs, cotangents, wanted):
    values, default = run("SparseFillEmptyRowsGrad", outputs[3], cotangents[1])
    return None, values, None, default


@op("SparseFillEmptyRowsGrad", fits="1 1", shape=lambda f: [f.shapes[0] and f.shapes[0][:1] or (None,), ()], host=True)
def sparse_fill_empty_rows_grad(_, reverse_index_map, grad_values):
    """The cotangents of the entries that were there, and of the default: the sum of the others."""
    for name, vector in (("reverse_index_map", reverse_index_map), ("grad_values", grad_values)):
        if vector.ndim != 1:
            raise errors.InvalidArgumentError(None, None, f"{name} must be a vector, saw: {rules.text(vector.shape)}")
    for outside in reverse_index_map[(reverse_index_map < 0) | (reverse_index_map >= len(grad_values))][:1]:
        words = f"Elements in reverse index must be in [0, {len(grad_values)}) but got {outside}"
        raise errors.InvalidArgumentError(None, None, words)
    filled = np.ones(len(grad_values), bool)
    filled[reverse_index_map] = False
    return grad_values[reverse_index_map], np.asarray(grad_values[filled].sum(dtype=grad_values.dtype))


def reduce_sum_grad(attrs, inputs, outputs, cotangents, wanted):
    indices, _, shape, axes = inputs
    axes = run("FloorMod", run("Reshape", axes, _const([-1])), run("Size", shape))
    ones = run("OnesLike", run("Cast", axes, DstT=dtypes.int64))
    kept = run("TensorScatterUpdate", shape, run("ExpandDims", axes, _const(1)), ones)
    spread = run("Reshape", cotangents[0], kept)
    return None, run("GatherNd", spread, run("FloorDiv", indices, run("FloorDiv", shape, kept))), None, None


def softmax_grad(attrs, inputs, outputs, cotangents, wanted):
    """y * (g - sum of g * y over the row), at the entries."""
    indices, _, shape = inputs
    (y,), (g,) = outputs, cotangents
    total = run("SparseReduceSum", indices, run("Mul", y, g), shape, _const([-1]), keep_dims=True)
    return None, run("Mul", run("SparseDenseCwiseAdd", indices, g, shape, run("Neg", total)), y), None
