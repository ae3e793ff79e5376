"""Hostile forms of a call: one to three of its inputs and attributes changed at random.

What is put in is what programs get wrong and what attackers try: nothing, zero, minus one, the largest and smallest
numbers, NaN and infinities, one axis more or less, an axis that does not fit, another dtype, an unknown word.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.inputs import np_dtype
from tools.attack.calls import QUANTIZED, Array, Call

INTEGERS = (0, 1, -1, 2, -2, 3, 7, 100, 2**15, 2**31 - 1, -(2**31), 2**31, 2**40, 2**62, 2**63 - 1, -(2**63))
REALS = (0.0, -1.0, 1.0, 0.5, 1e-40, 1e38, -1e38, float("nan"), float("inf"), float("-inf"))
WORDS = (
    "", "X", "SAME", "VALID", "EXPLICIT", "NCHW", "REFLECT", "min", "nearest", "\x00", "é", "a" * 300, "->", "(", "%s"
)
DTYPES = (
    *(
        "float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8", "int8", "int16", "uint16", "uint32",
        "uint64",
    ),
    *("bool", "string", "complex64", "complex128", *QUANTIZED),
)
SHAPES: tuple = (None, [], [0], [-1], [2, 3], [2**31], [2**40, 2**40], [1] * 9, [-5])


def mutated(call: Call, draw: np.random.Generator) -> Call:
    """The call with one to three things changed."""
    for _ in range(int(draw.choice([1, 1, 1, 2, 3]))):
        places = [("inputs", n) for n in call.inputs] + [("attrs", n) for n in call.attrs]
        if not places:
            return call
        part, name = places[draw.integers(len(places))]
        old = getattr(call, part)
        change = _change_input if part == "inputs" else _change_attr
        call = dataclasses.replace(call, **{part: {**old, name: change(old[name], draw)}})
    return call


def pick(choices, draw: np.random.Generator) -> Any:
    return choices[int(draw.integers(len(choices)))]


# --- inputs -----------------------------------------------------------------------------------------------------------


def _change_input(value: Any, draw: np.random.Generator) -> Any:
    if not isinstance(value, list):
        return _changed_array(value, draw)
    if not value or draw.random() < 0.3:
        return pick(([], value[:-1], value + value[:1]), draw)
    at = int(draw.integers(len(value)))
    return [*value[:at], _changed_array(value[at], draw), *value[at + 1 :]]


def _changed_array(array: Array, draw: np.random.Generator) -> Array:
    kind = draw.random()
    if kind < 0.4:
        return Array(array.dtype, pick(RESHAPES, draw)(array.value, draw))
    if kind < 0.85:
        return Array(array.dtype, _other_values(array, draw))
    return _other_dtype(array, draw)


def fitted(value: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The values, repeated or cut, in another shape."""
    size = int(np.prod(shape))
    if value.size == 0:
        filler = b"" if value.dtype == object else 1
        return np.full(shape, filler, value.dtype)
    return np.resize(value.ravel(), size).reshape(shape)


def _axis_changed(value: np.ndarray, draw: np.random.Generator, by: Callable[[int], int]) -> np.ndarray:
    if value.ndim == 0:
        return value.reshape(1)
    axis = int(draw.integers(value.ndim))
    return fitted(value, tuple(by(n) if i == axis else n for i, n in enumerate(value.shape)))


RESHAPES: tuple[Callable[[np.ndarray, np.random.Generator], np.ndarray], ...] = (
    lambda v, draw: _axis_changed(v, draw, lambda n: 0),
    lambda v, draw: _axis_changed(v, draw, lambda n: n + 1),
    lambda v, draw: _axis_changed(v, draw, lambda n: max(n - 1, 0)),
    lambda v, draw: _axis_changed(v, draw, lambda n: 1),
    lambda v, draw: v[None],
    lambda v, draw: v[..., None],
    lambda v, draw: fitted(v, v.shape[1:]),
    lambda v, draw: fitted(v, v.shape[:-1]),
    lambda v, draw: v.ravel(),
    lambda v, draw: fitted(v, ()),
    lambda v, draw: fitted(v, (0,)),
    lambda v, draw: fitted(v, (3, 3, 3, 3, 3)),
    lambda v, draw: np.swapaxes(v, 0, -1) if v.ndim else v,
)


def _other_values(array: Array, draw: np.random.Generator) -> np.ndarray:
    """All elements, or one of them, set to something extreme."""
    value = array.value.copy()
    if value.dtype == object:
        new: Any = pick(WORDS, draw).encode()
    elif value.dtype.kind in "iu":
        limits = np.iinfo(value.dtype)
        new = min(max(pick(INTEGERS, draw), int(limits.min)), int(limits.max))
    elif value.dtype == bool:
        new = bool(draw.integers(2))
    else:
        with np.errstate(all="ignore"):
            new = np.asarray(pick(REALS, draw)).astype(value.dtype)
    if value.ndim and value.size and draw.random() < 0.5:
        value.ravel()[int(draw.integers(value.size))] = new
        return value
    return np.full(value.shape, new, value.dtype)


def _other_dtype(array: Array, draw: np.random.Generator) -> Array:
    return with_dtype(array, pick(DTYPES, draw))


def with_dtype(array: Array, dtype: str) -> Array:
    """The array with its values in another dtype; words become ones."""
    value = array.value
    if dtype == "string":
        return Array(dtype, np.full(value.shape, b"1", object))
    if value.dtype == object:
        return Array(dtype, np.ones(value.shape, np_dtype(QUANTIZED.get(dtype, dtype))))
    with np.errstate(all="ignore"):
        kind = np_dtype(QUANTIZED.get(dtype, dtype))
        plain = value.real if kind.kind in "iufb" and value.dtype.kind == "c" else value
        return Array(dtype, plain.astype(kind))


# --- attributes -------------------------------------------------------------------------------------------------------


def _change_attr(value: Any, draw: np.random.Generator) -> Any:
    """Another value of the same kind; the kind is read off the value."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return pick(INTEGERS, draw)
    if isinstance(value, float):
        return pick(REALS, draw)
    if isinstance(value, str):
        return pick(DTYPES, draw) if value in DTYPES else pick(WORDS, draw)
    if isinstance(value, list):
        return _changed_list(value, draw)
    return pick(SHAPES, draw)


def _changed_list(value: list, draw: np.random.Generator) -> Any:
    if not value or draw.random() < 0.3:
        return pick(([], value[:-1], value + value[:1], value * 3), draw)
    at = int(draw.integers(len(value)))
    return [*value[:at], _change_attr(value[at], draw), *value[at + 1 :]]
