"""Dilated windows through the batch axis: `tf.nn.with_space_to_batch`.

Every `rate`-th pixel of an image forms a separate image. A dense window on each of them is a dilated window on the
whole.
"""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange, blocks
from reflow.api.array.arrange import get_static_value, shape_operand
from reflow.api.export import export
from reflow.api.nn.windows import channels_first
from reflow.ops.convert import convert_to_tensor


@export("nn.with_space_to_batch")
def with_space_to_batch(input, dilation_rate, padding, op, filter_shape=None, spatial_dims=None, data_format=None):
    """Applies `op` to the pixels of `input` that are `dilation_rate` apart, and puts the results together again.

    Args:
      input: A batch of images.
      dilation_rate: How far apart, one number for each spatial axis.
      padding: `"VALID"` or `"SAME"`; for the latter `filter_shape` says how much is added.
      op: A function that is called as `op(images, number of spatial axes, padding)`.
      filter_shape: The shape of the window of `op`, its spatial sizes first.
      spatial_dims: Which axes of `input` are spatial, ascending; by default those after the batch.
      data_format: One that begins with `"NC"` if the channels come before the spatial axes.

    Returns:
      What `op` gives, with the batch as before.

    Raises:
      ValueError: `dilation_rate` is not a vector of positive numbers, `spatial_dims` are not ascending positive
        numbers, the rank of `input` is too low, or the window's shape or the padding is not known.

    >>> pool = lambda x, axes, padding: tf.nn.max_pool1d(x, 2, 1, padding)
    >>> tf.nn.with_space_to_batch(tf.reshape(tf.range(6.0), [1, 6, 1]), [2], "VALID", pool).numpy().ravel().tolist()
    [2.0, 3.0, 4.0, 5.0]
    """
    input, rate = convert_to_tensor(input), shape_operand(dilation_rate)
    if rate.shape.rank != 1:
        raise ValueError(
            f"`dilation_rate.shape.rank` must be 1. Received: dilation_rate={dilation_rate} of rank {rate.shape.rank}"
        )
    if not rate.shape.is_fully_defined():
        raise ValueError(
            f"`dilation_rate.shape` must be fully defined. Received: dilation_rate={dilation_rate} of shape "
            f"{rate.shape}"
        )
    count, known = rate.shape[0], get_static_value(rate)
    axes = _spatial_axes(spatial_dims, count, 2 if channels_first(data_format) else 1)
    rank = input.shape.rank
    if rank is not None and rank < axes[-1] + 1:
        raise ValueError(
            f"`input.shape.rank` must be at least {axes[-1] + 1}. Received: input.shape={input.shape} with rank {rank}"
        )
    if known is not None and np.any(known < 1):
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={dilation_rate}")
    if known is not None and np.all(known == 1):
        return op(input, count, padding)
    paddings, crops = blocks.required_space_to_batch_paddings(
        _sizes(input, axes), rate, _window_paddings(padding, filter_shape, count, rate)
    )
    block = _for_all_axes(rate, 1, axes)
    moved = blocks.space_to_batch(input, block, _for_all_axes(paddings, 0, axes))
    return blocks.batch_to_space(op(moved, count, "VALID"), block, _for_all_axes(crops, 0, axes))


def _spatial_axes(given, count, first) -> list:
    if given is None:
        return list(range(first, first + count))
    axes = sorted(int(axis) for axis in given)
    if list(given) != axes or len(set(axes)) < len(axes) or axes[0] < 1:
        raise ValueError(
            "`spatial_dims` must be a monotonically increasing sequence of positive integers. "
            f"Received: spatial_dims={given}"
        )
    return axes


def _window_paddings(padding, filter_shape, count, rate):
    """What "SAME" adds around an image, [count, 2]: half of what a window with holes covers, less in front if odd."""
    if padding == "VALID":
        return np.zeros((count, 2), np.int32)
    if padding != "SAME":
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    if filter_shape is None:
        raise ValueError(
            "`filter_shape` must be specified for `padding='SAME'`. Received: filter_shape=None and padding=SAME"
        )
    extra = (shape_operand(filter_shape)[:count] - 1) * rate
    known = get_static_value(extra)
    if known is not None:
        return np.stack([known // 2, known - known // 2], 1)
    return arrange.stack([extra // 2, extra - extra // 2], 1)


def _sizes(input, axes):
    """The spatial sizes, as numbers where they are known."""
    dims = input.shape
    if dims.rank is not None and all(dims[axis] is not None for axis in axes):
        return [dims[axis] for axis in axes]
    return arrange.stack([arrange.shape(input)[axis] for axis in axes])


def _for_all_axes(values, fill, axes):
    """Rows of `values` for the spatial axes, and rows of `fill` for the axes between them."""
    known = get_static_value(convert_to_tensor(values))
    rows = values if known is None else known
    other = np.full(rows.shape[1:], fill, np.int32)
    place = {axis: i for i, axis in enumerate(axes)}
    every = [rows[place[axis]] if axis in place else other for axis in range(1, axes[-1] + 1)]
    return np.stack(every) if known is not None else arrange.stack(every)
