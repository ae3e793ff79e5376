"""`tf.linalg`: products of matrices and tensors; `tf.einsum`."""

from __future__ import annotations

import numbers
import re
from typing import Any

import numpy as np

from reflow.api.call import call
from reflow.api.export import export
from reflow.api.linalg.diag import adjoint, is_operator
from reflow.api.math import arithmetic as m
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.core.tensor import EagerTensor, Tensor
from reflow.ops import registry
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.dispatch import dispatch

_MATMUL = registry.get("MatMul")
_PLAIN: dict = {}


#: TensorFlow multiplies matrices of different types by its op for sparse ones, whose result is always float32
_MIXED = {dtypes.bfloat16, dtypes.float32}


@export("matmul", "linalg.matmul")
def matmul(
    a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, a_is_sparse=False, b_is_sparse=False,
    output_type=None, grad_a=False, grad_b=False, name=None,
):
    """Computes the matrix product over the last two axes; leading axes broadcast.

    Args:
      a: A tensor of numbers of rank 2 or more, or a `tf.linalg.LinearOperator`.
      b: The other factor, of the same dtype.
      transpose_a, transpose_b: Whether to transpose a factor first.
      adjoint_a, adjoint_b: Whether to transpose and conjugate a factor first.
      a_is_sparse, b_is_sparse: Hints that a factor has many zeros; they change the op for float32 and bfloat16, not the
        product.
      output_type: The dtype of the result; by default that of the factors.
      grad_a, grad_b: Ignored.
      name: A name for the operation.

    Returns:
      A tensor of the product, of shape `[..., rows of a, columns of b]`.

    Raises:
      InvalidArgumentError: The shapes do not match, or the dtypes differ.
      ValueError: A factor is to be transposed and adjoint, or an operator to be transposed.

    >>> tf.matmul([[1, 2]], [[3], [4]]).numpy().tolist()
    [[11]]
    """
    if (
        type(a) is EagerTensor
        and type(b) is EagerTensor
        and a._dtype is b._dtype
        and output_type is None
        and not (transpose_a or transpose_b or adjoint_a or adjoint_b)
        and len(a._value.shape) == 2 == len(b._value.shape)
    ):
        return dispatch(_MATMUL, (a, b), _PLAIN) if name is None else call("MatMul", (a, b), _PLAIN, name)
    if is_operator(a) or is_operator(b):
        _refuse_with_operators(transpose_a or transpose_b, a_is_sparse or b_is_sparse)
        if is_operator(a):
            return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
        return adjoint(b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a), name)
    _refuse_both(a=transpose_a and adjoint_a, b=transpose_b and adjoint_b)
    a, b = m.pair(a, b)
    if output_type is not None and dtypes.as_dtype(output_type) is not a._dtype:
        a, adjoint_a = _as_adjoint(a, transpose_a, adjoint_a)
        b, adjoint_b = _as_adjoint(b, transpose_b, adjoint_b)
        wide = dtypes.as_dtype(output_type)
        return call("BatchMatMulV3", (a, b), {"Tout": wide, "adj_x": adjoint_a, "adj_y": adjoint_b}, name)
    if None not in (a.shape.rank, b.shape.rank) and a.shape.rank <= 2 and b.shape.rank <= 2:
        a = m.conj(a) if adjoint_a else a
        b = m.conj(b) if adjoint_b else b
        turned = {"transpose_a": bool(transpose_a or adjoint_a), "transpose_b": bool(transpose_b or adjoint_b)}
        if (a_is_sparse or b_is_sparse or a._dtype is not b._dtype) and {a._dtype, b._dtype} <= _MIXED:
            product = call("SparseMatMul", (a, b),
                           {**turned, "a_is_sparse": bool(a_is_sparse), "b_is_sparse": bool(b_is_sparse)}, name)
            return product if dtypes.float32 in (a._dtype, b._dtype) else m.cast(product, dtypes.bfloat16)
        return call("MatMul", (a, b), turned, name)
    a, adjoint_a = _as_adjoint(a, transpose_a, adjoint_a)
    b, adjoint_b = _as_adjoint(b, transpose_b, adjoint_b)
    return call("BatchMatMulV2", (a, b), {"adj_x": adjoint_a, "adj_y": adjoint_b}, name)


def _refuse_with_operators(transposed, sparse) -> None:
    """Reject what products with linear operators do not know."""
    if transposed or sparse:
        raise ValueError(f"{'Transposing' if transposed else 'Sparse methods'} not supported at this time.")


def _refuse_both(**sides) -> None:
    """Reject a factor that is to be transposed and adjoint at once."""
    for side, both in sides.items():
        if both:
            raise ValueError(
                f"Only one of `transpose_{side}` and `adjoint_{side}` can be True. Received "
                f"`transpose_{side}`=True, `adjoint_{side}`=True."
            )


def _as_adjoint(x, transpose, adjoint):
    """A transposed operand as the adjoint of its conjugate."""
    return (m.conj(x) if transpose else x), bool(transpose or adjoint)


