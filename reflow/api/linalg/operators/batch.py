"""Batches of matrices: shapes that broadcast, solutions with broadcasting, slices of a batch."""

from __future__ import annotations

import functools

import numpy as np

from reflow.api.array import arrange, creation
from reflow.api.control.printing import no_op
from reflow.api.linalg import solve as solvers
from reflow.api.linalg.diag import adjoint
from reflow.api.math import arithmetic as m
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.tensor import TensorBase
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor


def always(name: str):
    """A method that asserts what always holds: an op of that name that does nothing."""
    return lambda self: no_op(name)


def parameter(value, name=None, dtype=None):
    """An argument as a tensor; a variable stays one, so that the operator follows its changes."""
    return value if isinstance(value, Variable) or value is None else convert_to_tensor(value, dtype, name=name)


def size_operand(value):
    """A size or a shape as a tensor of int32; int64 stays."""
    if isinstance(value, TensorBase):
        return value
    array = np.asarray(value if not isinstance(value, TensorShape) else value.as_list())
    return convert_to_tensor(array.astype(np.int32) if array.dtype.kind in "iu" or not array.size else array)


def static_batch(shapes) -> TensorShape:
    """The shape to which batch shapes broadcast."""
    return functools.reduce(arrange.broadcast_static_shape, map(TensorShape, shapes))


def dynamic_batch(shapes):
    """The shape to which batch shapes broadcast, for shapes that are tensors."""
    return functools.reduce(arrange.broadcast_dynamic_shape, shapes)


def sizes(x):
    """The shape of a tensor: a TensorShape if all of it is known, a tensor otherwise."""
    return x.shape if x.shape.is_fully_defined() else arrange.shape(x)


def joined(*parts):
    """One shape from several (TensorShapes, integer tensors, lists of sizes).

    A list of ints if all are known, else a tensor.
    """
    known = [_known(part) for part in parts]
    if None not in known:
        return [size for part in known for size in part]
    return arrange.concat([arrange.shape_operand(part) for part in parts], 0)


def _known(part):
    if isinstance(part, TensorShape):
        return part.as_list() if part.is_fully_defined() else None
    if isinstance(part, TensorBase):
        return None
    return part if all(isinstance(size, (int, np.integer)) for size in part) else None


def same_batch(matrices) -> list:
    """Matrices with their batch shapes broadcast to one."""
    matrices = [convert_to_tensor(x) for x in matrices]
    if len(matrices) < 2:
        return matrices
    batch = static_batch(x.shape[:-2] for x in matrices)
    if batch.is_fully_defined():
        return [
            x if x.shape[:-2] == batch else arrange.broadcast_to(x, joined(batch, _matrix_sizes(x))) for x in matrices
        ]
    shapes = [arrange.shape(x) for x in matrices]
    common = dynamic_batch([s[:-2] for s in shapes])
    return [arrange.broadcast_to(x, arrange.concat([common, s[-2:]], 0)) for x, s in zip(matrices, shapes, strict=True)]


def _matrix_sizes(x):
    tail = x.shape[-2:]
    return tail if tail.is_fully_defined() else arrange.shape(x)[-2:]


def solve(matrix, rhs, adjoint=False):
    """`tf.linalg.solve` with batches that broadcast."""
    matrix, rhs = same_batch([matrix, rhs])
    return solvers.solve(matrix, rhs, adjoint=adjoint)


def triangular_solve(matrix, rhs, adjoint=False):
    """The solution of lower triangular systems, with batches that broadcast."""
    matrix, rhs = same_batch([matrix, rhs])
    return solvers.triangular_solve(matrix, rhs, lower=True, adjoint=adjoint)


def cholesky_solve(factor, rhs):
    """The solution given a Cholesky factor, with batches that broadcast."""
    return solvers.cholesky_solve(*same_batch([factor, rhs]))


def turned(x, adjoint_arg: bool):
    """The argument of a product or a solve, adjoint if that was asked for."""
    return adjoint(x) if adjoint_arg else x


def to_complex(x):
    """A real tensor as a complex one of the same precision."""
    x = convert_to_tensor(x)
    if x._dtype.is_complex:
        return x
    return m.cast(x, dtypes.complex128 if x._dtype is dtypes.float64 else dtypes.complex64)


def sliced(operator, slices):
    """The operator of a part of the batch: each argument is sliced along its own batch axes."""
    slices = tuple(slices) if isinstance(slices, (list, tuple)) else (slices,)
    changed = {}
    if not (len(slices) == 1 and slices[0] is Ellipsis):
        batch = operator.batch_shape_tensor()
        for name, ranks in operator._experimental_parameter_ndims_to_matrix_ndims.items():
            given = getattr(operator, name)
            if given is not None:
                changed[name] = _each(lambda x, rank: slice_argument(x, rank, slices, batch), given, ranks)
    return type(operator)(**operator.parameters | changed)


def _each(function, value, ranks):
    """Apply a function of an argument and its number of non-batch axes over nested lists of both."""
    if isinstance(ranks, (list, tuple)):
        return [_each(function, v, r) for v, r in zip(value, ranks, strict=True)]
    return function(value, ranks)


def _is_operator(x) -> bool:
    return hasattr(x, "batch_shape_tensor")


def slice_argument(x, rank: int, slices: tuple, batch):
    """One argument; an axis along which it is broadcast is kept whole."""
    x = _with_batch_rank(x, rank, creation.ones_like(batch))
    own = x.batch_shape_tensor() if _is_operator(x) else arrange.shape(x)
    own = own[: arrange.size(own) - rank]
    if arrange.get_static_value(arrange.size(batch)) != 0 and arrange.get_static_value(arrange.size(own)) == 0:
        return x
    chosen = list(_clipped(slices, batch, own))
    if rank > 0:
        if not any(s is Ellipsis for s in slices):
            chosen.append(Ellipsis)
        chosen += [slice(None)] * rank
    return x[tuple(chosen)]


def _with_batch_rank(x, rank: int, ones):
    """An argument with as many batch axes as the operator has."""
    if _is_operator(x):
        ranks = x._experimental_parameter_ndims_to_matrix_ndims
        own = {
            name: _each(lambda v, r: _with_batch_rank(v, r, ones), getattr(x, name), r)
            for name, r in ranks.items()
            if getattr(x, name) is not None
        }
        return type(x)(**x.parameters | own)
    shape = arrange.concat([ones, creation.ones([rank], dtypes.int32)], 0)
    return arrange.broadcast_to(x, arrange.broadcast_dynamic_shape(shape, arrange.shape(x)))


def _clipped(slices: tuple, batch, own):
    """The slices, with the whole of each axis along which the argument has size 1 and the operator more."""
    place = 0
    for position, chosen in enumerate(slices):
        if chosen is Ellipsis:
            if place < 0:
                raise ValueError(f"Found multiple `...` in slices {slices}")
            place = -sum(s is not None for s in slices[position + 1 :])
            yield chosen
        elif chosen is None:
            yield chosen
        else:
            repeated = batch[place] > own[place]
            if isinstance(chosen, slice):
                ends = ((chosen.start, 0), (chosen.stop, 1), (chosen.step, 1))
                yield slice(*(None if given is None else _either(repeated, all_, given) for given, all_ in ends))
            else:
                yield _either(repeated, 0, chosen)
            place += 1


def _either(condition, x, y):
    """One of two integers: a number if the condition and they are known, else a tensor."""
    known = [arrange.get_static_value(v) for v in (condition, x, y)]
    if any(v is None for v in known):
        return m.where(condition, x, y)
    return int(known[1] if known[0] else known[2])
