"""Shape rules: infer an op's output shapes from partial shapes and values of its inputs.

A rule takes `NodeFacts` and returns one plain shape per output: a tuple of `int | None`, or `None` for unknown rank.
*Unknown is always correct, a guess never is.* Small integer tensors also carry a *partial value* (`shape_facts.py`),
which is how `reshape(x, [tf.shape(x)[0], 2])` becomes `(None, 2)`; value rules (`shape_values.py`) compute those. No
rule calls JAX. A rule raises ValueError, with TensorFlow's message, for inputs that can never fit.
"""

from __future__ import annotations

from typing import Any

from reflow.core.types import Dims

# records refer to shape and value rules alike as `rules.…`
from reflow.ops.shape_facts import (  # noqa: F401
    MAX_VALUE_ELEMENTS,
    NodeFacts,
    ShapeRule,
    Shapes,
    as_shape,
    known,
    partial_value,
    product,
    text,
    too_large,
)
from reflow.ops.shape_rules_array import *  # noqa: F403
from reflow.ops.shape_values import *  # noqa: F403
from reflow.ops.slice_spec import SliceSpec, slice_spec  # noqa: F401

# --- families -------------------------------------------------------------------------------------------------------


def same(f: NodeFacts) -> Shapes:
    """One output with the shape of the first input."""
    return [f.shapes[0]]


def same_of_rank(rank: int, index: int = 0) -> ShapeRule:
    """One output with the shape of an input that always has `rank` axes."""

    def rule(f: NodeFacts) -> Shapes:
        return [(None,) * rank if f.shapes[index] is None else f.shapes[index]]

    return rule


def same_all(f: NodeFacts) -> Shapes:
    """Each output has the shape of the input at its position."""
    return list(f.shapes)


def scalar(f: NodeFacts) -> Shapes:
    return [()]


def unknown(f: NodeFacts) -> Shapes:
    return [None] * max(1, len(f.op.definition.outputs))


def no_outputs(f: NodeFacts) -> Shapes:
    return []


def broadcast_dims(a: Dims | None, b: Dims | None) -> Dims | None:
    """The broadcast of two partial shapes."""
    if a is None or b is None:
        return None
    if len(a) < len(b):
        a, b = b, a
    out = list(a)
    offset = len(a) - len(b)
    for i, y in enumerate(b):
        x = a[offset + i]
        if x == y or y == 1:
            continue
        if x == 1:
            out[offset + i] = y
        elif x is None:
            out[offset + i] = y if y is not None and y > 1 else None
        elif y is None:
            out[offset + i] = x if x > 1 else None
        else:
            raise ValueError(f"Incompatible shapes: {text(a)} vs. {text(b)}")
    return tuple(out)


def broadcast(f: NodeFacts) -> Shapes:
    """Elementwise ops of two inputs."""
    a, b = f.shapes[0], f.shapes[1]
    try:
        return [broadcast_dims(a, b)]
    except ValueError:
        raise ValueError(f"Incompatible shapes: {text(a)} vs. {text(b)}") from None


def broadcast_3(f: NodeFacts) -> Shapes:
    """Select: the condition and both branches."""
    try:
        return [broadcast_dims(broadcast_dims(f.shapes[0], f.shapes[1]), f.shapes[2])]
    except ValueError:
        c, t, e = map(text, f.shapes)
        raise ValueError(f"condition {c}, then {t}, and else {e} must be broadcastable") from None


def _swap(dims: Dims) -> Dims:
    return dims[:-2] + (dims[-1], dims[-2])


def matmul(f: NodeFacts) -> Shapes:
    a, b = f.shapes
    for i, dims in enumerate((a, b)):
        if dims is not None and len(dims) < 2:
            raise ValueError(f"In[{i}] ndims must be >= 2")
    if a is not None and len(a) != 2 or b is not None and len(b) != 2:
        raise ValueError(f"In[0] and In[1] has different ndims: {text(a)} vs. {text(b)}")
    a, b = a or (None, None), b or (None, None)
    left = _swap(a) if f.attr("transpose_a") else a
    right = _swap(b) if f.attr("transpose_b") else b
    if None not in (left[1], right[0]) and left[1] != right[0]:
        raise ValueError(f"Matrix size-incompatible: In[0]: {text(a)}, In[1]: {text(b)}")
    return [(left[0], right[1])]


def batch_matmul(f: NodeFacts) -> Shapes:
    a, b = f.shapes
    if a is None or b is None:
        return [None]
    for i, dims in enumerate((a, b)):
        if len(dims) < 2:
            raise ValueError(f"In[{i}] ndims must be >= 2")
    left = _swap(a) if f.attr("adj_x") else a
    right = _swap(b) if f.attr("adj_y") else b
    if None not in (left[-1], right[-2]) and left[-1] != right[-2]:
        raise ValueError(f"Matrix size-incompatible: In[0]: {text(a)}, In[1]: {text(b)}")
    try:
        batch = broadcast_dims(left[:-2], right[:-2])
    except ValueError:
        raise ValueError(f"In[0] and In[1] must have compatible batch dimensions: {text(a)} vs. {text(b)}") from None
    return [None if batch is None else (*batch, left[-2], right[-1])]


