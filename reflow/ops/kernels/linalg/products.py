"""Products of (batches of) matrices and vectors, and einsum."""

from __future__ import annotations

import string

import numpy as np

from reflow.core.errors import FailedPreconditionError
from reflow.ops import batching
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.dispatch import dispatch
from reflow.ops.kernels.math.unary import conj
from reflow.ops.naming import Naming
from reflow.ops.registry import op
from reflow.ops.xp.einsum import einsum_labels


def adjoint(xp, x):
    """The conjugate transpose."""
    return xp.matrix_transpose(conj(xp, x))


def _product_grads(xp, a, b, g, flip_a, flip_b, wanted):
    """The gradients of op(a) @ op(b), op being the adjoint where the flag is set, before undoing broadcasting."""
    da = db = None
    if wanted[0]:
        if flip_a:
            da = xp.matmul(conj(xp, b) if flip_b else b, conj(xp, g), flip_b, True)
        else:
            da = xp.matmul(g, b if flip_b else conj(xp, b), False, not flip_b)
    if wanted[1]:
        if flip_b:
            db = xp.matmul(conj(xp, g), conj(xp, a) if flip_a else a, True, flip_a)
        else:
            db = xp.matmul(a if flip_a else conj(xp, a), g, not flip_a, False)
    return da, db


def _matmul_grad(xp, attrs, inputs, outputs, cts, wanted):
    """MatMul transposes without conjugating: with a conjugated input it is a product of adjoints."""
    (a, b), (g,) = inputs, cts
    flip_a, flip_b = attrs.get("transpose_a", False), attrs.get("transpose_b", False)
    da, db = _product_grads(xp, conj(xp, a) if flip_a else a, conj(xp, b) if flip_b else b, g, flip_a, flip_b, wanted)
    return (conj(xp, da) if flip_a and wanted[0] else da, conj(xp, db) if flip_b and wanted[1] else db)


def _matmul_of_rows(op, attrs, values, flags):
    """The product of batches, which conjugates what it transposes."""
    flips = {"adj_x": attrs.get("transpose_a", False), "adj_y": attrs.get("transpose_b", False)}
    return None if values[0].dtype.kind == "c" and any(flips.values()) else (batch_matmul_v2, flips, values)


@op(
    "MatMul", shape=rules.matmul, grad=_matmul_grad, needs=("a", "b"), trace_words=traced.product,
    batch=_matmul_of_rows, naming=Naming(operator="matmul"), heavy=True,
)
def matmul(xp, a, b, transpose_a=False, transpose_b=False, grad_a=False, grad_b=False):
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError(f"In[0] and In[1] has different ndims: {rules.text(a.shape)} vs. {rules.text(b.shape)}")
    return xp.matmul(a, b, transpose_a, transpose_b)


def _batch_matmul_grad(xp, attrs, inputs, outputs, cts, wanted):
    (x, y), (g,) = inputs, cts
    flip_x, flip_y = attrs.get("adj_x", False), attrs.get("adj_y", False)
    shared = y.ndim == 2 and (x.ndim or 0) > 2 and not flip_x  # one matrix for the whole batch
    dx, dy = _product_grads(xp, x, y, g, flip_x, flip_y, (wanted[0], wanted[1] and not shared))
    if shared and wanted[1]:
        dy = _shared_matrix_grad(xp, x, g, flip_y)
    elif wanted[1]:
        dy = xp.sum_to_like(dy, y)
    return (xp.sum_to_like(dx, x) if wanted[0] else None, dy)


def _shared_matrix_grad(xp, x, g, flip_y):
    """The gradient of one matrix that multiplies a whole batch: one contraction over the batch and the rows.

    As a product for each example and a sum over them it would write as many matrices as the batch has examples.
    """
    batch = string.ascii_lowercase[: x.ndim - 1]
    if flip_y:
        return xp.einsum(f"{batch}Y,{batch}X->YX", conj(xp, g), x)
    return xp.einsum(f"{batch}X,{batch}Y->XY", conj(xp, x), g)


def _batch_matmul(xp, x, y, adj_x, adj_y, dtype=None):
    if x.ndim < 2 or y.ndim < 2:
        raise ValueError(f"In[{0 if x.ndim < 2 else 1}] ndims must be >= 2")
    return xp.matmul(conj(xp, x) if adj_x else x, conj(xp, y) if adj_y else y, adj_x, adj_y, dtype)


