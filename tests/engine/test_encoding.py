"""Steps as numbers: places in memory, constants, the list itself."""

import numpy as np

from reflow.engine.encoding import (
    COPY,
    FILL,
    LOOP,
    TOGETHER,
    Constants,
    Memory,
    Place,
    allocate,
    argument,
    bits,
    encoded,
    matrix,
    strided,
)
from reflow.engine.views import CONSTANTS, Buffer


def test_memory_that_is_given_back_is_taken_again():
    memory = Memory()
    assert [memory.take(n) for n in (16, 20, 1)] == [0, 16, 48]
    memory.give_back(0, 16)
    memory.give_back(16, 20)
    assert memory.take(48) == 0 and memory.take(1) == 64 and memory.size == 80


def test_a_buffer_makes_room_when_nothing_reads_it_any_more():
    a, b, c = (Buffer(16) for _ in range(3))
    copies = [strided([COPY], [x.view((16,)), y.view((16,))], None) for x, y in ((a, b), (b, c))]
    steps = [[FILL, 16, 0, Place(a)], *copies]
    assert allocate(steps) == 32 and (a.offset, b.offset, c.offset) == (0, 16, 0)


def test_a_buffer_of_a_loop_makes_room_within_an_iteration():
    def loop(first, *others):
        """Copies from one buffer to the next, in each iteration."""
        return [
            LOOP, 2, 0, 0, len(others),
            *(strided([COPY], [x.view((16,)), y.view((16,))], None) for x, y in zip((first, *others), others)),
        ]

    outer, *inner = (Buffer(16) for _ in range(7))
    steps = [[FILL, 16, 0, Place(outer)], [TOGETHER, 2, loop(outer, *inner[:3]), loop(outer, *inner[3:])]]
    assert allocate(steps) == 5 * 16  # two for each of the loops, which run at the same time
    assert (
        len({b.offset for b in inner[:3]} | {b.offset for b in inner[3:]} | {outer.offset}) == 5
        and inner[0].offset == inner[2].offset
    )


def test_what_a_broadcast_repeats_is_kept_once():
    constants = Constants()
    row = np.broadcast_to(np.arange(3, dtype=np.float32), (4, 3))
    view = constants.view(row)
    assert view.shape == (4, 3) and view.array.strides == (0, 1) and constants.view(row) is view
    assert view.buffer.memory == CONSTANTS and constants.array().tolist() == [0, 1, 2] + 13 * [0]


def test_a_matrix_needs_one_stride_for_rows_and_one_for_columns():
    view = Buffer(24).view((2, 3, 4))
    assert matrix(view, [0], [1], [2]).strides == (12, 4, 1) and matrix(view, [], [0, 1], [2]).strides == (4, 1)
    assert matrix(view, [], [0, 2], [1]) is None


def test_the_list_begins_with_memories_and_arguments():
    steps = [[FILL, 3, bits(1.0), Place(argument(0, 3))]]
    assert encoded(steps, [3], [], 0, False) == [3, 1, 0, 0, 3, 0, 1, FILL, 3, 0x3F800000, 2, 0]
