"""Memory that is offered for a result: who takes it, and who is known to look at it."""

import numpy as np

from reflow.core.context import state, swapped
from reflow.ops.result_memory import Offer, result_memory

F32 = np.dtype(np.float32)


def test_an_offer_is_taken_once_and_counts_the_arrays_in_its_memory():
    batch = np.zeros((3, 4, 5), np.float32)
    offer = Offer(batch, batch.ctypes.data, 1)
    with swapped(offered=offer):
        taken = result_memory((1, 4, 5), F32)
        assert state.offered is None
        assert result_memory((1, 4, 5), F32).base is None
    taken[:] = 7
    assert batch[1].min() == 7 and batch[[0, 2]].max() == 0
    assert offer.views() == 1
    flipped = taken[0][:, ::-1]
    assert flipped.base is offer.array
    assert offer.views() == 2
    del taken, flipped
    assert offer.views() == 0


def test_what_has_another_size_or_dtype_gets_memory_of_its_own():
    batch = np.zeros((3, 4), np.float32)
    with swapped(offered=Offer(batch, batch.ctypes.data, 0)):
        assert result_memory((5,), F32).shape == (5,) and result_memory((4,), np.dtype(np.int32)).dtype == np.int32
        assert state.offered is not None