def _batch_product_op(name, grad, **facts):
    return op(
        name, shape=rules.batch_matmul, grad=grad, needs=("x", "y"), trace_words=traced.batch_product,
        batch=batching.aligned, **facts,
    )


@_batch_product_op("BatchMatMul", _batch_matmul_grad, trace_check=traced.equal_batches, heavy=True)
def batch_matmul(xp, x, y, adj_x=False, adj_y=False, grad_x=False, grad_y=False):
    return _batch_matmul(xp, x, y, adj_x, adj_y)


@_batch_product_op("BatchMatMulV2", _batch_matmul_grad, naming=Naming("MatMul", operator="matmul"), heavy=True)
def batch_matmul_v2(xp, x, y, adj_x=False, adj_y=False, grad_x=False, grad_y=False):
    return _batch_matmul(xp, x, y, adj_x, adj_y)


def _batch_matmul_v3_grad(xp, attrs, inputs, outputs, cts, wanted):
    x, y = inputs
    wide = [xp.cast(v, cts[0].dtype) for v in inputs]
    dx, dy = _batch_matmul_grad(xp, attrs, wide, outputs, cts, wanted)
    return (xp.cast(dx, x.dtype) if wanted[0] else None, xp.cast(dy, y.dtype) if wanted[1] else None)


@_batch_product_op("BatchMatMulV3", _batch_matmul_v3_grad, naming=Naming("MatMul"), heavy=True)
def batch_matmul_v3(xp, x, y, Tout, adj_x=False, adj_y=False, grad_x=False, grad_y=False):
    """The product in another type, e.g. int32 for int8 inputs."""
    return _batch_matmul(xp, x, y, adj_x, adj_y, Tout.np_dtype)


# --- einsum ---------------------------------------------------------------------------------------------------------

ELLIPSIS = chr(0x100)  # the first label that represents an ellipsis axis


def _einsum_shape(f):
    specs = f.attrs["equation"].replace(" ", "").partition("->")[0].split(",")
    shapes = [
        (None,) * len(spec) if dims is None and "..." not in spec else dims
        for spec, dims in zip(specs, f.shapes, strict=True)
    ]
    if any(dims is None for dims in shapes):
        return [None]
    sizes, output = _einsum_sizes(f.attrs["equation"], shapes)
    return [tuple(sizes[label] for label in output)]


def _einsum_sizes(equation, shapes):
    """The size of each label, None where unknown, and the labels of the result.

    Only the axes of an ellipsis may be broadcast.
    """
    inputs, output = einsum_labels(equation, tuple(map(len, shapes)))
    sizes: dict = {}
    for labels, dims in zip(inputs, shapes, strict=True):
        for axis, (label, n) in enumerate(zip(labels, dims, strict=True)):
            old = sizes.setdefault(label, n)
            if old == n or n is None and old != 1:
                continue
            if old is None or old == 1 and label >= ELLIPSIS:
                sizes[label] = n if old is not None or n != 1 or label < ELLIPSIS else None
            elif n is not None and (label < ELLIPSIS or n != 1):
                shape = ",".join("?" if d is None else str(d) for d in dims)
                raise ValueError(
                    f"Expected dimension {old} at axis {axis} of the input shaped [{shape}] but got dimension {n}"
                )
    return sizes, output


def _without_repeats(xp, spec, x, equation):
    """A diagonal such as "ii" as "ij", and the identity matrix of i and j that its gradient is multiplied with."""
    fresh = (c for c in string.ascii_letters if c not in equation)
    labels, repeats = [], []
    for c in spec.replace("...", "."):
        if c != "." and c in labels:
            repeats.append((c, next(fresh)))
            c = repeats[-1][1]
        labels.append(c)
    spec = "".join(labels).replace(".", "...")
    return spec, [(c + new, xp.diag(xp.ones_like(xp.einsum(f"{spec}->{c}", x)))) for c, new in repeats]


