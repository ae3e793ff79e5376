"""Inputs of the descriptor table: deterministic arrays by kind, shape and dtype.

An `Input` is a description; `make(dtype, position)` gives the array. Values come from NumPy's legacy generator, whose
stream is frozen for ever, so that real TensorFlow (in an environment of its own) and Reflow see the same numbers.
A kind without a dtype of its own takes the dtype of its case.
"""

from __future__ import annotations

import dataclasses
import zlib

import ml_dtypes
import numpy as np

NARROW = {
    "bfloat16": ml_dtypes.bfloat16, "float8_e4m3fn": ml_dtypes.float8_e4m3fn, "float8_e5m2": ml_dtypes.float8_e5m2
}


def np_dtype(name: str) -> np.dtype:
    """The NumPy dtype of a TensorFlow dtype's name."""
    return np.dtype(object) if name == "string" else np.dtype(NARROW.get(name, name))


@dataclasses.dataclass(frozen=True)
class Input:
    """One input: how it is drawn, its shape, its dtype (None: the case's)."""

    kind: str
    shape: tuple
    dtype: str | None = None
    data: object = None

    def name(self, dtype: str) -> str:
        return self.dtype or dtype

    def make(self, dtype: str, position: int) -> np.ndarray:
        target = self.name(dtype)
        if self.kind == "const":
            return np.array(self.data, np_dtype(target))
        seed = zlib.crc32(f"{self.kind}{self.shape}{position}".encode())
        drawn = _DRAW[self.kind](np.random.RandomState(seed), self.shape, self.data)
        kind = np_dtype(target).kind
        if kind == "c":
            imaginary = _DRAW[self.kind](np.random.RandomState(seed + 1), self.shape, self.data)
            drawn = drawn + 1j * imaginary
        elif kind in "iu" and self.kind != "ints":
            drawn = np.rint(np.abs(drawn) * 3 if kind == "u" else drawn * 3)
        return np.asarray(drawn).astype(np_dtype(target))


def _spd(random, shape, _):
    a = random.standard_normal(shape)
    return a @ np.swapaxes(a, -1, -2) / shape[-1] + np.eye(shape[-1])


def _distinct(random, shape, _):
    return (random.permutation(int(np.prod(shape))).reshape(shape) - np.prod(shape) / 2) * 0.25


_DRAW = {
    "normal": lambda r, s, _: r.standard_normal(s),
    "positive": lambda r, s, _: r.uniform(0.3, 2.5, s),
    "unit": lambda r, s, _: r.uniform(-0.9, 0.9, s),
    "probability": lambda r, s, _: r.uniform(0.05, 0.95, s),
    "above_one": lambda r, s, _: r.uniform(1.2, 3.0, s),
    "zeros": lambda r, s, _: r.choice([-1.5, 0.0, 0.0, 0.5, 2.0], s),
    "ties": lambda r, s, _: r.choice([-1.0, 1.0, 2.0], s),
    "distinct": _distinct,
    "spd": _spd,
    "regular": lambda r, s, _: r.standard_normal(s) + 3 * np.eye(s[-2], s[-1]),
    "ints": lambda r, s, bounds: r.randint(bounds[0], bounds[1], s),
    "bools": lambda r, s, _: r.randint(0, 2, s),
    "nonfinite": lambda r, s, _: np.resize([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5], s),
}


def _kind(name):
    def make(*shape, dtype=None):
        return Input(name, shape, dtype)

    make.__name__ = name
    return make


normal, positive, unit, probability = _kind("normal"), _kind("positive"), _kind("unit"), _kind("probability")
above_one, zeros, ties, distinct = _kind("above_one"), _kind("zeros"), _kind("ties"), _kind("distinct")
spd, regular, nonfinite = _kind("spd"), _kind("regular"), _kind("nonfinite")


def ints(low, high, *shape, dtype="int32"):
    """Integers from `low` to `high` - 1."""
    return Input("ints", shape, dtype, (low, high))


def bools(*shape):
    return Input("bools", shape, "bool")


def const(data, dtype=None):
    """A written-out array."""
    array = np.array(data)
    return Input("const", array.shape, dtype, data)