@export("linalg.matvec")
def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, name=None):
    """Multiplies a matrix by a vector; leading axes broadcast.

    Args:
      a: A tensor of numbers of rank 2 or more, or a `tf.linalg.LinearOperator`.
      b: The vector, of the same dtype: a tensor whose last axis is that of the columns of `a`.
      transpose_a: Whether to transpose `a` first.
      adjoint_a: Whether to transpose and conjugate `a` first.
      a_is_sparse: Ignored.
      b_is_sparse: Ignored.
      name: A name for the operation.

    Returns:
      A tensor of the product, of shape `[..., rows of a]`.

    Raises:
      InvalidArgumentError: The shapes do not match, or the dtypes differ.

    >>> tf.linalg.matvec([[1, 2], [3, 4]], [1, 1]).numpy().tolist()
    [3, 7]
    """
    if is_operator(a):
        if transpose_a:
            raise ValueError("Transposing not supported at this time.")
        return a.matvec(b, adjoint=adjoint_a)
    a, b = m.pair(a, b)
    column = call("ExpandDims", (b, constant(-1)))
    return call("Squeeze", (matmul(a, column, transpose_a, adjoint_a=adjoint_a),), {"squeeze_dims": [-1]}, name)


@export("tensordot", "linalg.tensordot")
@scoped("Tensordot")
def tensordot(a, b, axes, name=None):
    """Multiplies two tensors and sums over pairs of axes.

    Args:
      a: A tensor of numbers.
      b: Another one of the same dtype.
      axes: A number n for the last n axes of `a` and the first n of `b`, or two lists, of axes of `a` and of `b`.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of the factors, with the other axes of `a`, then those of `b`.

    Raises:
      ValueError: `axes` is negative, too large, or not two lists of equal length.
      InvalidArgumentError: Axes of a pair differ in size.

    >>> tf.tensordot([[1, 2], [3, 4]], [5, 6], 1).numpy().tolist()
    [17, 39]
    """
    a, b = m.pair(a, b)
    axes_a, axes_b = _contracted(a, axes)
    matrix_a, free_a = _as_matrix(a, axes_a, last=True)
    matrix_b, free_b = _as_matrix(b, axes_b, last=False)
    product = matmul(matrix_a, matrix_b)
    shape = call("ConcatV2", (free_a, free_b, constant(0)), {"N": 2})
    return call("Reshape", (product, shape), {}, name)


def _contracted(a, axes: Any):
    """The axes of both operands over which a tensordot sums: lists of ints, or int32 vectors if a's rank is unknown."""
    if isinstance(axes, (numbers.Integral, EagerTensor, np.ndarray)) and not getattr(axes, "ndim", 0):
        count = int(axes)
        if count < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        rank = a.shape.rank
        if rank is None:
            total = call("Rank", (a,))
            return call("Range", (m.subtract(total, count), total, constant(1))), list(range(count))
        if count > rank:
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {a}.  Received {axes}, vs "
                f"tensor dimensions {rank}."
            )
        return list(range(rank - count, rank)), list(range(count))
    if isinstance(axes, Tensor) and not isinstance(axes, EagerTensor):
        return axes[0], axes[1]
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    left, right = ([int(i) for i in np.reshape(np.asarray(side), -1)] for side in axes)
    if len(left) != len(right):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(left)} != {len(right)}.")
    return left, right


def _as_matrix(x, axes, last):
    """x as a matrix of its free axes and those that are summed, in this order if `last`; and the free sizes."""
    rank = x.shape.rank
    if rank is None or not isinstance(axes, list):
        count = call("Rank", (x,))
        axes = convert_to_tensor(axes, dtypes.int32)
        axes = m.where(m.less(axes, 0), m.add(axes, count), axes)
        free, _ = call("ListDiff", (call("Range", (constant(0), count, constant(1))), axes), {"out_idx": dtypes.int32})
    else:
        if not all(-rank <= i < rank for i in axes):
            raise IndexError(f"An axis is out of range for a tensor of rank {rank}. Received: {axes}")
        axes = [i % rank for i in axes]
        free = constant([i for i in range(rank) if i not in axes], dtypes.int32)
        axes = constant(axes, dtypes.int32)
    shape = call("Shape", (x,))
    sizes, summed = (call("GatherV2", (shape, which, constant(0))) for which in (free, axes))
    groups = [(free, sizes), (axes, summed)]
    if not last:
        groups.reverse()
    order = call("ConcatV2", (groups[0][0], groups[1][0], constant(0)), {"N": 2})
    rows, cols = (call("Prod", (part, constant(0)), {"keep_dims": False}) for _, part in groups)
    matrix = call("Reshape", (call("Transpose", (x, order)), call("Pack", (rows, cols), {"N": 2, "axis": 0})))
    return matrix, sizes