def _einsum_grad(xp, attrs, inputs, outputs, cts, wanted):
    """Each operand's gradient is an einsum of the cotangent and the others. Labels that only it has come from ones."""
    left, _, out = attrs["equation"].replace(" ", "").partition("->")
    specs = left.split(",")
    g, unique = cts[0], _once(out)
    if unique != out:
        g, out = xp.einsum(f"{out}->{unique}", g), unique
    grads: list = [None] * len(inputs)
    for i, spec in enumerate(specs):
        if not wanted[i]:
            continue
        others = [(s, conj(xp, x)) for j, (s, x) in enumerate(zip(specs, inputs, strict=True)) if j != i]
        spec, identities = _without_repeats(xp, spec, inputs[i], equation=attrs["equation"])
        others += identities
        known = "".join([out, *(s for s, _ in others)])
        if any(c not in known for c in spec.replace(".", "")) or ("..." in spec and "..." not in known):
            others.append((spec, xp.ones_like(inputs[i])))
        grads[i] = _operand_grad(xp, [(out, g), *others], spec, inputs[i])
    return tuple(grads)


def _operand_grad(xp, factors, spec, x):
    """The product of the factors in the order of an operand's labels, summed where the operand's ellipsis was
    broadcast: that sum is over leading axes, so the axes of the ellipsis are computed first and brought to their place
    afterwards."""
    leading = "..." + spec.replace("...", "") if "..." in spec else spec
    grad = xp.einsum(",".join(s for s, _ in factors) + "->" + leading, *(value for _, value in factors))
    if leading == spec:
        return xp.sum_to_like(grad, x)
    return xp.einsum(f"{leading}->{spec}", xp.sum_to_like(grad, xp.einsum(f"{spec}->{leading}", x)))


def _once(labels):
    """Labels without repetitions, an ellipsis being one label."""
    return "".join(dict.fromkeys(labels.replace("...", "."))).replace(".", "...")


@op("Einsum", shape=_einsum_shape, grad=_einsum_grad, trace_check=traced.einsum, heavy=True)
def einsum(xp, inputs, equation):
    given, arrow, out = equation.replace(" ", "").partition("->")
    if not arrow:
        raise ValueError(f"Expecting exactly one '->' in einsum equation: {equation}")
    if len(given.split(",")) != len(inputs):
        raise ValueError(f"Expected {len(given.split(','))} inputs but got: {len(inputs)}")
    labels = _einsum_sizes(equation, [x.shape for x in inputs])[1]
    if "..." not in out and (width := _broadcast_width(given, inputs)):
        raise ValueError(
            f"Output contains {width} broadcasting dimension(s) but no ellipsis (...) was found "
            "in the output subscripts."
        )
    unique = _once(labels)
    if unique == labels:
        return xp.einsum(equation, *inputs)
    return _spread(xp, xp.einsum(f"{given}->{_once(out)}", *inputs), unique, labels)


def _broadcast_width(given, inputs):
    """The number of axes that the ellipsis represents."""
    widths = [x.ndim - len(s) + 3 for s, x in zip(given.split(","), inputs, strict=True) if "..." in s]
    return max(widths, default=0)


def _spread(xp, x, unique, labels):
    """A result whose labels repeat, such as "aa": the values stand on the diagonal, zeros elsewhere."""
    sizes = dict(zip(unique, x.shape, strict=True))
    seen: set = set()
    for axis, label in enumerate(labels):
        if label in seen:
            shape = [sizes[label] if i in (labels.index(label), axis) else 1 for i in range(axis + 1)]
            shape += [1] * (x.ndim - axis)
            x = xp.expand_dims(x, axis)
            diagonal = np.reshape(np.eye(sizes[label], dtype=bool), shape)
            x = xp.select(xp.asarray(diagonal, np.bool_), x, xp.zeros_like(x))
        seen.add(label)
    return x


# --- other products ---------------------------------------------------------------------------------------------------


def _cross(xp, a, b):
    def turned(x, by):
        return xp.roll(x, (by,), (x.ndim - 1,))

    return xp.subtract(xp.multiply(turned(a, -1), turned(b, -2)), xp.multiply(turned(a, -2), turned(b, -1)))


def _cross_grad(attrs, inputs, outputs, cts, wanted):
    (a, b), (g,) = inputs, cts
    return (dispatch(CROSS, (b, g), {}) if wanted[0] else None, dispatch(CROSS, (g, a), {}) if wanted[1] else None)


@op("Cross", shape=rules.same, grad_tensors=_cross_grad, trace_check=traced.cross)
def CROSS(xp, a, b):
    if a.shape != b.shape:
        raise ValueError(f"Both inputs must be of same shape: {rules.text(a.shape)} vs. {rules.text(b.shape)}")
    if not a.ndim or a.shape[-1] != 3:
        raise FailedPreconditionError(None, None, "Cross-products are only defined for 3-element vectors.")
    return _cross(xp, a, b)
