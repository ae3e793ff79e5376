"""`tensorflow.python.util.numpy_compat`: NumPy functions that changed between its versions."""

import numpy as np

np_where = np.where
np_reshape = np.reshape


def np_array(values, dtype=None, copy=True, order="K"):
    """An array of its own, or the given one where that is possible and `copy` is false."""
    return np.array(values, dtype=dtype, copy=copy or None, order=order)


def np_asarray(values, dtype=None, order=None, copy=None):
    """The values as an array, copied if that is asked for or needed."""
    return np.array(values, dtype=dtype, order=order or "K", copy=copy or None)
