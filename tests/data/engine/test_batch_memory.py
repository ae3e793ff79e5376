"""Memory of batches that is used again."""

import numpy as np

from reflow.data.engine import batch_memory
from reflow.data.engine.batch_memory import Spare


def test_memory_is_used_again_when_nothing_refers_to_it():
    spare = Spare()
    array = spare.array((3, 4), np.dtype(np.float32))
    assert array.shape == (3, 4) and array.dtype == np.float32 and array.flags.c_contiguous and array.flags.writeable
    place, view = array.ctypes.data, array[1:]
    assert place % 64 == 0
    del array
    assert spare.array((3, 4), np.dtype(np.float32)).ctypes.data != place  # a view is left
    del view
    assert place in {spare.array((3, 4), np.dtype(np.float32)).ctypes.data for _ in range(2)}


def test_other_sizes_get_other_memory_and_little_is_kept(monkeypatch):
    spare = Spare()
    spare.array((4,), np.dtype(np.int64))
    assert len(spare.array((0, 5), np.dtype(np.int8))) == 0
    monkeypatch.setattr(batch_memory, "MOST", 100)
    spare.waiting.clear()
    spare.array((50,), np.dtype(np.int8))
    assert not spare.waiting
    spare.array((30,), np.dtype(np.int8))
    assert [m.nbytes for m in spare.waiting] == [94]
