"""FarmHash of long strings, whose loop is in C++."""

import numpy as np
import pytest

from reflow import native
from reflow.ops.kernels.strings import hashing


@pytest.mark.skipif(not native.available(), reason="there is no compiler")
@pytest.mark.parametrize("size", [2**16 + 65, 2**16 + 128, 2**16 + 191])
def test_long_strings_have_pythons_hash(monkeypatch, size):
    data = np.random.RandomState(size).bytes(size)
    found = hashing.farmhash(data)
    assert found == hashing.farmhash(bytearray(data))
    monkeypatch.setattr(native, "farm_blocks", lambda *arguments: None)
    assert found == hashing.farmhash(data)
