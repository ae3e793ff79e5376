"""What TensorFlow says at trace time where a shape rule objects: its kernels, and so our rules, word the common cases differently."""

from __future__ import annotations

import math

from reflow.ops.shape_rules import known, text


def traced(op, facts, objection) -> str:
    """A shape rule's objection, in the words of a trace."""
    words = str(objection)
    if op.name in ("MatMul", "BatchMatMulV2", "BatchMatMulV3", "BatchMatMul"):
        return _product(op, facts) or words
    if op.name == "Reshape":
        return _reshape(facts) or words
    if op.name == "BiasAdd" and "as many biases" in words:
        channels = -1 if facts.attrs.get("data_format", "NHWC") == "NHWC" else 1
        return _unequal(facts.shapes[0][channels], facts.shapes[1][0])
    if words.startswith(("Incompatible shapes", "condition ")):
        shapes = [*facts.shapes]
        if op.name == "BroadcastTo":
            shapes = [facts.shapes[0], tuple(facts.values[1])]
        return _mismatch(shapes) or words
    return words


def _unequal(a, b) -> str:
    return f"Dimensions must be equal, but are {a} and {b}"


def _mismatch(shapes):
    """The first pair of dimensions, from the left, that cannot be broadcast."""
    if any(s is None for s in shapes):
        return None
    rank = max(map(len, shapes))
    for dims in zip(*[(1,) * (rank - len(s)) + tuple(s) for s in shapes], strict=True):
        sizes = [d for d in dims if d not in (1, None)]
        if len(set(sizes)) > 1:
            return _unequal(sizes[0], next(d for d in sizes if d != sizes[0]))
    return None


def _product(op, facts):
    a, b = facts.shapes
    if a is None or b is None:
        return None
    for dims in (a, b):
        if len(dims) < 2:
            return f"Shape must be {'' if op.name == 'MatMul' else 'at least '}rank 2 but is rank {len(dims)}"
    flip_a = facts.attrs.get("transpose_a" if op.name == "MatMul" else "adj_x", False)
    flip_b = facts.attrs.get("transpose_b" if op.name == "MatMul" else "adj_y", False)
    inner, other = a[-2 if flip_a else -1], b[-1 if flip_b else -2]
    if inner != other and None not in (inner, other):
        return _unequal(inner, other)
    return _mismatch([a[:-2], b[:-2]])


def _reshape(facts):
    given, target = facts.shapes[0], facts.values[1]
    if given is None or None in given or target is None or not known(target) or list(target).count(-1) > 1:
        return None
    size, wanted = math.prod(given), math.prod(d for d in target if d != -1)
    if -1 in target:
        return f"Dimension size must be evenly divisible by {wanted} but is {size}"
    return f"Cannot reshape a tensor with {size} elements to shape {text(tuple(target))} ({wanted} elements)"


def known_inputs(op, facts) -> str:
    """The values that the shape of the result was computed from."""
    if op.name not in ("Reshape", "BroadcastTo") or facts.values[1] is None:
        return ""
    dims = tuple(None if d == -1 else d for d in facts.values[1])
    return f" and with input tensors computed as partial shapes: input[1] = {text(dims)}"
