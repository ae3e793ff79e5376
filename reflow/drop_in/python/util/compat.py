"""`tensorflow.python.util.compat`: types of values that behave as numbers or text, and Python's abstract collections."""

import collections.abc as collections_abc  # noqa: F401 - TensorFlow's name
import numbers
import os

import numpy as np

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
bytes_or_text_types = (bytes, str)


def path_to_bytes(path) -> bytes:
    """The name of a file as bytes; a path object counts as its text."""
    path = os.fspath(path)
    return path.encode() if isinstance(path, str) else path
