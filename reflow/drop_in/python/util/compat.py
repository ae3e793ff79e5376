"""`tensorflow.python.util.compat`: types of values that behave as numbers or text, Python's collections."""

import collections.abc as collections_abc  # noqa: F401 - TensorFlow's name
import numbers

import numpy as np

from reflow.api.framework.small_namespaces import path_to_bytes as path_to_bytes

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
bytes_or_text_types = (bytes, str)
