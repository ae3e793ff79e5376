"""`tf.experimental.numpy`: what Keras uses of it."""

from __future__ import annotations

import numpy as np

from reflow.api.export import export
from reflow.api.math import arithmetic as m
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor


@export("experimental.numpy.finfo")
def finfo(dtype):
    """Limits of a floating point type: `numpy.finfo` for it.

    >>> float(tf.experimental.numpy.finfo(tf.float32).eps) == 2.0 ** -23
    True
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype is dtypes.bfloat16:
        import ml_dtypes

        return ml_dtypes.finfo(ml_dtypes.bfloat16)
    return np.finfo(dtype.np_dtype)


@export("experimental.numpy.select")
def select(condlist, choicelist, default=0):
    """For each element the choice of the first condition that holds, else `default`.

    >>> tf.experimental.numpy.select([[True, False], [True, True]], [[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"condlist must have the same length as choicelist. Received: {len(condlist)} and {len(choicelist)}"
        )
    choices = [convert_to_tensor(c) for c in choicelist]
    dtype = next((c.dtype for c in choices), None)
    result = convert_to_tensor(default, dtype) if not hasattr(default, "dtype") else convert_to_tensor(default)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        result = m.where(convert_to_tensor(condition), choice, result)
    return result