def normal_axes(axes: Any, rank: int) -> tuple:
    """Axes as sorted non-negative ints; ValueError with TensorFlow's message if one is out of range."""
    out = []
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        if not -rank <= axis < rank:
            raise ValueError(f"Invalid reduction dimension ({axis} for input with {rank} dimension(s)")
        out.append(axis % rank if rank else 0)
    return tuple(out)


def reduce(f: NodeFacts) -> Shapes:
    """Reductions: input, axes; attribute keep_dims."""
    dims, axes, keep = f.shapes[0], f.values[1], bool(f.attr("keep_dims"))
    if dims is None:
        return [None]
    if not known(axes) or axes is None:
        return [(None,) * len(dims)] if keep else ([()] if len(dims) == 0 else [None])
    axes = set(normal_axes(axes, len(dims)))
    return [tuple(1 if i in axes else d for i, d in enumerate(dims) if keep or i not in axes)]


def arg_reduce(f: NodeFacts) -> Shapes:
    dims, axis = f.shapes[0], f.values[1]
    if dims is None:
        return [None]
    if axis is None:
        return [(None,) * (len(dims) - 1)]
    if not dims and f.inputs:  # a graph leaves it to the kernel
        return [()]
    if not -len(dims) <= axis < len(dims):
        raise ValueError(f"Expected dimension in the range [{-len(dims)}, {len(dims)}), but got {axis}")
    axis %= len(dims)
    return [dims[:axis] + dims[axis + 1 :]]


def fill(f: NodeFacts) -> Shapes:
    """Ops whose first input is the shape of the output."""
    if isinstance(f.values[0], tuple):
        for d in f.values[0]:
            if d is not None and d < 0:
                raise ValueError(f"Dimension {d} must be >= 0")
    return [as_shape(f.values[0], f.shapes[0])]


def broadcast_to(f: NodeFacts) -> Shapes:
    wanted = as_shape(f.values[1], f.shapes[1])
    dims = f.shapes[0]
    if wanted is not None and dims is not None:
        if len(dims) > len(wanted):
            raise ValueError(
                f"Rank of input ({len(dims)}) must be no greater than rank of output shape ({len(wanted)})."
            )
        both = broadcast_dims(dims, wanted) or ()
        if any(None not in (w, b) and w != b for w, b in zip(wanted, both, strict=True)):
            raise ValueError(f"Incompatible shapes: {text(dims)} vs. {text(wanted)}")
        offset = len(wanted) - len(dims)
        return [tuple(
            w if w is not None or i < offset or dims[i - offset] == 1 else dims[i - offset]
            for i, w in enumerate(wanted)
        )]
    return [wanted]


def range_(f: NodeFacts) -> Shapes:
    start, limit, delta = f.values
    if not all(isinstance(v, int) for v in (start, limit, delta)):
        return [(None,)]
    if delta == 0:
        raise ValueError("Requires delta != 0: 0")
    if (limit - start) * delta < 0 and start != limit:
        raise ValueError(
            f"Requires start {'<=' if delta > 0 else '>='} limit when delta {'>' if delta > 0 else '<'} 0: "
            f"{start}/{limit}"
        )
    return [(max(0, -((start - limit) // delta)),)]


def shape_vector(f: NodeFacts) -> Shapes:
    return [(None,) if f.shapes[0] is None else (len(f.shapes[0]),)]


def bias_add(f: NodeFacts) -> Shapes:
    dims, bias = f.shapes
    if dims is not None and bias is not None:
        last = dims[-1] if f.attr("data_format") != "NCHW" else dims[1]
        if None not in (last, bias[0]) and last != bias[0]:
            raise ValueError(
                f"Must provide as many biases as the last dimension of the input tensor: {text(bias)} vs. {text(dims)}"
            )
        if dims[-1] is None and f.attr("data_format") != "NCHW":
            return [dims[:-1] + bias]
    return [dims]


def sparse_cross_entropy(f: NodeFacts) -> Shapes:
    logits, labels = f.shapes
    rows = None if labels is None else labels[0]
    if logits is not None and logits[0] is not None:
        rows = logits[0]
    classes = None if logits is None else logits[1]
    if logits and labels and None not in (logits[0], labels[0]) and logits[0] != labels[0]:
        raise ValueError(
            f"logits and labels must have the same first dimension, got logits shape {text(logits)} and labels "
            f"shape {text(labels)}"
        )
    return [(rows,), (rows, classes)]


def cross_entropy(f: NodeFacts) -> Shapes:
    try:
        both = broadcast_dims(f.shapes[0], f.shapes[1])
    except ValueError:  # the record's `trace_check` refuses them in a graph, the kernel in other words
        return [None, None]
    return [None if both is None else both[:1], both]
