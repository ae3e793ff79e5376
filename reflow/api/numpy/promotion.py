"""Type promotion: the common dtype of two dtypes, in the modes "all" and "safe".

The dtypes form a lattice; the result of two is the lowest dtype above both. A Python number is *weak*: it is below the
dtypes of its kind and takes theirs. Mode "safe" allows a promotion only to one of the two dtypes, and only if it can
represent every value of the other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from reflow.core import dtypes


class Kind(NamedTuple):
    """A dtype, or a weak one."""

    dtype: Any
    weak: bool = False


_BOOL, _INT, _FLOAT, _COMPLEX = "bool", "weak int", "weak float", "weak complex"
#: what stands directly above each node of the lattice
_ABOVE = {
    _BOOL: (_INT,),
    _INT: ("uint8", "int8"),
    "uint8": ("uint16", "int16"),
    "uint16": ("uint32", "int32"),
    "uint32": ("uint64", "int64"),
    "int8": ("int16",),
    "int16": ("int32",),
    "int32": ("int64",),
    "int64": (_FLOAT,),
    "uint64": (_FLOAT,),
    _FLOAT: ("bfloat16", "float16", _COMPLEX),
    "bfloat16": ("float32",),
    "float16": ("float32",),
    "float32": ("float64", "complex64"),
    "float64": ("complex128",),
    _COMPLEX: ("complex64",),
    "complex64": ("complex128",),
    "complex128": (),
}
_WEAK = {"i": _INT, "f": _FLOAT, "c": _COMPLEX}
#: how many binary digits of an integer a dtype holds
_DIGITS = {
    "bool": 1, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64, "int8": 7, "int16": 15, "int32": 31, "int64": 63,
    "bfloat16": 8, "float16": 11, "float32": 24, "float64": 53, "complex64": 24, "complex128": 53,
}


def _reached(node: str) -> frozenset:
    """A node and all above it."""
    return frozenset({node}.union(*map(_reached, _ABOVE[node])))


_REACHED = {node: _reached(node) for node in _ABOVE}


def _node(kind: Kind) -> str:
    return _WEAK[kind.dtype.kind] if kind.weak else kind.dtype.name


def join(a: Kind, b: Kind) -> Kind:
    """The common kind of two kinds; NotImplementedError if there is none.

    >>> join(Kind(dtypes.int8), Kind(dtypes.uint8)).dtype, join(Kind(dtypes.int64), Kind(dtypes.float16)).dtype
    (tf.int16, tf.float16)
    """
    if a == b:
        return a
    nodes = _node(a), _node(b)
    if not all(node in _REACHED for node in nodes):
        raise NotImplementedError(
            f"Implicit Conversion between {a.dtype!r} and {b.dtype!r} is not allowed. Please convert the input "
            "manually if you need to."
        )
    common = _REACHED[nodes[0]] & _REACHED[nodes[1]]
    lowest = next(node for node in common if common <= _REACHED[node])
    if lowest == _FLOAT:
        strong = not (a.weak and b.weak) and not {_BOOL} & set(nodes)
        wide = strong or dtypes.float64 in (a.dtype, b.dtype)
        return Kind(dtypes.float64 if wide else dtypes.float32, True)
    if lowest == _COMPLEX:
        return Kind(dtypes.complex128, True)
    if lowest == _INT:
        return Kind(dtypes.int64 if dtypes.int64 in (a.dtype, b.dtype) else dtypes.int32, True)
    return Kind(dtypes.as_dtype(lowest))


def is_safe(a: Kind, b: Kind) -> bool:
    """Whether a promotion loses nothing: its result is one of the two and holds the other one, unless that is weak."""
    result = join(a, b)
    if result not in (a, b):
        return False
    other = b if result == a else a
    return other.weak or _DIGITS[other.dtype.name] <= _DIGITS[result.dtype.name]
