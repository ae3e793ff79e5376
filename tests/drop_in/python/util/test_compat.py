"""Types of numbers and texts."""

import pathlib

import numpy as np

from reflow.drop_in.python.util import compat


def test_numpy_numbers_count():
    assert isinstance(np.int8(1), compat.integral_types) and not isinstance(1.5, compat.integral_types)
    assert isinstance(np.float32(1), compat.real_types) and isinstance("a", compat.bytes_or_text_types)
    assert isinstance({}, compat.collections_abc.Mapping)


def test_names_of_files():
    assert [compat.path_to_bytes(path) for path in ("a", b"a", pathlib.Path("a"))] == [b"a"] * 3
