"""Arrays that are copied only when that is asked for."""

import numpy as np

from reflow.drop_in.python.util import numpy_compat


def test_copies():
    x = np.arange(3)
    assert numpy_compat.np_asarray(x) is x and numpy_compat.np_asarray(x, copy=True) is not x
    assert numpy_compat.np_array(x) is not x and numpy_compat.np_array(x, copy=False) is x