@export("einsum", "linalg.einsum")
@scoped("einsum")
def einsum(equation, *inputs, **kwargs):
    """Sums products by naming axes: repeated names are multiplied, names missing from the result are summed.

    Args:
      equation: A letter for each axis of each input, as in "ij,jk->ik"; "..." stands for axes that broadcast. Without
        "->", the result has the letters that occur once, in alphabetical order.
      *inputs: The tensors, of one dtype.
      **kwargs: `optimize`, how to order the products of three or more inputs: a word of the package opt_einsum,
        "greedy" by default; and `name`, a name for the operation.

    Returns:
      A tensor of the dtype of the inputs.

    Raises:
      ValueError: The equation has no meaning, or another number of inputs.
      InvalidArgumentError: Axes of the same name differ in size.
      TypeError: There is another keyword argument.

    >>> tf.einsum("ij,jk->ik", [[1, 2]], [[3], [4]]).numpy().tolist()
    [[11]]
    """
    name = kwargs.pop("name", None)
    optimize = kwargs.pop("optimize", "greedy")
    if kwargs:
        raise TypeError(f"Invalid keyword arguments for einsum: {', '.join(kwargs)}. Valid arguments: name, optimize.")
    if not inputs:
        raise ValueError("einsum needs at least one operand.")
    tensors = list(inputs)
    if len(tensors) == 2:
        tensors = list(m.pair(*tensors))
    else:
        first = next((t for t in tensors if hasattr(t, "dtype")), None)
        hint = None if first is None else dtypes.as_dtype(first.dtype)
        tensors = [convert_to_tensor(t, dtype_hint=hint) for t in tensors]
    equation = equation.replace(" ", "")
    if not _EQUATION.fullmatch(equation):
        raise ValueError(f"Subscripts have incorrect format: {equation}")
    left = equation.partition("->")[0]
    if len(tensors) != left.count(",") + 1:
        raise ValueError(f'Got {len(tensors)} inputs for equation "{equation}", expecting {left.count(",") + 1}')
    equation = _explicit(equation)
    for part in left.split(","):
        if part.count("...") > 1:
            words = f"Expected at most one ellipsis in the subscripts of an input, found {part}"
            raise InvalidArgumentError(None, None, words) if state.graph is None else ValueError(words)
    if len(tensors) <= 2:
        return call("Einsum", tensors, {"equation": equation, "N": len(tensors)}, name)
    return _many(equation, tensors, optimize, name)


_OPERAND = r"(?:[a-zA-Z]|\.{3})*"
_EQUATION = re.compile(rf"{_OPERAND}(?:,{_OPERAND})*(?:->{_OPERAND})?")


def _explicit(equation):
    """The equation with the labels of its result. Where it does not say them, they are those that occur once,
    in alphabetical order."""
    left, arrow, right = equation.partition("->")
    if not arrow:
        return f"{left}->{'...' if '...' in left else ''}" + "".join(
            sorted(c for c in set(left) - set(".,") if left.count(c) == 1)
        )
    labels = right.replace("...", "")
    if right.count("...") > 1:
        raise ValueError(f"Output subscripts contain more than one ellipsis: {equation}")
    for label in labels:
        if label not in left:
            raise ValueError(f"Output subscripts contain the label {label} not present in the input subscripts.")
    if len(set(labels)) != len(labels):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    return equation


def _many(equation, tensors, optimize, name):
    """More than two operands: pairs, in an order that keeps the intermediate results small."""
    import opt_einsum
    from opt_einsum.parser import parse_einsum_input

    # sizes that are not known count as 1, axes whose number is not known as none: this is about the order only
    ranks = [len(part.replace("...", "")) for part in equation.partition("->")[0].split(",")]
    shapes = [
        tuple(d or 1 for d in (t.shape.as_list() if t.shape.rank is not None else [1] * rank))
        for t, rank in zip(tensors, ranks, strict=True)
    ]
    left, out, _ = parse_einsum_input([equation, *shapes], shapes=True)  # with letters for the axes of "..."
    path, _ = opt_einsum.contract_path(f"{left}->{out}", *shapes, shapes=True, optimize=optimize)
    left, _, out = equation.partition("->")
    labels, tensors = left.split(","), list(tensors)
    for step in path:
        picked = sorted(step, reverse=True)
        parts = [(labels.pop(i), tensors.pop(i)) for i in picked]
        rest = set("".join(labels) + out) - {"."}
        names = ",".join(p for p, _ in parts)
        result = out if not tensors else "..." * ("..." in names) + "".join(sorted(set(names) & rest))
        labels.append(result)
        tensors.append(
            call(
                "Einsum", [t for _, t in parts], {"equation": f"{names}->{result}", "N": len(parts)},
                name if len(tensors) == 0 else None,
            )
        )
    return tensors[0]


@export("linalg.cross")
def cross(a, b, name=None):
    """Computes the vector product of 3-element vectors (the last axis).

    Args:
      a: A tensor of numbers whose last axis has size 3.
      b: Another one of the same shape and dtype.
      name: A name for the operation.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      FailedPreconditionError: The vectors have another size.

    >>> tf.linalg.cross([1, 0, 0], [0, 1, 0]).numpy().tolist()
    [0, 0, 1]
    """
    return call("Cross", m.pair(a, b), {}, name)
