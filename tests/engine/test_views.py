"""Views of buffers: NumPy's arithmetic of shapes on memory that nobody touches."""

import numpy as np

from reflow.engine.views import Buffer, merged


def test_a_view_says_where_its_numbers_are():
    view = Buffer(24).view((2, 3, 4))
    part = view.like(view.array[1, :, ::-2])
    assert (part.offset, part.array.strides, part.shape) == (15, (4, -2), (3, 2))
    assert view.is_whole and not part.is_run and not part.is_whole


def test_a_reshape_is_a_view_where_it_can_be():
    view = Buffer(24).view((2, 3, 4))
    assert view.reshaped((6, 4)).array.strides == (4, 1)
    assert view.like(view.array.transpose(2, 0, 1)).reshaped((4, 6)).array.strides == (1, 4)
    assert view.like(view.array.transpose(1, 0, 2)).reshaped((3, 8)) is None


def test_axes_are_merged_where_all_views_go_on():
    view = Buffer(24).view((2, 3, 4))
    assert merged([view]) == ([24], [[1]])
    row = view.like(np.broadcast_to(view.array[0, 0], (2, 3, 4)))
    assert merged([view, row]) == ([6, 4], [[4, 1], [0, 1]])
    assert merged([Buffer(1).view((1, 1))]) == ([], [[]])
