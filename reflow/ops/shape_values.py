"""Value rules: the partial value of a small integer output, from the partial values and shapes of the inputs.

A rule takes `NodeFacts` and returns the partial value of the output (`None`: unknown), or a list with one per output if
the op has several. It must agree exactly with the kernel: overflow, for example, makes a value unknown.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from reflow.core.dtypes import DType
from reflow.core.shapes import merge
from reflow.ops.shape_facts import MAX_VALUE_ELEMENTS, NodeFacts, PartialValue, ValueRule, known, partial_value, product
from reflow.ops.slice_spec import UNKNOWN, slice_spec


def fits(value: int | None, dtype: DType) -> int | None:
    """A computed int, or None if the dtype cannot hold it."""
    if value is None or dtype.kind == "b":
        return None if value is None else bool(value)
    return value if dtype.kind in "iu" and dtype.min <= value <= dtype.max else None


def flat(value: PartialValue) -> bool:
    """Whether a partial value is a vector."""
    return isinstance(value, tuple) and not any(isinstance(v, tuple) for v in value)


def value_shape(f: NodeFacts) -> PartialValue:
    """Shape: the (partial) shape is the value."""
    return f.shapes[0]


def value_shape_n(f: NodeFacts) -> PartialValue:
    return list(f.shapes)


def value_size(f: NodeFacts) -> PartialValue:
    return product(f.shapes[0])


def value_rank(f: NodeFacts) -> PartialValue:
    return None if f.shapes[0] is None else len(f.shapes[0])


def value_const(f: NodeFacts) -> PartialValue:
    return partial_value(f.attrs.get("value"))


def value_same(f: NodeFacts) -> PartialValue:
    return f.values[0]


def value_same_all(f: NodeFacts) -> PartialValue:
    return list(f.values)


def value_cast(f: NodeFacts) -> PartialValue:
    target = f.attrs["DstT"]
    if target.kind not in "iub":
        return None

    def cast(value: PartialValue) -> PartialValue:
        return tuple(map(cast, value)) if isinstance(value, tuple) else fits(value, target)

    return cast(f.values[0])


def value_pack(f: NodeFacts) -> PartialValue:
    """Pack: inputs have one shape, so one of them tells it of all."""
    if (f.attr("axis") or 0) != 0 or all(v is None for v in f.values):
        return None
    if all(known(v) or isinstance(v, tuple) for v in f.values):
        return tuple(f.values)
    one = functools.reduce(merge, f.shapes)
    if one is None or len(one) > 1 or None in one:
        return None
    unknown = (None,) * one[0] if one else None
    return tuple(unknown if v is None else v for v in f.values)


def value_unpack(f: NodeFacts) -> PartialValue:
    value, count = f.values[0], f.attrs["num"]
    if not isinstance(value, tuple) or (f.attr("axis") or 0) != 0 or len(value) != count:
        return [None] * count
    return list(value)


def value_concat(f: NodeFacts) -> PartialValue:
    if f.values[-1] not in (0, -1):
        return None
    out: tuple = ()
    for value, shape in zip(f.values[:-1], f.shapes[:-1], strict=True):
        if flat(value):
            out += value
        elif shape is not None and len(shape) == 1 and shape[0] is not None and shape[0] <= MAX_VALUE_ELEMENTS:
            out += (None,) * shape[0]
        else:
            return None
    return out if len(out) <= MAX_VALUE_ELEMENTS and (not out or any(v is not None for v in out)) else None


def value_split_v(f: NodeFacts) -> PartialValue:
    """SplitV of a vector."""
    value, sizes, count = f.values[0], f.values[1], f.attrs["num_split"]
    if not flat(value) or not flat(sizes) or not known(sizes) or -1 in sizes:
        return [None] * count
    ends = [sum(sizes[: i + 1]) for i in range(count)]
    return [value[end - size : end] for end, size in zip(ends, sizes, strict=True)]


def value_strided_slice(f: NodeFacts) -> PartialValue:
    value = f.values[0]
    if not flat(value) or not known(f.values[3]) or f.shapes[0] is None or len(f.shapes[0]) != 1:
        return None
    _, begin, end, strides = f.values
    spec = slice_spec(f.attrs, (len(value),), begin, end, strides, f.shapes[1])
    if spec is None:
        return None
    begin, end, stride = spec.picks[0]
    if UNKNOWN in (begin, end) or stride is None:
        return None
    picked = value[slice(begin, end, stride)]
    if not spec.out:
        return picked[0]
    return picked if spec.out == [0] or spec.out == ["new"] else None


def value_slice(f: NodeFacts) -> PartialValue:
    value, begin, size = f.values
    if not flat(value) or not flat(begin) or not flat(size) or None in (*begin, *size) or len(begin) != 1:
        return None
    return value[begin[0] :] if size[0] == -1 else value[begin[0] : begin[0] + size[0]]


def value_gather(f: NodeFacts) -> PartialValue:
    value, indices, axis = f.values
    if not isinstance(value, tuple) or indices is None or not known(indices) or axis != 0 or f.attr("batch_dims"):
        return None

    def pick(index: int) -> PartialValue:
        return tuple(map(pick, index)) if isinstance(index, tuple) else value[index]

    wanted = indices if isinstance(indices, tuple) else (indices,)
    if any(isinstance(i, tuple) or not 0 <= i < len(value) for i in wanted):
        return None
    return pick(indices)


def value_elementwise(function: Callable[..., int]) -> ValueRule:
    """Lift a function of ints to partial values, for Add, Sub, Mul, FloorDiv, ..."""

    def rule(f: NodeFacts) -> PartialValue:
        def scalar_rule(a: int | None, b: int | None) -> int | None:
            if a is None or b is None:
                return None
            try:
                return fits(function(a, b), f.dtypes[0])
            except (ZeroDivisionError, ValueError):
                return None

        a, b = f.values
        if isinstance(a, tuple) and isinstance(b, tuple):
            return tuple(map(scalar_rule, a, b)) if flat(a) and flat(b) and len(a) == len(b) else None
        if isinstance(a, tuple):
            return tuple(scalar_rule(x, b) for x in a) if flat(a) and f.shapes[1] == () else None
        if isinstance(b, tuple):
            return tuple(scalar_rule(a, x) for x in b) if flat(b) and f.shapes[0] == () else None
        return scalar_rule(a, b)

    return rule


def value_reduce(function: Callable[[tuple[int, ...]], int]) -> ValueRule:
    """A reduction of a vector of known ints to a scalar, for Prod, Sum, Max, Min."""

    def rule(f: NodeFacts) -> PartialValue:
        value, axes = f.values
        if not flat(value) or not known(value) or f.attr("keep_dims") or axes not in (0, (0,), -1, (-1,)):
            return None
        try:
            return fits(function(value), f.dtypes[0])
        except ValueError:  # max of an empty sequence
            return None

    return rule


def value_reshape(f: NodeFacts) -> PartialValue:
    value, dims = f.values
    if value is None or not flat(dims):
        return None
    entries = value if isinstance(value, tuple) else (value,)
    if any(isinstance(v, tuple) for v in entries):
        return None
    if dims == ():
        return entries[0]
    return entries if len(dims) == 1 else None


def value_expand_dims(f: NodeFacts) -> PartialValue:
    return (f.values[0],) if isinstance(f.values[0], int) else None


def value_squeeze(f: NodeFacts) -> PartialValue:
    value = f.values[0]
    return value[0] if isinstance(value, tuple) and len(value) == 1 and f.shapes[0] == (1,) else None


def value_range(f: NodeFacts) -> PartialValue:
    start, limit, delta = f.values
    if not all(isinstance(v, int) for v in f.values) or delta == 0:
        return None
    count = len(range(start, limit, delta))
    return tuple(range(start, limit, delta)) if count <= MAX_VALUE_ELEMENTS else None


def value_fill(f: NodeFacts) -> PartialValue:
    dims, value = f.values
    if not flat(dims) or not known(dims) or len(dims) > 1 or not isinstance(value, int):
        return None
    if not dims:
        return value
    return (value,) * dims[0] if 0 <= dims[0] <= MAX_VALUE_ELEMENTS else None


def value_like(number: int) -> ValueRule:
    """ZerosLike and OnesLike of a scalar or vector of known length."""

    def rule(f: NodeFacts) -> PartialValue:
        dims = f.shapes[0]
        if f.dtypes[0].kind not in "iu" or dims is None or None in dims or len(dims) > 1:
            return None
        return number if not dims else (number,) * dims[0] if dims[0] <= MAX_VALUE_ELEMENTS else None

    return rule


def value_broadcast_to(f: NodeFacts) -> PartialValue:
    value, dims = f.values
    if (
        not isinstance(value, int)
        or not flat(dims)
        or len(dims) != 1
        or dims[0] is None
        or dims[0] > MAX_VALUE_ELEMENTS
    ):
        return None
    return (value,) * dims[0]


def value_select(f: NodeFacts) -> PartialValue:
    condition, a, b = f.values
    if isinstance(condition, tuple):
        if flat(condition) and known(condition) and flat(a) and flat(b) and len(a) == len(b) == len(condition):
            return tuple(x if c else y for c, x, y in zip(condition, a, b, strict=True))
        return None
    if condition is not None and f.shapes[1] is not None and f.shapes[1] == f.shapes[2]:
        return a if condition else b
    return None
