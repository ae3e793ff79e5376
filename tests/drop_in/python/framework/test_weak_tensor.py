"""Names of weak tensors."""

from reflow.api.numpy.weak import WeakTensor
from reflow.drop_in.python.framework import weak_tensor


def test_names():
    assert weak_tensor.WeakTensor is WeakTensor and issubclass(weak_tensor.GraphWeakTensor, WeakTensor)
    assert len(weak_tensor._ALLOWED_WEAK_DTYPES) == 5
