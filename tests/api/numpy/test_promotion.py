"""`reflow/api/numpy/promotion.py`: the lattice of dtypes.

The expected results are TensorFlow's (`flexible_dtypes`), by hand.
"""

import pytest

from reflow.api.numpy.promotion import Kind, is_safe, join
from reflow.core import dtypes

WEAK = {"i32w": Kind(dtypes.int32, True), "i64w": Kind(dtypes.int64, True), "f32w": Kind(dtypes.float32, True),
        "f64w": Kind(dtypes.float64, True), "c128w": Kind(dtypes.complex128, True)}  # fmt: skip


def kind(name: str) -> Kind:
    return WEAK.get(name) or Kind(dtypes.as_dtype(name))


@pytest.mark.parametrize(
    ("a", "b", "result", "safe"),
    [
        ("bool", "uint8", "uint8", True), ("bool", "f32w", "f32w", True), ("bool", "i32w", "i32w", True),
        ("uint8", "int8", "int16", False), ("uint8", "int16", "int16", True), ("uint32", "int32", "int64", False),
        ("uint64", "int8", "f64w", False), ("int32", "int64", "int64", True),
        ("uint8", "float16", "float16", True), ("uint16", "float16", "float16", False),
        ("int8", "bfloat16", "bfloat16", True), ("int32", "float32", "float32", False),
        ("int32", "float64", "float64", True), ("int64", "float64", "float64", False),
        ("bfloat16", "float16", "float32", False), ("float32", "complex64", "complex64", True),
        ("float64", "complex64", "complex128", False), ("int8", "i32w", "int8", True), ("int32", "f32w", "f64w", False),
        ("int32", "f64w", "f64w", True), ("int64", "f64w", "f64w", False), ("float16", "f64w", "float16", True),
        ("float32", "c128w", "complex64", False), ("complex64", "c128w", "complex64", True),
        ("i32w", "i64w", "i64w", True), ("i64w", "f32w", "f32w", True), ("f32w", "c128w", "c128w", True),
    ],
)  # fmt: skip
def test_two_kinds_meet(a, b, result, safe):
    assert join(kind(a), kind(b)) == join(kind(b), kind(a)) == kind(result)
    assert is_safe(kind(a), kind(b)) is is_safe(kind(b), kind(a)) is safe


def test_strings_meet_nothing():
    assert join(kind("string"), kind("string")) == kind("string")
    with pytest.raises(NotImplementedError, match="Implicit Conversion between"):
        join(kind("string"), kind("int32"))
